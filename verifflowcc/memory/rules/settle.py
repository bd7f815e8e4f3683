"""How a new statement stands to what is held: new, the same again, in the place of another, or against another."""

from collections.abc import Sequence

from verifflowcc.base.model.item_values import Item
from verifflowcc.memory.rules.candidates import CandidateMatch, KeptStatement, MatchKind, StatementCandidate
from verifflowcc.memory.rules.code_names import key_of
from verifflowcc.memory.rules.qualifiers import qualifiers
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
    candidate: StatementCandidate, held: Sequence[KeptStatement], fingerprint: str = "", at: str | None = None
) -> CandidateMatch:
    """Return what becomes of a candidate beside what is held; `held` are items that stand, of any scope.

    `fingerprint` is that of the candidate's text and `at` the day that it was said, where they are known. An item is
    never superseded by what was said before it: that is contradicted where it says the opposite, and else left alone.
    """
    beside = [each for each in held if _scope(each.item) == candidate.layer]
    same = [each for each in beside if _says_same(candidate, each, fingerprint)]
    if same:
        return CandidateMatch(MatchKind.SAME, _ids(same), "it is known already")
    rivals = [each for each in beside if _rivals(candidate, each)]
    older = [each for each in rivals if not _newer(each.item, at)]
    if older:
        return CandidateMatch(MatchKind.SUPERSEDES, _ids(older), f"it says something else of {candidate.key}")
    if rivals:
        return CandidateMatch(MatchKind.SAME, _ids(rivals), f"something newer is known of {candidate.key}")
    against = [each for each in beside if _opposes(candidate, each)]
    if against:
        return CandidateMatch(MatchKind.CONTRADICTS, _ids(against), f"it says the opposite of {candidate.subject}")
    return CandidateMatch(MatchKind.NEW)


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
    if _key(held) != candidate.key:
        return False
    if candidate.type == held.item.type:
        return candidate.type in _REPLACED | _UPSERTED
    return {candidate.type, held.item.type} <= _RULES


def _opposes(candidate: StatementCandidate, held: KeptStatement) -> bool:
    alike = held.subject == candidate.subject and held.value == candidate.value
    return bool(candidate.subject) and alike and held.negated != candidate.negated


def _key(held: KeptStatement) -> str:
    return held.item.key or key_of(held.subject, held.value)


def _newer(item: Item, at: str | None) -> bool:
    created = item.created
    return bool(at and created and created[: min(len(at), len(created))] > at[: min(len(at), len(created))])


def _ids(held: Sequence[KeptStatement]) -> tuple[str, ...]:
    return tuple(sorted(each.item.id for each in held))
