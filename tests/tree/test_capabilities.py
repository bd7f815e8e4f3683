"""The project's own requirements: every section of the five records is answered, and the page lists each known gap."""

import re
import runpy
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
MADE = runpy.run_path(str(ROOT / "docs" / "capabilities.py"), run_name="capabilities")
NEEDS, REQUIREMENTS = MADE["load"]("need"), MADE["load"]("requirement")
SECTIONS = MADE["SECTIONS"]
RECORDS = ROOT.parent / "shared" / "seeds"
TEXTS = " ".join(each.text for each in REQUIREMENTS)

BANNED = "said|told|tells|stands|standing|nobody|anew|meanwhile|lest|at hand|in work|goes on|whoever"
WAITED_FOR: frozenset[str] = frozenset()
NAMED = {
    "operations of a backend": "add query get delete list_all clear count",
    "operators of filters": "$eq $ne $gt $gte $lt $lte",
    "programs of the stores": "add_reasoning add_tool_output stage_outputs add_decision add_convention add_failure"
    " decisions add_preference add_pattern preferences clear_all",
    "programs of the hierarchy": "load_context_for_agent load_layer update_stage_memory update_sprint_memory",
    "categories of a user": "preference business_fact work_pattern communication_style goal constraint relationship",
    "types of a project": "requirement fact guideline insight question assumption",
    "lists of an extraction": "user_items project_items",
    "relations": "caused_by resolved_by supersedes contradicts depends_on",
    "modes of extraction": "heuristic llm hybrid",
    "settings": "memory.enabled memory.extraction_mode memory.rerank.enabled memory.rerank.max_candidates"
    " memory.rerank.trigger_min_margin memory.max_llm_calls_per_turn memory.scope.mode"
    " memory.lifecycle.type_ttl_days memory.consolidation.enabled memory.consolidation.interval",
    "counters": "extraction.calls extraction.fallback.count rerank.calls rerank.skipped retrieval.candidate_count"
    " retrieval.final_count contradiction.detected items.superseded scope.mismatch.filtered token.overhead",
    "operations on files": "read write edit search analyze",
    "intents": "code_reading code_writing project_fixing project_exploration",
    "statuses of a task": "active completed failed paused",
    "reasons of a snapshot": "pruning task_switch manual",
    "patterns": "co_edit error_fix refactor",
    "learnings": "file_purpose common_error workflow",
    "items of a window": "system_prompt user_message assistant_response tool_result code_snippet task_state"
    " graph_query",
    "programs of the graph and the history": "get_file_contents get_callers get_dependencies find_symbol"
    " record_file_interaction store_snapshot find_similar_tasks",
}


def headings(path: Path) -> set[str]:
    """The headings of a record below its title, those in code left out."""
    text = re.sub(r"(?ms)^```.*?^```$", "", path.read_text(encoding="utf-8"))
    return set(re.findall(r"(?m)^##+ (.+?)\s*$", text))


@pytest.mark.vfcc("REQ-OWN-TRACE")
def test_the_page_says_what_the_items_say() -> None:
    page = (ROOT / "docs" / "explanation" / "capabilities.md").read_text(encoding="utf-8")

    assert page == MADE["page"](NEEDS, REQUIREMENTS), "python docs/capabilities.py writes it anew"


@pytest.mark.vfcc("REQ-OWN-TRACE")
@pytest.mark.parametrize(
    ("record", "section"), [pytest.param(n, each, id=f"{n}-{each.key}") for n in SECTIONS for each in SECTIONS[n]]
)
def test_each_section_has_a_requirement_or_a_reason_for_none(record: int, section: object) -> None:
    found = MADE["answers"](REQUIREMENTS, record, section)

    assert bool(found) is not bool(section.asks_nothing)  # type: ignore[attr-defined]


def test_each_requirement_answers_sections_that_there_are_and_a_need() -> None:
    sections = {f"record-{n}-{each.key}" for n in SECTIONS for each in SECTIONS[n]}
    needs = {each.id for each in NEEDS}

    for each in REQUIREMENTS:
        named = {tag for tag in each.tags if tag.count("-") > 1 and tag.startswith("record-")}
        assert named <= sections, each.id
        assert {tag for tag in each.tags if tag not in named} >= {f"record-{tag.split('-')[1]}" for tag in named}
        assert each.needs
        assert needs.issuperset(each.needs), each.id


