"""The work of a fleet: what a job names, the branches that carry it, and which result of an attempt counts.

Truth is in git: a coordinator gives an attempt out by pushing a branch with the next fencing number, and takes the
result with that number alone. The database says who works on what; it may be deleted at any moment.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass, field

JOB_VERSION = "vfcc-run-1"
"""What workers take: raise it where a job, its branches or the result change their form."""
MOST_OFFERS = 6
"""So often an attempt is given out, until no worker seems to be able to bring it back."""
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


class FleetBranch(StrEnum):
    """The two kinds of branches of an attempt: what a worker begins with, and what it made."""

    START = "start"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class FleetJob:
    """One attempt given out once; `fence` is the number of times that it was, which no two workers share."""

    run: str
    attempt: str
    fence: int

    @property
    def key(self) -> str:
        """Its id in the queue."""
        return f"{self.run}/{self.attempt}/{self.fence}"

    def branch(self, kind: FleetBranch) -> str:
        """Return its branch on the team's remote.

        >>> FleetJob("login-1", "coder-2", 3).branch(FleetBranch.RESULT)
        'vfcc/login-1/result/coder-2/3'
        """
        return f"vfcc/{self.run}/{kind}/{self.attempt}/{self.fence}"

    def payload(self) -> dict[str, Json]:
        """Return what the queue holds of it: names and a number, nothing that could be run."""
        return {"run": self.run, "attempt": self.attempt, "fence": self.fence}


def job_of(value: object) -> FleetJob:
    """Return the job that a queue holds. Raises FormatError for all that is none."""
    if isinstance(value, Mapping):
        run, attempt, fence = (value.get(name) for name in ("run", "attempt", "fence"))
        names = isinstance(run, str) and isinstance(attempt, str) and _NAME.fullmatch(run) and _NAME.fullmatch(attempt)
        if names and isinstance(fence, int) and not isinstance(fence, bool) and fence > 0:
            return FleetJob(str(run), str(attempt), fence)
    raise FormatError("the queue holds a job that vfcc did not write")


def is_newer(version: str, than: str) -> bool:
    """Whether jobs of a version are of a newer vfcc.

    >>> is_newer("vfcc-run-10", "vfcc-run-9"), is_newer("vfcc-run-1", "vfcc-run-1"), is_newer("other", "vfcc-run-1")
    (True, False, False)
    """
    numbers = [each.rpartition("-")[2] for each in (version, than)]
    return all(each.isdecimal() for each in numbers) and int(numbers[0]) > int(numbers[1])


class LeaseState(StrEnum):
    """What a lease says about an attempt: it waits for a worker, one has it, or its result was pushed."""

    OFFERED = "offered"
    HELD = "held"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class FleetLease:
    """A lease as the database has it; whether it has expired is asked of the database's clock."""

    fence: int
    state: LeaseState
    version: str
    holder: str = ""
    expired: bool = False


@dataclass(frozen=True, slots=True)
class FleetBranches:
    """The branches of an attempt on the remote: fencing number → commit, of starts and of results."""

    starts: Mapping[int, str] = field(default_factory=dict)
    results: Mapping[int, str] = field(default_factory=dict)

    @property
    def fence(self) -> int:
        """The number that counts: the highest that was given out; 0 where none was."""
        return max(self.starts, default=0)

    @property
    def result(self) -> str | None:
        """The result that counts; None where there is none yet. That of a late worker has an earlier number."""
        return self.results.get(self.fence)


def branches_of(refs: Iterable[tuple[str, str]], run: str, attempt: str) -> FleetBranches:
    """Return the branches of an attempt among (ref, commit).

    >>> branches_of([("refs/heads/vfcc/login-1/start/coder-2/3", "abc")], "login-1", "coder-2").fence
    3
    """
    found: dict[FleetBranch, dict[int, str]] = {FleetBranch.START: {}, FleetBranch.RESULT: {}}
    for kind, numbers in found.items():
        beginning = f"refs/heads/vfcc/{run}/{kind}/{attempt}/"
        for ref, commit in refs:
            number = ref.removeprefix(beginning)
            if ref.startswith(beginning) and _NUMBER.fullmatch(number):
                numbers[int(number)] = commit
    return FleetBranches(found[FleetBranch.START], found[FleetBranch.RESULT])


class FleetMove(StrEnum):
    """What a coordinator does next about an attempt: take its result, wait, queue it again, or give it out again."""

    TAKE = "take"
    WAIT = "wait"
    QUEUE = "queue"
    OFFER = "offer"


@dataclass(frozen=True, slots=True)
class FleetView:
    """What a coordinator sees of an attempt.

    `queued` is the queue's word for the job (`ENQUEUED`, `PENDING`, …), None where it has none. `lost` says that a
    worker took it from the queue and did not take its lease for longer than a lease lasts.
    """

    branches: FleetBranches
    lease: FleetLease | None
    queued: str | None
    lost: bool = False


def fleet_move(view: FleetView, version: str = JOB_VERSION) -> FleetMove:
    """Return what to do next; after a deletion of the database it is what the branches alone lead to."""
    if view.branches.result is not None:
        return FleetMove.TAKE
    lease = view.lease
    if not view.branches.fence or lease is None or lease.fence != view.branches.fence:
        return FleetMove.OFFER
    if lease.state is LeaseState.HELD:
        return FleetMove.OFFER if lease.expired else FleetMove.WAIT
    if lease.state is LeaseState.FINISHED or lease.version != version or view.lost:
        return FleetMove.OFFER
    if view.queued is None:
        return FleetMove.QUEUE
    return FleetMove.WAIT if view.queued in ("ENQUEUED", "DELAYED", "PENDING") else FleetMove.OFFER
