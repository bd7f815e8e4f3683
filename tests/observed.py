"""An observer of work that keeps what is reported."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from verifflowcc.base.records import dataclass, field


@dataclass(slots=True)
class Recorder:
    """The steps by name with what was done of how many, the programs, and their output."""

    steps: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    programs: list[tuple[str, ...]] = field(default_factory=list)
    output: bytes = b""
    pauses: int = 0
    open: list[str] = field(default_factory=list)

    def begin(self, what: str, total: int | None, *, past: str) -> None:
        self.steps[what] = (0, total)
        self.open.append(what)

    def advance(self, count: int) -> None:
        done, total = self.steps[self.open[-1]]
        self.steps[self.open[-1]] = (done + count, total)

    def end(self, *, complete: bool) -> None:
        self.open.pop()

    def start_program(self, argv: Sequence[str]) -> None:
        self.programs.append(tuple(argv))

    def take_output(self, chunk: bytes) -> None:
        self.output += chunk

    def end_program(self) -> None:
        """Nothing more is to come."""

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.pauses += 1
        yield
