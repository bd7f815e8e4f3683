"""What a statement leaves open is taken from the sentences of its exchange that name it, word for word."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import Item
from verifflowcc.memory.rules.candidates import BEFORE, KeptStatement, MatchKind, StatementCandidate
from verifflowcc.memory.rules.exchanges import LEFT_OUT, opened_by
from verifflowcc.memory.rules.qualifiers import qualifiers
from verifflowcc.memory.rules.settle import settle
from verifflowcc.memory.rules.turn_statements import extract, statement_of
from verifflowcc.memory.rules.turns import MOST_BEFORE, Speaker, Turn, in_order

OPENS = "I want to go over our issue tracker today."
ASKS = "From now on, I want you to use Lumen for all projects."
JOINED = f"{OPENS}{LEFT_OUT}{ASKS}"
LONG_TALK = "It has been a long week for all of us, and the weather was as it was."


def talk(*lines: str) -> list[StatementCandidate]:
    """Return what the last line of a talk gives."""
    turns = [
        Turn(f"t{place}", Speaker.PERSON, text, "s1", name=name)
        for place, (name, _, text) in enumerate(line.partition(": ") for line in lines)
    ]
    return list(extract(in_order(turns)[-1]).candidates)


def test_a_rule_is_kept_with_the_sentence_that_names_what_it_is_of() -> None:
    (found,) = talk(f"Mira: {OPENS} {LONG_TALK} {ASKS}")

    assert found.content == JOINED
    assert found.title == ASKS.rstrip("."), "its title is the rule"
    assert not found.details, "both pieces are in its own turn"


def test_sentences_that_follow_each_other_are_one_quotation() -> None:
    (found,) = talk(f"Mira: {OPENS} {ASKS}")

    assert found.content == f"{OPENS} {ASKS}"


def test_the_subject_of_an_earlier_turn_holds_until_another_is_opened() -> None:
    (found,) = talk(f"Mira: {OPENS}", "Jon: Yes, please.", f"Mira: {LONG_TALK} {ASKS}")

    assert (found.content, dict(found.details)) == (JOINED, {BEFORE: "t0"})

    (newer,) = talk(f"Mira: {OPENS}", "Mira: Let's talk about our standup notes.", f"Mira: {LONG_TALK} {ASKS}")
    assert newer.content == f"Let's talk about our standup notes.{LEFT_OUT}{ASKS}"


@pytest.mark.parametrize(
    "lines",
    [
        (f"Jon: {OPENS}", f"Mira: {LONG_TALK} {ASKS}"),
        (f"Mira: {OPENS}", f"Mira: {LONG_TALK} Secondly, there is the matter of the tickets. {ASKS}"),
        (f"Mira: {OPENS}", f"Mira: Additionally, {ASKS[0].lower()}{ASKS[1:]}"),
        ("Mira: I wanted to touch base with you on a few things.", f"Mira: {LONG_TALK} {ASKS}"),
        ("Mira: I'd like to go over some updates to our coding practices.", f"Mira: {ASKS}"),
        ("Mira: Shall we go over our issue tracker?", f"Mira: {ASKS}"),
        ("Mira: I don't want to go over our issue tracker.", f"Mira: {ASKS}"),
        (f"Mira: {OPENS}", *["Mira: So it goes."] * MOST_BEFORE, f"Mira: {LONG_TALK} {ASKS}"),
    ],
    ids=["of another person", "closed", "leads away", "no subject", "names none", "asks", "denies", "long ago"],
)
def test_a_rule_stays_alone_where_nothing_names_what_it_is_of(lines: tuple[str, ...]) -> None:
    found = talk(*lines)

    assert len(found) == 1
    assert OPENS not in found[0].content
    assert LEFT_OUT not in found[0].content
    assert BEFORE not in dict(found[0].details)


@pytest.mark.parametrize(
    "rule",
    [
        "From now on, I want you to use Lumen as our issue tracker.",
        "From now on, use our issue tracker for every request.",
        "Always start function names with 'x_'.",
    ],
)
def test_a_rule_that_names_it_by_itself_stays_as_it_is(rule: str) -> None:
    (found,) = talk(f"Mira: {OPENS} {LONG_TALK} {rule}")

    assert found.content == rule


SUBJECTS = ("our issue tracker", "the staging cluster", "our release notes", "video calls", "a few things", "this")
LEADS = ("I want to talk about", "Let's go over", "I wanted to discuss", "We have to speak about", "Jon told me about")
RULES = (
    "From now on, I want you to use Lumen for all projects.",
    "Going forward, never use Lumen for drafts.",
    "I'd like you to use Lumen unless it is down.",
    "Please don't use Lumen in tests.",
    "Always start function names with 'x_'.",
)


@given(*(st.sampled_from(each) for each in (LEADS, SUBJECTS, RULES)), st.booleans(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_each_piece_is_a_sentence_as_it_was_written_and_no_qualifier_comes_or_goes(
    lead: str, subject: str, rule: str, apart: bool, between: bool
) -> None:
    opens, gap = f"{lead} {subject}.", f"{LONG_TALK} " if between else ""
    lines = (f"Mira: {opens}", f"Mira: {gap}{rule}") if apart else (f"Mira: {opens} {gap}{rule}",)

    for found in talk(*lines):
        pieces = found.content.split(LEFT_OUT)
        assert all(piece in f"{opens} {gap}{rule}" for piece in pieces)
        assert pieces[-1].endswith(rule)
        assert qualifiers(found.content) == qualifiers(rule)
        form = statement_of(found.content, found.type, found.key)
        assert form == (found.subject, found.value, found.negated), "it is read back as what it was kept for"
        alone = {each.key: each for each in talk(f"Mira: {rule}")}[found.key]
        assert (found.negated, found.value, found.confidence) == (alone.negated, alone.value, alone.confidence)


@pytest.mark.parametrize(
    ("sentence", "opens"),
    [
        ("I've been thinking about our release checklist.", True),
        ("Remember our conversation about feature flags.", True),
        ("Let's move on to database backups.", True),
        ("I want to emphasize the importance of changelogs.", True),
        ("I told you about the staging cluster.", False),
        ("We had lunch at the harbour.", False),
        ("Use the staging cluster.", False),
        ("I wanted to share some feedback with you.", False),
    ],
)
def test_a_subject_is_opened_by_a_sentence_that_announces_it(sentence: str, opens: bool) -> None:
    assert opened_by(sentence) is opens


NAMES = "We have to talk about our staging cluster, because the staging cluster was down twice."


def test_a_promise_stands_for_what_another_person_asked_for_in_other_words() -> None:
    promise = "I'll use the staging cluster for load tests from now on."
    (found,) = talk(f"Mira: {NAMES}", f"Jon: All right, that makes sense to me. {promise}")

    assert found.content == f"{NAMES}{LEFT_OUT}{promise}"
    assert dict(found.details) == {BEFORE: "t0"}
    assert (found.negated, found.confidence >= 500) == (False, True)
    assert statement_of(found.content, found.type, found.key) == (found.subject, found.value, found.negated)


def test_a_promise_to_leave_something_is_a_ban_of_it() -> None:
    promise = "I'll refrain from using the staging cluster from now on."
    (found,) = talk(f"Mira: {NAMES}", f"Jon: All right, that makes sense to me. {promise}")

    assert found.negated
    assert found.content.endswith(promise)


@pytest.mark.parametrize(
    "lines",
    [
        ("Jon: Good morning to you.", "Jon: I'll use the staging cluster for load tests from now on."),
        ("Mira: It rained all day.", "Jon: Well then. I'll use the staging cluster for load tests from now on."),
        (f"Mira: {NAMES}", "Jon: Well then. I'll use the staging cluster for this load test today."),
        (f"Mira: {NAMES}", "Jon: Well then. Will I use the staging cluster from now on?"),
        (f"Mira: {NAMES}", "Jon: I'll keep that in mind going forward."),
        (f"Jon: {NAMES}", "Jon: Well then. I'll use the staging cluster for load tests from now on."),
    ],
    ids=["nothing before", "of something else", "for once", "asks", "says nothing", "one's own words"],
)
def test_a_promise_alone_is_no_rule(lines: tuple[str, ...]) -> None:
    assert talk(*lines) == []


def test_a_promise_adds_nothing_to_a_rule_that_was_read() -> None:
    rule = "From now on, I want you to use the staging cluster for load tests."

    assert len(talk(f"Mira: {rule}")) == 1
    assert talk(f"Mira: {rule}", "Jon: I'll use the staging cluster for load tests from now on.") == []


def form_of(found: StatementCandidate) -> tuple[str, str, bool]:
    """Return a candidate's form as it is read back from its text."""
    return statement_of(found.content, found.type, found.key)


