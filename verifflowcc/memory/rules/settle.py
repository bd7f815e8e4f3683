"""The relation of a new statement to existing items: new, repeated, replacing or contradicting."""

import re
from collections.abc import Sequence

from verifflowcc.base.model.item_values import Item, SourceKind
from verifflowcc.memory.rules.candidates import CandidateMatch, KeptStatement, MatchKind, StatementCandidate
from verifflowcc.memory.rules.code_names import key_of
from verifflowcc.memory.rules.corrections import (
    COUNTED,
    RESIDES,
    Match,
    Revision,
    difference,
    newest,
    revision,
    takes_back,
)
from verifflowcc.memory.rules.qualifiers import opened, places_in, qualifiers, root, same_aim
from verifflowcc.memory.rules.tool_kinds import kind_of
from verifflowcc.memory.rules.turn_statements import keys_in

_REPLACED = frozenset({"fact", "convention", "preference", "decision", "guideline"})
_RULES = frozenset({"convention", "decision", "guideline"})
_UPSERTED = frozenset(
    {
        "business_fact",
        "work_pattern",
        "communication_style",
        "goal",
        "constraint",
        "relationship",
        "requirement",
        "assumption",
    }
)


def settle(
    candidate: StatementCandidate,
    held: Sequence[KeptStatement],
    fingerprint: str = "",
    at: str | None = None,
    session: str = "",
) -> CandidateMatch:
    """Return how a candidate relates to `held`, the items in force of any scope.

    What takes back another statement (`we moved from X to Y`, `actually, it is five`) replaces it; `asks` says that a
    person should confirm it, since several statements fit, or the sentence alone does not say which it means. `session`
    is that of the candidate, where it is known.

    `fingerprint` is that of the candidate's text and `at` the day that it was said, where they are known. An item is
    never superseded by what was said before it: that is contradicted where it says the opposite, and else left alone.
    """
    beside = [each for each in held if _scope(each.item) == candidate.layer]
    same = [each for each in beside if _says_same(candidate, each, fingerprint)]
    if same:
        return CandidateMatch(MatchKind.SAME, _ids(same), "it is known already")
    back = revision(candidate.content) if candidate.type in _REPLACED | _UPSERTED else None
    if back and back.last:
        return _corrected(candidate, [each for each in beside if session and each.item.source.session == session])
    rivals = [each for each in beside if _rivals(candidate, each)]
    others = [each for each in beside if not (_is_of_a_person(each) and _opposes(candidate, each))]
    sure, unsure = _taken_back(back, others, at) if back else ([], [])
    rivals += [each for each in sure if each not in rivals]
    if not rivals and unsure:
        return CandidateMatch(MatchKind.SUPERSEDES, _ids(unsure), "it may take back another statement", asks=True)
    if len(sure) > 1:
        return CandidateMatch(MatchKind.SUPERSEDES, _ids(rivals), "it takes back several statements", asks=True)
    older = [each for each in rivals if not _newer(each.item, at)]
    if older:
        return CandidateMatch(MatchKind.SUPERSEDES, _ids(older), f"it says something else of {candidate.key}")
    if rivals:
        return CandidateMatch(MatchKind.SAME, _ids(rivals), f"something newer is known of {candidate.key}")
    against = [each for each in beside if _opposes(candidate, each)]
    if against:
        return CandidateMatch(MatchKind.CONTRADICTS, _ids(against), f"it says the opposite of {candidate.subject}")
    if candidate.corrects:
        return CandidateMatch(MatchKind.SAME, (), "it is not known what it corrects")
    return CandidateMatch(MatchKind.NEW)


def _corrected(candidate: StatementCandidate, before: Sequence[KeptStatement]) -> CandidateMatch:
    """Return what a bare correction corrects: the last statement of its session that it can be of."""
    place = newest([each.text or each.item.title for each in before], candidate.content)
    if place is None:
        return CandidateMatch(MatchKind.SAME, (), "it is not known what it corrects")
    return CandidateMatch(
        MatchKind.SUPERSEDES, _ids([before[place]]), "it seems to correct another statement", asks=True
    )


def _is_of_a_person(held: KeptStatement) -> bool:
    """Say whether an item has a key that a person gave it: what contradicts it leaves it in place."""
    return bool(held.item.key) and held.item.source.kind is not SourceKind.EXTRACTED


def _taken_back(
    back: Revision, held: Sequence[KeptStatement], at: str | None
) -> tuple[list[KeptStatement], list[KeptStatement]]:
    """Return the statements that a sentence surely takes back, and those that it may."""
    older = [each for each in held if each.item.type in _REPLACED | _UPSERTED and not _newer(each.item, at)]
    matches = [(each, takes_back(back, each.text or each.item.title)) for each in older]
    sure = [each for each, match in matches if match is Match.SURE]
    return sure, [each for each, match in matches if match is Match.MAYBE]


