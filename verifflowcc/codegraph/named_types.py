"""The types that a task names: their members, and the signatures of those that have no room."""

import re
from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.codegraph.asked import LONGEST, Asked
from verifflowcc.codegraph.mix import signature, size_of
from verifflowcc.codegraph.rank_units import RankedUnit
from verifflowcc.domain.graph import CALLABLE, FILE, TYPES, SearchedCode, outwards
from verifflowcc.records import replace

MOST_TYPES = 3
"""A name that more types have says too little."""

OUTLINE_PERCENT = 10
"""The most that signatures of a type's other members take of the room."""

_NAME = re.compile(r"[A-Za-z_]\w*")


def named_types(task: str, asked: Asked, code: SearchedCode) -> Mapping[str, frozenset[int]]:
    """Return path → the places of the types that the task names, as code or as a capitalised word."""
    found: dict[str, set[int]] = {}
    for name, before in sorted(_names(task[:LONGEST], asked)):
        paths = [path for path in code.defining(name) if not before or before in _NAME.findall(path)]
        places = [(path, place) for path in paths for place in _types(code, path, name)]
        plain = [each for each in places if not code.files[each[0]].marks] or places
        for path, place in plain if len(plain) <= MOST_TYPES else ():
            found.setdefault(path, set()).add(place)
    return {path: frozenset(places) for path, places in found.items()}


def _names(text: str, asked: Asked) -> set[tuple[str, str]]:
    """Return each name with the word before its dot: `pathlib.Path` is no `Path` of another module."""
    found, words = set(), list(_NAME.finditer(text))
    for before, word in zip([None, *words], words, strict=False):
        if word[0][:1].isupper() or word[0] in asked.names:
            dotted = before is not None and text[before.end() : word.start()] == "."
            found.add((word[0], before[0] if before is not None and dotted else ""))
    return found


def marked(pieces: Sequence[RankedUnit], types: Mapping[str, frozenset[int]], code: SearchedCode) -> list[RankedUnit]:
    """Return the pieces, those of these types marked as named."""
    return [replace(each, named=True) if _is_of(each, types, code) else each for each in pieces]


def outlined(pieces: Sequence[RankedUnit], code: SearchedCode, room_chars: int) -> Iterator[RankedUnit]:
    """Yield the pieces, and behind those that fill half of the room the signatures of the named types' other members.

    So whoever reads some bodies of a class also sees what else it has.
    """
    used, waiting = 0, True
    for number, piece in enumerate(pieces):
        if waiting and used * 2 > room_chars:
            waiting = False
            yield from _signatures(pieces[number:], code, room_chars * OUTLINE_PERCENT // 100)
        used += size_of(piece)
        yield piece


def _signatures(pieces: Sequence[RankedUnit], code: SearchedCode, most_chars: int) -> Iterator[RankedUnit]:
    for piece in pieces:
        definitions = code.head(piece.path).definitions
        if not piece.named or definitions[piece.unit.place].kind not in CALLABLE:
            continue
        found = signature(piece, definitions)
        most_chars -= size_of(found) if found else 0
        if most_chars < 0:
            return
        if found:
            yield found


def _types(code: SearchedCode, path: str, name: str) -> Iterator[int]:
    for place, each in enumerate(code.head(path).definitions):
        if each.kind in TYPES and each.name == name:
            yield place


def _is_of(piece: RankedUnit, types: Mapping[str, frozenset[int]], code: SearchedCode) -> bool:
    places = types.get(piece.path)
    if not places or piece.unit.place == FILE:
        return False
    around = outwards(code.head(piece.path).definitions, piece.unit.place)
    return piece.unit.place in places or not places.isdisjoint(around)
