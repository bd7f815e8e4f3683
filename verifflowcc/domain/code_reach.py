"""What a change of code reaches: code that uses it, directly or through other code, and the tests among that."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class ReachedCode:
    """A definition that uses the changed code. `distance` counts the references between them; 1 uses it directly.

    `confidence` is that of the weakest reference on the way, `through` the definition that it uses.
    """

    path: str
    line: int
    name: str
    """With the names around it; empty for the file itself."""
    distance: int
    """How many references away; 1 uses the changed code directly."""
    confidence: int
    """0 to 1, of the weakest reference on the way."""
    through: str
    """The definition that it uses, as `path::name`."""


@dataclass(frozen=True, slots=True)
class AffectedTest:
    """A test that reaches the changed code. `name` is empty where all of its file is meant."""

    path: str
    name: str
    """As its runner names it within the file; empty for the whole file."""
    language: str
    distance: int
    """How many references away; 0 for a test that is itself changed or that a trace item names."""
    confidence: int
    """0 to 1, of the weakest reference on the way."""
    why: str

    @property
    def id(self) -> str:
        """The path and the name."""
        return f"{self.path}::{self.name}" if self.name else self.path


@dataclass(frozen=True, slots=True)
class CommandForTests:
    """A command line that runs tests, in a shell's words; `tests` is how many of the affected ones it runs."""

    format: str
    """`pytest`, `vitest`, `go`, …"""
    command: str
    tests: int
    """How many of the affected tests it runs."""


@dataclass(frozen=True, slots=True)
class CodeOwner:
    """The owners of a path by the CODEOWNERS file; `line` is the rule's."""

    path: str
    owners: tuple[str, ...]
    file: str
    """The CODEOWNERS file."""
    line: int
