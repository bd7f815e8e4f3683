"""Read a change for a proof: its files with their contents, the project's settings, the tests in a test file."""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from verifflowcc.adapters.git.versions import TreeFile, contents
from verifflowcc.adapters.git.work_tree import FOLDER
from verifflowcc.codegraph.grammars import language_of, read_facts
from verifflowcc.codegraph.script_shape import script_shape
from verifflowcc.domain.graph import CALLABLE, FILE, Definition
from verifflowcc.proving.parts import PartRules
from verifflowcc.proving.pytest_settings import FILES, pytest_settings
from verifflowcc.proving.python_roots import package_folders
from verifflowcc.proving.splitting import FileChange, Split, split
from verifflowcc.proving.targets import TestUnit, words_in
from verifflowcc.proving.test_titles import title_units
from verifflowcc.services.proving.changes import Change

_TITLED = frozenset(("javascript", "typescript", "tsx"))
_GO_TEST = re.compile(r"(?:Test|Example|Fuzz)(?![a-z])")
_RUST_TEST = re.compile(r"#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b")


def read_change(top: Path, folder: str, change: Change, patterns: tuple[str, ...]) -> tuple[Split, PartRules]:
    """Return the parts of a change below a folder of the repository, and the rules that tell them apart.

    `patterns` name further test files. Paths are relative to the folder. Raises WorkspaceError where git does not have
    a content.
    """
    before, after = _below(folder, change.before), _below(folder, change.after)
    texts = _texts(top, {path: file for path, file in after.items() if path in FILES}, folder)
    rules = PartRules(pytest_settings(texts), patterns, package_folders(after))
    changed = _changed(top, folder, before, after)
    return split(changed, after.keys(), rules, units_of), rules


def contents_after(top: Path, folder: str, change: Change, paths: Collection[str]) -> dict[str, bytes]:
    """Return the contents that some files have with the change, by path. Raises WorkspaceError as git does."""
    return _contents(top, _below(folder, change.after), paths, folder)


def units_of(path: str, content: bytes) -> Sequence[TestUnit]:
    """Return the definitions in a test file that are in no function, with their lines and the names they use."""
    language = language_of(path)
    text = content.decode("utf-8", "replace")
    titled = tuple(title_units(text)) if language in _TITLED else ()
    return (*titled, *_defined(language, content, text.split("\n"), titled))


def test_lines(path: str, content: bytes) -> dict[str, int]:
    """Return the names of all tests in a file, each with the first line of its last definition."""
    return {each.name: each.first for each in units_of(path, content) if each.is_test}


def _defined(language: str, content: bytes, lines: Sequence[str], titled: Collection[TestUnit]) -> Iterator[TestUnit]:
    definitions = read_facts(language, content).definitions
    for place, each in enumerate(definitions):
        around = _around(definitions, place)
        first = each.start or each.line
        inside = any(definitions[outer].kind in CALLABLE for outer in around)
        if inside or any(unit.first <= first and each.end <= unit.last for unit in titled):
            continue
        has_members = each.kind not in CALLABLE and any(other.parent == place for other in definitions)
        if not has_members:
            name = "::".join([*(definitions[outer].name for outer in reversed(around)), each.name])
            is_test = _is_test(language, each, lines[first - 1 : each.line])
            yield TestUnit(name, each.name, first, each.end, is_test, words_in(lines[first - 1 : each.end]))


def _is_test(language: str, each: Definition, head: Sequence[str]) -> bool:
    """Say whether a definition is a test; `head` are its lines up to its name, with what is written above it."""
    if each.kind not in CALLABLE or language in _TITLED:
        return False
    if language == "go":
        return each.kind == "function" and _GO_TEST.match(each.name) is not None
    if language == "rust":
        return any(_RUST_TEST.search(line) for line in head)
    return each.name.lower().startswith("test")


def _around(definitions: Sequence[Definition], place: int) -> list[int]:
    found = []
    while (place := definitions[place].parent) != FILE:
        found.append(place)
    return found


def _changed(top: Path, folder: str, before: dict[str, TreeFile], after: dict[str, TreeFile]) -> tuple[FileChange, ...]:
    differing = [path for path in sorted(before.keys() | after.keys()) if _id(before, path) != _id(after, path)]
    old = _contents(top, before, differing, folder)
    new = _contents(top, after, differing, folder)
    return tuple(_file(path, old.get(path), new.get(path)) for path in differing if path in old or path in new)


def _file(path: str, before: bytes | None, after: bytes | None) -> FileChange:
    return FileChange(path, before, after, shapes=(script_shape(path, before or b""), script_shape(path, after or b"")))


def _id(files: dict[str, TreeFile], path: str) -> tuple[str, str] | None:
    return (files[path].mode, files[path].blob) if path in files else None


def _contents(top: Path, files: dict[str, TreeFile], paths: Collection[str], folder: str) -> dict[str, bytes]:
    wanted = {path: files[path] for path in paths if path in files and files[path].mode != FOLDER}
    prefix = f"{folder}/" if folder else ""
    found = contents(top, {f"{prefix}{path}": file for path, file in wanted.items()})
    return {path.removeprefix(prefix): data for path, data in found}


def _texts(top: Path, files: dict[str, TreeFile], folder: str) -> dict[str, str]:
    return {path: data.decode("utf-8", "replace") for path, data in _contents(top, files, files, folder).items()}


def _below(folder: str, files: dict[str, TreeFile]) -> dict[str, TreeFile]:
    prefix = f"{folder}/" if folder else ""
    return {path.removeprefix(prefix): file for path, file in files.items() if path.startswith(prefix)}
