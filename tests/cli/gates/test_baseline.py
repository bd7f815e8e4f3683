"""Old failing tests: a person accepts those that fail on the sprint's base, and no other failure passes a gate."""

import json
from pathlib import Path

import pytest

from tests.cli.honest_world import commit, done
from tests.cli.process import CI, by_person, git, vfcc
from tests.made_once import copied
from tests.shop_world import FIX, FIX_TESTS, GREEN, RED_FIRST, TEST, change, shop
from tests.trees import write_tree
from verifflowcc.base.model.gate_values import BaselineKind

FILE = BaselineKind.TESTS.path
OLD = "def test_old():\n    assert 1 == 2\n"
FLAKY = (
    "from pathlib import Path\n\nRUNS = Path({place!r})\n\n\ndef test_flaky():\n"
    "    runs = len(RUNS.read_text()) if RUNS.exists() else 0\n    RUNS.write_text('x' * (runs + 1))\n"
    "    assert runs % 2\n"
)
ACCEPT = ("baseline", "tests", "--reason", "ticket 12", "--expires", "2999-12-31", "--yes")
NOTES = "# Notes\n\nThe shop shows prices.\n"


def old_shop(folder: Path) -> Path:
    """A shop with one failing and one flaky test, and a sprint of the workflow `light` in `testing`."""
    root = write_tree(
        folder / "shop",
        {
            "price.py": "def price(cents):\n    return cents / 100\n",
            "tests/test_price.py": "from price import price\n\n\ndef test_price():\n    assert price(100) == 1\n",
            "tests/test_old.py": OLD,
            "tests/test_flaky.py": FLAKY.format(place=str(folder / "runs")),
            ".gitignore": "__pycache__/\n",
            ".memory/config.yaml": json.dumps(
                {"format": 1, "workflow": "light", "gates": {"commands": {"test": {"run": TEST}}}}
            ),
            ".memory/.gitignore": "local/\nprogress.json\n",
        },
    )
    git(root, "init", "--quiet", "--initial-branch", "main")
    commit(root)
    done(root, "allow", "--yes", env=CI)
    done(root, "sprint", "start", "Euro")
    change(root, {"price.py": "def price(cents):\n    return cents / 100.0\n"})
    for stage, name in (("planning", "plan"), ("design", "design"), ("coding", "changes")):
        write_tree(root, {f".memory/stage/euro/{stage}/artifacts/{name}.md": NOTES})
        done(root, "stage", "advance")
    write_tree(root, {".memory/stage/euro/testing/artifacts/results.md": NOTES})
    return root


def row_of_tests(root: Path) -> dict[str, str]:
    """What the gate says of the tests after a run."""
    rows = vfcc(root, "evidence", "run", "tests", "--json", "--full").data["rows"]
    (row,) = rows
    return {key: row[key] for key in ("verdict", "reason", "step")}


@pytest.mark.vfcc("REQ-EVIDENCE")
def test_an_old_failing_and_a_flaky_test_pass_light_and_a_third_failure_does_not(tmp_path: Path) -> None:
    root = old_shop(tmp_path)
    before = row_of_tests(root)
    assert before["verdict"] == "fail"
    assert 'older than the sprint, a person: vfcc baseline tests --reason "…" --expires DAY' in before["step"]
    vfcc(root, *ACCEPT).refused(3, "vfcc baseline tests needs a person at a terminal")
    assert not (root / FILE).exists()

    accepted = by_person(root, *ACCEPT)

    assert accepted.code == 0, accepted
    assert "tests.test_flaky::test_flaky (flaky)" in accepted.err
    assert "tests.test_old::test_old (failed)" in accepted.err
    assert vfcc(root, "check", "gate", "--json", "--full").data["exit"]["assessments"][1]["verdict"] == "not_evaluable"
    for _ in range(2):  # once with the flaky test red, once with it green
        row = row_of_tests(root)
        assert row["verdict"] == "pass", row
        assert row["reason"].endswith("accepted until 2999-12-31 by You: ticket 12")

    change(root, {"tests/test_third.py": "def test_third():\n    assert 1 == 3\n"})
    row = row_of_tests(root)
    assert row["verdict"] == "fail"
    assert row["reason"].startswith("1 of 4 tests failed: tests.test_third::test_third: assert 1 == 3; ")

    change(root, {"tests/test_third.py": None, "tests/test_old.py": OLD.replace("2", "1")})
    note = "1 test of the baseline passes now (tests.test_old::test_old): vfcc baseline tests --prune"
    assert row_of_tests(root)["verdict"] == "pass"
    assert note in json.dumps(vfcc(root, "check", "gate", "--json", "--full").data["exit"])
    pruned = by_person(root, "baseline", "tests", "--prune", "--yes")
    assert pruned.code == 0, pruned
    assert "no longer: tests.test_old::test_old" in pruned.err
    change(root, {"tests/test_old.py": OLD})
    row = row_of_tests(root)
    assert row["verdict"] == "fail"
    assert "tests.test_old::test_old" in row["reason"]