@pytest.mark.parametrize(
    ("names", "rule", "form"),
    [
        ("You tend to rely on snapshots quite a bit.", "I want you to stop using them.", ("snapshot", "use", True)),
        ("I know you use the shared inbox.", "Please stop relying on it altogether.", ("shared-inbox", "use", True)),
        (
            "Let me introduce you to our style gallery.",
            "I'd like you to use it for every screen.",
            ("style-gallery", "", False),
        ),
        (
            "Are you familiar with feature flags?",
            "From now on, use them for all releases.",
            ("feature-flag", "", False),
        ),
        ("Lumen is a planner.", "I want you to use this tool for every release.", ("release", "lumen", False)),
    ],
)
def test_a_pronoun_of_a_rule_points_at_what_was_named_before_it(
    names: str, rule: str, form: tuple[str, str, bool]
) -> None:
    (found,) = talk(f"Mira: {names} {rule}")

    assert found.content == f"{names} {rule}"
    assert (found.subject, found.negated, found.confidence >= 500) == (form[0], form[2], True)
    assert form[1] in {"", found.value}
    assert form_of(found) == (found.subject, found.value, found.negated)


def test_a_pronoun_points_at_what_another_person_named_right_before() -> None:
    names, rule = (
        "What do you think of using snapshots for our reports?",
        "I prefer that we don't use them in our team.",
    )
    (found,) = talk(f"Jon: It works. {names}", f"Mira: That is a good question, Jon. {rule}")

    assert (found.content, dict(found.details)) == (f"{names}{LEFT_OUT}{rule}", {BEFORE: "t0"})
    assert (found.subject, found.negated, found.confidence >= 500) == ("snapshot", True, True)
    assert form_of(found) == ("snapshot", "use", True)


