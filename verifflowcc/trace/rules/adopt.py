"""What another tool holds, decided into items of ours: type, id, links, stamps, text. Nothing is read or written here.

A stamp of the other tool that holds becomes one of ours, made of what both ends say now; one that does not hold stays
as it is (`doorstop:…`), so that it shows as suspect or stale exactly where the other tool shows it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from hashlib import sha256

from verifflowcc.base.model.item_values import Link, Ref, Relation, Stamp, Status, Trust
from verifflowcc.base.model.trace_codes import METHODS, TracePolicy
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.identifiers import ALPHABET, LETTERS, slug
from verifflowcc.base.text.markdown import close_fences
from verifflowcc.items.rules.import_values import ForeignItem, ForeignItems
from verifflowcc.trace.rules.fingerprint import fingerprinted, stamp_of_item, stamp_of_link
from verifflowcc.trace.rules.item_wording import with_rationale
from verifflowcc.trace.rules.trace_render import fitting

# Ids for what comes from another tool: its own where it can be one of ours, else one that follows from it.

_FILE_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,118}[A-Za-z0-9_+-])?")
_WRONG = re.compile(r"[^A-Za-z0-9._-]+")
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


# Other tools' words in ours: types, states and verification methods.

ADOPT_WORDS_USUAL = "requirement"
APART = "information"
"""The type of what has an id and demands nothing: headings and remarks."""

_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("feat", "feature", "goal", "story", "stakeholder", "usecase", "use-case", "epic"), "need"),
    **dict.fromkeys(("spec", "specification", "srs", "swreq", "sysreq", "shall"), ADOPT_WORDS_USUAL),
    **dict.fromkeys(("arch", "architecture", "design", "dsn", "module"), "component"),
    **dict.fromkeys(("impl", "implementation", "dd"), "unit"),
    **dict.fromkeys(("test", "tst", "utest", "itest", "stest", "testcase", "test-case"), "test_spec"),
    **dict.fromkeys(("risk", "threat", "safety-goal"), "hazard"),
}
_STATES: Mapping[str, Status] = {
    **dict.fromkeys(
        ("pending", "draft", "backlog", "proposed", "open", "new", "tbd", "in-review", "in-work", "todo"),
        Status.PENDING,
    ),
    **dict.fromkeys(
        ("rejected", "deprecated", "obsolete", "deleted", "retired", "inactive", "archived", "superseded", "withdrawn"),
        Status.ARCHIVED,
    ),
    **dict.fromkeys(
        ("active", "approved", "accepted", "agreed", "final", "valid", "released", "closed", "done", "stable"),
        Status.ACTIVE,
    ),
    **dict.fromkeys(("implemented", "complete", "completed", "verified"), Status.ACTIVE),
}
_METHODS: Mapping[str, str] = {
    **{name: name for name in METHODS},
    **dict.fromkeys(("t", "tests", "testing", "unit-test", "integration-test", "system-test"), "test"),
    **dict.fromkeys(("i", "inspect"), "inspection"),
    **dict.fromkeys(("r", "code-review", "peer-review", "review-of-design"), "review"),
    **dict.fromkeys(("a", "analyse", "analyze"), "analysis"),
    **dict.fromkeys(("d", "demo", "demonstrate"), "demonstration"),
    **dict.fromkeys(("m", "measurement", "metrics"), "metric"),
}


@dataclass(frozen=True, slots=True)
class AdoptionChoices:
    """What a person decided for an import.

    `types` maps a kind, or a pattern of files, to a type; `type` is that of all others. `verification` is the method of
    items that state none.
    """

    type: str | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    relation: str | None = None
    verification: str | None = None


def type_for(item: ForeignItem, foreign: ForeignItems, policy: TracePolicy, choices: AdoptionChoices) -> str | None:
    """Return the type that an item becomes; None where it demands nothing and the policy has no type for that.

    What the person said goes first: by kind, by file, for all. Then what demands nothing, then kinds at the top of
    their tree (the first type that needs no parent), then kinds that name a type, its prefix or a usual word for it.
    """
    file = item.place.rpartition(":")[0]
    for pattern, chosen in choices.types.items():
        if pattern == item.kind or fnmatchcase(file, pattern) or fnmatchcase(file.rpartition("/")[2], pattern):
            return chosen
    if not item.normative:
        return APART if APART in policy.types else None
    if choices.type:
        return choices.type
    if item.kind in foreign.tops:
        return _root(policy)
    return _named(item.kind, policy) or (
        ADOPT_WORDS_USUAL if ADOPT_WORDS_USUAL in policy.types else next(iter(policy.types))
    )


def status_for(item: ForeignItem) -> Status:
    """Return how far an item is in our words; one whose word is not known is active."""
    return _STATES.get(_folded(item.status), Status.ACTIVE) if item.active else Status.ARCHIVED


def state_is_known(word: str) -> bool:
    """Say whether a tool's word for a state has one of ours that says all of it."""
    return not word or _folded(word) in {"active", "pending", "draft", "archived"}


