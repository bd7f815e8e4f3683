"""Plain dialogues: who speaks, where a turn and a session begin, and ids that stay."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.memory.rules.conversation import kind_of, read_dialogue, read_turns
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Conversation, Speaker


def read(text: str, **more: object) -> Conversation:
    return read_dialogue(text.encode(), "talk.md", **more)  # type: ignore[arg-type]


def said(text: str) -> list[tuple[str, str]]:
    return [(turn.name, turn.text) for turn in read(text).turns]


def test_a_paragraph_with_a_name_is_a_turn_of_a_person() -> None:
    found = read("You: Use tabs.\n\nOther: Good.\n")

    assert [(turn.name, turn.text, turn.speaker) for turn in found.turns] == [
        ("You", "Use tabs.", Speaker.PERSON),
        ("Other", "Good.", Speaker.PERSON),
    ]
    assert (found.problems, found.notes) == ((), ())


def test_paragraphs_without_a_name_go_on_with_the_turn() -> None:
    assert said("You: First.\n\nMore of it.\n\n- a list: with colons\n\nOther: Yes.") == [
        ("You", "First.\n\nMore of it.\n\n- a list: with colons"),
        ("Other", "Yes."),
    ]


@pytest.mark.parametrize(
    "line",
    ["Note: this stays.", "Example: x = 1", "Warning: hot", "the client: Acme", "http://x.org: a page", "x = {a: 1}"],
)
def test_a_label_is_no_speaker(line: str) -> None:
    assert said(f"You: As follows.\n\n{line}") == [("You", f"As follows.\n\n{line}")]


def test_a_line_within_a_paragraph_begins_a_turn_only_where_its_name_has_spoken() -> None:
    assert said("You: We have\na stack\nDatabase: SQLite\nYou: And tests.") == [
        ("You", "We have\na stack\nDatabase: SQLite"),
        ("You", "And tests."),
    ]


def test_turns_may_stand_line_after_line() -> None:
    assert said("You: One.\nOther: Two.\nYou: Three.") == [("You", "One."), ("Other", "Two."), ("You", "Three.")]


@pytest.mark.parametrize("line", ["**You**: Use tabs.", "**You:** Use tabs.", "> You: Use tabs."])
def test_names_may_be_bold_or_quoted(line: str) -> None:
    assert said(line) == [("You", "Use tabs.")]


def test_names_have_accents_and_hyphens_and_several_words() -> None:
    assert [name for name, _ in said("Jean-Aimé: Oui.\n\nThe Other Person: No.\n\n登录: 好。")] == [
        "Jean-Aimé",
        "The Other Person",
        "登录",
    ]


def test_what_stands_in_a_fence_begins_nothing() -> None:
    text = "You: Look:\n\n```yaml\nName: x\n\nOther: y\n---\n# Session 2\n```\n\nOther: Seen."
    assert [name for name, _ in said(text)] == ["You", "Other"]


def test_a_fence_that_nobody_closes_ends_where_somebody_known_speaks() -> None:
    text = "Other: Hi.\n\nYou: Look:\n\n```\nx = 1\n\nOther: Seen."
    assert [name for name, _ in said(text)] == ["Other", "You", "Other"]


def test_named_agents_and_role_words_are_agents() -> None:
    found = read("You: Hi.\n\nCoder: Hi.\n\nAssistant: Hi.", agents=frozenset({"coder"}))
    assert [turn.speaker for turn in found.turns] == [Speaker.PERSON, Speaker.AGENT, Speaker.AGENT]


def test_headings_rules_and_dates_part_sessions() -> None:
    text = (
        "# Session 1\n\nYou: a\n\n## Session 2 (8 May, 2023)\n\nYou: b\n\n---\n\nYou: c\n\n2024-01-05\n\nYou: d\n\n"
        "# Planning\n\nYou: e"
    )
    found = read(text, session="s")
    assert [(turn.session, turn.at, turn.text) for turn in found.turns] == [
        ("s/session-1", None, "a"),
        ("s/session-2-8-may-2023", "2023-05-08", "b"),
        ("s/part-2", None, "c"),
        ("s/2024-01-05", "2024-01-05", "d"),
        ("s/planning", None, "e"),
    ]


def test_a_heading_and_a_rule_that_nobody_speaks_after_belong_to_the_turn() -> None:
    assert said("You: The plan:\n\n## Design\n\nTabs.\n\n---\n\nThat is all.") == [
        ("You", "The plan:\n\n## Design\n\nTabs.\n\n---\n\nThat is all.")
    ]


def test_the_day_may_stand_beside_the_name() -> None:
    found = read("[2024-02-03 10:00] You: a\n\nOther (4 Feb 2024): b")
    assert [(turn.name, turn.at) for turn in found.turns] == [("You", "2024-02-03"), ("Other", "2024-02-04")]


def test_what_nobody_says_is_left_out_and_told() -> None:
    found = read("Some words before.\n\nYou: a")
    assert [turn.text for turn in found.turns] == ["a"]
    assert found.notes == ("talk.md:1: no speaker is named here; the text is left out",)


def test_what_is_no_utf8_is_a_problem_with_its_line() -> None:
    found = read_dialogue(b"You: a\n\nOther: \xff\n", "talk.md")
    assert found.turns == ()
    assert found.problems == ("talk.md:3: not UTF-8 at byte 15",)


def test_the_same_words_again_are_another_turn_and_ids_are_stable() -> None:
    first, second = read("You: Yes.\n\nYou: Yes."), read("You: Yes.\r\n\r\nYou: Yes.\r\n")
    assert len({turn.id for turn in first.turns}) == 2
    assert first.turns == second.turns
    assert first.origin != second.origin
    assert first.origin.startswith("talk.md@")


PARAGRAPHS = st.lists(
    st.sampled_from(
        [
            "You: a",
            "Other: b",
            "You: a",
            "more: x",
            "Note: n",
            "# Session 3",
            "---",
            "```",
            "2024-01-02",
            "",
            "Third: c\nYou: d",
        ]
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=150)
@given(PARAGRAPHS, PARAGRAPHS)
def test_a_dialogue_that_goes_on_keeps_its_turns(before: list[str], after: list[str]) -> None:
    """All but the last turn, which may go on."""
    some = read("\n\n".join([*before, "You: so"]))
    more = read("\n\n".join([*before, "You: so", *after]))

    keep = max(len(some.turns) - 1, 0)
    assert more.turns[:keep] == some.turns[:keep]


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=300))
def test_any_text_is_read_with_nothing_raised_and_ids_once_in_a_session(text: str) -> None:
    turns = read_dialogue(text.encode("utf-8", "surrogatepass"), "x").turns
    assert len({(turn.session, turn.id) for turn in turns}) == len(turns)
    assert all(turn.text.strip() and turn.name for turn in turns)


MINUTES = """# Platform sync (12 November 2026)

