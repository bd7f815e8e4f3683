"""What each kind of criterion may say in a workflow: its keys, what it needs, its measures, its title."""

from collections.abc import Mapping
from enum import Enum

from verifflowcc.domain.gates import Kind
from verifflowcc.records import dataclass

COMMON = ("id", "kind", "title", "mode", "waivable")


class Scale(Enum):
    """What numbers a measure can have."""

    COUNT = "a whole number from 0 to 1,000,000,000"
    PERCENT = "a number from 0 to 100, with at most six decimals"
    ANY = "a number with at most six decimals"


@dataclass(frozen=True, slots=True)
class Rule:
    """`keys` go with the kind besides the common ones; `needs` are those that it must have.

    `measures` are what limits may speak of; `limited` says that without a limit nothing could fail it.
    """

    title: str
    keys: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    measures: Mapping[str, Scale] | None = None
    limited: bool = False


_LIMITS = ("at_least", "at_most")
_RUN = ("command", "report", "trust", "inputs")


def _counts(*names: str) -> dict[str, Scale]:
    return dict.fromkeys(names, Scale.COUNT)


_FINDINGS = _counts("error", "warning", "note", "new_error", "new_warning", "new_note")
RULES: Mapping[Kind, Rule] = {
    Kind.ARTIFACT: Rule("an artifact is there and says something", ("files", "requires"), ("files",)),
    Kind.COMMAND: Rule("{command} succeeds", ("command", "trust", "inputs"), ("command",)),
    Kind.JUNIT: Rule(
        "all tests of {command} pass",
        (*_RUN, *_LIMITS),
        ("command",),
        _counts("tests", "failed", "errors", "skipped", "flaky", "unknown"),
    ),
    Kind.COVERAGE: Rule(
        "the tests of {command} cover enough",
        (*_RUN, "files", *_LIMITS),
        ("command",),
        dict.fromkeys(("line", "branch", "changed"), Scale.PERCENT),
        limited=True,
    ),
    Kind.SARIF: Rule("{command} finds nothing new", (*_RUN, *_LIMITS), ("command",), _FINDINGS),
    Kind.LINT: Rule("{command} finds nothing", (*_RUN, *_LIMITS), ("command",), _counts("findings")),
    Kind.METRIC: Rule(
        "{metric} is within its limits",
        (*_RUN, "metric", *_LIMITS),
        ("metric",),
        {"value": Scale.ANY},
        limited=True,
    ),
    Kind.BASELINE: Rule("a baseline is frozen", ("files", "tagged")),
    Kind.RED_FIRST: Rule(
        "the tests of the change fail without it",
        ("command", "inputs", "at_most"),
        ("command",),
        _counts("unguarded", "not_discriminating", "inconclusive"),
    ),
    Kind.TESTS_KEPT: Rule(
        "no test was removed, skipped or weakened",
        ("inputs", "at_most"),
        (),
        _counts("removed", "skipped", "narrowed", "weakened", "altered", "hollow", "settings", "hooks"),
    ),
    Kind.DIFF: Rule("something changed", ("files", *_LIMITS), (), _counts("files", "lines")),
    Kind.COMMIT: Rule("each commit says what it is for", ("pattern",)),
    Kind.REVIEW: Rule("somebody else approved it", ("inputs", "at_least"), (), _counts("approvals")),
    Kind.ATTESTATION: Rule("a person accepted it", ("inputs", "at_least"), (), _counts("acceptances")),
    Kind.FEEDBACK: Rule("no comment is left open"),
    Kind.UPSTREAM: Rule("the stages before still hold"),
    Kind.TRACE: Rule("the trace holds", ("checks", "items")),
}
