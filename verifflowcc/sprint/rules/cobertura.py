"""Coverage reports in Cobertura's XML.

Measures: `files`, `lines` and `lines_hit`, `branches` and `branches_hit`, all of the project's files that the patterns
choose; `missing_files`, files so chosen, in a language that the report speaks of, of which it says nothing (with no
patterns, those below the folders that were measured: the tests beside a measured `src/` are none);
`unknown_files`, files in the report that the project has not; and, where the changes are given, `changed` and
`changed_hit`: the executable lines among them. Of a missing file every changed line counts, as not hit.

All counts come from the `<line>` elements, never from a rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.evidence_values import Measurement
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.text.glob import select
from verifflowcc.sprint.rules.junit_claims import ProjectPaths, local_name, read_xml

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


# The lines of a Cobertura report, file by file, as far as this project has the files.

_BRANCHES = lazy_pattern(r"\s*[\d.,]*\s*%?\s*\((\d{1,9})\s*/\s*(\d{1,9})\)\s*")
_NUMBER = lazy_pattern(r"-?\d{1,18}")
"""Some tools say -1 hits of what they could not watch."""
_COUNTS = ("lines-valid", "lines-covered")


@dataclass(frozen=True, slots=True)
class CoverageLine:
    """An executable line: whether it ran, and its branches: how many of how many did."""

    hit: bool
    branches_hit: int = 0
    branches: int = 0

    def merged(self, other: CoverageLine) -> CoverageLine:
        """Return the line as two reports of it say together."""
        return CoverageLine(
            self.hit or other.hit, max(self.branches_hit, other.branches_hit), max(self.branches, other.branches)
        )


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """`files` maps each path of the project to its lines by number; `unknown` are names of files that it has not.

    `folders` are those that were measured, to which names are relative, with a `/` at the end (empty: the project's).
    """

    files: Mapping[str, Mapping[int, CoverageLine]]
    unknown: tuple[str, ...]
    folders: frozenset[str] = frozenset()


def read_report(root: Element, paths: ProjectPaths) -> CoverageReport:
    """Return what the report says of each file.

    A file that is there several times is one, a line of it ran where it ran in any. Raises FormatError where the
    root is no `<coverage>`, a number is none, or its attributes contradict its lines.
    """
    if local_name(root) != "coverage":
        raise FormatError(f"no Cobertura report: its root element is <{local_name(root)[:60]}>")
    sources = [text for each in root.iter() if local_name(each) == "source" and (text := (each.text or "").strip())]
    named: dict[str, dict[int, CoverageLine]] = {}
    once: list[CoverageLine] = []
    for one in root.iter():
        if local_name(one) == "class":
            lines = _lines(one)
            once += lines.values()
            _merge(named.setdefault(one.get("filename", ""), {}), lines)
    _check_counts(root, [once, [line for lines in named.values() for line in lines.values()]])
    files: dict[str, dict[int, CoverageLine]] = {}
    unknown, folders = [], set()
    for name in sorted(named):
        path = paths.find(name, sources)
        if path is None:
            unknown.append(name)
        else:
            _merge(files.setdefault(path, {}), named[name])
            folders.add(_folder(path, name))
    return CoverageReport(files, tuple(unknown), frozenset(folders))


def _folder(path: str, name: str) -> str:
    """Return the folder to which `name` is relative, or that of the file where the name is absolute."""
    ending = name.replace("\\", "/").removeprefix("./")
    if path == ending or path.endswith(f"/{ending}"):
        return path.removesuffix(ending)
    return path.removesuffix(path.rpartition("/")[2])


def _lines(one: Element) -> dict[int, CoverageLine]:
    """Return the lines of a class; those of its methods are the same ones again."""
    lines: dict[int, CoverageLine] = {}
    for element in _line_elements(one):
        condition = _BRANCHES.fullmatch(element.get("condition-coverage", ""))
        hit, number = _number(element, "hits") > 0, _number(element, "number")
        if number < 1:
            raise FormatError(f'a <line> says number="{number}", and lines are counted from 1')
        line = CoverageLine(hit)
        if element.get("branch", "").lower() == "true" and condition:
            of = int(condition[2])
            line = CoverageLine(hit, min(int(condition[1]), of), of)
        _merge(lines, {number: line})
    return lines


def _line_elements(one: Element) -> Iterator[Element]:
    """Yield a class's lines and its methods'; only where they belong, so that no nesting makes it slow."""
    methods = (method for part in one if local_name(part) == "methods" for method in part)
    for owner in (one, *methods):
        for part in owner:
            if local_name(part) == "lines":
                yield from (line for line in part if local_name(line) == "line")


def _merge(lines: dict[int, CoverageLine], others: Mapping[int, CoverageLine]) -> None:
    for number, line in others.items():
        lines[number] = lines[number].merged(line) if number in lines else line


def _number(element: Element, name: str) -> int:
    text = element.get(name, "").strip()
    if not _NUMBER.fullmatch(text):
        raise FormatError(f'a <line> says {name}="{text[:20]}", which is no number')
    return int(text)


def _check_counts(root: Element, counted: list[list[CoverageLine]]) -> None:
    """Compare what the root claims with the lines: each class apart, or each file once."""
    claims = [root.get(name, "").strip() for name in _COUNTS]
    for place, (name, claim) in enumerate(zip(_COUNTS, claims, strict=True)):
        found = {sum(line.hit for line in lines) if place else len(lines) for lines in counted}
        if claim and (not _NUMBER.fullmatch(claim) or int(claim) not in found):
            raise FormatError(f'the report says {name}="{claim[:20]}", but its lines add up to {max(found)}')


MOST_EXAMPLES = 20
Files = Mapping[str, Mapping[int, CoverageLine]]
Changed = Mapping[str, tuple[int, ...] | None]


def measure_coverage(
    data: bytes,
    *,
    paths: frozenset[str],
    files: tuple[str, ...],
    changed: Changed | None,
    length: Callable[[str], int] | None = None,
) -> Measurement:
    """Return what a report says of the project's `paths` that the patterns `files` choose.

    Lines behind the end of a file, of which `length` says how many lines it has at most, are left out: Kotlin's inline
    functions have such, and a report could be filled up with them.

    `changed` maps paths to the numbers of their new lines, None for a file that changed as a whole; it is None where
    the changes are not known, and then nothing is said of them. Where the report cannot be read, or contradicts itself,
    `problem` says why, and there are no measures.
    """
    try:
        report = read_report(read_xml(data, names_a_type=True), ProjectPaths(paths))
    except FormatError as error:
        return Measurement({}, "", problem=str(error))
    chosen = select(paths, files)
    counted = {path: _within(report.files[path], path, length) for path in chosen if path in report.files}
    missing = _missing(chosen, report, everywhere=bool(files))
    lines = [line for each in counted.values() for line in each.values()]
    measures = {
        "files": len(counted),
        "lines": len(lines),
        "lines_hit": sum(line.hit for line in lines),
        "branches": sum(line.branches for line in lines),
        "branches_hit": sum(line.branches_hit for line in lines),
        "missing_files": len(missing),
        "unknown_files": len(report.unknown),
    }
    touched = _touched(counted, missing, changed or {})
    if changed is not None:
        hits = [hit for each in touched.values() for hit in each.values()]
        measures |= {"changed": len(hits), "changed_hit": sum(hits)}
    examples = islice(_examples(counted, missing, report.unknown, touched), MOST_EXAMPLES)
    return Measurement(measures, _outcome(counted), tuple(examples))


def _within(
    lines: Mapping[int, CoverageLine], path: str, length: Callable[[str], int] | None
) -> Mapping[int, CoverageLine]:
    last = length(path) if length and lines else 0
    return {number: line for number, line in lines.items() if number <= last} if length else lines


def _missing(chosen: Sequence[str], report: CoverageReport, *, everywhere: bool) -> list[str]:
    spoken = {_extension(path) for path in (*report.files, *report.unknown)} - {""}
    measured = ("",) if everywhere else tuple(report.folders)
    return [
        path for path in chosen if path not in report.files and _extension(path) in spoken and path.startswith(measured)
    ]


def _extension(path: str) -> str:
    name, dot, extension = path.rpartition("/")[2].rpartition(".")
    return extension if name and dot else ""


def _touched(counted: Files, missing: Sequence[str], changed: Changed) -> dict[str, dict[int, bool]]:
    """Return the executable lines among the changed ones, and whether each was hit."""
    found: dict[str, dict[int, bool]] = {}
    unseen = frozenset(missing)
    for path in sorted(changed):
        numbers = changed[path]
        if path in counted:
            wanted = counted[path] if numbers is None else sorted(set(numbers) & set(counted[path]))
            found[path] = {each: counted[path][each].hit for each in wanted}
        elif path in unseen:
            found[path] = dict.fromkeys((1,) if numbers is None else sorted(set(numbers)), False)
    return found


def _outcome(counted: Files) -> str:
    lines = (
        f"{path}\0{number}\0{int(counted[path][number].hit)}\n"
        for path in sorted(counted)
        for number in sorted(counted[path])
    )
    return digest_bytes("".join(lines).encode("utf-8", "surrogatepass"))


def _examples(
    counted: Files, missing: Sequence[str], unknown: Sequence[str], touched: Mapping[str, Mapping[int, bool]]
) -> Iterator[str]:
    for path, lines in touched.items():
        gaps = _ranges([number for number, hit in lines.items() if not hit])
        if gaps:
            yield f"changed, not covered: {path}:{gaps}"
    yield from (f"not in the report: {path}" for path in islice(missing, 5))
    yield from (f"not in the project: {name[:200]}" for name in islice(unknown, 5))
    yield from (f"{hit} of {of} lines: {path}" for hit, of, path in _least(counted) if hit < of)


def _least(counted: Files) -> list[tuple[int, int, str]]:
    """Return (lines hit, lines, path), the file with the smallest part of its lines hit first."""
    sums = [(sum(line.hit for line in lines.values()), len(lines), path) for path, lines in counted.items() if lines]
    return sorted(sums, key=lambda each: (each[0] * 10**6 // each[1], -each[1], each[2]))


def _ranges(numbers: Sequence[int]) -> str:
    """Return numbers as `3-5,9`.

    >>> _ranges([3, 4, 5, 9])
    '3-5,9'
    """
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
