"""The memory set for coding: its questions, its items, its scores, and one project asked through the program."""

import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.coding_memory import (
    ANSWER,
    KINDS,
    QUESTIONS,
    PromptItems,
    Question,
    Replacement,
    contradictions,
    graded_gain,
    outcomes,
    overhead,
    prompt_table,
    read_questions,
    recall_at,
    recall_table,
    reciprocal_rank,
)
from benchmarks.coding_memory_items import PROJECTS, Pages, Project, commits, records_of, sections

QUESTION = Question("p", "decision", "?", {"a": 2, "b": 2, "c": 1}, "?")
PAIR = Replacement("p", "old", "new", whole=True)
OLD = "# Keep sessions in a cookie\n\nA session is kept in a signed cookie, so that no server has to remember it.\n"
NEW = "# Keep sessions in Redis\n\nA session is kept in Redis, since a signed cookie cannot be revoked by a server.\n"
CHANGES = "# Changes\n\n## [2.0](x) – May\n\nThe login page asks for a second factor when a browser is new to us all.\n"
MESSAGE = """Fix the login after a restart

The clock of the new server was an hour ahead of the old one, and so every session that had been made before the restart
was seen as expired. Sessions now carry the offset of the clock that made them.
"""


def test_there_are_120_questions_of_four_kinds_about_four_projects() -> None:
    questions, replaced = read_questions(QUESTIONS)

    assert len(questions) >= 120
    assert len({each.text for each in questions}) == len(questions)
    assert Counter(each.kind for each in questions).keys() == set(KINDS)
    assert {each.project for each in questions} == {each.name for each in PROJECTS}
    assert {each.project for each in replaced} == {each.name for each in PROJECTS}
    assert all(each.answers and set(each.relevant.values()) <= {1, ANSWER} for each in questions)
    assert all(each.task != each.text for each in questions if each.kind == "failure" and "CHANGELOG" not in each.text)


def test_recall_counts_answers_and_gain_counts_grades() -> None:
    assert [recall_at(QUESTION, ["c", "b", "a"], depth) for depth in (1, 2, 3)] == [0.0, 0.5, 1.0]
    assert reciprocal_rank(QUESTION, ["c", "x", "b"]) == 1 / 3
    assert reciprocal_rank(QUESTION, ["x"]) == 0.0
    assert graded_gain(QUESTION, ["b", "a", "c"]) == 1.0
    assert math.isclose(graded_gain(QUESTION, ["c"]), 1 / (3 + 3 / math.log2(3) + 1 / 2))


def test_overhead_is_what_no_graded_item_takes() -> None:
    assert overhead(QUESTION, PromptItems({"a": 10, "c": 20, "x": 70}, 500)) == 0.7
    assert overhead(QUESTION, PromptItems({}, 500)) == 0.0


def test_a_contradiction_takes_both_records() -> None:
    assert contradictions(PromptItems({"old": 1, "new": 1}, 9), [PAIR]) == [PAIR]
    assert contradictions(PromptItems({"old": 1}, 9), [PAIR]) == []


def test_sections_skip_fences_and_number_headings_that_occur_twice() -> None:
    text = "# Page\n## One\n```\n## no heading\n```\n" + "word " * 12 + "\n## One\n" + "word " * 12 + "\n## Short\nno"

    found = list(sections("p.md", text, Pages("history", "", 2)))

    assert [each.ref for each in found] == ["p.md#One", "p.md#One (2)"]
    assert "## no heading" in found[0].text


def test_commits_need_an_explanation_by_a_person() -> None:
    explained = "why " * 30
    log = "".join(
        f"\x1e{name * 40}\x1f2026-01-02\x1f{author}\x1f{subject}\x1f{body}"
        for name, author, subject, body in (
            ("a", "Ann", "Fix the clock", explained),
            ("b", "Ann", "Add a clock", explained),
            ("c", "dependabot[bot]", "Fix a gem", explained),
            ("d", "Ann", "Fix it", "why"),
        )
    )

    assert [(each.ref, each.kind) for each in commits(log)] == [("a" * 12, "failure"), ("b" * 12, "history")]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two decisions, a changelog and one explained fix."""
    (tmp_path / "adr").mkdir()
    (tmp_path / "adr" / "1.md").write_text(OLD, encoding="utf-8")
    (tmp_path / "adr" / "2.md").write_text(NEW, encoding="utf-8")
    (tmp_path / "CHANGES.md").write_text(CHANGES, encoding="utf-8")
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", MESSAGE]):
        subprocess.run(
            ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com", *words], cwd=tmp_path, check=True
        )
    return tmp_path


def test_a_linked_record_leaves_search_and_prompts(repository: Path) -> None:
    project = Project("p", "", "HEAD", (Pages("decision", "adr/*.md"), Pages("history", "CHANGES.md", 2)))
    decisions = [Replacement("p", "adr/1.md", "adr/2.md", whole=True)]
    fix = next(each.ref for each in records_of(repository, project) if each.kind == "failure")
    failure = Question("p", "failure", "sessions expired after the restart", {fix: 2}, "Change the clock of sessions")
    asked = [replace(QUESTION, text="where is a session kept?", relevant={"adr/2.md": 2}, task="session"), failure]

    found = outcomes(repository, project, asked, decisions, str(Path(sys.executable).with_name("vfcc")))

    first = found[0].found
    assert {"adr/1.md", "adr/2.md"} <= set(first["vfcc, as written"])
    assert "adr/1.md" not in first["vfcc, linked"]
    prompts = prompt_table(found, decisions)
    assert prompts["as written"]["prompts with a contradiction"].value == 100.0
    assert prompts["linked"]["prompts with a contradiction"].value == 0.0
    assert prompts["linked"]["repeated failures"].value == 0.0
    assert recall_table(found)["vfcc, linked"]["recall at 1"].value == 100.0
    with pytest.raises(SystemExit, match="no such items: adr/9"):
        outcomes(repository, project, [replace(failure, relevant={"adr/9.md": 2})], [], "")
