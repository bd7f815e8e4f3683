"""StrictDoc documents, in the syntax of today and in the older one."""

import pytest

from verifflowcc.items.rules.import_values import ForeignLink
from verifflowcc.trace.rules.import_sdoc import read_sdoc

pytestmark = pytest.mark.vfcc("REQ-TRACE-IMPORT")

NEW = """\
[DOCUMENT]
TITLE: Door
OPTIONS:
  ENABLE_MID: True

[GRAMMAR]
ELEMENTS:
- TAG: REQUIREMENT
  FIELDS:
  - TITLE: UID
    TYPE: String

[TEXT]
STATEMENT: >>>
[REQUIREMENT]
UID: NOT-ONE
<<<

[[SECTION]]
TITLE: Opening

[REQUIREMENT]
MID: 1
UID: DOOR-1
STATUS: Draft
TAGS: a, b
VERIFICATION: Test
PRIORITY: high
TITLE: Open
STATEMENT: >>>
The door shall open.

[LINK: DOOR-2]
<<<
RATIONALE: People walk in.
COMMENT: First.
COMMENT: >>>
Second.
<<<
RELATIONS:
- TYPE: Parent
  VALUE: SYS-1
- TYPE: Parent
  VALUE: SYS-2
  ROLE: Refines
- TYPE: File
  PATH: src/door.c
- TYPE: Child
  VALUE: DOOR-2
  ROLE: Verifies

[[/SECTION]]

[DESIGN]
UID: DOOR-2
STATEMENT: A hinge.
"""
OLD = """\
[DOCUMENT]
TITLE: Door

[SECTION]
TITLE: Opening

[FREETEXT]
[REQUIREMENT] in prose
[/FREETEXT]

[COMPOSITE_REQUIREMENT]
UID: DOOR-1
REFS:
- TYPE: Parent
  VALUE: SYS-1
- TYPE: File
  VALUE: src/door.c
TITLE: Open
STATEMENT: The door shall open.

[REQUIREMENT]
TITLE: Nameless
STATEMENT: No UID.

[/COMPOSITE_REQUIREMENT]

[/SECTION]
"""


def line_of(text: str, line: str) -> int:
    return text.split("\n").index(line) + 1


def test_the_syntax_of_today_is_read() -> None:
    tree = read_sdoc([("a.sdoc", NEW)])
    first, second = tree.items
    assert (first.id, first.kind, first.place, first.title) == ("DOOR-1", "REQUIREMENT", "a.sdoc:22", "Open")
    assert first.text == "The door shall open.\n\n[LINK: DOOR-2]"
    assert (first.rationale, first.comments) == ("People walk in.", ("First.", "Second."))
    assert (first.status, first.tags, first.verification) == ("Draft", ("a", "b"), "Test")
    assert (first.files, first.attributes) == (("src/door.c",), {"PRIORITY": "high"})
    assert first.links == (ForeignLink("SYS-1"), ForeignLink("SYS-2", "Refines"))
    assert (second.kind, second.text) == ("DESIGN", "A hinge.")


def test_a_relation_to_a_child_becomes_the_childs_link() -> None:
    assert read_sdoc([("a.sdoc", NEW)]).items[1].links == (ForeignLink("DOOR-1", "Verifies"),)


def test_a_child_that_is_nowhere_is_told() -> None:
    tree = read_sdoc([("a.sdoc", NEW.replace("UID: DOOR-2\n", "UID: DOOR-3\n"))])
    assert [line for line in tree.left if "Child" in line] == [
        f"a.sdoc:{line_of(NEW, '- TYPE: Child')}: a Child relation names DOOR-2, which is in none of the files"
    ]


def test_texts_and_sections_are_told_with_their_places() -> None:
    left = read_sdoc([("a.sdoc", NEW)]).left
    assert "a.sdoc:13: a TEXT is prose, not an item" in left
    assert "a.sdoc:19: a SECTION is prose, not an item" in left


def test_the_older_syntax_is_read() -> None:
    tree = read_sdoc([("a.sdoc", OLD)])
    (item,) = tree.items
    assert (item.id, item.kind, item.text) == ("DOOR-1", "COMPOSITE_REQUIREMENT", "The door shall open.")
    assert (item.links, item.files) == ((ForeignLink("SYS-1"),), ("src/door.c",))
    assert f"a.sdoc:{line_of(OLD, 'TITLE: Nameless') - 1}: a REQUIREMENT has no UID" in tree.left


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("[REQUIREMENT]\nUID: A\n", 1),
        ("[DOCUMENT]\nTITLE: A\n\n[REQUIREMENT]\nUID: A\nnonsense\n", 6),
        ("[DOCUMENT]\nTITLE: A\n\n[REQUIREMENT]\nSTATEMENT: >>>\nnever closed\n", 5),
        ("[DOCUMENT]\nTITLE: A\n\n[[SECTION]]\nTITLE: B\n", 4),
        ("[DOCUMENT]\nTITLE: A\n\n[[/SECTION]]\n", 4),
        ("[DOCUMENT]\nTITLE: A\n\n[REQUIREMENT]\nUID: A\nRELATIONS:\n- TYPE: Parent\n", 7),
    ],
)
def test_what_is_no_sdoc_is_skipped_with_its_line(text: str, line: int) -> None:
    tree = read_sdoc([("a.sdoc", text), ("b.sdoc", NEW)])
    assert {name: why.startswith(f"a.sdoc:{line}: ") for name, why in tree.skipped.items()} == {"a.sdoc": True}
    assert tree.items == read_sdoc([("b.sdoc", NEW)]).items
