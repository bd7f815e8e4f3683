"""Items are added, linked, unlinked and retired; files that people wrote keep all that they say."""

import os
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.authored_world import (
    AGENT,
    NEED,
    REQ,
    SPEC,
    TODAY,
    YOU,
    empty,
    path_of,
    put,
    replace_in,
    text_of,
    view,
    written,
)
from tests.cli.trees import everything
from tests.trace_world import item
from verifflowcc.base.errors import ConflictError, FormatError, UsageError, WorkspaceError
from verifflowcc.base.files.item_files import replace_item_file
from verifflowcc.base.model.item_values import Status, Trust
from verifflowcc.base.model.trace_codes import DEFAULT_POLICY
from verifflowcc.trace.use.trace_edits import (
    TraceItemRequest,
    add_item,
    begin_edit,
    chosen_relation,
    link_items,
    retire_item,
    set_keys,
    unlink_items,
    write_edits,
)


@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_a_new_item_is_one_file_in_one_order_with_what_is_empty_left_out(tmp_path: Path) -> None:
    here = empty(tmp_path)
    put(here, NEED, "need", "Users log in", "")
    wanted = TraceItemRequest(
        "Requirement",
        "It ends: after 5 s",
        "It shall end.\n\n- after 5 s\n",
        "TEST",
        ("need-l",),
        "Refines",
        rationale="Nobody waits.",
        planned="2.0",
        tags=("login", "login"),
    )

    item = add_item(here, wanted, actor=AGENT).item

    assert re.fullmatch(r"REQ-it-ends-after-5-s-[0-9a-hjkmnp-tv-z]{4}", item.id)
    assert item.path == f".memory/project/items/requirement/{item.id}.md"
    assert text_of(here, item.id) == (
        f"---\nid: {item.id}\ntype: requirement\ntitle: 'It ends: after 5 s'\nstatus: active\nverification: test\n"
        f"planned: '2.0'\nlinks:\n  - {{to: {NEED}, relation: refines}}\n"
        f"source: {{kind: explicit, actor: agent:coder}}\ntrust: agent\ncreated: {TODAY}\ntags: [login]\n---\n\n"
        "It shall end.\n\n- after 5 s\n\n## Rationale\n\nNobody waits.\n"
    )


@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_what_was_added_is_what_is_read(tmp_path: Path) -> None:
    here = empty(tmp_path)
    put(here, NEED, "need", "Users log in", "")
    added = add_item(
        here,
        TraceItemRequest("requirement", "It ends", "It shall end.", "test", (NEED,), "refines", rationale="Why."),
        actor=AGENT,
    ).item
    read = view(here).by_id[added.id]

    assert (read.digest, read.title, read.text, read.rationale) == (added.digest, "It ends", "It shall end.", "Why.")
    assert [(link.to, link.relation, link.stamp) for link in read.links] == [(NEED, "refines", None)]
    assert (read.trust, read.author, read.verification, read.flaws) == (Trust.AGENT, AGENT, "test", ())


text = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Co", "Cn")), max_size=30)


@pytest.mark.sweep
@settings(deadline=None, max_examples=60)
@given(title=text.filter(str.strip), tag=text, planned=text)
def test_any_printable_words_come_back_as_they_were_given(
    tmp_path_factory: pytest.TempPathFactory, title: str, tag: str, planned: str
) -> None:
    here = empty(tmp_path_factory.mktemp("words"))
    wanted = TraceItemRequest("need", title, "It is.", planned=planned, tags=(tag,), rationale="w")

    name = add_item(here, wanted, actor=YOU).item.id
    read = view(here).by_id[name]

    assert read.title == " ".join(title.split())
    assert [" ".join(each.split()) for each in read.tags] == ([" ".join(tag.split())] if tag.strip() else [])
    assert read.planned == (" ".join(planned.split()) or None)
    assert [flaw for flaw in read.flaws if flaw.code == "bad-field"] == []


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-IDS")
def test_two_items_with_one_title_have_two_ids(tmp_path: Path) -> None:
    here = empty(tmp_path)
    ids = {add_item(here, TraceItemRequest("need", "Log in"), actor=YOU).item.id for _ in range(20)}

    assert len(ids) == 20


