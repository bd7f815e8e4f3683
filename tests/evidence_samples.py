"""Evidence to test with: small pieces of it, the ledger's word for them, and the facts around."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from verifflowcc.base.model.evidence_values import Command, Evidence, Inputs, Run
from verifflowcc.base.model.gate_input import Facts, RecordedEvidence
from verifflowcc.base.model.gate_values import Criterion, CriterionKind, EvidenceTrust
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.sprint.rules.evidence_files import inputs_digest, make_evidence

START = datetime(2026, 11, 21, 3, 31, 0, 123000, tzinfo=UTC)
YOU = "human:You"
CONTENT = {"src/a.py": "sha256:a", "src/b.py": "sha256:b", "tests/test_a.py": "sha256:t"}
TEST = Command("test", ("pytest", "--junitxml={junit}"), 600, {}, ())
RAN = Run("test", TEST.argv, 600, 0)
TESTS = Criterion("tests", CriterionKind.JUNIT, "the tests pass", command="test")
GREEN = {"tests": 3, "passed": 3, "failed": 0, "errors": 0, "skipped": 0, "flaky": 0, "unknown": 0}


def evidence(
    measures: Mapping[str, int] = GREEN,
    criterion: Criterion = TESTS,
    *,
    content: Mapping[str, str] = CONTENT,
    inputs: Inputs | None = None,
    run: Run | None = RAN,
    trust: EvidenceTrust = EvidenceTrust.RAN_BY_VFCC,
    kind: CriterionKind | None = None,
    stage: str = "check",
    second: int = 0,
    problem: str = "",
    report: str | None = None,
    examples: Sequence[str] = (),
) -> Evidence:
    """A piece of evidence for `criterion`, green unless said otherwise."""
    return make_evidence(
        sprint="login",
        stage=stage,
        criterion=criterion.id,
        kind=kind or criterion.kind,
        trust=trust,
        producer="vfcc 0",
        at=START + timedelta(seconds=second),
        inputs=inputs or inputs_digest(content, ()),
        measures=measures,
        outcome=digest_text(repr(sorted(measures.items())) + problem),
        run=run,
        report=report,
        problem=problem,
        examples=examples,
    )


def recorded(
    one: Evidence, order: int = 0, *, latest: bool = True, actor: str = YOU, problem: str = ""
) -> RecordedEvidence:
    """The evidence as the ledger names it."""
    return RecordedEvidence(
        None if problem else one,
        f".memory/stage/login/{one.stage}/evidence/{one.id}.json",
        order,
        actor,
        stage=one.stage,
        criterion=one.criterion,
        latest=latest,
        problem=problem,
    )


def facts(
    *found: Evidence | RecordedEvidence, content: Mapping[str, str] = CONTENT, command: Command | None = TEST
) -> Facts:
    """The facts of a sprint with this evidence, in order; of several plain pieces the last is the latest."""
    last = len(found) - 1
    return Facts(
        SprintState("login", "Log in", current="check"),
        "2026-11-21",
        content=content,
        recorded=tuple(
            one if isinstance(one, RecordedEvidence) else recorded(one, order, latest=order == last)
            for order, one in enumerate(found)
        ),
        commands={command.name: command} if command else {},
    )
