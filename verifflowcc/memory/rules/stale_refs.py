"""Whether the code that an item speaks of is as it was when somebody looked: judged by digests, never by dates."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from verifflowcc.base.model.config_values import CodeStatus, code_path
from verifflowcc.base.model.item_values import Item, Ref, SourceKind, Status
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.plain_words import plain_line

# Which fix a check proves that turned from fail to pass, and how much surer it is for that.

RAISE = 100
MOST_SURE = 950
"""Thousandths by which a fix is surer for each check that turned, and above which no check makes it."""
CHECK, PROVEN_BY = "check", "proven_by"
"""Details of a fix: the criterion or command that it mends, and the ids of the evidence that proved it."""


@dataclass(frozen=True, slots=True)
class FixedCheck:
    """A check that failed and then passed: its criterion and command, the two pieces of evidence, and their ISO days.

    `lines` are those of the failed one, such as the tests that failed.
    """

    criterion: str
    command: str | None
    failed: str
    failed_on: str
    passed: str
    passed_on: str
    lines: tuple[str, ...] = ()


def proves(turned: FixedCheck, fix: Item) -> bool:
    """Say whether a check that turned speaks of a fix: one made on or after the day of the failure.

    The fix names it by its detail `check`, by a link to the criterion or to one of the two pieces of evidence, or by
    speaking of a file that the failure named.
    """
    if fix.type != "fix" or fix.status is not Status.ACTIVE or (fix.created or "")[:10] < turned.failed_on:
        return False
    names = {turned.criterion, turned.command} - {None}
    if dict(fix.details).get(CHECK) in names:
        return True
    if any(link.to in names | {turned.failed, turned.passed} for link in fix.links):
        return True
    return any(ref.path in line and (ref.symbol or "") in line for ref in fix.refs for line in turned.lines)


def proven(fix: Item, turned: Iterable[FixedCheck]) -> tuple[Item, tuple[FixedCheck, ...]]:
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


_LONGEST = 100
"""Characters of a path or a symbol in a sentence."""


class RefChange(StrEnum):
    """What became of a place in the code: it is gone, a symbol in it is, or it says something else."""

    GONE = "gone"
    SYMBOL_GONE = "symbol-gone"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class StaleRef:
    """A ref whose code is not as it was, and why as a clause: `src/a.py changed since`."""

    ref: Ref
    change: RefChange
    why: str


def stale_refs(refs: Iterable[Ref], code: Mapping[str, CodeStatus]) -> tuple[StaleRef, ...]:
    """Return the refs whose code vanished or changed, in order.

    `code` maps plain paths to their present content.

    A ref whose path is not among them is not judged. One without a digest can only have vanished.
    """
    found = ((ref, code.get(code_path(ref.path) or "")) for ref in refs)
    return tuple(stale for ref, now in found if now is not None and (stale := _judged(ref, now)) is not None)


def stale_clause(item: Item, code: Mapping[str, CodeStatus]) -> str:
    """Return one clause on an item whose code is not as it was; "" where it is.

    Of a place that was only read out of a conversation, and that nobody ever saw in the code, nothing is said.
    """
    sure = [ref for ref in item.refs if ref.digest or item.source.kind is not SourceKind.EXTRACTED]
    return _clause(stale_refs(sure, code))


def renewed(ref: Ref, code: Mapping[str, CodeStatus]) -> Ref:
    """Return a ref with the digest that its code has now: the symbol's, else the file's, else none."""
    now = code.get(code_path(ref.path) or "")
    if now is None:
        return replace(ref, digest=None)
    of_symbol = (now.symbols or {}).get(ref.symbol) if ref.symbol else None
    return replace(ref, digest=of_symbol or now.digest or None)


def _clause(found: Sequence[StaleRef]) -> str:
    if not found:
        return ""
    return found[0].why + (f", and {len(found) - 1} more" if len(found) > 1 else "")


def _judged(ref: Ref, now: CodeStatus) -> StaleRef | None:
    path, symbol = (plain_line(each, _LONGEST) for each in (ref.path, ref.symbol or ""))
    if now.digest is None:
        return StaleRef(ref, RefChange.GONE, f"{path} is gone" if ref.digest else f"{path} is not there")
    if not now.digest or ref.digest == now.digest:
        return None  # a folder, or not a byte of the file changed
    digest = (now.symbols or {}).get(ref.symbol) if ref.symbol else ""
    if digest is None and now.symbols is not None:
        return StaleRef(ref, RefChange.SYMBOL_GONE, f"{symbol} is {'gone from' if ref.digest else 'not in'} {path}")
    if not ref.digest or ref.digest == digest:
        return None
    return StaleRef(ref, RefChange.CHANGED, f"{symbol} in {path} changed since" if digest else f"{path} changed since")
