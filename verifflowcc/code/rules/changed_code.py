"""What a diff changed, as pieces of a prompt: its hunks, and the code around them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.model.config_values import DIFF
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, replace
from verifflowcc.code.rules.bind_names import Sheet
from verifflowcc.code.rules.bind_queries import callers, subtypes, sure_uses
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.code_views import DIFF_LANGUAGE, Snippet
from verifflowcc.code.rules.graph import (
    CALLABLE,
    CONFIDENT,
    FILE,
    Definition,
    Mark,
    ReferenceKind,
    ReferenceLink,
    SearchedCode,
    SymbolKind,
    column_of,
    qualified,
)
from verifflowcc.code.rules.task_words import TaskTerms, WordCounter

if TYPE_CHECKING:
    from typing import Any

    from verifflowcc.base.model.patch import FileDiff, Hunk
    from verifflowcc.code.rules.rank_units import RankedUnit

# Which definitions use a changed one, directly or through others: references followed backwards, nearest first.

Node = tuple[str, int]
"""A definition by its file and place; the place `FILE` is what runs when the file is loaded."""

_Key = tuple[str, int, int]
"""A node, and of what runs when a file is loaded the line: each test of a script is such a line."""

FURTHEST = 6
"""References are followed so far: what is further away rarely breaks, and reaches most of a repository."""
MOST = 4_000
"""So many definitions are followed; a change that reaches more concerns the whole suite."""
WIDEST = 600
"""A definition with more uses than this is not followed through, unless it is changed itself: all code uses it."""
WIDELY = 120
"""Where more files than this speak of a name, its uses are looked for in the files that import it alone."""
_NAMED = frozenset({ReferenceKind.TYPE})
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_IMPLICIT = frozenset({"__init__", "__new__", "__post_init__", "constructor"})


@dataclass(frozen=True, slots=True)
class Reached:
    """A definition that uses the changed ones, with the reference by which it does and the definition it uses."""

    path: str
    place: int
    line: int
    distance: int
    confidence: int
    through: Node


@dataclass(frozen=True, slots=True)
class Reach:
    """All definitions reached, nearest first, then by path. `whole` is False where not all of them were followed.

    `partly` has the names of those that were followed in part, or not at all, since so much code speaks of the name.
    """

    found: tuple[Reached, ...]
    whole: bool = True
    partly: tuple[str, ...] = ()


UsingRow = tuple[str, int, int, int, bool]
"""A definition that uses one: file, place, the line of the reference, how sure it is, and whether nothing uses it by
its name in turn."""


@dataclass(frozen=True, slots=True)
class Users:
    """The definitions that surely use one, by `number` references; `everywhere`: all files were asked that may."""

    rows: tuple[UsingRow, ...]
    number: int
    everywhere: bool


def reach_of(binder: Binder, changed: Iterable[Node], *, furthest: int = FURTHEST) -> Reach:
    """Return the definitions that surely use the changed ones, and those that use these, at most so far away."""
    seen: dict[_Key, Reached] = {}
    level = sorted(set(changed))
    start = set(level)
    partly: dict[str, None] = {}
    whole = True
    for distance in range(1, furthest + 1):
        found: dict[_Key, Reached] = {}
        ends: set[Node] = set()
        for node in level:
            users = _users(binder, node, WIDELY if distance > 1 else 0)
            if not users.everywhere or (distance > 1 and users.number > WIDEST):
                partly[_name(binder, node)] = None
            if distance > 1 and users.number > WIDEST:
                continue
            sure = seen[*node, 0].confidence if (*node, 0) in seen else 100
            for path, place, line, confidence, is_end in users.rows:
                user = (path, place)
                key = (path, place, line if place == FILE else 0)
                if user in start or key in seen:
                    continue
                if is_end:
                    ends.add(user)
                each = Reached(path, place, line, distance, min(sure, confidence), node)
                if key not in found or found[key].confidence < each.confidence:
                    found[key] = each
        if len(seen) + len(found) > MOST:
            whole = False
            found = dict(sorted(found.items(), key=lambda pair: (-pair[1].confidence, pair[0]))[: MOST - len(seen)])
        seen |= found
        level = [(path, place) for path, place, _ in sorted(found) if (path, place) not in ends]
        if not level or len(seen) >= MOST:
            break
    ordered = tuple(sorted(seen.values(), key=lambda each: (each.distance, each.path, each.place)))
    return Reach(ordered, whole and not partly, tuple(partly))


def _users(binder: Binder, node: Node, most: int) -> Users:
    """Return the users of a definition: see `sure_uses`."""

    def users() -> Users:
        links, everywhere = _links_to(binder, node, most)
        rows = [
            (*user, link.line, link.confidence, _ends(binder, user))
            for link in links
            for user in users_of(binder, link)
        ]
        return Users(tuple(rows), len(links), everywhere)

    return binder.names.recalled(f"users {most} {node[1]} {node[0]}", users, _written, _read)


def _written(users: Users) -> "list[Any]":
    return [[*zip(*users.rows, strict=True)], users.number, users.everywhere]


def _read(written: "list[Any]") -> Users:
    columns, number, everywhere = written
    return Users(tuple(zip(*columns, strict=True)), number, everywhere)


def _name(binder: Binder, node: Node) -> str:
    return binder.names.sheet(node[0]).qualified(node[1])


def definitions_at(definitions: Sequence[Definition], lines: Iterable[int]) -> set[int]:
    """Return the innermost definitions that hold any of some lines; `FILE` for lines that are in none.

    A field or constant counts by itself; a variable inside a function is part of the function.
    """
    found = set()
    for line in lines:
        inside = [place for place, each in enumerate(definitions) if _holds(each, line)]
        callables = [place for place in inside if definitions[place].kind in CALLABLE]
        outer = min(callables, key=lambda place: definitions[place].start or definitions[place].line, default=FILE)
        if outer != FILE:
            found.add(outer)
        else:
            found.add(max(inside, key=lambda place: (definitions[place].line, place), default=FILE))
    return found


def users_of(binder: Binder, link: ReferenceLink) -> tuple[Node, ...]:
    """Return the definitions that a reference belongs to: a decorator's line belongs to what it decorates."""
    sheet = binder.names.sheet(link.path)
    place = link.symbol_number
    if place == FILE or sheet.is_type(place):
        place = max(_inner(sheet, place, link.line), default=(0, place))[1]
    while place != FILE and sheet.kinds[place] in (SymbolKind.VARIABLE, SymbolKind.FIELD):
        parent = sheet.parents[place]
        if parent == FILE or sheet.is_type(parent):
            break
        place = parent
    file = binder.code.files[link.path]
    if link.symbol_number == FILE != place and Mark.TEST in file.marks and file.language in _SCRIPTS:
        return ((link.path, place), (link.path, FILE))
    return ((link.path, place),)


