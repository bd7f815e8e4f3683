"""What the page with the prompts of six roles claims holds of the prompts on it; `tests/transcript` replays it."""

import re
from pathlib import Path

import pytest

from tests.transcript.replay import sessions

pytestmark = pytest.mark.vfcc("REQ-ROLE-PROMPTS")

PAGE = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "prompts-by-role.md"
PROMPTS = {
    step.command.split()[4]: step.expected
    for session in sessions(PAGE.read_text(encoding="utf-8"))
    for step in session.steps
}
SECTIONS = ["## Project Context", "## Current Sprint", "## Stage Artifacts", "## Memory", "## Code", "## Your Task"]
_FENCED = re.compile(r"^(`{3,})\w*\n.*?^\1$", re.DOTALL | re.MULTILINE)


def before_the_code(prompt: str) -> str:
    return prompt.partition("## Project Context")[2].partition("## Code")[0]


def test_the_page_has_six_roles() -> None:
    assert sorted(PROMPTS) == ["coder", "designer", "planner", "reviewer", "stakeholder", "tester"]


@pytest.mark.parametrize("role", PROMPTS)
def test_a_prompt_of_the_page_has_its_sections_in_order_and_ends_with_the_task(role: str) -> None:
    prompt = PROMPTS[role]

    assert re.findall(r"^## .*$", _FENCED.sub("", prompt), re.MULTILINE) == SECTIONS
    assert prompt.splitlines()[2].startswith(f"You are the {role}")
    assert prompt.endswith("\n### Task\n\nRound each line of an invoice to whole cents")


@pytest.mark.parametrize("role", PROMPTS)
def test_all_roles_share_what_comes_between_the_opening_and_the_code(role: str) -> None:
    assert before_the_code(PROMPTS[role]) == before_the_code(PROMPTS["coder"])


@pytest.mark.parametrize("role", PROMPTS)
def test_no_sentence_of_a_page_is_printed_twice(role: str) -> None:
    lines = [line for line in _FENCED.sub("", PROMPTS[role]).splitlines() if len(line) > 20]

    assert sorted(lines) == sorted(set(lines))


def test_only_roles_that_write_or_judge_code_get_bodies() -> None:
    body = "net = sum((line_total(line) for line in lines), Decimal(0))"

    assert {role for role, prompt in PROMPTS.items() if body in prompt} == {"coder", "reviewer"}
    one_line = "return amount.quantize("
    assert {role for role, prompt in PROMPTS.items() if one_line in prompt} == {"coder", "reviewer"}
    assert "@pytest.fixture" in PROMPTS["tester"]
    assert "+    return cents(line.quantity * line.price)" in PROMPTS["reviewer"]
    assert [role for role, prompt in PROMPTS.items() if "### map\n" in prompt] == ["planner", "stakeholder"]
