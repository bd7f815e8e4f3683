"""The fixtures that tests use: functions of pytest which a test names as its parameters."""

import re
from collections.abc import Iterator, Sequence

from verifflowcc.codegraph.mix import signature
from verifflowcc.codegraph.rank_units import RankedUnit
from verifflowcc.codegraph.units import units_of
from verifflowcc.domain.graph import CALLABLE, FILE, Definition, SearchedCode, qualified

CONFTEST = "conftest.py"
_NAME = re.compile(r"[A-Za-z_]\w*")
_FIXTURE = re.compile(r"@[\w.]*fixture\b")


def with_fixtures(tests: Sequence[RankedUnit], code: SearchedCode) -> Iterator[RankedUnit]:
    """Yield the tests, each followed by those fixtures of its folders' `conftest.py` that no earlier one uses.

    A fixture that another one uses follows it.
    """
    known: dict[str, dict[str, RankedUnit]] = {}
    shown = {(each.path, each.unit.first) for each in tests}
    for test in tests:
        yield test
        waiting = [test]
        while waiting:
            piece = waiting.pop(0)
            for found in _used(piece, code, known):
                if (found.path, found.unit.first) not in shown:
                    shown.add((found.path, found.unit.first))
                    waiting.append(found)
                    yield found


def _used(piece: RankedUnit, code: SearchedCode, known: dict[str, dict[str, RankedUnit]]) -> Iterator[RankedUnit]:
    """Yield the fixtures that a function's signature or decorators name; the nearest folder's go first."""
    shown = signature(piece, code.head(piece.path).definitions)
    if shown is None or piece.unit.place == FILE:
        return
    head = shown.unit.last - piece.unit.first + 1
    names = dict.fromkeys(_NAME.findall("\n".join(piece.lines[:head])))
    for name in names:
        for path in _conftests(piece.path):
            if path in code.files and path not in known:
                known[path] = {each.name: each for each in _fixtures(path, code)}
            if found := known.get(path, {}).get(name):
                yield found
                break


def _conftests(path: str) -> Iterator[str]:
    folders = path.split("/")[:-1]
    while folders:
        yield "/".join([*folders, CONFTEST])
        folders.pop()
    yield CONFTEST


def _fixtures(path: str, code: SearchedCode) -> Iterator[RankedUnit]:
    definitions = code.head(path).definitions
    lines = [line.removesuffix("\r") for line in (code.text(path) or b"").decode("utf-8", "replace").split("\n")]
    for unit in units_of(definitions, lines):
        if unit.place != FILE and _is_fixture(definitions[unit.place], lines):
            name = qualified(definitions, unit.place)
            shown = tuple(lines[unit.first - 1 : unit.last])
            yield RankedUnit(path, unit, name, 0.0, shown, "a fixture of the tests above")


def _is_fixture(each: Definition, lines: Sequence[str]) -> bool:
    above = lines[(each.start or each.line) - 1 : each.line]
    return each.kind in CALLABLE and any(_FIXTURE.match(line.strip()) for line in above)
