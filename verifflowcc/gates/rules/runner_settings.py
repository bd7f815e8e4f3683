"""Settings of test runners and coverage that select fewer tests or ask for less, compared between two sides."""

import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping

from verifflowcc.base.model.testcases import Loss, LostTest

FILES = frozenset(
    (
        *("pyproject.toml", "pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg"),
        *(".coveragerc", ".coveragerc.toml", "package.json", "codecov.yml", ".codecov.yml", ".nycrc", ".nycrc.json"),
    )
)
"""Names of files that hold them, in any folder."""
SCRIPTS = re.compile(r"(?:jest|vite|vitest|mocha|karma|playwright)\.config\.[cm]?[jt]s|\.mocharc\.\w+")
"""Names of files that are programs; there, lines are compared."""

_LESS = ("fail_under", "threshold", "statements", "branches", "functions", "lines", "target", "check-coverage")
_MORE = (
    *("omit", "exclude_lines", "exclude_also", "norecursedirs", "collect_ignore", "collect_ignore_glob"),
    *("testPathIgnorePatterns", "coveragePathIgnorePatterns", "exclude", "ignore"),
)
_FEWER = ("testpaths", "python_files", "python_classes", "python_functions", "include", "source", "testMatch")
_STRICT = ("xfail_strict", "strict", "strict_xfail", "branch", "check-coverage")
_SELECTING = re.compile(
    r"--(?:deselect|ignore(?:-glob)?|collect-only|co|exitfirst|lf|last-failed|runxfail)\b|-[km]\b|-p\b"
)
_THRESHOLD = re.compile(r"(--cov-fail-under|--fail-under)[= ](\d+(?:\.\d+)?)")
_SCRIPT_LINE = re.compile(
    r"threshold|exclude|ignore|testMatch|passWithNoTests|bail|retr(?:y|ies)|statements|branches|functions|lines\s*:"
)
_OF_TESTS = re.compile(r"pytest|coverage|jest|vitest|nyc|mocha|c8|codecov|tox|testing", re.IGNORECASE)


def is_settings(path: str) -> bool:
    """Say whether a file may hold settings of tests, by its name."""
    name = path.rpartition("/")[2]
    return name in FILES or bool(SCRIPTS.fullmatch(name))


def lowered_settings(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[LostTest, ...]:
    """Return the settings that select fewer tests, or ask for less, than before; files are by path.

    A setting that moved to another file of the same folder is compared with what it is there.
    """
    old = {path: dict(_settings(path, content)) for path, content in before.items()}
    new = {path: dict(_settings(path, content)) for path, content in after.items()}
    found: list[LostTest] = []
    for path in sorted(old.keys() | new.keys()):
        if SCRIPTS.fullmatch(path.rpartition("/")[2]):
            found += _script(path, before.get(path, b""), after.get(path, b""))
            continue
        was, now = old.get(path, {}), new.get(path, {})
        lines = after.get(path, b"").decode("utf-8", "replace").split("\n")
        for key in sorted(was.keys() | now.keys()):
            earlier = was[key] if key in was else _elsewhere(path, key, old, new)
            later = now[key] if key in now else _elsewhere(path, key, new, old)
            found += [
                LostTest(Loss.SETTINGS, path, _line_of(lines, key), words) for words in _lowered(key, earlier, later)
            ]
    return tuple(found)


def _elsewhere(
    path: str, key: str, side: Mapping[str, Mapping[str, object]], other: Mapping[str, Mapping[str, object]]
) -> object:
    """Return the value of a setting in another file of the folder, which has it on this side alone."""
    folder, name = path.rpartition("/")[0], key.rpartition(".")[2]
    for place, settings in sorted(side.items()):
        if place != path and place.rpartition("/")[0] == folder:
            for full, value in settings.items():
                if full.rpartition(".")[2] == name and full not in other.get(place, {}):
                    return value
    return None


def _settings(path: str, content: bytes) -> Iterator[tuple[str, object]]:
    """Yield the settings of tests in a file, by their full key."""
    text = content.decode("utf-8", "replace")
    name = path.rpartition("/")[2]
    try:
        if name.endswith(".toml"):
            found: object = tomllib.loads(text)
        elif name.endswith("json") or name == ".nycrc":
            found = json.loads(text or "{}")
        elif name.endswith((".yml", ".yaml")):
            found = dict(re.findall(r"(?m)^\s*(target|threshold):\s*(\S+)", text))
        else:
            parser = configparser.ConfigParser(interpolation=None, strict=False)
            parser.read_string(text)
            found = {section: dict(parser[section]) for section in parser.sections()}
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, configparser.Error, RecursionError):
        return
    whole = bool(_OF_TESTS.search(name)) or name.startswith((".coverage", ".nyc"))
    yield from _flat(found, "", wanted=whole)


