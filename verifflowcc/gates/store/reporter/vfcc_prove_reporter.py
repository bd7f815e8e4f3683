"""A pytest plugin that runs only the wanted tests, and writes how each ended, with the classes of its exception.

It is copied beside the scratch tree and runs under the project's own Python, which may be old: it imports nothing of
vfcc. `VFCC_PROVE` names a JSON file with `wanted` (file -> names of tests, none for all), `modules` whose files are
reported, and `out`, where a line of JSON is written for each outcome.
"""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

_LONGEST = 400
_orders: "dict[str, Any]" = {}


def pytest_configure(config: Any) -> None:
    """Read what is wanted."""
    with open(os.environ["VFCC_PROVE"], encoding="utf-8") as file:  # noqa: PTH123
        _orders.update(json.load(file))
    _orders["worker"] = hasattr(config, "workerinput")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: Any, items: "list[Any]") -> None:
    """Deselect every test that is not wanted."""
    kept: list[Any] = []
    others: list[Any] = []
    for item in items:
        (kept if _is_wanted(item) else others).append(item)
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = kept


def _is_wanted(item: Any) -> bool:
    path = _relative(str(getattr(item, "path", None) or item.fspath))
    wanted = _orders["wanted"].get(path)
    if wanted is None:
        return False
    if not wanted:
        return True
    name = item.nodeid.partition("::")[2].partition("[")[0]
    own = getattr(getattr(item, "function", None), "__qualname__", "").replace(".", "::")
    return name in wanted or own in wanted  # the second is a test that a class inherits


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> "Iterator[None]":
    """Put the exception's classes into the report, which goes to the process that writes."""
    outcome: Any = yield
    if call.excinfo is not None:
        outcome.get_result().vfcc_failure = _failure(call.excinfo)


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: Any) -> "Iterator[None]":
    """Write down which file could not be loaded."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.failed and not _orders["worker"]:
        excinfo = getattr(getattr(report, "call", None), "excinfo", None)
        text = str(getattr(report.longrepr, "longrepr", None) or report.longrepr)
        failure = _failure(excinfo) if excinfo is not None else {"kinds": [], "text": text, "where": ""}
        _write(dict(failure, at="load", id=report.nodeid, text=text.strip().splitlines()[-1] if text.strip() else ""))


def pytest_runtest_logreport(report: Any) -> None:
    """Write down how a part of a test ended."""
    if not _orders["worker"]:
        failure = getattr(report, "vfcc_failure", None) or {}
        expected = hasattr(report, "wasxfail")
        line = (report.location[1] or 0) + 1 if getattr(report, "location", None) else 0
        record = {"at": report.when, "id": report.nodeid, "outcome": report.outcome}
        _write(dict(failure, expected=expected, line=line, **record))


def pytest_sessionfinish(session: Any) -> None:
    """Write down where the project's modules came from."""
    names = [name for name in _orders["modules"] if name in sys.modules]
    places = {name: getattr(sys.modules[name], "__file__", None) or "" for name in names}
    _write({"at": "modules", "modules": places})


def pytest_unconfigure(config: Any) -> None:
    """Write down that the run came to its end."""
    if not _orders["worker"]:
        _write({"at": "end"})


def _failure(excinfo: Any) -> "dict[str, Any]":
    kinds = [each.__name__ for each in excinfo.type.__mro__]
    text = str(excinfo.value).strip()
    entry = excinfo.traceback[-1] if excinfo.traceback else None
    where = _relative(str(entry.path)) if entry is not None else ""
    return {"kinds": kinds, "text": text[:_LONGEST], "where": where}


def _relative(path: str) -> str:
    return os.path.relpath(os.path.realpath(path), _orders["root"]).replace(os.sep, "/")


def _write(record: "dict[str, Any]") -> None:
    with open(_orders["out"], "a", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        file.write(json.dumps(record) + "\n")
