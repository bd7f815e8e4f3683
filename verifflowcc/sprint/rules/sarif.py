"""Findings of linters, one a line, and of analysers, in SARIF 2.1.0: how many, and which of them a baseline lists.

Measures of SARIF: `runs`; `error`, `warning` and `note`, results of that level that are not suppressed (level `none` is
no finding); `suppressed`, those that are; and, with a baseline, each of these with `listed_` before its name: how many
of them the baseline lists. A log's own comparison with an earlier run (`baselineState`) makes no finding an old one.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import TypeAlias
from urllib.parse import unquote

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.evidence_values import Measurement
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.text.secrets import withhold
from verifflowcc.sprint.rules.junit_claims import ProjectPaths
from verifflowcc.sprint.rules.metric_json import Value, listed, mapping, read_json, text_in

# Findings of linters, compilers and type checkers, one a line: `path:line: text`, `path:line:col: text` or
# `path(line,col): text`.
#
# Measures: `findings`, and `notes`, lines of that form whose text begins with `note:` and which only explain another;
# with a baseline `listed_findings`, those that it lists.

MOST_EXAMPLES = 20
_LINT_LINES_LONGEST = 1000
_COLOUR = lazy_pattern(r"\x1b\[[0-9;]{0,40}[A-Za-z]")
_PATH = r"(?:[A-Za-z]:(?=[\\/]))?(?=[^:\n]*[^\W\d])[^\s:(][^:\n]*"
_COLONS = lazy_pattern(rf"{_PATH}:\d+(?::\d+)?(?:-\d+(?::\d+)?)?:\s+(\S.*)")
_PLACE = lazy_pattern(rf"^({_PATH})(?::\d+(?::\d+)?(?:-\d+(?::\d+)?)?:|\(\d+(?:,\s?\d+)*\)\s?:)\s+")
_BRACKETS = lazy_pattern(r"[^\s(][^(\n]*\(\d+(?:,\s?\d+)*\)\s?:\s+(\S.*)")


def measure_lint(text: str, baseline: Counter[str] | None = None) -> Measurement:
    """Return how many lines report a finding; other lines (summaries, source, progress) are passed over.

    `baseline` has the keys of findings that a person accepted, and how often. There is never a `problem`: whether the
    linter ran at all is shown by its exit code.
    """
    found = list(_findings(text))
    findings = [line for line, note in found if not note]
    lines = "".join(f"{line}\n" for line in sorted(findings))
    measures = {"findings": len(findings), "notes": len(found) - len(findings)}
    listed = _listed(map(lint_key, findings), baseline or {})
    if baseline:
        measures["listed_findings"] = sum(listed)
    ordered = sorted(zip(findings, listed, strict=True), key=itemgetter(1))  # new ones first
    examples = [f"baseline {line}" if old else line for line, old in ordered]
    return Measurement(measures, digest_bytes(lines.encode("utf-8", "surrogatepass")), tuple(examples[:MOST_EXAMPLES]))


def lint_findings(text: str) -> list[tuple[str, str]]:
    """Return key and line of each finding, as a baseline lists them."""
    return [(lint_key(line), line) for line, note in _findings(text) if not note]


def lint_key(line: str) -> str:
    """Return a finding without its line and column, which move with every edit above it.

    >>> lint_key("src/a.py:3:7: E1 too long"), lint_key("src/a.cs(3,7): error")
    ('src/a.py: E1 too long', 'src/a.cs: error')
    """
    return _PLACE.sub(r"\1: ", line, count=1)


def _findings(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the line of each finding, and whether it only explains another one."""
    for raw in re.split(r"[\r\n]+", text):
        line = _COLOUR.sub("", raw)[:_LINT_LINES_LONGEST].rstrip()
        match = _COLONS.fullmatch(line) or _BRACKETS.fullmatch(line)
        if match:
            yield line, match[1].lower().startswith("note:")


# The results of a SARIF 2.1.0 log, each with its level and with the key by which a later run knows it again.

Record: TypeAlias = Mapping[str, Value]

LEVELS = ("error", "warning", "note")
_ALL_LEVELS = frozenset({*LEVELS, "none"})
_KINDS = frozenset({"fail", "pass", "open", "review", "informational", "notApplicable"})
_STATES = frozenset({"new", "unchanged", "updated", "absent", ""})


