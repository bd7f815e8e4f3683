"""`check trace` on files: what it reads, what it keeps, and that nothing that it keeps changes an answer."""

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.trees import everything
from tests.traced_project import CONFIG, FILES, HIGH, ITEMS, LOW, NEED, case, item, junit, traced
from tests.trees import write_tree
from verifflowcc.base.errors import ConfigError, ConflictError, FormatError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.baseline_rules import baseline_text
from verifflowcc.base.model.baselines import Baseline, BaselineEntry
from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.base.model.trace_values import Severity
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.checking import check_everything
from verifflowcc.items.store.item_walk import MemoryWalk, walk_memory
from verifflowcc.sprint.store.workflow_load import load_shipped
from verifflowcc.sprint.use.configuration import shipped_workflows
from verifflowcc.sprint.use.pinned_workflow import policy_of
from verifflowcc.trace.rules.impact import Impact, Story, impact, story
from verifflowcc.trace.rules.trace_view import find_item
from verifflowcc.trace.store.trace_cache import TraceIndex
from verifflowcc.trace.use.trace_checking import TraceCheckResult, check_trace
from verifflowcc.trace.use.trace_code import INDEX, key_of, read_items, read_stamps, read_walked
from verifflowcc.trace.use.trace_narrowing import ItemPage, see_trace, show_item
from verifflowcc.trace.use.trace_sources import read_sources

pytestmark = pytest.mark.vfcc("REQ-CHECK-TRACE")


class At:
    """A clock that stands still."""

    def __init__(self, day: int) -> None:
        self.day = day

    def now(self) -> datetime:
        return datetime(2026, 11, self.day, tzinfo=UTC)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are trusted by their stamps as soon as they are written."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))


def codes(checked: TraceCheckResult) -> set[str]:
    return {each.code for each in checked.report.findings}


def told(checked: TraceCheckResult, path: str) -> list[str]:
    return [f"{each.line} {each.code}: {each.message}" for each in checked.report.findings if each.path == path]


def index(here: Workspace) -> Path:
    return here.local / INDEX


def test_every_finding_has_a_place_and_a_next_step_and_every_check_a_denominator(tmp_path: Path) -> None:
    checked = check_trace(traced(tmp_path, **{LOW: item("REQ-low", "requirement", "refines NEED-none")}))

    assert "dangling-link" in codes(checked)
    assert all(each.step and each.message for each in checked.report.findings)
    assert checked.report.counts == {"need": 1, "requirement": 2}
    assert checked.examined.items == 3
    assert {each.code: each.examined for each in checked.report.checks}["duplicate-id"] == 3


@pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")
@pytest.mark.parametrize("damage", ["deleted", "rubbish", "cut", "swapped", "folder", "other program"])
def test_what_becomes_of_the_index_never_changes_an_answer(
    tmp_path: Path, settled: None, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = traced(tmp_path)
    cold = check_trace(here)
    assert check_trace(here) == cold

    if damage in {"deleted", "folder"}:
        shutil.rmtree(here.local)
        if damage == "folder":
            index(here).mkdir(parents=True)
    elif damage == "rubbish":
        index(here).write_bytes(b"no index" * 1000)
    elif damage == "cut":
        index(here).write_bytes(index(here).read_bytes()[:5000])
    elif damage == "swapped":
        with sqlite3.connect(index(here)) as store:
            store.execute("UPDATE trace_items SET facts = replace(facts, 'refines', 'defines')")
            store.execute("UPDATE trace_reports SET body = replace(body, 'requirement', 'acquirement')")
        store.close()
    else:
        monkeypatch.setattr("verifflowcc.base.index.index_file.__version__", "0.0.1")

    found = check_trace(here)
    assert replace(found, notices=cold.notices) == cold
    assert damage == "folder" or found.notices == cold.notices


def test_the_unchanged_question_is_answered_from_the_index(tmp_path: Path, settled: None) -> None:
    here = traced(tmp_path)
    checked = check_trace(here)
    key = key_of(here, read_stamps(here), None)
    with TraceIndex(index(here)) as kept:
        body = kept.recall("report", key)
        assert body is not None
        kept.keep("report", key, body.replace("Title of", "Kept of").replace("REQ-low", "REQ-was-kept"))

    assert check_trace(here) != checked


def _edit(path: str) -> Callable[[Path], object]:
    return lambda root: (root / path).write_text(f"{(root / path).read_text()}\n", encoding="utf-8")


CHANGES: dict[str, Callable[[Path], object]] = {
    "item": _edit(HIGH),
    "new item": lambda root: (root / ITEMS / "need" / "NEED-x.md").write_text(item("NEED-x", "need")),
    "item gone": lambda root: (root / LOW).unlink(),
    "code": _edit("src/gauge.py"),
    "test": _edit("tests/test_gauge.py"),
    "configuration": _edit(CONFIG),
    "workflow": lambda root: (root / ".memory" / "workflow.yaml").write_text("name: own\n"),
    "baseline": lambda root: write_tree(root, {".memory/project/baselines/x.json": "{}"}),
    "unreadable": lambda root: (root / ITEMS / "need" / "folder.md").mkdir(),
    "a sprint's file": lambda root: write_tree(root, {".memory/sprint/x/events/y.json": "{}"}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_key_of_a_report_changes_with_all_that_it_depends_on(tmp_path: Path, settled: None, change: str) -> None:
    here = traced(tmp_path)
    before = key_of(here, read_stamps(here), None)
    assert key_of(here, read_stamps(here), None) == before

    CHANGES[change](tmp_path)

    assert key_of(here, read_stamps(here), None) != before


def test_the_key_of_a_report_changes_with_the_day_and_with_the_reports_of_results(tmp_path: Path) -> None:
    root = traced(tmp_path / "here").root
    report = tmp_path / "junit.xml"
    keys = set()
    for day, text in ((1, "a"), (2, "a"), (2, "b")):
        here = Workspace(root, At(day))
        report.write_text(text)
        keys.add(key_of(here, read_stamps(here, [str(report)]), None))
        report.unlink()

    assert len(keys) == 3


def test_what_was_touched_a_moment_ago_is_not_kept_under_its_stamp(tmp_path: Path) -> None:
    here = traced(tmp_path)
    check_trace(here)
    policy = policy_of(here)

    path = tmp_path / HIGH
    was = path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace("say so", "say no"), encoding="utf-8")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))

    found = {each.id: each.text for each in read_items(here, policy).items}
    assert "say no" in found["REQ-high"]
    with sqlite3.connect(index(here)) as store:
        assert store.execute("SELECT DISTINCT stamp FROM trace_items").fetchall() == [("",)]
        assert store.execute("SELECT count(*) FROM trace_reports WHERE name = 'report'").fetchone() == (0,)
    store.close()


def test_one_changed_file_costs_one_file(tmp_path: Path, settled: None) -> None:
    here, policy = traced(tmp_path), policy_of(traced(tmp_path))
    assert read_items(here, policy).parsed == 3
    assert read_items(here, policy).parsed == 0

    (tmp_path / HIGH).write_text(item("REQ-high", "requirement", text="It shall be otherwise."), encoding="utf-8")
    assert read_items(here, policy).parsed == 1

    (tmp_path / LOW).touch()
    assert read_items(here, policy).parsed == 0


OPENED: list[str] = []


def note(event: str, given: tuple[object, ...]) -> None:
    if event == "open" and isinstance(given[0], str) and f"/{ITEMS}/" in given[0]:
        OPENED.append(given[0].rpartition("/")[2])


sys.addaudithook(note)


def answers(here: Workspace, name: str) -> tuple[Story, Impact, ItemPage]:
    """What `trace why`, `impact` and `show` say of an item."""
    seen = see_trace(here, name=name)
    own = find_item(seen.view, name).id
    return story(seen.view, seen.report, own), impact(seen.view, own), show_item(here, name)


def answer_or_refusal(here: Workspace, name: str) -> object:
    """The answers, or why there are none."""
    try:
        return answers(here, name)
    except ConflictError as error:
        return str(error)


