"""`vfcc workflow` and `vfcc check workflow`, as a person meets them."""

from pathlib import Path

import pytest

from tests.cli.process import by_person, on_terminal, vfcc

MINE = """\
name: mine
title: Mine
stages:
  - {id: code, title: Code, leg: apex, role: coder}
"""


APEX = {"aspice": "construction"}


def own(project: Path, text: str) -> None:
    (project / ".memory/workflow.yaml").write_text(text, encoding="utf-8")


@pytest.mark.sweep
def test_the_list_marks_what_new_sprints_follow(young: Path) -> None:
    own(young, MINE)

    done = vfcc(young, "workflow", "list")

    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[0] == ["name", "title", "stages", "gates", "from"]
    assert [row for row in rows if row[0] == ">"] == [
        [">", "light", "Light:", "for", "a", "small", "change", "5", "soft", "vfcc"]
    ]
    assert ["mine", "Mine", "1", "hard", ".memory/workflow.yaml"] in rows


@pytest.mark.points(4)
@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("name", ["light", "agile", "standard", "aspice", "safety"])
def test_a_workflow_is_a_v_within_the_terminal(young: Path, name: str, columns: int) -> None:
    shown = on_terminal(young, "workflow", "show", name, columns=columns)

    lines = shown.out.splitlines()
    assert shown.code == 0
    assert max(map(len, lines)) <= columns
    assert any(line.strip().startswith("╲") and line.rstrip().endswith("╱") for line in lines)
    assert any(line.strip().strip("─") == f" {APEX.get(name, 'coding')} " for line in lines)
    assert any(line.strip().startswith("exit") and ("hard" in line or "soft" in line) for line in lines)


def test_a_narrow_terminal_gets_a_list(young: Path) -> None:
    shown = on_terminal(young, "workflow", "show", "standard", columns=40)

    assert shown.code == 0
    assert "╲" not in shown.out
    assert "planning (left, answered by validation)" in " ".join(shown.out.split())
    assert max(map(len, shown.out.splitlines())) <= 60


@pytest.mark.sweep
@pytest.mark.parametrize("how", [("--ascii", {}), (None, {"PYTHONIOENCODING": "ascii"})])
def test_where_only_ascii_is_spoken_the_v_is_ascii(young: Path, how: tuple[str | None, dict[str, str]]) -> None:
    flag, env = how

    shown = vfcc(young, "workflow", "show", "standard", *([flag] if flag else []), env=env)

    assert shown.code == 0
    assert shown.out.isascii()
    assert "\\" in shown.out
    assert "---- coding ----" in shown.out
    assert "?" not in shown.out


def test_every_gate_is_listed_with_its_modes_and_limits(young: Path) -> None:
    out = vfcc(young, "workflow", "show", "standard").out

    coverage = "coverage: the tests reach the code, and above all what changed (coverage of test; at least"
    assert f"hard  {coverage} line 80, branch 70, changed 90)" in out
    assert "hard  tests: all tests pass (junit of test; never waived)" in out
    assert "  enter  hard  none-suspect: " in out
    assert "  after 3 failures: back to detailed_design" in out


def test_in_a_sprint_the_stage_in_work_is_marked(example: Path) -> None:
    out = vfcc(example, "workflow", "show").out

    assert "as sprint-02 follows it" in out.splitlines()[1]
    assert "✓ planning" in out
    assert "▶ coding" in out
    assert "\n✓ passed, ▶ active\n" in out
    assert vfcc(example, "workflow", "show", "--sprint", "sprint-02").out == out
    assert "▶" not in vfcc(example, "workflow", "show", "light").out


@pytest.mark.sweep
def test_its_file_can_become_ones_own(young: Path) -> None:
    text = vfcc(young, "workflow", "show", "standard", "--yaml")
    assert text.code == 0
    own(young, text.out.replace("name: standard", "name: ours", 1))

    assert vfcc(young, "check", "workflow").out == "workflow.yaml is sound: ours\n"
    assert by_person(young, "workflow", "use", "ours").code == 0
    assert vfcc(young, "sprint", "start", "First").code == 0
    vfcc(young, "workflow", "show", "--yaml", "--json", "--full").refused(2, "--yaml prints a file")


@pytest.mark.sweep
def test_using_one_says_what_it_does_not_touch(young: Path) -> None:
    vfcc(young, "sprint", "start", "First")
    before = (young / ".memory/config.yaml").read_text(encoding="utf-8")

    done = by_person(young, "workflow", "use", "agile")

    assert done.code == 0
    assert done.out.splitlines() == [
        "new sprints follow agile (was light); .memory/config.yaml says so",
        "running sprints keep theirs: first",
        "created what its roles lacked (analyst, integrator): 6 files under .memory/agent/",
    ]
    assert "warning: gates.commands.lint is not in config.yaml; needed by coding/findings" in done.err
    after = (young / ".memory/config.yaml").read_text(encoding="utf-8")
    assert after == before.replace("\nworkflow: light\n", "\nworkflow: agile\n")
    assert "already" in by_person(young, "workflow", "use", "agile").out


def test_an_unknown_one_is_refused(young: Path) -> None:
    by_person(young, "workflow", "use", "agle").refused(2, "there is no workflow agle; did you mean agile?")
    vfcc(young, "workflow", "show", "agle").refused(2, "did you mean agile?", "hint: vfcc workflow list")
    vfcc(young, "workflow", "show", "--sprint", "nope").refused(2, "there is no sprint nope")
    vfcc(young, "sprint", "start", "First", "--workflow", "agle").refused(2, "did you mean agile?")


def test_a_check_tells_every_problem_with_its_line(young: Path) -> None:
    assert "no .memory/workflow.yaml" in vfcc(young, "check", "workflow").out
    own(young, MINE.replace("leg: apex", "leg: top").replace("title: Mine", "titel: Mine"))

    found = vfcc(young, "check", "workflow")

    assert (found.code, found.err) == (1, "")
    assert found.out.splitlines() == [
        "workflow.yaml:1: title is missing",
        "workflow.yaml:2: unknown key titel; did you mean title?",
        'workflow.yaml:4: leg must be one of left, apex, right, not "top"',
    ]
    assert vfcc(young, "check", "workflow", "--json", "--full").data["problems"] == found.out.splitlines()


def test_a_mode_that_the_workflow_refuses_is_told_at_the_start(young: Path) -> None:
    path = young / ".memory/config.yaml"
    path.write_text("gates: {modes: {trace: off}}\n", encoding="utf-8")

    by_person(young, "sprint", "start", "First", "--workflow", "safety").refused(
        3, "safety allows no softer gate: trace: off", "hint: vfcc workflow show safety"
    )