@dataclass(frozen=True, slots=True)
class SarifFinding:
    """A result.

    `key` is tool, rule, file, and fingerprints or message: no line, for lines move.
    """

    key: str
    level: str
    suppressed: bool
    line: str


@dataclass(frozen=True, slots=True)
class SarifLog:
    """The number of runs, and their results; those that are gone since an earlier run are left out."""

    runs: int
    findings: tuple[SarifFinding, ...]


def read_log(data: bytes, paths: ProjectPaths) -> SarifLog:
    """Parse a SARIF log; paths are relative to the project, wherever the tool ran.

    Raises FormatError where it is no SARIF 2.1.0, has no run, or where a run failed or says nothing of results: then
    nothing was looked for, and that none was found means nothing.
    """
    log = mapping(read_json(data), "the log")
    version = log.get("version")
    if version != "2.1.0":
        raise FormatError(f"no SARIF 2.1.0: its version is {str(version)[:20]!r}")
    runs = listed(log, "runs", "the log")
    if not runs:
        raise FormatError("the log has no runs")
    for number, each in enumerate(listed(log, "inlineExternalProperties", "the log")):
        if listed(mapping(each, f"inlineExternalProperties[{number}]"), "results", "inlineExternalProperties"):
            raise FormatError(f"inlineExternalProperties[{number}] has results outside of the runs")
    findings = [
        finding
        for number, run in enumerate(runs)
        for finding in _run(mapping(run, f"runs[{number}]"), f"runs[{number}]", paths)
    ]
    return SarifLog(len(runs), tuple(findings))


def _run(run: Record, place: str, paths: ProjectPaths) -> Iterator[SarifFinding]:
    tool = mapping(run.get("tool"), f"{place}.tool")
    driver = mapping(tool.get("driver"), f"{place}.tool.driver")
    name = text_in(driver, "name", f"{place}.tool.driver")
    if not name.strip():
        raise FormatError(f"{place} does not say which tool ran")
    # A linter that crashed may leave an empty list of results, which would open the gate.
    for number, each in enumerate(listed(run, "invocations", place)):
        where = f"{place}.invocations[{number}]"
        if mapping(each, where).get("executionSuccessful", True) is not True:
            raise FormatError(f"{where}: {name[:60]} did not end well (executionSuccessful)")
    elsewhere = mapping(run.get("externalPropertyFileReferences") or {}, f"{place}.externalPropertyFileReferences")
    if listed(elsewhere, "results", f"{place}.externalPropertyFileReferences"):
        raise FormatError(f"{place} keeps results in files of their own, which are not read")
    if run.get("results") is None:
        raise FormatError(f"{place} has no results: {name[:60]} did not look for any")
    rules = _Rules(driver, listed(tool, "extensions", f"{place}.tool"), place)
    rules.override(listed(run, "invocations", place), f"{place}.invocations")
    artifacts = listed(run, "artifacts", place)
    for number, each in enumerate(listed(run, "results", place)):
        where = f"{place}.results[{number}]"
        result = mapping(each, where)
        state = _known(text_in(result, "baselineState", where), _STATES, f"{where}.baselineState")
        if state != "absent":
            uri, line = _location(result, artifacts, where)
            yield _finding(result, name, rules, where, paths.find(unquote(uri)) or uri, line)


def _finding(result: Record, tool: str, rules: "_Rules", place: str, file: str, line: str) -> SarifFinding:
    rule, default = rules.of(result, place)
    message = _message(result, place)
    prints = mapping(result.get("fingerprints") or result.get("partialFingerprints") or {}, f"{place}.fingerprints")
    marks = [part for name in sorted(prints) for part in (name, text_in(prints, name, f"{place}.fingerprints"))]
    return SarifFinding(
        # Fingerprints survive edits above the finding; the message is the key of tools that write none.
        key=json.dumps([tool, rule, file, *(marks or [message])]),
        level=_level(result, default, place),
        suppressed=_is_suppressed(result, place),
        line=f"{rule or tool} {file}{f':{line}' if line else ''}: {message}",
    )


