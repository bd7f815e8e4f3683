"""Rules for tools and habits: which editor, a linter or none, how often to rest; each read from its own words.

Their normal forms were once those of a list of practices; what a list does not have was lost, and what it nearly had
was put into its words. Now the sentence alone gives them.
"""

import pytest

from verifflowcc.memory.rules.candidates import StatementCandidate
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn


def said(text: str, name: str = "Alice") -> list[StatementCandidate]:
    return list(extract(Turn("t1", Speaker.PERSON, text, "s1", name=name)).candidates)


def normal(text: str, name: str = "Alice") -> list[tuple[str, str, bool]]:
    return [(each.key, each.value, each.negated) for each in said(text, name)]


@pytest.mark.parametrize(
    "text",
    [
        "From now on, I'd like you to use Emacs as your preferred IDE.",
        "We've decided to standardize. Going forward, please use Emacs instead of Vim.",
        "We're switching from Vim to Emacs.",
        "I want to introduce you to Emacs. I'd like you to use it for all your projects.",
        "Emacs is our preferred IDE now.",
        "Please steer clear of Vim and use Emacs.",
    ],
)
def test_a_tool_takes_the_place_that_is_there_for_its_kind(text: str) -> None:
    assert normal(text) == [("ide", "emacs", False)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I want you to avoid using a linter in your coding work.", ("linter", "use", True)),
        ("From now on, I'd like you to incorporate a linter into your process.", ("linter", "use", False)),
        ("Please steer clear of debuggers.", ("debugger", "use", True)),
        ("I need you to stop using the ticketing system.", ("ticketing-system", "use", True)),
        ("Using a VPN is mandatory from now on.", ("vpn", "use", False)),
        ("Remember to avoid committing directly to the dev branch.", ("commit-directly-to-dev-branch", "do", True)),
        ("Please take a break every fifty minutes.", ("take-break-minute", "every-50", False)),
        ("I want you to work from home no more than three days a week.", ("work-from-home-day-week", "most-3", False)),
        (
            "I need you to avoid GPUs and opt for TPUs for training neural networks.",
            ("training-neural-network", "tpus", False),
        ),
    ],
)
def test_habits_have_one_normal_form(text: str, expected: tuple[str, str, bool]) -> None:
    assert normal(text) == [expected]


def test_it_means_the_tool_that_the_turn_spoke_of_last() -> None:
    text = "Let me talk about our ticketing system. I know that you like it. But I want you to stop relying on it."

    assert normal(text) == [("ticketing-system", "use", True)]


@pytest.mark.parametrize(
    "text",
    [
        "Vim is highly customizable and very powerful.",
        "Have you ever used a profiler?",
        "I usually take a short break every couple of hours.",
        "Linters help ensure that everyone follows the same guidelines.",
        "It was great to see you at the video call!",
        "Our team dinner is on Friday, and I want you to enjoy it.",
        "Keep up the good work, and don't hesitate to reach out.",
        "I always enjoy working with such a supportive team.",
        "We value open communication and transparency.",
        "I'll make the switch to Emacs from now on.",
    ],
)
def test_small_talk_praise_and_promises_make_no_item(text: str) -> None:
    assert said(text) == []


def test_a_rule_in_words_that_nobody_foresaw_is_found_where_the_user_says_it() -> None:
    (found,) = said("Never log the payload of a webhook in production.", name="")

    assert (found.type, found.layer, found.negated) == ("guideline", "project", True)
    assert found.content == "Never log the payload of a webhook in production."


def test_what_is_asked_for_once_is_no_rule() -> None:
    assert said("Add a button to the page.", name="") == []
    assert said("Fix the failing test, please.", name="") == []
    assert said("Don't run the migrations yet.", name="") == []


def test_a_rule_that_is_vague_waits_for_a_person() -> None:
    (found,) = said("You should always prefer a good feeling about modules.", name="")

    assert found.confidence < 500
    assert extract(Turn("t1", Speaker.PERSON, found.content, "s1")).ambiguous
    assert said("You should always take pride in things.", name="") == []
