"""Questions to the code graph: who calls, uses, inherits from and imports what. Only files that may matter are read.

Each takes the `Code` of a repository, or a `Binder` of it where several questions are asked in a row.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from posixpath import dirname
from typing import TYPE_CHECKING

from verifflowcc.code.rules.bind_names import Sheet
from verifflowcc.code.rules.binding import Binder, BoundReference
from verifflowcc.code.rules.bound_things import Thing, ThingKind
from verifflowcc.code.rules.graph import (
    CONFIDENT,
    FILE,
    TYPES,
    BindingCandidate,
    BindingResult,
    Code,
    Dependency,
    Import,
    LinkStart,
    LocatedDefinition,
    Reference,
    ReferenceKind,
    ReferenceLink,
    ReferenceLinks,
    column_of,
    parts_imported,
    qualified,
)

if TYPE_CHECKING:
    from typing import Any

# Definitions by what a person writes for them: `name`, `Class.name`, `path::name`, `path:12`.


def definitions_named(code: Code, text: str) -> tuple[LocatedDefinition, ...]:
    """Return the definitions that a text may mean, by path and line.

    Whole names first; only where there are none what a type inherits under such a name, then those that differ in case,
    and then those that have it as a part.
    A path may be given by its end. `path:12` is the innermost definition around a line.
    """
    text = text.strip()
    path, split, name = text.partition("::")
    if split and (paths := _paths(code, path)):
        return _in_files(code, paths, name.replace("::", "."))
    path, _, line = text.rpartition(":")
    if path and line.isdigit():
        return tuple([around for each in _paths(code, path) if (around := _at_line(code, each, int(line)))])
    name = text.replace("::", ".").removesuffix("()")
    return _whole(code, name) or _inherited(code, name) or _like(code, name)


def found_at(code: Code, path: str, place: int) -> LocatedDefinition:
    """Return the definition at a place of a file."""
    definitions = code.head(path).definitions
    each = definitions[place]
    return LocatedDefinition(path, place, each.line, each.kind, qualified(definitions, place), each.signature)


def _paths(code: Code, text: str) -> list[str]:
    text = text.removeprefix("./")
    if text in code.files:
        return [text]
    return [each for each in code.files if each.endswith(f"/{text}")]


def _in_files(code: Code, paths: Sequence[str], name: str) -> tuple[LocatedDefinition, ...]:
    return _chosen(code, paths, name.rpartition(".")[2], lambda whole: whole == name or whole.endswith(f".{name}"))


def _whole(code: Code, name: str) -> tuple[LocatedDefinition, ...]:
    return _in_files(code, code.defining(name.rpartition(".")[2]), name)


def _inherited(code: Code, name: str) -> tuple[LocatedDefinition, ...]:
    """Return what `Class.name` is where the class has it from another one."""
    owner, _, last = name.rpartition(".")
    owners = [each for each in _whole(code, owner) if each.kind in TYPES] if owner else []
    if not owners:
        return ()
    types = [Thing(ThingKind.DEFINITION, each.path, each.place) for each in owners]
    members = [each for each in Binder(code).types.members(types, last) if each.kind is ThingKind.DEFINITION]
    found = [found_at(code, each.path, each.place) for each in members]
    return tuple(sorted(found, key=lambda each: (each.path, each.line, each.place)))


def _chosen(code: Code, paths: Sequence[str], last: str, fits: Callable[[str], bool]) -> tuple[LocatedDefinition, ...]:
    """Return the definitions of some files that are called `last` (any, if that is empty) and whose whole name fits."""
    code.heads(paths)
    found = []
    for path in paths:
        definitions = code.head(path).definitions
        for place, each in enumerate(column_of(definitions, "name")):
            if (not last or each == last) and fits(qualified(definitions, place)):
                found.append(found_at(code, path, place))
    return tuple(sorted(found, key=lambda each: (each.path, each.line, each.place)))


def _at_line(code: Code, path: str, line: int) -> LocatedDefinition | None:
    around = [place for place, each in enumerate(code.head(path).definitions) if each.line <= line <= each.end]
    return found_at(code, path, max(around)) if around else None


def _like(code: Code, name: str) -> tuple[LocatedDefinition, ...]:
    """Return the definitions whose whole name is `name` in another case, or else has it as a part."""
    low = name.lower()
    if not low:
        return ()
    last = low.rpartition(".")[2]
    names_like: Callable[[str], Iterable[str]] | None = getattr(code, "names_like", None)
    if names_like is None:
        paths = list(code.files)
    else:
        paths = sorted({path for each in names_like(last) for path in code.defining(each)})
    same = _chosen(code, paths, "", lambda whole: f".{whole.lower()}".endswith(f".{low}"))
    return same or _chosen(code, paths, "", lambda whole: low in whole.lower())


_MAKERS = frozenset({"__init__", "__new__", "constructor"})
_CALLS = frozenset({ReferenceKind.CALL})
_INHERITS = frozenset({ReferenceKind.INHERIT})
_ALL = frozenset(ReferenceKind)
_INNER = frozenset({"__init__", "index", "mod", "main"})
_AT_ONCE = 500
"""The references of so many files are read at once."""


def callers(code: Code | Binder, path: str, place: int) -> ReferenceLinks:
    """Return the calls that may mean the definition at a place of a file, surest first, then by path and line.

    Of what makes objects of a class (`__init__`), the calls of the class are among them.
    """
    binder = _binder(code)
    found = [_calls_of(binder, path, place)]
    sheet = binder.names.sheet(path)
    if place != FILE and sheet.names[place] in _MAKERS and sheet.parents[place] != FILE:
        found.append(_calls_of(binder, path, sheet.parents[place]))
    return _by_confidence(found)


def uses(code: Code | Binder, path: str, place: int) -> ReferenceLinks:
    """Return all that may speak of the definition at a place of a file: calls, values, types, and what inherits."""
    return _by_confidence([_referring(_binder(code), path, place, _ALL)])


def subtypes(code: Code | Binder, path: str, place: int) -> ReferenceLinks:
    """Return the types that may inherit from the type at a place of a file; each link is inside of such a type."""
    return _by_confidence([_referring(_binder(code), path, place, _INHERITS)])


def supertypes(code: Code | Binder, path: str, place: int) -> tuple[ReferenceLink, ...]:
    """Return what the type at a place of a file inherits from, in the order in which it is written."""
    return _links_of(_binder(code), path, place, _INHERITS, deep=False)


def callees(code: Code | Binder, path: str, place: int) -> tuple[ReferenceLink, ...]:
    """Return the calls that stand in the definition at a place of a file, or in what it holds, by line."""
    return _links_of(_binder(code), path, place, _CALLS, deep=True)


def imports(code: Code | Binder, path: str) -> tuple[Dependency, ...]:
    """Return what a file imports, by line, each with the files of the repository that are meant."""
    binder = _binder(code)
    return tuple([_dependency(binder, path, each) for each in binder.names.sheet(path).head.imports])


def imported_by(code: Code | Binder, path: str) -> tuple[Dependency, ...]:
    """Return the imports of all files that take something from a file, by path and line."""
    binder = _binder(code)
    found = []
    parts = {*_parts(path), *_namespace(binder, path)}
    others = sorted({each for part in parts for each in binder.names.importing(part)} - {path})
    binder.code.heads(others)
    for other in others:
        language, taken = binder.code.files[other].language, binder.code.head(other).imports
        asked = zip(column_of(taken, "module"), column_of(taken, "name"), strict=True)
        for number, (module, name) in enumerate(asked):
            if name in parts or not parts.isdisjoint(parts_imported(module, language)) or not module.strip("./"):
                each = _dependency(binder, other, taken[number])
                if path in each.files:
                    found.append(each)
    return tuple(found)


def _binder(code: Code | Binder) -> Binder:
    return code if isinstance(code, Binder) else Binder(code)


def sure_uses(binder: Binder, path: str, place: int, *, most: int = 0) -> tuple[list[ReferenceLink], bool]:
    """Return the uses that surely mean a definition, and whether all files were asked that speak of its name.

    Where more than `most` files do, only its own is and those that import it; of these, where they are as many, those
    in its own folder.
    """
    own = binder.names.sheet(path).names[place]
    family = binder.names.manner(path).family
    near: frozenset[str] | None = None
    if most and len(_files_of(binder, own, family)) > most:
        near = frozenset({path, *(each for part in _parts(path) for each in binder.names.importing(part))})
        if len(near) > most:
            near = frozenset(each for each in near if dirname(each) == dirname(path))
    rows = [row for part in _referring(binder, path, place, _ALL, least=CONFIDENT, within=near) for row in part]
    return [*ReferenceLinks(rows)], near is None


_Row = tuple[LinkStart, BindingCandidate, BindingResult]


def _referring(
    binder: Binder,
    path: str,
    place: int,
    kinds: frozenset[ReferenceKind],
    *,
    least: int = 0,
    within: frozenset[str] | None = None,
) -> Sequence[Sequence[_Row]]:
    """Return the references of some kinds, in any file or those given, that may mean a definition.

    They come by name, and those of a name by path, then in order. With `least`, only those at least so sure.
    """
    found = []
    for name, files in _speaking(binder, path, place):
        asked = files if within is None else [each for each in files if each in within]
        found.append(_meaning(binder, _all_spoken(binder, asked, name, kinds), (path, place), least))
    return found


def _all_spoken(
    binder: Binder, files: Sequence[str], name: str, kinds: frozenset[ReferenceKind]
) -> Iterator[BoundReference]:
    for start, other in enumerate(files):
        if not start % _AT_ONCE:
            binder.names.load_references(files[start : start + _AT_ONCE], name)
        yield from _spoken(binder, other, name, kinds)


def _meaning(
    binder: Binder, spoken: Iterable[BoundReference], meant: tuple[str, int], least: int = 0
) -> Sequence[_Row]:
    """Return those of some references that may mean a definition, at least so surely."""
    known: dict[int, BindingCandidate | None] = {}
    rows: list[_Row] = []
    for about, bound in spoken:
        number = id(bound)
        if number not in known:  # a binder keeps what it has bound: the number stays that of this one
            known[number] = binder.candidate(bound, meant)
        candidate = known[number]
        if candidate is not None and candidate.confidence >= least:
            rows.append((about, candidate, bound))
    return rows


HUB = 40
"""Where so many files speak of a name, who calls what is called so is kept."""


def _calls_of(binder: Binder, path: str, place: int) -> Sequence[Sequence[_Row]]:
    """Return the calls that may mean a definition, as `_referring` does; of a hub those that are kept."""
    names = binder.names
    family = names.manner(path).family
    if names.kept is None or len(_files_of(binder, names.sheet(path).names[place], family)) < HUB:
        return _referring(binder, path, place, _CALLS)

    def speaking() -> Sequence[str]:
        return [name for name, _ in _speaking(binder, path, place)]

    called = names.recalled(f"names {place} {path}", speaking, _as_it_is, _as_it_is)
    return [_meaning(binder, _calls_kept(binder, name, family), (path, place)) for name in called]


def _as_it_is(names: Sequence[str]) -> Sequence[str]:
    return names


def _calls_kept(binder: Binder, name: str, family: str) -> Sequence[BoundReference]:
    """Return all calls of a name, bound: the definitions of it share them."""

    def calls() -> Sequence[BoundReference]:
        return [*_all_spoken(binder, _files_of(binder, name, family), name, _CALLS)]

    def read(written: "list[Any]") -> Sequence[BoundReference]:
        results, (paths, receivers, insides), columns = written
        bound = [BindingResult(tuple([BindingCandidate(*each) for each in some]), out) for some, out in results]
        return [
            ((paths[at], line, ReferenceKind.CALL, name, receivers[by], inside, insides[called]), bound[number])
            for at, line, by, inside, called, number in zip(*columns, strict=True)
        ]

    known = binder.called.get((family, name))
    if known is None:
        known = binder.called[family, name] = binder.names.recalled(
            f"calls {family} {name}", calls, _calls_written, read
        )
    return known


def _calls_written(calls: Sequence[BoundReference]) -> "list[Any]":
    """Return calls as JSON: what they may mean, texts, and columns of numbers; each of them once."""
    results: dict[BindingResult, int] = {}
    by_id: dict[int, int] = {}
    texts: tuple[dict[str, int], ...] = ({}, {}, {})
    rows = []
    for (path, line, _, _, receiver, inside, around), bound in calls:
        number = by_id.get(id(bound))
        if number is None:
            number = by_id[id(bound)] = results.setdefault(bound, len(results))
        at, by, called = [
            known.setdefault(text, len(known)) for known, text in zip(texts, (path, receiver, around), strict=True)
        ]
        rows.append((at, line, by, inside, called, number))
    written = [
        ([(each.path, each.place, each.confidence, each.why) for each in bound.candidates], bound.external)
        for bound in results
    ]
    return [written, [*map(list, texts)], [*zip(*rows, strict=True)] or [[]] * 6]


def _spoken(binder: Binder, path: str, name: str, kinds: frozenset[ReferenceKind]) -> Sequence[BoundReference]:
    """Return the references of a file to a name, bound: several definitions of it are asked about in a row."""

    def spoken() -> Sequence[BoundReference]:
        sheet = binder.names.sheet(path)
        found = [
            (_about(path, each, sheet), binder.bound(path, each))
            for each in binder.names.spoken(path, name)
            if each.kind in kinds
        ]
        found.sort(key=_in_file)
        return found

    return binder.once(binder.spoken, (path, name, kinds), spoken)


def _in_file(row: BoundReference) -> tuple[int, str, ReferenceKind]:
    _, line, kind, _, receiver, _, _ = row[0]
    return line, receiver, kind


def _about(path: str, each: Reference, sheet: Sheet) -> LinkStart:
    return (path, each.line, each.kind, each.name, each.receiver, each.inside, sheet.qualified(each.inside))


def _files_of(binder: Binder, name: str, family: str) -> Sequence[str]:
    """Return the files of a family of languages that speak of a name."""
    binder.names.asked(name)
    known = binder.speaking.get((name, family))
    if known is None:
        files = [each for each in binder.code.referring(name) if binder.names.manner(each).family == family]
        known = binder.speaking[name, family] = files
    return known


def _speaking(binder: Binder, path: str, place: int) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the names by which a definition may be spoken of, each with the files that do: its own, then aliases."""
    own = binder.names.sheet(path).names[place]
    family = binder.names.manner(path).family
    names, waiting = {own}, [own]
    while waiting:
        name = waiting.pop()
        files = _files_of(binder, name, family)
        binder.code.heads(files)
        aliases = set(_aliases(binder, files, name, path, place))
        if family == "script" and name == own:
            importing = {each for part in _parts(path) for each in binder.names.importing(part)}
            aliases |= set(_aliases(binder, sorted(importing), "default", path, place))
        waiting += sorted(aliases - names)
        names |= aliases
        yield name, files


