"""One key at the top of a YAML text is changed, and no other byte."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.items.rules.front_matter_list import with_top_value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("workflow: light\n", "workflow: agile\n"),
        ("workflow: light", "workflow: agile"),
        ("workflow:\tlight   # why\n", "workflow:\tagile   # why\n"),
        ('workflow : "light"\r\n', "workflow : agile\r\n"),
        ("a:\n  workflow: light\nworkflow: x\n", "a:\n  workflow: light\nworkflow: agile\n"),
        ("# workflow: light\nformat: 1  # one\nb: 2\n", "# workflow: light\nformat: 1  # one\nworkflow: agile\nb: 2\n"),
        ("", "workflow: agile\n"),
        ("b: 2", "b: 2\nworkflow: agile\n"),
        ("format: 1\r\nb: 2\r\n", "format: 1\r\nworkflow: agile\r\nb: 2\r\n"),
    ],
)
def test_only_its_value_changes(before: str, after: str) -> None:
    assert with_top_value(before, "workflow", "agile") == after


@pytest.mark.parametrize(
    "text",
    [
        "workflow:\n  light\n",
        "workflow: |\n  light\n",
        "workflow: light and more\n",
        "workflow: &a light\n",
        "workflow: [light]\n",
        "workflow:\n",
        "'workflow': light\n",
    ],
)
def test_what_takes_more_than_a_line_is_left_to_a_person(text: str) -> None:
    assert with_top_value(text, "workflow", "agile") is None


LINES = st.lists(
    st.sampled_from(["format: 1", "# c", "", "git: {commit: never}", "tokens:", "  model: x", "x: 'workflow: y'"]),
    max_size=8,
)


@settings(deadline=None)
@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_every_other_line_stays(above: list[str], below: list[str], newline: str) -> None:
    text = newline.join([*above, "workflow: light  # c", *below, ""])

    changed = with_top_value(text, "workflow", "agile")

    assert changed == newline.join([*above, "workflow: agile  # c", *below, ""])
