"""Foreign items turned into ours: type, id, links, stamps and text.

Nothing is read or written here.

A stamp of the other tool that holds becomes one of ours, made of what both ends say now; one that does not hold stays
as it is (`doorstop:…`), so that it shows as suspect or stale exactly where the other tool shows it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256

from verifflowcc.base.model.item_values import Link, Ref, Relation, Stamp, Trust
from verifflowcc.base.model.trace_codes import TracePolicy
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.identifiers import ALPHABET, LETTERS
from verifflowcc.trace.rules.adopt_words import (
    APART,
    AdoptionChoices,
    body_of,
    method_for,
    status_for,
    text_and_reason,
    title_of,
    type_for,
)
from verifflowcc.trace.rules.fingerprint import own_digest, stamp_of_item, stamp_of_link
from verifflowcc.trace.rules.import_values import ForeignItem, ForeignItems
from verifflowcc.trace.rules.trace_render import fitting

# Ids for what comes from another tool: its own where it can be one of ours, else one that follows from it.

_FILE_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,118}[A-Za-z0-9_+-])?")
_WRONG = re.compile(r"[^A-Za-z0-9._-]+")
# Windows keeps these names for devices, with any ending.
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


def adopted_ids(
    names: Iterable[str], pattern: str, known: Mapping[str, str], taken: Collection[str]
) -> Mapping[str, str]:
    """Return foreign id → ours, the same for the same names in whatever order.

    `known` are those that an earlier import gave. `taken` are ids of other items: a foreign id that is one of them
    stays as it is, for the caller to refuse.
    """
    found = dict(known)
    used = {each.casefold() for each in (*known.values(), *taken)}
    others = sorted(set(names) - set(found))
    fitting = [name for name in others if _fits(name, pattern)]
    for name in fitting:
        if name.casefold() in used and name not in taken:
            continue
        found[name] = name
        used.add(name.casefold())
    for name in others:
        if name not in found:
            found[name] = _made(name, pattern, used)
            used.add(found[name].casefold())
    return found


def _fits(name: str, pattern: str) -> bool:
    return bool(_FILE_NAME.fullmatch(name) and re.fullmatch(pattern, name) and not _RESERVED.fullmatch(name))


def _made(name: str, pattern: str, used: Collection[str]) -> str:
    plain = _WRONG.sub("-", name).strip("-._")[:100].rstrip("-._") or "item"
    number = int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    letters = "".join(ALPHABET[number >> 5 * place & 31] for place in range(2 * LETTERS))
    candidates = (plain, f"{plain}-{letters[:LETTERS]}", f"{plain}-{letters}")
    free = [each for each in candidates if each.casefold() not in used]
    return next((each for each in free if _fits(each, pattern)), free[0])


# Which of our relations a foreign link becomes.

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
    """Return the relation of a link between items of two types, None if unknown.

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


ITEMS = ".memory/project/items"


@dataclass(frozen=True, slots=True)
class ExistingItems:
    """Items and files of the project that an import has to respect.

    Foreign id → our id of earlier imports, ids of all other items, files of the project.
    """

    known: Mapping[str, str]
    taken: Collection[str] = ()
    files: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class AdoptedItem:
    """An item as it would be written, and where it is from."""

    item: TraceItem
    body: str
    foreign: ForeignItem


@dataclass(frozen=True, slots=True)
class Adoption:
    """All items of an import, and what it leaves out or changes.

    Each part that is left out or changed is one line, `file:line: why`.

    `renamed` are pairs of foreign id and ours. `kinds` maps a foreign kind to the types that its items became.
    """

    items: tuple[AdoptedItem, ...]
    left: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    kinds: Mapping[str, tuple[str, ...]]


