"""From front matter, folder, text and name to an item: defaults, notices, and one file seen as memory and as trace."""

import pytest

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import FieldScalar, FieldTable, member, texts_of
from verifflowcc.base.model.item_values import (
    MEMORY_RELATIONS,
    TRACE_RELATIONS,
    TYPES,
    DecisionStatus,
    Link,
    Recency,
    Ref,
    Relation,
    Source,
    SourceKind,
    Stamp,
    Status,
    Trust,
    is_trace_type,
    item_type,
    least_trust,
    scope_of,
)
from verifflowcc.items.store.item_edits import ParsedItem, edit_item, parse_item, read_body
from verifflowcc.trace.store.trace_cache import parse_trace_item

DECISION = """\
---
id: index-with-fts5-k3f9
type: decision              # table of types
title: Index with FTS5
key: search-index           # upsert key within scope and type
importance: 0.95
confidence: 0.7
status: active              # active | pending | archived
links: [{to: drop-grep-7q2m, relation: supersedes}]
source: {kind: imported, actor: agent:coder, project: vfcc, session: null}
trust: agent
refs: [{path: src/search.py, symbol: Index.query, digest: sha256:ab}, docs/search.md]
uses: {count: 12, last: 2026-11-20}
created: 2026-11-21
expires: null
tags: [search, 'two words']
mood: {sunny: yes}
---
# Something else

Text.
"""


def parsed(front: str, path: str = "project/items/fact/x.md", body: str = "") -> ParsedItem:
    return parse_item(path, f"---\n{front}\n---\n{body}".encode())


def test_every_field_of_the_design_is_read() -> None:
    found = parse_item("project/decisions/x.md", DECISION.encode())
    item = found.item

    assert (item.id, item.type, item.title, item.key) == (
        "index-with-fts5-k3f9",
        "decision",
        "Index with FTS5",
        "search-index",
    )
    assert (item.importance, item.confidence, item.status, item.trust) == (950, 700, Status.ACTIVE, Trust.AGENT)
    assert item.links == (Link("drop-grep-7q2m", Relation.SUPERSEDES),)
    assert item.source == Source(SourceKind.IMPORTED, "agent:coder", "vfcc", None)
    assert item.refs == (Ref("src/search.py", "Index.query", "sha256:ab"), Ref("docs/search.md"))
    assert (item.created, item.expires, item.tags) == ("2026-11-21", None, ("search", "two words"))
    assert item.recency == Recency("date", "2026-11-21")
    assert found.notices == ()
    assert [key for key, _ in found.unknown] == ["mood"]
    assert found.body == "# Something else\n\nText.\n"


@pytest.mark.vfcc("REQ-DEADLINE")
@pytest.mark.parametrize("moment", ["2026-12-31", "2026-12-31T18:00:00Z"])
def test_a_deadline_and_an_end_are_days_or_moments(moment: str) -> None:
    found = parsed(f"deadline: {moment}\nexpires: {moment}")

    assert (found.item.deadline, found.item.expires, found.notices) == (moment, moment, ())


@pytest.mark.vfcc("REQ-DEADLINE")
@pytest.mark.parametrize("name", ["deadline", "expires"])
def test_a_deadline_that_is_no_day_is_told(name: str) -> None:
    found = parsed(f"{name}: soon")

    assert getattr(found.item, name) is None
    assert [name in notice for notice in found.notices] == [True]


@pytest.mark.vfcc("REQ-ITEM-DEFAULTS", "REQ-ITEM-STATUS")
def test_a_file_with_nothing_but_prose_has_every_default() -> None:
    found = parse_item(".memory/project/conventions/python.md", b"# How we write Python\n\nPlainly.\n")

    assert found.item.id == ".memory/project/conventions/python"
    assert (found.item.type, found.item.title) == ("convention", "How we write Python")
    assert (found.item.importance, found.item.confidence) == (800, 800)
    assert (found.item.trust, found.item.status, found.item.recency) == (Trust.HUMAN, Status.ACTIVE, Recency())
    assert found.notices == ()