def test_what_a_new_item_lacks_is_told(tmp_path: Path) -> None:
    here = empty(tmp_path)

    added = add_item(here, TraceItemRequest("requirement", "It ends"), actor=YOU)

    assert [lack.split(";")[0].split(":")[0] for lack in added.missing] == [
        "it has no text yet",
        "it needs a verification method in the file",
        "it has no parent yet",
    ]
    assert add_item(here, TraceItemRequest("need", "Log in", "Somebody gets in."), actor=YOU).missing == ()


@pytest.mark.points(4)
@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (TraceItemRequest("requirment", "x"), "there is no type requirment; did you mean requirement?"),
        (TraceItemRequest("need", "  "), "an item needs a title"),
        (TraceItemRequest("need", "a\x1b[31m"), "U+001B"),
        (TraceItemRequest("need", "x", "a\x00b"), "U+0000"),
        (TraceItemRequest("need", "x" * 201), "it may have 200"),
        (TraceItemRequest("requirement", "x", verification="tset"), "no verification method tset; did you mean test?"),
        (TraceItemRequest("requirement", "x", parents=("NEED-logni",)), f"no item NEED-logni; did you mean {NEED}?"),
        (
            TraceItemRequest("requirement", "x", parents=(NEED,), relation="refine"),
            "no relation refine; did you mean refines?",
        ),
        (TraceItemRequest("requirement", "x", parents=(NEED,), relation="allocates"), "allocates does not lead from a"),
        (TraceItemRequest("need", "x", parents=(REQ,)), f"no relation leads from a need to a requirement ({REQ})"),
        (TraceItemRequest("requirement", "x", relation="refines"), "--relation goes with --parent"),
        (TraceItemRequest("requirement", "x", derived=True), "a derived item says why it is there"),
        (
            TraceItemRequest("requirement", "x", derived=True, rationale="y", parents=(NEED,)),
            "say --derived or --parent",
        ),
        (TraceItemRequest("need", "x", id=NEED), f"there is an item {NEED} already"),
        (TraceItemRequest("need", "x", id=NEED.lower()), "already"),
        (TraceItemRequest("need", "x", id="../x"), "cannot be an id"),
        (TraceItemRequest("need", "x", id=".hidden"), "cannot be an id"),
        (TraceItemRequest("need", "x", id="a\nb"), "cannot be an id"),
    ],
)
def test_what_cannot_be_added_is_refused_and_nothing_is_written(
    tmp_path: Path, wanted: TraceItemRequest, said: str
) -> None:
    here = written(tmp_path)
    before = everything(tmp_path)

    with pytest.raises(UsageError) as caught:
        add_item(here, wanted, actor=YOU)

    assert said in caught.value.message
    assert everything(tmp_path) == before


@pytest.mark.vfcc("REQ-TRACE-IDS")
def test_an_id_obeys_the_projects_own_pattern(tmp_path: Path) -> None:
    here = empty(tmp_path)
    config = here.memory / "config.yaml"
    config.write_text("format: 1\ntrace:\n  id_pattern: '[A-Z]+-[0-9]{3}'\n")

    with pytest.raises(UsageError, match=r"does not fit the project's pattern \[A-Z\]"):
        add_item(here, TraceItemRequest("need", "Log in"), actor=YOU)
    assert add_item(here, TraceItemRequest("need", "Log in", id="NEED-001"), actor=YOU).item.id == "NEED-001"


@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_a_link_is_added_with_no_stamp_and_its_relation_follows_from_the_types(tmp_path: Path) -> None:
    here = written(tmp_path)
    put(here, "REQ-other", "requirement", "Other", "It shall be.")
    before = text_of(here, SPEC)

    done = link_items(here, SPEC, "req-o")

    assert (done.item, done.to, done.relations) == (SPEC, "REQ-other", ("verifies",))
    line = f"  - {{to: {REQ}, relation: verifies}}\n"
    assert text_of(here, SPEC) == before.replace(line, line + "  - {to: REQ-other, relation: verifies}\n")


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((REQ, REQ, "refines"), "cannot link to itself"),
        ((SPEC, REQ, None), "already"),
        ((NEED, REQ, None), "links lead up, the other way round"),
        ((REQ, "REQ-low", "refines"), "would close a circle"),
        ((SPEC, "REQ-old", None), "REQ-old is retired"),
        (("REQ-old", NEED, "refines"), "REQ-old is retired"),
    ],
)
def test_a_link_that_cannot_be_is_refused(tmp_path: Path, ends: tuple[str, str, str | None], said: str) -> None:
    here = written(tmp_path)
    put(here, "REQ-low", "requirement", "Low", "It shall be low.", REQ, "refines")
    put(here, "REQ-old", "requirement", "Old", "It shall be old.")
    retire_item(here, "REQ-old", actor=YOU)
    before = everything(tmp_path)

    with pytest.raises(UsageError) as caught:
        link_items(here, *ends)

    assert said in caught.value.message
    assert everything(tmp_path) == before


