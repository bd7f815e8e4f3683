"""A `Code` over texts in memory, for tests: every file is read when it is made, every question answered by looking."""

import re
from collections.abc import Collection, Mapping, Sequence

from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.grammars import language_of, read_facts
from verifflowcc.code.rules.graph import (
    CONFIDENT,
    FILE,
    FileFacts,
    Head,
    Import,
    Reference,
    ReferenceKind,
    SourceFile,
    chosen,
    qualified,
)
from verifflowcc.code.rules.project_manifests import manifest_kind, read_manifest


class CodeInMemory:
    """The facts of some files, by path."""

    def __init__(self, facts: Mapping[str, FileFacts], manifests: Mapping[str, Sequence[Import]] | None = None) -> None:
        self._manifests = manifests or {}
        self._facts = {path: facts[path] for path in sorted(facts)}
        self._files = {path: SourceFile(path, each.language, "") for path, each in self._facts.items()}
        self._defining: dict[str, list[str]] = {}
        self._referring: dict[str, list[str]] = {}
        self._importing: dict[str, list[str]] = {}
        for path, each in self._facts.items():
            parts = {_last_part(taken.module) for taken in each.imports}
            taken_names = {taken.name for taken in each.imports}
            _enter(self._defining, path, {definition.name for definition in each.definitions})
            _enter(self._referring, path, {reference.name for reference in each.references} | taken_names)
            _enter(self._importing, path, parts | taken_names)

    @property
    def files(self) -> Mapping[str, SourceFile]:
        return self._files

    def head(self, path: str) -> Head:
        facts = self._facts.get(path, FileFacts(""))
        return Head(facts.definitions, facts.imports, facts.typed)

    def references(self, path: str, name: str = "", kind: ReferenceKind | None = None) -> Sequence[Reference]:
        references = chosen(self._facts.get(path, FileFacts("")).references, name, kind)
        return sorted(references, key=lambda each: each.line)

    def defining(self, name: str) -> Sequence[str]:
        return self._defining.get(name, ())

    def referring(self, name: str) -> Sequence[str]:
        return self._referring.get(name, ())

    def importing(self, part: str) -> Sequence[str]:
        return self._importing.get(part, ())

    def heads(self, paths: Collection[str]) -> None:
        pass

    def load_references(self, paths: Collection[str]) -> None:
        pass

    def manifests(self) -> Mapping[str, Sequence[Import]]:
        return self._manifests


def code_of(texts: Mapping[str, str | bytes]) -> CodeInMemory:
    """Read texts, by path."""
    read = {path: text.encode() if isinstance(text, str) else text for path, text in texts.items()}
    manifests = {path: read_manifest(kind, data) for path, data in read.items() if (kind := manifest_kind(path))}
    source = {path: data for path, data in read.items() if path not in manifests}
    facts = {path: read_facts(language_of(path, data), data) for path, data in source.items()}
    return CodeInMemory(facts, manifests)


def _enter(table: dict[str, list[str]], path: str, names: Collection[str]) -> None:
    for name in names:
        table.setdefault(name, []).append(path)


def _last_part(module: str) -> str:
    last: str = re.split(r"[./:\\]", re.sub(r"\.(?:[jt]sx?|mjs|cjs|h|hpp)$", "", module))[-1]
    return last


def meant(code: CodeInMemory, where: str, name: str) -> list[str]:
    """Return whom the references to a name at `path:line` surely mean, as `path::Class.name`, each once."""
    path, _, line = where.rpartition(":")
    binder = Binder(code)
    found = []
    for each in code.references(path):
        if each.name == name and each.line == int(line):
            sure = [one for one in binder.bound(path, each).candidates if one.confidence >= CONFIDENT]
            found += [shown(code, one.path, one.place) for one in sure]
    return list(dict.fromkeys(found))


def shown(code: CodeInMemory, path: str, place: int) -> str:
    """Return a definition as `path::Class.name`, a file as its path."""
    return path if place == FILE else f"{path}::{qualified(code.head(path).definitions, place)}"


def place_of(code: CodeInMemory, whole: str) -> tuple[str, int]:
    """Return path and place of a definition given as `path::Class.name`."""
    path, _, name = whole.partition("::")
    definitions = code.head(path).definitions
    return path, next(place for place in range(len(definitions)) if qualified(definitions, place) == name)
