"""Merge the log of uses into the items, once for each use, whenever the merge was interrupted.

The lines are taken from the log, a plan says what each item is to say then, the items are made to say it, and the lines
and the plan are removed. What is found of an earlier merge is carried out to its end first.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.adapters.files.access_log import PLAN, drop_taken, read_plan, take_lines, waiting_lines
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.domain.memory import MemoryBackend, StoredItem
from verifflowcc.errors import FormatError
from verifflowcc.formats.access_lines import read_accesses
from verifflowcc.formats.front_matter import split
from verifflowcc.formats.item_render import render_uses
from verifflowcc.formats.uses_plan import Planned, plan_bytes, read_plan_bytes
from verifflowcc.lifecycle.uses import at_least, merged, uses_of
from verifflowcc.services.memory.maintained import Step, StepKind
from verifflowcc.services.memory.recording import changed
from verifflowcc.services.memory.shelf import Shelf

Stores = Mapping[str, MemoryBackend]
"""The open stores by scope."""
_GONE = "it was used, and is not there any more"


def merge_uses(folder: Path, scope: str, stores: Stores) -> Iterator[Step]:
    """Merge the log in `folder`, which is that of `scope`, into the stores; yield what was done.

    Raises WorkspaceError, ConflictError and what the stores raise; the next merge then goes on from there.
    """
    while True:
        plan = _unfinished(folder)
        if plan is None:
            lines = take_lines(folder)
            if not lines.strip():
                drop_taken(folder)
                return
            plan, told = _plan(lines, scope, stores)
            yield from told
            write_atomic(folder / PLAN, plan_bytes(plan))
        yield from _carry_out(plan, stores)
        drop_taken(folder)


def uses_to_merge(folder: Path, scope: str, shelves: Mapping[str, Shelf]) -> Iterator[Step]:
    """Yield what a merge would do; the log stays, and only the shelves, of a dry run, have the uses then."""
    unfinished = _unfinished(folder)
    for each in unfinished or ():
        if each.scope in shelves:
            yield _said(shelves[each.scope], each)
    plan, told = _plan(waiting_lines(folder, taken=unfinished is None), scope, shelves)
    yield from told
    yield from (_said(shelves[each.scope], each) for each in plan)


def _unfinished(folder: Path) -> tuple[Planned, ...] | None:
    data = read_plan(folder)
    if data is None:
        return None
    try:
        return read_plan_bytes(data)
    except FormatError as error:
        raise FormatError(f"{folder / PLAN}:1: {error.message}", hint=f"rm {folder / PLAN}") from error


def _plan(lines: bytes, scope: str, stores: Stores | Mapping[str, Shelf]) -> tuple[tuple[Planned, ...], list[Step]]:
    accesses, bad = read_accesses(lines, scope)
    told = [Step(StepKind.TOLD, scope, "", _bad_lines(bad))] if bad else []
    by_scope: dict[str, list[tuple[str, str]]] = {}
    for access in accesses:
        by_scope.setdefault(access.scope, []).extend((item, access.day) for item in access.ids)
    plan: list[Planned] = []
    for name in sorted(by_scope):
        noted = uses_of(by_scope[name])
        if name not in stores:
            told.append(
                Step(
                    StepKind.TOLD,
                    name,
                    "",
                    f"of {name}, {_items(len(noted))} used, and there is no such scope any more",
                )
            )
            continue
        known = {item.id: item.uses for item in stores[name].items()}
        told += [Step(StepKind.TOLD, name, item, _GONE) for item in sorted(noted.keys() - known.keys())]
        plan += [
            Planned(name, item, merged(known[item], noted[item]), noted[item].count)
            for item in sorted(noted.keys() & known.keys())
        ]
    return tuple(plan), told


def _carry_out(plan: Sequence[Planned], stores: Stores) -> Iterator[Step]:
    for scope in dict.fromkeys(each.scope for each in plan):
        if scope not in stores:
            continue
        with stores[scope].writing():
            for each in plan:
                if each.scope == scope:
                    yield _said(stores[scope], each)


def _said(store: MemoryBackend | Shelf, planned: Planned) -> Step:
    stored = store.get(planned.item)
    refused = _refused(stored)
    if stored is None or refused:
        return Step(StepKind.TOLD, planned.scope, planned.item, refused)
    uses = at_least(stored.item.uses, planned.uses)
    if uses != stored.item.uses:
        try:
            store.add(changed(stored, {"uses": render_uses(uses)}))
        except FormatError as error:
            return Step(StepKind.TOLD, planned.scope, planned.item, f"its uses are not counted: {error.message}")
    return Step(StepKind.USES, planned.scope, planned.item, _why(planned))


def _refused(stored: StoredItem | None) -> str:
    """Return why an item keeps no count; empty where it does."""
    if stored is None:
        return _GONE
    if split(stored.text).block is None:
        return "it has no front matter, so that it keeps no count of its uses"
    return ""


def _why(planned: Planned) -> str:
    days = f", the last on {planned.uses.last[:10]}" if planned.uses.last else ""
    return f"{planned.new} more {'use' if planned.new == 1 else 'uses'}: {planned.uses.count} now{days}"


def _bad_lines(count: int) -> str:
    lines = "1 line" if count == 1 else f"{count:,} lines"
    return f"{lines} of the log of uses cannot be read, and {'is' if count == 1 else 'are'} left out"


def _items(count: int) -> str:
    return "1 item was" if count == 1 else f"{count:,} items were"