def begun(folder: Path) -> Path:
    """A shop whose gate asks for green tests, with an old failing test that a person accepted."""
    root = shop(folder, GREEN, RED_FIRST, files={"tests/test_old.py": OLD})
    accepted = by_person(root, *ACCEPT)
    assert accepted.code == 0, accepted
    return root


@pytest.mark.vfcc("REQ-EVIDENCE")
def test_a_baseline_counts_only_as_a_person_made_it_and_in_its_sprint(tmp_path: Path) -> None:
    root = copied(tmp_path, begun)
    assert row_of_tests(root)["verdict"] == "pass"
    assert "rules" not in vfcc(root, "check", "gate").out
    data = json.loads((root / FILE).read_text("utf-8"))
    assert "until 2999-12-31: ticket 12" in vfcc(root, "sprint", "report").out

    entry = {**data["entries"][0], "name": "tests.test_price::test_price"}
    change(root, {FILE: json.dumps({**data, "entries": [*data["entries"], entry]})})
    shown = vfcc(root, "baseline", "show").out
    assert "does not count: its file is not as a person made it" in shown
    row = row_of_tests(root)
    assert row["verdict"] == "fail"
    assert "the baseline does not count: its file is not as a person made it" in row["reason"]
    assert "baselines/accepted/tests.json (new, not committed)" in vfcc(root, "check", "gate").out.replace("\n", " ")

    change(root, {FILE: "[]"})
    assert "it is no baseline" in vfcc(root, "baseline", "show").out
    assert row_of_tests(root)["verdict"] == "fail"


@pytest.mark.vfcc("REQ-RED-FIRST")
def test_an_old_failing_test_neither_breaks_a_proof_nor_makes_one(tmp_path: Path) -> None:
    root = change(copied(tmp_path, begun), {"price.py": FIX})

    def proof() -> str:
        (row,) = vfcc(root, "evidence", "run", "red-first", "--json", "--full").data["rows"]
        return str(row["reason"])

    assert proof() == "with your change removed, its test still passes: tests/test_price.py::test_price"
    change(root, {"tests/test_price.py": FIX_TESTS, "tests/test_old.py": f"{OLD}    assert 2 == 3\n"})
    assert proof() == "red without the change, green with it: 1 of 1 test"


@pytest.mark.vfcc("REQ-EVIDENCE")
def test_a_baseline_refuses_what_it_cannot_show(tmp_path: Path) -> None:
    root = shop(tmp_path, GREEN)

    by_person(root, "baseline", "tests").refused(2, "needs a reason and a last day")
    by_person(root, *ACCEPT[:5], "2000-01-01").refused(2, "is over")
    by_person(root, "baseline", "tests", "--prune").refused(2, "there is no baseline of tests")
    change(root, {"tests/test_new.py": OLD})  # it is not older than the sprint
    refused = by_person(root, *ACCEPT)
    assert refused.code == 2, refused
    assert "error: there is nothing to accept" in refused.err
    assert not (root / FILE).exists()
