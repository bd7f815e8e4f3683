"""What a coordinator does about an attempt that it gave out, and which result counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.run.rules.fleet_work import (
    JOB_VERSION,
    FleetBranch,
    FleetBranches,
    FleetJob,
    FleetLease,
    FleetMove,
    FleetView,
    LeaseState,
    branches_of,
    fleet_move,
    job_of,
)

pytestmark = pytest.mark.vfcc("REQ-RUN")

GIVEN_OUT = FleetBranches({1: "a", 2: "b"}, {1: "late"})
numbers = st.integers(1, 5)
leases = st.builds(
    FleetLease,
    fence=numbers,
    state=st.sampled_from(LeaseState),
    version=st.sampled_from([JOB_VERSION, "vfcc-run-0"]),
    expired=st.booleans(),
)
views = st.builds(
    FleetView,
    branches=st.builds(
        FleetBranches,
        starts=st.dictionaries(numbers, st.just("start"), max_size=3),
        results=st.dictionaries(numbers, st.just("result"), max_size=3),
    ),
    lease=st.none() | leases,
    queued=st.sampled_from([None, "ENQUEUED", "PENDING", "SUCCESS", "ERROR", "CANCELLED"]),
    lost=st.booleans(),
)


def lease(state: LeaseState, *, fence: int = 2, expired: bool = False, version: str = JOB_VERSION) -> FleetLease:
    return FleetLease(fence, state, version, "w1", expired)


def test_a_late_result_never_counts() -> None:
    assert GIVEN_OUT.result is None
    assert fleet_move(FleetView(GIVEN_OUT, lease(LeaseState.HELD), None)) is FleetMove.WAIT


def test_a_result_with_the_number_that_counts_is_taken_whatever_the_database_says() -> None:
    branches = FleetBranches({1: "a", 2: "b"}, {2: "right"})

    assert fleet_move(FleetView(branches, None, None)) is FleetMove.TAKE
    assert fleet_move(FleetView(branches, lease(LeaseState.HELD, expired=True), "ERROR")) is FleetMove.TAKE


@pytest.mark.parametrize(
    ("found", "queued", "lost", "move"),
    [
        (None, None, False, FleetMove.OFFER),
        (lease(LeaseState.OFFERED, fence=1), "ENQUEUED", False, FleetMove.OFFER),
        (lease(LeaseState.OFFERED), "ENQUEUED", False, FleetMove.WAIT),
        (lease(LeaseState.OFFERED), "PENDING", False, FleetMove.WAIT),
        (lease(LeaseState.OFFERED), "PENDING", True, FleetMove.OFFER),
        (lease(LeaseState.OFFERED), None, False, FleetMove.QUEUE),
        (lease(LeaseState.OFFERED), "ERROR", False, FleetMove.OFFER),
        (lease(LeaseState.OFFERED, version="vfcc-run-0"), "ENQUEUED", False, FleetMove.OFFER),
        (lease(LeaseState.HELD, version="vfcc-run-0"), None, False, FleetMove.WAIT),
        (lease(LeaseState.HELD, expired=True), None, False, FleetMove.OFFER),
        (lease(LeaseState.FINISHED), None, False, FleetMove.OFFER),
    ],
)
def test_what_comes_next(found: FleetLease | None, queued: str | None, lost: bool, move: FleetMove) -> None:
    assert fleet_move(FleetView(GIVEN_OUT, found, queued, lost)) is move


@given(views)
def test_a_result_is_taken_only_with_the_highest_number(view: FleetView) -> None:
    taken = fleet_move(view) is FleetMove.TAKE

    assert taken == (max(view.branches.starts, default=0) in view.branches.results)


@given(views)
def test_no_attempt_that_a_worker_holds_is_given_to_another(view: FleetView) -> None:
    held = view.lease is not None and view.lease.state is LeaseState.HELD and not view.lease.expired

    if held and view.lease is not None and view.lease.fence == view.branches.fence:
        assert fleet_move(view) in (FleetMove.WAIT, FleetMove.TAKE)


def test_only_branches_with_plain_numbers_are_of_an_attempt() -> None:
    beginning = "refs/heads/vfcc/r-1/start/coder-1/"
    refs = [(f"{beginning}{each}", "c") for each in ("1", "02", "x", "3/4", "", "0", "²")]
    refs += [("refs/heads/vfcc/r-1/start/coder-10/9", "c"), ("refs/heads/vfcc/r-2/start/coder-1/9", "c")]

    found = branches_of(refs, "r-1", "coder-1")

    assert sorted(found.starts) == [1]


def test_a_job_is_three_plain_values_and_comes_back_equal() -> None:
    job = FleetJob("login-1", "coder-2", 3)

    assert job_of(job.payload()) == job
    assert job.branch(FleetBranch.START) == "vfcc/login-1/start/coder-2/3"
    wrongs: list[object] = [None, [], {}, {"run": "../x", "attempt": "a", "fence": 1}]
    for wrong in (*wrongs, {"run": "r", "attempt": "a", "fence": True}):
        with pytest.raises(FormatError, match="did not write"):
            job_of(wrong)