@pytest.mark.vfcc("REQ-PROJECT-FILES")
@pytest.mark.parametrize(
    ("path", "type_name"),
    [
        (".memory/project/decisions/0001-x.md", "decision"),
        (".memory/project/decisions/2019/0001-x.md", "decision"),
        (".memory/project/decisions/README.md", "note"),
        (".memory/project/decisions/index.md", "note"),
        (".memory/project/decisions/template.md", "note"),
        (".memory/project/items/requirement/login.md", "requirement"),
        (".memory/sprint/login/items/failure/x.md", "failure"),
        (".memory/sprint/login/goals.md", "note"),
        (".memory/stage/login/coding/summary.md", "note"),
        ("CLAUDE.md", "note"),
    ],
)
def test_a_folder_gives_the_type_that_the_front_matter_does_not(path: str, type_name: str) -> None:
    assert parse_item(path, b"text\n").item.type == type_name


def test_the_front_matter_goes_before_the_folder() -> None:
    assert parsed("type: fix", "project/decisions/x.md").item.type == "fix"


@pytest.mark.parametrize("title", ["no", "010", "2026-11-21", "1e3", "yes: 'x'", "~x", "0x1F", "null and void"])
def test_a_title_that_yaml_would_read_as_something_else_stays_text(title: str) -> None:
    escaped = title.replace("'", "''")
    assert parsed(f"title: '{escaped}'").item.title == title
    if ":" not in title:
        assert parsed(f"title: {title}").item.title == title
        assert parsed(f"title: {title}\nx: |\n  more of YAML").item.title == title


@pytest.mark.parametrize(
    ("front", "notice"),
    [
        ("a: 1\nimportance: high", 'x.md:3: importance "high" is not a number from 0 to 1; 0.5 is used'),
        ("importance: 1.5", "is not a number from 0 to 1"),
        ("importance: -1", "is not a number from 0 to 1"),
        ("importance: 9e-1", "is not a number from 0 to 1"),
        ("importance: [1]", "importance is a list, not a text; it is ignored"),
        ("status: activ", "is not one of active, pending, archived (did you mean active?); active is used"),
        ("trust: me", "is not one of human, tool, agent, external; human is used"),
        ("type: decison", 'x.md:2: type "decison" is not in the table of types (did you mean decision?)'),
        ("created: soon", 'created "soon" is not a date; it is ignored'),
        ("links: x", "links is a text, not a list"),
        ("links: [x]", "a link needs `to` and `relation`"),
        ("links: [{to: x, relation: likes}]", 'relation "likes" is not one of '),
        ("refs: [{symbol: x}]", "a ref needs `path`"),
        ("source: {kind: heard}", 'source "heard" is not one of explicit'),
        ("tags: [{a: b}]", "tags holds what is no text"),
        ("title: a\ntitle: b", "x.md:3: title appears twice in the front matter; the last one is used"),
        ("title: [", "front matter cannot be read, its defaults are used"),
        ("- a", "x.md:2: front matter cannot be read, its defaults are used: it is no mapping of keys"),
    ],
)
def test_a_wrong_value_is_a_notice_and_never_silent(front: str, notice: str) -> None:
    found = parsed(front)

    assert len(found.notices) == 1
    assert notice in found.notices[0]
    assert found.notices[0].startswith("project/items/fact/x.md:")


@pytest.mark.vfcc("REQ-ITEM-LINKS")
def test_a_wrong_value_leaves_the_others_as_they_are() -> None:
    found = parsed("title: T\nimportance: high\nlinks: [{to: a, relation: likes}, {to: b, relation: refines}]")

    assert (found.item.title, found.item.importance) == ("T", 500)
    assert found.item.links == (Link("b", Relation.REFINES),)


@pytest.mark.parametrize(
    ("front", "path", "recency"),
    [
        ("updated: 2026-02-01\ncreated: 2026-01-01", "a/2020-01-01-x.md", Recency("date", "2026-02-01")),
        ("created: 2026-01-01T10:00:00Z", "a/x.md", Recency("date", "2026-01-01")),
        ("date: 01/02/2026", "a/x.md", Recency("date", "2026-02-01")),
        ("a: 1", "project/decisions/0036-x.md", Recency("date", "2019-05-01")),
        ("a: 1", "a/2020-01-01-x.md", Recency("date", "2020-01-01")),
        ("a: 1", "a/0036-x.md", Recency("number", 36)),
        ("a: 1", "a/x.md", Recency()),
    ],
)
def test_recency_is_the_items_own_word_then_its_name(front: str, path: str, recency: Recency) -> None:
    assert parsed(front, path, "# T\n\nDate: 2019-05-01\n").item.recency == recency


