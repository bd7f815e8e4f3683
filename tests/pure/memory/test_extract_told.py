"""What is told of a person and of a project: layer, type and key; errors with what mended them; the gate."""

import pytest

from verifflowcc.base.model.item_values import item_type
from verifflowcc.memory.rules.candidates import StatementCandidate, signals_of
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn

EXAMPLES = [
    ("Prefers bullet points over prose", "user", "preference", "format_preference"),
    ("Works at a B2B SaaS company", "user", "business_fact", "company_type"),
    ("Works closely with Alice on design", "user", "relationship", "colleague_alice"),
    ("Report is for board meeting Tuesday", "project", "requirement", "deadline"),
    ("Needs executive summary", "project", "requirement", "exec_summary"),
    ("Target audience is CTOs", "project", "fact", "audience"),
    ("Assuming we have 3 weeks", "project", "assumption", "timeline"),
    ("Likes to review drafts on Fridays", "user", "work_pattern", "review_timing"),
]


def said(text: str, speaker: Speaker = Speaker.PERSON) -> list[StatementCandidate]:
    return list(extract(Turn("t1", speaker, text, "s1")).candidates)


@pytest.mark.vfcc("REQ-EXTRACT-EXAMPLES")
@pytest.mark.parametrize(("text", "layer", "kind", "key"), EXAMPLES)
def test_the_examples_of_the_record_are_classed_as_it_says(text: str, layer: str, kind: str, key: str) -> None:
    (found,) = said(text)

    assert (found.layer, found.type, found.key, found.content) == (layer, kind, key, text)


@pytest.mark.vfcc("REQ-TWO-STREAMS")
def test_what_is_of_the_person_and_what_is_of_the_project_are_told_apart() -> None:
    found = said("I prefer pytest over unittest in all of my projects. The API runs on port 8080.")

    assert [(each.layer, each.type) for each in found] == [("user", "preference"), ("project", "fact")]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My cofounder Lena handles the frontend.", "relationship"),
        ("I'm trying to learn Rust this year.", "goal"),
        ("I only have two hours a day for this.", "constraint"),
        ("Keep your answers short.", "communication_style"),
        ("Who is the final approver?", "question"),
        ("It turned out that the cache was never used.", "insight"),
        ("We decided to store sessions in Redis.", "decision"),
        ("The app must work offline.", "requirement"),
        ("The client is Acme Corp.", "fact"),
    ],
)
def test_each_type_is_known_by_how_people_say_it(text: str, kind: str) -> None:
    (found,) = said(text)

    assert found.type == kind
    assert found.layer == ("user" if item_type(kind).scope == "user" else "project")
    assert found.importance == item_type(kind).importance


def test_the_same_subject_has_the_same_key_whatever_is_said_of_it() -> None:
    (one,), (other,) = said("The API runs on port 8080."), said("The API now runs on port 9090.")
    (tabs,), (spaces,) = said("I prefer tabs to spaces."), said("I prefer spaces to tabs.")

    assert (one.key, one.type) == (other.key, other.type)
    assert one.value != other.value
    assert (tabs.key, tabs.type) == (spaces.key, spaces.type)


def test_an_error_is_kept_with_what_mended_it() -> None:
    (found,) = said("The import stopped with a KeyError. It was fixed by stripping the header.")

    assert (found.type, found.key) == ("fix", "keyerror")
    assert found.content == "The import stopped with a KeyError. It was fixed by stripping the header."


def test_a_fault_without_a_cure_is_no_fix() -> None:
    assert said("The import stopped with a KeyError.") == []


def test_a_state_that_passes_is_no_fact() -> None:
    assert said("The build is broken.") == []
    assert said("The page is blank right now.") == []


@pytest.mark.parametrize("speaker", [Speaker.AGENT, Speaker.TOOL, Speaker.OUTSIDE])
def test_rules_are_read_from_whoever_says_them(speaker: Speaker) -> None:
    assert [each.content for each in said("Always start function names with 'a_'.", speaker)] == [
        "Always start function names with 'a_'."
    ]


def test_somebody_else_in_a_dialogue_is_not_the_user() -> None:
    turn = Turn("t1", Speaker.PERSON, "I prefer tabs to spaces. My manager is Dana.", "s1", name="Bob")

    assert extract(turn).candidates == ()


@pytest.mark.vfcc("REQ-WRITE-GATE")
@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("See `load()` there", "code"),
        ("Traceback: KeyError", "error"),
        ("They decided it yesterday", "decision"),
        ("Renamed meanwhile", "change"),
    ],
)
def test_each_kind_of_sign_opens_the_gate(text: str, sign: str) -> None:
    signals = signals_of(text)

    assert getattr(signals, sign) > 0
    assert signals.worth


@pytest.mark.vfcc("REQ-WRITE-GATE")
@pytest.mark.parametrize("text", ["", "Good morning!", "Thanks a lot, great job!", "Sounds good.", "Ha ha, what fun"])
def test_a_turn_without_a_sign_is_passed_by(text: str) -> None:
    found = extract(Turn("t1", Speaker.PERSON, text, "s1"))

    assert not found.signals.worth
    assert found.candidates == ()


@pytest.mark.parametrize(
    "text",
    [
        "I guess I tend to overthink these things.",
        "Our company believes that a healthy culture is what lets people grow, and I think we get there slowly.",
        "It sets the tone for everything that comes after.",
        "The key is to approach them with an open mindset.",
        "I usually feel a bit overwhelmed by all the choices that there are.",
        "The project is progressing well.",
    ],
)
def test_talk_waits_for_a_person_whatever_its_form(text: str) -> None:
    """Such sentences of a speaker without a name were once active facts."""
    assert all(each.confidence < 500 for each in said(text))


@pytest.mark.parametrize(
    "text", ["I prefer tabs to spaces.", "The API runs on port 8080.", "The app must work offline."]
)
def test_what_is_plainly_told_does_not_wait(text: str) -> None:
    (found,) = said(text)

    assert found.confidence >= 500


NAMED = [
    ("We've been using Skype for calls, but I'd like to transition to Zoom going forward.", "zoom"),
    ("While we've been using IntelliCode, I want to transition to TabNine as our primary coding assistant.", "tabnine"),
    ("One of the key changes is our adoption of CodeWhisperer as the primary coding assistant.", "codewhisperer"),
    ("We've actually transitioned to using Microsoft Teams for all our video calls.", "microsoft-teams"),
    ("I want you to set up your workspace with at least three monitors.", "three"),
]


@pytest.mark.parametrize(("text", "value"), NAMED)
def test_what_a_named_speaker_asks_in_passing_is_read(text: str, value: str) -> None:
    found = list(extract(Turn("t1", Speaker.PERSON, text, "s1", name="Anna")).candidates)

    assert [(value in each.value, each.negated, each.content) for each in found] == [(True, False, text)]


def test_of_two_sentences_that_say_the_same_the_fuller_is_kept() -> None:
    fuller = (
        "As you know, we've been using Skype for our video calls, but I'd like to transition to Zoom going forward."
    )
    turn = Turn("t1", Speaker.PERSON, f"{fuller} So, from now on, let's use Zoom.", "s1", name="Anna")

    assert [each.content for each in extract(turn).candidates] == [fuller]
