"""Hooks and fixtures of pytest that change what runs, or how it ends."""

import ast
import configparser
import tomllib
from collections.abc import Iterator, Mapping

from verifflowcc.base.model.testcases import Loss, LostTest
from verifflowcc.base.records import dataclass
from verifflowcc.gates.rules.python_strength import name_of

# What a project's settings say to pytest of where its tests are, read as pytest chooses the file.

FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
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
    for name in FILES:
        found = _section(name, texts.get(name, ""))
        if found is not None:
            files = _words(found.get("python_files")) or _USUAL
            folders = (each.strip("/").removeprefix("./") for each in _words(found.get("testpaths")))
            named = tuple(each for each in folders if "test" in each.lower())
            return PytestSettings(files, named, _words(found.get("norecursedirs")))
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


def _words(value: object) -> tuple[str, ...]:
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