def _aliases(binder: Binder, files: Iterable[str], name: str, path: str, place: int) -> Iterator[str]:
    """Yield what a definition is called where files import it under another name."""
    for other in files:
        imports = binder.names.sheet(other).head.imports
        names = column_of(imports, "name")
        for number, each in enumerate(names) if name in names else ():
            if each == name and (taken := imports[number]).alias not in ("", "*", name):
                things = binder.names.imported(other, taken)
                if any(one.path == path and one.place == place for one in things):
                    yield taken.alias


def _links_of(
    binder: Binder, path: str, place: int, kinds: frozenset[ReferenceKind], *, deep: bool
) -> tuple[ReferenceLink, ...]:
    sheet = binder.names.sheet(path)
    found = []
    for reference in binder.code.references(path):
        if reference.kind not in kinds:
            continue
        if reference.inside == place or (deep and place in sheet.around(reference.inside)):
            candidates = binder.bound(path, reference).candidates
            found.append(_link(binder, path, reference, candidates[0] if candidates else None))
    return tuple(found)


def _link(binder: Binder, path: str, reference: Reference, candidate: BindingCandidate | None) -> ReferenceLink:
    bound = binder.bound(path, reference)
    about = _about(path, reference, binder.names.sheet(path))
    return ReferenceLink(*about, candidate, bound.candidates, bound.external)


