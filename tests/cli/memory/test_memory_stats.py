"""`vfcc memory stats`: what memory did here, in counters and indicators, and what a model took of its caps."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import git, vfcc
from tests.model_world import PROGRAMS, program

METRICS = (
    "extraction.calls",
    "extraction.fallback.count",
    "rerank.calls",
    "rerank.skipped",
    "retrieval.candidate_count",
    "retrieval.final_count",
    "contradiction.detected",
    "items.superseded",
    "scope.mismatch.filtered",
    "token.overhead",
)
TALK = "You: We decided to change this: from now on log lines are JSON instead of plain text.\n"


def stats(folder: Path) -> Any:
    return vfcc(folder, "memory", "stats", "--json", "--full").data


def fact(folder: Path, name: str, text: str, more: str = "") -> None:
    file = folder / f".memory/project/items/fact/{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\nid: {name}\nkey: client\n{more}---\n{text}\n", encoding="utf-8")


def shown(folder: Path) -> Any:
    ran = vfcc(folder, "context", "show", "--agent", "coder", "--json", "--full")
    return ran.data["prompt"]["memory"]


def settings(folder: Path, command: tuple[str, ...], **caps: int) -> None:
    file = folder.parent / ".config/vfcc/config.yaml"
    file.parent.mkdir(parents=True)
    named = "".join(f", {name}: {value}" for name, value in caps.items())
    file.write_text(f"llm: {{command: {json.dumps(command)}{named}}}\n", encoding="utf-8")


@pytest.mark.vfcc("REQ-METRICS-EXTRACTION", "REQ-METRICS-CONTRADICTIONS", "REQ-METRICS-TOKENS")
def test_all_ten_counters_and_four_indicators_are_shown_from_the_start(young: Path) -> None:
    page = vfcc(young, "memory", "stats").out

    assert all(f"\n{name}  " in page for name in METRICS)
    assert "recall@k: not measured yet" in page
    assert "repeated failure rate: not measured yet" in page
    assert "contradiction rate: no prompt was compiled yet" in page
    assert "median memory tokens per prompt: no prompt was compiled yet" in page
    assert "model: none is named in your own settings; rules extract" in page
    found = stats(young)
    assert sorted(found["metrics"]["counters"]) == sorted(METRICS)
    assert (len(found["metrics"]["indicators"]), found["metrics"]["since"]) == (4, None)


@pytest.mark.vfcc("REQ-METRICS-TOKENS", "REQ-INDICATOR-TOKENS", "REQ-METRICS-RETRIEVAL")
def test_the_tokens_of_memory_are_counted_with_each_prompt_also_one_from_the_cache(young: Path) -> None:
    assert shown(young)["tokens"] == 0
    fact(young, "acme", "The client is Acme, and they pay in cents.")
    use = shown(young)
    for _ in range(3):
        vfcc(young, "context", "show", "--agent", "coder")
    found = stats(young)["metrics"]

    assert use["tokens"] > 0
    assert (use["candidates"], use["final"]) == (1, 1)
    assert found["counters"]["token.overhead"] == 4 * use["tokens"]
    assert found["counters"]["retrieval.candidate_count"] == found["counters"]["retrieval.final_count"] == 4
    assert found["prompts"] == 5
    assert found["indicators"][3]["value"] == use["tokens"]


@pytest.mark.vfcc("REQ-INDICATOR-CONTRADICTIONS")
def test_a_prompt_in_which_two_items_contradict_each_other_is_counted_as_one(young: Path) -> None:
    fact(young, "acme", "The client is Acme.")
    shown(young)
    fact(young, "bolt", "The client is Bolt.")
    assert shown(young)["conflicts"] == 1
    assert "contradiction rate: 0.5 (1 of 2 prompts)" in vfcc(young, "memory", "stats").out

    fact(young, "bolt", "The client is Bolt.", "links: [{to: acme, relation: supersedes}]\n")
    assert shown(young)["conflicts"] == 0
    fact(young, "bolt", "The budget is 1.", "type: goal\nlinks: [{to: acme, relation: contradicts}]\n")
    assert shown(young)["conflicts"] == 1
    assert stats(young)["metrics"]["indicators"][1]["value"] == 0.5


@pytest.mark.vfcc("REQ-METRICS-SCOPE")
def test_items_that_are_none_of_the_role_are_counted_as_filtered(young: Path) -> None:
    file = young.parent / ".local/share/vfcc/user/items/goal/round.md"
    file.parent.mkdir(parents=True)
    file.write_text("Raise a Series A.\n", encoding="utf-8")

    assert shown(young)["filtered"] == 1
    assert stats(young)["metrics"]["counters"]["scope.mismatch.filtered"] == 1


def test_counting_leaves_the_tree_as_it_is_and_a_prompt_of_a_commit_is_not_counted(young: Path) -> None:
    git(young, "init", "-q")
    git(young, "add", ".")
    git(young, "commit", "-qm", "first")
    vfcc(young, "context", "show", "--agent", "coder", "--committed")
    assert stats(young)["metrics"]["prompts"] == 0

    vfcc(young, "context", "show", "--agent", "coder")
    assert stats(young)["metrics"]["prompts"] == 1
    assert git(young, "status", "--porcelain") == ""


def test_a_prompt_is_there_also_where_nothing_can_be_counted(young: Path) -> None:
    (young / ".memory/local").mkdir(exist_ok=True)
    (young / ".memory/local/metrics.jsonl").mkdir()
    ran = vfcc(young, "context", "show", "--agent", "coder")

    assert (ran.code, "# " in ran.out) == (0, True)
    assert "warning: metrics are not counted: " in ran.err
    assert vfcc(young, "memory", "stats").code == 0


@pytest.mark.vfcc("REQ-METRICS-CONTRADICTIONS")
def test_an_item_that_takes_the_place_of_another_is_counted(young: Path) -> None:
    assert typed(young, "memory", "add", "fact", "The client is Acme", "--id", "acme").code == 0
    assert typed(young, "memory", "add", "fact", "The client is Bolt", "--supersedes", "acme").code == 0
    counters = stats(young)["metrics"]["counters"]

    assert (counters["items.superseded"], counters["contradiction.detected"]) == (1, 1)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-METRICS-CONTRADICTIONS")
def test_what_an_ingest_replaces_is_counted_and_a_proposal_once_it_is_promoted(young: Path) -> None:
    (young / "one.md").write_text("You: From now on, always start function names with 'a_'.\n", encoding="utf-8")
    (young / "two.md").write_text("You: Please start function names with 'b_' instead.\n", encoding="utf-8")
    (young / "three.md").write_text("You: Please start function names with 'c_' instead.\n", encoding="utf-8")
    assert typed(young, "memory", "ingest", "one.md").code == 0
    assert typed(young, "memory", "ingest", "two.md").code == 0
    counters = stats(young)["metrics"]["counters"]
    assert (counters["items.superseded"], counters["contradiction.detected"]) == (1, 1)

    done = vfcc(young, "memory", "ingest", "three.md", "--json", "--full").data
    (proposed,) = [each["id"] for each in done["learned"]]
    counters = stats(young)["metrics"]["counters"]
    assert (counters["items.superseded"], counters["contradiction.detected"]) == (1, 2)
    assert typed(young, "memory", "promote", proposed).code == 0
    counters = stats(young)["metrics"]["counters"]
    assert (counters["items.superseded"], counters["contradiction.detected"]) == (2, 2)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-CALL-CAPS", "REQ-METRICS-EXTRACTION")
def test_the_calls_and_tokens_of_today_stand_beside_their_caps(young: Path, tmp_path: Path) -> None:
    settings(young, program(tmp_path, PROGRAMS["good"]), max_calls_per_day=2)
    for number in (1, 2, 3):
        (young / "talk.txt").write_text(TALK + f"You: That is all for day {number}.\n", encoding="utf-8")
        (young / "talk.txt").rename(young / f"talk{number}.txt")
        ran = vfcc(young, "memory", "ingest", f"talk{number}.txt")
        assert ran.code == 0, ran
    assert "the cap of 2 calls for a day (llm.max_calls_per_day) is reached; rules extract instead" in ran.err
    found = stats(young)

    assert found["model"]["calls_today"] == found["metrics"]["counters"]["extraction.calls"] == 2
    assert found["metrics"]["fallbacks"] == {"capped": 1}
    assert 0 < found["model"]["tokens_today"] < 5_000
    page = vfcc(young, "memory", "stats").out
    assert "2 of 2 calls and " in page
    assert "a turn has at most 1 call and 8,000 tokens" in page
    assert "fallbacks: 1 capped" in page


@pytest.mark.vfcc("REQ-WRITE-FALLBACK")
def test_an_ingest_with_a_broken_model_learns_what_the_rules_learn(young: Path, tmp_path: Path) -> None:
    """A dry run asks no model unless it is told to."""
    (young / "talk.txt").write_text(TALK, encoding="utf-8")
    without = vfcc(young, "memory", "ingest", "talk.txt", "--dry-run", "--json", "--full")
    settings(young, program(tmp_path, PROGRAMS["prose alone"]))
    broken = vfcc(young, "memory", "ingest", "talk.txt", "--dry-run", "--ask-model", "--json", "--full")

    assert (without.code, broken.code) == (0, 0)
    learned = [[(each["key"], each["title"]) for each in ran.data["learned"]] for ran in (without, broken)]
    assert learned[0] == learned[1] != []
    assert "answered with no JSON object; rules extract instead" in broken.err


def test_a_project_that_names_a_model_is_refused_and_runs_nothing(young: Path, tmp_path: Path) -> None:
    config = young / ".memory/config.yaml"
    command = program(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')")
    config.write_text(f"llm: {{command: {json.dumps(command)}}}\n", encoding="utf-8")
    (young / "talk.txt").write_text(TALK, encoding="utf-8")
    ran = vfcc(young, "memory", "ingest", "talk.txt")

    assert ran.code != 0
    assert "llm belongs to your own settings" in ran.err
    assert not (tmp_path / "ran").exists()