@pytest.mark.parametrize(
    "lines",
    [
        ("Mira: You tend to rely on snapshots.", "Mira: Well, Jon, that is for later. I want you to stop using it."),
        (
            "Mira: Jon will never use snapshots.",
            "Mira: It is a pity, Jon, and you know. I want you to stop using them.",
        ),
        ("Mira: You rely on snapshots.", "Jon: So it is.", "Jon: It is.", "Mira: I want you to stop using them."),
    ],
    ids=["one for several", "a denial", "long ago"],
)
def test_a_pronoun_that_points_at_nothing_sure_makes_no_rule(lines: tuple[str, ...]) -> None:
    assert [each for each in talk(*lines) if each.confidence >= 500] == []


def test_a_named_thing_is_kept_with_the_next_sentence_that_says_what_it_is() -> None:
    tells = "It's a shared password manager."
    (found,) = talk(f"Mira: From now on, I want you to use Lumen. {tells} {LONG_TALK}")
    assert found.content == f"From now on, I want you to use Lumen. {tells}"

    (alone,) = talk("Mira: From now on, I want you to use Lumen. It's a great idea, as you will see.")
    assert alone.content == "From now on, I want you to use Lumen."


def test_a_well_known_tool_is_kept_with_the_sentence_that_names_its_kind() -> None:
    names = "It is time for video calls, as I see it."
    rule = "From now on, I'd like us to use Jitsi for our weekly talks."
    (found,) = talk(f"Mira: {names} {LONG_TALK} {rule}")

    assert found.content == f"{names}{LEFT_OUT}{rule}"
    assert form_of(found) == (found.subject, found.value, found.negated)


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        ("I want you to work on your own and avoid shared branches for your drafts.", ("shared-branch", "use", True)),
        ("I'm asking that you change your habits and mainly use Lumen for drafts.", ("draft", "lumen", False)),
        ("I'd like to have the team start using Lumen for drafts.", ("draft", "lumen", False)),
        (
            "I want to introduce you to the tool that we adopt as our draft store: Lumen.",
            ("draft-store", "lumen", False),
        ),
        ("I want to stress the use of feature flags.", ("feature-flag", "use", False)),
    ],
)
def test_what_is_asked_for_in_the_second_place_or_behind_a_name_is_read(
    sentence: str, form: tuple[str, str, bool]
) -> None:
    (found,) = talk(f"Mira: {LONG_TALK} {sentence}")

    assert (found.subject, found.value, found.negated) == form
    assert (found.content, found.confidence >= 500) == (sentence, True)


