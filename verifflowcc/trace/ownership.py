"""Checks of files: each test, each changed file and each file of the product belongs to an item."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from verifflowcc.domain.items import Status
from verifflowcc.domain.trace import CodeFile
from verifflowcc.text.canonical import digest_text
from verifflowcc.text.glob import matches, select
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.test_names import TestNames
from verifflowcc.trace.view import Joins, TraceView

EMPTY = digest_text("")
_PYTHON_TESTS = re.compile(r"test.*\.py|.*_test\.py")
"""Files that pytest, unittest and Django collect by default."""
SOURCE = frozenset(
    "c cc cpp cs cxx dart ex exs f90 fs go h hpp hs hxx java jl js jsx kt lua mjs php pl py pyx rb rs scala swift ts"
    " tsx vhd vue zig".split()
)
"""Endings of files that are asked for their item where the policy does not say which are the product's."""


def check_owners(view: TraceView, joins: Joins, tell: Telling) -> None:
    """Tell of tests and files that belong to no item."""
    owned = _owned(view)
    _tests(view, joins, tell)
    tests = {path for path, file in view.code.items() if file.test}
    changed = [path for path in _product(view, view.sources.changed or ()) if path not in tests]
    tell.ask(("orphan-file",), len(changed))
    for path in changed:
        if not _belongs(path, owned):
            message = f"{path} changed in this sprint and belongs to no item"
            tell.place("orphan-file", path, 1, message, f"mark it with the id of its item, vfcc: ID, in {path}")
    asked = select(view.sources.files, view.policy.code) if view.policy.code else ()
    asked = tuple(path for path in asked if _is_product(path, tests, view))
    tell.ask(("untraced-code",), len(asked))
    for path in asked:
        if not _belongs(path, owned):
            message = f"{path} is a file of the product and belongs to no item"
            tell.place("untraced-code", path, 1, message, f"mark it with the id of its item, vfcc: ID, in {path}")


def _owned(view: TraceView) -> frozenset[str]:
    """Return the files and folders that some item has, by a mark or a ref."""
    by_id = view.by_id
    live = {name for name, item in by_id.items() if item.status is not Status.ARCHIVED}
    marked = {file.path for file in view.code.values() if any(name in live for mark in file.marks for name in mark.ids)}
    return frozenset(marked | {ref.path.removeprefix("./").rstrip("/") for item in view.live for ref in item.refs})


def _belongs(path: str, owned: frozenset[str]) -> bool:
    while path:
        if path in owned:
            return True
        path = path.rpartition("/")[0]
    return False


def _product(view: TraceView, paths: Iterable[str]) -> tuple[str, ...]:
    """Return those of the paths that are there and are the product's: as the policy says, else by their ending."""
    there = [path for path in paths if path in view.sources.files and not path.startswith(".memory/")]
    if view.policy.code:
        return tuple(path for path in select(there, view.policy.code) if _is_product(path, (), view))
    return tuple(path for path in sorted(set(there)) if _ending(path) in SOURCE and _is_product(path, (), view))


def _is_product(path: str, tests: Iterable[str], view: TraceView) -> bool:
    """Whether a file is neither a test's nor empty, as those are that only make a folder a package."""
    if path in tests or view.sources.files.get(path) == EMPTY:
        return False
    return not any(matches(path, pattern) for pattern in view.policy.tests)


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def _tests(view: TraceView, joins: Joins, tell: Telling) -> None:
    """Tell of each file of tests how many of them belong to no item."""
    tests = _by_file(view, joins)
    tell.ask(("orphan-test",), len(tests))
    if not tell.on("orphan-test"):
        return
    names = TestNames(test for each in tests.values() for test in each)
    taken = {test for item in view.live for test in names.named(item.tests)}
    taken |= {test.test for each in joins.by_id.values() for test in each.told}
    for path in sorted(tests):
        marked = _marked(view.code.get(path), view)
        orphans = [test for test in tests[path] if test not in taken and not _within(test, path, marked)]
        if orphans:
            count = f"{len(orphans)} of {len(tests[path])} tests" if len(tests[path]) > 1 else "the test"
            message = f"{count} in {path} belong{'' if len(tests[path]) > 1 else 's'} to no item: {_some(orphans)}"
            tell.place("orphan-test", path, 1, message, f"mark them with the ids that they test, vfcc: ID, in {path}")


def _by_file(view: TraceView, joins: Joins) -> Mapping[str, tuple[str, ...]]:
    """Return file → its tests: those of results, and the symbols that a runner would collect by their names."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in view.code.values():
        for symbol in file.symbols if file.test else ():
            if _is_collected(file.path, symbol.name):
                found[file.path].add(f"{file.path}::{symbol.name}")
    for test in joins.verdicts:
        path, joint, _ = test.partition("::")
        if joint and path in view.code and view.code[path].test:
            found[path].add(test)
    return {path: tuple(sorted(each)) for path, each in found.items()}


def _is_collected(path: str, symbol: str) -> bool:
    """Whether a symbol is named like a test; in Python also its file, and it is inside of nothing but classes.

    pytest collects no other files by default, and never a function inside of a function. In Rust, tests are inside of
    modules, whose names are in lower case as well.
    """
    outer, _, name = symbol.rpartition(".")
    if not name.startswith("test_"):
        return False
    if not path.endswith(".py"):
        return True
    return bool(_PYTHON_TESTS.fullmatch(path.rpartition("/")[2])) and all(part[:1].isupper() for part in _parts(outer))


def _parts(dotted: str) -> list[str]:
    return dotted.split(".") if dotted else []


def _marked(file: CodeFile | None, view: TraceView) -> frozenset[str]:
    """Return the symbols of a file that a mark of an item stands in; "" for the whole file."""
    marks = file.marks if file else ()
    return frozenset(mark.symbol for mark in marks if any(name in view.by_id for name in mark.ids))


def _within(test: str, path: str, marked: frozenset[str]) -> bool:
    """Whether a mark stands in the test, in what holds it, or is the file's."""
    symbol = test[len(path) + 2 :].replace("::", ".")
    while symbol:
        if symbol in marked:
            return True
        symbol = symbol.rpartition(".")[0]
    return "" in marked


def _some(names: list[str]) -> str:
    shown = ", ".join(name.partition("::")[2] for name in names[:3])
    return f"{shown}, …" if len(names) > 3 else shown
