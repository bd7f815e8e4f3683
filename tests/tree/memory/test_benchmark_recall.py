"""The benchmark of recall: its data read leniently, its figures, and that each part of recall can be switched off."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.extraction_gold import Rule
from benchmarks.recall_figures import gain_of, mean_of
from benchmarks.recall_locomo import Asked, at_home, evidence_of, kept, share_found, talks
from benchmarks.recall_parts import parts
from benchmarks.recall_plain import plain, with_neighbours
from benchmarks.recall_rules import changed_rules, questions_of

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "recall.py"
SAID = (
    ("Ann", "Where did you leave the violin?"),
    ("Bob", "At my sister's, under the stairs."),
    ("Ann", "I painted the fence on Tuesday."),
    ("Bob", "Nice colour!"),
    ("Ann", "Thanks, it took hours."),
    ("Bob", "Shall we have soup?"),
)
QUESTIONS = (
    ("Where is the violin?", ["D1:1; D1:02"], 4),
    ("When was the fence painted?", ["D:1:3", "D9:9"], 2),
    ("Who sang?", ["D7:1"], 5),
)
WORDINGS = ("always start function names with 'q_'", "always start function names with 'z_'")
TOPICS = {
    "instructions": [{"id": 1, "text": WORDINGS}],
    "fillers_instruction": [{"id": 2, "text": ["use Emacs as the IDE", "use Vim as the IDE"]}],
}


def conversation(name: str) -> dict[str, object]:
    turns = [
        {"speaker": speaker, "dia_id": f"D1:{number}", "text": text} for number, (speaker, text) in enumerate(SAID, 1)
    ]
    turns[3]["blip_caption"] = "a photo of a green fence"
    said = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    asked = [{"question": text, "evidence": ids, "category": kind} for text, ids, kind in QUESTIONS]
    return {"sample_id": name, "conversation": said, "qa": asked}


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    """Two conversations that say the same; the first is one that was tuned on."""
    file = tmp_path / "talks.json"
    file.write_text(json.dumps([conversation("conv-26"), conversation("new")]), encoding="utf-8")
    return file


def told(*arguments: str | Path) -> dict[str, object]:
    command = [sys.executable, str(SCRIPT), "--json", *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ})
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def test_evidence_is_read_leniently_and_what_is_not_there_is_counted(locomo: Path) -> None:
    assert evidence_of(["D8:6; D9:17", "D:11:26", "D30:05", "D"]) == {"D8:6", "D9:17", "D11:26", "D30:5"}

    talk = talks(locomo)[0]

    assert [each.evidence for each in talk.questions] == [{"D1:1", "D1:2"}, {"D1:3"}]
    assert (talk.unanswered, talk.unknown) == (1, 2)
    assert talk.turns[3].text == "Nice colour!\na photo of a green fence"
    assert {turn.day for turn in talk.turns} == {"2023-05-08"}


def test_recall_is_the_share_of_the_evidence_among_the_first() -> None:
    asked = Asked("?", frozenset({"a", "b"}), 1)

    assert share_found(asked, ["x", "a", "b"], (1, 2, 3)) == (0.0, 0.5, 1.0)


def test_an_interval_holds_the_mean_and_is_the_same_again() -> None:
    mean = mean_of([0.0, 1.0] * 50)

    assert mean.value == 50.0
    assert 35 < mean.low < 50 < mean.high < 65
    assert mean == mean_of([0.0, 1.0] * 50)
    assert gain_of([(1.0, 0.0), (1.0, 0.0)], [(0.5, 0.0), (0.5, 1.0)], 1).value == -50.0


def test_plain_bm25_needs_a_word_and_neighbours_do_not(locomo: Path) -> None:
    talk = talks(locomo)[0]

    assert list(plain(talk)("the violin?")) == ["D1:1"]
    assert list(with_neighbours(talk)("the violin?")) == ["D1:1", "D1:2"]


def test_every_part_can_be_switched_off_and_is_on_again_afterwards(locomo: Path, tmp_path: Path) -> None:
    talk = talks(locomo)[0]
    question = talk.questions[0].text
    with at_home(tmp_path):
        ask = kept(tmp_path / "whole", [talk])
        whole = ask(question)
        for number, part in enumerate(parts()):
            with part.off():
                without = kept(tmp_path / f"without-{number}", [talk]) if part.reads else ask
                found = without(question)
            if part.name.startswith("turns beside"):
                assert list(found) == ["D1:1"]
        assert ask(question) == whole
    assert set(whole[:2]) == {"D1:1", "D1:2"}


@pytest.mark.sweep
def test_conversations_that_were_tuned_on_are_apart(locomo: Path) -> None:
    (reported,) = told("--data", locomo, "--only", "locomo", "--without-parts")["locomo"]  # type: ignore[misc]
    both = told("--data", locomo, "--only", "locomo", "--without-parts", "--split", "all")["locomo"]

    assert (reported["name"], reported["talks"], reported["questions"]) == ("reported", ["new"], 2)  # type: ignore[has-type]
    assert [each["talks"] for each in both] == [["conv-26"], ["new"]]  # type: ignore[attr-defined]
    assert both[1] == reported  # type: ignore[index, has-type]
    ways = {way["name"]: way["at"]["at 5"]["value"] for way in reported["ways"]}  # type: ignore[has-type]
    assert ways["vfcc"] == 100.0 > ways["plain BM25"]


def test_a_question_about_a_rule_does_not_name_its_value() -> None:
    assert questions_of(Rule(1, WORDINGS[1], WORDINGS, code=True)) == {
        "shared words": "start function names with",
        "names of things": "names of functions",
    }
    assert questions_of(Rule(2, "use Vim as the IDE", ("use Emacs as the IDE", "use Vim as the IDE"), code=False)) == {
        "shared words": "use as the ide"
    }


@pytest.mark.sweep
def test_rules_that_were_taught_anew_are_asked_for(tmp_path: Path) -> None:
    sessions = [
        session("You: From now on, start function names with 'q_'.", WORDINGS[0], "q"),
        session("You: From now on, start function names with 'z_'.", WORDINGS[1], "z"),
    ]
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "dialogue_1.json").write_text(json.dumps({"sessions": sessions}), encoding="utf-8")
    (tmp_path / "topics.json").write_text(json.dumps(TOPICS), encoding="utf-8")

    (half,) = told("--data", tmp_path, "--only", "memorycode", "--split", "tune")["memorycode"]  # type: ignore[misc]

    figures = half["figures"][0]  # type: ignore[has-type]
    assert half["changed_rules"] == 1  # type: ignore[has-type]
    assert (figures["questions"], figures["above"], figures["replaced_found"]) == (2, 2, 2)


def session(text: str, topic: str, history: str) -> dict[str, object]:
    return {"text": text, "topic": [topic], "type": ["instruction-add"], "history_regex": [history]}


def test_a_rule_that_was_said_again_in_the_same_words_is_not_changed() -> None:
    from benchmarks.extraction_gold import Dialogue, Session

    rule = Rule(1, "a", ("a", "b"), code=True)
    other = Rule(1, "b", ("a", "b"), code=True)

    assert changed_rules(Dialogue("d", (Session("", (rule,)), Session("", (rule,))), (rule,))) == []
    (changed,) = changed_rules(Dialogue("d", (Session("", (other,)), Session("", (rule,))), (rule,)))
    assert (changed.in_force, changed.replaced) == (rule, (other,))
