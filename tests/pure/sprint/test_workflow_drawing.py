"""The V in a terminal: every stage where its leg and its pair put it, within the width."""

from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.sprint_state import Leg, Stage, Workflow
from verifflowcc.sprint.rules.workflow_drawing import WIDEST, draw_v
from verifflowcc.sprint.store.workflow_load import load_shipped, parse_workflow, shipped_names


def drawn(workflow: Workflow, width: int, marks: dict[str, str] | None = None, *, ascii_only: bool = False) -> str:
    text = draw_v(workflow, width, marks or {}, ascii_only=ascii_only)
    assert text is not None
    return text


def test_light_is_a_v() -> None:
    assert drawn(load_shipped("light"), 50).splitlines() == [
        "planning ────────────────────────────── validation",
        "   ╲                                          ╱",
        "    design ─────────────────────────── testing",
        "       ╲                                  ╱",
        "        ───────────── coding ─────────────",
    ]


def test_a_right_stage_without_a_pair_has_a_level_of_its_own() -> None:
    lines = drawn(load_shipped("agile"), 50).splitlines()

    assert [line.split() for line in lines[::2]] == [
        ["requirements", "─" * 26, "validation"],
        ["╲", "integration"],
        ["design", "─" * 19, "testing"],
        ["─" * 9, "coding", "─" * 9],
    ]


def test_marks_stand_before_names_and_ascii_is_ascii() -> None:
    text = drawn(load_shipped("light"), 50, {"planning": "+", "design": ">"}, ascii_only=True)

    assert text.isascii()
    assert text.splitlines()[0] == f"+ planning {'-' * 28} validation"
    assert text.splitlines()[2].strip().startswith("> design")


def test_there_is_no_v_where_it_has_no_room() -> None:
    assert draw_v(load_shipped("standard"), 40, {}) is None
    assert draw_v(load_shipped("light"), 20, {}) is None


def test_a_wide_terminal_does_not_tear_the_legs_apart() -> None:
    assert drawn(load_shipped("standard"), 1000) == drawn(load_shipped("standard"), WIDEST)


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    depth = draw(st.integers(0, 8))
    name = st.text("abcdefghijklmnop_", min_size=1, max_size=14)
    names = draw(st.lists(name, min_size=2 * depth + 1, max_size=2 * depth + 4, unique=True))
    left, apex, rest = names[:depth], names[depth], names[depth + 1 :]
    answered = sorted(draw(st.permutations(range(len(rest))))[:depth], reverse=True)
    pairs = {rest[place]: one for place, one in zip(answered, left, strict=True)}
    answers = {one: right for right, one in pairs.items()}
    stages = [Stage(one, one, Leg.LEFT, answers[one], "coder", ()) for one in left]
    stages += [Stage(apex, apex, Leg.APEX, None, "coder", ())]
    stages += [Stage(one, one, Leg.RIGHT, pairs.get(one), "coder", ()) for one in rest]
    return Workflow("w", "w", tuple(stages), "")


@settings(deadline=None, max_examples=150)
@given(workflows(), st.integers(10, 140))
def test_every_stage_is_drawn_once_in_order_and_within_the_width(workflow: Workflow, width: int) -> None:
    text = draw_v(workflow, width, {})
    if text is None:
        return
    lines = text.splitlines()
    at = {
        stage.id: (row, line.split().index(stage.id)) for stage in workflow.stages for row, line in _with(lines, stage)
    }

    assert max(map(len, lines)) <= width
    assert len(at) == len(workflow.stages)
    left = [at[stage.id][0] for stage in workflow.stages if stage.leg is Leg.LEFT]
    right = [at[stage.id][0] for stage in workflow.stages if stage.leg is Leg.RIGHT]
    assert left == sorted(left)
    assert right == sorted(right, reverse=True)
    for stage in workflow.stages:
        assert stage.pair is None or at[stage.id][0] == at[stage.pair][0]
        joined = "─" in lines[at[stage.id][0]]
        assert joined == (stage.pair is not None or stage.leg is Leg.APEX)


def _with(lines: list[str], stage: Stage) -> list[tuple[int, str]]:
    found = [(row, line) for row, line in enumerate(lines) if stage.id in line.split()]
    assert len(found) == 1, (stage.id, lines)
    return found


def test_every_shipped_workflow_fits_eighty_columns() -> None:
    for name in shipped_names():
        workflow = load_shipped(name)
        marks = {stage.id: "✓" for stage in workflow.stages}
        assert max(map(len, drawn(workflow, 80, marks).splitlines())) <= 80


def test_a_workflow_read_from_a_file_is_drawn_as_well() -> None:
    only = b"name: a\ntitle: A\nstages:\n  - {id: code, title: Code, leg: apex, role: coder}\n"

    assert drawn(parse_workflow(only, "workflow.yaml"), 30).strip("─") == " code "