def _inner(sheet: Sheet, place: int, line: int) -> Iterator[tuple[int, int]]:
    """Yield line and place of the definitions right inside of one that hold a line."""
    definitions = sheet.head.definitions
    lines, ends = column_of(definitions, "line"), column_of(definitions, "end")
    starts = column_of(definitions, "start")
    for each, parent in enumerate(sheet.parents):
        if parent == place and (starts[each] or lines[each]) <= line <= ends[each]:
            yield lines[each], each


def _holds(each: Definition, line: int) -> bool:
    return (each.start or each.line) <= line <= each.end


def _links_to(binder: Binder, node: Node, most: int) -> tuple[list[ReferenceLink], bool]:
    """Return the sure references to a definition, and whether all files were asked: see `sure_uses`.

    Those to its class count where objects are made or used without its name.
    """
    path, place = node
    if place == FILE:
        return [], True
    sheet = binder.names.sheet(path)
    name, parent = sheet.names[place], sheet.parents[place]
    links, everywhere = sure_uses(binder, path, place, most=most)
    if name in _IMPLICIT or (parent != FILE and name.startswith("__") and name.endswith("__")):
        of_class = callers(binder, path, place if name in _IMPLICIT else parent)
        sure = [number for number, confidence in enumerate(of_class.confidences) if confidence >= CONFIDENT]
        links += [of_class[number] for number in sure]  # an operator has no name where it is used
    if sheet.is_type(place):  # a type that is only named, in an annotation, does not run
        links = [link for link in links if link.kind not in _NAMED]
    return links, everywhere


def _ends(binder: Binder, node: Node) -> bool:
    """Whether nothing uses a definition by its name: a test, or what runs when a file is loaded."""
    path, place = node
    if place == FILE:
        return True
    name = binder.names.sheet(path).names[place]
    return Mark.TEST in binder.code.files[path].marks and name.lower().startswith("test")


def heirs_of(binder: Binder, path: str, place: int) -> tuple[Node, ...]:
    """Return the types that surely inherit from a type, also those that do so through another one."""
    waiting = [(path, place)]
    found: dict[Node, None] = {}
    while waiting:
        links = subtypes(binder, *waiting.pop(0))
        for number, confidence in enumerate(links.confidences):
            if confidence < CONFIDENT:
                break  # the surest are first
            link = links[number]
            node = (link.path, link.symbol_number)
            if node not in found and link.symbol_number != FILE:
                found[node] = None
                waiting.append(node)
    return tuple(found)


MOST_NAMES = 30
"""So many names of changed definitions stand for a task, where there is none."""

MOST_FILES = 30
"""So many files whose hunks are not all shown are named; of the others there is a sum."""

