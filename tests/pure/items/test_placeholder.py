"""What is a text, and what only holds the place for one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text import markdown, placeholders
from verifflowcc.base.text.placeholders import LONGEST_PHRASE, is_stock, placeholder_line, read_json, says_something

NOTHING_LEFT = [
    "",
    " \n\t\n",
    "\ufeff",
    "# Plan\n",
    "Plan\n====\n\nGoals\n-----\n",
    "---\ntitle: x\n---\n",
    "<!-- write the plan here -->\n",
    "# Plan\n\n<!--\nwrite\n\nthe plan here\n-->\n",
    "<!-- never closed\n\nthe plan",
    "- \n- \n",
    "- [ ] \n",
    "***\n",
    "```\n```\n",
    "| Risk | Owner |\n|---|---|\n",
    "| Risk | Owner |\n| :-- | --: |\n",
    "-\n",
    "{}",
    "[]",
    "null\n",
    '{"needs": [], "plan": null, "goal": "", "more": {"a": [{}]}}',
]
PLACEHOLDERS = [
    ("# Plan\n\nTODO\n", 3),
    ("todo.", 1),
    ("TBD", 1),
    ("T.B.D.", 1),
    ("FIXME", 1),
    ("XXX", 1),
    ("WIP", 1),
    ("work in progress", 1),
    ("\ufeffTODO", 1),
    ("TODO TODO TODO", 1),
    ("- [ ] TBD\n- TODO\n", 1),
    ("1. TBD\n2. TBD\n", 1),
    ("> TODO", 1),
    ("**TBD**", 1),
    ("`TODO`", 1),
    ("```\nTODO\n```\n", 2),
    ("    TODO\n", 1),
    ("TODO: write the plan", 1),
    ("TODO(maintainer): all of it", 1),
    ("[TODO] describe it", 1),
    ("<!-- a -->TODO<!-- b -->", 1),
    ("Lorem ipsum dolor sit amet, consectetur\nadipiscing elit, sed do eiusmod tempor.\n", 1),
    ("Sed ut magna dolore velit.", 1),
    ("Sed ut magna dolore velit esse cillum ut one two.", 1),
    ("To be written.", 1),
    ("This section is to be defined later", 1),
    ("_to be decided_", 1),
    ("Not yet written.", 1),
    ("Fill in", 1),
    ("Fill me in here!", 1),
    ("Your text here", 1),
    ("Write here", 1),
    ("Insert the goals of the sprint here", 1),
    ("<describe the goal>", 1),
    ("{{goal}}", 1),
    ("[...]", 1),
    ("[describe the goal here]", 1),
    ("...", 1),
    ("…", 1),
    ("n/a", 1),
    ("—", 1),
    ("☐", 1),
    ("Goal: TBD\nScope: to be defined\n", 1),
    ("- **Owner:** n/a\n", 1),
    ("Owner – TBD", 1),
    ("| Risk | Owner |\n|---|---|\n| TBD | ... |\n", 3),
    ("## Goals\n\n- \n\n## Scope\n\n<...>\n", 7),
    ('{\n  "needs": [],\n  "goal": "TODO"\n}\n', 3),
    ('["tbd", "é: TODO"]', 1),
]
TEXTS = [
    "One form.",
    "# Plan\n\n- log in\n",
    "We keep the TODO list in one file.",
    "The word TBD occurs in this sentence.",
    "TODO app for teams",
    "TODO: ask the office.\nThe plan is one form.",
    "- one form\n- TODO\n",
    "Goal: log in\n",
    "Goal: TBD\nScope: one form\n",
    "| Risk | Owner |\n|---|---|\n| late | TBD |\n",
    "a | b",
    "| TODO: the host | late |",
    "42",
    "10:30",
    "yes",
    "none",
    "No risks.",
    "- [x] the form",
    "[the plan](plan.md)",
    "[REQ-1]",
    "[Login]",
    "[see 12 below]",
    "![the V](v.png)",
    "<https://example.org>",
    "https://example.org",
    "<p>One form</p>",
    '<testcase name="x"/>',
    "```\nx = 1\n```\n",
    "    x = 1\n",
    "---\ntitle: x\n---\nOne form.\n",
    "<!-- the plan --> One form.",
    "the mark `<!--` begins a comment",
    "{{goal}} is a field of our templates",
    "Anything to be done later stands in the list of the next sprint.",
    "See the fill in pattern of the editor.",
    "Put a form here that asks for a name and a word, and for nothing that people would not tell a stranger.",
    "We do this in pure Python.",
    "登录表单",
    "目标：登录",
    "Вход в систему",
    "مرحبا",
    "हिन्दी",
    "é",
    '{"count": 0}',
    '{"ok": false}',
    '{"needs": ["log in"], "plan": "TODO"}',
    "[1]",
    "true",
    '"log in"',
]


@pytest.mark.parametrize("text", NOTHING_LEFT)
def test_headings_marks_and_comments_say_nothing_and_are_no_placeholder(text: str) -> None:
    assert not says_something(text)
    assert placeholder_line(text) is None


@pytest.mark.parametrize(("text", "line"), PLACEHOLDERS)
def test_a_placeholder_says_nothing_and_its_line_is_known(text: str, line: int) -> None:
    assert not says_something(text)
    assert placeholder_line(text) == line


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_says_something(text: str) -> None:
    assert says_something(text)
    assert placeholder_line(text) is None


@pytest.mark.parametrize("text", ["needs:\nplan: ~\n", "# a comment\nneeds: []\n", "plan: null\n", "---\n...\n"])
def test_yaml_of_keys_alone_says_nothing(text: str) -> None:
    assert not says_something(text, markdown=False)


@pytest.mark.parametrize(
    ("text", "line"), [("needs:\n  - TODO\n", 2), ("plan: TBD  # soon\n", 1), ('plan: "tbd"\n', 1)]
)
def test_a_placeholder_in_yaml_is_one(text: str, line: int) -> None:
    assert placeholder_line(text, markdown=False) == line


@pytest.mark.parametrize("text", ["needs: [log, in]\n", "- log in\n", "plan: |\n  One form.\n", "---\ncount: 0\n---\n"])
def test_yaml_with_a_value_says_something(text: str) -> None:
    assert says_something(text, markdown=False)


LINES = st.sampled_from(
    [
        "",
        "# Plan",
        "- ",
        "TODO",
        "- [ ] TBD",
        "...",
        "<!-- c -->",
        "***",
        "> to be written",
        "Goal:",
        "{{goal}}",
        "1. n/a",
    ]
)
PLACES = st.lists(LINES, max_size=8)


@given(PLACES)
@settings(deadline=None, max_examples=200)
def test_placeholders_together_say_nothing(lines: list[str]) -> None:
    assert not says_something("\n".join(lines))


@given(PLACES, PLACES, st.sampled_from(["One form.", "登录表单", "Goal: one form"]))
@settings(deadline=None, max_examples=200)
def test_one_paragraph_of_its_own_is_enough(before: list[str], after: list[str], said: str) -> None:
    assert says_something("\n".join([*before, "", said, "", *after]))


@given(st.text(max_size=200))
@settings(deadline=None, max_examples=300)
def test_a_line_is_named_only_where_nothing_is_said_and_holds_something(text: str) -> None:
    line = placeholder_line(text)

    if line is not None:
        assert not says_something(text)
        assert text.split("\n")[line - 1].strip()


@given(st.text(max_size=100))
@settings(deadline=None, max_examples=200)
def test_line_endings_make_no_difference(text: str) -> None:
    text = text.replace("\r", "")
    assert says_something(text.replace("\n", "\r\n")) == says_something(text)


@pytest.mark.parametrize("text", ["{", "NaN", "[Infinity]", "[" * 100_000, "{'a': 1}", "1 2"])
def test_what_is_no_json_is_refused_as_such(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_json(text)


def test_a_byte_order_mark_is_no_part_of_the_json() -> None:
    assert read_json('\ufeff{"a": 1}') == {"a": 1}


@pytest.mark.parametrize(
    "text", [" " * 200_000 + "x-", "|" + "-" * 200_000 + "x\n", "TODO" + "(" * 100_000, "[" * 50_000]
)
def test_a_long_line_is_judged_too(text: str) -> None:
    assert isinstance(says_something("a|\n" + text), bool)


WORDS = st.sampled_from(
    "todo to do tbd t b d xxx xxxx n a na null be is this the not yet written done later soon here fill in me change "
    "replace your text goes work progress coming follow blanks blank tide plan placeholder documented filled".split()
)


@given(st.lists(WORDS, max_size=14))
@settings(deadline=None, max_examples=500)
def test_the_last_word_decides_nothing_that_the_phrases_do_not(words: list[str]) -> None:
    whole = placeholders._STOCK.fullmatch(" ".join(words)) is not None
    assert is_stock(words) == (0 < len(words) <= LONGEST_PHRASE and whole)


@given(st.text(st.sampled_from("-+*•>[]xX 19.)(:：=|–—_\tToDoıİtbdé²٣{}<>") | st.characters(), max_size=30))
@settings(deadline=None, max_examples=500)
def test_a_line_is_judged_as_its_expressions_judge_it(line: str) -> None:
    words = lazy_pattern(r"[^\W_]+")
    note = placeholders._NOTE.match(line) or placeholders._TAG.match(line)
    assert placeholders._without_mark(line) == placeholders._MARK.sub("", line, count=1)
    assert bool(placeholders._label(line)) == bool(placeholders._LABEL.fullmatch(line))
    assert placeholders._is_note(line) == bool(note)
    assert placeholders._has_word(line) == bool(words.search(line))
    assert placeholders._words(line) == words.findall(line.casefold())


@given(st.text(st.sampled_from("-+*_#=`~ 1.a"), max_size=12))
@settings(deadline=None, max_examples=500)
def test_the_begin_of_a_line_is_read_as_an_expression_reads_it(line: str) -> None:
    expected = {
        markdown._is_rule: r"(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$",
        markdown._is_heading: r"#{1,6}(?: |$)",
        markdown._is_underline: r"(?:=+|-+) *$",
    }
    assert {read: read(line) for read in expected} == {
        read: lazy_pattern(pattern).match(line) is not None for read, pattern in expected.items()
    }
    assert bool(markdown._item(line)) == bool(markdown.ITEM.match(line))
    assert bool(markdown._opening(line)) == bool(markdown.OPENING.match(line))
