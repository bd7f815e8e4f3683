"""The trace checks: each with its stable code, its family, how much it weighs, and what it says.

Codes never change their meaning; one that is no longer asked is never used for something else.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar, get_type_hints

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.trace_values import CheckCount, Family, Finding, Severity, TraceReport
from verifflowcc.base.records import dataclass, field, field_names

# What a workflow asks of the trace: item types, relations, what each type needs, how much each finding weighs.

METHODS = ("test", "review", "inspection", "analysis", "demonstration", "metric")
"""How an item may be verified. `test` is shown by results, `metric` by evidence, the others by a person or evidence."""


@dataclass(frozen=True, slots=True)
class ItemRule:
    """A type of trace items.

    `prefix` begins the ids that vfcc makes (`REQ`). `level` is its place from the top (0), None where it has none:
    `refines` goes from a lower to a higher or the same level. `root` says that it needs no parent. `fields` are keys
    that it must have, `requires` headings that its text must fill. `verified` says that something must show it.
    """

    name: str
    prefix: str
    level: int | None = None
    """Its place from the top, or null."""
    root: bool = False
    """Whether it needs no parent."""
    fields: tuple[str, ...] = ()
    verified: bool = False
    """Whether something must verify it."""
    requires: tuple[str, ...] = ()
    """Headings that need text."""


@dataclass(frozen=True, slots=True)
class RelationRule:
    """Which types a relation leads from (the item that holds the link) and to. `upward` says that the target is above
    in the V, so that the item which holds the link has a parent by it.
    """

    name: str
    from_types: tuple[str, ...]
    to_types: tuple[str, ...]
    upward: bool = True
    """Whether it leads to a parent."""


@dataclass(frozen=True, slots=True)
class Need:
    """What each item of some types needs from below: `at_least` links by one of the relations from one of the types.

    `id` names the rule: a criterion may ask for it alone. `code` counts marks in code as links too (unit → files).
    `or_tests` accepts a test that names the item directly instead.
    """

    id: str
    of: tuple[str, ...]
    by: tuple[str, ...]
    from_types: tuple[str, ...]
    at_least: int = 1
    code: bool = False
    or_tests: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class TracePolicy:
    """A workflow's rules for the trace.

    `id_pattern` is a regular expression that every id obeys. `integrity` are levels, the lowest first: a child has at
    least the level of its parent. `weak_words` make a wording weak. `code` are patterns of files that must belong to an
    item (none: not asked), `tests` those of test files. `severities` go before those of the table of codes.
    """

    types: Mapping[str, ItemRule]
    relations: Mapping[str, RelationRule]
    needs: tuple[Need, ...] = ()
    id_pattern: str = r"[A-Za-z0-9][A-Za-z0-9._-]*"
    integrity: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    digest: str = ""


# The rules of the trace where a workflow states none of its own: types, relations, and no needs beyond a result.

_TYPES = (
    ItemRule("need", "NEED", level=0, root=True),
    ItemRule("hazard", "HAZ", level=0, root=True),
    ItemRule("requirement", "REQ", level=1, fields=("verification",), verified=True),
    ItemRule("component", "COMP", level=2),
    ItemRule("interface", "IF", level=2, verified=True),
    ItemRule("unit", "UNIT", level=3, verified=True),
    ItemRule("test_spec", "TEST"),
    ItemRule("information", "INFO", root=True),
)
TYPES: Mapping[str, ItemRule] = {each.name: each for each in _TYPES}

_PRODUCT = ("component", "interface", "unit")
_RELATIONS = (
    RelationRule(
        "refines", ("need", "requirement", *_PRODUCT, "test_spec"), ("need", "requirement", *_PRODUCT, "test_spec")
    ),
    RelationRule("derives", ("requirement",), ("need", "hazard", "requirement", "component")),
    RelationRule("allocates", _PRODUCT, ("requirement",)),
    RelationRule("satisfies", ("requirement", *_PRODUCT), ("need", "hazard", "requirement")),
    RelationRule("implements", ("unit",), ("component", "interface", "requirement")),
    RelationRule("verifies", ("test_spec",), ("need", "hazard", "requirement", *_PRODUCT)),
)
RELATIONS: Mapping[str, RelationRule] = {each.name: each for each in _RELATIONS}

TEST_FILES = (
    *("tests/**", "test/**", "**/tests/**", "**/test/**", "**/__tests__/**", "**/spec/**"),
    *("**/test_*.py", "**/*_test.*", "**/*.test.*", "**/*.spec.*", "**/*Test.*", "**/*Tests.*"),
)

DEFAULT_POLICY = TracePolicy(TYPES, RELATIONS, tests=TEST_FILES)


@dataclass(frozen=True, slots=True)
class Check:
    """A check: `severity` holds where a workflow says nothing else."""

    code: str
    family: StrEnum
    severity: Severity
    title: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_TABLE: Mapping[Family, tuple[tuple[str, Severity, str], ...]] = {
    Family.IDENTITY: (
        ("duplicate-id", _E, "two items have one id"),
        ("bad-id", _E, "an id does not fit the project's pattern"),
        ("reused-id", _E, "an id of a retired item is used again"),
        ("id-collision", _E, "the target branch added another item under this id"),
        ("file-name", _W, "a file is not named after its id"),
    ),
    Family.SCHEMA: (
        ("unreadable-item", _E, "a file below items/ cannot be read as an item"),
        ("missing-field", _E, "a field that the type needs is missing"),
        ("bad-field", _E, "a field has a value that it cannot have"),
        ("unknown-field", _N, "a field is not known"),
        ("unknown-type", _E, "a type is not one of the workflow"),
        ("empty-text", _E, "an item says nothing"),
        ("placeholder", _W, "an item still holds a placeholder"),
        ("weak-wording", _N, "a wording that no test can decide"),
        ("non-atomic", _N, "one item says several things"),
    ),
    Family.LINKS: (
        ("dangling-link", _E, "a link leads to no item"),
        ("unknown-relation", _E, "a relation is not one of the workflow"),
        ("wrong-end", _E, "a relation does not go between these types"),
        ("wrong-level", _E, "a link leads down where it should lead up"),
        ("self-link", _E, "an item links to itself"),
        ("link-cycle", _E, "links lead round in a circle"),
        ("duplicate-link", _W, "an item holds the same link twice"),
        ("link-to-draft", _W, "an agreed item links to a draft"),
        ("link-to-retired", _E, "a link leads to a retired item"),
        ("file-gone", _E, "a file that an item refers to does not exist"),
        ("symbol-gone", _E, "a symbol that an item refers to is not in its file"),
        ("unknown-mark", _E, "a mark in code names no item"),
        ("retired-mark", _W, "a mark in code names a retired item"),
    ),
    Family.COVERAGE: (
        ("no-parent", _E, "an item has no parent and is not derived"),
        ("derived-without-rationale", _W, "a derived item does not say why it is there"),
        ("missing-child", _E, "nothing below answers an item as its type needs"),
        ("not-verified", _E, "nothing verifies an item by its declared method"),
        ("orphan-test", _N, "a test belongs to no item"),
        ("orphan-component", _W, "a component answers no requirement"),
        ("orphan-file", _W, "a changed file belongs to no item"),
        ("untraced-code", _W, "a file of the product belongs to no item"),
        ("deep-coverage", _N, "an item is answered, but something below it is not"),
        ("one-ended-interface", _E, "an interface does not join two components"),
    ),
    Family.CHANGE: (
        ("suspect-upstream", _W, "the parent of an item changed since the link was reviewed"),
        ("suspect-downstream", _W, "an item changed since its link was reviewed"),
        ("unreviewed", _W, "an item has not been reviewed"),
        ("unreviewed-link", _W, "a link has not been reviewed"),
        ("self-reviewed", _W, "an item was reviewed by its author"),
        ("stale-review", _W, "an item changed since its review"),
        ("code-edited", _W, "code that an item refers to changed since the last review"),
        ("code-moved", _W, "code that an item refers to has moved"),
        ("baseline-drift", _N, "an item is not as the baseline has it"),
        ("cleared-without-reason", _W, "a suspect link was cleared with no reason"),
    ),
    Family.RESULTS: (
        ("no-result", _E, "a test of an item has no result"),
        ("failed-result", _E, "a test of an item failed"),
        ("failed-below", _E, "a test of something below failed"),
        ("skipped-result", _W, "a test of an item was skipped"),
        ("flaky-result", _E, "a test of an item failed and passed"),
        ("conflicting-result", _E, "reports disagree about a test of an item"),
        ("stale-result", _E, "results are of other content"),
        ("unknown-test", _W, "results name a test that does not exist"),
        ("untrusted-result", _W, "results are worth less than is asked"),
        ("low-coverage", _W, "the tests reach less of the code than is asked"),
        ("weak-test", _N, "a test of an item passes without the change, too"),
        ("unreadable-report", _E, "a report of results cannot be read"),
        ("nothing-to-evaluate", _E, "there is no item, or no test, to look at"),
    ),
    Family.PROCESS: (
        ("missing-artifact", _E, "a stage was passed whose artifact is not there"),
        ("left-changed", _E, "the left side changed after the right side passed"),
        ("waiver-expired", _E, "a waiver has run out"),
        ("waiver-orphaned", _W, "the criterion or findings of a waiver no longer exist"),
        ("waiver-unapproved", _E, "no person gave a waiver"),
        ("integrity-inversion", _E, "an item has a lower level than its parent"),
        ("unconfirmed-rationale", _W, "a reconstructed rationale is not confirmed by a person"),
        ("planned-but-built", _N, "an item is marked as planned and has a test that passes"),
    ),
}

CHECKS: Mapping[str, Check] = {
    code: Check(code, family, severity, title) for family, rows in _TABLE.items() for code, severity, title in rows
}
"""All of them by their codes, in the order of the page that explains them."""


# Which findings of a trace report a criterion of a gate asks about.

_FAMILIES = frozenset(map(str, Family))
MISSING_CHILD = "missing-child"
"""Its findings are about one need of the workflow each, which a criterion may name alone."""


def needs_among(checks: Sequence[str]) -> tuple[str, ...]:
    """Return those of a criterion's checks that are neither a family nor a code: ids of the workflow's needs."""
    return tuple(name for name in checks if name not in CHECKS and name not in _FAMILIES)


def selected(
    report: TraceReport, checks: Sequence[str], items: Sequence[str]
) -> tuple[tuple[Finding, ...], tuple[CheckCount, ...]]:
    """Return the findings and the checks that `checks` (families, codes, ids of needs; none: all) and `items` select.

    A finding of no item (a report that cannot be read, say) counts whatever the types.
    """
    wanted = set(checks)

    def asks(code: str) -> bool:
        return not wanted or code in wanted or str(CHECKS[code].family) in wanted

    findings = tuple(
        each
        for each in report.findings
        if (asks(each.code) or (each.code == MISSING_CHILD and each.about in wanted))
        and (not items or not each.item or each.type in items)
    )
    needs = needs_among(checks)
    asked = tuple(each for each in report.checks if asks(each.code) or (each.code == MISSING_CHILD and needs))
    return findings, asked


# The rules of a trace as JSON: whole, so that a sprint keeps them whatever a later vfcc takes for granted.

_Record = Mapping[str, Json]
_Rule = TypeVar("_Rule", ItemRule, RelationRule, Need)
_HINTS = {kind: get_type_hints(kind) for kind in (ItemRule, RelationRule, Need)}
_KEYS = {"from_types": "from", "to_types": "to"}
"""The keys of fields that are called otherwise in the file."""


def policy_to_json(policy: TracePolicy) -> Json:
    """Return a policy as a JSON object; types, relations and needs are lists, since their order counts."""
    return {
        "types": [_rule_to_json(each) for each in policy.types.values()],
        "relations": [_rule_to_json(each) for each in policy.relations.values()],
        "needs": [_rule_to_json(each) for each in policy.needs],
        "id_pattern": policy.id_pattern,
        "integrity": list(policy.integrity),
        "code": list(policy.code),
        "tests": list(policy.tests),
        "severities": {code: str(weight) for code, weight in sorted(policy.severities.items())},
        "digest": policy.digest,
    }


def _rule_to_json(rule: ItemRule | RelationRule | Need) -> Json:
    values = {_KEYS.get(name, name): getattr(rule, name) for name in field_names(rule)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def policy_from_json(value: Json) -> TracePolicy:
    """Return the policy that `policy_to_json` wrote. Raises FormatError where it is not one.

    Severities of codes that this vfcc does not know are left out; a newer one wrote them.
    """
    from verifflowcc.base.text.glob import pattern_fault

    record = _record(value)
    types = [_rule(ItemRule, each) for each in _list(record, "types")]
    relations = [_rule(RelationRule, each) for each in _list(record, "relations")]
    pattern = _text(record, "id_pattern")
    if fault := pattern_fault(pattern):
        raise FormatError(f"id_pattern cannot be used: {fault}")
    weights = {code: str(weight) for code, weight in _record(record.get("severities")).items() if code in CHECKS}
    try:
        severities = {code: Severity(weight) for code, weight in weights.items()}
    except ValueError as error:
        raise FormatError(f"severities: {error}") from error
    return TracePolicy(
        {rule.name: rule for rule in types},
        {rule.name: rule for rule in relations},
        tuple(_rule(Need, each) for each in _list(record, "needs")),
        pattern,
        _texts(record, "integrity"),
        _texts(record, "code"),
        _texts(record, "tests"),
        severities,
        _text(record, "digest"),
    )


def _rule(kind: type[_Rule], value: Json) -> _Rule:
    """Return the rule that `_rule_to_json` wrote."""
    record, hints = _record(value), _HINTS[kind]
    return kind(*[_READERS[hints[name]](record, _KEYS.get(name, name)) for name in field_names(kind)])


def _record(value: Json) -> _Record:
    if not isinstance(value, Mapping):
        raise FormatError("the rules of the trace hold something else where an object is expected")
    return value


def _list(record: _Record, name: str) -> Sequence[Json]:
    value = record.get(name)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise FormatError(f"{name} must be a list")
    return value


def _text(record: _Record, name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str):
        raise FormatError(f"{name} must be text")
    return value


def _texts(record: _Record, name: str) -> tuple[str, ...]:
    found = _list(record, name)
    if not all(isinstance(each, str) for each in found):
        raise FormatError(f"{name} must be a list of texts")
    return tuple(str(each) for each in found)


def _whole(record: _Record, name: str) -> int:
    value = record.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise FormatError(f"{name} must be a whole number")
    return value


_READERS: Mapping[Any, Callable[[_Record, str], Any]] = {
    str: _text,
    int: _whole,
    bool: lambda record, name: record.get(name) is True,
    int | None: lambda record, name: None if record.get(name) is None else _whole(record, name),
    tuple[str, ...]: _texts,
}
"""What reads a field, by its annotation."""