def many(root: Path, number: int) -> Workspace:
    """The small project with so many other items in it, which have nothing to do with it."""
    others = {f"{ITEMS}/need/NEED-{each}.md": item(f"NEED-{each}", "need") for each in range(number)}
    return traced(root, **others)


@pytest.mark.vfcc("REQ-TRACE-WHY", "REQ-TRACE-IMPACT")
@pytest.mark.parametrize("number", [3, 60])
def test_one_item_is_answered_without_the_others(tmp_path: Path, settled: None, number: int) -> None:
    here = many(tmp_path, number)
    whole = answers(here, "REQ-high")
    with sqlite3.connect(index(here)) as store:  # a row of another item that is fetched shows by its checksum
        store.execute(
            "UPDATE trace_items SET facts = 'damaged' WHERE path LIKE '%NEED-_.md' OR path LIKE '%NEED-__.md'"
        )
    store.close()
    OPENED.clear()

    assert answers(here, "REQ-high") == whole
    assert answers(here, "req-hi")[0].item.id == "REQ-high"
    assert OPENED == []
    read_items(here, policy_of(here))
    assert len(OPENED) == number


FAR, ODD = f"{ITEMS}/need/NEED-3.md", f"{ITEMS}/need/a tab\tin-é.md"


def _in_place(root: Path) -> None:
    """Let a file far away link to the item: the same file, with as many bytes and the time that it had."""
    path, other = root / FAR, item("NEED-3", "need", "refines REQ-high")
    was, size = path.stat(), path.stat().st_size
    with path.open("r+", encoding="utf-8") as file:
        file.write(other.ljust(size))
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


def _other_folder(root: Path) -> None:
    (root / ITEMS / "need").rename(root / ITEMS / "wish")


def _swapped(root: Path) -> None:
    """Let two files of one folder, and so the same names and stamps, change places."""
    high, low, between = root / HIGH, root / LOW, root / "between"
    high.rename(between)
    low.rename(high)
    between.rename(low)


CHANGES_AROUND: dict[str, tuple[Callable[[Path], object], int | None]] = {
    "nothing": (lambda root: None, 0),
    "the item": (lambda root: (root / HIGH).write_text(item("REQ-high", "requirement", "refines NEED-other")), 1),
    "its parent": (lambda root: (root / NEED).write_text(item("NEED-tide", "need", text="It shall be otherwise.")), 1),
    "a new child": (lambda root: (root / ITEMS / "need" / "N.md").write_text(item("N", "need", "refines REQ-high")), 1),
    "its parent goes": (lambda root: (root / NEED).unlink(), 0),
    "a sibling is no longer read": (lambda root: (root / LOW).write_bytes(b"\xff"), 1),
    "its id twice": (lambda root: (root / ITEMS / "need" / "N.md").write_text(item("REQ-high", "need")), None),
    "its code": (_edit("tests/test_gauge.py"), 0),
    "a file far away, in place": (_in_place, 1),
    "a name that is not plain": (lambda root: (root / ODD).write_text(item("N", "need", "refines REQ-high")), 1),
    "its folder": (_other_folder, None),
    "two names": (_swapped, 2),
}


@pytest.mark.vfcc("REQ-TRACE-WHY", "REQ-CACHES-ANSWER-ALIKE")
@pytest.mark.parametrize("change", CHANGES_AROUND)
def test_of_what_changed_around_an_item_that_alone_is_read(tmp_path: Path, settled: None, change: str) -> None:
    here = many(tmp_path, 5)
    (tmp_path / ODD).write_text(item("NEED-odd", "need", "refines REQ-high"), encoding="utf-8")
    (tmp_path / FAR).write_text(item("NEED-3", "need", text="It is long enough for a link. " * 9), encoding="utf-8")
    answers(here, "REQ-high")
    edit, files = CHANGES_AROUND[change]
    edit(tmp_path)
    OPENED.clear()
    found = answer_or_refusal(here, "REQ-high")
    assert files is None or len(set(OPENED)) == files
    shutil.rmtree(here.local)
    assert answer_or_refusal(here, "REQ-high") == found


@pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")
@pytest.mark.parametrize("kept", ["of another order", "without a folder", "by paths"])
def test_however_the_files_were_kept_the_answer_is_the_same(tmp_path: Path, settled: None, kept: str) -> None:
    here = many(tmp_path, 5)
    whole = answers(here, "REQ-high")
    policy, walk = policy_of(here), walk_memory(tmp_path)
    if kept == "without a folder":
        with sqlite3.connect(index(here)) as store:
            store.execute("DELETE FROM trace_reports WHERE name LIKE '%/requirement'")
        store.close()
        (tmp_path / LOW).touch()
    else:
        for listed in walk.listed.values() if kept == "of another order" else ():
            rows = list(zip(listed.names, zip(*[iter(listed.numbers)] * 4, strict=True), strict=True))[::-1]
            listed.names[:], listed.numbers[:] = [name for name, _ in rows], [each for _, row in rows for each in row]
        if kept == "by paths":
            walk = MemoryWalk(rest=walk.stamps(), rest_items=walk.items())
        with TraceIndex(index(here)) as trace:
            read_walked(here, walk, policy, trace)
    for opened in ([LOW.rpartition("/")[2]] if kept == "without a folder" else [], []):
        OPENED.clear()
        assert answers(here, "REQ-high") == whole
        assert opened == OPENED
    with sqlite3.connect(index(here)) as store:
        ((text,),) = store.execute("SELECT body FROM trace_reports WHERE name = 'item folders'")
    store.close()
    assert FAR not in text, "after one answer the files are kept by folder"


def test_links_that_are_gone_leave_the_index(tmp_path: Path, settled: None) -> None:
    here, policy = traced(tmp_path), policy_of(traced(tmp_path))
    read_items(here, policy)
    (tmp_path / HIGH).write_text(item("REQ-high", "requirement", "refines NEED-other"), encoding="utf-8")
    (tmp_path / LOW).unlink()
    read_items(here, policy)

    with sqlite3.connect(index(here)) as store:
        assert store.execute("SELECT target, path FROM trace_links").fetchall() == [("NEED-other", HIGH)]
    store.close()


def test_a_finding_that_counts_the_items_of_a_report_is_made_from_all(tmp_path: Path, settled: None) -> None:
    here = many(tmp_path, 3)
    (tmp_path / "build").mkdir()
    (tmp_path / "build/junit.xml").write_text(junit(case("test_high"), case("test_low")), encoding="utf-8")
    see_trace(here)
    seen = see_trace(here, [str(tmp_path / "build/junit.xml")], name="REQ-high")

    assert "2 items, REQ-high among them" in story(seen.view, seen.report, "REQ-high").findings[0].message


def test_other_types_of_the_workflow_are_another_reading(tmp_path: Path, settled: None) -> None:
    here, policy = traced(tmp_path), policy_of(traced(tmp_path))
    read_items(here, policy)
    other = replace(policy, types={name: rule for name, rule in policy.types.items() if name != "need"})

    assert read_items(here, other).parsed == 3
    assert read_items(here, policy).parsed == 3


@pytest.mark.vfcc("REQ-TRACE-READS")
def test_it_writes_nothing_but_what_is_derived(tmp_path: Path) -> None:
    here = traced(tmp_path, **{"build/junit.xml": junit(case("test_high"))})
    before = everything(tmp_path)

    for _ in range(2):
        check_trace(here, junit=[str(tmp_path / "build/junit.xml")])
        check_everything(here)

    assert everything(tmp_path) == before


def _plant(root: Path) -> dict[str, str]:
    """Put files that are no items beside the others; path → what is said of each."""
    folder = root / ITEMS / "need"
    (folder / "latin.md").write_bytes(item("latin", "need").encode() + b"caf\xe9\n")
    (folder / "open.md").write_text("---\nid: open\n---\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n")
    (folder / "large.md").write_bytes(b"x" * (1 << 21))
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "nowhere.md").symlink_to("no-such-file.md")
    (root.parent / "outside.md").write_text(item("outside", "need"))
    (folder / "far.md").symlink_to(root.parent / "outside.md")
    (root / ITEMS / "linked").symlink_to(folder)
    return {
        "latin.md": "9 unreadable-item",
        "open.md": "4 unreadable-item",
        "large.md": "1 unreadable-item",
        "folder.md": "1 unreadable-item",
        "pipe.md": "1 unreadable-item",
        "nowhere.md": "1 unreadable-item",
        "far.md": "1 unreadable-item",
        "../linked": "1 unreadable-item",
    }