def test_a_link_is_taken_away_and_adding_it_again_gives_the_same_bytes(tmp_path: Path) -> None:
    here = written(tmp_path)
    put(here, "REQ-other", "requirement", "Other", "It shall be.")
    before = text_of(here, SPEC)
    link_items(here, SPEC, "REQ-other")

    done = unlink_items(here, SPEC, "REQ-o")

    assert done.relations == ("verifies",)
    assert text_of(here, SPEC) == before
    with pytest.raises(UsageError, match=f"does not link to REQ-other; it links to {REQ}"):
        unlink_items(here, SPEC, "REQ-other")


def test_a_link_to_nothing_can_be_taken_away(tmp_path: Path) -> None:
    here = written(tmp_path)
    path_of(here, REQ).unlink()

    assert unlink_items(here, SPEC, REQ).to == REQ
    assert view(here).by_id[SPEC].links == ()


@pytest.mark.vfcc("REQ-TRACE-ITEMS")
def test_retiring_keeps_the_file_and_tells_who_still_links_to_it(tmp_path: Path) -> None:
    here = written(tmp_path)
    before = view(here).by_id[REQ]

    done = retire_item(here, REQ, "nobody waits", actor=YOU)

    after = view(here).by_id[REQ]
    assert done.linked_by == (SPEC,)
    assert (after.status, after.digest, after.text) == (Status.ARCHIVED, before.digest, before.text)
    assert text_of(here, REQ).endswith(f"\n\n## History\n\n- {TODAY}, {YOU}: retired: nobody waits\n")
    with pytest.raises(UsageError, match="retired already"):
        retire_item(here, REQ, actor=YOU)
    with pytest.raises(UsageError, match="there is an item REQ-timeout already"):
        add_item(here, TraceItemRequest("requirement", "x", id=REQ), actor=YOU)


def test_a_file_with_crlf_keeps_it_and_its_permissions(tmp_path: Path) -> None:
    here = written(tmp_path)
    path = path_of(here, SPEC)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    path.chmod(0o640)
    put(here, "REQ-other", "requirement", "Other", "It shall be.")

    link_items(here, SPEC, "REQ-other")
    retire_item(here, SPEC, "done", actor=YOU)

    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 15
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_keys_that_nobody_knows_and_comments_survive_a_command(tmp_path: Path) -> None:
    here = written(tmp_path)
    replace_in(here, SPEC, "relation: verifies}", 'relation: verifies, weight: "3"}  # by hand')
    replace_in(here, SPEC, "trust: human", "trust: human  # mine\nowner: {team: 7}")
    put(here, "REQ-other", "requirement", "Other", "It shall be.")
    before = text_of(here, SPEC).splitlines()

    link_items(here, SPEC, "REQ-other")

    after = text_of(here, SPEC).splitlines()
    assert [line for line in after if line not in before] == ["  - {to: REQ-other, relation: verifies}"]
    assert [line for line in before if line not in after] == []


def test_a_comment_that_would_be_lost_is_a_refusal(tmp_path: Path) -> None:
    here = written(tmp_path)
    replace_in(here, SPEC, f"  - {{to: {REQ}, relation: verifies}}", f"  - {{to: {REQ}, relation: verifies}}  # agreed")
    before = text_of(here, SPEC)

    with pytest.raises(FormatError, match=rf"{SPEC}\.md:\d+: links cannot be edited: it holds a comment"):
        unlink_items(here, SPEC, REQ)
    assert text_of(here, SPEC) == before


