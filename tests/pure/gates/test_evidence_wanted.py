"""Which criteria evidence is made for where nobody says: what stands in the way, and what went stale."""

from collections.abc import Mapping

import pytest

from tests.evidence_samples import CONTENT, evidence, recorded
from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.evidence_values import Command, Run
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import Criterion, CriterionKind, Mode, Verdict
from verifflowcc.base.model.sprint_state import CriterionOutcome, Leg, SprintState, Stage, StageState, StageStatus
from verifflowcc.gates.rules.evidence_wanted import due, everything, named, one_named

ACTIVE, PASSED, PENDING = StageStatus.ACTIVE, StageStatus.PASSED, StageStatus.PENDING
COMMANDS = {name: Command(name, (name,), 600, {}) for name in ("test", "build")}


def criterion(
    name: str, command: str = "test", kind: CriterionKind = CriterionKind.COMMAND, mode: Mode = Mode.HARD
) -> Criterion:
    return Criterion(name, kind, name, mode, command=command)


def stage(
    name: str,
    status: StageStatus,
    *exits: Criterion,
    enter: tuple[Criterion, ...] = (),
    met: Mapping[str, Verdict] = {},
) -> StageState:
    outcomes = tuple(CriterionOutcome(one, verdict, "then") for one, verdict in met.items())
    return StageState(Stage(name, name, Leg.LEFT, None, "r", (), enter=enter, exit=exits), status, outcomes=outcomes)


def facts(*stages: StageState, **more: object) -> Facts:
    current = next((one.stage.id for one in stages if one.status is ACTIVE), None)
    state = SprintState("login", "Log in", stages=stages, current=current)
    return Facts(state, "2026-11-21", content=CONTENT, commands=COMMANDS, **more)  # type: ignore[arg-type]


def told(found: Facts) -> list[str]:
    return [str(one) for one in due(found)]


def test_the_exit_of_the_stage_in_work_and_the_entry_of_the_next_are_due() -> None:
    here = facts(
        stage("a", ACTIVE, criterion("built")),
        stage("b", PENDING, criterion("later"), enter=(criterion("ready"),)),
    )

    assert told(here) == ["a/built", "b/ready"]


def test_the_first_stages_entry_is_asked_with_its_exit() -> None:
    first = stage("a", ACTIVE, criterion("built"), enter=(criterion("clean"),))
    assert told(facts(first)) == ["a/clean", "a/built"]

    second = stage("b", ACTIVE, criterion("built"), enter=(criterion("clean"),))
    assert told(facts(stage("a", PASSED), second)) == ["b/built"]


def test_where_none_is_due_the_next_stage_that_asks_is_meant() -> None:
    here = facts(stage("a", ACTIVE), stage("b", PENDING), stage("c", PENDING, criterion("tests")))

    assert told(here) == ["c/tests"]


def test_what_is_off_or_rests_on_no_evidence_file_is_not_due() -> None:
    review = criterion("review", kind=CriterionKind.REVIEW)
    here = facts(stage("a", ACTIVE, criterion("off", mode=Mode.OFF), review, criterion("soft", mode=Mode.SOFT)))

    assert told(here) == ["a/soft"]
    assert [str(one) for one in everything(here.sprint)] == ["a/soft"]


@pytest.mark.parametrize(
    ("then", "content", "due_again"),
    [
        (Verdict.PASS, CONTENT, []),
        (Verdict.PASS, {"src/a.py": "sha256:new"}, ["a/built"]),
        (Verdict.WAIVED, {"src/a.py": "sha256:new"}, []),
        (Verdict.FAIL, {"src/a.py": "sha256:new"}, []),
    ],
)
def test_what_an_earlier_stage_passed_on_is_due_again_once_it_is_stale(
    then: Verdict, content: Mapping[str, str], due_again: list[str]
) -> None:
    built = criterion("built")
    one = evidence({}, built, content=CONTENT, run=Run("test", ("test",), 600, 0), stage="a")
    here = facts(
        stage("a", PASSED, built, met={"built": then}),
        stage("b", ACTIVE, criterion("tests")),
        recorded=(recorded(one),),
    )
    now = Facts(here.sprint, here.today, content=content, commands=COMMANDS, recorded=here.recorded)

    assert told(now) == ["b/tests", *due_again]


def test_a_sprint_that_has_passed_all_its_stages_asks_for_what_went_stale_alone() -> None:
    assert told(facts(stage("a", PASSED, criterion("built"), met={"built": Verdict.PASS}))) == ["a/built"]
    assert told(facts(stage("a", PASSED, criterion("built")))) == []


def test_a_name_means_what_stands_in_the_way_then_what_comes_then_what_was() -> None:
    stages = [stage(name, status, criterion("tests")) for name, status in (("a", PASSED), ("b", PENDING))]
    now = stage("now", ACTIVE, criterion("tests"))
    empty = stage("now", ACTIVE)

    assert [str(one) for one in named(facts(stages[0], now, stages[1]), ["tests"], None)] == ["now/tests"]
    assert [str(one) for one in named(facts(stages[0], empty, stages[1]), ["tests"], None)] == ["b/tests"]
    assert [str(one) for one in named(facts(stages[0], empty), ["tests"], None)] == ["a/tests"]
    assert [str(one) for one in named(facts(stages[0], now), ["tests"], "a")] == ["a/tests"]


def test_a_command_means_all_that_it_shows_each_once() -> None:
    here = facts(stage("a", ACTIVE, criterion("x"), criterion("y"), criterion("z", "build")))

    assert [str(one) for one in named(here, ["test", "y"], None)] == ["a/x", "a/y"]
    assert str(one_named(here, "y", None)) == "a/y"
    with pytest.raises(UsageError):
        one_named(here, "test", None)


def test_a_name_that_means_nothing_says_what_there_is() -> None:
    here = facts(stage("a", ACTIVE, criterion("tests"), criterion("off", mode=Mode.OFF)))

    with pytest.raises(UsageError, match="no criterion and no command zzz; there is test, tests"):
        named(here, ["zzz"], None)
    with pytest.raises(UsageError, match="off is off in login"):
        named(here, ["off"], None)
