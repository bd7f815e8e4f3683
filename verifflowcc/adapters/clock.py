"""Time, from the machine or fixed."""

from datetime import UTC, datetime

from verifflowcc.records import dataclass


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the present, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still."""

    at: datetime

    def now(self) -> datetime:
        """Return the moment that the clock was given."""
        return self.at