def test_a_decision_status_in_the_front_matter_is_understood() -> None:
    found = parsed("status: superseded by ADR-0005\ndate: 2020-01-01", "project/decisions/0004-x.md", "# T\n")

    assert found.notices == ()
    assert found.item.decision is not None
    assert (found.item.decision.status, found.item.decision.superseded_by) == (DecisionStatus.SUPERSEDED, ("0005",))
    assert found.item.status is Status.ACTIVE


def test_trust_follows_from_the_actor_where_it_is_not_said() -> None:
    assert parsed("source: {actor: agent:coder}").item.trust is Trust.AGENT
    assert parsed("source: {actor: ci}").item.trust is Trust.TOOL
    assert parsed("source: {actor: agent:coder}\ntrust: human").item.trust is Trust.HUMAN


def test_newlines_and_a_byte_order_mark_make_no_difference() -> None:
    plain = parse_item("project/decisions/x.md", DECISION.encode())

    assert parse_item("project/decisions/x.md", DECISION.replace("\n", "\r\n").encode()) == plain
    assert parse_item("project/decisions/x.md", ("\ufeff" + DECISION).encode()) == plain


@pytest.mark.parametrize("path", ["project/decisions/x.md", "agent/coder/tools.yaml"])
@pytest.mark.parametrize(
    "text", [DECISION, DECISION.replace("\n", "\r\n"), "\ufeff" + DECISION, "---\nopen: 1\n", "a\n", ""]
)
def test_the_body_alone_is_the_one_of_the_whole_item(path: str, text: str) -> None:
    assert read_body(path, text.encode()) == parse_item(path, text.encode()).body


def test_bytes_that_are_not_utf8_are_told_with_line_and_byte() -> None:
    with pytest.raises(FormatError, match=r"^a/x\.md:2: not UTF-8: byte 5 \(0xe9\)"):
        parse_item("a/x.md", b"ab\ncd\xe9\n")


@pytest.mark.vfcc("REQ-ITEM-DEFAULTS")
def test_a_file_that_is_not_markdown_is_an_item_with_defaults() -> None:
    found = parse_item(".memory/sprint/login/metrics.json", b'\xef\xbb\xbf{"a": 1}\r\n')

    assert (found.item.type, found.item.title, found.body) == ("note", "metrics.json", '{"a": 1}\n')


def test_an_opened_block_is_told_where_it_looks_like_one() -> None:
    assert parse_item("x.md", b"---\ntitle: x\n").notices == (
        "x.md:1: front matter is opened by --- and never closed; all of it is text",
    )
    assert parse_item("x.md", b"---\n\nA rule above.\n").notices == ()


def test_one_requirement_is_memory_and_trace_from_one_file() -> None:
    path = ".memory/project/items/requirement/login.md"
    data = b"""\
---
id: req-login
type: requirement
verification: test
links:
- {to: need-1, relation: refines, fingerprint: doorstop:c2Vf, by: human:You, on: 2026-11-21, reason: looked}
- {to: old, relation: supersedes}
derived: true
rationale: nobody waits
planned: next sprint
integrity: B
reviewed: {fingerprint: doorstop:c2Vf, by: human:Other, on: 2026-11-21}
verified: {method: analysis, by: human:You, on: 2026-11-21, fingerprint: a, content: b, saw: c}
tests: [tests/test_login.py]
evidence: [load]
---
# Login

The user shall log in.
"""
    remembered, traced = parse_item(path, data), parse_trace_item(path, data)

    assert traced is not None
    assert (remembered.notices, remembered.unknown, traced.flaws) == ((), (), ())
    assert (remembered.item.importance, remembered.item.scope) == (800, "project")
    assert (traced.id, traced.title, traced.path) == (remembered.item.id, remembered.item.title, remembered.item.path)
    assert remembered.item.links == (
        Link("need-1", Relation.REFINES, stamp=Stamp("doorstop:c2Vf")),
        Link("old", Relation.SUPERSEDES),
    )
    assert [(link.to, link.relation) for link in traced.links] == [("need-1", "refines")]
    assert remembered.item.verification == traced.verification == "test"
    assert traced.text == remembered.body.strip()
    assert parse_trace_item(path, b"---\ntype: fact\n---\n") is None


