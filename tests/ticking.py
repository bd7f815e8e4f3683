"""A clock for tests in which the order of moments matters."""

from datetime import UTC, datetime, timedelta


class Ticking:
    """A clock that a second passes on with each look."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 21, 14, tzinfo=UTC)

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at
