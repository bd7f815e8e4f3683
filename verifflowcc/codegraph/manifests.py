"""Files that say how a project's modules are found: `tsconfig.json`, `package.json`, `go.mod`; read as imports are.

What such a file says is kept as `Import`s: `alias` is one of the words below, `module` and `name` are a pair of it.
"""

import json
import re
from collections.abc import Iterator

from verifflowcc.domain.graph import Import

MANIFEST = "="
"""The mark before the kind of a manifest where a source file has its language."""
BASE, PATHS, EXTENDS = "baseUrl", "paths", "extends"
"""Of a tsconfig: the folder of bare modules; a pattern and one of its targets; the configuration it extends."""
NAME, ENTRY, EXPORTS, INNER, DEPENDENCY = "name", "main", "exports", "imports", "dependency"
"""Of a package: its name; its main file; a path in it, or an inner `#name`, with one target; what it depends on."""
GO_MODULE, GO_REPLACE = "module", "replace"

_MOST = 4_000
_TSCONFIG = re.compile(r"(?:ts|js)config(?:\.[\w-]+)*\.json")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=\s*(?://[^\n]*\s*|/\*.*?\*/\s*)*[}\]])', re.DOTALL)
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_ENTRIES = ("source", "types", "typings", "module", "main", "browser")


def manifest_kind(path: str) -> str:
    """Return the kind of a manifest by its path: `tsconfig`, `package`, `go`; empty for any other file."""
    if path.endswith(".json"):
        name = path.rpartition("/")[2]
        if name == "package.json":
            return "package"
        return "tsconfig" if _TSCONFIG.fullmatch(name) else ""
    return "go" if path == "go.mod" or path.endswith("/go.mod") else ""


def read_manifest(kind: str, data: bytes) -> tuple[Import, ...]:
    """Return what a manifest says; nothing for one that cannot be read."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff")
    read = {"tsconfig": _tsconfig, "package": _package, "go": _go}[kind]
    return tuple([Import(*each, number) for number, each in enumerate(read(text), 1) if number <= _MOST])


def plain_json(text: str) -> object:
    """Return the value of JSON with comments and trailing commas; None where it is no such text.

    >>> plain_json('{"a": "//b", /* c */ "d": [1, 2,],} // e')
    {'a': '//b', 'd': [1, 2]}
    """
    try:
        return json.loads(_TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else "", text))
    except (ValueError, RecursionError):
        return None


def _tsconfig(text: str) -> Iterator[tuple[str, str, str]]:
    document = plain_json(text)
    if not isinstance(document, dict):
        return
    extended = document.get("extends")
    for each in extended if isinstance(extended, list) else [extended]:
        if isinstance(each, str):
            yield EXTENDS, each, EXTENDS
    options = document.get("compilerOptions")
    if not isinstance(options, dict):
        return
    if isinstance(options.get("baseUrl"), str):
        yield BASE, options["baseUrl"], BASE
    paths = options.get("paths")
    for pattern, targets in paths.items() if isinstance(paths, dict) else ():
        for target in targets if isinstance(targets, list) else ():
            if isinstance(target, str):
                yield pattern, target, PATHS


def _package(text: str) -> Iterator[tuple[str, str, str]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(document, dict):
        return
    if isinstance(document.get("name"), str):
        yield NAME, document["name"], NAME
    for key in _ENTRIES:
        if isinstance(document.get(key), str):
            yield ".", document[key], ENTRY
    for key, word in (("exports", EXPORTS), ("imports", INNER)):
        given = document.get(key)
        if isinstance(given, dict) and any(name.startswith((".", "#")) for name in given):
            for name, targets in given.items():
                yield from ((name, each, word) for each in _targets(targets, 0))
        else:
            yield from ((".", each, word) for each in _targets(given, 0))
    for key in _DEPENDENCIES:
        table = document.get(key)
        yield from ((name, "", DEPENDENCY) for name in (table if isinstance(table, dict) else ()))


def _targets(value: object, depth: int) -> Iterator[str]:
    """Yield the paths of an export under all conditions, in the order in which they are written."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict) and depth < 10:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _targets(each, depth + 1)


def _go(text: str) -> Iterator[tuple[str, str, str]]:
    block = ""
    for line in text.split("\n"):
        words = line.partition("//")[0].replace("(", " ( ").split()
        if words[1:] == ["("]:
            block = words[0]
        elif words == [")"]:
            block = ""
        elif words:
            verb, *rest = [block, *words] if block else words
            if verb == "module" and rest:
                yield GO_MODULE, rest[0].strip('"'), GO_MODULE
            elif verb == "require" and rest:
                yield rest[0], "", DEPENDENCY
            elif verb == "replace" and "=>" in rest and rest[-1].startswith("."):
                yield rest[0], rest[-1], GO_REPLACE
