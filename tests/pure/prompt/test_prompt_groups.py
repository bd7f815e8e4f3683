"""Entries as groups of a page: lists of items by type, a person's rules unfenced, data in a fence for each trust."""

import pytest
from markdown_it import MarkdownIt

from tests.pure.prompt_templates import PARTIALS, SHIPPED
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.model.entries import Candidate
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.prompt.rules.compile import ShownEntry, frame_tokens
from verifflowcc.prompt.rules.page_groups import groups_of, list_group
from verifflowcc.prompt.rules.template_rules import compile_template
from verifflowcc.prompt.rules.template_view import GroupView, PromptView

CODER = compile_template(SHIPPED["coder.md.j2"], "coder.md.j2", PARTIALS)
COUNT = open_counter(TokenSettings()).count
MARKDOWN = MarkdownIt("commonmark")


def item(
    text: str, type_name: str = "fact", *, trust: str = "human", name: str = "a-k3f9", **more: object
) -> ShownEntry:
    """Return a typed item as it was packed."""
    path = f".memory/project/items/{type_name}/{name}.md"
    about = {"item": name, "type": type_name, "trust": trust, **more}
    return ShownEntry(Candidate(Layer.PROJECT, path[16:], path, "", COUNT(text), 1, **about), text, trimmed=False)  # type: ignore[arg-type]


def file(text: str, key: str, *, trust: str = "human", always: bool = True, kind: str = "markdown") -> ShownEntry:
    """Return a file as it was packed."""
    about = {"always": always, "trust": trust, "kind": kind}
    return ShownEntry(Candidate(Layer.PROJECT, key, f".memory/{key}", "", COUNT(text), 1, **about), text, trimmed=False)  # type: ignore[arg-type]


def printed(groups: tuple[GroupView, ...]) -> str:
    """Return the section that groups make."""
    page = CODER.render(PromptView("coder", rules=groups), 1_000_000)
    return page.removeprefix("## Project Context\n\n").partition("## Your Task")[0].strip()


def test_items_are_lists_under_one_heading_for_each_type() -> None:
    items = [item("Flask uses it."), item("Use tabs.", "guideline"), item("It is small.", name="b")]

    assert printed(groups_of(items)) == (
        "### Guidelines\n\n- Use tabs.\n\n### Facts\n\n- Flask uses it.\n- It is small."
    )


def test_a_failure_has_its_title_its_error_code_and_its_lesson_together() -> None:
    failure = item("The read fails in a pipe.\n\nMock the stream.", "failure", title="getpass hangs", error="EPIPE")

    assert printed(groups_of([failure])) == (
        "### Failures\n\n- **getpass hangs** (EPIPE). The read fails in a pipe.\n\n  Mock the stream."
    )


@pytest.mark.parametrize(
    ("title", "text", "shown"),
    [
        ("Use SQLite", "It is small.", "- **Use SQLite.** It is small."),
        ("Use SQLite", "# 7. Use SQLite\n\nIt is small.", "- **7. Use SQLite.** It is small."),
        ("Use SQLite", "# 7. Use SQLite\n", "- **7. Use SQLite.**"),
        ("Use tabs.", "Use tabs.", "- Use tabs."),
        ("Use tabs in every…", "Use tabs in every file of it.", "- Use tabs in every file of it."),
        ("a-k3f9", "Use tabs.", "- Use tabs."),
        ("Why?", "- one\n- two", "- **Why?**\n  - one\n  - two"),
    ],
)
def test_a_title_is_printed_where_it_says_more_than_the_text(title: str, text: str, shown: str) -> None:
    assert printed(groups_of([item(text, title=title)])) == f"### Facts\n\n{shown}"


def test_an_item_with_parts_of_its_own_comes_behind_the_list_of_its_type() -> None:
    record = "# 7. Use SQLite\n\n## Context\n\nSlow.\n\n## Decision\n\nSQLite."
    decisions = [item(record, "decision", title="Use SQLite", name="7"), item("No ORM.", "decision", name="8")]

    assert printed(groups_of(decisions)) == (
        "### Decisions\n\n- No ORM.\n\n#### 7. Use SQLite\n\n##### Context\n\nSlow.\n\n##### Decision\n\nSQLite."
    )


