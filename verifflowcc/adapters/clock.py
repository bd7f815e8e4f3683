"""Time, from the machine or fixed."""

from dataclasses import dataclass
from datetime import UTC, datetime


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
