"""`vfcc evidence run --affected`: the tests that a change reaches, and no evidence of it."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.process import CI, Ran, git, vfcc
from tests.made_once import copied
from tests.trees import write_tree

RUN = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", "--junitxml={junit}"]
FILES = {
    "shop/__init__.py": "",
    "shop/price.py": "def price(cents):\n    return cents / 100\n\n\n"
    "def label(cents):\n    return f'{price(cents)} EUR'\n",
    "shop/stock.py": "def left(stock, sold):\n    return stock - sold\n",
    "tests/test_price.py": "from shop.price import label, price\n\n\n"
    "def test_price():\n    assert price(250) == 2.5\n\n\n"
    "def test_label():\n    assert label(100) == '1.0 EUR'\n",
    "tests/test_stock.py": "from shop.stock import left\n\n\ndef test_left():\n    assert left(3, 1) == 2\n",
    "tests/test_slow.py": "import pytest\n\npytest.importorskip('no_such_program')\nfrom shop.price import label\n\n\n"
    "def test_printed():\n    assert label(200)\n",
    "tests/names.py": "from shop.price import label\n\nNAME = label\n",
    "conftest.py": "",
    ".gitignore": "__pycache__/\n",
}


def config(*words: str) -> str:
    return f"format: 2\nworkflow: light\ngates:\n  commands:\n    test:\n      run: {json.dumps(words)}\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project in git with a sprint that was just begun, and a command that runs pytest."""
    return copied(tmp_path, _begun)


def _begun(folder: Path) -> Path:
    root = write_tree(folder / "shop", FILES | {".memory/config.yaml": config(*RUN)})
    git(root, "init", "--quiet")
    git(root, "add", "-A")
    git(root, "commit", "--quiet", "-m", "Begin")
    assert vfcc(root, "sprint", "start", "Whole cents").code == 0
    assert vfcc(root, "allow", "--yes", env=CI).code == 0
    return root


def affected(root: Path, *words: str) -> Ran:
    return vfcc(root, "evidence", "run", "--affected", *words)


def ids(root: Path) -> list[str]:
    """Return the tests that were asked for by the last command that ran."""
    ran = affected(root, "--json", "--full")
    return sorted(word for word in json.loads(ran.out)["data"]["commands"][-1]["argv"] if word.startswith("tests"))


def test_the_tests_that_the_change_reaches_run_and_leave_no_evidence(shop: Path) -> None:
    write_tree(shop, {"shop/stock.py": "def left(stock, sold):\n    return max(stock - sold, 0)\n"})

    ran = affected(shop)

    assert ran.code == 0, ran
    assert (
        ran.out == "test-affected: passed\nthis is no evidence: the gate asks for all tests\nnext: vfcc evidence run\n"
    )
    assert ids(shop) == ["tests/test_stock.py::test_left"]
    assert list(shop.glob(".memory/stage/*/*/evidence/*.json")) == []
    assert vfcc(shop, "evidence", "list").out == "no evidence yet\n"


def test_a_test_that_fails_shows_the_output_and_exits_with_1(shop: Path) -> None:
    write_tree(shop, {"shop/stock.py": "def left(stock, sold):\n    return stock\n"})

    ran = affected(shop)

    assert ran.code == 1
    assert ran.out.startswith("test-affected: failed (exit 1)\n  failed: tests.test_stock::test_left: ")
    assert "FAILED tests/test_stock.py::test_left" in ran.err


def test_a_module_that_skips_itself_does_not_keep_the_others_from_running(shop: Path) -> None:
    """pytest runs nothing where it does not find a test that is named: such a module is named whole."""
    price = FILES["shop/price.py"].replace("def price(cents):\n", "def price(cents):\n    cents = int(cents)\n")
    write_tree(shop, {"shop/price.py": price})

    assert affected(shop).code == 0
    wanted = ["tests/test_price.py::test_label", "tests/test_price.py::test_price", "tests/test_slow.py"]
    assert ids(shop) == wanted, "and a file of helpers is no test"


def test_where_nothing_is_reached_or_may_run_it_says_so(shop: Path) -> None:
    affected(shop).refused(3, "no test is known to reach what changed")
    affected(shop, "--all").refused(2, "--affected goes with names of criteria or commands only")
    write_tree(shop, {"shop/stock.py": "def left(stock, sold):\n    return 7\n"})
    vfcc(shop, "allow", "--withdraw")
    ran = affected(shop)
    assert (ran.code, "not allowed on this machine" in ran.err) == (3, True)
    write_tree(shop, {".memory/config.yaml": config("make", "test", "{junit}")})
    assert vfcc(shop, "allow", "--yes", env=CI).code == 0
    affected(shop).refused(3, "no command of this project runs single tests of these languages")
