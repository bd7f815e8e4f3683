"""Bare `vfcc check`: the configuration, the workflow and the gates of all open sprints in one run."""

from pathlib import Path

import pytest

from tests.cli.process import by_person, git, vfcc
from tests.trees import own_workflow, write_memory


@pytest.fixture
def two(young: Path) -> Path:
    """A project of its own workflow with two open sprints, of which only the first has a plan."""
    own_workflow(young)
    for title in ("One", "Two"):
        assert by_person(young, "sprint", "start", title, "--workflow", "own").code == 0
    write_memory(young, {"stage/one/planning/artifacts/plan.md": "A form, a session, tests for both.\n"})
    return young


@pytest.mark.sweep
def test_with_no_sprint_it_checks_the_rest(young: Path) -> None:
    done = vfcc(young, "check")

    assert (done.code, done.err) == (0, "")
    *lines, memory = done.out.splitlines()
    step = "add gates.commands.test to .memory/config.yaml, then: vfcc allow"
    assert lines == [
        'no sprint is open → vfcc sprint start "Title"',
        f"note commands: none runs the tests, so gates have no results → {step}",
        "note prompts: no CLAUDE.md or AGENTS.md to begin prompts with → write CLAUDE.md",
        "",
        "config.yaml is valid",
    ]
    assert memory.startswith("memory: nothing wrong in ")


@pytest.mark.sweep
def test_a_memory_with_a_fault_is_a_finding(young: Path) -> None:
    write_memory(young, {"project/items/fact/a.md": "---\nid: a\nlinks: [{to: b, relation: depends_on}]\n---\nA.\n"})

    done = vfcc(young, "check")

    assert done.code == 1
    assert "dangling-link" in done.out


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-GATES")
def test_all_gates_of_all_open_sprints_are_asked(two: Path) -> None:
    done = vfcc(two, "check")

    assert done.code == 4
    assert "workflow.yaml is sound: own" in done.out
    assert "one/planning: the gate to leave it is open" in done.out
    assert "two/planning: the gate to leave it is closed" in done.out


def test_open_gates_are_no_finding(two: Path) -> None:
    write_memory(two, {"stage/two/planning/artifacts/plan.md": "A second form.\n"})

    assert vfcc(two, "check").code == 0


def test_a_finding_is_worse_than_a_closed_gate(two: Path) -> None:
    config = two / ".memory/config.yaml"
    config.write_text(config.read_text(encoding="utf-8") + "\ntokenz: 1\n", encoding="utf-8")

    done = vfcc(two, "check")

    assert done.code in {1, 3}, "a broken configuration may keep gates from being asked"
    assert "tokenz" in done.out


def test_a_gate_that_cannot_be_asked_is_worst_and_hides_no_other(two: Path) -> None:
    event = next((two / ".memory/sprint/one/events").iterdir())
    event.write_bytes(event.read_bytes().replace(b"One", b"Eins"))

    done = vfcc(two, "check")

    assert done.code == 3
    assert "error: one: " in done.err
    assert event.name in done.err
    assert "two/planning: the gate to leave it is closed" in done.out


@pytest.mark.sweep
def test_a_closed_sprint_is_not_asked(two: Path) -> None:
    assert by_person(two, "sprint", "close", "two", "--unfinished", "enough").code == 0

    done = vfcc(two, "check")

    assert done.code == 0
    assert "two/" not in done.out


def test_json_holds_all_of_it(two: Path) -> None:
    done = vfcc(two, "check", "--json", "--full")

    value = done.data
    assert done.code == 4
    assert set(value) == {"config", "workflow", "gates", "not_checked", "trace", "memory", "setup"}
    assert [gates["sprint"]["id"] for gates in value["gates"]] == ["one", "two"]
    assert (value["config"]["problems"], value["workflow"]["name"], value["not_checked"]) == ([], "own", [])


@pytest.mark.points(2)
@pytest.mark.parametrize("words", [("--sprint", "one"), ("--rerun", "gate"), ("--sprint", "one", "config")])
def test_words_that_do_not_fit_are_refused(two: Path, words: tuple[str, ...]) -> None:
    vfcc(two, "check", *words).refused(2, "--sprint")


def test_nothing_is_written(two: Path) -> None:
    git(two, "init", "--quiet")
    git(two, "add", ".")
    git(two, "commit", "--quiet", "--message", "first")

    vfcc(two, "check")

    assert git(two, "status", "--short") == ""
