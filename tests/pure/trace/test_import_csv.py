"""Tables of items."""

import pytest

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.item_values import Link
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.items.rules.import_values import ForeignLink
from verifflowcc.trace.rules.import_needs import read_csv
from verifflowcc.trace.rules.trace_table import trace_csv

pytestmark = pytest.mark.vfcc("REQ-TRACE-IMPORT")

TABLE = '''\
ID,Type,Summary,Requirement Text,Parents,Verification Method,Owner
R-1,req,Open,"The door
shall open","N-1, verifies:N-2",Test,Ann
,,,,,,

R-2,req,Close,"It shall ""close""",,,
,req,Nameless,x,,,
'''


def test_columns_are_found_by_their_headings() -> None:
    first, second = read_csv("a.csv", TABLE).items
    assert (first.id, first.kind, first.title, first.text) == ("R-1", "req", "Open", "The door\nshall open")
    assert first.links == (ForeignLink("N-1"), ForeignLink("N-2", "verifies"))
    assert (first.verification, first.attributes) == ("Test", {"Owner": "Ann"})
    assert (second.place, second.text) == ("a.csv:6", 'It shall "close"')


def test_a_row_without_an_id_is_told_and_an_empty_one_is_not() -> None:
    assert read_csv("a.csv", TABLE).left == ("a.csv:7: a row has no id",)


def test_a_mapping_goes_before_what_a_heading_suggests() -> None:
    (item,) = read_csv("a.csv", "Number;Key;Was\n1;R-1;text\n", {"Key": "id", "Was": "text"}).items
    assert (item.id, item.text, item.attributes) == ("R-1", "text", {"Number": "1"})


@pytest.mark.parametrize(
    ("text", "columns", "line"),
    [
        ("", {}, 1),
        ("Name,Text\na,b\n", {}, 1),
        ("id,text\nA,b,c\n", {}, 2),
        ('id,text\nA,"b\n', {}, 2),
        ("id,text\nA,b\n", {"Nothing": "title"}, 1),
        ("id,text\nA,b\n", {"text": "nothing"}, 1),
    ],
)
def test_what_is_no_table_is_refused(text: str, columns: dict[str, str], line: int) -> None:
    with pytest.raises(FormatError, match=rf"^a\.csv:{line}: "):
        read_csv("a.csv", text, columns)


@pytest.mark.vfcc("REQ-TRACE-EXPORT")
def test_what_was_exported_is_read_again() -> None:
    item = TraceItem("R-1", "requirement", 'A "title", so', "p.md", "One\ntwo", "0" * 20, verification="test")
    linked = TraceItem("R-2", "unit", "B", "q.md", "x", "0" * 20, links=(Link("R-1", "implements", 1),))
    first, second = read_csv("a.csv", trace_csv([item, linked])).items
    assert (first.id, first.kind, first.title, first.text) == ("R-1", "requirement", 'A "title", so', "One\ntwo")
    assert (first.verification, second.links) == ("test", (ForeignLink("R-1", "implements"),))