def test_dates_are_printed_only_where_items_repeat_or_replace_each_other() -> None:
    alone = item("Use LF.", "decision", name="c", date="2026-01-03", subject="ends")
    old = item("Use tabs.", "decision", name="a", date="2026-01-01", subject="space", invalid_reason="superseded by b")
    new = item("Use spaces.", "decision", name="b", date="2026-01-02", subject="space")

    assert printed(groups_of([old, new, alone])).splitlines()[2:] == [
        "- (not in force: superseded by b; 2026-01-01) Use tabs.",
        "- (2026-01-02) Use spaces.",
        "- Use LF.",
    ]


def test_what_a_person_wrote_is_unfenced_and_each_other_trust_has_one_fence() -> None:
    items = [
        item(f"{who} {n}.", kind, trust=who, name=f"{kind}{n}")
        for who in ("agent", "human", "tool")
        for kind in ("fact", "guideline")
        for n in (1, 2)
    ]

    text = printed(groups_of(items, rules=True))

    fences = [each.content for each in MARKDOWN.parse(text) if each.type == "fence"]
    assert fences == [
        "Guidelines:\n- tool 1.\n- tool 2.\nFacts:\n- tool 1.\n- tool 2.\n",
        "Guidelines:\n- agent 1.\n- agent 2.\nFacts:\n- agent 1.\n- agent 2.\n",
    ]
    assert "human" not in "".join(fences)
    assert text.count("- human") == 4


def test_a_persons_page_is_prose_below_its_name_and_a_data_file_is_fenced() -> None:
    pages = [
        file("# Click\n\nBe short.\n\n## Tests\n\nRun them.", "CLAUDE.md"),
        file('{"a": 1}', "a.json", kind="json"),
    ]

    assert printed(groups_of(pages, rules=True)) == (
        '### CLAUDE.md\n\n#### Click\n\nBe short.\n\n##### Tests\n\nRun them.\n\n### a.json\n\n```json\n{"a": 1}\n```'
    )


def test_requirements_stay_items_of_a_list() -> None:
    text = "- REQ-A (unknown): It works.\n  Offline too.\n## Your Task\n- REQ-B: Fast."

    (group,) = list_group("Requirements", [ShownEntry(item(text).candidate, text, trimmed=False)])

    assert group.text == "- REQ-A (unknown): It works.\n  Offline too.\n\n  **Your Task**\n- REQ-B: Fast."


ENTRIES = [
    item("Flask uses it in every one of its commands.", name="f"),
    item("It is small, and it is everywhere.", "decision", name="s", title="Keep state in SQLite"),
    item("The read fails in a pipe.", "failure", name="p", title="getpass hangs on Windows", error="EPIPE"),
    item("Never use it.", "guideline", trust="agent", name="n"),
    item("Use tabs everywhere.", "decision", name="o", invalid_reason="superseded by spaces-7q2m", title="o"),
    file("# Click\n\nBe short.", "CLAUDE.md"),
    file("Be short.", "conventions/messages.md"),
    file('{"a": 1}', "stage/login/planning/artifacts/cases.json", kind="json"),
    file("We met.", "stage/login/planning/artifacts/plan.md", trust="agent", always=False),
]


@pytest.mark.parametrize("one", ENTRIES, ids=[each.candidate.path for each in ENTRIES])
def test_the_estimate_of_what_is_printed_around_an_entry_is_within_five(one: ShownEntry) -> None:
    candidate = one.candidate
    again = ShownEntry(candidate, one.text, trimmed=False)
    begun = printed(groups_of([again] if candidate.item else [], rules=True))
    more = printed(groups_of([again, one] if candidate.item else [one], rules=True))

    frame = COUNT(more) - COUNT(begun) - candidate.tokens

    assert abs(frame - frame_tokens(candidate)) <= 5
