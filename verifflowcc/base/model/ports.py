"""What the pure code and the services ask of the world."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from verifflowcc.base.records import dataclass

# What `vfcc doctor` has to say about one thing.


class Health(StrEnum):
    """`note` is worth knowing and does no harm; `finding` is to be mended."""

    OK = "ok"
    NOTE = "note"
    FINDING = "finding"


@dataclass(frozen=True, slots=True)
class Remark:
    """One line: what was looked at, how it is, what was seen, and the command or the one thing to do, if any."""

    subject: str
    health: Health
    """`ok`, `note` or `finding`."""
    text: str
    step: str = ""
    """What to do, or empty."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All remarks, in the order in which things were looked at."""

    remarks: tuple[Remark, ...]

    @property
    def findings(self) -> tuple[Remark, ...]:
        """Those that are to be mended."""
        return tuple(each for each in self.remarks if each.health is Health.FINDING)


Count = Callable[[str], int]
"""Tokens in a text, exactly or by the estimate that the settings ask for."""


class TokenCounter(Protocol):
    """Counts tokens and says how."""

    name: str
    estimated: bool

    def count(self, text: str) -> int:
        """Return the tokens in `text`; 0 for the empty text."""
        ...


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model answered: the JSON text, and the tokens it took, counted by us where it does not say."""

    text: str
    tokens_in: int
    tokens_out: int


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> datetime:
        """Return the present, in UTC, aware."""
        ...


class Model(Protocol):
    """A language model that answers one prompt with one JSON value. It only ever refines what is done without one."""

    @property
    def name(self) -> str:
        """What it is called in sentences for a person."""
        ...

    def ask(self, prompt: str, schema: Mapping[str, object], *, most_tokens: int) -> ModelAnswer:
        """Return the answer to a prompt, which is asked to be JSON of this JSON schema.

        `most_tokens` is what the answer may have at most, as far as the model can be told so.
        Raises ModelError where it takes too long, cannot be reached, refuses, or answers with what is no JSON.
        """
        ...


class Embedder(Protocol):
    """Makes vectors of texts, to compare their meanings. Only the one that made a vector reads its bytes."""

    @property
    def name(self) -> str:
        """Which model it is, with its version: vectors under another name are not comparable."""
        ...

    @property
    def least(self) -> int:
        """The similarity, in millionths, from which a text bears on a question that has no word in common with it."""
        ...

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each text that may answer a question."""
        ...

    def question(self, text: str) -> bytes:
        """Return the vector of a question."""
        ...

    def similarities(self, question: bytes, vectors: Sequence[bytes]) -> list[int]:
        """Return how near each vector is to that of a question: their cosine, in millionths."""
        ...
