"""The format of a file of questions: what it may say, and a sentence with the line for all that it may not."""

import pytest

from verifflowcc.base.errors import FormatError
from verifflowcc.memory.rules.recall_evaluation import (
    LONGEST_QUESTION,
    Expectation,
    LabelledQuestion,
    Place,
    labelled_queries,
)

pytestmark = pytest.mark.vfcc("REQ-INDICATOR-RECALL")


def problems(value: object, lines: dict[Place, int] | None = None) -> list[str]:
    with pytest.raises(FormatError) as raised:
        labelled_queries(value, lines or {}, "q.yaml")
    return raised.value.message.split("\n")


def test_a_question_with_all_that_it_can_say() -> None:
    value = [
        {
            "question": " Who pays? ",
            "expect": ["acme", "bolt.md"],
            "scope": "project",
            "type": "fact",
            "as_of": "2026-01-01",
            "all": True,
            "files": ["src/pay.py"],
        },
        {"question": "What else?", "expect": "acme"},
    ]
    lines: dict[Place, int] = {(): 1, (0,): 1, (0, "expect", 0): 3, (0, "expect", 1): 4, (1,): 9, (1, "expect"): 10}

    assert labelled_queries(value, lines, "q.yaml") == (
        LabelledQuestion(
            "Who pays?",
            (Expectation("acme", 3), Expectation("bolt.md", 4)),
            1,
            "project",
            ("fact",),
            "2026-01-01",
            True,
            ("src/pay.py",),
        ),
        LabelledQuestion("What else?", (Expectation("acme", 10),), 9),
    )


@pytest.mark.parametrize("value", [None, [], {}, "Who pays?", {"question": "Who?", "expect": ["a"]}])
def test_without_a_list_of_questions_there_is_nothing_to_measure(value: object) -> None:
    assert problems(value) == ["q.yaml:1: there is no question in it; write a list of - question: … and expect: […]"]


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ("Who pays?", "a question with its answers is expected (question, expect, scope, type, as_of, all, files)"),
        ({"expect": ["a"]}, "question is missing"),
        ({"question": "Who?"}, "expect is missing"),
        ({"question": "Who?", "expect": []}, "expect names no item; a question that nothing answers cannot be counted"),
        ({"question": "Who?", "expect": None}, "expect must be text or a list of texts, not nothing"),
        ({"question": "Who?", "expect": [12]}, "expect must be text or a list of texts, not 12"),
        ({"question": "Who?", "expect": ["a", "a "]}, "expect names a twice"),
        ({"question": " ", "expect": ["a"]}, "question must be text, not ' '"),
        ({"question": ["Who?"], "expect": ["a"]}, "question must be text, not a list"),
        ({"question": "x" * (LONGEST_QUESTION + 1), "expect": ["a"]}, "question is longer than 2,000 characters"),
        ({"question": "Who?", "expect": ["a"], "all": "yes"}, "all must be true or false, not 'yes'"),
        ({"question": "Who?", "expected": ["a"], "expect": ["a"]}, "unknown key expected; did you mean expect?"),
        ({"question": "Who?", "expect": ["a"], "k": 3}, "unknown key k; known are question, expect, scope"),
        ({"question": "Who?", "expect": ["a"], "scope": {}}, "scope must be text, not a mapping"),
        ({"question": "Who?", "expect": ["a"], "type": [True]}, "type must be text or a list of texts, not true"),
    ],
)
def test_what_is_wrong_is_said_with_the_line(record: object, sentence: str) -> None:
    found = problems([record], {(0,): 7})

    assert any(each.startswith(f"q.yaml:7: {sentence}") for each in found), found


def test_all_that_is_wrong_is_said_at_once() -> None:
    found = problems([{"question": ""}, {"expect": []}, "Who?"], {(0,): 1, (1,): 2, (2,): 3})

    assert [each.split(" ")[0] for each in found] == ["q.yaml:1:", "q.yaml:1:", "q.yaml:2:", "q.yaml:2:", "q.yaml:3:"]
