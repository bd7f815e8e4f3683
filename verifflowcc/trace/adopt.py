"""What another tool holds, decided into items of ours: type, id, links, stamps, text. Nothing is read or written here.

A stamp of the other tool that holds becomes one of ours, made of what both ends say now; one that does not hold stays
as it is (`doorstop:…`), so that it shows as suspect or stale exactly where the other tool shows it.
"""

from collections.abc import Collection, Iterator, Mapping

from verifflowcc.domain.items import Link, Ref, Stamp, Trust
from verifflowcc.domain.trace import TraceItem
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.domain.trace_import import Foreign, ForeignItem
from verifflowcc.formats.fingerprint import own_digest, stamp_of_item, stamp_of_link
from verifflowcc.records import dataclass, replace
from verifflowcc.trace.adopt_ids import adopted_ids
from verifflowcc.trace.adopt_relations import relation_for
from verifflowcc.trace.adopt_text import body_of, text_and_reason, title_of
from verifflowcc.trace.adopt_words import APART, Choices, method_for, status_for, type_for

ITEMS = ".memory/project/items"


@dataclass(frozen=True, slots=True)
class Here:
    """What is here already: foreign id → our id of earlier imports, ids of all other items, files of the project."""

    known: Mapping[str, str]
    taken: Collection[str] = ()
    files: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Adopted:
    """An item as it would be written, and where it is from."""

    item: TraceItem
    body: str
    foreign: ForeignItem


@dataclass(frozen=True, slots=True)
class Adoption:
    """All items of an import; what is left out or changed on the way, each as `file:line: why`.

    `renamed` are pairs of foreign id and ours. `kinds` maps a foreign kind to the types that its items became.
    """

    items: tuple[Adopted, ...]
    left: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    kinds: Mapping[str, tuple[str, ...]]


def adopt(foreign: Foreign, policy: TracePolicy, choices: Choices, here: Here, trust: Trust) -> Adoption:
    """Return the items that a foreign tree becomes."""
    left = [*foreign.malformed, *foreign.left]
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
    ours = {each.item.id: name for name, each in plain.items()}
    items = tuple(_stamped(each, plain, ours, foreign.tool) for each in plain.values())
    renamed = tuple((item.id, ids[item.id]) for item in wanted if ids[item.id] != item.id)
    kinds: dict[str, list[str]] = {}
    for item in wanted:
        kinds.setdefault(item.kind, []).append(types[item.id])
    return Adoption(items, tuple(left), renamed, {kind: tuple(sorted(set(each))) for kind, each in kinds.items()})


def _refused(item: ForeignItem, name: str, here: Here, left: list[str]) -> bool:
    if item.id in here.known or name not in here.taken:
        return False
    left.append(f"{item.place}: an item {name} is here already, and no import of this made it")
    return True


def _plain(  # noqa: PLR0913, PLR0917 - one decision on all that is known
    item: ForeignItem,
    types: Mapping[str, str],
    ids: Mapping[str, str],
    policy: TracePolicy,
    choices: Choices,
    here: Here,
    trust: Trust,
    left: list[str],
) -> Adopted:
    """Return an item with no stamps yet; one of a whole export of vfcc has those that it had."""
    if item.own is not None:
        return _whole(item, item.own, types[item.id], ids, trust, left)
    own, title = types[item.id], title_of(item)
    method = method_for(item.verification) or choices.verification if item.normative else None
    level = item.integrity or None
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
        digest=own_digest(title, text, method, level, [(link.to, link.relation) for link in links]),
        status=status_for(item),
        verification=method,
        links=links,
        refs=refs,
        tests=item.tests,
        evidence=item.evidence,
        planned=item.planned or None,
        integrity=level,
        derived=item.derived,
        rationale=reason,
        trust=trust,
        tags=tuple(dict.fromkeys(item.tags)),
    )
    return Adopted(made, body, item)


def _whole(
    item: ForeignItem, own: TraceItem, kind: str, ids: Mapping[str, str], trust: Trust, left: list[str]
) -> Adopted:
    """Return an item as an export of vfcc has it. Only a person vouches for who reviewed and verified it."""
    person = trust is Trust.HUMAN
    if own.type != kind:
        left.append(f"{item.place}: the workflow has no type {own.type}; {item.id} becomes a {kind}")
    if own.verified and not person:
        left.append(f"{item.place}: a person's word that {item.id} was verified, which only a person imports")

    def vouched(stamp: Stamp | None) -> Stamp | None:
        return stamp if person or stamp is None else Stamp(stamp.fingerprint, "tool:vfcc")

    links = tuple(replace(each, to=ids.get(each.to, each.to), stamp=vouched(each.stamp)) for each in own.links)
    made = replace(
        own,
        id=ids[item.id],
        type=kind,
        path=f"{ITEMS}/{kind}/{ids[item.id]}.md",
        links=links,
        reviewed=vouched(own.reviewed),
        verified=own.verified if person else None,
        trust=trust,
    )
    return Adopted(made, item.body, item)


def _links(
    item: ForeignItem,
    own: str,
    types: Mapping[str, str],
    ids: Mapping[str, str],
    policy: TracePolicy,
    choices: Choices,
) -> Iterator[Link]:
    seen: set[tuple[str, str]] = set()
    for link in item.links:
        to = ids.get(link.to, link.to)
        exact = item.exact and link.role
        relation = link.role if exact else relation_for(link.role, own, types.get(link.to), policy, choices.relation)
        if (to, relation) not in seen:
            seen.add((to, relation))
            yield Link(to, relation, 1)


def _stamped(adopted: Adopted, all_of_them: Mapping[str, Adopted], ours: Mapping[str, str], tool: str) -> Adopted:
    """Return an item with its stamps; `ours` maps our ids to the foreign ones."""
    item, foreign = adopted.item, adopted.foreign
    if foreign.own is not None:
        return adopted
    by_target = {each.to: each for each in reversed(foreign.links)}
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
