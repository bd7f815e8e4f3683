"""A file as a trace item: every field, its line, what is wrong with it, and the same from the cache."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.item_values import KNOWN_KEYS, Link, Ref, Stamp, Status, Trust
from verifflowcc.base.model.trace_values import Flaw, TraceItem, Verification
from verifflowcc.trace.rules.fingerprint import own_digest, stamp_of_item, stamp_of_link
from verifflowcc.trace.store.trace_cache import parse_trace_item, trace_item_from_text, trace_item_to_text

pytestmark = pytest.mark.vfcc("REQ-TRACE-ITEMS")

A, B = "0" * 20, "1" * 20
PATH = ".memory/project/items/requirement/REQ-a.md"
TEXT = "A session shall end after 15 minutes.\n"
EVERYTHING = f"""\
---
id: REQ-a
type: requirement
title: Login times out
status: pending
verification: Analysis
links:
- {{to: NEED-x, relation: refines, fingerprint: {stamp_of_link(A, B)}, by: human:You, on: 2026-11-21, reason: 'a, b'}}
- {{to: HAZ-y, relation: derives}}
- {{to: old, relation: supersedes}}
refs: [src/a.py, {{path: src/b.py, symbol: C.d, digest: sha256:ab}}]
tests: [tests/a.py, "tests/b.py::test_*"]
evidence: [system_test/load]
derived: true
rationale: nobody waits
planned: next sprint
integrity: B
reviewed: {{fingerprint: {stamp_of_item(A)}, by: human:Other, on: 2026-11-20}}
verified:
  method: analysis
  by: human:You
  on: 2026-11-21
  fingerprint: f
  content: c
  saw: s
source: {{kind: inferred, actor: agent:coder}}
tags: [login]
created: 2026-11-01
---