def test_what_is_no_item_is_a_finding_with_its_line_and_never_passed_over(tmp_path: Path) -> None:
    here = traced(tmp_path / "here")
    wanted = _plant(here.root)

    checked = check_trace(here)

    found = {
        os.path.relpath(each.path, f"{ITEMS}/need"): f"{each.line} {each.code}"
        for each in checked.report.findings
        if each.code == "unreadable-item"
    }
    assert found == wanted
    assert checked.report.counts == {"need": 1, "requirement": 2}
    assert check_trace(here) == checked


def test_a_link_within_the_project_is_followed_and_its_target_watched(tmp_path: Path, settled: None) -> None:
    here = traced(tmp_path)
    (tmp_path / "kept.md").write_text(item("NEED-kept", "need"))
    (tmp_path / ITEMS / "need" / "NEED-kept.md").symlink_to(tmp_path / "kept.md")
    assert check_trace(here).report.counts["need"] == 2
    before = key_of(here, read_stamps(here), None)

    (tmp_path / "kept.md").write_text(item("NEED-kept", "need", text="It shall be otherwise, and longer."))

    assert key_of(here, read_stamps(here), None) != before
    assert read_items(here, policy_of(here)).parsed == 1


def test_other_kinds_of_items_and_other_files_are_not_of_the_trace(tmp_path: Path) -> None:
    more = {
        f"{ITEMS}/lesson/learnt.md": "---\ntype: lesson\n---\nWe learnt.\n",
        f"{ITEMS}/need/.NEED-hidden.md": "rubbish",
        f"{ITEMS}/need/notes.txt": "rubbish",
        ".memory/sprint/s/items/need/NEED-of-sprint.md": item("NEED-of-sprint", "need"),
    }
    checked = check_trace(traced(tmp_path, **more))

    assert checked.report.counts == {"need": 1, "requirement": 2}


@pytest.mark.vfcc("REQ-TRACE-KNOWN")
def test_accepted_findings_are_left_out_until_their_last_day_and_mended_ones_are_named(tmp_path: Path) -> None:
    here = traced(tmp_path, **{LOW: item("REQ-low", "requirement", "refines NEED-none", verification="test")})
    keys = [each.key for each in check_trace(here).report.findings if each.code == "dangling-link"]
    assert len(keys) == 1
    names = (*keys, "gone|REQ-x|y", "nothing-to-evaluate||x")
    entries = tuple(BaselineEntry("", name) for name in names)
    found = Baseline(BaselineKind.TRACE, "ab" * 20, "human:You", "old", here.today(), entries)
    path = tmp_path / BaselineKind.TRACE.path
    path.parent.mkdir(parents=True)
    path.write_text(baseline_text(found))

    checked = check_trace(here)

    assert checked.known_list == BaselineKind.TRACE.path
    assert [each.key for each in checked.report.known] == keys
    assert checked.report.fixed == ("gone|REQ-x|y",)
    assert "dangling-link" not in codes(checked)

    path.write_text(baseline_text(replace(found, expires="2020-01-01")))
    over = check_trace(here)
    assert "dangling-link" in codes(over)
    assert f"{BaselineKind.TRACE.path} does not count: it ended on 2020-01-01" in over.notices
    path.write_text("[")
    with pytest.raises(FormatError, match="it is not JSON"):
        check_trace(here)


def test_a_list_that_the_configuration_names_is_no_longer_read(tmp_path: Path) -> None:
    here = traced(tmp_path, **{CONFIG: "trace: {baseline: list.json}\n"})

    assert "trace.baseline is no longer read; see vfcc baseline trace" in check_trace(here).notices


