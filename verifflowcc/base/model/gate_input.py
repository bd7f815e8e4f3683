"""Everything that a gate looks at, gathered before it is asked, so that asking is a pure function."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.base.model.people import Contributor, Feedback, Review, Waiver
from verifflowcc.base.model.sprint_state import ArtifactText, SprintState
from verifflowcc.base.model.trace_values import TraceReport
from verifflowcc.base.records import dataclass, field

if TYPE_CHECKING:
    from verifflowcc.base.model.baselines import BaselineStatus
    from verifflowcc.base.model.evidence_values import Command, Evidence


@dataclass(frozen=True, slots=True)
class ArtifactPut:
    """A `stage put` on record: `actor` stored these bytes at `path`, below the stage's `artifacts/`."""

    stage: str
    path: str
    digest: str
    actor: str
    event: str = ""
    email: str = ""

    @property
    def by(self) -> Contributor:
        """Who stored it."""
        return Contributor(self.actor, self.email, "stage put")


@dataclass(frozen=True, slots=True)
class RecordedEdit:
    """An edit that a hook recorded: after it, the file at `path` (below the project's root) had these bytes."""

    path: str
    digest: str
    actor: str

    @property
    def by(self) -> Contributor:
        """Who made it."""
        return Contributor(self.actor, how="recorded edit")


@dataclass(frozen=True, slots=True)
class Change:
    """A file of the project that differs from the sprint's base; `lines` are the numbers of its new lines.

    A file that has no lines to show (binary, or larger than any text) changed `whole`.
    """

    path: str
    lines: tuple[int, ...] = ()
    deleted: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class CommitNote:
    """A commit since the sprint's base. `paths` are the files that it touches, `time` is the author's, with a zone.

    `authors` are all who have a part in it: co-authors, and who a `Vfcc-Actor:` line names.
    """

    sha: str
    author: str
    subject: str
    body: str
    paths: tuple[str, ...]
    time: str = ""
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """What git knows since the sprint's base; `problem` says why it knows nothing. `tags` point at the present commit.

    `authors` maps a path below the project's root to the authors and committers of the commits since the base that
    touch it. `uncommitted` are the files, those of `.memory/project/` too, that are not as the present commit has them;
    `unsaved` are all such files, those of every folder of `.memory/` too; `entered` are those of the project that
    differ from the commit at which the current stage was entered.
    """

    base: str | None = None
    problem: str = ""
    changes: tuple[Change, ...] = ()
    commits: tuple[CommitNote, ...] = ()
    tags: tuple[str, ...] = ()
    authors: Mapping[str, tuple[Contributor, ...]] = field(default_factory=dict)
    uncommitted: tuple[str, ...] = ()
    unsaved: tuple[str, ...] = ()
    entered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedEvidence:
    """An evidence file and its place in the ledger.

    `problem` says why it is no evidence (made by hand, changed, not named by any event). `order` is the place of its
    event among the sprint's notes. `latest` says whether no later evidence of that stage and criterion knew of it;
    `concurrent` are then the ids of the others of which that is true, made on branches apart. `actor` is who added it;
    `stage` and `criterion` are those that the event names. `evidence` is None where there is a problem, and where there
    is so much later evidence that the file was not opened.
    """

    evidence: "Evidence | None"
    path: str
    order: int = -1
    actor: str = ""
    event: str = ""
    concurrent: tuple[str, ...] = ()
    problem: str = ""
    stage: str = ""
    criterion: str = ""
    latest: bool = False


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A protected file that is not as it was when the sprint started.

    `digest` is that of its content now, empty where it is gone; `was_there` says whether there was one at the start.
    `authors` made the commits since then that touch it; `uncommitted` says that the present commit has it otherwise.
    `recorded` are edits of it that hooks on this machine saw.
    """

    path: str
    digest: str
    was_there: bool = True
    authors: tuple[str, ...] = ()
    uncommitted: bool = False
    recorded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutsideEdit:
    """A file of the project that changed in a stage that does not edit it; `traces` say by whom and when, if known."""

    path: str
    traces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known when a gate is asked.

    `today` is a day (`2026-11-21`), UTC. `content` maps each file of the project (not `.memory/`) to its digest;
    `memory` does so for the committed files under `.memory/project/`. `artifacts` maps a stage to what lies in its
    `artifacts/` now, and `puts` are what `stage put` stored there. `edits` are those that hooks recorded and the ledger
    took over. `recorded` are the evidence files of all stages.
    `history` is None where no criterion asks for it, and so is `trace`, what the trace checks say; `results_command`
    then brings test results. `rules` are the protected files that changed since the sprint started; `rules_problem`
    says why that is not known. `commands_then` are the words of each command at that start, None where they did not
    change since, or are not known. `lost_tests` maps evidence to tests of earlier evidence that have no result in it.
    `outside` are the files that changed in the current stage and are none of those that it edits. `silent` are the
    clients whose hooks are set up here and recorded nothing of that stage, although an agent acted in it. `unreadable`
    are the commands whose outcomes cannot be read test by test. `baselines` are the old faults that people accepted.
    """

    sprint: SprintState
    today: str
    content: Mapping[str, str] = field(default_factory=dict)
    memory: Mapping[str, str] = field(default_factory=dict)
    artifacts: Mapping[str, tuple[ArtifactText, ...]] = field(default_factory=dict)
    recorded: tuple[RecordedEvidence, ...] = ()
    commands: "Mapping[str, Command]" = field(default_factory=dict)
    history: History | None = None
    reviews: tuple[Review, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    puts: tuple[ArtifactPut, ...] = ()
    edits: tuple[RecordedEdit, ...] = ()
    trace: TraceReport | None = None
    results_command: str = ""
    rules: tuple[RuleChange, ...] = ()
    rules_problem: str = ""
    commands_then: Mapping[str, tuple[str, ...]] | None = None
    lost_tests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    outside: tuple[OutsideEdit, ...] = ()
    silent: tuple[str, ...] = ()
    unreadable: frozenset[str] = frozenset()
    baselines: "Mapping[BaselineKind, BaselineStatus]" = field(default_factory=dict)

    @property
    def traced(self) -> Mapping[str, str]:
        """Each type of trace items, with the digest of all of them; nothing where the trace was not looked at."""
        return self.trace.digests if self.trace else {}
