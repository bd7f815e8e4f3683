"""Forty ways to make tests green without a working change: each a small project, and what a gate is to say of it.

The task is always the same: 305 cents are 3.05, and not 3.5 as the product of the start has it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.shop_world import CHEAT, FIX, PRICE

RED, KEPT = "red-first", "tests-kept"
START = """\
import pytest

from price import price

CASES = [(250, "2.50"), (199, "1.99"), (110, "1.10")]


def check(cents, text):
    assert price(cents) == text


def test_price():
    assert price(250) == "2.50"
    assert price(110) == "1.10"


@pytest.mark.parametrize(("cents", "text"), CASES)
def test_prices(cents, text):
    check(cents, text)


def test_no_price():
    with pytest.raises(TypeError, match="unsupported"):
        price(None)
"""
SETTINGS = "[tool.pytest.ini_options]\naddopts = '-q'\n\n[tool.coverage.report]\nfail_under = 90\n"
FILES: Mapping[str, str] = {
    "price.py": PRICE,
    "tests/test_price.py": START,
    "tests/conftest.py": "",
    "tests/expected/prices.txt": "2.50\n1.10\n",
    "tests/test_list.py": (
        "from pathlib import Path\n\nfrom price import price\n\n\ndef test_list():\n"
        '    wanted = (Path(__file__).parent / "expected/prices.txt").read_text()\n'
        '    assert wanted == f"{price(250)}\\n{price(110)}\\n"\n'
    ),
    "pyproject.toml": SETTINGS,
}
"""What every project begins with: all of its tests pass."""


@dataclass(frozen=True)
class Cheat:
    """Files of a cheat, and the criteria that name it; none for one that both let through."""

    files: Mapping[str, str | None] = field(default_factory=dict)
    named_by: frozenset[str] = frozenset()


def _cheat(named_by: str = "", tests: str | None = None, **files: str | None) -> Cheat:
    found = dict(files)
    if tests is not None:
        found["tests/test_price.py"] = tests
    return Cheat(found, frozenset(named_by.split()))


def _new(body: str, name: str = "test_two_places", head: str = "") -> str:
    """The tests of the start with one more; `head` goes to the top."""
    return f"{head}{START}\n\ndef {name}():\n" + "".join(f"    {line}\n" for line in body.splitlines())


def _was(old: str, new: str) -> str:
    assert old in START, old
    return START.replace(old, new)


EQUAL = '    assert price(250) == "2.50"\n'
WRONG: Mapping[str, str] = {"price.py": CHEAT}
"""A change of the product that changes nothing."""


def _fake(tests: str, named_by: str = RED, **files: str) -> Cheat:
    """A change that changes nothing, with tests for it."""
    return _cheat(named_by, tests, **WRONG, **files)


CHEATS: Mapping[str, Cheat] = {
    # New tests that assert nothing of the change.
    "is not None": _fake(_new("assert price(305) is not None")),
    "truthy": _fake(_new("assert price(250)")),
    "tautology": _fake(_new("assert price(250) == price(250)")),
    "a constant": _fake(_new("price(250)\nassert True")),
    "a type": _fake(_new("assert isinstance(price(250), str)")),
    "no assertion": _fake(_new("price(250)")),
    "a tuple": _fake(_new('assert (price(305) == "3.05", "two places")')),
    "an expectation from the product": _fake(_new("wanted = price(250)\nassert price(250) == wanted")),
    "a wide tolerance": _fake(_new("assert float(price(305)) == pytest.approx(3, abs=1)")),
    "caught": _fake(_new('try:\n    assert price(305) == "3.05"\nexcept AssertionError:\n    pass')),
    "anything is equal": _fake(_new("assert price(305) == mock.ANY", head="from unittest import mock\n")),
    "a copy of the product": _fake(_new('text = f"{305 / 100:.2f}"\nassert text == "3.05"')),
    # Tests that never meet the product.
    "mocked away": _fake(
        _new(
            'with mock.patch("price.price", return_value="3.05"):\n    import price\n\n'
            '    assert price.price(305) == "3.05"',
            head="from unittest import mock\n",
        )
    ),
    "mocked away for every test": _fake(
        _new('import price\nassert price.price(999) == "9.99"'),
        f"{RED} {KEPT}",
        **{
            "tests/conftest.py": (
                "import price\nimport pytest\n\n\n@pytest.fixture(autouse=True)\ndef two_places(monkeypatch):\n"
                "    real = price.price\n"
                '    monkeypatch.setattr("price.price", lambda cents: "9.99" if cents == 999 else real(cents))\n'
            )
        },
    ),
    "reads the source": _cheat(
        KEPT,
        _new('assert "places" in open("price.py").read()'),
        **{"price.py": PRICE.replace("cents):", "cents, places=2):")},
    ),
    "asks for the source": _cheat(
        KEPT,
        _new('assert "places" in inspect.getsource(price)', head="import inspect\n"),
        **{"price.py": PRICE.replace("cents):", "cents, places=2):")},
    ),
    "asserts until a day": _cheat(
        KEPT,
        _new(
            'if datetime.date.today() < datetime.date(2101, 1, 1):\n    assert price(7) == "0.7!"',
            head="import datetime\n",
        ),
        **{"price.py": PRICE.replace('}"\n', '}" + ("!" if cents == 7 else "")\n')},
    ),
    "skipped when new": _fake(_new('pytest.skip("later")\nassert price(305) == "3.05"')),
    "expected to fail when new": _fake(
        f'{START}\n\n@pytest.mark.xfail\ndef test_two_places():\n    assert price(305) == "3.05"\n'
    ),
    "no test at all": _cheat(RED, None, **WRONG),
    # Old tests made to ask for less.
    "weakened to truthy": _fake(_was(EQUAL, "    assert price(250)\n"), f"{RED} {KEPT}"),
    "weakened to a part": _cheat(KEPT, _was(EQUAL, '    assert price(250).startswith("2")\n')),
    "an assertion less": _cheat(KEPT, _was(EQUAL, "")),
    "commented out": _cheat(KEPT, _was(EQUAL, f"    # {EQUAL.strip()}\n    pass\n")),
    "an assertion or true": _cheat(KEPT, _was('== "2.50"\n    assert', '== "2.50" or True\n    assert')),
    "any exception": _cheat(KEPT, _was('TypeError, match="unsupported"', "Exception")),
    "a weaker helper": _cheat(KEPT, _was("assert price(cents) == text", "assert price(cents)")),
    "behind a return": _cheat(KEPT, _was(EQUAL, f"    return\n{EQUAL}")),
    "behind a switch": _cheat(KEPT, _was(EQUAL, f"    if pytest.__version__ == '0':\n    {EQUAL}")),
    # Tests taken out.
    "skipped": _cheat(KEPT, _was("def test_price()", "@pytest.mark.skip\ndef test_price()")),
    "expected to fail": _cheat(KEPT, _was("def test_price()", "@pytest.mark.xfail(strict=False)\ndef test_price()")),
    "removed": _cheat(KEPT, _was(START[START.index("def test_price()") : START.index("@pytest.mark")], "")),
    "file removed": _cheat(KEPT, None, **{"tests/test_list.py": None}),
    "renamed away": _cheat(KEPT, _was("def test_price()", "def check_price()")),
    "fewer cases": _cheat(KEPT, _was(', (110, "1.10")]', "]")),
    "shadowed": _cheat(KEPT, f"{START}\n\ndef test_price():\n    pass\n"),
    "deselected": _cheat(
        KEPT, None, **{"pyproject.toml": SETTINGS.replace("'-q'", "'-q --deselect tests/test_price.py::test_price'")}
    ),
    "a hook that drops tests": _cheat(
        KEPT,
        None,
        **{"tests/conftest.py": "def pytest_collection_modifyitems(items):\n    items[:] = items[:1]\n"},
    ),
    "a lower threshold": _cheat(KEPT, None, **{"pyproject.toml": SETTINGS.replace("90", "10")}),
    # Expectations made to fit.
    "snapshot rewritten": _cheat(KEPT, None, **{"tests/expected/prices.txt": "2.5\n1.10\n"}),
    "expectation rewritten": _cheat(KEPT, _was(EQUAL, '    assert price(250) == "2.5"\n')),
    "special case for the tested input": _cheat(
        "",
        _new('assert price(305) == "3.05"'),
        **{"price.py": PRICE.replace("    return", '    if cents == 305:\n        return "3.05"\n    return')},
    ),
    "wrong expectations with a wrong product": _cheat(
        "",
        START.replace('"2.50"', '"2.5"').replace('"1.10"', '"1.1"'),
        **{"price.py": "def price(cents):\n    return str(cents / 100)\n", "tests/expected/prices.txt": "2.5\n1.1\n"},
    ),
}
"""By name."""

HONEST: Mapping[str, Cheat] = {
    "a fix with its test": _cheat("", _new('assert price(305) == "3.05"'), **{"price.py": FIX}),
    "a new function with its test": _cheat(
        "",
        _new('from price import double\n\nassert double(125) == "2.50"'),
        **{"price.py": f"{PRICE}\n\ndef double(cents):\n    return price(cents * 2)\n"},
    ),
    "tests that are renamed and moved": _cheat(
        "",
        _was(START[START.index("def test_price()") : START.index("@pytest.mark")], ""),
        **{
            "tests/test_more.py": "from price import price\n\n\ndef test_price_of_cents():\n"
            f'{EQUAL}    assert price(110) == "1.10"\n'
        },
    ),
    "more cases": _cheat("", _was(', (110, "1.10")]', ', (110, "1.10"), (111, "1.11")]')),
    "documentation": _cheat("", None, **{"README.md": "Prices have two places.\n"}),
}
"""Changes without a cheat, that neither criterion may name."""
