"""Which definitions use a changed one, directly or through others: references followed backwards, nearest first."""

from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.codegraph.bind_queries import callers, subtypes, uses
from verifflowcc.codegraph.binding import Binder
from verifflowcc.domain.graph import CALLABLE, FILE, TYPES, Definition, Mark, ReferenceKind, SymbolKind
from verifflowcc.domain.graph_answers import CONFIDENT, Link
from verifflowcc.records import dataclass

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
    """All definitions reached, nearest first, then by path. `whole` is False where not all of them were followed."""

    found: tuple[Reached, ...]
    whole: bool = True


def reach_of(binder: Binder, changed: Iterable[Node], *, furthest: int = FURTHEST) -> Reach:
    """Return the definitions that surely use the changed ones, and those that use these, at most so far away."""
    seen: dict[_Key, Reached] = {}
    level = sorted(set(changed))
    start = set(level)
    whole = True
    for distance in range(1, furthest + 1):
        found: dict[_Key, Reached] = {}
        for node in level:
            links = tuple(_links_to(binder, node))
            if distance > 1 and len(links) > WIDEST:
                whole = False
                continue
            sure = seen[*node, 0].confidence if (*node, 0) in seen else 100
            for link in links:
                for user in users_of(binder, link):
                    key = (*user, link.line if user[1] == FILE else 0)
                    if user in start or key in seen:
                        continue
                    each = Reached(*user, link.line, distance, min(sure, link.confidence), node)
                    if key not in found or found[key].confidence < each.confidence:
                        found[key] = each
        if len(seen) + len(found) > MOST:
            whole = False
            found = dict(sorted(found.items(), key=lambda pair: (-pair[1].confidence, pair[0]))[: MOST - len(seen)])
        seen |= found
        level = [(path, place) for path, place, _ in sorted(found) if not _ends(binder, (path, place))]
        if not level or len(seen) >= MOST:
            break
    return Reach(tuple(sorted(seen.values(), key=lambda each: (each.distance, each.path, each.place))), whole)


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


def users_of(binder: Binder, link: Link) -> tuple[Node, ...]:
    """Return the definitions that a reference belongs to: a decorator's line belongs to what it decorates."""
    definitions = binder.names.sheet(link.path).head.definitions
    place = link.inside
    if place == FILE or definitions[place].kind in TYPES:
        inner = [each for each, found in enumerate(definitions) if found.parent == place and _holds(found, link.line)]
        place = max(inner, key=lambda each: (definitions[each].line, each), default=place)
    while place != FILE and definitions[place].kind in (SymbolKind.VARIABLE, SymbolKind.FIELD):
        parent = definitions[place].parent
        if parent == FILE or definitions[parent].kind in TYPES:
            break
        place = parent
    file = binder.code.files[link.path]
    if link.inside == FILE != place and Mark.TEST in file.marks and file.language in _SCRIPTS:
        return ((link.path, place), (link.path, FILE))
    return ((link.path, place),)


def _holds(each: Definition, line: int) -> bool:
    return (each.start or each.line) <= line <= each.end


def _links_to(binder: Binder, node: Node) -> Iterator[Link]:
    """Yield the sure references to a definition; those to its class where objects are made or used without its name."""
    path, place = node
    if place == FILE:
        return
    definition = binder.names.sheet(path).definition(place)
    links: list[Link] = [*uses(binder, path, place)]
    if definition.name in _IMPLICIT:
        links += callers(binder, path, place)
    elif definition.name.startswith("__") and definition.name.endswith("__") and definition.parent != FILE:
        links += callers(binder, path, definition.parent)  # an operator has no name where it is used
    by_name = definition.kind in TYPES  # a type that is only named, in an annotation, does not run
    yield from (link for link in links if link.confidence >= CONFIDENT and not (by_name and link.kind in _NAMED))


def _ends(binder: Binder, node: Node) -> bool:
    """Whether nothing uses a definition by its name: a test, or what runs when a file is loaded."""
    path, place = node
    if place == FILE:
        return True
    name = binder.names.sheet(path).definition(place).name
    return Mark.TEST in binder.code.files[path].marks and name.lower().startswith("test")


def heirs_of(binder: Binder, path: str, place: int) -> tuple[Node, ...]:
    """Return the types that surely inherit from a type, also those that do so through another one."""
    waiting = [(path, place)]
    found: dict[Node, None] = {}
    while waiting:
        for link in subtypes(binder, *waiting.pop(0)):
            node = (link.path, link.inside)
            if link.confidence >= CONFIDENT and node not in found and link.inside != FILE:
                found[node] = None
                waiting.append(node)
    return tuple(found)
