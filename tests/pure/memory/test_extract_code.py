"""Rules for code: names, decorators, imports and what code has, in the many ways in which people say them."""

import pytest

from verifflowcc.memory.rules.candidates import StatementCandidate
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn


def said(text: str, name: str = "") -> list[StatementCandidate]:
    return list(extract(Turn("t1", Speaker.PERSON, text, "s1", name=name)).candidates)


def contents(text: str, name: str = "") -> list[str]:
    return [each.content for each in said(text, name)]


def rules(text: str) -> list[tuple[str, str]]:
    return [(each.key, each.value) for each in said(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Always start function argument names with 'k_'.",
        "As for function argument names, use 'k_' as the starting letter.",
        "When naming function arguments, begin them with `k_` from now on.",
        'Please prefix all function argument names with "k_".',
        "Function argument names should start with the letter 'k' followed by an underscore.",
        "I'd like you to use the prefix k_ for function arguments.",
        "We're switching from 'm_' to 'k_' as the prefix for function arguments.",
        "Start function argument names with 'k_' instead of 'm_'.",
        "For function arguments, start the names with 'k_' as in 'k_total'.",
    ],
)
def test_a_prefix_is_found_however_it_is_said(text: str) -> None:
    (found,) = said(text)

    assert (found.type, found.layer, found.key) == ("convention", "project", "function-argument-names.start")
    assert (found.subject, found.value, found.negated) == ("function-argument-names", "start:k_", False)
    assert found.content == text
    assert found.confidence >= 500


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("End all your method names with '_n'.", "method-names.end", "end:_n"),
        ("Method names need to terminate in '_z'.", "method-names.end", "end:_z"),
        ("Tack '_w' onto the end of class names.", "class-names.end", "end:_w"),
        ("Update your attribute names so that they start with 'q_'.", "attribute-names.start", "start:q_"),
        ("Let's prepend 'pre_' to variables.", "variable-names.start", "start:pre_"),
        ("For method names, end them with an underscore followed by the letters 'md'.", "method-names.end", "end:_md"),
        ("Always include the string 'chx' in attribute names.", "attribute-names.include-chx", "include=chx"),
        ("Include a single digit in your class names.", "class-names.digit", "digit:one"),
        ("From now on, use all UPPERCASE letters for class names.", "class-names.case", "case:all UPPERCASE"),
        ("Class names must be in snake_case.", "class-names.case", "case:snake_case"),
    ],
)
def test_each_aspect_of_a_name_has_a_key_of_its_own(text: str, key: str, value: str) -> None:
    (found,) = said(text)

    assert (found.key, found.value) == (key, value)


def test_one_sentence_may_hold_several_rules() -> None:
    starts = "Always start your variable names with 'vr_' and method names with 'o_'."
    both = "Start your variable names with 'wr_', and include a single digit somewhere within the name."

    assert rules(starts) == [("variable-names.start", "start:vr_"), ("method-names.start", "start:o_")]
    assert rules(both) == [("variable-names.start", "start:wr_"), ("variable-names.digit", "digit:one")]
    assert contents(starts) == [starts, starts]


def test_them_means_what_the_turn_spoke_of_last() -> None:
    text = "Let's talk about attribute names. Please start them with 'r_' from now on."

    assert rules(text) == [("attribute-names.start", "start:r_")]
    assert contents(text) == [text], "the item has the sentence that says what they are"


def test_what_was_last_spoken_of_is_forgotten_with_the_turn() -> None:
    assert contents("Please start them with 'r_' from now on.") == []


def test_functions_and_methods_that_are_named_together_get_a_rule_each() -> None:
    said_of_both = "Use type hints in all functions and methods."

    assert rules(said_of_both) == [("annotations-in-functions", "use"), ("annotations-in-methods", "use")]
    assert contents(said_of_both) == [said_of_both, said_of_both]


@pytest.mark.parametrize(
    ("text", "key", "negated"),
    [
        ("Always use docstrings in your methods.", "docstrings-in-methods", False),
        ("I want all functions you write to be properly annotated.", "annotations-in-functions", False),
        (
            "I want to emphasize the importance of including try statements in your functions.",
            "try-statements-in-functions",
            False,
        ),
        ("Make sure that you include assert statements in methods.", "assert-statements-in-methods", False),
        ("It's important that you consistently add comments to your code.", "comments-in-code", False),
        ("We no longer use relative imports in this package.", "relative-imports-in-code", True),
        ("Don't forget to use docstrings in functions.", "docstrings-in-functions", False),
    ],
)
def test_what_code_has_is_found(text: str, key: str, negated: bool) -> None:
    (found,) = said(text)

    assert (found.key, found.value, found.negated, found.content) == (key, "use", negated, text)


def test_a_decorator_is_found_with_the_code_that_it_belongs_to() -> None:
    whole = "Add the '@retry' decorator from the 'pedantic' module to all your functions."
    parted = (
        "We use the '@trace' decorator from the 'pedantic' module. It helps us. Add this decorator to all your methods."
    )

    assert rules(whole) == [("decorator-retry-functions", "use")]
    assert rules(parted) == [("decorator-trace-methods", "use")]
    assert (contents(whole), contents(parted)) == ([whole], [parted])


def test_decorators_and_imports_of_different_names_do_not_share_a_key() -> None:
    texts = [
        "Always import the 'gzip' module, even if you do not use it.",
        "Always import the 'bz2' module, even if you do not use it.",
        "Add the '@retry' decorator to all functions.",
        "Add the '@timer' decorator to all functions.",
        "Add the '@timer' decorator to all methods.",
    ]

    assert len({each.key for text in texts for each in said(text)}) == len(texts)


def test_a_rule_and_its_opposite_share_a_key() -> None:
    (use,), (never,) = said("Always use docstrings in methods."), said("Never use docstrings in methods.")

    assert (use.key, use.value, use.negated) == (never.key, never.value, not never.negated)


@pytest.mark.parametrize(
    "text",
    [
        "Should I start function names with 'a_'?",
        "I'll make sure to start function names with 'a_'.",
        "I've been starting my function names with 'a_', as you told me.",
        "You mentioned that function names start with 'a_'.",
        "You said that we should always start function names with 'a_'.",
        "Do you remember why we annotate functions?",
        "We discussed docstrings in methods last week.",
    ],
)
def test_questions_promises_and_reports_make_no_rule(text: str) -> None:
    assert contents(text, name="Bob") == []


def test_what_stands_in_a_code_block_or_a_quotation_is_not_said() -> None:
    assert (
        contents("```\nAlways start function names with 'a_'.\n```\n> Always end method names with '_b'.\nFine.") == []
    )


def test_of_two_rules_of_one_key_the_later_in_the_turn_holds() -> None:
    text = "Start function names with 'a_'. No wait, from now on start function names with 'b_'."

    assert [each.value for each in said(text)] == ["start:b_"]
    assert contents("Start function names with 'a_'. Always use a linter. Start function names with 'b_'.") == [
        "Always use a linter.",
        "Start function names with 'b_'.",
    ]
