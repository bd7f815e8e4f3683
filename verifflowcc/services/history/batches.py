"""Add events to the days that they are of, many at a time, each with one write of whole lines."""

from collections.abc import Iterator

from verifflowcc.episodes.shape import moment
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass, field
from verifflowcc.services.history.known import Known, Made
from verifflowcc.services.history.recording import add
from verifflowcc.services.workspace import Workspace

LARGEST_BYTES = 100_000
_DAY_MS = 86_400_000


@dataclass(slots=True)
class Count:
    """How many events of a file are added, and how many were there."""

    new: int = 0
    known: int = 0


@dataclass(slots=True)
class Batches:
    """Events that wait to be added. Whoever adds holds the lock of imports; hooks may add at any time.

    In a `dry` run nothing is written. Raises WorkspaceError.
    """

    workspace: Workspace
    known: Known
    dry: bool
    waiting: dict[str, list[tuple[Made, bytes, Count]]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    around: set[int] = field(default_factory=set)

    def put(self, made: Made, line: bytes, count: Count) -> None:
        """Add an event, unless it is there."""
        self._look_around(made.at)
        if self.known.has(made):
            count.known += 1
            return
        self.known.add(made.event)
        count.new += 1
        if self.dry:
            return
        day = str(made.event["time"])[:10]
        if self.sizes.get(day, 0) + len(line) > LARGEST_BYTES:
            self._flush(day)
        self.waiting.setdefault(day, []).append((made, line, count))
        self.sizes[day] = self.sizes.get(day, 0) + len(line)

    def is_there(self, name: str, at: int, count: Count) -> bool:
        """Say whether an import added the event of that id before, so that it need not be made, and count it."""
        self._look_around(at)
        there = self.known.has_id(name)
        count.known += there
        return there

    def finish(self) -> None:
        """Write what waits."""
        for day in sorted(self.waiting):
            self._flush(day)

    def see(self, at: int) -> None:
        """Learn what the history holds of the day of a moment."""
        self._look(_day(at))

    def _look_around(self, at: int) -> None:
        number = at // _DAY_MS
        if number in self.around:
            return
        self.around.add(number)
        for each in (number - 1, number, number + 1):  # a hook may have told it on the other side of midnight
            day = _day(max(each, 0) * _DAY_MS)
            if not self.known.looked_at(day):
                self._look(day)

    def _look(self, day: str) -> bool:
        try:
            return self.known.look(day)
        except OSError as error:
            raise WorkspaceError(f"cannot read {error.filename}: {error.strerror or error}") from error

    def _flush(self, day: str) -> None:
        waiting = self.waiting.pop(day, [])
        self.sizes[day] = 0
        if self._look(day):
            waiting = list(self._still_new(waiting))
        if waiting:
            lines = b"".join(line for _, line, _ in waiting)
            add(self.workspace, day, lines)
            self.known.wrote(day, len(lines))

    def _still_new(self, waiting: list[tuple[Made, bytes, Count]]) -> Iterator[tuple[Made, bytes, Count]]:
        """Yield what no hook told meanwhile."""
        for each in waiting:
            if self.known.was_told(each[0]):
                each[2].new -= 1
                each[2].known += 1
            else:
                yield each


def _day(at: int) -> str:
    return moment(at)[:10]
