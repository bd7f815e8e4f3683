"""`vfcc memory eval`: numbers for a file of questions, thresholds for CI, and files that cannot be measured."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import vfcc
from tests.cli.shapes import promised, shape
from tests.trees import write_memory

pytestmark = pytest.mark.vfcc("REQ-INDICATOR-RECALL")
QUESTIONS = """\
- question: Who pays us?
  expect: [acme]
- question: Where do jobs wait before they run?
  expect: [queue.md, fruit.md]
- question: What is there for lunch?
  expect: [client]
"""


def fact(root: Path, name: str, key: str, text: str) -> None:
    write_memory(root, {f"project/items/fact/{name}.md": f"---\nid: {name}\nkey: {key}\n---\n{text}\n"})


@pytest.fixture
def root(young: Path) -> Path:
    fact(young, "acme", "client", "The client is Acme, who pays in cents.")
    fact(young, "queue", "queue", "Jobs wait in a queue.")
    fact(young, "fruit", "fruit", "An apple.")
    (young / "q.yaml").write_text(QUESTIONS, encoding="utf-8")
    return young


def test_each_question_has_the_ranks_of_its_answers_worst_first_and_then_the_numbers(root: Path) -> None:
    ran = vfcc(root, "memory", "eval", "q.yaml")

    assert (ran.code, ran.err) == (0, "")
    assert [line.split("  ")[0] for line in ran.out.splitlines()[:4]] == ["rank", "missed", "1, missed", "1"]
    assert ran.out.splitlines()[4:] == [
        "",
        "3 questions: recall@1 0.5; recall@3 0.5; recall@5 0.5; recall@10 0.5; mean reciprocal rank 0.6666",
        "missed: not among the best 10",
    ]


@pytest.mark.sweep
def test_what_was_measured_is_remembered_as_an_indicator(root: Path) -> None:
    assert "\nrecall@k: not measured yet: vfcc memory eval FILE measures it\n" in vfcc(root, "memory", "stats").out
    (root / "one.yaml").write_text("- {question: Who pays us?, expect: acme}\n", encoding="utf-8")
    for name, k in (("q.yaml", "5"), ("one.yaml", "2"), ("q.yaml", "4")):
        assert vfcc(root, "memory", "eval", name, "--at", k).code == 0
    found = vfcc(root, "memory", "stats", "--json", "--full").data["metrics"]

    assert (found["indicators"][0]["name"], found["indicators"][0]["value"]) == ("recall@k", 0.5)
    assert found["indicators"][0]["why"].startswith("k = 4, 3 questions, on 20")
    assert found["since"] is None, "nothing was counted by that"
    assert "\nrecall@k: 0.5 (k = 4, 3 questions, on 20" in vfcc(root, "memory", "stats").out


def test_below_the_threshold_it_exits_with_1_and_all_is_shown(root: Path) -> None:
    met = vfcc(root, "memory", "eval", "q.yaml", "--min", "0.5")
    below = vfcc(root, "memory", "eval", "q.yaml", "--min", "0.51", "--at", "2")

    assert (met.code, met.err) == (0, "")
    assert (below.code, below.err) == (1, "recall@2 is 0.5, below 0.51\n")
    assert "recall@1 0.5; recall@2 0.5; recall@3 0.5; recall@5 0.5; recall@10 0.5;" in below.out


def test_a_measurement_is_no_use_of_an_item(root: Path) -> None:
    assert vfcc(root, "memory", "eval", "q.yaml").code == 0

    assert not (root / ".memory" / "local" / "access.jsonl").exists()


def test_as_json_it_is_the_same_value(root: Path) -> None:
    ran = vfcc(root, "memory", "eval", "q.yaml", "--k", "20,1", "--min", "0.9", "--json", "--full")
    value = ran.data

    assert (ran.code, ran.err) == (1, "recall@1 is 0.5, below 0.9\n")
    assert value["recall"] == [{"k": 1, "recall": 0.5}, {"k": 20, "recall": 0.5}]
    assert (value["at_k"], value["minimum"], value["reached"], value["depth"]) == (1, 0.9, False, 20)
    assert value["questions"][1] == {
        "question": "Where do jobs wait before they run?",
        "line": 3,
        "answers": [
            {"name": "queue.md", "rank": 1, "invalid_reason": ""},
            {"name": "fruit.md", "rank": None, "invalid_reason": ""},
        ],
    }
    assert shape(value) == promised("memory_eval")


def test_a_terminal_gets_no_line_that_is_wider_than_it_is(root: Path) -> None:
    ran = typed(root, "memory", "eval", "q.yaml", env={"COLUMNS": "50"})

    assert (ran.code, max(map(len, ran.out.splitlines()))) == (0, 50), ran.out
    assert all(word in ran.out for word in QUESTIONS.partition("expect")[0].split()[2:])


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", 3, ("q.yaml:1: there is no question in it",)),
        ("question: Who?\nexpect: [acme]\n", 3, ("q.yaml:1: there is no question in it",)),
        ("- question: Who?\n  expect: [acme\n", 3, ("q.yaml:3: this is not YAML",)),
        ("- question: Who?\n  question: What?\n  expect: [acme]\n", 3, ("q.yaml:2: the key question is given twice",)),
        ("- question: Who?\n  expect:\n  - acme\n  - bolt\n", 3, ("q.yaml:4: there is no item bolt here",)),
        ("- question: Who?\n", 3, ("q.yaml:1: expect is missing",)),
        ("- question: Who?\n  expect: [acme]\n  scope: projet\n", 3, ("q.yaml:1: there is no scope 'projet'",)),
        ("- question: Who?\n  expect: [acme]\n  as_of: 2026-02-31\n", 3, ("q.yaml:1: '2026-02-31' is no day",)),
        ("- question: Who?\n  expct: [acme]\n", 3, ("q.yaml:2: unknown key expct; did you mean expect?", "expect is")),
        ("a: &a [*a]\n", 3, ("q.yaml:1: ",)),
    ],
)
def test_a_file_that_cannot_be_measured_is_refused_with_the_line(
    root: Path, text: str, code: int, words: tuple[str, ...]
) -> None:
    (root / "q.yaml").write_text(text, encoding="utf-8")

    vfcc(root, "memory", "eval", "q.yaml").refused(code, *words)
    assert not (root / ".memory" / "local" / "metrics.jsonl").exists()


def test_a_file_that_is_no_file_or_no_text_is_refused(root: Path) -> None:
    (root / "latin.yaml").write_bytes(b"- question: W\xe4r?\n")

    vfcc(root, "memory", "eval", "missing.yaml").refused(2, "cannot read missing.yaml: No such file")
    vfcc(root, "memory", "eval", ".memory").refused(2, ".memory is a folder")
    vfcc(root, "memory", "eval", "latin.yaml").refused(3, "latin.yaml:1: not UTF-8")


@pytest.mark.points(4)
@pytest.mark.parametrize(
    "options", [("--k", "0"), ("--k", "1,,3"), ("--k", "101"), ("--at", "x"), ("--min", "1.01"), ("--min", "80%")]
)
def test_numbers_that_are_none_are_usage(root: Path, options: tuple[str, str]) -> None:
    vfcc(root, "memory", "eval", "q.yaml", *options).refused(2, options[0])


def test_outside_of_a_project_it_asks_what_is_known_of_the_person(root: Path, tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text("- {question: Who pays us?, expect: acme}\n", encoding="utf-8")

    vfcc(tmp_path, "memory", "eval", "q.yaml").refused(3, "q.yaml:1: there is no item acme in user memory")
