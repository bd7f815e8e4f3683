"""Which criterion names each of forty planted cheats; honest changes are named by none."""

from pathlib import Path

import pytest

from tests.cli.process import vfcc
from tests.planted_cheats import CHEATS, FILES, HONEST, KEPT, RED, Cheat
from tests.shop_world import RED_FIRST, TESTS_KEPT, change, shop

pytestmark = pytest.mark.vfcc("REQ-GATES")
AGENT = {"VFCC_AGENT": "planner"}


def naming(folder: Path, cheat: Cheat) -> frozenset[str]:
    """The criteria that do not pass in a project with a cheat."""
    root = change(shop(folder, RED_FIRST, TESTS_KEPT, files=FILES), cheat.files)
    ran = vfcc(root, "evidence", "run", "--json", "--full", env=AGENT)
    assert ran.out, ran
    rows = ran.data["rows"]
    assert all(row["evidence"] for row in rows), ran
    return frozenset(row["criterion"] for row in rows if row["verdict"] != "pass")


def costs_runs(name: str) -> bool:
    """Whether the product changes, so that tests run twice."""
    return "price.py" in {**CHEATS, **HONEST}[name].files


@pytest.mark.points(6)
@pytest.mark.parametrize("name", [name for name in CHEATS if not costs_runs(name)])
def test_a_cheat_that_leaves_the_product_alone_is_named(tmp_path: Path, name: str) -> None:
    assert naming(tmp_path, CHEATS[name]) == CHEATS[name].named_by


@pytest.mark.points(3)
@pytest.mark.parametrize("name", [name for name in CHEATS if costs_runs(name)])
def test_a_cheat_with_a_change_of_the_product_is_named(tmp_path: Path, name: str) -> None:
    assert naming(tmp_path, CHEATS[name]) == CHEATS[name].named_by


@pytest.mark.points(2)
@pytest.mark.parametrize("name", HONEST)
def test_an_honest_change_is_named_by_neither(tmp_path: Path, name: str) -> None:
    assert naming(tmp_path, HONEST[name]) == frozenset()


def test_nine_of_ten_cheats_are_named() -> None:
    named = [name for name, cheat in CHEATS.items() if cheat.named_by]

    by = [sum(name in cheat.named_by for cheat in CHEATS.values()) for name in (RED, KEPT)]

    assert len(named) >= 0.9 * len(CHEATS)
    assert (len(CHEATS), *by, sum(by) - len(named)) == (43, 18, 25, 2), "the page on honesty has these numbers"
