"""Evidence of the kinds `red-first` and `tests-kept`: made, judged, waived and reproduced by real commands."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.honest_world import commit
from tests.cli.process import CI, vfcc
from tests.shop_world import (
    CHEAT,
    CHEAT_TESTS,
    FIX,
    FIX_TESTS,
    GREEN,
    PRICE,
    RED_FIRST,
    TESTS,
    TESTS_KEPT,
    change,
    shop,
)
from tests.trees import write_tree

pytestmark = pytest.mark.vfcc("REQ-RED-FIRST")
AGENT = {"VFCC_AGENT": "planner"}
STATED = ("evidence", "run", "red-first", "--refactoring", "one expression less")


def asked(root: Path) -> dict[str, tuple[str, str]]:
    """The verdict and the reason of each criterion of the gate, read from records alone."""
    gate = vfcc(root, "check", "gate", "--json", "--full").data
    listed = gate["exit"]["assessments"]
    return {each["criterion"]["id"]: (each["verdict"], each["reason"]) for each in listed}


def run(root: Path, *names: str) -> dict[str, tuple[str, str]]:
    """The verdict and the reason of each criterion after an agent ran what the gate asks for."""
    ran = vfcc(root, "evidence", "run", *names, "--json", "--full", env=AGENT)
    assert ran.out, ran
    return {row["criterion"]: (row["verdict"], row["reason"]) for row in ran.data["rows"]}


def test_a_fix_with_a_test_of_it_is_proven_and_reproduced(tmp_path: Path) -> None:
    root = change(shop(tmp_path), {"price.py": FIX, "tests/test_price.py": FIX_TESTS})

    found = run(root)

    assert found["red-first"] == ("pass", "red without the change, green with it: 1 of 1 test")
    assert found["tests-kept"] == ("pass", "no test lost anything (1 changed file compared)")
    assert asked(root)["red-first"][0] == "pass"
    again = vfcc(root, "check", "--rerun", env=CI)
    assert again.code == 0, again
    assert "plan/red-first: reproduced" in again.out
    assert "plan/tests-kept: reproduced" in again.out


def test_nothing_in_the_work_tree_changes_while_a_change_is_proven(tmp_path: Path) -> None:
    root = change(shop(tmp_path, RED_FIRST), {"price.py": FIX, "tests/test_price.py": FIX_TESTS})
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".memory" not in path.parts}

    run(root)

    after = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".memory" not in path.parts}
    assert {path: data for path, data in after.items() if ".git" not in path.parts} == {
        path: data for path, data in before.items() if ".git" not in path.parts
    }


def test_evidence_written_by_hand_differs_when_it_is_run_again(tmp_path: Path) -> None:
    root = change(shop(tmp_path, TESTS_KEPT), {"tests/test_price.py": FIX_TESTS})
    run(root)
    change(root, {"tests/test_price.py": CHEAT_TESTS})

    assert asked(root)["tests-kept"] == ("not_evaluable", "its evidence is stale: tests/test_price.py changed")
    assert run(root)["tests-kept"][0] == "fail"


def test_an_old_test_that_was_red_before_proves_a_fix_alone(tmp_path: Path) -> None:
    root = change(shop(tmp_path, RED_FIRST, files={"tests/test_price.py": FIX_TESTS}), {"price.py": FIX})

    assert run(root)["red-first"] == ("pass", "red without the change, green with it: 1 of 1 test")


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"README.md": "Prices\n"}, "nothing to prove: no product file changed"),
        ({"price.py": f"# Prices of a shop.\n{PRICE}"}, "nothing to prove: no product file changed"),
        ({"tests/test_price.py": f"{TESTS}    assert price(1)\n"}, "nothing to prove: no product file changed"),
    ],
    ids=["documentation", "a comment", "tests alone"],
)
def test_without_a_change_of_the_product_there_is_nothing_to_prove(
    tmp_path: Path, files: dict[str, str], reason: str
) -> None:
    assert run(change(shop(tmp_path, RED_FIRST), files))["red-first"] == ("pass", reason)


def test_a_new_test_that_is_skipped_shows_nothing(tmp_path: Path) -> None:
    skipped = FIX_TESTS.replace("def test_price_of", "import pytest\n\n\n@pytest.mark.skip\ndef test_price_of")
    root = change(shop(tmp_path, RED_FIRST), {"price.py": FIX, "tests/test_price.py": skipped})

    verdict, reason = run(root)["red-first"]

    assert verdict == "not_evaluable"
    assert reason.endswith("tests/test_price.py::test_price_of_305 is skipped with the change")


def test_a_name_that_is_missing_shows_nothing(tmp_path: Path) -> None:
    tests = "from price import RATE\n\n\ndef test_rate():\n    assert RATE\n"
    root = change(shop(tmp_path, RED_FIRST), {"price.py": f"RATE = 3\n{PRICE}", "tests/test_rate.py": tests})

    verdict, reason = run(root)["red-first"]

    assert verdict == "not_evaluable"
    assert reason.startswith("inconclusive: 1 test shows nothing of the change: tests/test_rate.py::test_rate without")


def test_strict_settings_and_a_command_without_a_cache_go_together(tmp_path: Path) -> None:
    strict = {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--strict-config']\n"}
    root = change(shop(tmp_path, RED_FIRST, files=strict), {"price.py": FIX, "tests/test_price.py": FIX_TESTS})

    assert run(root)["red-first"][0] == "pass"


def test_tests_that_show_nothing_are_named_beside_one_that_proves(tmp_path: Path) -> None:
    tests = f"{FIX_TESTS}\n\ndef test_more():\n    assert price(1) is not None\n"
    root = change(shop(tmp_path, RED_FIRST), {"price.py": FIX, "tests/test_price.py": tests})

    assert run(root)["red-first"] == (
        "pass",
        "red without the change, green with it: 1 of 2 tests; green without it as well: tests/test_price.py::test_more",
    )


def test_a_limit_on_unguarded_lines_puts_each_hunk_back(tmp_path: Path) -> None:
    limited = "{id: red-first, kind: red-first, command: test, at_most: {unguarded: 0}}"
    old = PRICE + "\n\ndef half(cents):\n    return cents / 2\n"
    new = FIX + "\n\ndef half(cents):\n    return cents // 2\n"
    root = shop(tmp_path, limited, files={"price.py": old})
    change(root, {"price.py": new, "tests/test_price.py": FIX_TESTS})

    verdict, reason = run(root)["red-first"]

    assert (verdict, reason) == ("fail", "unguarded is 2, 0 is allowed; no test guards price.py:6")


def test_a_refactoring_is_stated_by_a_person_and_every_test_must_pass_both_times(tmp_path: Path) -> None:
    root = person(shop(tmp_path, RED_FIRST), "You")
    change(
        root,
        {
            "price.py": PRICE.replace("    return", "    rest = cents % 100\n    return").replace(
                "cents % 100}", "rest}"
            )
        },
    )

    assert run(root)["red-first"][0] == "fail"
    assert vfcc(root, *STATED, env=AGENT).code == 3
    assert typed(root, *STATED).code == 0

    assert asked(root)["red-first"] == (
        "pass",
        "a refactoring (one expression less): 1 test passed with it and without it",
    )
    assert "it is not committed, so no commit vouches for human:You" in vfcc(root, "check", "--rerun", env=CI).out
    commit(root)
    again = vfcc(root, "check", "--rerun", env=CI)
    assert (again.code, "plan/red-first: reproduced" in again.out) == (0, True), again
    assert "stated a refactoring for plan/red-first by human:You: by the unsigned commit" in again.out


def test_a_change_of_behaviour_is_no_refactoring(tmp_path: Path) -> None:
    root = person(shop(tmp_path, RED_FIRST), "You")
    change(root, {"price.py": FIX, "tests/test_price.py": FIX_TESTS})

    assert typed(root, *STATED).code == 1

    verdict, reason = asked(root)["red-first"]
    assert verdict == "fail"
    assert reason.startswith("stated as a refactoring (one expression less), and 1 test did not pass without it: ")
    assert reason.endswith("tests/test_price.py::test_price_of_305")


def test_a_reason_goes_with_a_criterion_of_that_kind_alone(tmp_path: Path) -> None:
    root = person(shop(tmp_path, TESTS_KEPT), "You")

    typed(root, "evidence", "run", "--refactoring", "x")

    ran = typed(root, "evidence", "run", "tests-kept", "--refactoring", "x")
    assert ran.code == 2
    assert "--refactoring is for a criterion of the kind red-first" in ran.err


def test_accepted_losses_stay_accepted_until_there_is_another(tmp_path: Path) -> None:
    root = person(change(shop(tmp_path, TESTS_KEPT), {"tests/test_price.py": TESTS.replace(' == "2.50"', "")}), "You")
    assert run(root)["tests-kept"][0] == "fail"

    waived = typed(root, "waive", "tests-kept", "--reason", "the format is open", "--yes")
    assert waived.code == 0, waived
    assert asked(root)["tests-kept"][0] == "waived"

    write_tree(root, {"README.md": "Prices\n"})
    assert asked(root)["tests-kept"][0] == "not_evaluable"
    run(root)
    assert asked(root)["tests-kept"][0] == "waived"

    change(root, {"tests/test_price.py": TESTS.replace("def test_price", "def price_of")})
    assert asked(root)["tests-kept"][0] == "not_evaluable"
    run(root)
    assert asked(root)["tests-kept"][0] == "fail"


def test_a_hard_proof_of_a_command_that_cannot_be_read_blocks_and_a_soft_one_is_not_asked(tmp_path: Path) -> None:
    suite = {"suite.sh": "exit 0\n"}
    hard = change(shop(tmp_path / "hard", RED_FIRST, files=suite, test=("sh", "suite.sh")), {"price.py": FIX})
    soft = shop(tmp_path / "soft", RED_FIRST, TESTS_KEPT, files=suite, gates="soft", test=("sh", "suite.sh"))
    change(soft, {"price.py": FIX})

    verdict, reason = run(hard)["red-first"]

    assert verdict == "not_evaluable"
    assert reason.startswith("the outcomes of test cannot be read test by test (known: pytest")
    assert set(run(soft)) == {"tests-kept"}
    assert set(asked(soft)) == {"plan", "tests-kept"}


def test_every_criterion_of_both_kinds_can_close_its_gate(tmp_path: Path) -> None:
    root = shop(tmp_path, GREEN, RED_FIRST, TESTS_KEPT)

    ran = vfcc(root, "check", "gate", "--canary", env=CI)

    assert ran.code == 0, ran


ITEM = """\
---
id: REQ-price
type: requirement
title: Prices have two places
status: active
verification: test
---
The shop shall print prices with two places.
"""


def traced(root: Path, tests: str) -> Path:
    """The fix, with tests of which each names the requirement."""
    named = tests.replace("def test_price_of", "# vfcc: REQ-price\ndef test_price_of")
    named = named.replace("def test_more", "# vfcc: REQ-price\ndef test_more")
    return change(
        root,
        {"price.py": FIX, "tests/test_price.py": named, ".memory/project/items/requirement/REQ-price.md": ITEM},
    )


def test_an_item_knows_whether_its_test_is_proven(tmp_path: Path) -> None:
    root = traced(shop(tmp_path, GREEN, RED_FIRST), FIX_TESTS)
    run(root)

    shown = vfcc(root, "trace", "show", "REQ-price").out

    assert "tests/test_price.py::test_price_of_305: passed, proven" in shown
    assert "note weak-test" not in vfcc(root, "check", "trace", "--all").out
    change(root, {"price.py": PRICE})
    assert "proven" not in vfcc(root, "trace", "show", "REQ-price").out


def test_an_item_whose_test_passes_without_the_change_is_noted(tmp_path: Path) -> None:
    weak = f"{FIX_TESTS}\n\ndef test_more():\n    assert price(1) is not None\n"
    root = traced(shop(tmp_path, GREEN, RED_FIRST), weak)
    run(root)

    assert "tests/test_price.py::test_more: passed, not discriminating" in vfcc(root, "trace", "show", "REQ-price").out
    found = vfcc(root, "check", "trace", "--json", "--full").data["report"]["findings"]
    assert [each["message"] for each in found if each["code"] == "weak-test" and "test_more" in each["message"]] == [
        "tests/test_price.py::test_more, a test of REQ-price, passes without the change as well"
    ]


def test_the_verdicts_on_single_tests_cannot_be_edited(tmp_path: Path) -> None:
    root = traced(shop(tmp_path, GREEN, RED_FIRST), FIX_TESTS)
    run(root)
    assert "passed, proven" in vfcc(root, "trace", "show", "REQ-price").out
    lines = [path for path in root.glob(".memory/stage/*/plan/results/*.jsonl") if "verdict" in path.read_text("utf-8")]
    assert len(lines) == 1
    lines[0].write_text(lines[0].read_text("utf-8").replace('"proven"', '"proven" '), "utf-8")

    assert "passed, proven" not in vfcc(root, "trace", "show", "REQ-price").out


def test_a_planted_case_is_named_by_both(tmp_path: Path) -> None:
    found = run(change(shop(tmp_path), {"price.py": CHEAT, "tests/test_price.py": CHEAT_TESTS}))

    assert {name: verdict for name, (verdict, _) in found.items()} == {
        "tests": "pass",
        "red-first": "fail",
        "tests-kept": "fail",
    }


def test_a_change_without_a_test_is_not_hidden_by_tests_that_are_skipped_anyway(tmp_path: Path) -> None:
    skipped = "import pytest\n\n\n@pytest.mark.skip\ndef test_elsewhere():\n    assert 0\n"
    root = change(shop(tmp_path, RED_FIRST, files={"tests/test_other.py": skipped}), {"price.py": FIX})

    verdict, reason = run(root)["red-first"]

    assert verdict == "fail"
    assert reason.startswith("with your change removed, its test still passes: tests/test_price.py::test_price")
    assert "test_elsewhere" not in reason
