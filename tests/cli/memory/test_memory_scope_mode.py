"""`memory.scope.mode`: how the scope of what is new is chosen, and that a scope which is named goes before it."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import vfcc

TALK = """\
You: From now on, always start function names with 'a_'.

You: I prefer bullet points over prose.
"""
MORE = "You: From now on, always end class names with '_k'.\n"
NEED = "You: The report must have an executive summary.\n"
CODER = {"VFCC_AGENT": "coder"}


@pytest.fixture
def talked(young: Path) -> Path:
    (young / "talk.md").write_text(TALK, encoding="utf-8")
    (young / "more.md").write_text(MORE, encoding="utf-8")
    (young / "need.md").write_text(NEED, encoding="utf-8")
    return young


def mode(folder: Path, name: str) -> None:
    (folder / ".memory/config.yaml").write_text(f"format: 1\nmemory: {{scope: {{mode: {name}}}}}\n", encoding="utf-8")


def learned(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> Any:
    ran = vfcc(folder, "memory", "ingest", *arguments, "--json", "--full", env=env)
    assert ran.code == 0, ran
    return [(each["outcome"], each["scope"], each["type"]) for each in ran.data["learned"]]


def by_person(folder: Path, *arguments: str) -> Any:
    ran = typed(folder, "memory", "ingest", *arguments, "--yes", "--json", "--full")
    assert ran.code == 0, ran
    return [(each["outcome"], each["scope"], each["type"]) for each in ran.data["learned"]]


def ids(folder: Path, scope: str) -> list[str]:
    listed = vfcc(folder, "memory", "list", "--scope", scope, "--type", "convention", "--json", "--full").data
    return [each["item"]["id"] for each in listed["rows"]]


@pytest.mark.vfcc("REQ-SETTING-SCOPE")
def test_by_default_a_statement_is_of_the_person_or_of_the_project_whoever_ingests_it(talked: Path) -> None:
    expected = [("proposed", "project", "convention"), ("proposed", "user", "preference")]
    assert learned(talked, "talk.md", "--dry-run") == expected
    mode(talked, "workspace")
    assert learned(talked, "talk.md", "--dry-run", env=CODER) == learned(talked, "talk.md", env=CODER) == expected


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-SETTING-SCOPE")
def test_manual_makes_nothing_active_by_itself_and_a_person_says_the_scope(talked: Path) -> None:
    mode(talked, "manual")
    done = typed(talked, "memory", "ingest", "talk.md", "--yes")

    assert "\nadded: " not in f"\n{done.out}"
    assert done.out.count("  memory.scope.mode is manual: a person says the scope\n") == 2
    (waiting,) = ids(talked, "project")
    assert "a_" not in vfcc(talked, "context", "show", "--agent", "coder").out
    assert typed(talked, "memory", "promote", waiting, "--yes").code == 0
    assert "'a_'" in vfcc(talked, "context", "show", "--agent", "coder").out


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-SETTING-SCOPE")
def test_in_manual_mode_a_scope_that_is_named_is_taken(talked: Path) -> None:
    mode(talked, "manual")
    assert by_person(talked, "talk.md", "--scope", "project") == [("added", "project", "convention")]
    vfcc(talked, "memory", "add", "fact", "The client is Acme").refused(2, "memory.scope.mode is manual")
    assert typed(talked, "memory", "add", "fact", "The client is Acme", "--scope", "project").code == 0
    assert typed(talked, "memory", "add", "goal", "Raise a Series A").code == 2


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-SETTING-SCOPE")
def test_skill_gives_what_a_role_learns_to_that_role_and_to_no_other(talked: Path) -> None:
    mode(talked, "skill")
    assert learned(talked, "talk.md", env=CODER) == [
        ("proposed", "agent/coder", "convention"),
        ("proposed", "user", "preference"),
    ]
    (waiting,) = ids(talked, "agent/coder")
    assert waiting in vfcc(talked, "memory", "inbox").out
    assert "'a_'" not in vfcc(talked, "context", "show", "--agent", "coder").out, "it waits for a person"

    assert typed(talked, "memory", "promote", waiting).code == 0
    assert "'a_'" in vfcc(talked, "context", "show", "--agent", "coder").out
    assert "'a_'" not in vfcc(talked, "context", "show", "--agent", "tester").out
    mode(talked, "workspace")
    assert "'a_'" not in vfcc(talked, "context", "show", "--agent", "coder").out


@pytest.mark.vfcc("REQ-SETTING-SCOPE")
def test_skill_is_workspace_where_no_role_acts_and_for_what_stands_in_the_trace(talked: Path) -> None:
    mode(talked, "skill")
    assert learned(talked, "need.md", "--dry-run", env=CODER) == [("proposed", "project", "requirement")]
    assert learned(talked, "more.md", "--dry-run", env={"VFCC_AGENT": "no-such-role"})[0][1] == "project"
    assert by_person(talked, "more.md") == [("added", "project", "convention")]
    assert learned(talked, "more.md", env=CODER) == [], "what the project has read, a role does not read again"


@pytest.mark.vfcc("REQ-SETTING-SCOPE")
def test_a_role_may_be_named_in_every_mode_and_what_came_from_there_is_undone_with_the_rest(talked: Path) -> None:
    assert by_person(talked, "more.md", "--scope", "agent/coder") == [("added", "agent/coder", "convention")]
    again = vfcc(talked, "memory", "ingest", "more.md", "--scope", "agent/coder", "--json", "--full").data
    assert (again["known"], again["learned"]) == (1, [])

    assert typed(talked, "memory", "forget", "--source", "more.md", "--yes").code == 0
    assert ids(talked, "agent/coder") == []
    assert by_person(talked, "more.md", "--scope", "agent/coder") == [("added", "agent/coder", "convention")]


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("scope", "told"),
    [("task/x", "not of task/x"), ("sprint", "not of sprint"), ("agent/codr", "did you mean coder?"), ("usr", "user?")],
)
def test_a_scope_that_nothing_is_learned_into_is_refused(scope: str, told: str, talked: Path) -> None:
    ran = vfcc(talked, "memory", "ingest", "talk.md", "--scope", scope)
    assert (ran.code != 0, ran.out, told in ran.err) == (True, "", True), ran


def test_a_sprint_is_no_scope_to_learn_into(example: Path) -> None:
    (example / "talk.md").write_text(TALK, encoding="utf-8")
    ran = vfcc(example, "memory", "ingest", "talk.md", "--scope", "sprint")
    ran.refused(2, "what is learned is of the user, the project or an agent's role, not of sprint")