{TEXT}"""


def item(front: str = "", body: str = TEXT, path: str = PATH) -> TraceItem:
    found = parse_trace_item(path, f"---\ntype: requirement\n{front}---\n{body}".encode())
    assert found is not None
    return found


def told(found: TraceItem) -> list[tuple[str, int, str]]:
    return [(flaw.code, flaw.line, flaw.about) for flaw in found.flaws]


def test_every_field_is_read() -> None:
    found = parse_trace_item(PATH, EVERYTHING.encode())

    digest = own_digest("Login times out", TEXT, "analysis", "B", [("NEED-x", "refines"), ("HAZ-y", "derives")])
    assert found == TraceItem(
        id="REQ-a",
        type="requirement",
        title="Login times out",
        path=PATH,
        text=TEXT.strip(),
        digest=digest,
        status=Status.PENDING,
        verification="analysis",
        links=(
            Link("NEED-x", "refines", 8, Stamp(stamp_of_link(A, B), "human:You", "2026-11-21", "a, b")),
            Link("HAZ-y", "derives", 9),
        ),
        refs=(Ref("src/a.py"), Ref("src/b.py", "C.d", "sha256:ab")),
        tests=("tests/a.py", "tests/b.py::test_*"),
        evidence=("system_test/load",),
        derived=True,
        rationale="nobody waits",
        planned="next sprint",
        integrity="B",
        reviewed=Stamp(stamp_of_item(A), "human:Other", "2026-11-20"),
        verified=Verification("analysis", "human:You", "2026-11-21", "f", "c", "s"),
        author="agent:coder",
        trust=Trust.AGENT,
        reconstructed=True,
        tags=("login",),
        lines=found.lines if found else {},
    )


def test_keys_have_their_own_lines_in_block_and_flow_style() -> None:
    found = parse_trace_item(PATH, EVERYTHING.encode())

    assert found is not None
    lines = EVERYTHING.split("\n")
    keys = [line.partition(":")[0] for line in lines[1 : lines.index("---", 1)] if line[:1].isalpha()]
    assert found.lines == {key: lines.index(next(x for x in lines if x.startswith(f"{key}:"))) + 1 for key in keys}
    assert found.line("nothing") == 1


def test_links_in_block_style_have_their_lines() -> None:
    found = item("links:\n  # above\n  - to: NEED-a\n    relation: refines\n\n  - relation: refines\n    to: NEED-b\n")

    assert [(link.to, link.line) for link in found.links] == [("NEED-a", 5), ("NEED-b", 8)]
    assert found.lines["links"] == 3


def test_a_file_that_says_little_has_its_folder_and_its_name() -> None:
    found = parse_trace_item(".memory/project/items/need/NEED-a.md", b"# Log in\n\nPeople log in.\n")

    assert found is not None
    assert (found.id, found.type, found.title, found.status) == ("NEED-a", "need", "Log in", Status.ACTIVE)
    assert (found.author, found.lines, found.flaws) == (None, {}, ())


def test_crlf_and_a_byte_order_mark_make_no_difference() -> None:
    found = parse_trace_item(PATH, EVERYTHING.encode())

    assert parse_trace_item(PATH, EVERYTHING.replace("\n", "\r\n").encode()) == found
    assert parse_trace_item(PATH, ("\ufeff" + EVERYTHING).encode()) == found


@pytest.mark.parametrize(
    ("front", "wrong"),
    [
        ("status: activ\n", ("bad-field", 3, "status")),
        ("status: draft\n", ("bad-field", 3, "status")),
        ("verification: tests\n", ("bad-field", 3, "verification")),
        ("derived: perhaps\n", ("bad-field", 3, "derived")),
        ("created: soon\n", ("bad-field", 3, "created")),
        ("title: a\nlinks: NEED-a\n", ("bad-field", 4, "links")),
        ("links: [NEED-a]\n", ("bad-field", 3, "links")),
        ("links: [{to: NEED-a}]\n", ("bad-field", 3, "links")),
        ("links:\n- {to: a, relation: refines}\n- {relation: refines}\n", ("bad-field", 5, "links")),
        ("links: [{to: a, relation: refines, because: x}]\n", ("bad-field", 3, "links")),
        ("links: [{to: a, relation: refines, by: human:You}]\n", ("bad-field", 3, "links")),
        ("links: [{to: a, relation: refines, fingerprint: x}]\n", ("bad-field", 3, "links")),
        (f"links: [{{to: a, relation: b, fingerprint: {stamp_of_item(A)}}}]\n", ("bad-field", 3, "links")),
        (f"links: [{{to: a, relation: b, fingerprint: {stamp_of_link(A, B)}, on: x}}]\n", ("bad-field", 3, "links")),
        ("reviewed: true\n", ("bad-field", 3, "reviewed")),
        ("reviewed: {by: human:You}\n", ("bad-field", 3, "reviewed")),
        (f"reviewed: {{fingerprint: {stamp_of_link(A, B)}}}\n", ("bad-field", 3, "reviewed")),
        ("verified: {method: analysis, by: human:You}\n", ("bad-field", 3, "verified")),
        ("verified: yes\n", ("bad-field", 3, "verified")),
        ("refs: [{symbol: x}]\n", ("bad-field", 3, "refs")),
        ("tests: [{a: b}]\n", ("bad-field", 3, "tests")),
        ("tags: {a: b}\n", ("bad-field", 3, "tags")),
        ("source: {kind: heard}\n", ("bad-field", 3, "source")),
        ("trust: me\n", ("bad-field", 3, "trust")),
        ("title: a\ntitle: b\n", ("bad-field", 4, "title")),
        ("verifcation: test\n", ("unknown-field", 3, "verifcation")),
    ],
)
def test_a_wrong_field_is_told_once_with_its_line(front: str, wrong: tuple[str, int, str]) -> None:
    assert told(item(front)) == [wrong]


def test_an_unknown_field_is_told_with_the_nearest_name() -> None:
    assert item("verifcation: test\n").flaws[0].message == (
        "the field verifcation is not known; did you mean verification?"
    )
    assert item("status: retired\n").flaws[0].message.endswith("(did you mean archived?)")


@pytest.mark.parametrize("key", [*KNOWN_KEYS, "gaps"])
def test_no_known_field_is_told(key: str) -> None:
    assert not [flaw for flaw in item(f"{key}:\n").flaws if flaw.code == "unknown-field"]


def test_two_flaws_of_one_field_are_told_apart() -> None:
    assert [flaw.about for flaw in item("links: [a, b]\n").flaws] == ["links", "links 2"]


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"---\ntitle: x\nlinks: [\n---\nIt shall.\n", 4), (b"---\ntitle: x\n", 1), (b"---\n- a\n---\nIt shall.\n", 2)],
)
def test_front_matter_that_cannot_be_read_is_a_flaw_and_not_passed_over(data: bytes, line: int) -> None:
    found = parse_trace_item(PATH, data)

    assert found is not None
    assert told(found)[0] == ("bad-field", line, "")


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    with pytest.raises(FormatError, match=r"REQ-a\.md:2: not UTF-8"):
        parse_trace_item(PATH, b"a\n\xff")


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ("", ("empty-text", 1, "text")),
        ("# Login\n\n## Rationale\n\nNobody waits.\n", ("empty-text", 1, "text")),
        ("\nTODO\n", ("placeholder", 5, "text")),
        ("<the text>\n", ("placeholder", 4, "text")),
        ("It shall end\nwithin TBD seconds.\n", ("placeholder", 5, "TBD")),
        ("\n\nIt shall end fast.\n", ("weak-wording", 6, "fast")),
        ("## Notes\nx\n## Text\nIt shall end fast.\n", ("weak-wording", 7, "fast")),
        ("It shall end.\nIt shall begin.\nThe log shall be kept.\n", ("non-atomic", 6, "text")),
        ("It shall end and it shall begin.\n", ("non-atomic", 4, "text")),
    ],
)
def test_a_text_that_says_nothing_or_too_much_is_told_at_its_line(body: str, wrong: tuple[str, int, str]) -> None:
    assert told(item(body=body)) == [wrong]
    assert told(item("status: archived\n", body=body)) == []


def test_only_requirements_are_asked_for_their_wording() -> None:
    vague = "It shall be fast and it shall be user-friendly.\n"

    assert {flaw.code for flaw in item(body=vague).flaws} == {"weak-wording", "non-atomic"}
    need = parse_trace_item(".memory/project/items/need/NEED-a.md", vague.encode())
    assert need is not None
    assert need.flaws == ()


def test_a_title_that_holds_a_place_is_told() -> None:
    assert told(item("title: TBD\n")) == [("placeholder", 3, "title")]


@pytest.mark.parametrize(
    ("front", "path"),
    [
        ("type: fact\n", PATH),
        ("type: decision\nverification: test\n", PATH),
        ("title: x\n", ".memory/project/items/fact/x.md"),
        ("title: x\n", ".memory/project/items/recipe/x.md"),
        ("links: [{to: a, relation: supersedes}]\n", ".memory/project/items/recipe/x.md"),
    ],
)
def test_other_items_are_none_of_the_trace(front: str, path: str) -> None:
    assert parse_trace_item(path, f"---\n{front}---\n".encode()) is None


@pytest.mark.parametrize(
    ("front", "path"),
    [
        ("type: requirment\n", PATH),
        ("title: x\n", ".memory/project/items/requirments/x.md"),
        ("verification: test\n", ".memory/project/items/goal_of_system/x.md"),
        ("links: [{to: a, relation: refines}]\n", ".memory/project/items/recipe/x.md"),
    ],
)
def test_a_mistyped_type_is_looked_at_and_not_passed_over(front: str, path: str) -> None:
    assert parse_trace_item(path, f"---\n{front}---\n".encode()) is not None


def test_the_types_are_those_that_are_given() -> None:
    data = b"---\ntype: story\n---\nText.\n"

    assert parse_trace_item(PATH, data, {"story"}) is not None
    assert parse_trace_item(PATH, data) is None


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
SOME = st.none() | TEXTS
STAMPS = st.builds(Stamp, TEXTS, SOME, SOME, SOME)
ITEMS = st.builds(
    TraceItem,
    *[TEXTS] * 6,
    status=st.sampled_from(Status),
    verification=SOME,
    links=st.lists(st.builds(Link, TEXTS, TEXTS, st.integers(1, 99), st.none() | STAMPS), max_size=3).map(tuple),
    refs=st.lists(st.builds(Ref, TEXTS, SOME, SOME), max_size=2).map(tuple),
    tests=st.lists(TEXTS, max_size=2).map(tuple),
    evidence=st.lists(TEXTS, max_size=2).map(tuple),
    derived=st.booleans(),
    rationale=TEXTS,
    planned=SOME,
    integrity=SOME,
    reviewed=st.none() | STAMPS,
    verified=st.none() | st.builds(Verification, *[TEXTS] * 6),
    author=SOME,
    trust=st.sampled_from(Trust),
    reconstructed=st.booleans(),
    tags=st.lists(TEXTS, max_size=2).map(tuple),
    lines=st.dictionaries(TEXTS, st.integers(1, 99), max_size=3),
    flaws=st.lists(st.builds(Flaw, TEXTS, st.integers(1, 99), TEXTS, TEXTS), max_size=2).map(tuple),
)


@settings(deadline=None, max_examples=60)
@given(ITEMS)
def test_the_cache_loses_nothing(each: TraceItem) -> None:
    text = trace_item_to_text(each)

    assert "\n" not in text
    assert trace_item_from_text(text) == each


def test_what_a_file_says_survives_the_cache() -> None:
    found = parse_trace_item(PATH, EVERYTHING.encode())

    assert found is not None
    assert trace_item_from_text(trace_item_to_text(found)) == found
