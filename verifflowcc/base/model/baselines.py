"""Baselines: faults of a project that are older than the sprint, and that a person accepts until a day."""

from collections import Counter
from collections.abc import Mapping

from verifflowcc.base.model.gate_values import BaselineKind, CriterionKind
from verifflowcc.base.records import dataclass, field

FAILED, PASSED = "failed", "passed"


OF_KIND: Mapping[CriterionKind, BaselineKind] = {
    CriterionKind.JUNIT: BaselineKind.TESTS,
    CriterionKind.SARIF: BaselineKind.LINT,
    CriterionKind.LINT: BaselineKind.LINT,
    CriterionKind.TRACE: BaselineKind.TRACE,
}
"""The baseline that a criterion of a kind is compared with."""


@dataclass(frozen=True, slots=True, order=True)
class BaselineEntry:
    """One old fault.

    `command` is the name of the command that shows it, empty for the trace. `name` identifies it in a report: a test's
    id, a finding's key. `seen` are its results on the base content, each once: a test with both `failed` and `passed`
    is flaky. `count` is how often the finding occurs, `text` a line for people.
    """

    command: str
    name: str
    seen: tuple[str, ...] = (FAILED,)
    """In how many runs the fault occurred."""
    count: int = 1
    text: str = ""

    @property
    def is_flaky(self) -> bool:
        """Whether the same content both failed and passed."""
        return len(self.seen) > 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted faults of one kind, as one person accepted them.

    `base` is the commit on whose content vfcc saw them, `runs` how often it ran there. `expires` is the last day on
    which they are accepted. `exit_codes` maps a command to the codes with which it ended there.
    """

    kind: BaselineKind
    base: str
    """The commit on which the faults were recorded."""
    by: str
    reason: str
    expires: str
    """The last day on which the baseline counts."""
    entries: tuple[BaselineEntry, ...]
    runs: int = 1
    """How often the command ran."""
    exit_codes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The exit codes of these runs."""

    def of(self, command: str | None) -> tuple[BaselineEntry, ...]:
        """Return the entries of a command."""
        return tuple(each for each in self.entries if each.command == (command or ""))

    @property
    def acceptance(self) -> str:
        """Until when, by whom and why its faults are accepted, as a clause."""
        return f"accepted until {self.expires} by {self.by.removeprefix('human:')}: {self.reason}"

    def counts(self, command: str | None) -> Counter[str]:
        """Return how often each fault of a command is accepted, by name."""
        return Counter({each.name: each.count for each in self.of(command)})


@dataclass(frozen=True, slots=True)
class BaselineAct:
    """An event with which somebody made a baseline.

    `digest` is that of its file, `entries` the number of faults in it, `day` that of the event.
    """

    kind: BaselineKind
    digest: str
    base: str
    actor: str
    expires: str
    reason: str
    entries: int
    day: str


@dataclass(frozen=True, slots=True)
class BaselineStatus:
    """A baseline, if its file can be read, and the `problem` because of which it does not count ("" where it does)."""

    baseline: Baseline | None = None
    """Null if the file cannot be read."""
    problem: str = ""
    """Why the baseline does not count, or empty."""

    @property
    def holds(self) -> bool:
        """Whether its faults are accepted."""
        return self.baseline is not None and not self.problem


NO_BASELINE = BaselineStatus()
