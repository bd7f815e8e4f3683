"""All checks of remembered items in one run: what is wrong, and of how many things was asked."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from operator import attrgetter

from verifflowcc.base.model.findings import FindingCollector
from verifflowcc.base.model.item_values import (
    KNOWN_KEYS,
    NOTE,
    TURN,
    USER_TYPES,
    Item,
    ScopeKind,
    Status,
    item_type,
    type_of_path,
)
from verifflowcc.base.model.trace_values import TraceReport
from verifflowcc.base.text.plain_words import folded, nearest
from verifflowcc.base.text.secrets import withhold
from verifflowcc.memory.rules.lifetimes import has_ended, last_day, why_ended
from verifflowcc.memory.rules.memory_codes import CHECKS, MemoryFamily
from verifflowcc.memory.rules.memory_findings import (
    CheckedItem,
    MemorySources,
    check_links,
    check_vouching,
)

# Checks of files and fields: each can be read, and says what its type and its keys can say.

_FILE_CODES = tuple(code for code, check in CHECKS.items() if check.family is MemoryFamily.FILES)
_STEPS = {
    "unreadable-file": "repair {path}, or remove it",
    "not-utf8": "iconv -f WINDOWS-1252 -t UTF-8 {path}",
    "too-large": "split {path}",
    "link-outside": "put the file itself at {path}",
    "conflict-markers": "edit {path}, and keep what is right",
}
_OF_TYPES = " is not in the table of types"
_OWN_WORDS = frozenset({"reviewer", "reviewers"})
"""Words that are one letter from a key of ours and that people use with their own meaning."""


def check_files(sources: MemorySources, tell: FindingCollector) -> None:
    """Tell what could not be read as an item, and why."""
    tell.ask(_FILE_CODES, len(sources.items) + len(sources.unread))
    for each in sources.unread:
        step = _STEPS.get(each.code, "edit {path}").format(path=each.path)
        tell.place(each.code, each.path, each.line, each.why, step)


def check_fields(sources: MemorySources, tell: FindingCollector) -> None:
    """Tell of front matter, types, values and keys. What the fields of trace items say is `check trace`'s business."""
    tell.ask(("unknown-type",), len(sources.items))
    for looked in sources.items:
        _check_type(looked, sources, tell)
        traced = looked.item.type in sources.trace_types
        if not traced:
            tell.ask(("bad-value",), 1)
            tell.ask(("near-key",), len(looked.unknown))
            _check_keys(looked, tell)
        for notice in looked.notices:
            _check_notice(looked, notice, tell, traced=traced)


def _check_type(looked: CheckedItem, sources: MemorySources, tell: FindingCollector) -> None:
    item = looked.item
    if item.type in sources.types:
        return
    near = nearest(item.type, sources.types)
    message = f"type {item.type!r} is in no table" + (f"; did you mean {near}?" if near else "")
    step = f"write `type: {near}` in {item.path}" if near else f"give {item.path} a type of the table"
    tell.item("unknown-type", item, looked.line("type"), message, step, item.type)


def _check_notice(looked: CheckedItem, notice: str, tell: FindingCollector, *, traced: bool) -> None:
    item = looked.item
    place, _, sentence = notice.removeprefix(f"{item.path}:").partition(": ")
    line = int(place) if place.isdecimal() else 1
    if sentence.startswith("front matter"):
        tell.item("bad-front-matter", item, line, sentence, f"edit {item.path}, line {line}", sentence)
    elif _OF_TYPES not in sentence and not traced:
        tell.item("bad-value", item, line, sentence, f"edit {item.path}, line {line}", sentence)


def _check_keys(looked: CheckedItem, tell: FindingCollector) -> None:
    for key in looked.unknown:
        meant = next((known for known in KNOWN_KEYS if one_apart(key, known)), None)
        if meant and key not in _OWN_WORDS and meant not in looked.lines:
            message = f"{key} is no key that vfcc knows; did you mean {meant}?"
            step = f"write `{meant}:` in {looked.item.path}, line {looked.line(key)}"
            tell.item("near-key", looked.item, looked.line(key), message, step, key)


