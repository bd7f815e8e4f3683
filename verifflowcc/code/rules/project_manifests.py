"""Files that say how a project's modules are found: `tsconfig.json`, `package.json`, `go.mod`; read as imports are.

What such a file says is kept as `Import`s: `alias` is one of the words below, `module` and `name` are a pair of it.
"""

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from posixpath import dirname, normpath
from typing import TYPE_CHECKING

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.graph import Import

if TYPE_CHECKING:
    from typing import Protocol

    class Find(Protocol):
        """What finds the file of a path."""

        def __call__(self, path: str, typed: bool | None = None, /) -> tuple[str, ...]:
            """Return the file, none where there is none."""


MANIFEST = "="
"""The mark before the kind of a manifest where a source file has its language."""
BASE, PATHS, EXTENDS = "baseUrl", "paths", "extends"
"""Of a tsconfig: the folder of bare modules; a pattern and one of its targets; the configuration it extends."""
NAME, ENTRY, EXPORTS, INNER, DEPENDENCY = "name", "main", "exports", "imports", "dependency"
"""Of a package: its name; its main file; a path in it, or an inner `#name`, with one target; what it depends on."""
GO_MODULE, GO_REPLACE = "module", "replace"

_MOST = 4_000
_TSCONFIG = lazy_pattern(r"(?:ts|js)config(?:\.[\w-]+)*\.json")
_TOKEN = lazy_pattern(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=\s*(?://[^\n]*\s*|/\*.*?\*/\s*)*[}\]])', re.DOTALL)
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


# Which file a JavaScript or TypeScript module means by the project's configuration.
#
# In the order of TypeScript and Node: `imports` of the package for `#name`, `paths` and `baseUrl` of the nearest
# tsconfig with what it extends, then the packages of the repository by their names, with `exports`.
# https://www.typescriptlang.org/docs/handbook/modules/reference.html, https://nodejs.org/api/packages.html

_DEEPEST = 10
_TYPED = frozenset({"ts", "tsx", "mts", "cts"})
_BUILT = ("dist/", "build/", "lib/", "out/", "es/", "esm/", "cjs/")
_NODE = frozenset(
    "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain"
    " events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl"
    " stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib".split()
)


@dataclass(frozen=True, slots=True)
class PathRules:
    """What a tsconfig says: the folder of bare modules, None for none; patterns, each with targets from the root."""

    base: str | None = None
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()


class ScriptModules:
    """Resolves modules that are no relative paths.

    `find` returns the file that a path means, whatever its ending, in TypeScript or not where that is asked.
    """

    def __init__(self, manifests: Mapping[str, Sequence[Import]], find: "Find", files: Container[str]) -> None:
        self._find, self._files = find, files
        self._configs = {path: each for path, each in manifests.items() if path.rpartition("/")[2] != "package.json"}
        self._packages = {
            dirname(path): each for path, each in manifests.items() if path.rpartition("/")[2] == "package.json"
        }
        self._named: dict[str, str] = {}
        for folder in sorted(self._packages, key=lambda each: (len(each), each), reverse=True):
            for each in self._packages[folder]:
                if each.alias == NAME:
                    self._named[each.name] = folder
        self._dependencies = {
            each.module for rows in self._packages.values() for each in rows if each.alias == DEPENDENCY
        }
        self._rules: dict[str, tuple[PathRules, ...]] = {}

    def sources(self, path: str, module: str) -> tuple[str, ...]:
        """Return the file that a module means in the file at `path`; none where no configuration says so."""
        if module.startswith("#"):
            return self._inner(path, module)
        return self._by_config(path, module) or self._by_package(module)

    def is_outside(self, module: str) -> bool:
        """Say whether a module is a declared dependency or part of Node; without any package.json all are."""
        if not self._packages or module.startswith(("node:", "bun:", "deno:", "http:", "https:", "npm:", "jsr:")):
            return True
        name = package_name(module)
        return name in self._dependencies or f"@types/{name}" in self._dependencies or name in _NODE

    def entry(self, folder: str, typed: bool | None = None) -> tuple[str, ...]:
        """Return the main file that the package in a folder names, if it is here."""
        for each in self._packages.get(folder, ()):
            if each.alias == ENTRY and (found := self._find(_joined(folder, each.name), typed)):
                return found
        return ()

    def _inner(self, path: str, module: str) -> tuple[str, ...]:
        for folder in _upwards(path):
            if folder in self._packages:
                return self._mapped(folder, module, INNER, (None,))
        return ()

    def _by_config(self, path: str, module: str) -> tuple[str, ...]:
        for folder in _upwards(path):
            for rules in self._rules_in(folder):
                found = self._by_paths(rules, module)
                if not found and rules.base is not None:
                    found = self._target(_joined(rules.base, module))
                if found:
                    return found
        return ()

    def _by_paths(self, rules: PathRules, module: str) -> tuple[str, ...]:
        fitting = [(pattern, targets) for pattern, targets in rules.paths if _middle(pattern, module) is not None]
        if not fitting:
            return ()
        pattern, targets = max(fitting, key=lambda each: ("*" not in each[0], len(each[0].partition("*")[0])))
        middle = _middle(pattern, module) or ""
        return next((found for each in targets if (found := self._target(each.replace("*", middle, 1)))), ())

    def _rules_in(self, folder: str) -> tuple[PathRules, ...]:
        """Return the rules of the configurations in a folder, `tsconfig.json` first."""
        if folder not in self._rules:
            inside = sorted(
                (path for path in self._configs if dirname(path) == folder),
                key=lambda path: (not path.endswith("tsconfig.json"), not path.endswith("jsconfig.json"), path),
            )
            self._rules[folder] = tuple([self._rules_of(path, 0) for path in inside])
        return self._rules[folder]

    def _rules_of(self, path: str, depth: int) -> PathRules:
        rows, folder = self._configs.get(path, ()), dirname(path)
        above = PathRules()
        for each in rows:
            if each.alias == EXTENDS and depth < _DEEPEST and (target := self._extended(folder, each.name)):
                other = self._rules_of(target, depth + 1)
                above = PathRules(other.base if other.base is not None else above.base, other.paths or above.paths)
        base = next((_joined(folder, each.name) for each in rows if each.alias == BASE), above.base)
        own: dict[str, list[str]] = {}
        from_folder = base if base is not None else folder
        for each in rows:
            if each.alias == PATHS:
                own.setdefault(each.module, []).append(_joined(from_folder, each.name))
        paths = tuple((pattern, tuple(targets)) for pattern, targets in own.items())
        return PathRules(base, paths or above.paths)

    def _extended(self, folder: str, name: str) -> str:
        if name.startswith("."):
            whole = _joined(folder, name)
        else:
            package = package_name(name)
            if package not in self._named:
                return ""
            whole = _joined(self._named[package], name[len(package) + 1 :] or "tsconfig.json")
        tries = (whole, f"{whole}.json", _joined(whole, "tsconfig.json"))
        return next((each for each in tries if each in self._configs), "")

    def _by_package(self, module: str) -> tuple[str, ...]:
        name = package_name(module)
        if name not in self._named:
            return ()
        folder, rest = self._named[name], module[len(name) + 1 :]
        if found := self._mapped(folder, f"./{rest}" if rest else ".", EXPORTS, (True, False)):
            return found
        if rest:
            whole = _joined(folder, rest)
            typed = self._find(whole, True) or self._find(whole, False)
            return typed or self._at(folder, rest) or self._at(folder, f"src/{rest}")
        for each in self._packages[folder]:
            if each.alias == ENTRY and (found := self._at(folder, each.name)):
                return found
        tries = ("src/index", "index", "src/main", "main", "mod")
        return next((found for each in tries if (found := self._at(folder, each))), ())

    def _mapped(self, folder: str, module: str, word: str, passes: Sequence[bool | None]) -> tuple[str, ...]:
        """Return the file of the first target that is here, of the most exact entry of `exports` or `imports`."""
        entries = [each for each in self._packages[folder] if each.alias == word]
        fitting = {each.module for each in entries if _middle(each.module, module) is not None}
        for pattern in sorted(fitting, key=lambda each: ("*" in each, -len(each.partition("*")[0]), each)):
            middle = _middle(pattern, module) or ""
            targets = [each.name.replace("*", middle) for each in entries if each.module == pattern]
            tries = [(target, typed) for typed in passes for target in targets]
            exact = next((found for each in tries if (found := self._exact(folder, *each))), ())
            if found := exact or next((found for each in targets if (found := self._at(folder, each))), ()):
                return found
        return ()

    def _exact(self, folder: str, target: str, typed: bool | None) -> tuple[str, ...]:
        """Return the file of a target as TypeScript finds it: one of its own endings in no other place than its own."""
        whole = _joined(folder, target)
        stem, dot, ending = whole.rpartition(".")
        if not dot or "/" in ending:
            return ()
        if ending not in _TYPED:
            found = self._find(whole, typed)
            return found if found and found[0].startswith(f"{stem}.") else ()
        if typed is not False:
            return (whole,) if whole in self._files else ()
        return next(((each,) for each in (f"{stem}.js", f"{stem}.jsx") if each in self._files), ())

    def _target(self, path: str) -> tuple[str, ...]:
        """Return the file of a path; TypeScript tries each ending in the place of the one that is written."""
        stem, _, ending = path.rpartition(".")
        return self._find(path) or (self._find(stem) if ending in _TYPED else ())

    def _at(self, folder: str, target: str) -> tuple[str, ...]:
        """Return the file of a target; of a built one, the source that it is built from."""
        plain = target.removeprefix("./")
        if found := self._target(_joined(folder, plain)):
            return found
        for built in _BUILT:
            if plain.startswith(built):
                inner = plain[len(built) :]
                for ending in (".d.ts", ".d.mts", ".d.cts"):
                    inner = inner.removesuffix(ending)
                for source in ("src/", ""):
                    if found := self._find(_joined(folder, source + inner)):
                        return found
        return ()


def package_name(module: str) -> str:
    """Return the package of a module: `@a/b/c` → `@a/b`, `a/b` → `a`."""
    parts = module.split("/")
    return "/".join(parts[:2]) if module.startswith("@") else parts[0]


def _middle(pattern: str, module: str) -> str | None:
    """Return the text that the star of a pattern matches; empty where there is none, None where it does not fit."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if pattern == module else None
    fits = module.startswith(before) and module.endswith(after) and len(module) >= len(before) + len(after)
    return module[len(before) : len(module) - len(after)] if fits else None


def _joined(folder: str, path: str) -> str:
    whole = normpath(f"{folder}/{path}" if folder else path)
    return "" if whole == "." else whole


def _upwards(path: str) -> Iterator[str]:
    folder = dirname(path)
    while folder:
        yield folder
        folder = dirname(folder)
    yield ""
