"""Coverage reports in Cobertura's XML.

Measures: `files`, `lines` and `lines_hit`, `branches` and `branches_hit`, all of the project's files that the patterns
choose; `missing_files`, files so chosen, in a language that the report speaks of, of which it says nothing (with no
patterns, those below the folders that were measured: the tests beside a measured `src/` are none);
`unknown_files`, files in the report that the project has not; and, where the changes are given, `changed` and
`changed_hit`: the executable lines among them. Of a missing file every changed line counts, as not hit.

All counts come from the `<line>` elements, never from a rate.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice

from verifflowcc.domain.evidence import Measured
from verifflowcc.errors import FormatError
from verifflowcc.formats.cobertura_read import Line, Report, read_report
from verifflowcc.formats.report_paths import ProjectPaths
from verifflowcc.formats.xml_report import read_xml
from verifflowcc.text.canonical import digest_bytes
from verifflowcc.text.glob import select

MOST_EXAMPLES = 20
Files = Mapping[str, Mapping[int, Line]]
Changed = Mapping[str, tuple[int, ...] | None]


def measure_coverage(
    data: bytes, *, paths: frozenset[str], files: tuple[str, ...], changed: Changed | None
) -> Measured:
    """Return what a report says of the project's `paths` that the patterns `files` choose.

    `changed` maps paths to the numbers of their new lines, None for a file that changed as a whole; it is None where
    the changes are not known, and then nothing is said of them. Where the report cannot be read, or contradicts itself,
    `problem` says why, and there are no measures.
    """
    try:
        report = read_report(read_xml(data, names_a_type=True), ProjectPaths(paths))
    except FormatError as error:
        return Measured({}, "", problem=str(error))
    chosen = select(paths, files)
    counted = {path: report.files[path] for path in chosen if path in report.files}
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
    return Measured(measures, _outcome(counted), tuple(examples))


def _missing(chosen: Sequence[str], report: Report, *, everywhere: bool) -> list[str]:
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