@pytest.mark.vfcc("REQ-ITEM-LOSSLESS")
def test_an_edit_keeps_every_other_byte_and_refuses_what_it_cannot_check() -> None:
    data = ("\ufeff" + DECISION).replace("\n", "\r\n").encode()

    after = edit_item("x.md", data, {"status": "archived"})

    assert after == data.replace(b"status: active ", b"status: archived ")
    with pytest.raises(FormatError, match=r"^x\.md:3: front matter cannot be edited"):
        edit_item("x.md", b"---\na: 1\nb: [\n---\n", {"a": "2"})
    with pytest.raises(FormatError, match="not UTF-8"):
        edit_item("x.md", b"\xff", {"a": "2"})


@pytest.mark.vfcc("REQ-ITEM-TYPES")
def test_the_table_of_types_is_that_of_the_reference() -> None:
    assert {name: each.importance for name, each in TYPES.items() if each.importance > 800} == {
        "preference": 900,
        "decision": 900,
        "failure": 850,
    }
    assert {name for name in TYPES if is_trace_type(name)} == {
        *("need", "requirement", "component", "interface", "unit", "test_spec", "hazard", "information")
    }
    assert {name: each.ttl_days for name, each in TYPES.items() if each.ttl_days} == {
        **dict.fromkeys(("failure", "fact", "guideline", "insight", "summary", "turn"), 365),
        **dict.fromkeys(("question", "assumption"), 90),
        "fix": 180,
        "task_state": 14,
    }
    assert {name for name, each in TYPES.items() if each.ends_with_stage} == {"task_state", "tool_output", "reasoning"}
    assert {name for name, each in TYPES.items() if each.scope == "user"} == {
        *("preference", "business_fact", "work_pattern", "communication_style", "goal", "constraint", "relationship"),
        "pattern",
    }
    assert item_type("of-a-workflow").importance == 500


@pytest.mark.vfcc("REQ-ITEM-TYPES")
@pytest.mark.parametrize(
    ("importance", "names"),
    [
        (900, "preference decision"),
        (850, "failure"),
        (800, "convention need requirement component interface unit test_spec hazard information"),
        (700, "pattern fix tool_output"),
        (600, "guideline insight summary question assumption task_state"),
        (500, "business_fact work_pattern communication_style goal constraint relationship fact reasoning note"),
    ],
)
def test_each_type_has_the_importance_of_the_reference(importance: int, names: str) -> None:
    assert {name for name, each in TYPES.items() if each.importance == importance} == set(names.split())


@pytest.mark.vfcc("REQ-ITEM-LINKS")
def test_relations_of_memory_and_trace_are_one_table() -> None:
    assert frozenset(Relation) == MEMORY_RELATIONS | TRACE_RELATIONS
    assert not MEMORY_RELATIONS & TRACE_RELATIONS
    assert {str(each) for each in MEMORY_RELATIONS} == {
        *("caused_by", "resolved_by", "supersedes", "contradicts", "depends_on")
    }
    assert {str(each) for each in TRACE_RELATIONS} == {
        *("refines", "derives", "allocates", "implements", "satisfies", "verifies")
    }


def test_trust_is_the_least_of_its_sources() -> None:
    assert least_trust(Trust.HUMAN, Trust.EXTERNAL, Trust.AGENT) is Trust.EXTERNAL
    assert least_trust(Trust.HUMAN) is Trust.HUMAN


@pytest.mark.vfcc("REQ-ITEM-SCOPE")
def test_a_path_tells_the_scope() -> None:
    assert scope_of(".memory/sprint/login/goals.md") == "sprint/login"
    assert scope_of("agent/coder/prompt.md") == "agent/coder"
    assert scope_of(".memory/stage/login.md") == "project"


@pytest.mark.vfcc("REQ-ITEM-SCOPE")
def test_a_path_of_a_stage_tells_its_sprint_too() -> None:
    assert scope_of(".memory/stage/login/coding/summary.md") == "stage/login/coding"
    assert parse_item(".memory/stage/login/coding/summary.md", b"text\n").item.scope == "stage/login/coding"


def test_a_null_in_a_mapping_is_no_text() -> None:
    ref = FieldTable(
        (
            ("path", FieldScalar("a.py", True, 1)),
            ("symbol", FieldScalar("null", True, 1)),
            ("digest", FieldScalar("~", False, 1)),
        ),
        1,
    )

    assert texts_of(ref) == {"path": "a.py", "symbol": None, "digest": "~"}
    assert member(ref, "symbol") is None
