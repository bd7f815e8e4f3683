"""Normal forms: what is extracted is read back as the same, sentences are cut where they end, nothing breaks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.memory.rules.code_names import key_of
from verifflowcc.memory.rules.sentences import sentences
from verifflowcc.memory.rules.turn_statements import extract, statement_of
from verifflowcc.memory.rules.turns import Speaker, Turn

KINDS = st.sampled_from(["function", "method", "variable", "class", "attribute", "function argument", "constant"])
AFFIX = st.text("abcdefgxyz", min_size=1, max_size=3)
ENDS = st.sampled_from(
    [
        "Always start {kind} names with '{affix}_'.",
        "End your {kind} names with '_{affix}' from now on.",
        "Include the string '{affix}' in {kind} names.",
        "Include a single digit in {kind} names.",
        "I want you to use CamelCase for {kind} names.",
        "Never use comments in {kind} definitions.",
        "I prefer {affix} over {kind}.",
        "We decided to keep every {kind} in {affix}.py.",
        "The {kind} needs {affix}.",
        "Never touch {affix}.py in this repo.",
        "Please use Vim, not Emacs.",
        "Always use a linter.",
        "The build failed with an error; it was fixed by {affix}.",
    ]
)


@given(ENDS, KINDS, AFFIX)
@settings(max_examples=150, deadline=None)
def test_an_item_is_read_back_as_what_was_extracted(pattern: str, kind: str, affix: str) -> None:
    text = pattern.format(kind=kind, affix=affix)
    for each in extract(Turn("t1", Speaker.PERSON, text, "s1")).candidates:
        assert statement_of(each.content, each.type, each.key) == (each.subject, each.value, each.negated)
        assert each.key == key_of(each.subject, each.value)


@given(
    st.lists(
        st.sampled_from(
            "use always never 'a_' names function the it @x not and , . ? ! : ; \n \" ` I you from to is".split(" ")
        ),
        max_size=60,
    )
)
@settings(max_examples=150, deadline=None)
def test_any_words_are_borne(words: list[str]) -> None:
    found = extract(Turn("t1", Speaker.PERSON, " ".join(words), "s1"))

    assert all(each.content and each.key and each.turn == "t1" for each in found.candidates)
    assert len({(each.type, each.key, each.rewritten) for each in found.candidates}) == len(found.candidates)


@given(st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_text_is_borne(text: str) -> None:
    extract(Turn("t1", Speaker.PERSON, text, "s1"))
    statement_of(text, "convention")


@pytest.mark.parametrize(
    "unit", ["the ", "and use ", "always ", "'a_' ", "I want you to ", "function names, ", "-", "a_", "never a, "]
)
def test_long_repetitions_end(unit: str) -> None:
    extract(Turn("t1", Speaker.PERSON, unit * 2_000, "s1"))
    extract(Turn("t1", Speaker.PERSON, (unit * 60)[:690] + ".", "s1"))


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("Function names start with `a_`.", "convention", ("function-names", "start:a_", False)),
        ("# Names\n\nAll function names begin with 'a_'.", "convention", ("function-names", "start:a_", False)),
        ("Use Vim as the IDE.", "guideline", ("ide", "vim", False)),
        ("No linter.", "guideline", ("linter", "use", True)),
        ("", "fact", ("", "", False)),
    ],
)
def test_what_a_person_wrote_has_the_same_normal_form(text: str, kind: str, expected: tuple[str, str, bool]) -> None:
    assert statement_of(text, kind) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Use a.py, e.g. Tests. Then go.", ["Use a.py, e.g. Tests.", "Then go."]),
        ("- one thing\n- another\n\n1. third", ["one thing", "another", "third"]),
        ("\u201cUse it.\u201d She said so.", ["Use it.", "She said so."]),
        ("Version 3.11 is used.", ["Version 3.11 is used."]),
        ("```\ncode. Here\n```\nAfter it.", ["After it."]),
        ("> quoted\nsaid", ["said"]),
    ],
)
def test_sentences_end_where_they_end(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected
