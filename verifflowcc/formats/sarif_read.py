"""The results of a SARIF 2.1.0 log, each with its level and with the key by which a later run knows it again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias
from urllib.parse import unquote

from verifflowcc.errors import FormatError
from verifflowcc.formats.json_report import Value, listed, mapping, read_json, text_in
from verifflowcc.formats.report_paths import ProjectPaths
from verifflowcc.records import dataclass

Record: TypeAlias = Mapping[str, Value]

LEVELS = ("error", "warning", "note")
_ALL_LEVELS = frozenset({*LEVELS, "none"})
_KINDS = frozenset({"fail", "pass", "open", "review", "informational", "notApplicable"})
_STATES = frozenset({"new", "unchanged", "updated", "absent", ""})


@dataclass(frozen=True, slots=True)
class Finding:
    """A result.

    `key` is tool, rule, file, and fingerprints or message: no line, for lines move.
    """

    key: str
    level: str
    suppressed: bool
    line: str


@dataclass(frozen=True, slots=True)
class Log:
    """The number of runs, and their results; those that are gone since an earlier run are left out."""

    runs: int
    findings: tuple[Finding, ...]


def read_log(data: bytes, paths: ProjectPaths) -> Log:
    """Return what a log says; a file of the project is named by its path there, wherever the tool ran.

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
    findings = [
        finding
        for number, run in enumerate(runs)
        for finding in _run(mapping(run, f"runs[{number}]"), f"runs[{number}]", paths)
    ]
    return Log(len(runs), tuple(findings))


def _run(run: Record, place: str, paths: ProjectPaths) -> Iterator[Finding]:
    tool = mapping(run.get("tool"), f"{place}.tool")
    driver = mapping(tool.get("driver"), f"{place}.tool.driver")
    name = text_in(driver, "name", f"{place}.tool.driver")
    if not name.strip():
        raise FormatError(f"{place} does not say which tool ran")
    for number, each in enumerate(listed(run, "invocations", place)):
        where = f"{place}.invocations[{number}]"
        if mapping(each, where).get("executionSuccessful", True) is not True:
            raise FormatError(f"{where}: {name[:60]} did not end well (executionSuccessful)")
    if run.get("results") is None:
        raise FormatError(f"{place} has no results: {name[:60]} did not look for any")
    rules = _Rules(driver, listed(tool, "extensions", f"{place}.tool"), place)
    artifacts = listed(run, "artifacts", place)
    for number, each in enumerate(listed(run, "results", place)):
        where = f"{place}.results[{number}]"
        result = mapping(each, where)
        state = _known(text_in(result, "baselineState", where), _STATES, f"{where}.baselineState")
        if state != "absent":
            uri, line = _location(result, artifacts, where)
            yield _finding(result, name, rules, where, paths.find(unquote(uri)) or uri, line)


def _finding(result: Record, tool: str, rules: "_Rules", place: str, file: str, line: str) -> Finding:
    rule, default = rules.of(result, place)
    message = _message(result, place)
    prints = mapping(result.get("fingerprints") or result.get("partialFingerprints") or {}, f"{place}.fingerprints")
    marks = [part for name in sorted(prints) for part in (name, text_in(prints, name, f"{place}.fingerprints"))]
    return Finding(
        key=json.dumps([tool, rule, file, *(marks or [message])]),
        level=_level(result, default, place),
        suppressed=_is_suppressed(result, place),
        line=f"{rule or tool} {file}{f':{line}' if line else ''}: {message}",
    )


class _Rules:
    """What a run's tool says of its rules."""

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

    def of(self, result: Record, place: str) -> tuple[str, str]:
        """Return the id of a result's rule and its default level."""
        reference = mapping(result.get("rule") or {}, f"{place}.rule")
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
        configuration = mapping(rule.get("defaultConfiguration") or {}, f"{place}: its rule's defaultConfiguration")
        level = text_in(configuration, "level", f"{place}: its rule's defaultConfiguration") or "warning"
        return named or text_in(rule, "id", place), _known(level, _ALL_LEVELS, f"{place}: its rule's level")


def _level(result: Record, default: str, place: str) -> str:
    """Return the level; what is no failure has none, unless it says so itself (SARIF 2.1.0, 3.27.10)."""
    kind = _known(text_in(result, "kind", place) or "fail", _KINDS, f"{place}.kind")
    level = text_in(result, "level", place)
    if not level:
        return default if kind == "fail" else "none"
    return _known(level, _ALL_LEVELS, f"{place}.level")


def _is_suppressed(result: Record, place: str) -> bool:
    """Say whether it is, in the source, and by nothing that is rejected or still under review.

    What is suppressed there, a diff shows; a list of the tool's own (`external`) is one more baseline that anybody can
    write.
    """
    where = f"{place}.suppressions"
    given = [mapping(each, where) for each in listed(result, "suppressions", place)]
    accepted = all(text_in(each, "status", where) in {"", "accepted"} for each in given)
    return accepted and any(text_in(each, "kind", where) == "inSource" for each in given)


def _location(result: Record, artifacts: Sequence[Value], place: str) -> tuple[str, str]:
    """Return the first location's file and line, as far as it has any."""
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
    """Return a whole number below 2^31 that is not negative, or None: -1 says that there is none."""
    value = record.get(name)
    fits = isinstance(value, Decimal) and 0 <= value < 2**31
    return int(value) if isinstance(value, Decimal) and fits else None


def _known(word: str, known: frozenset[str], place: str) -> str:
    if word not in known:
        raise FormatError(f"{place} is {word[:30]!r}, which SARIF 2.1.0 does not know")
    return word
