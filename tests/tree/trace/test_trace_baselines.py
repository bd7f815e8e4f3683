"""Baselines: written once, read strictly, and compared with another or with the present."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.authored_world import NEED, REQ, SPEC, TODAY, YOU, empty, path_of, put, replace_in, view, written
from tests.cli.trees import everything
from tests.trees import commit, repository
from verifflowcc.base.errors import ConflictError, FormatError, UsageError, WorkspaceError
from verifflowcc.base.model.trace_values import TraceBaseline
from verifflowcc.trace.rules.trace_table import encode_baseline, read_baseline
from verifflowcc.trace.use.trace_edits import retire_item, unlink_items
from verifflowcc.trace.use.trace_sources import compare_baselines, create_baseline, list_baselines

pytestmark = pytest.mark.vfcc("REQ-TRACE-BASELINES")

PATH = ".memory/project/baselines/first.json"
texts = st.text(st.characters(codec="utf-8"), max_size=20)
digests = st.text("0123456789abcdef", min_size=20, max_size=20)


@settings(deadline=None, max_examples=100)
@given(texts, texts, texts, st.none() | texts, st.dictionaries(texts, digests, max_size=4))
def test_a_baseline_is_read_as_it_was_written(
    name: str, by: str, note: str, sha: str | None, items: dict[str, str]
) -> None:
    made = TraceBaseline(name, PATH, TODAY, by, items, note, sha)

    data = encode_baseline(made)

    assert read_baseline(PATH, data) == made
    assert read_baseline(PATH, data.replace(b"\n", b"\r\n")) == made
    assert encode_baseline(read_baseline(PATH, data)) == data


GOOD = encode_baseline(TraceBaseline("first", PATH, TODAY, YOU, {"A": "0" * 20}))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        GOOD.replace(b'"format":1', b'"format":2'),
        GOOD.replace(b'"format":1', b'"format":true'),
        GOOD.replace(b'"format":1,', b""),
        GOOD.replace(b'"kind":"trace"', b'"kind":"findings"'),
        GOOD.replace(b'"name":"first"', b'"name":1'),
        GOOD.replace(b"0" * 20, b"0" * 19),
        GOOD.replace(b'{"A":"00000000000000000000"}', b"[]"),
        GOOD.replace(b'"commit":null', b'"commit":1'),
        GOOD.replace(b":", b": ", 1),
        GOOD[:-5],
        b"\xff" + GOOD,
        b"<<<<<<< HEAD\n" + GOOD,
    ],
)
def test_what_is_no_baseline_is_told_with_its_path(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"^\.memory/project/baselines/first\.json:1: "):
        read_baseline(PATH, data)


def test_a_baseline_holds_what_is_not_retired_and_is_never_overwritten(tmp_path: Path) -> None:
    here = written(tmp_path)
    put(here, "NEED-old", "need", "Old", "Old.")
    retire_item(here, "NEED-old", actor=YOU)

    made = create_baseline(here, "first", "before the audit", actor=YOU)

    seen = view(here).by_id
    assert made.items == {name: seen[name].digest for name in (NEED, REQ, SPEC)}
    assert list_baselines(here) == (made,)
    before = everything(tmp_path)
    with pytest.raises(UsageError, match="there is a baseline first already, and it stays"):
        create_baseline(here, "first", actor=YOU)
    assert everything(tmp_path) == before


def test_two_baselines_of_one_state_differ_in_name_alone(tmp_path: Path) -> None:
    here = written(tmp_path)
    create_baseline(here, "first", actor=YOU)
    create_baseline(here, "second", actor=YOU)
    folder = here.root / ".memory/project/baselines"

    first, second = ((folder / f"{name}.json").read_bytes() for name in ("first", "second"))
    assert first.replace(b'"first"', b'"second"') == second
    assert not compare_baselines(here, "first", "second").any


@pytest.mark.sweep
def test_drift_is_told_with_what_changed_where_git_has_the_old_text(tmp_path: Path) -> None:
    here = written(tmp_path)
    repository(tmp_path)
    create_baseline(here, "first", actor=YOU)
    assert not compare_baselines(here, "first").any
    commit(here.root, "baseline")
    put(here, "NEED-new", "need", "New", "New.")
    retire_item(here, NEED, actor=YOU)
    replace_in(here, REQ, "5 s", "6 s")
    replace_in(here, REQ, "verification: test", "verification: review")
    unlink_items(here, SPEC, REQ)

    drift = compare_baselines(here, "first")

    assert [(each.item, each.title) for each in drift.added] == [("NEED-new", "New")]
    assert [(each.item, each.fields) for each in drift.removed] == [(NEED, ("retired",))]
    assert [(each.item, each.fields) for each in drift.changed] == [(REQ, ("text", "verification")), (SPEC, ("links",))]
    assert drift.same == 0


def test_without_git_it_is_told_that_it_changed_and_not_what(tmp_path: Path) -> None:
    here = written(tmp_path)
    create_baseline(here, "first", actor=YOU)
    replace_in(here, REQ, "5 s", "6 s")

    assert [(each.item, each.fields) for each in compare_baselines(here, "first").changed] == [(REQ, ())]


@pytest.mark.sweep
def test_of_what_was_not_committed_when_the_baseline_was_made_nobody_can_tell_what_changed(tmp_path: Path) -> None:
    here = written(tmp_path)
    repository(tmp_path)
    replace_in(here, REQ, "5 s", "7 s")
    create_baseline(here, "first", actor=YOU)
    replace_in(here, REQ, "title: It ends", "title: It stops")

    assert [(each.item, each.fields) for each in compare_baselines(here, "first").changed] == [(REQ, ())]


def test_a_review_and_a_tag_are_no_drift(tmp_path: Path) -> None:
    here = written(tmp_path)
    create_baseline(here, "first", actor=YOU)
    replace_in(here, REQ, "trust: human", "trust: agent\ntags: [x]")

    assert not compare_baselines(here, "first").any


def test_other_files_in_the_folder_are_left_alone_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    here = written(tmp_path)
    create_baseline(here, "first", actor=YOU)
    folder = here.root / ".memory/project/baselines"
    (folder / "trace-findings.json").write_text('{"format": 1, "kind": "findings"}')
    (folder / "lint.sarif").write_text("{}")
    (folder / "coverage.json").write_text('{"totals": 1}')

    assert [each.name for each in list_baselines(here)] == ["first"]
    (folder / "first.json").write_bytes(b"<<<<<<< HEAD\n" + GOOD)
    with pytest.raises(FormatError, match=r"first\.json:1: not JSON"):
        list_baselines(here)


@pytest.mark.sweep
def test_what_cannot_be_written_down_is_refused(tmp_path: Path) -> None:
    here = empty(tmp_path / "empty")
    with pytest.raises(UsageError, match="there is no item to write down"):
        create_baseline(here, "first", actor=YOU)
    with pytest.raises(UsageError, match="there is no baseline yet"):
        compare_baselines(here, "first")

    here = written(tmp_path / "written")
    for name in ("First", "../x", "a b", ""):
        with pytest.raises(UsageError, match="cannot be a baseline's name"):
            create_baseline(here, name, actor=YOU)
    create_baseline(here, "first", actor=YOU)
    with pytest.raises(UsageError, match="did you mean first"):
        compare_baselines(here, "frist")

    path = path_of(here, REQ)
    path.with_name("copy.md").write_bytes(path.read_bytes())
    with pytest.raises(ConflictError, match="two files have one id"):
        create_baseline(here, "second", actor=YOU)
    path.with_name("copy.md").write_bytes(b"---\ntitle: \xff\n---\n")
    with pytest.raises(WorkspaceError, match=r"copy\.md:2: not UTF-8"):
        create_baseline(here, "second", actor=YOU)
