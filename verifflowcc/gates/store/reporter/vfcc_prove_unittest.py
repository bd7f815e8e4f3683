"""Run wanted tests by unittest, and write how each ended, with the classes of its exception.

It is copied beside the scratch tree and runs under the project's own Python: it imports nothing of vfcc. `VFCC_PROVE`
names a JSON file with `wanted` (file -> names of tests, none for all), `modules` whose files are reported, and `out`,
where a line of JSON is written for each outcome.
"""

import importlib
import json
import os
import sys
import traceback
import unittest
from collections.abc import Iterator
from typing import Any
from unittest.util import strclass

_LONGEST = 400
_orders: "dict[str, Any]" = {}


class _Report(unittest.TestResult):
    """Writes each outcome as it comes; the names of its methods are those of unittest."""

    def __init__(self, tests: "list[tuple[str, str, Any]]") -> None:
        super().__init__()
        self.ids = {id(test): name for name, _, test in tests}
        self.lines = {name: _line(test) for name, _, test in tests}
        self.classes: dict[str, list[str]] = {}
        for name, _, test in tests:
            for holder in (strclass(type(test)), type(test).__module__):
                self.classes.setdefault(holder, []).append(name)

    def _note(self, test: Any, outcome: str, error: Any = None, **more: Any) -> None:
        names = [self.ids[id(test)]] if id(test) in self.ids else self._held(test)
        for name in names:
            record: dict[str, Any] = {"at": "call", "id": name, "outcome": outcome, "line": self.lines.get(name, 0)}
            record.update(_failure(error) if error is not None else {}, **more)
            _write(record)

    def _held(self, test: Any) -> "list[str]":
        """Return the tests below a class or module whose own setup failed or was skipped."""
        words = getattr(test, "description", "")
        return self.classes.get(words.partition("(")[2].rstrip(")"), [])

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        super().addSuccess(test)
        self._note(test, "passed")

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        self._note(test, "failed", err)

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self._note(test, "failed", err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, "failed", err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        self._note(test, "skipped")

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addExpectedFailure(test, err)
        self._note(test, "skipped")

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        super().addUnexpectedSuccess(test)
        self._note(test, "failed", expected=True)


def main() -> None:
    """Run what is wanted."""
    with open(os.environ["VFCC_PROVE"], encoding="utf-8") as file:  # noqa: PTH123
        _orders.update(json.load(file))
    if os.getcwd() not in sys.path:  # noqa: PTH109
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    tests = [found for path, names in sorted(_orders["wanted"].items()) for found in _tests(path, names)]
    unittest.TestSuite(test for _, _, test in tests).run(_Report(tests))
    places = {
        name: getattr(sys.modules[name], "__file__", None) or "" for name in _orders["modules"] if name in sys.modules
    }
    _write({"at": "modules", "modules": places})
    _write({"at": "end"})


def _tests(path: str, names: "list[str]") -> "Iterator[tuple[str, str, Any]]":
    try:
        module = _imported(path)
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    except unittest.SkipTest:
        return
    except BaseException as error:  # noqa: BLE001 - a file may also leave by SystemExit
        text = str(error) or type(error).__name__
        _write(dict(_failure((type(error), error, error.__traceback__)), at="load", id=path, text=text))
        return
    for test in _flat(suite):
        name = "::".join([*type(test).__qualname__.split("."), getattr(test, "_testMethodName", str(test))])
        method = getattr(getattr(type(test), getattr(test, "_testMethodName", ""), None), "__qualname__", "")
        if not names or name in names or method.replace(".", "::") in names:  # the second is inherited
            yield f"{path}::{name}", path, test


def _imported(path: str) -> Any:
    """Import a test file as discovery does: from the folder above its outermost package."""
    folder, _, name = path.rpartition("/")
    parts = [name[: -len(".py")]]
    while folder and os.path.exists(os.path.join(folder, "__init__.py")):  # noqa: PTH110, PTH118
        folder, _, package = folder.rpartition("/")
        parts.insert(0, package)
    root = os.path.abspath(folder)  # noqa: PTH100
    if root not in sys.path:
        sys.path.insert(0, root)
    full = ".".join(parts)
    known = getattr(sys.modules.get(full), "__file__", None)
    if known and os.path.realpath(known) != os.path.realpath(path):
        del sys.modules[full]  # two folders without a package may hold files of one name
        sys.path.remove(root)
        sys.path.insert(0, root)
    return importlib.import_module(full)


def _line(test: Any) -> int:
    code = getattr(getattr(type(test), getattr(test, "_testMethodName", ""), None), "__code__", None)
    return getattr(code, "co_firstlineno", 0)


def _flat(suite: Any) -> "Iterator[Any]":
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from _flat(each)
        else:
            yield each


def _failure(error: Any) -> "dict[str, Any]":
    kind, value, trace = error
    frames = [each for each in traceback.extract_tb(trace) if "/unittest/" not in each.filename.replace(os.sep, "/")]
    where = _relative(frames[-1].filename) if frames else ""
    return {"kinds": [each.__name__ for each in kind.__mro__], "text": str(value).strip()[:_LONGEST], "where": where}


def _relative(path: str) -> str:
    return os.path.relpath(os.path.realpath(path), _orders["root"]).replace(os.sep, "/")


def _write(record: "dict[str, Any]") -> None:
    with open(_orders["out"], "a", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