class _Rules:
    """The rules that a run's tool describes: their ids and default levels."""

    def __init__(self, driver: Record, extensions: Sequence[Value], place: str) -> None:
        components = [driver, *(mapping(each, f"{place}.tool.extensions") for each in extensions)]
        self._rules = [
            [mapping(rule, f"{place}.tool.rules") for rule in listed(each, "rules", f"{place}.tool")]
            for each in components
        ]
        self._by_id = {
            text_in(rule, "id", f"{place}.tool.rules"): rule
            for rules in reversed(self._rules)
            for rule in reversed(rules)
        }
        self._levels: dict[str, str] = {}
        """The gravest level that a call of the tool gave each rule, by its id."""

    def override(self, invocations: Sequence[Value], place: str) -> None:
        """Take the levels that calls of the tool gave its rules."""
        for call in invocations:
            for each in listed(mapping(call, place), "ruleConfigurationOverrides", place):
                where = f"{place}.ruleConfigurationOverrides"
                entry = mapping(each, where)
                given = text_in(mapping(entry.get("configuration") or {}, where), "level", where)
                if given:
                    named, rule = self._find({}, mapping(entry.get("descriptor") or {}, where), where)
                    name = text_in(rule, "id", where) or named
                    levels = (_known(given, _ALL_LEVELS, where), self._levels.get(name, "none"))
                    self._levels[name] = min(levels, key=(*LEVELS, "none").index)

    def of(self, result: Record, place: str) -> tuple[str, str]:
        """Return the id of a result's rule and its default level."""
        name, rule = self._find(result, mapping(result.get("rule") or {}, f"{place}.rule"), place)
        configuration = mapping(rule.get("defaultConfiguration") or {}, f"{place}: its rule's defaultConfiguration")
        level = text_in(configuration, "level", f"{place}: its rule's defaultConfiguration") or "warning"
        level = self._levels.get(text_in(rule, "id", place) or name, level)
        return name, _known(level, _ALL_LEVELS, f"{place}: its rule's level")

    def _find(self, result: Record, reference: Record, place: str) -> tuple[str, Record]:
        """Return the id of the rule that a result or a reference names, and what the tool says of it."""
        component = mapping(reference.get("toolComponent") or {}, f"{place}.rule.toolComponent")
        named = text_in(result, "ruleId", place) or text_in(reference, "id", f"{place}.rule")
        extension = _index(component, "index")
        owner = 0 if extension is None else extension + 1
        index = _index(result, "ruleIndex")
        index = _index(reference, "index") if index is None else index
        rule: Record = {}
        if index is not None and owner < len(self._rules) and index < len(self._rules[owner]):
            rule = self._rules[owner][index]
        elif named:
            rule = self._by_id.get(named) or self._by_id.get(named.rpartition("/")[0]) or {}
        return named or text_in(rule, "id", place), rule


def _level(result: Record, default: str, place: str) -> str:
    """Return the level; a result that is no failure has none by default (SARIF 2.1.0, 3.27.10)."""
    kind = _known(text_in(result, "kind", place) or "fail", _KINDS, f"{place}.kind")
    level = text_in(result, "level", place)
    if not level:
        return default if kind == "fail" else "none"
    return _known(level, _ALL_LEVELS, f"{place}.level")


def _is_suppressed(result: Record, place: str) -> bool:
    """Return whether a result is suppressed in the source, and no suppression is rejected or under review.

    A diff shows a suppression in the source. One in a list of the tool's own (`external`) does not count: that is a
    baseline that anybody can write.
    """
    where = f"{place}.suppressions"
    given = [mapping(each, where) for each in listed(result, "suppressions", place)]
    accepted = all(text_in(each, "status", where) in {"", "accepted"} for each in given)
    return accepted and any(text_in(each, "kind", where) == "inSource" for each in given)


