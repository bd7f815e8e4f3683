"""The benchmark of extraction: with and without tools known by name, and with a command as the model."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.extraction_gold import Rule, says

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "extraction.py"
MODEL = """
import json, sys
turn = sys.stdin.read()
item = {"layer": "project", "type": "guideline", "key": "editor", "content": "Use Emacs as the IDE.", "importance": 0.5}
found = [item] if "brackets" in turn.partition("The turn, spoken by")[2] else []
print(json.dumps({"user_items": [], "project_items": found}))
"""
TOPICS = {
    "instructions": [{"id": 1, "text": ["always start function names with 'q_'"]}],
    "fillers_instruction": [{"id": 2, "text": ["use Emacs as the IDE", "use Vim as the IDE"]}],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """One dialogue; its second session tells a rule that no grammar finds, in a turn with several kinds of sign."""
    sessions = [
        {
            "text": "You: From now on, start function names with 'q_'. I'd like you to use Vim as the IDE from now on.",
            "topic": ["always start function names with 'q_'", "use Vim as the IDE"],
            "type": ["instruction-add", "filler-instruction-add"],
            "history_regex": ["q"],
        },
        {
            "text": "You: We decided to change it after the `load()` error: Emacs brackets are what the IDE needs now.",
            "topic": ["use Emacs as the IDE"],
            "type": ["filler-instruction-update"],
            "history_regex": ["q"],
        },
    ]
    (tmp_path / "data/dataset").mkdir(parents=True)
    (tmp_path / "data/dataset/dialogue_1.json").write_text(json.dumps({"sessions": sessions}), encoding="utf-8")
    (tmp_path / "data/topics.json").write_text(json.dumps(TOPICS), encoding="utf-8")
    return tmp_path


def figures(data: Path, *options: str) -> dict[str, object]:
    command = [sys.executable, str(SCRIPT), "--data", str(data / "data"), "--split", "tune", "--json", *options]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ})
    told: dict[str, object] = json.loads(ran.stdout)
    return told


def model(told: dict[str, object]) -> dict[str, object]:
    (asked,) = told["model"]  # type: ignore[misc]
    found: dict[str, object] = asked  # type: ignore[has-type]
    return found


def recall(told: dict[str, object], way: str) -> float:
    (found,) = [each for each in told["figures"] if each["way"] == way]  # type: ignore[attr-defined]
    return float(found["recall"])


def test_a_command_as_the_model_adds_what_the_rules_did_not_find(data: Path) -> None:
    (data / "model.py").write_text(MODEL, encoding="utf-8")

    told = figures(data, "--model", f"{sys.executable} {data / 'model.py'}")

    asked = model(told)
    assert asked["calls"] == 2  # one for each turn: both have several kinds of sign
    assert asked["fallbacks"] == {}
    assert recall(told, "extraction") < recall(told, "extraction and a model") == 1.0


def test_its_calls_are_capped_and_not_counted_in_the_persons_log(data: Path) -> None:
    (data / "model.py").write_text(MODEL, encoding="utf-8")

    told = figures(data, "--model", f"{sys.executable} {data / 'model.py'}", "--most-calls", "0")

    asked = model(told)
    assert asked["calls"] == 0
    assert asked["fallbacks"] == {"capped": 2}
    assert recall(told, "extraction") == recall(told, "extraction and a model")


def test_it_tells_what_hangs_on_names_lists_decisions_and_has_baselines(data: Path) -> None:
    told = figures(data, "--without-lexicon", "--sample", "2")

    ways = {each["way"] for each in told["figures"]}  # type: ignore[attr-defined]
    assert {"extraction", "extraction, no tool known by name"} <= ways
    assert {"baseline: keep everything", "baseline: newest by subject"} <= ways
    assert len(told["sample"]) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("item", "gold", "same"),
    [
        ("Work from home no more than three days a week.", "work from home at most three times a week", True),
        ("Going forward, I'd like you to disregard the use of linters.", "never use a linter", True),
        ("One of our practices is avoiding the use of a linter.", "never use a linter", True),
        ("Always use a linter.", "never use a linter", False),
        (
            "Start function names with 'a_' and include the string 'q' in function argument names.",
            "always include the string 'q' in function argument names",
            True,
        ),
    ],
)
def test_the_matching_reads_denials_and_two_rules_as_they_are_written(item: str, gold: str, same: bool) -> None:
    topic = (gold, gold.replace("three", "two"), "always use a linter") if "linter" in gold else (gold,)

    assert says(item, Rule(1, gold, topic, "names" in gold)) is same
