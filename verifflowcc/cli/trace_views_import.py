"""How an import is told: what was written, what differs, what was left out and why."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from verifflowcc.domain.trace_import import Side
from verifflowcc.services.trace_import import ImportedItem, ImportReport, Outcome

MOST = 20
"""Lines of one list; the rest is in --json."""
_SAID = {Side.HERE: "changed here, kept", Side.THERE: "changed there", Side.BOTH: "changed on both sides"}


def import_text(report: ImportReport) -> str:
    """Return a report as lines for the terminal."""
    lines = [_head(report), *_kinds(report), *_renamed(report), *_differences(report), *_gone(report), *_left(report)]
    if report.dry_run:
        lines.append("nothing was written: this was a dry run")
    elif report.written:
        lines.append("next: vfcc check trace")
    return "\n".join(lines)


def _head(report: ImportReport) -> str:
    new = "would be new" if report.dry_run else "new"
    words = {Outcome.NEW: new, Outcome.UPDATED: "updated", Outcome.SAME: "the same", Outcome.DIFFERENT: "different"}
    counts = ", ".join(f"{report.count(each)} {word}" for each, word in words.items() if report.count(each))
    return f"{report.tool}: {counts}"


def _kinds(report: ImportReport) -> Iterator[str]:
    for kind, types in sorted(report.kinds.items()):
        yield f"  {kind or 'items'} → {', '.join(types)}"


def _renamed(report: ImportReport) -> Iterator[str]:
    if report.renamed:
        yield f"ids that could not stay as they are: {len(report.renamed)}"
        yield from _some([f"  {theirs} → {ours}" for theirs, ours in report.renamed])


def _differences(report: ImportReport) -> Iterator[str]:
    found = [each for each in report.items if each.parts or each.note]
    if not found:
        return
    yield f"different here and there: {len(found)}"
    yield from _some([f"  {each.id}: {_parts(each)}" for each in found])
    theirs = any(side is not Side.HERE for each in found for side in each.parts.values())
    if theirs and not report.count(Outcome.UPDATED):
        yield "to take what changed there: the same command with --update"


def _parts(item: ImportedItem) -> str:
    by_side: dict[Side, list[str]] = defaultdict(list)
    for part, side in item.parts.items():
        by_side[side].append(part)
    taken = item.outcome is Outcome.UPDATED
    said = [
        f"{', '.join(names)} {_SAID[side]}{', taken' if taken and side is not Side.HERE else ''}"
        for side, names in sorted(by_side.items())
    ]
    return "; ".join(filter(None, [*said, item.note]))


def _gone(report: ImportReport) -> Iterator[str]:
    gone = [each for each in report.items if each.outcome is Outcome.GONE]
    if gone:
        yield f"not there any more, kept here: {len(gone)}"
        yield from _some([f"  {each.id}: vfcc trace retire {each.id}" for each in gone])


def _left(report: ImportReport) -> Iterator[str]:
    """Yield what was not carried over: each reason with its count, and the place where it stands alone."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for line in report.left:
        place, _, reason = line.partition(": ")
        by_reason[reason].append(place)
    by_reason = _grouped(by_reason)
    if not by_reason:
        return
    yield f"not carried over: {len(report.left)}"
    rows = sorted(by_reason.items(), key=lambda each: (-len(each[1]), each[0]))
    yield from _some([f"  {len(at)} × {why}" if len(at) > 1 else f"  {at[0]}: {why}" for why, at in rows])


def _grouped(by_reason: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return reasons that differ only in what stands in brackets as one."""
    found: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
    for reason, places in by_reason.items():
        found[reason.partition(" (")[0]].append((reason, places))
    return {
        head if len(each) > 1 else each[0][0]: [place for _, places in each for place in places]
        for head, each in found.items()
    }


def _some(lines: Iterable[str]) -> Iterator[str]:
    every = list(lines)
    yield from every[:MOST]
    if len(every) > MOST:
        yield f"  … and {len(every) - MOST} more (--json has all)"
