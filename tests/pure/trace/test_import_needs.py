"""sphinx-needs' `needs.json`."""

import json

import pytest

from verifflowcc.base.errors import FormatError
from verifflowcc.items.rules.import_values import ForeignLink
from verifflowcc.trace.rules.import_needs import read_needs

pytestmark = pytest.mark.vfcc("REQ-TRACE-IMPORT")

NEEDS = {
    "R1": {
        "id": "R1",
        "type": "req",
        "title": "Open",
        "status": "open",
        "content": "The door shall open.",
        "links": [],
        "links_back": ["T1"],
        "tags": ["door"],
        "docname": "index",
        "asil": "B",
        "hide": False,
        "checks_back": ["T1"],
    },
    "T1": {
        "id": "T1",
        "type": "test",
        "title": "Try",
        "description": "Push.",
        "links": ["R1"],
        "checks": ["R1.part", "R1"],
        "owners": ["Ann"],
    },
}


def whole(needs: object = NEEDS, **more: object) -> str:
    return json.dumps(
        {"current_version": "2", "versions": {"1": {"needs": {}}, "2": {"needs": needs, **more}}}, indent=1
    )


def test_the_needs_of_the_current_version_are_read() -> None:
    first, second = read_needs("needs.json", whole()).items
    assert (first.id, first.kind, first.title, first.text) == ("R1", "req", "Open", "The door shall open.")
    assert (first.status, first.tags, first.attributes) == ("open", ("door",), {"asil": "B"})
    assert (second.text, second.attributes) == ("Push.", {"owners": "Ann"})


def test_every_kind_of_link_is_read_and_none_backwards() -> None:
    first, second = read_needs("needs.json", whole()).items
    assert first.links == ()
    assert set(second.links) == {ForeignLink("R1"), ForeignLink("R1", "checks")}


def test_the_schema_says_which_fields_are_links() -> None:
    schema = {"properties": {"owners": {"field_type": "links"}, "checks": {"field_type": "extra"}}}
    second = read_needs("needs.json", whole(needs_schema=schema)).items[1]
    assert set(second.links) == {ForeignLink("R1"), ForeignLink("Ann", "owners")}
    assert second.attributes == {"checks": "R1.part, R1"}


def test_a_need_knows_its_line() -> None:
    text = whole()
    number = next(number for number, line in enumerate(text.split("\n"), 1) if '"T1": {' in line)
    assert read_needs("needs.json", text).items[1].place == f"needs.json:{number}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{\n  nonsense", 2),
        ("[]", 1),
        ("{}", 1),
        ('{"versions": {"1": {}, "2": {}}, "current_version": "3"}', 1),
        ('{"versions": {"1": {"needs": [1]}}}', 1),
        ('{"versions": {"1": {"needs": {"A": 1}}}}', 1),
    ],
)
def test_what_is_no_needs_json_is_refused(text: str, line: int) -> None:
    with pytest.raises(FormatError, match=rf"^needs\.json:{line}: "):
        read_needs("needs.json", text)