@pytest.mark.parametrize(
    "sentence",
    [
        "We want our reports to be readable and short.",
        "Make sure that you greet visitors properly and answer every call.",
        "I want you to focus on reviewing drafts this year.",
        "It's always better to read the plan and avoid any surprises.",
        "This helps us to see more and avoid long talks.",
        "Remember, every minute counts in a release.",
        "We don't want any surprises in the release.",
        "By using '@cached', we ensure that all functions are fast.",
    ],
)
@pytest.mark.parametrize("talked", ["", f"{LONG_TALK} "], ids=["brief", "in talk"])
def test_an_aim_is_no_rule_where_people_talk(sentence: str, talked: str) -> None:
    assert [each for each in talk(f"Mira: {talked}{sentence}") if each.confidence >= 500] == []


@pytest.mark.parametrize(
    ("question", "answer", "form"),
    [
        ("What should we use for the release notes?", "Lumen.", ("release-note", "lumen", False)),
        ("So, which planner do we use for drafts: Lumen or Zig?", "Zig, please.", ("draft", "zig", False)),
        ("What do you want us to use for the parser?", "We'll use Zig.", ("parser", "zig", False)),
        ("What's our issue tracker?", "Lumen.", ("project-management", "lumen", False)),
        ("Should we use tabs?", "No, never.", ("indentation", "tab", True)),
        ("Do we use Lumen for drafts?", "Yes, always.", ("draft", "lumen", False)),
        ("Must we squash commits before merging?", "Yes, always.", ("squash-commit-before-merging", "do", False)),
    ],
)
def test_a_question_and_its_answer_are_one_rule(question: str, answer: str, form: tuple[str, str, bool]) -> None:
    (found,) = talk(f"Jon: It rained. {question}", f"Mira: {answer} {LONG_TALK}")

    assert (found.content, dict(found.details)) == (f"{question}{LEFT_OUT}{answer}", {BEFORE: "t0"})
    assert (found.subject, found.value, found.negated) == form == form_of(found)
    assert found.confidence >= 500


