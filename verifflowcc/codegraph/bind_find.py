"""Definitions by what a person writes for them: `name`, `Class.name`, `path::name`, `path:12`."""

from collections.abc import Callable, Iterable, Sequence

from verifflowcc.codegraph.bind_things import Thing, ThingKind
from verifflowcc.codegraph.binding import Binder
from verifflowcc.domain.graph import TYPES, Code, qualified
from verifflowcc.domain.graph_answers import Found


def definitions_named(code: Code, text: str) -> tuple[Found, ...]:
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


def found_at(code: Code, path: str, place: int) -> Found:
    """Return the definition at a place of a file."""
    definitions = code.head(path).definitions
    each = definitions[place]
    return Found(path, place, each.line, each.kind, qualified(definitions, place), each.signature)


def _paths(code: Code, text: str) -> list[str]:
    text = text.removeprefix("./")
    if text in code.files:
        return [text]
    return [each for each in code.files if each.endswith(f"/{text}")]


def _in_files(code: Code, paths: Sequence[str], name: str) -> tuple[Found, ...]:
    return _chosen(code, paths, name.rpartition(".")[2], lambda whole: whole == name or whole.endswith(f".{name}"))


def _whole(code: Code, name: str) -> tuple[Found, ...]:
    return _in_files(code, code.defining(name.rpartition(".")[2]), name)


def _inherited(code: Code, name: str) -> tuple[Found, ...]:
    """Return what `Class.name` is where the class has it from another one."""
    owner, _, last = name.rpartition(".")
    owners = [each for each in _whole(code, owner) if each.kind in TYPES] if owner else []
    if not owners:
        return ()
    types = [Thing(ThingKind.DEFINITION, each.path, each.place) for each in owners]
    members = [each for each in Binder(code).types.members(types, last) if each.kind is ThingKind.DEFINITION]
    found = [found_at(code, each.path, each.place) for each in members]
    return tuple(sorted(found, key=lambda each: (each.path, each.line, each.place)))


def _chosen(code: Code, paths: Sequence[str], last: str, fits: Callable[[str], bool]) -> tuple[Found, ...]:
    """Return the definitions of some files that are called `last` (any, if that is empty) and whose whole name fits."""
    code.heads(paths)
    found = []
    for path in paths:
        definitions = code.head(path).definitions
        for place, each in enumerate(definitions):
            if (not last or each.name == last) and fits(qualified(definitions, place)):
                found.append(found_at(code, path, place))
    return tuple(sorted(found, key=lambda each: (each.path, each.line, each.place)))


def _at_line(code: Code, path: str, line: int) -> Found | None:
    around = [place for place, each in enumerate(code.head(path).definitions) if each.line <= line <= each.end]
    return found_at(code, path, max(around)) if around else None


def _like(code: Code, name: str) -> tuple[Found, ...]:
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