def adopt(
    foreign: ForeignItems, policy: TracePolicy, choices: AdoptionChoices, here: ExistingItems, trust: Trust
) -> Adoption:
    """Return the items that a foreign tree becomes."""
    left = list(foreign.left)
    types: dict[str, str] = {}
    chosen: list[ForeignItem] = []
    for item in foreign.items:
        kind = type_for(item, foreign, policy, choices)
        if item.id in types:
            left.append(f"{item.place}: {item.id} appears twice; the first one was taken")
        elif kind is None:
            left.append(f"{item.place}: {item.id} demands nothing, and the workflow has no type {APART}")
        else:
            types[item.id] = kind
            chosen.append(item)
    ids = adopted_ids(types, policy.id_pattern, here.known, here.taken)
    wanted = [item for item in chosen if not _refused(item, ids[item.id], here, left)]
    plain = {item.id: _plain(item, types, ids, policy, choices, here, trust, left) for item in wanted}
    items = tuple(_stamped(each, plain, foreign.tool) for each in plain.values())
    renamed = tuple((item.id, ids[item.id]) for item in wanted if ids[item.id] != item.id)
    kinds: dict[str, list[str]] = {}
    for item in wanted:
        kinds.setdefault(item.kind, []).append(types[item.id])
    return Adoption(items, tuple(left), renamed, {kind: tuple(sorted(set(each))) for kind, each in kinds.items()})


def _refused(item: ForeignItem, name: str, here: ExistingItems, left: list[str]) -> bool:
    if item.id in here.known or name not in here.taken:
        return False
    left.append(f"{item.place}: an item {name} is here already, and no import of this made it")
    return True


def _plain(  # noqa: PLR0913, PLR0917 - one decision on all that is known
    item: ForeignItem,
    types: Mapping[str, str],
    ids: Mapping[str, str],
    policy: TracePolicy,
    choices: AdoptionChoices,
    here: ExistingItems,
    trust: Trust,
    left: list[str],
) -> AdoptedItem:
    """Return an item with no stamps yet."""
    own, title = types[item.id], title_of(item)
    method = method_for(item.verification) or choices.verification if item.normative else None
    links = tuple(_links(item, own, types, ids, policy, choices))
    body = body_of(item)
    text, reason = text_and_reason(body)
    refs = tuple(Ref(path) for path in item.files if path in here.files)
    left += [
        f"{item.place}: refers to a file that is not in this project ({path})"
        for path in item.files
        if path not in here.files
    ]
    name = ids[item.id]
    made = TraceItem(
        id=name,
        type=own,
        title=title,
        path=f"{ITEMS}/{own}/{name}.md",
        text=text,
        digest=own_digest(title, text, method, None, [(link.to, link.relation) for link in links]),
        status=status_for(item),
        verification=method,
        links=links,
        refs=refs,
        derived=item.derived,
        rationale=reason,
        trust=trust,
        tags=tuple(dict.fromkeys(item.tags)),
    )
    return AdoptedItem(made, body, item)


def _links(
    item: ForeignItem,
    own: str,
    types: Mapping[str, str],
    ids: Mapping[str, str],
    policy: TracePolicy,
    choices: AdoptionChoices,
) -> Iterator[Link]:
    seen: set[tuple[str, str]] = set()
    for link in item.links:
        to = ids.get(link.to, link.to)
        relation = relation_for(link.role, own, types.get(link.to), policy, choices.relation)
        if (to, relation) not in seen:
            seen.add((to, relation))
            yield Link(to, relation, 1)


def _stamped(adopted: AdoptedItem, all_of_them: Mapping[str, AdoptedItem], tool: str) -> AdoptedItem:
    item, foreign = adopted.item, adopted.foreign
    by_target = {each.to: each for each in reversed(foreign.links)}
    ours = {each.item.id: name for name, each in all_of_them.items()}
    links = []
    for link in item.links:
        theirs = by_target.get(ours.get(link.to, link.to))
        stamp = None
        if theirs is not None and theirs.stamp is not None:
            target = all_of_them.get(theirs.to)
            fits = theirs.holds and target is not None
            stamp = stamp_of_link(target.item.digest, item.digest) if fits and target else f"{tool}:{theirs.stamp}"
        links.append(replace(link, stamp=Stamp(stamp, f"tool:{tool}") if stamp else None))
    reviewed = None
    if foreign.reviewed is not None:
        mark = stamp_of_item(item.digest) if foreign.review_holds else f"{tool}:{foreign.reviewed}"
        reviewed = Stamp(mark, f"tool:{tool}")
    return replace(adopted, item=replace(item, links=tuple(links), reviewed=reviewed))