def test_the_settings_go_before_the_rules_of_the_workflow(tmp_path: Path) -> None:
    settings = 'trace: {id_pattern: "[A-Z]+-[0-9]+", code: ["src/**"], tests: ["checks/**"], exclude: ["src/**"]}\n'
    here = traced(tmp_path, **{CONFIG: settings})
    policy = policy_of(here)

    assert (policy.id_pattern, policy.code, policy.tests) == ("[A-Z]+-[0-9]+", ("src/**",), ("checks/**",))
    assert policy.digest != policy_of(traced(tmp_path, **{CONFIG: "format: 1\n"})).digest
    traced(tmp_path, **{CONFIG: settings})
    assert {"bad-id", "untraced-code"} <= codes(check_trace(here))
    assert [file.path for file in read_sources(here).sources.code] == ["tests/test_gauge.py"]


OURS = """name: ours
title: Ours
stages:
  - {id: plan, title: Plan, role: planner, leg: left, pair: check}
  - {id: build, title: Build, role: coder, leg: apex}
  - {id: check, title: Check, role: tester, leg: right, pair: plan}
trace: {id_pattern: "[A-Z]+-[a-z]+"}
"""


def test_kept_rules_are_those_of_the_workflow_file_as_it_is_now(tmp_path: Path) -> None:
    here = traced(tmp_path, **{CONFIG: "workflow: ours\n", ".memory/workflow.yaml": OURS})
    rules = here.local / "rules.json"
    parsed = policy_of(here)
    kept = rules.read_bytes()
    assert policy_of(here) == parsed
    assert parsed.id_pattern == "[A-Z]+-[a-z]+"

    write_tree(tmp_path, {".memory/workflow.yaml": OURS.replace("a-z", "0-9")})
    assert policy_of(here).id_pattern == "[A-Z]+-[0-9]+"
    write_tree(tmp_path, {".memory/workflow.yaml": OURS})
    rules.write_bytes(kept.replace(b"[a-z]+", b"[0-9]+"))
    assert policy_of(here) == parsed, "its checksum is wrong"


@pytest.mark.parametrize("name", shipped_workflows())
def test_rules_that_were_kept_are_those_that_were_parsed(tmp_path: Path, name: str) -> None:
    here = traced(tmp_path, **{CONFIG: f"workflow: {name}\n"})
    first = policy_of(here)

    assert (here.local / "rules.json").is_file()
    assert policy_of(here) == first
    assert first == policy_of(here, load_shipped(name))


def test_reports_of_the_configuration_are_read_every_time(tmp_path: Path) -> None:
    config = "trace: {reports: [build/junit.xml]}\n"
    here = traced(tmp_path, **{CONFIG: config, "build/junit.xml": junit(case("test_high"), case("test_low"))})
    checked = check_trace(here)
    assert checked.examined.tests == 2
    assert "stale-result" in codes(checked)

    (tmp_path / "build" / "junit.xml").unlink()
    assert "unreadable-report" in codes(check_trace(here))


def test_a_configuration_that_is_not_sound_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown key tagret"):
        check_trace(traced(tmp_path, **{CONFIG: "trace: {tagret: main}\n"}))


def test_a_project_without_items_is_not_evaluable_and_a_bare_check_is_silent_about_it(tmp_path: Path) -> None:
    here = Workspace(tmp_path)
    (tmp_path / ".memory").mkdir()
    (tmp_path / CONFIG).write_text(FILES[CONFIG])

    checked = check_trace(here)
    assert not checked.report.evaluable
    assert "nothing-to-evaluate" in codes(checked)
    assert check_everything(here).trace is None


def test_a_bare_check_has_the_trace_in_it_and_is_as_red(tmp_path: Path) -> None:
    here = traced(tmp_path)
    found = check_everything(here)

    assert found.trace == check_trace(here)
    assert any(each.severity is Severity.ERROR for each in check_trace(here).report.findings)
    assert found.code == 1


def test_the_need_of_the_example_is_refined(tmp_path: Path) -> None:
    assert told(check_trace(traced(tmp_path)), NEED) == []