_LOCKED = lazy_pattern(r"(?:^|/)(?:[^/]+\.lock|[^/]+-lock\.(?:json|yaml)|go\.sum|npm-shrinkwrap\.json)$")
_UNSHOWN = {Mark.GENERATED: "generated", Mark.MINIFIED: "minified", Mark.VENDORED: "vendored"}


@dataclass(frozen=True, slots=True)
class ChangedCode:
    """A diff and what it is called. `local` marks one that other clones do not have."""

    name: str
    files: "tuple[FileDiff, ...]"
    local: bool = False


def without_noise(diff: ChangedCode, marks: Callable[[str], Collection[Mark]]) -> ChangedCode:
    """Return the diff without the hunks of files that are gone, locked, made by a program or somebody else's."""
    return replace(diff, files=tuple(_shown(each, marks) for each in diff.files))


def _shown(each: "FileDiff", marks: Callable[[str], Collection[Mark]]) -> "FileDiff":
    if each.unshown or not each.hunks:
        return each
    from verifflowcc.base.model.patch import DELETED

    why = next((word for mark, word in _UNSHOWN.items() if mark in marks(each.path)), "")
    why = why or ("generated" if _LOCKED.search(each.path) else "")
    why = why or ("deleted" if each.status == DELETED else "")
    return replace(each, hunks=(), unshown=why) if why else each


def hunk_pieces(
    diff: ChangedCode,
    asked: TaskTerms,
    code: SearchedCode,
    marks: Callable[[str], Collection[Mark]],
    count: Callable[[str], int],
) -> list[Snippet]:
    """Return the hunks as pieces: code before tests before other files; then by words of the task, then the largest."""
    from verifflowcc.code.rules.grammars import language_of

    wanted = WordCounter(asked.words)
    found = []
    for each in diff.files:
        group = 1 if Mark.TEST in marks(each.path) else 0 if language_of(each.path) else 2
        for hunk in each.hunks:
            words = wanted.counts("\n".join(hunk.lines))[0]
            weight = sum(asked.words[word] for word in sorted(words))
            order = (group, -weight, -hunk.added - hunk.removed, each.path, hunk.new, hunk.old)
            found.append((order, _piece(diff, each, hunk, sorted(words), code, count)))
    found.sort(key=lambda pair: pair[0])
    return [piece for _, piece in found]


def _piece(
    diff: ChangedCode,
    each: "FileDiff",
    hunk: "Hunk",
    words: Sequence[str],
    code: SearchedCode,
    count: Callable[[str], int],
) -> Snippet:
    first, last = hunk.new_range if hunk.new_range[1] >= hunk.new_range[0] else hunk.old_range
    name = _around(hunk, each.path, code)
    text = "\n".join([f"{hunk.header} {name}".rstrip(), *hunk.lines])
    why = f"+{hunk.added} -{hunk.removed}" + (f"; words: {' '.join(words)}" if words else "")
    return Snippet(
        path=each.path,
        first=first,
        last=last,
        name=name,
        text=text,
        tokens=count(text),
        why=why,
        language=DIFF_LANGUAGE,
        part=DIFF,
        of=diff.name,
        local=diff.local,
    )


def _around(hunk: "Hunk", path: str, code: SearchedCode) -> str:
    """Return the qualified name of the innermost definition around the first change, as the code has it now."""
    if path not in code.files:
        return ""
    line = _changed_lines(hunk)[0]
    definitions = code.head(path).definitions
    inside = [place for place, each in enumerate(definitions) if (each.start or each.line) <= line <= each.end]
    smallest = min(inside, key=lambda place: (definitions[place].end - definitions[place].line, place), default=FILE)
    return qualified(definitions, smallest)


def changed_units(diffs: Sequence[ChangedCode], code: SearchedCode) -> "list[RankedUnit]":
    """Return the functions and other pieces around changed lines, those with most changes first.

    Left out are pieces that a hunk holds whole.
    """
    changes: dict[str, list[int]] = {}
    for each, hunk, moved in _hunks(diffs):
        if each.path in code.files:
            changes.setdefault(each.path, []).extend(_moved(line, moved) for line in _changed_lines(hunk))
    held = held_lines(diffs)
    found = [unit for path, lines in changes.items() for unit in _units(path, lines, held[path], code)]
    found.sort(key=lambda each: (Mark.TEST in code.files[each.path].marks, -each.score, each.path, each.unit.first))
    return found


def changed_places(diffs: Sequence[ChangedCode], code: SearchedCode) -> tuple[tuple[str, int], ...]:
    """Return the definitions that hold changed lines, each as its file and place; `FILE` for lines that are in none."""
    lines: dict[str, set[int]] = {}
    for each, hunk, moved in _hunks(diffs):
        if each.path in code.files:
            lines.setdefault(each.path, set()).update(_moved(line, moved) for line in _changed_lines(hunk))
    return tuple(
        (path, place)
        for path in sorted(lines)
        for place in sorted(definitions_at(code.head(path).definitions, sorted(lines[path])))
    )


