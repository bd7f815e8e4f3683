"""Documents for programs: rules that name what there is, lean forms that are parts of full ones, and envelopes."""

import importlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.errors import ConfigError, GateClosed, UsageError
from verifflowcc.base.model.gate_values import Assessment, Criterion, CriterionKind, Gate, Mode, Side, Verdict
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.sprint_state import StageStatus
from verifflowcc.base.records import field_names
from verifflowcc.base.use.document_form import (
    ADDED,
    KEYS,
    LEAN,
    NOTHING,
    UNITS,
    document,
    document_text,
    form,
    key_sources,
    problem_of,
    problem_with,
    selection,
)
from verifflowcc.code.rules.graph import BindingCandidate
from verifflowcc.gates.use.owed import UnmetCriterion
from verifflowcc.sprint.rules.stage_numbers import StageMetrics

pytestmark = pytest.mark.vfcc("REQ-JSON")

TEXT = st.text(max_size=4)
CRITERIA = st.builds(
    Criterion,
    TEXT,
    st.sampled_from(CriterionKind),
    TEXT,
    st.sampled_from(Mode),
    files=st.tuples(TEXT),
    at_least=st.dictionaries(TEXT, st.integers(0, 10**9), max_size=2),
)
ASSESSMENTS = st.builds(Assessment, CRITERIA, st.sampled_from(Verdict), TEXT, TEXT, notes=st.tuples(TEXT))
GATES = st.builds(Gate, TEXT, TEXT, st.sampled_from(Side), st.lists(ASSESSMENTS, max_size=3).map(tuple))


@given(GATES)
def test_a_lean_form_is_a_part_of_the_full_one(gate: Gate) -> None:
    lean, full = form(gate, full=False), form(gate, full=True)

    assert _is_part(lean, full)
    assert set(full) == {*field_names(gate), "open"}  # type: ignore[arg-type]


def _is_part(lean: Any, full: Any) -> bool:
    if isinstance(lean, dict):
        return all(key in full and _is_part(each, full[key]) for key, each in lean.items())
    if isinstance(lean, list):
        return len(lean) == len(full) and all(map(_is_part, lean, full))
    return bool(lean == full)


def test_a_lean_form_leaves_out_what_is_empty_but_for_lists_right_in_the_data() -> None:
    gate = Gate("s", "coding", Side.EXIT, (Assessment(Criterion("a", CriterionKind.JUNIT, ""), Verdict.PASS, "fine"),))

    assert form(gate, full=False) == {
        "stage": "coding",
        "side": "exit",
        "open": True,
        "assessments": [{"criterion": {"id": "a", "mode": "hard"}, "verdict": "pass", "reason": "fine"}],
        "notes": [],
    }


def test_numbers_are_on_the_scale_of_the_command_line() -> None:
    item = Item("a", "fact", "A", "a.md", "project", importance=900, confidence=1000)
    shown: Any = form(item, full=True)

    assert (shown["importance"], shown["confidence"]) == (0.9, 1)
    limits: Any = form(Criterion("a", CriterionKind.COVERAGE, "", at_least={"line": 80_500_000}), full=True)
    assert limits["at_least"] == {"line": 80.5}
    assert form(BindingCandidate("a.py", 1, 70, "by import"), full=True)["confidence"] == 0.7  # type: ignore[index,call-overload]
    numbers: Any = form(StageMetrics("a", StageStatus.PASSED, {"coverage_line_bp": 8750, "tests": 5}), full=True)
    assert numbers["numbers"] == {"coverage_line": 0.875, "tests": 5}


@pytest.mark.parametrize("name", sorted({*KEYS, *UNITS, *ADDED, *LEAN}))
def test_rules_name_classes_and_fields_that_exist(name: str) -> None:
    module, _, own = name.rpartition(".")
    record = getattr(importlib.import_module(module), own)
    fields, keys = set(field_names(record)), key_sources(record)

    assert {*KEYS.get(name, {}), *UNITS.get(name, {})} <= fields
    assert all(isinstance(getattr(record, each), property) for each in ADDED.get(name, {}).values())
    assert set(selection(LEAN.get(name, ""))) <= set(keys)
    assert len(keys) == len(fields) + len(ADDED.get(name, {})), "two fields have one key"


def test_a_closed_gate_says_once_what_blocks_it() -> None:
    owed = UnmetCriterion(
        "tests", CriterionKind.JUNIT, Mode.HARD, "coding", False, "1 test failed", "vfcc evidence run tests"
    )
    error = GateClosed("s cannot leave coding\n- tests: 1 test failed", hint="vfcc next", blockers=(owed,))

    shown: Any = document(NOTHING, problem_of(error), full=False)

    assert shown["error"] == {"code": "gate_closed", "message": "s cannot leave coding", "hint": "vfcc next"}
    assert [each["criterion"] for each in shown["blockers"]] == ["tests"]
    assert (shown["ok"], set(shown)) == (False, {"ok", "error", "blockers"})


def test_findings_come_with_their_data() -> None:
    shown: Any = document({"findings": 2}, problem_with(1), full=False)

    assert (shown["ok"], shown["error"]["code"], shown["data"]) == (False, "findings", {"findings": 2})
    assert problem_of(ConfigError(("a", "b"))).message == "a\nb"
    assert problem_of(UsageError("a")).code == "usage"


def test_a_document_is_one_line_without_secrets() -> None:
    text = document_text(document({"a": "b\nc", "password": "Wq7-rT2" + "xK9pZ4"}, None, full=False))

    assert "\n" not in text
    assert "Wq7" not in text
    assert json.loads(text)["data"]["a"] == "b\nc"