def one_apart(word: str, other: str) -> bool:
    """Say whether one letter more, less, other or swapped with the next makes one word the other; case counts not.

    >>> [one_apart(word, "expires") for word in ("expirse", "expire", "Expires", "expiry", "exists")]
    [True, True, True, False, False]
    """
    a, b = word.lower().replace("-", "_"), other
    if word == other or min(len(a), len(b)) < 3 or abs(len(a) - len(b)) > 1:
        return False
    start = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest, others = a[start:], b[start:]
    swapped = rest[:2] == others[:2][::-1] and rest[2:] == others[2:]
    return rest[1:] == others[1:] or rest[1:] == others or rest == others[1:] or swapped


# Checks of names: an id, a key and a file's name each mean one item.


def check_identity(sources: MemorySources, tell: FindingCollector) -> None:
    """Report ids, keys and names that mean more than one item.

    Two trace items with one id are reported by `check trace`.
    """
    items = sorted(sources.items, key=lambda each: each.item.path)
    tell.ask(("duplicate-id", "alike-names"), len(items))
    for same in _groups((each, each.item.id) for each in items):
        for first, other in _pairs(same):
            if not (first.item.type in sources.trace_types and other.item.type in sources.trace_types):
                message = f"{other.item.id} is the id of {first.item.path} too"
                step = f"give {other.item.path} an id of its own"
                tell.item("duplicate-id", other.item, other.line("id"), message, step, "", [first.item.path])
    held = [each for each in items if each.item.path not in sources.superseded]
    _memory_identity_check_keys(held, tell)
    _check_alike_texts(held, sources.trace_types, tell)
    _check_alike(items, tell)


def _memory_identity_check_keys(items: Sequence[CheckedItem], tell: FindingCollector) -> None:
    keyed = [each for each in items if each.item.key and each.item.status is Status.ACTIVE]
    tell.ask(("duplicate-key",), len(keyed))
    for same in _groups((each, f"{each.item.scope}\0{each.item.type}\0{each.item.key}") for each in keyed):
        for first, other in _pairs(same):
            item = other.item
            message = f"{item.id} and {first.item.id} are both active with the key {item.key}"
            step = f"vfcc memory forget {item.id}"
            tell.item("duplicate-key", item, other.line("key"), message, step, item.key or "", [first.item.path])


def _check_alike_texts(items: Sequence[CheckedItem], traced: Collection[str], tell: FindingCollector) -> None:
    """Tell of items with ids of their own that say the same; pages without an id are as a person arranged them."""
    holding = (Status.ACTIVE, Status.PENDING)
    made = [each for each in items if "id" in each.lines and each.item.status in holding and each.item.type != TURN]
    tell.ask(("duplicate-item",), len(made))
    made.sort(key=lambda each: (each.item.status is not Status.ACTIVE, each.item.created or "", each.item.path))
    for same in _groups((each, _says(each)) for each in made):
        for first, other in _pairs(same):
            item, kept = other.item, first.item
            if item.id == kept.id or (item.key and item.status is kept.status is Status.ACTIVE):
                continue  # reported as one id, or one key, of two items
            merging = f"vfcc memory link {kept.id} supersedes {item.id}"
            if item.type in traced:
                merging = f"vfcc memory forget {item.id}"
            step = f"vfcc memory reject {item.id}" if item.status is Status.PENDING else merging
            message = f"{item.id} says the same as {kept.id}"
            tell.item("duplicate-item", item, other.line("title"), message, step, "", [kept.path])


def _says(each: CheckedItem) -> str:
    return "\0".join((each.item.scope, each.item.type, each.item.key or "", each.says))


def _check_alike(items: Sequence[CheckedItem], tell: FindingCollector) -> None:
    for what, name in (("path", attrgetter("path")), ("id", attrgetter("id"))):
        for same in _groups((each, folded(name(each.item))) for each in items):
            seen = {name(same[0].item)}
            for each in same[1:]:
                own = name(each.item)
                if own not in seen and not (what == "id" and _follows_path(each.item)):
                    first = same[0].item
                    message = f"the {what} {own} differs from {name(first)} in case or Unicode form alone"
                    line = each.line("id") if what == "id" else 1
                    tell.item("alike-names", each.item, line, message, f"rename {own}", what, [first.path])
                seen.add(own)


def _follows_path(item: Item) -> bool:
    """Whether the id was made from the path, whose clash is reported already."""
    return item.path.startswith(item.id)


def _groups(pairs: Iterable[tuple[CheckedItem, str]]) -> list[list[CheckedItem]]:
    found: dict[str, list[CheckedItem]] = defaultdict(list)
    for each, name in pairs:
        found[name].append(each)
    return [same for same in found.values() if len(same) > 1]


