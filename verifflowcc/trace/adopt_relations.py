"""Which of our relations a foreign link becomes."""

from verifflowcc.domain.items import Relation
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.trace.relations import fitting

USUAL = "refines"
_PREFERRED = ("refines", "satisfies", "verifies", "implements", "allocates", "derives")
_STEMS = {
    "refine": "refines",
    "satisf": "satisfies",
    "verif": "verifies",
    "test": "verifies",
    "valid": "verifies",
    "implement": "implements",
    "allocat": "allocates",
    "deriv": "derives",
    "depend": "depends_on",
    "conflict": "contradicts",
    "contradict": "contradicts",
    "supersede": "supersedes",
    "replace": "supersedes",
}


def relation_for(role: str, own: str, target: str | None, policy: TracePolicy, chosen: str | None = None) -> str:
    """Return the relation of a link from an item of type `own` to one of type `target` (None where it is not known).

    The tool's role decides where it names a relation; else what the person chose, or `refines`, where it may go between
    these types; else the first relation that may; else that one anyway, for the check to tell.
    """
    word = role.lower()
    if word in policy.relations or word in set(Relation):
        return word
    if found := next((name for stem, name in _STEMS.items() if word.startswith(stem)), None):
        return found
    wanted = chosen or (USUAL if USUAL in policy.relations else next(iter(policy.relations), USUAL))
    if target is None:
        return wanted
    may = fitting(policy, own, target)
    return wanted if wanted in may else min(may, key=_place, default=wanted)


def _place(name: str) -> tuple[int, str]:
    return (_PREFERRED.index(name) if name in _PREFERRED else len(_PREFERRED), name)
