"""The short form of an artifact keeps what was written, and what matters most where room is short."""

from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.text.extract import points, short_form

DESIGN = """# Login
The form posts to one address. It has two fields.

Some reasoning that nobody needs twice.

## Sessions
A session is a row. We must not keep it in a cookie, since a cookie can be copied. It ends after an hour.

## Open points
- Who may delete a session?
- The name of the table

```python
raise SystemExit
```
"""


def test_headings_keep_their_first_sentence_and_open_points_are_whole() -> None:
    assert short_form(DESIGN, "markdown", lambda _: True).splitlines() == [
        "# Login",
        "The form posts to one address.",
        "## Sessions",
        "We must not keep it in a cookie, since a cookie can be copied.",
        "## Open points",
        "- Who may delete a session?",
        "- The name of the table",
    ]


def test_decisions_and_open_points_stay_longest() -> None:
    short = short_form(DESIGN, "markdown", lambda text: len(text) <= 118)

    assert short.splitlines() == [
        "We must not keep it in a cookie, since a cookie can be copied.",
        "- Who may delete a session?",
        "- The name of the table",
    ]


def test_a_plan_of_list_items_keeps_each_item() -> None:
    plan = "# Plan\n\n1. A form. It is small.\n2. A session\n"

    assert short_form(plan, "markdown", lambda _: True).splitlines() == ["# Plan", "1. A form.", "2. A session"]


def test_a_json_file_shows_its_keys_with_short_values() -> None:
    text = '{"verdict": "passed", "cases": [1, 2], "log": {"a": 1}, "n": 3, "long": [LONG]}'.replace(
        "LONG", ", ".join(["100"] * 40)
    )

    assert [point.line for point in points(text, "json")] == [
        "verdict: passed",
        "cases: [1, 2]",
        "log: 1 key",
        "n: 3",
        "long: 40 items",
    ]


@given(st.text(alphabet="ab .?!#-*`\n:1", max_size=300), st.integers(min_value=0, max_value=200))
def test_the_short_form_holds_only_pieces_of_the_text_and_obeys_the_limit(text: str, limit: int) -> None:
    short = short_form(text, "markdown", lambda form: len(form) <= limit)

    assert len(short) <= limit
    flat = "".join(text.split())
    for line in short.splitlines():
        assert "".join(line.split()).rstrip("…").lstrip("#") in flat


@given(st.text(max_size=200))
def test_any_text_has_points_and_none_is_longer_than_its_limit(text: str) -> None:
    for kind in ("markdown", "json", "text"):
        assert all(len(point.line) <= 250 for point in points(text, kind))
