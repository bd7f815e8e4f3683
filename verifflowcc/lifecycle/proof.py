"""Which fix a check proves that turned from fail to pass, and how much surer it is for that."""

from collections.abc import Iterable

from verifflowcc.domain.items import Item, Status
from verifflowcc.records import dataclass, replace

RAISE = 100
MOST_SURE = 950
"""Thousandths by which a fix is surer for each check that turned, and above which no check makes it."""
CHECK, PROVEN_BY = "check", "proven_by"
"""Details of a fix: the criterion or command that it mends, and the ids of the evidence that proved it."""


@dataclass(frozen=True, slots=True)
class Turned:
    """A check that failed and then passed: its criterion and command, the two pieces of evidence, and their ISO days.

    `told` are the lines that the failed one told, such as the tests that failed.
    """

    criterion: str
    command: str | None
    failed: str
    failed_on: str
    passed: str
    passed_on: str
    told: tuple[str, ...] = ()


def proves(turned: Turned, fix: Item) -> bool:
    """Say whether a check that turned speaks of a fix: one made on or after the day of the failure.

    The fix names it by its detail `check`, by a link to the criterion or to one of the two pieces of evidence, or by
    speaking of a file that the failure told of.
    """
    if fix.type != "fix" or fix.status is not Status.ACTIVE or (fix.created or "")[:10] < turned.failed_on:
        return False
    names = {turned.criterion, turned.command} - {None}
    if dict(fix.details).get(CHECK) in names:
        return True
    if any(link.to in names | {turned.failed, turned.passed} for link in fix.links):
        return True
    return any(ref.path in line and (ref.symbol or "") in line for ref in fix.refs for line in turned.told)


def proven(fix: Item, turned: Iterable[Turned]) -> tuple[Item, tuple[Turned, ...]]:
    """Return a fix as sure as the checks make it, each counted once, and those that were not counted before.

    What is surer than `MOST_SURE` already stays as it is.
    """
    before = tuple(dict(fix.details).get(PROVEN_BY, "").split())
    new = {each.passed: each for each in turned if each.passed not in before and proves(each, fix)}
    if not new or fix.confidence >= MOST_SURE:
        return fix, ()
    details = {**dict(fix.details), PROVEN_BY: " ".join((*before, *new))}
    sure = min(MOST_SURE, fix.confidence + RAISE * len(new))
    return replace(fix, confidence=sure, details=tuple(details.items())), tuple(new.values())
