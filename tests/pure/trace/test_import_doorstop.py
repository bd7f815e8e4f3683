"""Doorstop's items: read as doorstop reads them, and its stamps computed as doorstop computes them.

The stamps below are of items of our own; `benchmarks/doorstop_compare.py` holds the same code against doorstop itself.
"""

import pytest

from verifflowcc.base.errors import FormatError
from verifflowcc.items.rules.import_values import ForeignItem
from verifflowcc.trace.rules.import_doorstop import (
    DoorstopDocument,
    DoorstopFile,
    markdown_values,
    read_document,
    read_doorstop,
    stamp,
    text_of,
    uid_of,
)

pytestmark = pytest.mark.vfcc("REQ-TRACE-IMPORT")

REQ = DoorstopDocument("REQ", "", "reqs/.doorstop.yml")
TST = DoorstopDocument("TST", "REQ", "reqs/tst/.doorstop.yml", ("method",))


def file(name: str, document: DoorstopDocument = REQ, **values: object) -> DoorstopFile:
    return DoorstopFile(name, f"reqs/{name}.yml", document, values)


def items(*files: DoorstopFile) -> dict[str, ForeignItem]:
    return {item.id: item for item in read_doorstop((REQ, TST), files).items}


def test_a_stamp_is_that_of_doorstop_3_2() -> None:
    plain = {"text": "\nIt shall open.  \n\n", "ref": ""}
    assert stamp("REQ001", plain, ()) == "ePhYlsQWX6Z56RszHwSM-9vkNAHGZVSihF_Knwvnqns="
    assert stamp("REQ001", plain, (), ["SYS001"]) == "ECTLWcwBOI5gb-TOPRpV668utb1Vgw6H8JzDdZGLrNk="


def test_a_link_holds_while_the_stamp_is_that_of_its_target() -> None:
    target = file("REQ001", text="It shall open.\n")
    good = stamp("REQ001", target.values, ())
    found = items(
        target,
        file("TST001", TST, links=[{"REQ001": good}]),
        file("TST002", TST, links=[{"REQ001": "c3Rhc"}]),
        file("TST003", TST, links=["REQ001"]),
        file("TST004", TST, links=[{"REQ001": True}]),
        file("TST005", TST, links=[{"REQ009": good}]),
    )
    links = {name: found[name].links[0] for name in found if found[name].links}
    assert {name: (link.holds, link.stamp) for name, link in links.items()} == {
        "TST001": (True, good),
        "TST002": (False, "c3Rhc"),
        "TST003": (None, None),
        "TST004": (True, good),
        "TST005": (False, good),
    }


def test_a_review_covers_links_and_the_attributes_of_its_document() -> None:
    values = {"text": "Try it.", "links": [{"REQ001": None}], "method": "hand"}
    now = stamp("TST001", values, ("method",), ["REQ001"])
    found = items(
        file("REQ001", text="x"),
        file("TST001", TST, **values, reviewed=now),
        file("TST002", TST, **values, reviewed=now),
        file("TST003", TST, **values),
        file("TST004", TST, **values, reviewed=True),
    )
    assert [found[f"TST00{number}"].review_holds for number in (1, 2, 3, 4)] == [True, False, None, True]
    other = {**values, "method": "eye"}
    assert stamp("TST001", other, ("method",), ["REQ001"]) != now


def test_names_are_one_whatever_case_and_zeros() -> None:
    assert uid_of("REQ003") == uid_of("req3") != uid_of("REQ-A")
    assert items(file("REQ003", text="x"), file("TST001", TST, links=["req3"]))["TST001"].links[0].to == "REQ003"


def test_links_stand_in_doorstops_order_and_once() -> None:
    found = items(file("TST001", TST, links=["REQ010", {"REQ2": None}, "REQ002", "REQ1"]))
    assert [link.to for link in found["TST001"].links] == ["REQ1", "REQ2", "REQ010"]


def test_what_an_item_says_is_read() -> None:
    found = items(
        file("REQ001", header=" Opening\n", text="A\n", active=False, derived=True, normative="false", hint="old")
    )["REQ001"]
    assert (found.title, found.active, found.derived, found.normative) == ("Opening", False, True, False)
    assert (found.kind, found.place, found.attributes) == ("REQ", "reqs/REQ001.yml:1", {"hint": "old"})


def test_references_are_files_and_a_ref_is_told() -> None:
    tree = read_doorstop((REQ,), (file("REQ001", references=[{"type": "file", "path": " src/a.py "}], ref="KEY"),))
    assert tree.items[0].files == ("src/a.py",)
    assert tree.left == ("reqs/REQ001.yml:1: `ref` names a keyword in files, not a file; refs are files here",)


def test_documents_without_a_parent_here_are_at_the_top() -> None:
    alone = DoorstopDocument("EXT", "GONE", "ext/.doorstop.yml")
    assert read_doorstop((REQ, TST, alone), ()).tops == frozenset({"REQ", "EXT"})


def test_a_file_of_another_name_and_a_second_one_are_told() -> None:
    tree = read_doorstop((REQ,), (file("REQ001"), file("readme"), file("REQ1")))
    assert [item.id for item in tree.items] == ["REQ001"]
    assert [line.partition(":")[0] for line in tree.left] == ["reqs/REQ1.yml", "reqs/readme.yml"]


@pytest.mark.parametrize(
    "values",
    [
        {"text": 3},
        {"links": "REQ001"},
        {"references": ["a"]},
        {"references": "a"},
        {"references": [{"type": "file", "path": True}]},
        {"header": ["x"]},
    ],
    ids=lambda values: next(iter(values)),
)
def test_a_value_that_no_item_can_have_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(FormatError, match=r"reqs/REQ001\.yml:1: "):
        read_doorstop((REQ,), (DoorstopFile("REQ001", "reqs/REQ001.yml", REQ, values),))


def test_a_document_is_read_and_a_wrong_one_refused() -> None:
    values = {"settings": {"prefix": "SYS", "parent": "REQ"}, "attributes": {"reviewed": ["b", "a"]}}
    assert read_document("x", values) == DoorstopDocument("SYS", "REQ", "x", ("a", "b"))
    for wrong in ({"settings": "a"}, {"attributes": {"reviewed": "a"}}):
        with pytest.raises(FormatError, match=r"x:1: "):
            read_document("x", wrong)


def test_an_item_in_markdown_has_its_first_heading_as_header() -> None:
    assert markdown_values("\n# Opening\n\nIt shall.\n") == {"header": "Opening", "text": "\nIt shall.\n"}
    assert markdown_values("It shall.\n# Later\n") == {"text": "It shall.\n# Later\n"}


def test_a_text_is_kept_as_doorstop_keeps_it() -> None:
    assert text_of("\n\n a \n b\t\n\n") == " a\n b"
    assert text_of(None) == ""
