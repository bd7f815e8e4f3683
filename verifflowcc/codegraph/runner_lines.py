"""Command lines that run some tests and no others, by the runner."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence

from verifflowcc.domain.code_reach import AffectedTest, CommandForTests

_Lines = Callable[[Sequence[AffectedTest]], list[tuple[str, int]]]


def commands_for(tests: Sequence[AffectedTest], wanted: str | None = None) -> tuple[CommandForTests, ...]:
    """Return the commands that run the tests of each language, by its usual runner, or those that `wanted` runs."""
    found = []
    for name in FORMATS if wanted is None else (wanted,):
        languages = _LANGUAGES[name]
        mine = [each for each in tests if each.language in languages or not languages]
        if mine and (wanted is not None or name in _USUAL):
            found += [CommandForTests(name, line, number) for line, number in _RUNNERS[name](mine)]
    return tuple(found)


def _files(tests: Sequence[AffectedTest]) -> list[str]:
    return sorted({each.path for each in tests})


def _by_file(tests: Sequence[AffectedTest]) -> dict[str, list[str]]:
    """Return path → the names of its tests; none where all of a file is meant."""
    found: dict[str, list[str]] = {}
    for each in sorted(tests, key=lambda each: (each.path, each.name)):
        found.setdefault(each.path, []).append(each.name)
    return {path: [] if "" in names else names for path, names in found.items()}


def _pytest(tests: Sequence[AffectedTest]) -> list[tuple[str, int]]:
    ids = [f"{path}::{name}" if name else path for path, names in _by_file(tests).items() for name in names or [""]]
    return [(f"pytest {shlex.join(ids)}", len(tests))]


def _unittest(tests: Sequence[AffectedTest]) -> list[tuple[str, int]]:
    names = []
    for path, inner in _by_file(tests).items():
        module = path.removesuffix(".py").replace("/", ".")
        names += [f"{module}.{each.replace('::', '.')}" for each in inner] or [module]
    return [(f"python -m unittest {shlex.join(names)}", len(tests))]


def _script(program: str, option: str) -> _Lines:
    def lines(tests: Sequence[AffectedTest]) -> list[tuple[str, int]]:
        by_file = _by_file(tests)
        words = [*program.split(), *by_file]
        titles = sorted({name.replace(" > ", " ") for names in by_file.values() for name in names})
        if titles and all(by_file.values()):
            words += [option, f"^({'|'.join(map(re.escape, titles))})$".replace("\\ ", " ")]
        return [(shlex.join(words), len(tests))]

    return lines


def _go(tests: Sequence[AffectedTest]) -> list[tuple[str, int]]:
    folders: dict[str, list[str]] = {}
    for each in tests:
        folders.setdefault(each.path.rpartition("/")[0], []).append(each.name.partition("/")[0])
    found = []
    for folder, names in sorted(folders.items()):
        pattern = f"^({'|'.join(sorted(set(names)))})$" if all(names) else "."
        found.append((shlex.join(["go", "test", f"./{folder}" if folder else ".", "-run", pattern]), len(names)))
    return found


def _cargo(tests: Sequence[AffectedTest]) -> list[tuple[str, int]]:
    names = sorted({each.name.rpartition("::")[2] for each in tests if each.name})
    return [(shlex.join(["cargo", "test", "--", *names]), len(tests))]


def _maven(tests: Sequence[AffectedTest]) -> list[tuple[str, int]]:
    classes: dict[str, list[str]] = {}
    for each in tests:
        kind, _, method = each.name.rpartition(".")
        classes.setdefault(kind or each.path.rpartition("/")[2].partition(".")[0], []).append(method)
    parts = [
        f"{kind}#{'+'.join(sorted(set(names)))}" if all(names) else kind for kind, names in sorted(classes.items())
    ]
    return [(shlex.join(["mvn", "test", f"-Dtest={','.join(parts)}"]), len(tests))]


def _paths(tests: Sequence[AffectedTest]) -> list[tuple[str, int]]:
    return [(path, sum(each.path == path for each in tests)) for path in _files(tests)]


_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_PYTHON = frozenset({"python"})
_RUNNERS: Mapping[str, _Lines] = {
    "pytest": _pytest,
    "unittest": _unittest,
    "vitest": _script("npx vitest run", "-t"),
    "jest": _script("npx jest", "-t"),
    "go": _go,
    "cargo": _cargo,
    "maven": _maven,
    "rspec": lambda tests: [(shlex.join(["rspec", *_files(tests)]), len(tests))],
    "phpunit": lambda tests: [(shlex.join(["phpunit", path]), number) for path, number in _paths(tests)],
    "paths": _paths,
}
_LANGUAGES: Mapping[str, frozenset[str]] = {
    "pytest": _PYTHON,
    "unittest": _PYTHON,
    "vitest": _SCRIPTS,
    "jest": _SCRIPTS,
    "go": frozenset({"go"}),
    "cargo": frozenset({"rust"}),
    "maven": frozenset({"java"}),
    "rspec": frozenset({"ruby"}),
    "phpunit": frozenset({"php"}),
    "paths": frozenset(),
}
FORMATS = tuple(_RUNNERS)
"""The runners for which command lines are written; `paths` is the files alone, a line each."""
_USUAL = frozenset({"pytest", "vitest", "go", "cargo", "maven", "rspec", "phpunit"})
