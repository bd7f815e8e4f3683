"""What the code graph answers: definitions, candidates for a reference, who refers to what, and what imports what.

A confidence is a whole number from 0 to 100; at `CONFIDENT` or above it an answer counts as known.
"""

from verifflowcc.domain.graph import FILE, ReferenceKind, SymbolKind
from verifflowcc.records import dataclass

CONFIDENT = 70
"""The least confidence at which a reference counts as bound."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A definition that a reference may mean, by its file and place in it; `why` is a short clause."""

    path: str
    place: int
    """The number of the symbol in its file."""
    confidence: int
    """0 to 1; from 0.7 on it counts as known."""
    why: str


@dataclass(frozen=True, slots=True)
class Bound:
    """All that a reference may mean, best first. `external` says that it means something outside of the repository."""

    candidates: tuple[Candidate, ...] = ()
    external: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A definition with where it stands; `name` has the names of the definitions around it before it."""

    path: str
    place: int
    """The number of the symbol in its file."""
    line: int
    kind: SymbolKind
    name: str
    """With the names around it."""
    signature: str = ""
    """The first line without the body."""


@dataclass(frozen=True, slots=True)
class Link:
    """A reference at a line of a file, in the definition `inside` (called `around`, empty for the file itself).

    `candidate` is the definition that the question was about, or the best one; None where it means none of ours.
    `candidates` are all, best first; `external` says that it means something outside of the repository.
    """

    path: str
    line: int
    kind: ReferenceKind
    """`call`, `inherit`, `use` or `type`."""
    name: str
    receiver: str = ""
    """The text before the last dot."""
    inside: int = FILE
    """The number of the enclosing symbol; -1 for the file itself."""
    around: str = ""
    candidate: Candidate | None = None
    """The definition that was asked about, or the best, or null."""
    candidates: tuple[Candidate, ...] = ()
    """All possible definitions, best first."""
    external: bool = False
    """Whether it is outside of the project."""

    @property
    def confidence(self) -> int:
        """How sure it is that `candidate` is meant; 0 where there is none."""
        return self.candidate.confidence if self.candidate else 0


@dataclass(frozen=True, slots=True)
class Dependency:
    """An import, at a line of a file. `files` are those of the repository that it takes from; none where it is outside.

    `inside` and `around` are as in `Link`.
    """

    path: str
    line: int
    module: str
    name: str
    """The imported name; empty for the whole module."""
    alias: str
    """Its name here."""
    files: tuple[str, ...]
    """The project files that it means; empty if it is outside."""
    inside: int = FILE
    """The number of the enclosing symbol; -1 for the file itself."""
    around: str = ""

    @property
    def external(self) -> bool:
        """Whether it is from outside of the repository."""
        return not self.files
