"""Other tools' words in ours: types, states and verification methods."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_codes import METHODS, TracePolicy
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.identifiers import slug
from verifflowcc.base.text.markdown import close_fences
from verifflowcc.trace.rules.import_values import ForeignItem, ForeignItems
from verifflowcc.trace.rules.item_wording import with_rationale

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
        ("draft", "backlog", "proposed", "open", "new", "tbd", "in-review", "in-work", "todo"), Status.PENDING
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
class AdoptionChoices:
    """What a person decided for an import.

    `types` maps a kind, or a pattern of files, to a type; `type` is that of all others. `verification` is the method of
    items that state none.
    """

    type: str | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    relation: str | None = None
    verification: str | None = None


def type_for(item: ForeignItem, foreign: ForeignItems, policy: TracePolicy, choices: AdoptionChoices) -> str | None:
    """Return the type that an item becomes.

    None where it demands nothing and the policy has no type for that.

    Choices of the person go first: by kind, by file, for all. Then what demands nothing, then kinds at the top of
    their tree (the first type that needs no parent), then kinds that name a type, its prefix or a usual word for it.
    """
    file = item.place.rpartition(":")[0]
    for pattern, chosen in choices.types.items():
        if pattern == item.kind or fnmatchcase(file, pattern) or fnmatchcase(file.rpartition("/")[2], pattern):
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
    return not word or _folded(word) in {"active", "draft", "archived"}


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
    word = _folded(kind)
    for rule in policy.types.values():
        if word and word in {_folded(rule.name), rule.prefix.lower()}:
            return rule.name
    found = _TYPES.get(word)
    return found if found in policy.types else None


def _folded(word: str) -> str:
    return slug(re.sub(r"[_\s]+", "-", word), "") if word else ""


# The title and the body that a foreign item becomes: its text, then sections that are no part of what it demands.

LONGEST_TITLE = 80
_MARKUP = re.compile(r"^[#>*+\s-]+|[*_`]+|[#*\s]+$")
_HEADING = re.compile(r"^(#{1,6})(?=[ \t]|$)", re.MULTILINE)


def title_of(item: ForeignItem) -> str:
    """Return an item's title, else the beginning of its text, else its id."""
    if item.title:
        return item.title
    first = next((line for line in item.text.split("\n") if _MARKUP.sub("", line).strip()), "")
    words = _MARKUP.sub("", " ".join(first.split())).strip()
    if len(words) > LONGEST_TITLE:
        words = words[: LONGEST_TITLE - 1].rpartition(" ")[0] + " …"
    return words or item.id


def body_of(item: ForeignItem) -> str:
    """Return the body of an item's file.

    Explanations (rationale, comments, fields that have no place of their own) become sections that are not normative;
    a heading in them cannot end them.
    """
    parts = [close_fences(item.text).rstrip()]
    if item.rationale.strip():
        parts.append(f"## Rationale\n\n{_inside(item.rationale)}")
    if item.comments:
        parts.append("## Comments\n\n" + "\n\n".join(map(_inside, item.comments)))
    rest = dict(item.attributes)
    if not state_is_known(item.status):
        rest = {"status": item.status, **rest}
    if item.verification and method_for(item.verification) is None:
        rest = {"verification": item.verification, **rest}
    if rest:
        rows = (f"**{name}**: {_inside(value)}" for name, value in rest.items())
        parts.append("## Notes\n\n" + "\n\n".join(rows))
    return "\n\n".join(each for each in parts if each.strip())


def text_and_reason(body: str) -> tuple[str, str]:
    """Return the normative part of a body, and its rationale."""
    return with_rationale(body)


def _inside(text: str) -> str:
    return _HEADING.sub(r"\\\1", close_fences(text).strip("\n").rstrip())