def _pairs(same: Sequence[CheckedItem]) -> list[tuple[CheckedItem, CheckedItem]]:
    return [(same[0], other) for other in same[1:]]


# Checks of where an item is, and of where in its life.

_USER = "user"
_EITHER = frozenset({NOTE, "pattern", "decision", "convention", "fact", "guideline", "insight", "summary", "question"})
"""What a person may well keep for themselves, whatever scope its type has by default."""


def check_place(sources: MemorySources, tell: FindingCollector) -> None:
    """Tell of items that lie in another scope or folder than their type belongs to."""
    tell.ask(("wrong-folder", "in-both"), len(sources.items))
    for looked in sources.items:
        item = looked.item
        tell.ask(("project-type-in-user" if item.scope == _USER else "user-type-in-project",), 1)
        folder = type_of_path(item.path)
        if folder not in (NOTE, item.type):
            message = f"{item.id} is of type {item.type} and lies in the folder of {folder}"
            step = f"move {item.path} to the folder of {item.type}, or correct its type"
            tell.item("wrong-folder", item, looked.line("type"), message, step, folder)
        if item.id in sources.elsewhere and not item.path.startswith(item.id):
            other = sources.elsewhere[item.id]
            message = f"{item.id} is here and in {other}, as an interrupted move leaves it"
            tell.item("in-both", item, looked.line("id"), message, f"vfcc memory show {item.id}", "", [other])
        _check_scope(looked, tell)


def _check_scope(looked: CheckedItem, tell: FindingCollector) -> None:
    item = looked.item
    if item.scope == "project" and item.type in USER_TYPES and item.type not in _EITHER:
        message = f"{item.id} is a {item.type}, which is about a person, and lies in the project"
        step = f"vfcc memory move {item.id} --to user"
        tell.item("user-type-in-project", item, looked.line("type"), message, step)
    home = item_type(item.type)
    if item.scope == _USER and home.name and home.scope is not ScopeKind.USER and item.type not in _EITHER:
        message = f"{item.id} is of type {item.type}, which belongs to a {home.scope}, and lies in user memory"
        step = f"vfcc memory move {item.id} --to project"
        tell.item("project-type-in-user", item, looked.line("type"), message, step)


def check_life(sources: MemorySources, tell: FindingCollector) -> None:
    """Tell of items that have ended and still hold, that wait for a person, or were used in days to come."""
    for looked in sources.items:
        item = looked.item
        tell.ask(("pending",), 1)
        tell.ask(("expired",), last_day(item, sources.ttl_days) is not None)
        tell.ask(("future-use",), item.uses.last is not None)
        tell.ask(("stale-summary",), item.type == "summary")
        if item.status is Status.PENDING:
            by = item.source.actor
            message = f"{item.id} was proposed by {by} and waits for a person"
            tell.item("pending", item, looked.line("status"), message, f"vfcc memory promote {item.id}")
        if item.status is Status.ACTIVE and has_ended(item, sources.today, sources.ttl_days):
            message = f"{item.id} has ended and is active: {why_ended(item, sources.ttl_days)}"
            tell.item("expired", item, looked.line("expires"), message, "vfcc memory maintain")
        if item.path in sources.stale:
            message = f"{item.id} {sources.stale[item.path]}"
            tell.item("stale-summary", item, looked.line("links"), message, "vfcc memory maintain")
        if item.uses.last is not None and item.uses.last[:10] > sources.today:
            message = f"{item.id} was last used on {item.uses.last[:10]}, which is yet to come"
            tell.item("future-use", item, looked.line("uses"), message, f"correct uses in {item.path}")


def check_memory(sources: MemorySources) -> TraceReport:
    """Return what all checks say; equal sources give an equal report, whatever their order.

    `counts` of the report maps a type to its items, and a file that could not be read counts as `unread`.
    """
    tell = FindingCollector(CHECKS, shown=withhold)
    check_files(sources, tell)
    check_fields(sources, tell)
    check_identity(sources, tell)
    check_links(sources, tell)
    check_place(sources, tell)
    check_life(sources, tell)
    check_vouching(sources, tell)
    counts = Counter(each.item.type for each in sources.items)
    if sources.unread:
        counts["unread"] = len(sources.unread)
    return TraceReport(tell.findings(), tell.asked(), {name: counts[name] for name in sorted(counts)})
