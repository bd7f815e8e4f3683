"""Settings of test runners and coverage that select fewer tests or ask for less, compared between two sides."""

import ast
import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.testcases import Loss, LostTest
from verifflowcc.base.records import dataclass
from verifflowcc.gates.rules.python_tests import name_of

# Hooks and fixtures of pytest that change what runs, or how it ends.

# What a project's settings say to pytest of where its tests are, read as pytest chooses the file.

PYTEST_HOOKS_FILES = (
    "pytest.toml",
    ".pytest.toml",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
)
"""The files that may hold them; the first that does counts."""

_USUAL = ("test_*.py", "*_test.py")


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """`files` are patterns of test files (`python_files`), `folders` the folders named by `testpaths`.

    `closed` are patterns of folders that pytest does not look into (`norecursedirs`).
    """

    files: tuple[str, ...] = _USUAL
    folders: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


def pytest_settings(texts: Mapping[str, str]) -> PytestSettings:
    """Return the settings in these files, by name; the usual ones where none can be read.

    A folder counts as one of tests only where its name says so: `testpaths = ["src"]` is for tests beside the product.
    """
    for name in PYTEST_HOOKS_FILES:
        found = _section(name, texts.get(name, ""))
        if found is not None:
            files = _pytest_hooks_words(found.get("python_files")) or _USUAL
            folders = (each.strip("/").removeprefix("./") for each in _pytest_hooks_words(found.get("testpaths")))
            named = tuple(each for each in folders if "test" in each.lower())
            return PytestSettings(files, named, _pytest_hooks_words(found.get("norecursedirs")))
    return PytestSettings()


def _section(name: str, text: str) -> Mapping[str, object] | None:
    try:
        if name.endswith(".toml"):
            table = tomllib.loads(text)
            if "pyproject" in name:
                tool = table.get("tool", {}).get("pytest", {})
                table = {"pytest": tool.get("ini_options") or ({} if "ini_options" in tool else tool)}
            return table.get("pytest") or None
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        parser.read_string(text)
    except (tomllib.TOMLDecodeError, configparser.Error, AttributeError, UnicodeError):
        return None
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    return dict(parser[section]) if parser.has_section(section) else None


def _pytest_hooks_words(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return tuple(str(value).split()) if value else ()


_HOOKS = frozenset(
    (
        *("pytest_collection_modifyitems", "pytest_ignore_collect", "pytest_collect_file", "pytest_itemcollected"),
        *("pytest_pycollect_makeitem", "pytest_pycollect_makemodule", "pytest_generate_tests", "pytest_cmdline_main"),
        *("pytest_runtest_makereport", "pytest_runtest_call", "pytest_runtest_protocol", "pytest_runtest_setup"),
        *("pytest_runtest_logreport", "pytest_pyfunc_call", "pytest_sessionfinish", "pytest_runtestloop"),
        *("pytest_report_teststatus", "pytest_make_collect_report", "pytest_collection", "pytest_configure"),
        *("pytest_load_initial_conftests", "pytest_cmdline_preparse", "pytest_exception_interact"),
    )
)
_VALUES = frozenset(("collect_ignore", "collect_ignore_glob", "pytest_plugins"))
_REPLACES = frozenset(("monkeypatch", "mocker", "patch", "setattr", "MagicMock", "Mock"))


def changed_hooks(path: str, before: bytes | None, after: bytes | None) -> tuple[LostTest, ...]:
    """Return the hooks of a file that are new or changed, and fixtures that replace code of the product.

    Only those fixtures count that every test gets unasked. A file that is no Python has none.
    """
    old, new = dict(_parts(before)), dict(_parts(after))
    return tuple(
        LostTest(Loss.HOOKS, path, line, f"{words} {'changed' if name in old else 'is new'}")
        for name, (line, words, text) in new.items()
        if name not in old or old[name][2] != text
    )


def _parts(content: bytes | None) -> Iterator[tuple[str, tuple[int, str, str]]]:
    try:
        tree = ast.parse(content or b"")
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name in _HOOKS:
                yield node.name, (node.lineno, f"the hook {node.name}", ast.dump(node))
            elif _is_automatic(node) and _replaces(node):
                words = f"the automatic fixture {node.name}, which replaces code,"
                yield f"fixture {node.name}", (node.lineno, words, ast.dump(node))
        elif isinstance(node, ast.Assign):
            for each in node.targets:
                if isinstance(each, ast.Name) and each.id in _VALUES:
                    yield each.id, (node.lineno, each.id, ast.dump(node.value))


def _is_automatic(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    keywords: Mapping[str | None, ast.expr] = {
        each.arg: each.value
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and name_of(mark) == "fixture"
        for each in mark.keywords
    }
    value = keywords.get("autouse")
    return isinstance(value, ast.Constant) and bool(value.value)


def _replaces(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    attributes = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    arguments = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    return not _REPLACES.isdisjoint(names | attributes | arguments)


FILES = frozenset(
    (
        *("pyproject.toml", "pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg"),
        *(".coveragerc", ".coveragerc.toml", "package.json", "codecov.yml", ".codecov.yml", ".nycrc", ".nycrc.json"),
    )
)
"""Names of files that hold them, in any folder."""
SCRIPTS = lazy_pattern(r"(?:jest|vite|vitest|mocha|karma|playwright)\.config\.[cm]?[jt]s|\.mocharc\.\w+")
"""Names of files that are programs; there, lines are compared."""

_LESS = ("fail_under", "threshold", "statements", "branches", "functions", "lines", "target", "check-coverage")
_MORE = (
    *("omit", "exclude_lines", "exclude_also", "norecursedirs", "collect_ignore", "collect_ignore_glob"),
    *("testPathIgnorePatterns", "coveragePathIgnorePatterns", "exclude", "ignore"),
)
_FEWER = ("testpaths", "python_files", "python_classes", "python_functions", "include", "source", "testMatch")
_STRICT = ("xfail_strict", "strict", "strict_xfail", "branch", "check-coverage")
_SELECTING = lazy_pattern(
    r"--(?:deselect|ignore(?:-glob)?|collect-only|co|exitfirst|lf|last-failed|runxfail)\b|-[km]\b|-p\b"
)
_THRESHOLD = lazy_pattern(r"(--cov-fail-under|--fail-under)[= ](\d+(?:\.\d+)?)")
_SCRIPT_LINE = lazy_pattern(
    r"threshold|exclude|ignore|testMatch|passWithNoTests|bail|retr(?:y|ies)|statements|branches|functions|lines\s*:"
)
_OF_TESTS = lazy_pattern(r"pytest|coverage|jest|vitest|nyc|mocha|c8|codecov|tox|testing", re.IGNORECASE)


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