def _scope(item: Item) -> str:
    return "user" if item.scope == "user" else "project"


def _says_same(candidate: StatementCandidate, held: KeptStatement, fingerprint: str) -> bool:
    if fingerprint and fingerprint == held.fingerprint and not _means_another(candidate, held):
        return True
    # `We never drop tables` has the form of `Use tables`: it must not vanish behind its opposite.
    if candidate.rewritten and qualifiers(candidate.content) != qualifiers(held.text):
        return False
    alike = candidate.type == held.item.type or {candidate.type, held.item.type} <= _RULES
    return alike and _key(held) == candidate.key and held.value == candidate.value and held.negated == candidate.negated


def _means_another(candidate: StatementCandidate, held: KeptStatement) -> bool:
    """Say whether an item of the same words is kept for another statement of the sentence."""
    key = held.item.key
    return bool(key) and key != candidate.key and {key, candidate.key} <= keys_in(held.text, held.item.type)


def _rivals(candidate: StatementCandidate, held: KeptStatement) -> bool:
    """Say whether only one of the two can hold."""
    if candidate.key != _key(held) and (_is_of_a_person(held) or candidate.key != key_of(held.subject, held.value)):
        return False
    if _of_another_place(candidate, held) or (
        candidate.type != "convention" and _of_another_kind(candidate.content, held.text)
    ):
        return False
    if candidate.type == held.item.type:
        return candidate.type in _REPLACED | _UPSERTED
    return {candidate.type, held.item.type} <= _RULES | {"fact"}


def _of_another_place(candidate: StatementCandidate, held: KeptStatement) -> bool:
    """Say whether two rules are each limited to a part of the project, and not to the same."""
    if not (held.text and {candidate.type, held.item.type} <= _RULES):
        return False
    return places_in(candidate.content) != places_in(held.text) or not same_aim(candidate.content, held.text)


def _opposes(candidate: StatementCandidate, held: KeptStatement) -> bool:
    alike = held.subject == candidate.subject and held.value == candidate.value
    if _of_another_place(candidate, held):
        return False
    return bool(candidate.subject) and alike and held.negated != candidate.negated


def _key(held: KeptStatement) -> str:
    return held.item.key or key_of(held.subject, held.value)


def _newer(item: Item, at: str | None) -> bool:
    created = item.created
    return bool(at and created and created[: min(len(at), len(created))] > at[: min(len(at), len(created))])


def _ids(held: Sequence[KeptStatement]) -> tuple[str, ...]:
    return tuple(sorted(each.item.id for each in held))


_STATE = re.compile(r"(?:un|re)?[a-z-]{3,}(?:ed|able|ible|less|only|ly)", re.IGNORECASE)


def _of_another_kind(new: str, held: str) -> bool:
    """Say whether two like sentences give something values of two kinds, so that both can hold.

    A name, a count, a state and other words are kinds; so are two tools for different things.

    >>> _of_another_kind("CI runs on every push.", "CI runs on Buildkite.")
    True
    >>> _of_another_kind("CI runs on Jenkins.", "CI runs on Buildkite.")
    False
    """
    one, other = (opened(each).strip(" .!").split() for each in (new, held))
    first, last = difference([each.casefold() for each in one], [each.casefold() for each in other])
    values = [" ".join(each[first : len(each) - last]) for each in (one, other)]
    if first < 2 or not all(values):
        return False
    before = one[first - 1].casefold()
    kinds = [_kind_of_value(each) for each in values]
    if kinds[0] != kinds[1]:
        return (
            "counted" in kinds
            or "state" in kinds
            or not (before in _PLACED and root(one[first - 2]) in RESIDES | {"keep", "hold", "save"})
        )
    tools = [kind_of(each.casefold()) for each in values]
    if before in {"use", "uses"} and len(one) == first + len(values[0].split()):
        return tools[0] != tools[1] or not (tools[0] or "counted" in kinds)
    return bool(tools[0] and tools[1] and tools[0] != tools[1])


_PLACED = frozenset({"in", "on", "at", "to", "from"})


def _kind_of_value(words: str) -> str:
    bare = re.sub(r"^(?:an?|the|our) ", "", words)
    if re.match(r"[A-Z`/#]|\w+[a-z]\d|[a-z]+[A-Z]|[\w-]+[./_]\w", bare):
        return "name"
    if COUNTED.search(bare):
        return "counted"
    return "state" if _STATE.fullmatch(bare.split()[0]) else "word"