Attendees: Priya, Omar

## Status

- Lena is still blocked by the certificate.

## Decisions

- New services must expose /healthz.
- No direct database access from the BI tool.

## Alternatives considered

- Use triggers in every table.

## Never do this

- Restart the broker by hand.
"""


def test_minutes_are_read_by_section_without_what_does_not_hold() -> None:
    found = read_turns(MINUTES.encode(), "minutes.md")

    assert [turn.text.partition("\n")[0] for turn in found.turns] == [
        "Attendees: Priya, Omar",
        "## Decisions",
        "## Never do this",
    ]
    assert {(turn.name, turn.at) for turn in found.turns} == {("Notes", "2026-11-12")}
    assert found.turns == read_turns(MINUTES.encode(), "minutes.md", "notes").turns


def test_what_notes_say_is_read_as_the_users_own_words_are() -> None:
    found = [each for turn in read_turns(MINUTES.encode(), "m.md").turns for each in extract(turn).candidates]

    assert [each.content for each in found][:2] == [
        "New services must expose /healthz.",
        "No direct database access from the BI tool.",
    ]
    assert not any("triggers" in each.content for each in found)


def test_a_text_with_headings_in_which_somebody_speaks_is_a_dialogue() -> None:
    text = b"# Session 1\n\nStatus: accepted\n\nAnna: Use tabs.\n"

    assert [turn.name for turn in read_turns(text, "talk.md").turns] == ["Anna"]
    assert kind_of(b"# Plan\n\nStatus: accepted\n\nUse tabs.\n").value == "notes"


def test_a_fence_and_front_matter_begin_no_section_of_notes() -> None:
    text = "---\ntitle: A plan\n---\n# Plan\n\nWe use tabs.\n\n```\n# a comment\n```\n"
    (turn,) = read_turns(text.encode(), "plan.md").turns

    assert turn.text.startswith("# Plan")
    assert "# a comment" in turn.text
    assert read_turns(b"# Plan\n\xff", "plan.md", "notes").problems == ("plan.md:2: not UTF-8 at byte 7",)
