"""What a client's file of a session tells, told as its hooks tell it; and what a session spent."""

from collections.abc import Mapping
from typing import Any

from verifflowcc.records import dataclass

Json = Any


@dataclass(frozen=True, slots=True)
class Tokens:
    """Numbers of tokens. `input` is what was read anew: neither out of a cache nor into one."""

    input: int = 0
    """Tokens read without a cache."""
    output: int = 0
    cache_read: int = 0
    """Tokens read from a cache."""
    cache_creation: int = 0
    """Tokens written to a cache."""

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_creation + other.cache_creation,
        )

    def beyond(self, other: "Tokens") -> "Tokens":
        """Return how much more there is of each kind than in `other`; never less than nothing.

        >>> Tokens(5, 7).beyond(Tokens(8, 3))
        Tokens(input=0, output=4, cache_read=0, cache_creation=0)
        """
        return Tokens(
            max(self.input - other.input, 0),
            max(self.output - other.output, 0),
            max(self.cache_read - other.cache_read, 0),
            max(self.cache_creation - other.cache_creation, 0),
        )

    @property
    def context(self) -> int:
        """What the model had before it when it answered."""
        return self.input + self.cache_read + self.cache_creation


@dataclass(frozen=True, slots=True)
class Said:
    """The words of a hook that a session would have called, at a time in milliseconds since 1970.

    `key` tells it from others of its kind in the session. A live hook has recorded the same where it told of the same
    call, prompt, turn or agent; where the words name none, it has where it spoke between the two times of `around`.
    """

    at: int
    key: str
    words: Mapping[str, Json]
    around: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Spent:
    """What one message of a model took, or what a client counts beyond its messages (`message` is empty then)."""

    at: int
    key: str
    tokens: Tokens
    model: str = ""
    message: str = ""
    task: str = ""
    agent: str = ""
    agent_type: str = ""
