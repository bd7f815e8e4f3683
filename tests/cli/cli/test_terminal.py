"""What a person sees: the prompt alone on stdout, everything about it on stderr, within the terminal's width."""

import re
from pathlib import Path

import pytest

from tests.cli.process import on_terminal, vfcc

PROMPT = ("context", "show", "--agent", "coder")
TABLES = ("sprint list", "sprint show", "config show", "context diff --agent coder --agent tester")


def test_a_pipe_gets_the_prompt_and_nothing_else(example: Path) -> None:
    piped = vfcc(example, *PROMPT)

    assert (piped.code, piped.err) == (0, "")
    assert piped.out.startswith("# Coder\n\nYou are the coder in the stage coding of the sprint ")
    assert not re.search(r"^layer +budget", piped.out, re.MULTILINE)


@pytest.mark.sweep
def test_who_looks_while_it_is_piped_sees_the_table_on_stderr_alone(example: Path, prompt: str) -> None:
    seen = on_terminal(example, *PROMPT, piped_stdout=True)

    assert seen.out == prompt
    lines = seen.err.splitlines()
    assert lines[0].split() == ["layer", "budget", "used", "kept", "trimmed", "dropped"]
    assert [line.split()[0] for line in lines[1:6]] == ["agent", "stage", "sprint", "project", "user"]
    assert lines[6].startswith("coder sprint-02/coding: ")


def test_the_table_adds_up_to_what_is_said(example: Path) -> None:
    seen = on_terminal(example, *PROMPT, piped_stdout=True, columns=120)
    rows = [line.replace(",", "").split() for line in seen.err.splitlines()[1:6]]
    total = re.search(r": ([\d,]+) of ([\d,]+) tokens", seen.err)

    assert total
    tokens, budget = (int(number.replace(",", "")) for number in total.groups())
    assert sum(int(row[2]) for row in rows) < tokens <= budget == 50_000


def test_notices_come_on_stderr_in_a_pipe_too(young: Path) -> None:
    piped = vfcc(young, *PROMPT)

    assert piped.err == "warning: no sprint is open: the prompt has no sprint and no stage memory\n"
    assert "warning" not in piped.out


def test_explained_or_not_the_prompt_is_the_same(example: Path) -> None:
    explained = vfcc(example, *PROMPT, "--explain", "--budget", "4000")

    assert explained.out == vfcc(example, *PROMPT, "--budget", "4000").out
    assert explained.err.splitlines()[0].split() == ["layer", "rank", "entry", "tokens", "fate", "reason"]


@pytest.mark.vfcc("REQ-EXPLAIN")
@pytest.mark.parametrize("columns", [120, 80])
def test_every_candidate_can_be_read_at(example: Path, columns: int) -> None:
    seen = on_terminal(example, *PROMPT, "--explain", "--budget", "4000", piped_stdout=True, columns=columns)
    listing = seen.err.split("\n\n")[0]

    assert max(map(len, listing.splitlines())) <= columns
    wide = vfcc(example, *PROMPT, "--explain", "--budget", "4000").err.split("\n\n")[0].splitlines()[1:]
    for line in wide:
        entry, fate = line.split()[2], re.split(r"\s{2,}", line)[4]
        assert entry in listing
        assert fate in listing
    for word in ("superseded by", "left in the project layer", "nothing recorded yet"):
        assert word in listing


@pytest.mark.points(2)
@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("line", TABLES)
def test_a_table_loses_nothing_at_any_width(example: Path, line: str, columns: int) -> None:
    seen = on_terminal(example, *line.split(), columns=columns)
    piped = vfcc(example, *line.split())

    assert seen.code == 0
    there = re.sub(r"\s", "", seen.out)
    lost = {word for word in piped.out.split() if word not in there}
    assert lost <= {piped.out.split()[0], "stage", "sprint"}, "only the heading of the first column may go"
    if columns >= 80:
        assert max(map(len, seen.out.splitlines())) <= columns


def test_a_table_in_a_pipe_is_one_line_a_row_whoever_looks(example: Path) -> None:
    assert (
        on_terminal(example, "config", "show", columns=40, piped_stdout=True).out == vfcc(example, "config", "show").out
    )


def test_on_a_terminal_the_prompt_and_its_table_are_a_line_apart(example: Path) -> None:
    seen = on_terminal(example, *PROMPT)

    assert seen.out.endswith("```\n")
    assert seen.err.startswith("\nlayer ")


def test_a_file_gets_the_prompt_and_the_terminal_the_table(example: Path, prompt: str) -> None:
    seen = on_terminal(example, *PROMPT, "--output", "prompt.md")

    assert seen.out == ""
    assert seen.err.startswith("layer ")
    assert (example / "prompt.md").read_text(encoding="utf-8") == prompt


@pytest.mark.sweep
@pytest.mark.parametrize(
    "env", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_a_console_that_cannot_show_a_letter_gets_a_question_mark(young: Path, env: dict[str, str]) -> None:
    assert vfcc(young, "sprint", "start", "Grüße").code == 0

    seen = on_terminal(young, "sprint", "show", env=env)

    assert seen.code == 0
    assert seen.out.startswith("grusse: Gr??e (open)\n")


def test_a_person_at_a_terminal_is_the_actor(young: Path) -> None:
    assert vfcc(young, "sprint", "start", "Theirs").code == 0
    assert on_terminal(young, "sprint", "start", "Mine").code == 0

    actors = [
        re.search(r'"actor":"([^"]+)"', path.read_text(encoding="utf-8"))
        for path in sorted((young / ".memory/sprint").glob("*/events/*.json"))
    ]
    assert sorted(found[1] for found in actors if found) == ["agent:program", "human:unknown"]