def test_what_changed_since_it_was_read_is_not_overwritten(tmp_path: Path) -> None:
    here = written(tmp_path)
    item = view(here).by_id[REQ]
    edit = set_keys(begin_edit(here, item), {"status": "archived"})
    other = set_keys(begin_edit(here, view(here).by_id[NEED]), {"status": "archived"})
    replace_in(here, REQ, "5 s", "9 s")
    before = everything(tmp_path)

    with pytest.raises(ConflictError, match="changed since it was read; nothing was written"):
        write_edits(here, [other, edit])
    with pytest.raises(ConflictError, match="changed since it was read"):
        begin_edit(here, item)
    assert everything(tmp_path) == before


def test_the_file_itself_is_looked_at_once_more_before_it_is_replaced(tmp_path: Path) -> None:
    here = written(tmp_path)
    path = view(here).by_id[REQ].path
    before = everything(tmp_path)

    with pytest.raises(ConflictError, match="changed since it was read"):
        replace_item_file(here.root, path, b"what it was", b"what it shall be")
    assert everything(tmp_path) == before


CONFLICT = "<<<<<<< HEAD\ntitle: One\n=======\ntitle: Two\n>>>>>>> other\n"


def test_a_file_with_both_sides_of_a_merge_is_told_with_its_line_and_left_alone(tmp_path: Path) -> None:
    here = written(tmp_path)
    replace_in(here, REQ, "title: It ends\n", CONFLICT)
    before = everything(tmp_path)

    with pytest.raises(FormatError, match=rf"{REQ}\.md:4: contains merge conflict markers"):
        retire_item(here, REQ, actor=YOU)
    with pytest.raises(FormatError, match="conflict markers"):
        link_items(here, SPEC, REQ)
    assert everything(tmp_path) == before
    with pytest.raises(UsageError, match="already"):
        add_item(here, TraceItemRequest("requirement", "x", id=REQ), actor=YOU)


def test_two_files_with_one_id_are_told(tmp_path: Path) -> None:
    here = written(tmp_path)
    path = path_of(here, REQ)
    path.with_name("copy.md").write_bytes(path.read_bytes())

    with pytest.raises(ConflictError, match=r"two files have the id REQ-timeout: .*REQ-timeout\.md and .*copy\.md"):
        link_items(here, SPEC, REQ)


def test_an_item_whose_front_matter_is_broken_is_not_edited(tmp_path: Path) -> None:
    here = written(tmp_path)
    replace_in(here, REQ, "title: It ends", "title: [It ends")

    with pytest.raises(FormatError, match=rf"{REQ}\.md:\d+: front matter cannot be edited"):
        retire_item(here, REQ, actor=YOU)


def test_a_folder_that_cannot_be_written_is_told_and_nothing_changes(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("for this user every folder can be written")
    here = written(tmp_path)
    folder = path_of(here, REQ).parent
    folder.chmod(0o555)
    try:
        with pytest.raises(WorkspaceError, match=r"cannot write .*Permission denied"):
            retire_item(here, REQ, actor=YOU)
        with pytest.raises(WorkspaceError, match="cannot write"):
            add_item(here, TraceItemRequest("requirement", "x"), actor=YOU)
    finally:
        folder.chmod(0o755)
    assert view(here).by_id[REQ].status is Status.ACTIVE


def test_nothing_outside_of_the_memory_is_written_through_a_link(tmp_path: Path) -> None:
    here = written(tmp_path / "project")
    path = path_of(here, REQ)
    (tmp_path / "outside.md").write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(tmp_path / "outside.md")
    before = (tmp_path / "outside.md").read_bytes()

    with pytest.raises((WorkspaceError, FormatError, UsageError)):
        retire_item(here, REQ, actor=YOU)
    assert (tmp_path / "outside.md").read_bytes() == before


def test_of_several_relations_refines_is_taken_and_without_it_one_must_be_named() -> None:
    target = item("REQ-a")
    narrow = replace(DEFAULT_POLICY, relations={k: v for k, v in DEFAULT_POLICY.relations.items() if k != "refines"})

    assert chosen_relation(DEFAULT_POLICY, "component", target, None, "vfcc trace link a b") == "refines"
    with pytest.raises(UsageError, match="in several ways: allocates, satisfies; say which"):
        chosen_relation(narrow, "component", target, None, "vfcc trace link a b")