def test_a_speaker_may_answer_a_question_of_their_own() -> None:
    (found,) = talk("Mira: What do we use for the parser? Zig.")

    assert (found.content, found.value) == ("What do we use for the parser? Zig.", "zig")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which draft should we open first?", "Lumen."),
        ("What should we use for this draft?", "Lumen."),
        ("What should we use for drafts?", "It depends."),
        ("What should we use for drafts?", "Whatever works."),
        ("Should we use tabs?", "Yes, but only in Makefiles."),
        ("Should we go now?", "Yes."),
        ("Do we have to use Lumen?", "No."),
        ("Can we use Lumen?", "Yes."),
        ("If it rains, what should we use for drafts?", "Lumen."),
        ("Which draft should I use for the tests?", "Lumen."),
        ("Should we squash commits before merging?", "Yes."),
        ("What's our opinion of Lumen?", "good"),
    ],
)
def test_an_answer_that_is_not_surely_for_good_is_no_active_rule(question: str, answer: str) -> None:
    assert [each for each in talk(f"Jon: {question}", f"Mira: {answer}") if each.confidence >= 500] == []


@pytest.mark.parametrize(
    ("first", "change", "old", "new"),
    [
        ("From now on, take a break every 80 minutes.", "Okay, make that 60.", "every-80", "every-60"),
        ("From now on, use Lumen as our issue tracker.", "Actually, change that to Zig.", "lumen", "zig"),
        ("Start function names with 'a_'.", "Please change it to 'b_'.", "start:a_", "start:b_"),
        ("The limit for uploads is 20 MB.", "Make it 30 instead.", "20-mb", "30-mb"),
    ],
)
def test_a_change_of_that_is_kept_with_what_it_changes_and_replaces_it(
    first: str, change: str, old: str, new: str
) -> None:
    (before,) = talk(f"Mira: {first}")
    (found,) = talk(f"Mira: {first}", "Jon: That is a lot.", f"Mira: {change}")

    assert found.content == f"{first}{LEFT_OUT}{change}"
    assert (found.key, found.type, found.confidence >= 500) == (before.key, before.type, True)
    assert (before.value, found.value) == (old, new)
    assert form_of(found) == (found.subject, new, found.negated)
    held = Item("old", before.type, first, "old.md", "project", 500, 500, key=before.key)
    settled = settle(found, [KeptStatement(held, before.subject, before.value, before.negated, "old")])
    assert (settled.outcome, list(settled.others)) == (MatchKind.SUPERSEDES, ["old"])


@pytest.mark.parametrize(
    ("first", "change"),
    [
        ("It rained for 80 minutes.", "Make that 60."),
        ("From now on, use Lumen in 3 of 4 drafts.", "Make that 2."),
        ("From now on, use Lumen as our issue tracker.", "Make that 60."),
        ("From now on, use Lumen as our issue tracker.", "Change that to something better."),
        ("From now on, take a break every 80 minutes.", "Make that 60 pages."),
    ],
    ids=["no rule", "several", "another kind", "no value", "another unit"],
)
def test_a_change_of_nothing_sure_is_no_active_rule(first: str, change: str) -> None:
    assert [each for each in talk(f"Mira: {first}", f"Mira: {change}") if each.confidence >= 500] == []


DECORATED = "the '@cached' decorator from the 'speed' module."


@pytest.mark.parametrize(
    ("lines", "content"),
    [
        (
            (f"Mira: It's {DECORATED} Please add it to all functions.",),
            f"It's {DECORATED} Please add it to all functions.",
        ),
        (
            (f"Mira: It's {DECORATED}", "Jon: Well then. I'll add the decorator to all my functions from now on."),
            f"It's {DECORATED}{LEFT_OUT}I'll add the decorator to all my functions from now on.",
        ),
        (
            (f"Mira: I like {DECORATED}", "Jon: Well then. I'll include it in all my functions from now on."),
            f"I like {DECORATED}{LEFT_OUT}I'll include it in all my functions from now on.",
        ),
    ],
    ids=["asked for", "promised", "promised by a pronoun"],
)
def test_a_decorator_that_is_spoken_of_is_meant_by_it(lines: tuple[str, ...], content: str) -> None:
    (found,) = talk(*lines)

    assert found.content == content
    assert (found.subject, found.value, found.negated) == ("decorator-cached-functions", "use", False)
    assert form_of(found) == ("decorator-cached-functions", "use", False)