def _by_confidence(found: Sequence[Sequence[Sequence[_Row]]]) -> ReferenceLinks:
    """Return rows, which are in order by path, line, receiver and kind for each name, in this order, surest first."""
    parts = [part for each in found for part in each if part]
    rows: list[_Row] = [*parts[0]] if len(parts) == 1 else sorted(chain.from_iterable(parts), key=_in_all)
    by_confidence: dict[int, list[_Row]] = {}
    for row in rows:
        by_confidence.setdefault(row[1].confidence, []).append(row)
    return ReferenceLinks([row for sure in sorted(by_confidence, reverse=True) for row in by_confidence[sure]])


def _in_all(row: _Row) -> tuple[str, int, str, ReferenceKind]:
    path, line, kind, _, receiver, _, _ = row[0]
    return path, line, receiver, kind


def _dependency(binder: Binder, path: str, taken: Import) -> Dependency:
    files: list[str] = []
    sources = binder.names.sources(path, taken)
    defined = bool(sources) and all(_has(binder, each, taken.name) for each in sources)
    for each in sources if defined else binder.names.loaded(path, taken):
        files += _within(binder, path, each) if each.endswith("/") else [each]
    around = binder.names.sheet(path).qualified(taken.inside)
    return Dependency(path, taken.line, taken.module, taken.name, taken.alias, tuple(files), taken.inside, around)


def _has(binder: Binder, path: str, name: str) -> bool:
    return not path.endswith("/") and bool(binder.names.sheet(path).defined.get(FILE, name))


def _within(binder: Binder, path: str, folder: str) -> list[str]:
    """Return the files right in a folder whose language is that of `path`."""
    family = binder.names.manner(path).family
    return [each for each in binder.names.modules.folder(folder[:-1]) if binder.names.manner(each).family == family]


def _namespace(binder: Binder, path: str) -> tuple[str, ...]:
    """Return the last part of the name of the Python package without `__init__` that a file is in."""
    folder = path.rpartition("/")[0]
    is_namespace = binder.names.manner(path).family == "python" and not binder.names.modules.is_package(folder)
    return (folder.rpartition("/")[2],) if folder and is_namespace else ()


def _parts(path: str) -> tuple[str, ...]:
    """Return by which last parts of a module's name a file may be imported; an empty one is its own folder's."""
    folder, _, last = path.rpartition("/")
    stem = last.partition(".")[0]
    above = folder.rpartition("/")[2]
    return (stem, above, "") if stem in _INNER or last.endswith(".go") else (stem, last)
