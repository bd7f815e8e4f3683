"""The lines of a Cobertura report, file by file, as far as this project has the files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from verifflowcc.errors import FormatError
from verifflowcc.formats.report_paths import ProjectPaths
from verifflowcc.formats.xml_report import local_name
from verifflowcc.records import dataclass

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_BRANCHES = re.compile(r"\s*[\d.,]*\s*%?\s*\((\d{1,9})\s*/\s*(\d{1,9})\)\s*")
_NUMBER = re.compile(r"-?\d{1,18}")
"""Some tools say -1 hits of what they could not watch."""
_COUNTS = ("lines-valid", "lines-covered")


@dataclass(frozen=True, slots=True)
class Line:
    """An executable line: whether it ran, and its branches: how many of how many did."""

    hit: bool
    branches_hit: int = 0
    branches: int = 0

    def merged(self, other: Line) -> Line:
        """Return the line as two reports of it say together."""
        return Line(
            self.hit or other.hit, max(self.branches_hit, other.branches_hit), max(self.branches, other.branches)
        )


@dataclass(frozen=True, slots=True)
class Report:
    """`files` maps each path of the project to its lines by number; `unknown` are names of files that it has not.

    `folders` are those that were measured, to which names are relative, with a `/` at the end (empty: the project's).
    """

    files: Mapping[str, Mapping[int, Line]]
    unknown: tuple[str, ...]
    folders: frozenset[str] = frozenset()


def read_report(root: Element, paths: ProjectPaths) -> Report:
    """Return what the report says of each file.

    A file that stands there several times is one, a line of it ran where it ran in any. Raises FormatError where the
    root is no `<coverage>`, a number is none, or its attributes contradict its lines.
    """
    if local_name(root) != "coverage":
        raise FormatError(f"no Cobertura report: its root element is <{local_name(root)[:60]}>")
    sources = [text for each in root.iter() if local_name(each) == "source" and (text := (each.text or "").strip())]
    named: dict[str, dict[int, Line]] = {}
    once: list[Line] = []
    for one in root.iter():
        if local_name(one) == "class":
            lines = _lines(one)
            once += lines.values()
            _merge(named.setdefault(one.get("filename", ""), {}), lines)
    _check_counts(root, [once, [line for lines in named.values() for line in lines.values()]])
    files: dict[str, dict[int, Line]] = {}
    unknown, folders = [], set()
    for name in sorted(named):
        path = paths.find(name, sources)
        if path is None:
            unknown.append(name)
        else:
            _merge(files.setdefault(path, {}), named[name])
            folders.add(_folder(path, name))
    return Report(files, tuple(unknown), frozenset(folders))


def _folder(path: str, name: str) -> str:
    """Return the folder to which `name` is relative, or that of the file where the name is absolute."""
    ending = name.replace("\\", "/").removeprefix("./")
    if path == ending or path.endswith(f"/{ending}"):
        return path.removesuffix(ending)
    return path.removesuffix(path.rpartition("/")[2])


def _lines(one: Element) -> dict[int, Line]:
    """Return the lines of a class; those of its methods are the same ones again."""
    lines: dict[int, Line] = {}
    for element in _line_elements(one):
        condition = _BRANCHES.fullmatch(element.get("condition-coverage", ""))
        hit, number = _number(element, "hits") > 0, _number(element, "number")
        line = Line(hit)
        if element.get("branch", "").lower() == "true" and condition:
            of = int(condition[2])
            line = Line(hit, min(int(condition[1]), of), of)
        _merge(lines, {number: line})
    return lines


def _line_elements(one: Element) -> Iterator[Element]:
    """Yield a class's lines and its methods'; only where they belong, so that no nesting makes it slow."""
    methods = (method for part in one if local_name(part) == "methods" for method in part)
    for owner in (one, *methods):
        for part in owner:
            if local_name(part) == "lines":
                yield from (line for line in part if local_name(line) == "line")


def _merge(lines: dict[int, Line], others: Mapping[int, Line]) -> None:
    for number, line in others.items():
        lines[number] = lines[number].merged(line) if number in lines else line


def _number(element: Element, name: str) -> int:
    text = element.get(name, "").strip()
    if not _NUMBER.fullmatch(text):
        raise FormatError(f'a <line> says {name}="{text[:20]}", which is no number')
    return int(text)


def _check_counts(root: Element, counted: list[list[Line]]) -> None:
    """Compare what the root claims with the lines: each class apart, or each file once."""
    claims = [root.get(name, "").strip() for name in _COUNTS]
    for place, (name, claim) in enumerate(zip(_COUNTS, claims, strict=True)):
        found = {sum(line.hit for line in lines) if place else len(lines) for lines in counted}
        if claim and (not _NUMBER.fullmatch(claim) or int(claim) not in found):
            raise FormatError(f'the report says {name}="{claim[:20]}", but its lines add up to {max(found)}')