def test_each_need_has_requirements() -> None:
    assert {each.id for each in NEEDS} == {need for each in REQUIREMENTS for need in each.needs}


@pytest.mark.parametrize("what", NAMED)
def test_every_name_that_the_records_give_stands_in_a_requirement(what: str) -> None:
    missing = [name for name in NAMED[what].split() if not re.search(rf"(?<![\w.$]){re.escape(name)}(?![\w])", TEXTS)]

    assert not missing


@pytest.mark.skipif(not RECORDS.is_dir(), reason="the decision records are not beside this checkout")
@pytest.mark.parametrize("record", SECTIONS)
def test_no_heading_of_a_record_is_left_out(record: int) -> None:
    (path,) = RECORDS.glob(f"{record}-*.md")

    assert headings(path) == {heading for each in SECTIONS[record] for heading in each.headings}


@pytest.mark.vfcc("REQ-OWN-TRACE")
def test_what_is_planned_has_no_test_that_names_it_and_what_is_built_has_one() -> None:
    marked: set[str] = set()
    for path in (ROOT / "tests").rglob("*.py"):
        marked.update(re.findall(r'"(REQ-[A-Z-]+)"', path.read_text(encoding="utf-8")))

    assert marked & {each.id for each in REQUIREMENTS if each.planned} == set()
    assert {each.id for each in REQUIREMENTS if not each.planned} - marked == set()


def page_text() -> str:
    return (ROOT / "docs" / "explanation" / "capabilities.md").read_text(encoding="utf-8")


@pytest.mark.vfcc("REQ-OWN-TRACE")
def test_the_counts_on_the_page_add_up_to_all_requirements() -> None:
    counts = re.search(
        r"(\d+) requirements: (\d+) tested with no known gap, (\d+) tested with known gaps, (\d+) planned\.",
        page_text(),
    )

    assert counts is not None
    every, tested, with_gaps, planned = map(int, counts.groups())
    assert every == len(REQUIREMENTS) == tested + with_gaps + planned
    assert with_gaps == sum(bool(each.gaps) for each in REQUIREMENTS)


@pytest.mark.vfcc("REQ-OWN-TRACE")
def test_each_known_gap_is_on_the_page_below_its_requirement() -> None:
    gaps = page_text().split("## Known gaps")[1].split("\n## ")[0]

    for each in REQUIREMENTS:
        below = gaps.partition(f"- {each.id}: {each.title}\n")[2].split("\n- ")[0]
        assert [gap for gap in each.gaps if f"    - {gap}" not in below] == [], each.id


def test_a_requirement_with_a_gap_is_never_among_those_without() -> None:
    entry = MADE["Entry"]("REQ-x", "X", "", ("It fails.",), ("NEED-x",), ("record-1-tree",), "")

    text = MADE["page"]([], [entry])

    assert "1 requirements: 0 tested with no known gap, 1 tested with known gaps, 0 planned." in text
    assert "| The tree of files | | REQ-x | |" in text


def test_each_known_gap_is_one_plain_sentence_of_what_is_tested() -> None:
    for each in REQUIREMENTS:
        for gap in each.gaps:
            assert re.fullmatch(r"[A-Z`].*\.", gap), gap
            assert not re.search(r"[.!?] [A-Z]|issue|#\d", gap), gap
            assert not re.search(rf"(?i)\b({BANNED})\b", gap), gap
        assert not (each.gaps and each.planned), each.id


def test_what_is_planned_waits_for_something_known() -> None:
    assert {each.planned for each in REQUIREMENTS} == {"", *WAITED_FOR}


def test_every_item_is_named_as_its_file() -> None:
    for path in (ROOT / ".memory" / "project" / "items").rglob("*.md"):
        said = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n", 2)[1])
        assert (said["id"], said["type"]) == (path.stem, path.parent.name)
