"""What the pure code and the services ask of the world."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

Count = Callable[[str], int]
"""Tokens in a text, exactly or by the estimate that the settings ask for."""


class TokenCounter(Protocol):
    """Counts tokens and says how."""

    name: str
    estimated: bool

    def count(self, text: str) -> int:
        """Return the tokens in `text`; 0 for the empty text."""
        ...


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> datetime:
        """Return the present, in UTC, aware."""
        ...
