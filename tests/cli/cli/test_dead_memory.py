"""Items that no layer loads are announced when they are added, by `--explain` and by `vfcc doctor`."""

from pathlib import Path

import pytest

from tests.cli.process import git, vfcc

SEED = """\
loading_strategy:
  project: {always_load: [CLAUDE.md, conventions/python.md], conditional_load: [decisions/*.md], max_tokens: 5000}
  sprint: {always_load: [goals.md, progress.json], conditional_load: [retrospectives/*.md], max_tokens: 10000}
  stage: {always_load: [current_artifacts/*], conditional_load: [previous_stage_summary.md], max_tokens: 15000}
  agent: {always_load: [prompt_template.md, tools_config.yaml], conditional_load: [context.json], max_tokens: 9000}
"""
FACT = ("memory", "add", "fact", "Boats are blue.", "--id", "boats")
DOORS = ("trace", "add", "requirement", "Doors", "--text", "It shall open.", "--id", "REQ-DOOR")
RECALL, TRACE = ('add "@recall" to loading_strategy.project', 'add "@trace" to loading_strategy.sprint')


@pytest.fixture
def young(tmp_path: Path) -> Path:
    """A project with the configuration of the memory hierarchy decision."""
    git(tmp_path, "init", "--quiet")
    assert vfcc(tmp_path, "init").code == 0
    (tmp_path / ".memory" / "config.yaml").write_text(f"format: 1\n{SEED}", encoding="utf-8")
    return tmp_path


def test_adding_what_no_layer_loads_says_so_and_what_to_add(young: Path) -> None:
    assert f"note: no layer loads it: {RECALL}" in vfcc(young, *FACT).err
    assert f"note: no layer loads it: {TRACE}" in vfcc(young, *DOORS).err
    notes = vfcc(young, "memory", "add", "fact", "Boats.", "--json", "--full").data["notes"]
    assert any(RECALL in each for each in notes)


def test_the_explanation_and_the_doctor_list_what_no_layer_loads(young: Path) -> None:
    vfcc(young, *FACT)
    vfcc(young, *DOORS)

    skipped = vfcc(young, "context", "show", "--agent", "coder", "--json", "--full").data["skipped"]
    reasons = {each["key"]: each["reason"] for each in skipped}
    assert RECALL in reasons["items/fact/boats.md"]
    assert TRACE in reasons["items/requirement/REQ-DOOR.md"]
    doctor = vfcc(young, "doctor").out
    assert RECALL in doctor
    assert TRACE in doctor


def test_what_a_layer_loads_is_not_announced(young: Path) -> None:
    (young / ".memory" / "config.yaml").write_text("format: 1\n", encoding="utf-8")

    added = vfcc(young, *FACT).err + vfcc(young, *DOORS).err + vfcc(young, "memory", "add", "decision", "Blue.").err
    assert "no layer" not in added
    assert "no layer" not in vfcc(young, "context", "show", "--agent", "coder", "--explain").err
    assert "no prompt can hold" not in vfcc(young, "doctor").out


def test_an_item_that_a_pattern_names_is_not_announced(young: Path) -> None:
    text = SEED.replace("decisions/*.md", "items/fact/*.md")
    (young / ".memory" / "config.yaml").write_text(f"format: 1\n{text}", encoding="utf-8")

    assert "no layer" not in vfcc(young, *FACT).err
    assert 'add "decisions/*.md"' in vfcc(young, "memory", "add", "decision", "Blue.").err