def held_lines(diffs: Sequence[ChangedCode]) -> dict[str, list[tuple[int, int]]]:
    """Return path → the ranges of lines, as the files are now, that hunks hold."""
    found: dict[str, list[tuple[int, int]]] = {}
    for each, hunk, moved in _hunks(diffs):
        first, last = hunk.new_range
        found.setdefault(each.path, []).append((_moved(first, moved), _moved(last, moved)))
    return found


def _hunks(diffs: Sequence[ChangedCode]) -> "Iterator[tuple[FileDiff, Hunk, FileDiff | None]]":
    """Yield every hunk with its file, and with the later diff of that file by which its lines have moved."""
    for number, diff in enumerate(diffs):
        later = {each.path: each for other in diffs[number + 1 :] for each in other.files}
        yield from ((each, hunk, later.get(each.path)) for each in diff.files for hunk in each.hunks)


def _units(
    path: str, changes: Sequence[int], whole: Sequence[tuple[int, int]], code: SearchedCode
) -> "Iterator[RankedUnit]":
    from verifflowcc.code.rules.rank_units import RankedUnit, units_of

    lines = [line.removesuffix("\r") for line in (code.text(path) or b"").decode("utf-8", "replace").split("\n")]
    definitions = code.head(path).definitions
    for unit in units_of(definitions, lines):
        count = sum(unit.first <= line <= unit.last for line in changes)
        if count and not any(first <= unit.first and unit.last <= last for first, last in whole):
            name = qualified(definitions, unit.place)
            shown = tuple(lines[unit.first - 1 : unit.last])
            yield RankedUnit(path, unit, name, float(count), shown, "around what changed")


def _changed_lines(hunk: "Hunk") -> list[int]:
    """Return the new side's numbers of the lines that are new, or behind which some are gone."""
    found, line = [], hunk.new
    for text in hunk.lines:
        if text[:1] in ("+", "-"):
            found.append(line)
        line += text[:1] in (" ", "+")
    return list(dict.fromkeys(found))


def _moved(line: int, by: "FileDiff | None") -> int:
    """Return where a line is after a later diff of its file."""
    before = [hunk for hunk in by.hunks if hunk.old_range[1] < line] if by else ()
    return line + sum(hunk.added - hunk.removed for hunk in before)


def words_of(units: "Sequence[RankedUnit]", diffs: Sequence[ChangedCode]) -> str:
    """Return a text in the place of a task: the names of what changed, and where."""
    names = dict.fromkeys(each.name.rpartition(".")[2] for each in units if each.name)
    paths = dict.fromkeys(each.path for diff in diffs for each in diff.files if each.hunks)
    return " ".join([*(f"`{name}`" for name in list(names)[:MOST_NAMES]), *list(paths)[:MOST_NAMES]])


def names_of(diff: ChangedCode, shown: Collection[tuple[str, str]]) -> str:
    """Return a line for each file with its lines added and removed, unless all its hunks are shown.

    `shown` are the path and the header of each hunk that is, without the header's end. Of many files the largest
    changes are named.
    """
    left = [(each, sum((each.path, _start(hunk)) in shown for hunk in each.hunks)) for each in diff.files]
    left = [(each, number) for each, number in left if not each.hunks or number < len(each.hunks)]
    largest = sorted(left, key=lambda pair: (-pair[0].added - pair[0].removed, pair[0].path))
    named, others = largest[:MOST_FILES], largest[MOST_FILES:]
    lines = [_name_of(each, number) for each, number in sorted(named, key=lambda pair: pair[0].path)]
    if others:
        added, removed = sum(each.added for each, _ in others), sum(each.removed for each, _ in others)
        lines.append(f"and {len(others):,} more files, +{added:,} -{removed:,}")
    return "\n".join(lines)


def _start(hunk: "Hunk") -> str:
    return hunk.header.removesuffix(" @@")


def _name_of(each: "FileDiff", shown: int) -> str:
    from verifflowcc.base.model.patch import CHANGED

    counts = "" if each.unshown == "binary" else f" +{each.added} -{each.removed}"
    hunks = f"{shown} of {len(each.hunks)} hunks shown" if shown else ""
    status = each.status if each.status != CHANGED else ""
    renamed = f"renamed from {each.was}" if each.was else status
    unshown = each.unshown if each.unshown != each.status else ""
    about = ", ".join(filter(None, (renamed, unshown, hunks)))
    return f"{each.path}{counts}" + (f" ({about})" if about else "")
