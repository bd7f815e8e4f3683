"""`vfcc context show` and what is known of the person: in a project, outside of any, warm and cold."""

import json
from pathlib import Path

import pytest

from tests.cli.process import git, vfcc
from tests.trees import add_settings

BULLETS = "---\nid: bullets\n---\nPrefers bullet points over prose.\n"


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """A person of whom one thing is known: the home of processes that run in a folder of `tmp_path`."""
    file = tmp_path / ".local/share/vfcc/user/items/preference/bullets.md"
    file.parent.mkdir(parents=True)
    file.write_text(BULLETS, encoding="utf-8")
    return file


@pytest.mark.vfcc("REQ-NO-PROJECT")
def test_outside_of_any_project_there_is_a_prompt_where_anything_is_known(tmp_path: Path) -> None:
    folder = tmp_path / "nowhere"
    folder.mkdir()
    vfcc(folder, "context", "show", "--agent", "planner").refused(3, "no .memory/ in", "or above it")

    file = tmp_path / ".local/share/vfcc/user/items/goal/round.md"
    file.parent.mkdir(parents=True)
    file.write_text("Raise a Series A.\n", encoding="utf-8")
    ran = vfcc(folder, "context", "show", "--agent", "planner")

    assert (ran.code, ran.err) == (
        0,
        "warning: there is no project here: the prompt holds what is known of you, and nothing else\n",
    )
    assert "Raise a Series A." in ran.out
    value = vfcc(folder, "context", "show", "--agent", "planner", "--json", "--full").data
    assert value["prompt"]["items"] == {"user": ["user/items/goal/round"]}
    assert list(folder.iterdir()) == []
    for option in (("--committed",), ("--sprint", "s1"), ("--stage", "coding")):
        vfcc(folder, "context", "show", "--agent", "planner", *option).refused(3, "no .memory/ in")
    vfcc(folder, "context", "show", "--agent", "plannr").refused(2, "did you mean planner")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-LOCAL-LAST", "REQ-USER-SCOPE")
def test_what_is_known_of_the_person_is_last_and_not_in_a_prompt_of_a_commit(example: Path, known: Path) -> None:
    git(example, "init", "-q")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    shown = vfcc(example, "context", "show", "--agent", "coder")

    assert shown.out.rstrip().endswith("\n#### Preferences\n\n- Prefers bullet points over prose.")
    assert "Prefers bullet points" not in vfcc(example, "context", "show", "--agent", "coder", "--committed").out
    assert git(example, "status", "--porcelain") == ""


@pytest.mark.sweep
def test_each_prompt_is_a_use_also_one_that_is_answered_from_the_cache(example: Path, known: Path) -> None:
    log = known.parents[2] / "local" / "access.jsonl"
    for times in (1, 2, 3):
        assert vfcc(example, "context", "show", "--agent", "coder").code == 0
        assert [json.loads(line)["ids"] for line in log.read_text().splitlines()] == [["bullets"]] * times
    vfcc(example, "context", "diff", "--agent", "coder", "--agent", "tester")
    assert len(log.read_text().splitlines()) == 3


def test_explain_shows_the_source_the_caps_and_the_lifetimes(example: Path, known: Path) -> None:
    told = vfcc(example, "context", "show", "--agent", "coder", "--explain").err

    assert "@user (global)" in told
    assert "@recall (project)" in told
    assert "offered: up to 10 user items, 50 project items" in told
    assert "tokens by lifetime: task 0, project " in told
    assert "@user: sha256:" in told


@pytest.mark.vfcc("REQ-SHARES-PER-REQUEST")
def test_shares_of_one_request_go_before_those_of_the_role(example: Path) -> None:
    shares = ("--allocation", "agent=0.2,sprint=0.8", "--json", "--full", "--budget", "10000")
    value = vfcc(example, "context", "show", "--agent", "coder", *shares).data
    budget = {each["layer"]: each["budget_tokens"] for each in value["prompt"]["layers"]}

    assert budget["sprint"] > 3 * budget["agent"]
    vfcc(example, "context", "show", "--agent", "coder", "--allocation", "lifetime").refused(
        2, "did you mean lifetimes"
    )


def test_all_takes_in_what_is_superseded_marked_as_such(example: Path) -> None:
    plain = vfcc(example, "context", "show", "--agent", "coder").out
    add_settings(example, "loading_strategy: {project: {max_tokens: 50000}}")
    everything = vfcc(example, "context", "show", "--agent", "coder", "--all").out

    assert "not in force" not in plain
    assert "not in force: superseded by .memory/project/decisions/0005-one-toml-file-per-station.md" in everything
    assert "not in force: archived" in everything
