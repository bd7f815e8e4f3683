"""Checks of links and refs: they lead to what is there and holds, and say nothing in a circle."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from posixpath import normpath

from verifflowcc.domain.config import code_path
from verifflowcc.domain.items import Item, Link, Relation, Status
from verifflowcc.lifecycle.memory_findings import MemoryFindings
from verifflowcc.lifecycle.memory_sources import Looked, MemorySources
from verifflowcc.lifecycle.stale_refs import Change, stale_refs

_TOLD = {
    Change.GONE: ("ref-gone", "is not there"),
    Change.SYMBOL_GONE: ("ref-symbol-gone", "is not there"),
    Change.CHANGED: ("ref-changed", "has changed since"),
}
_STANDS_ON = frozenset(Relation) - {Relation.SUPERSEDES, Relation.CONTRADICTS}


def check_links(sources: MemorySources, tell: MemoryFindings) -> None:
    """Tell of links and refs of items that are not of the trace; those of trace items are told by `check trace`."""
    names = _Names([each.item for each in sources.items])
    own = [each for each in sources.items if each.item.type not in sources.trace_types]
    newer: dict[str, set[str]] = defaultdict(set)
    for looked in own:
        tell.ask(len(looked.item.links), "dangling-link", "link-to-archived", "supersession-circle", "contradiction")
        for link in looked.item.links:
            target = names.find(link.to, looked.item)
            if target is None:
                _dangling(looked, link, sources, tell)
            else:
                _check_link(looked, link, target, tell)
                if link.relation == Relation.SUPERSEDES and looked.item.status is Status.ACTIVE:
                    newer[looked.item.path].add(target.path)
    _check_circles(own, newer, tell)
    for looked in own:
        _check_refs(looked, sources, tell)


class _Names:
    """Every name by which a link can mean an item: id, path, path from beside, file name, key, in this order."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._by: dict[tuple[str, str], Item] = {}
        for item in sorted(items, key=lambda each: each.path):
            file = item.path.rpartition("/")[2]
            stem = item.path.rpartition(".")[0]
            for name in (("id", item.id), ("path", item.path), ("path", stem), ("file", file), ("key", item.key or "")):
                self._by.setdefault(name, item)

    def find(self, name: str, holder: Item) -> Item | None:
        beside = normpath(f"{holder.path.rpartition('/')[0]}/{name}")
        wanted = (("id", name), ("path", name), ("path", beside), ("file", name), ("file", f"{name}.md"), ("key", name))
        return next((self._by[each] for each in wanted if each in self._by), None)


def _dangling(looked: Looked, link: Link, sources: MemorySources, tell: MemoryFindings) -> None:
    item = looked.item
    there = link.to in sources.elsewhere
    if item.scope == "user" and (there or item.source.project is not None):
        return
    why = "is in user memory, which others do not have" if there else "does not exist"
    message = f"{item.id} {link.relation} {link.to}, which {why}"
    step = f"vfcc memory link {item.id} --help" if there else f"correct the link in {item.path}, or remove it"
    tell.item("dangling-link", item, looked.line("links"), message, step, f"{link.relation} {link.to}")


def _check_link(looked: Looked, link: Link, target: Item, tell: MemoryFindings) -> None:
    item, line, about = looked.item, looked.line("links"), f"{link.relation} {link.to}"
    active = item.status is Status.ACTIVE
    told_by = target.archived is not None and target.archived.into == item.id
    if link.relation in _STANDS_ON and active and target.status is Status.ARCHIVED and not told_by:
        message = f"{item.id} {link.relation} {target.id}, which is archived"
        tell.item("link-to-archived", item, line, message, f"vfcc memory show {target.id}", about, [target.path])
    if link.relation == Relation.CONTRADICTS and active and target.status is Status.ACTIVE and target != item:
        message = f"{item.id} contradicts {target.id}, and both hold"
        tell.item("contradiction", item, line, message, f"vfcc memory show {target.id}", about, [target.path])


def _check_circles(own: Sequence[Looked], newer: Mapping[str, set[str]], tell: MemoryFindings) -> None:
    for looked in own:
        path = looked.item.path
        if _reaches(newer, path):
            others = sorted(each for each in newer[path] if each == path or _reaches(newer, each))
            message = f"{looked.item.id} supersedes what supersedes it: none of them is the newest"
            step = f"remove the supersedes link that is wrong; this one is in {path}"
            tell.item("supersession-circle", looked.item, looked.line("links"), message, step, "", others)


def _reaches(edges: Mapping[str, set[str]], start: str) -> bool:
    seen: set[str] = set()
    waiting = [*edges.get(start, ())]
    while waiting:
        here = waiting.pop()
        if here == start:
            return True
        if here not in seen:
            seen.add(here)
            waiting += edges.get(here, ())
    return False


def _check_refs(looked: Looked, sources: MemorySources, tell: MemoryFindings) -> None:
    item, line = looked.item, looked.line("refs")
    if item.path in sources.of_others:
        return
    judged = [ref for ref in item.refs if code_path(ref.path) in sources.code]
    tell.ask(len(judged), "ref-gone", "ref-changed")
    tell.ask(sum(ref.symbol is not None for ref in judged), "ref-symbol-gone")
    for stale in stale_refs(judged, sources.code):
        code, told = _TOLD[stale.change]
        path, symbol = stale.ref.path, stale.ref.symbol
        name = f"{symbol} in {path}" if symbol and stale.change is not Change.GONE else path
        step = (
            f"vfcc memory edit {item.id} --holds" if stale.change is Change.CHANGED else f"correct refs in {item.path}"
        )
        tell.item(code, item, line, f"{name}, of which {item.id} speaks, {told}", step, name)
