"""A page of HTML from a template: values are text, and what could deceive is written out."""

from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.formats.html import html_page


@settings(deadline=None, max_examples=50)
@given(st.text(st.sampled_from("<>&\"'{}% \n\u202e\x1babc`")))
def test_no_value_makes_markup_or_runs_as_a_template(value: str) -> None:
    page = html_page("<style>{{ css | safe }}</style><p>{{ value }}</p>", "p > a {}", {"value": value})

    text = page.removeprefix("<style>p > a {}</style><p>").removesuffix("</p>")
    assert not set(text) & set("<>\"'\u202e\x1b")
    assert text.count("{") == value.count("{")
    assert html_page("{{ style_digest }}", "", {}).startswith("sha256-")
