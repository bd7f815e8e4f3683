"""Where the checks of a memory put what they find, and of how many things they were asked."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from posixpath import normpath

from verifflowcc.base.model.config_values import CodeStatus, code_path
from verifflowcc.base.model.findings import FindingCollector
from verifflowcc.base.model.item_values import Item, Link, Relation, Status, awaits_promotion, trust_held
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.plain_words import with_article
from verifflowcc.base.text.secrets import withhold
from verifflowcc.memory.rules.stale_refs import RefChange, stale_refs

# What the checks of a memory look at: its items as they were read, and what could not be read.


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """An item as its file says it.

    `lines` maps a key of its front matter to its line in the file; `notices` are what its parser said, each
    `path:line: sentence`; `unknown` are the keys that nobody knows. `secrets` are the kinds and places of what looks
    like a secret in it, never the secret. `says` is a digest of its title and text.
    """

    item: Item
    lines: Mapping[str, int] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    secrets: tuple[tuple[str, int, int], ...] = ()
    says: str = ""

    def line(self, key: str) -> int:
        """The line of a key; the first where it does not stand there."""
        return self.lines.get(key, 1)


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that is no item: the code of the check that says so, its line, and why."""

    code: str
    path: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class MemorySources:
    """Everything that the checks are asked of.

    `types` are all known type names, `trace_types` those whose fields and links `check trace` looks after. `elsewhere`
    maps the ids of the other memory (the person's, where this is a project's) to where they are. `code` has
    what is now at each place in the project that an item speaks of; `of_others` are the paths of
    items that speak of the code of other projects. `superseded` are the paths of items that others
    replace; `stale` maps the paths of summaries that tell what another replaced to why, as a clause. `today` is an ISO
    day in UTC; `ttl_days` are the days that the settings give to types.
    """

    items: tuple[CheckedItem, ...]
    unread: tuple[UnreadFile, ...]
    types: frozenset[str]
    trace_types: frozenset[str]
    today: str
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    code: Mapping[str, CodeStatus] = field(default_factory=dict)
    superseded: frozenset[str] = frozenset()
    stale: Mapping[str, str] = field(default_factory=dict)
    ttl_days: Mapping[str, int | None] = field(default_factory=dict)
    of_others: frozenset[str] = frozenset()


# Checks of links and refs: they lead to what is there and holds, and say nothing in a circle.

_REF_CHANGES = {
    RefChange.GONE: ("ref-gone", "is not there"),
    RefChange.SYMBOL_GONE: ("ref-symbol-gone", "is not there"),
    RefChange.CHANGED: ("ref-changed", "has changed since"),
}
_DEPENDING = frozenset(Relation) - {Relation.SUPERSEDES, Relation.CONTRADICTS}


def check_links(sources: MemorySources, tell: FindingCollector) -> None:
    """Report broken links and refs of items that are not trace items.

    Those of trace items are reported by `check trace`.
    """
    names = _LinkNames([each.item for each in sources.items])
    own = [each for each in sources.items if each.item.type not in sources.trace_types]
    newer: dict[str, set[str]] = defaultdict(set)
    for looked in own:
        tell.ask(("dangling-link", "link-to-archived", "supersession-circle", "contradiction"), len(looked.item.links))
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


class _LinkNames:
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


def _dangling(looked: CheckedItem, link: Link, sources: MemorySources, tell: FindingCollector) -> None:
    item = looked.item
    there = link.to in sources.elsewhere
    if item.scope == "user" and (there or item.source.project is not None):
        return
    why = "is in user memory, which others do not have" if there else "does not exist"
    message = f"{item.id} {link.relation} {link.to}, which {why}"
    step = f"vfcc memory link {item.id} --help" if there else f"correct the link in {item.path}, or remove it"
    tell.item("dangling-link", item, looked.line("links"), message, step, link.words)


def _check_link(looked: CheckedItem, link: Link, target: Item, tell: FindingCollector) -> None:
    item, line, about = looked.item, looked.line("links"), link.words
    active = item.status is Status.ACTIVE
    is_summary = target.archived is not None and target.archived.into == item.id
    if link.relation in _DEPENDING and active and target.status is Status.ARCHIVED and not is_summary:
        message = f"{item.id} {link.relation} {target.id}, which is archived"
        tell.item("link-to-archived", item, line, message, f"vfcc memory show {target.id}", about, [target.path])
    if link.relation == Relation.CONTRADICTS and active and target.status is Status.ACTIVE and target != item:
        message = f"{item.id} contradicts {target.id}, and both hold"
        tell.item("contradiction", item, line, message, f"vfcc memory show {target.id}", about, [target.path])


def _check_circles(own: Sequence[CheckedItem], newer: Mapping[str, set[str]], tell: FindingCollector) -> None:
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


def _check_refs(looked: CheckedItem, sources: MemorySources, tell: FindingCollector) -> None:
    item, line = looked.item, looked.line("refs")
    if item.path in sources.of_others:
        return
    judged = [ref for ref in item.refs if code_path(ref.path) in sources.code]
    tell.ask(("ref-gone", "ref-changed"), len(judged))
    tell.ask(("ref-symbol-gone",), sum(ref.symbol is not None for ref in judged))
    for stale in stale_refs(judged, sources.code):
        code, what = _REF_CHANGES[stale.change]
        path, symbol = stale.ref.path, stale.ref.symbol
        name = f"{symbol} in {path}" if symbol and stale.change is not RefChange.GONE else path
        step = (
            f"vfcc memory edit {item.id} --holds"
            if stale.change is RefChange.CHANGED
            else f"correct refs in {item.path}"
        )
        tell.item(code, item, line, f"{name}, of which {item.id} speaks, {what}", step, name)


# Checks of what must not be in memory, and of who vouches for what is.


def check_vouching(sources: MemorySources, tell: FindingCollector) -> None:
    """Tell of secrets, by their kind and place alone, and of items that claim more trust than their source has."""
    tell.ask(("secret", "raised-trust", "unpromoted"), len(sources.items))
    for looked in sources.items:
        for kind, line, column in looked.secrets:
            message = (
                f"{withhold(looked.item.id)} holds what looks like a secret, {with_article(kind)}, in column {column}"
            )
            step = f"make it void where it was issued, and take it out of {withhold(looked.item.path)}, line {line}"
            tell.item("secret", looked.item, line, message, step, f"{line}:{column}")
        _check_trust(looked, tell)


def _check_trust(looked: CheckedItem, tell: FindingCollector) -> None:
    item = looked.item
    if trust_held(item) is not item.trust:
        message = (
            f"{item.id} is trusted as {item.trust}, but it comes from {_origin(item)} and no person vouches for it"
        )
        tell.item("raised-trust", item, looked.line("trust"), message, f"vfcc memory show {item.id} --explain")
    if item.status is Status.ACTIVE and awaits_promotion(item):
        message = f"{item.id} is active, but {item.source.actor} wrote it and no person promoted it: it stays pending"
        tell.item("unpromoted", item, looked.line("status"), message, f"vfcc memory promote {item.id}")


def _origin(item: Item) -> str:
    spoke = item.source.speaker if item.source.actor.startswith("human") else None
    return spoke or item.source.actor