def _flat(value: object, prefix: str, *, wanted: bool) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            full = f"{prefix}.{key}" if prefix else str(key)
            yield from _flat(inner, full, wanted=wanted or bool(_OF_TESTS.search(str(key))))
    elif wanted:
        yield prefix, value


def _lowered(key: str, old: object, new: object) -> Iterator[str]:
    name = key.rpartition(".")[2]
    if name in ("addopts", "commands", "test", "script") or name.startswith("test"):
        yield from _options(name, _text(old), _text(new))
    if old == new:
        return
    was, now = _number(old), _number(new)
    if (any(each in name for each in _LESS) and was is not None and (now is None or now < was)) or (
        name in _STRICT and _is_true(old) and not _is_true(new)
    ):
        yield f"{name} was {_text(old)} and is {_text(new) or 'gone'}"
    elif name in _MORE and (added := _words(new) - _words(old)):
        yield f"{name} has {', '.join(sorted(added))} now"
    elif name in _FEWER and old is not None and (lost := _words(old) - _words(new)):
        yield f"{name} lacks {', '.join(sorted(lost))} now"
    elif name in _FEWER and old is None and name.startswith(("python_", "testpaths", "testMatch")):
        yield f"{name} is {_text(new)} now"
    elif name == "filterwarnings" and "error" in _words(old) - _words(new):
        yield "warnings are errors no more"


def _options(name: str, old: str, new: str) -> Iterator[str]:
    before = _selections(old)
    for each in _selections(new):
        if each not in before:
            yield f"{name} has {each} now"
    thresholds = {option: float(number) for option, number in _THRESHOLD.findall(new)}
    for option, number in _THRESHOLD.findall(old):
        if thresholds.get(option, 0) < float(number):
            yield f"{option} was {number} and is {thresholds.get(option, 'gone')}"


def _selections(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    found = []
    for place, word in enumerate(words):
        if _SELECTING.match(word):
            value = words[place + 1] if "=" not in word and place + 1 < len(words) else ""
            if word == "-m" and value in ("pytest", "unittest", "coverage", "tox", "nox"):
                continue
            found.append(f"{word} {value}".strip())
    return found


def _script(path: str, before: bytes, after: bytes) -> Iterator[LostTest]:
    """Yield the lines about selection and thresholds that are new: what they say can only be read by running them."""
    old = {line.strip() for line in before.decode("utf-8", "replace").split("\n")}
    for number, line in enumerate(after.decode("utf-8", "replace").split("\n"), start=1):
        if _SCRIPT_LINE.search(line) and line.strip() not in old:
            yield LostTest(Loss.SETTINGS, path, number, f"`{line.strip()[:80]}` is new")


def _line_of(lines: list[str], key: str) -> int:
    name = key.rpartition(".")[2]
    return next((number for number, line in enumerate(lines, start=1) if name in line), 1)


def _text(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else str(value)


def _words(value: object) -> set[str]:
    if isinstance(value, list):
        return set(map(str, value))
    return set(re.split(r"[\s,]+", str(value))) - {""} if value is not None else set()


def _number(value: object) -> float | None:
    try:
        return float(str(value).rstrip("%"))
    except ValueError:
        return None


def _is_true(value: object) -> bool:
    return str(value).lower() in ("true", "1", "yes", "on")