def method_for(word: str | None) -> str | None:
    """Return a verification method in our words; None where it is none of ours.

    >>> method_for("Unit Test"), method_for("I"), method_for("by faith")
    ('test', 'inspection', None)
    """
    return _METHODS.get(_folded(word)) if word else None


def _root(policy: TracePolicy) -> str:
    roots = (rule.name for rule in policy.types.values() if rule.root and rule.name != APART)
    return next(roots, ADOPT_WORDS_USUAL)


def _named(kind: str, policy: TracePolicy) -> str | None:
    if kind in policy.types:
        return kind
    word = _folded(kind)
    for rule in policy.types.values():
        if word and word in {_folded(rule.name), rule.prefix.lower()}:
            return rule.name
    found = _TYPES.get(word)
    return found if found in policy.types else None


def _folded(word: str) -> str:
    return slug(re.sub(r"[_\s]+", "-", word), "") if word else ""


# The title and the body that a foreign item becomes: its text, then sections that are no part of what it demands.

LONGEST_TITLE = 80
_MARKUP = re.compile(r"^[#>*+\s-]+|[*_`]+|[#*\s]+$")
_HEADING = re.compile(r"^(#{1,6})(?=[ \t]|$)", re.MULTILINE)


def title_of(item: ForeignItem) -> str:
    """Return an item's title; where it has none, the beginning of its text, else its id."""
    if item.title:
        return item.title
    first = next((line for line in item.text.split("\n") if _MARKUP.sub("", line).strip()), "")
    words = _MARKUP.sub("", " ".join(first.split())).strip()
    if len(words) > LONGEST_TITLE:
        words = words[: LONGEST_TITLE - 1].rpartition(" ")[0] + " …"
    return words or item.id


def body_of(item: ForeignItem) -> str:
    """Return the body of an item's file.

    What explains the item (rationale, comments, fields that have no place of their own) stands in sections that are not
    normative; a heading in them cannot end them.
    """
    if item.exact and (exact := _exact_body(item)) is not None:
        return exact
    parts = [close_fences(item.text).rstrip()]
    if item.rationale.strip():
        parts.append(f"## Rationale\n\n{_inside(item.rationale)}")
    if item.comments:
        parts.append("## Comments\n\n" + "\n\n".join(map(_inside, item.comments)))
    rest = dict(item.attributes)
    if not state_is_known(item.status):
        rest = {"status": item.status, **rest}
    if item.verification and method_for(item.verification) is None:
        rest = {"verification": item.verification, **rest}
    if rest:
        rows = (f"**{name}**: {_inside(value)}" for name, value in rest.items())
        parts.append("## Notes\n\n" + "\n\n".join(rows))
    return "\n\n".join(each for each in parts if each.strip())


def _exact_body(item: ForeignItem) -> str | None:
    """Return text and rationale with no word changed; None where they would not be read again as they are."""
    why = f"## Rationale\n\n{item.rationale}" if item.rationale else ""
    body = "\n\n".join(each for each in (item.text, why) if each)
    simple = not item.comments and not item.attributes
    return body if simple and with_rationale(body) == (item.text, item.rationale) else None


def text_and_reason(body: str) -> tuple[str, str]:
    """Return the normative part of a body and its rationale, as they are read from the file."""
    return with_rationale(body)


def _inside(text: str) -> str:
    return _HEADING.sub(r"\\\1", close_fences(text).strip("\n").rstrip())


ITEMS = ".memory/project/items"


@dataclass(frozen=True, slots=True)
class ExistingItems:
    """What is here already: foreign id → our id of earlier imports, ids of all other items, files of the project."""

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
    """All items of an import; what is left out or changed on the way, each as `file:line: why`.

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
        digest="",
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
    return AdoptedItem(fingerprinted(made), body, item)


def _whole(
    item: ForeignItem, own: TraceItem, kind: str, ids: Mapping[str, str], trust: Trust, left: list[str]
) -> AdoptedItem:
    """Return an item as an export of vfcc has it. Only a person vouches for who reviewed and verified it."""
    person = trust is Trust.HUMAN
    if own.type != kind:
        left.append(f"{item.place}: the workflow has no type {own.type}; {item.id} becomes a {kind}")
    if own.verified and not person:
        left.append(f"{item.place}: a person's word that {item.id} was verified, which only a person imports")

    def vouched(stamp: Stamp | None) -> Stamp | None:
        if person or stamp is None or (stamp.by or "").startswith("tool:"):
            return stamp
        return Stamp(stamp.fingerprint, "tool:vfcc")

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
    return AdoptedItem(made, item.body, item)


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
        exact = item.exact and link.role
        relation = link.role if exact else relation_for(link.role, own, types.get(link.to), policy, choices.relation)
        if (to, relation) not in seen:
            seen.add((to, relation))
            yield Link(to, relation, 1)


def _stamped(
    adopted: AdoptedItem, all_of_them: Mapping[str, AdoptedItem], ours: Mapping[str, str], tool: str
) -> AdoptedItem:
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
