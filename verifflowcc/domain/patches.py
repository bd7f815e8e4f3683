"""A change of files between two states: which files, and the hunks of each."""

from verifflowcc.records import dataclass

ADDED, DELETED, RENAMED, CHANGED = "added", "deleted", "renamed", "changed"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a diff that belong together, each with its first character: a space, `+`, `-` or a backslash.

    `old` and `new` are the numbers of the first line on each side; of a side without lines, where it would be.
    """

    old: int
    new: int
    lines: tuple[str, ...]

    @property
    def added(self) -> int:
        """How many lines are new."""
        return sum(line[:1] == "+" for line in self.lines)

    @property
    def removed(self) -> int:
        """How many lines are gone."""
        return sum(line[:1] == "-" for line in self.lines)

    @property
    def new_range(self) -> tuple[int, int]:
        """The first and the last line on the new side; the last is before the first where there is none."""
        return self.new, self.new + self._count(" +") - 1

    @property
    def old_range(self) -> tuple[int, int]:
        """The same of the old side."""
        return self.old, self.old + self._count(" -") - 1

    @property
    def header(self) -> str:
        """The line that begins it, as git writes it."""
        old, new = self._count(" -"), self._count(" +")
        return f"@@ -{self.old - (not old)},{old} +{self.new - (not new)},{new} @@"

    def _count(self, sides: str) -> int:
        return sum(line[:1] in tuple(sides) for line in self.lines)


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What became of a file. `was` is its former path where it was renamed.

    `added` and `removed` count lines; `unshown` says why there are no hunks, as an adjective; empty where there are.
    """

    path: str
    status: str
    hunks: tuple[Hunk, ...] = ()
    added: int = 0
    removed: int = 0
    was: str = ""
    unshown: str = ""
