"""Other tools' words in ours: types, states and verification methods."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from verifflowcc.domain.items import Status
from verifflowcc.domain.trace_codes import METHODS, TracePolicy
from verifflowcc.domain.trace_import import Foreign, ForeignItem
from verifflowcc.records import dataclass, field
from verifflowcc.text.slug import slug

USUAL = "requirement"
APART = "information"
"""The type of what has an id and demands nothing: headings and remarks."""

_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("feat", "feature", "goal", "story", "stakeholder", "usecase", "use-case", "epic"), "need"),
    **dict.fromkeys(("spec", "specification", "srs", "swreq", "sysreq", "shall"), USUAL),
    **dict.fromkeys(("arch", "architecture", "design", "dsn", "module"), "component"),
    **dict.fromkeys(("impl", "implementation", "dd"), "unit"),
    **dict.fromkeys(("test", "tst", "utest", "itest", "stest", "testcase", "test-case"), "test_spec"),
    **dict.fromkeys(("risk", "threat", "safety-goal"), "hazard"),
}
_STATES: Mapping[str, Status] = {
    **dict.fromkeys(
        ("pending", "draft", "backlog", "proposed", "open", "new", "tbd", "in-review", "in-work", "todo"),
        Status.PENDING,
    ),
    **dict.fromkeys(
        ("rejected", "deprecated", "obsolete", "deleted", "retired", "inactive", "archived", "superseded", "withdrawn"),
        Status.ARCHIVED,
    ),
    **dict.fromkeys(
        ("active", "approved", "accepted", "agreed", "final", "valid", "released", "closed", "done", "stable"),
        Status.ACTIVE,
    ),
    **dict.fromkeys(("implemented", "complete", "completed", "verified"), Status.ACTIVE),
}
_METHODS: Mapping[str, str] = {
    **{name: name for name in METHODS},
    **dict.fromkeys(("t", "tests", "testing", "unit-test", "integration-test", "system-test"), "test"),
    **dict.fromkeys(("i", "inspect"), "inspection"),
    **dict.fromkeys(("r", "code-review", "peer-review", "review-of-design"), "review"),
    **dict.fromkeys(("a", "analyse", "analyze"), "analysis"),
    **dict.fromkeys(("d", "demo", "demonstrate"), "demonstration"),
    **dict.fromkeys(("m", "measurement", "metrics"), "metric"),
}


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person decided for an import.

    `types` maps a kind, or a pattern of files, to a type; `type` is that of all others. `verification` is the method of
    items that state none.
    """

    type: str | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    relation: str | None = None
    verification: str | None = None


def type_for(item: ForeignItem, foreign: Foreign, policy: TracePolicy, choices: Choices) -> str | None:
    """Return the type that an item becomes; None where it demands nothing and the policy has no type for that.

    What the person said goes first: by kind, by file, for all. Then what demands nothing, then kinds at the top of
    their tree (the first type that needs no parent), then kinds that name a type, its prefix or a usual word for it.
    """
    file = item.place.rpartition(":")[0]
    for said, chosen in choices.types.items():
        if said == item.kind or fnmatchcase(file, said) or fnmatchcase(file.rpartition("/")[2], said):
            return chosen
    if not item.normative:
        return APART if APART in policy.types else None
    if choices.type:
        return choices.type
    if item.kind in foreign.tops:
        return _root(policy)
    return _named(item.kind, policy) or (USUAL if USUAL in policy.types else next(iter(policy.types)))


def status_for(item: ForeignItem) -> Status:
    """Return how far an item is in our words; one whose word is not known is active."""
    return _STATES.get(_folded(item.status), Status.ACTIVE) if item.active else Status.ARCHIVED


def state_is_known(word: str) -> bool:
    """Say whether a tool's word for a state has one of ours that says all of it."""
    return not word or _folded(word) in {"active", "pending", "draft", "archived"}


def method_for(word: str | None) -> str | None:
    """Return a verification method in our words; None where it is none of ours.

    >>> method_for("Unit Test"), method_for("I"), method_for("by faith")
    ('test', 'inspection', None)
    """
    return _METHODS.get(_folded(word)) if word else None


def _root(policy: TracePolicy) -> str:
    roots = (rule.name for rule in policy.types.values() if rule.root and rule.name != APART)
    return next(roots, USUAL)


def _named(kind: str, policy: TracePolicy) -> str | None:
    if kind in policy.types:
        return kind
    word = _folded(kind)
    for rule in policy.types.values():
        if word and word in {_folded(rule.name), rule.prefix.lower()}:
            return rule.name
    found = _TYPES.get(word)
    return found if found in policy.types else None


def _folded(word: str) -> str:
    return slug(re.sub(r"[_\s]+", "-", word), "") if word else ""