def _location(result: Record, artifacts: Sequence[Value], place: str) -> tuple[str, str]:
    """Return the file and line of the first location; either may be empty."""
    locations = listed(result, "locations", place)
    first = mapping(locations[0], f"{place}.locations[0]") if locations else {}
    where = f"{place}.locations[0].physicalLocation"
    physical = mapping(first.get("physicalLocation") or {}, where)
    artifact = mapping(physical.get("artifactLocation") or {}, f"{where}.artifactLocation")
    index = _index(artifact, "index")
    if "uri" not in artifact and index is not None and index < len(artifacts):
        artifact = mapping(mapping(artifacts[index], f"{place}: its artifact").get("location") or {}, where)
    line = _index(mapping(physical.get("region") or {}, f"{where}.region"), "startLine")
    return text_in(artifact, "uri", where), "" if line is None else str(line)


def _message(result: Record, place: str) -> str:
    message = mapping(result.get("message") or {}, f"{place}.message")
    text = text_in(message, "text", f"{place}.message") or text_in(message, "markdown", f"{place}.message")
    arguments = [each for each in listed(message, "arguments", f"{place}.message") if isinstance(each, str)]
    return text or " ".join([text_in(message, "id", f"{place}.message"), *arguments])


def _index(record: Record, name: str) -> int | None:
    """Return a whole number from 0 to 2^31 - 1, or None: SARIF writes -1 for a missing index."""
    value = record.get(name)
    fits = isinstance(value, Decimal) and 0 <= value < 2**31
    return int(value) if isinstance(value, Decimal) and fits else None


def _known(word: str, known: frozenset[str], place: str) -> str:
    if word not in known:
        raise FormatError(f"{place} is {word[:30]!r}, which SARIF 2.1.0 does not know")
    return word


_LONGEST = 300
_LONGEST_READ = 4_000


def measure_sarif(
    data: bytes, *, baseline: Counter[str] | None = None, paths: frozenset[str] = frozenset()
) -> Measurement:
    """Return what a log says; `baseline` has the keys of findings that a person accepted, and how often.

    `paths` are the project's files: with them, a log that names files as they are on one machine (`file:///home/…`) has
    the outcome of a log made elsewhere, and can be compared with it.

    `problem` says why there are no measures: no SARIF 2.1.0, no run, a run that failed or did not look for results.
    """
    try:
        log = read_log(data, ProjectPaths(paths))
    except FormatError as error:
        return Measurement({}, "", problem=str(error))
    counted = [each for each in log.findings if not each.suppressed and each.level in LEVELS]
    listed = _listed((each.key for each in counted), baseline or {})
    measures = {"runs": log.runs, **_by_level(counted, "")}
    measures["suppressed"] = sum(each.suppressed for each in log.findings)
    if baseline:
        measures |= _by_level([each for each, known in zip(counted, listed, strict=True) if known], "listed_")
    lines = sorted(f"{each.key}\0{each.level}\0{int(each.suppressed)}\n" for each in log.findings)
    outcome = digest_bytes("".join(lines).encode("ascii"))
    return Measurement(measures, outcome, tuple(_examples(counted, listed)))


def scan_findings(data: bytes, paths: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield key and line of each finding that counts, as a baseline lists them. Raises FormatError as `read_log`."""
    for each in read_log(data, ProjectPaths(paths)).findings:
        if not each.suppressed and each.level in LEVELS:
            yield each.key, _text(each)


def _by_level(findings: Sequence[SarifFinding], prefix: str) -> dict[str, int]:
    levels = Counter(each.level for each in findings)
    return {f"{prefix}{level}": levels[level] for level in LEVELS}


def _listed(keys: Iterable[str], baseline: Mapping[str, int]) -> list[bool]:
    """Return for each finding's key whether the baseline lists it; surplus occurrences of a key count as new."""
    left = Counter(baseline)
    found = []
    for key in keys:
        found.append(left[key] > 0)
        left[key] -= 1
    return found


def _examples(counted: Sequence[SarifFinding], listed: Sequence[bool]) -> Iterator[str]:
    """Yield example lines: new findings first, and the graver level first."""
    order = sorted(range(len(counted)), key=lambda at: (listed[at], LEVELS.index(counted[at].level)))
    for at in order[:MOST_EXAMPLES]:
        old = "baseline " if listed[at] else ""
        yield f"{old}{counted[at].level}: {_text(counted[at])}"


def _text(finding: SarifFinding) -> str:
    return withhold(" ".join(finding.line[:_LONGEST_READ].split()))[:_LONGEST]
