"""`import_items` on a tree: what it writes, and what the second run finds."""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.fault_runs import Fault, Run, import_program
from tests.fault_runs import run as run_stopped
from tests.trees import write_memory, write_tree
from verifflowcc.base.errors import ConflictError, FormatError, UsageError, VfccError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.item_files import writing_items
from verifflowcc.base.files.layout import JOURNAL
from verifflowcc.base.files.write import is_temporary
from verifflowcc.base.model.item_values import Status, Trust
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.rules.import_values import ChangeSide
from verifflowcc.sprint.use.pinned_workflow import policy_of
from verifflowcc.trace.rules.adopt import AdoptionChoices
from verifflowcc.trace.rules.import_doorstop import stamp
from verifflowcc.trace.store.foreign_files import ImportSource
from verifflowcc.trace.use.trace_code import read_items
from verifflowcc.trace.use.trace_edits import link_items
from verifflowcc.trace.use.trace_import import ImportReport, TraceImportOutcome, export_items, import_items
from verifflowcc.trace.use.trace_reviews import plan_review, review_items

YOU = "human:You"
GOOD = stamp("REQ001", {"text": "It shall open.\n"}, ())
DOORSTOP = {
    "reqs/.doorstop.yml": "settings: {digits: 3, prefix: REQ, sep: ''}\n",
    "reqs/REQ001.yml": f"active: true\nlinks: []\nreviewed: {GOOD}\ntext: |\n  It shall open.\n",
    "reqs/REQ002.yml": "header: |\n  Doors\nnormative: false\nlevel: 1.0\ntext: ''\n",
    "reqs/REQ003.yml": "active: false\nderived: true\ntext: |\n  It shall ring.\n",
    "reqs/tst/.doorstop.yml": "settings: {digits: 3, parent: REQ, prefix: TST, sep: ''}\n",
    "reqs/tst/TST001.yml": f"links:\n- REQ001: {GOOD}\nreviewed: b2xk\ntext: |\n  Push it.\n",
    "reqs/tst/TST002.yml": "links:\n- REQ001: b2xk\nreferences: [{type: file, path: src/door.c},"
    " {type: file, path: gone.c}]\ntext: |\n  Pull it.\n",
}


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    write_memory(tmp_path, {"config.yaml": "format: 1\nworkflow: standard\n"})
    write_tree(tmp_path, {**DOORSTOP, "src/door.c": "int open;\n"})
    return Workspace(tmp_path)


def run(here: Workspace, *paths: str, actor: str = YOU, update: bool = False, dry_run: bool = False) -> ImportReport:
    given = ImportSource(tuple(here.root / each for each in paths or ("reqs",)))
    return import_items(here, given, AdoptionChoices(), actor=actor, update=update, dry_run=dry_run)


def items(here: Workspace) -> dict[str, TraceItem]:
    return {item.id: item for item in read_items(here, policy_of(here)).items}


def tree(here: Workspace) -> dict[str, bytes]:
    folder = here.memory / "project"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def without_temporary(here: Workspace) -> dict[str, bytes]:
    return {path: data for path, data in tree(here).items() if not is_temporary(path.rpartition("/")[2])}


def edit(path: Path, change: Callable[[str], str]) -> None:
    before = path.read_text(encoding="utf-8")
    assert change(before) != before
    path.write_text(change(before), encoding="utf-8")


def outcomes(report: ImportReport) -> Mapping[str, TraceImportOutcome]:
    return {each.id: each.outcome for each in report.items}


def test_each_item_becomes_a_file_that_says_where_it_is_from(here: Workspace) -> None:
    report = run(here)
    found = items(here)
    assert report.written == len(found) == 5
    assert not [flaw for item in found.values() for flaw in item.flaws if flaw.code != "empty-text"]
    assert {name: item.type for name, item in found.items()} == {
        **dict.fromkeys(("REQ001", "REQ003"), "need"),
        "REQ002": "information",
        **dict.fromkeys(("TST001", "TST002"), "test_spec"),
    }
    text = (here.root / found["TST002"].path).read_text(encoding="utf-8")
    assert "source: {kind: imported, actor: human:You}" in text
    assert "imported: {tool: doorstop, from: reqs/tst/TST002.yml, id: TST002, " in text


def test_what_an_item_is_stays(here: Workspace) -> None:
    run(here)
    found = items(here)
    assert (found["REQ003"].status, found["REQ003"].derived) == (Status.ARCHIVED, True)
    assert (found["REQ002"].title, found["REQ001"].title) == ("Doors", "It shall open.")
    assert [ref.path for ref in found["TST002"].refs] == ["src/door.c"]


def test_a_stamp_that_holds_becomes_ours_and_another_stays_doorstops(here: Workspace) -> None:
    run(here)
    found = items(here)
    holds, broken = (found[name].links[0].stamp for name in ("TST001", "TST002"))
    assert holds is not None
    assert broken is not None
    assert holds.fingerprint.endswith(f"/{found['REQ001'].digest}/{found['TST001'].digest}")
    assert (broken.fingerprint, broken.by) == ("doorstop:b2xk", "tool:doorstop")
    reviews = {name: item.reviewed.fingerprint for name, item in found.items() if item.reviewed}
    assert reviews["REQ001"].endswith(f"/{found['REQ001'].digest}")
    assert reviews["TST001"] == "doorstop:b2xk"
    assert set(reviews) == {"REQ001", "TST001"}


def test_a_person_vouches_for_what_they_import_and_nobody_else_does(here: Workspace, tmp_path: Path) -> None:
    run(here)
    assert {item.trust for item in items(here).values()} == {Trust.HUMAN}
    other = Workspace(write_memory(tmp_path / "other", {"config.yaml": "format: 1\n"}))
    import_items(other, ImportSource((here.root / "reqs",)), AdoptionChoices(), actor="agent:coder")
    assert {item.trust for item in items(other).values()} == {Trust.EXTERNAL}


def test_what_is_not_carried_over_is_told(here: Workspace) -> None:
    assert run(here).not_imported == ("reqs/tst/TST002.yml:1: refers to a file that is not in this project (gone.c)",)


def test_the_second_run_changes_nothing(here: Workspace) -> None:
    run(here)
    before = tree(here)
    report = run(here, actor="agent:coder", update=True)
    assert (report.written, set(outcomes(report).values())) == (0, {TraceImportOutcome.SAME})
    assert tree(here) == before


def test_a_dry_run_says_the_same_and_writes_nothing(here: Workspace) -> None:
    before = tree(here)
    planned = run(here, dry_run=True)
    assert (planned.written, tree(here)) == (0, before)
    assert planned.items == run(here).items


def test_an_edit_here_is_told_and_kept_even_under_update(here: Workspace) -> None:
    run(here)
    path = here.root / items(here)["REQ001"].path
    edit(
        path,
        lambda text: text.replace("\n\nIt shall open.\n", "\n\nIt shall open wide.\n"),
    )
    before = tree(here)
    for update in (False, True):
        report = run(here, update=update)
        told = next(each for each in report.items if each.id == "REQ001")
        assert (told.outcome, told.parts) == (TraceImportOutcome.DIFFERENT, {"text": ChangeSide.HERE})
        assert (report.written, tree(here)) == (0, before)


def test_a_change_there_is_told_and_taken_under_update(here: Workspace) -> None:
    run(here)
    path = here.root / items(here)["REQ001"].path
    edit(path, lambda text: text.replace("trust: human\n", "trust: human  # ours\n"))
    edit(here.root / "reqs/REQ001.yml", lambda text: text.replace("open", "close"))
    before = tree(here)
    told = run(here)
    assert (told.written, tree(here)) == (0, before)
    parts = next(each.parts for each in told.items if each.id == "REQ001")
    assert parts == dict.fromkeys(("title", "reviewed", "text"), ChangeSide.THERE)
    assert run(here, update=True).count(TraceImportOutcome.UPDATED) == 2
    after = items(here)
    assert (after["REQ001"].text, after["REQ001"].title) == ("It shall close.", "It shall close.")
    assert "trust: human  # ours\n" in path.read_text(encoding="utf-8")
    stale, suspect = after["REQ001"].reviewed, after["TST001"].links[0].stamp
    assert stale is not None
    assert suspect is not None
    assert stale.fingerprint.startswith("doorstop:")
    assert suspect.fingerprint == f"doorstop:{GOOD}"
    again = tree(here)
    assert (run(here, update=True).written, tree(here)) == (0, again)


def test_update_keeps_what_only_changed_here(here: Workspace) -> None:
    run(here)
    path = here.root / items(here)["TST002"].path
    edit(path, lambda text: text.replace("status: active", "status: pending"))
    edit(here.root / "reqs/tst/TST002.yml", lambda text: text.replace("Pull", "Draw"))
    told = next(each for each in run(here, update=True).items if each.id == "TST002")
    assert (told.parts["status"], told.parts["text"]) == (ChangeSide.HERE, ChangeSide.THERE)
    assert (items(here)["TST002"].status, items(here)["TST002"].text) == (Status.PENDING, "Draw it.")


def test_what_was_taken_is_what_the_next_change_is_held_against(here: Workspace) -> None:
    run(here)
    for old, new in (("Pull", "Draw"), ("Draw", "Drag")):
        edit(here.root / "reqs/tst/TST002.yml", lambda text, old=old, new=new: text.replace(old, new))  # type: ignore[misc]
        told = next(each for each in run(here, update=True).items if each.id == "TST002")
        assert told.parts["text"] is ChangeSide.THERE


def test_both_sides_changed_is_told_and_theirs_is_taken_when_asked_for(here: Workspace) -> None:
    run(here)
    path = here.root / items(here)["TST002"].path
    edit(path, lambda text: text.replace("Pull it.\n", "Tear it.\n"))
    edit(here.root / "reqs/tst/TST002.yml", lambda text: text.replace("Pull", "Draw"))
    assert next(each for each in run(here).items if each.id == "TST002").parts["text"] is ChangeSide.BOTH
    assert items(here)["TST002"].text == "Tear it."
    run(here, update=True)
    assert items(here)["TST002"].text == "Draw it."


def test_an_update_keeps_links_and_reviews_of_this_project_and_names_what_is_suspect(here: Workspace) -> None:
    needs = "N-1,need,Users log in.,\nN-2,need,Doors lock.,\nN-3,need,Bells ring.,\n"
    write_tree(here.root, {"a.csv": f"id,type,text,parent\n{needs}R-1,req,Lock it.,N-1 N-2\n"})
    run(here, "a.csv")
    link_items(here, "R-1", "N-3", "refines")
    review_items(here, plan_review(here, ("R-1", "N-1", "N-2"), own=True, actor=YOU), actor=YOU)
    assert {each.id: each.parts for each in run(here, "a.csv").items if each.parts} == {
        "R-1": {"links": ChangeSide.HERE}
    }
    edit(here.root / "a.csv", lambda text: text.replace("Users log", "Guests log").replace("N-1 N-2", "N-2"))
    asked = run(here, "a.csv", dry_run=True, update=True)
    assert {each.id: each.diff for each in asked.items if each.diff} == {
        "N-1": ("- title: Users log in.", "+ title: Guests log in.", "- Users log in.", "+ Guests log in."),
        "R-1": ("- refines N-1",),
    }
    report = run(here, "a.csv", update=True)
    assert report.suspects == asked.suspects == ("N-1", "R-1")
    after = items(here)
    assert [(link.to, link.stamp is not None) for link in after["R-1"].links] == [("N-2", True), ("N-3", True)]
    assert {name for name, each in after.items() if each.reviewed} == {"N-1", "N-2", "R-1"}
    assert run(here, "a.csv", update=True).written == 0


def test_a_run_that_was_cut_off_is_healed_by_the_next(here: Workspace) -> None:
    run(here)
    whole = tree(here)
    for name in ("REQ001", "TST002"):
        (here.root / items(here)[name].path).unlink()
    assert run(here).written == 2
    assert tree(here) == whole


def test_an_item_that_is_gone_there_stays_and_is_told(here: Workspace) -> None:
    run(here)
    (here.root / "reqs/tst/TST002.yml").unlink()
    report = run(here, update=True)
    assert outcomes(report)["TST002"] is TraceImportOutcome.GONE
    assert "TST002" in items(here)


def test_another_source_of_the_same_tool_says_nothing_of_the_first(here: Workspace) -> None:
    write_tree(here.root, {"a.csv": "id,text\nA-1,It shall open.\n", "b.csv": "id,text\nB-1,It shall close.\n"})
    run(here, "a.csv")
    assert outcomes(run(here, "b.csv")) == {"B-1": TraceImportOutcome.NEW}


def test_an_item_of_ours_is_never_taken_over(here: Workspace) -> None:
    own = ".memory/project/items/need/REQ001.md"
    write_tree(here.root, {own: "---\nid: REQ001\ntype: need\n---\n\nOurs.\n"})
    report = run(here)
    assert "REQ001" not in outcomes(report)
    assert "reqs/REQ001.yml:1: an item REQ001 is here already, and no import of this made it" in report.not_imported
    assert (here.root / own).read_text(encoding="utf-8").endswith("Ours.\n")


def test_an_item_that_was_renamed_here_is_found_again(here: Workspace) -> None:
    run(here)
    old = here.root / items(here)["REQ001"].path
    edit(old, lambda text: text.replace("id: REQ001\ntype", "id: DOOR\ntype"))
    old.rename(old.with_name("DOOR.md"))
    told = {each.foreign_id: each for each in run(here).items}
    assert (told["REQ001"].id, told["REQ001"].outcome) == ("DOOR", TraceImportOutcome.SAME)
    assert told["TST001"].parts == {"links": ChangeSide.THERE}


def test_ids_that_cannot_stay_are_made_the_same_every_time(here: Workspace) -> None:
    write_tree(here.root, {"a.csv": "id,text,parent\nR/1/2,One.,\nR-1-2,Two.,R/1/2\ncon,Three.,\n"})
    report = run(here, "a.csv")
    ours = dict(report.renamed)
    assert set(ours) == {"R/1/2", "con"}
    assert items(here)["R-1-2"].links[0].to == ours["R/1/2"]
    assert run(here, "a.csv").written == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("reqs/.doorstop.yml", "settings: [unclosed\n"),
        ("bad.sdoc", "[DOCUMENT]\nTITLE: A\n\n[REQUIREMENT]\nUID: A\nnonsense\n"),
        ("bad.json", "{"),
        ("bad.csv", "Name\nx\n"),
        ("empty.csv", "id,text\n"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_place_and_nothing_is_written(
    here: Workspace, name: str, text: str
) -> None:
    write_tree(here.root, {name: text})
    before = tree(here)
    with pytest.raises(FormatError, match=rf"^{name}:\d+: "):
        run(here, "reqs" if name.startswith("reqs") else name)
    assert tree(here) == before


@pytest.mark.parametrize(
    "choices",
    [
        AdoptionChoices(type="requirment"),
        AdoptionChoices(types={"REQ": "x"}),
        AdoptionChoices(relation="x"),
        AdoptionChoices(verification="x"),
    ],
)
def test_a_word_that_is_none_of_ours_is_refused(here: Workspace, choices: AdoptionChoices) -> None:
    with pytest.raises(UsageError):
        import_items(here, ImportSource((here.root / "reqs",)), choices, actor=YOU)


def test_a_malformed_part_is_skipped_and_refused_when_strict(here: Workspace) -> None:
    text = "req~a~1\n\nIt shall open.\n\nCovers:\n* everything\n"
    write_tree(here.root, {"a.md": text})
    given = ImportSource((here.root / "a.md",))

    with pytest.raises(FormatError, match=r"^a\.md:6: `Covers`"):
        import_items(here, given, AdoptionChoices(), actor=YOU, strict=True)
    assert items(here) == {}
    report = import_items(here, given, AdoptionChoices(), actor=YOU)
    assert (set(items(here)), len(report.not_imported)) == ({"req-a"}, 1)


SDOC = "[DOCUMENT]\nTITLE: A\n\n[REQUIREMENT]\nUID: A-{}\nSTATEMENT: It shall open.\n"
MANY_ALIASES = "a: &a [1]\nb: [" + "*a, " * 21 + "]\n"


@pytest.mark.parametrize(
    ("folder", "files", "mapping"),
    [
        ("reqs", {"reqs/REQ009.yml": "text: [unclosed\n"}, None),
        ("reqs", {"reqs/REQ009.yml": MANY_ALIASES}, None),
        ("reqs", {"reqs/REQ009.yml": "text: 3\n"}, None),
        ("docs", {"docs/b.sdoc": SDOC.format(2) + "nonsense\n", "docs/a.sdoc": SDOC.format(1)}, None),
        ("docs", {"docs/b.csv": "Name\nx\n", "docs/a.csv": "id,text\nR-1,Open.\n"}, None),
        ("docs", {"docs/b.json": "{", "docs/a.json": '{"versions": {"": {"needs": {"A": {"id": "A"}}}}}'}, None),
        ("docs", {"docs/b.yml": "a: [", "docs/a.yml": "t: Open.\n", "map.yml": "text: t\n"}, "map.yml"),
    ],
)
def test_a_file_of_many_that_cannot_be_read_is_skipped_and_refused_when_strict(
    here: Workspace, folder: str, files: dict[str, str], mapping: str | None
) -> None:
    write_tree(here.root, files)
    given = ImportSource((here.root / folder,), mapping=here.root / mapping if mapping else None)
    bad = next(iter(files))

    with pytest.raises(FormatError, match=rf"^{bad}:\d+: "):
        import_items(here, given, AdoptionChoices(), actor=YOU, strict=True)
    assert items(here) == {}
    report = import_items(here, given, AdoptionChoices(), actor=YOU)
    assert items(here)
    assert [line.partition(":")[0] for line in report.not_imported].count(bad) == 1


def test_an_item_whose_file_can_no_longer_be_read_is_not_gone(here: Workspace) -> None:
    run(here)
    (here.root / "reqs" / "REQ001.yml").write_text("text: [\n", encoding="utf-8")
    assert run(here).count(TraceImportOutcome.GONE) == 0


def test_what_a_person_chose_goes_first(here: Workspace) -> None:
    choices = AdoptionChoices(type="requirement", types={"*/tst/*": "unit"}, verification="review")
    import_items(here, ImportSource((here.root / "reqs",)), choices, actor=YOU)
    found = items(here)
    assert (found["REQ001"].type, found["TST001"].type, found["REQ002"].type) == ("requirement", "unit", "information")
    assert (found["REQ001"].verification, found["REQ002"].verification) == ("review", None)


def test_rationale_and_the_rest_stand_in_sections_that_are_not_normative(here: Workspace) -> None:
    sdoc = "[DOCUMENT]\nTITLE: A\n\n[REQUIREMENT]\nUID: A-1\nSTATUS: Backlog\nOWNER: You\nSTATEMENT: It shall open.\n"
    write_tree(here.root, {"a.sdoc": f"{sdoc}RATIONALE: >>>\nPeople.\n\n# Really\n<<<\nCOMMENT: Ask.\n"})
    run(here, "a.sdoc")
    item = items(here)["A-1"]
    assert (item.text, item.status) == ("It shall open.", Status.PENDING)
    assert item.rationale == "People.\n\n\\# Really"
    text = (here.root / item.path).read_text(encoding="utf-8")
    assert "## Comments\n\nAsk.\n\n## Notes\n\n**status**: Backlog\n\n**OWNER**: You\n" in text


@pytest.mark.parametrize("form", ["csv", "reqif"])
def test_what_was_exported_is_imported_with_the_same_fingerprints(here: Workspace, tmp_path: Path, form: str) -> None:
    if form == "reqif":
        pytest.importorskip("reqif", reason="the package reqif is not here")
    table = 'id,type,text,title,parent,verification,rationale\nN-1,need,"A <b> & ""c""",Need,,,\n'
    write_tree(here.root, {"a.csv": f'{table}R-1,requirement,"x\n\n\n  y",Some,N-1,test,Why\n'})
    run(here, "a.csv")
    other = Workspace(write_memory(tmp_path / "other", {"config.yaml": "format: 1\nworkflow: standard\n"}))
    exported = export_items(here, form)
    write_tree(other.root, {f"x.{form}": exported.text})
    import_items(other, ImportSource((other.root / f"x.{form}",)), AdoptionChoices(), actor=YOU)
    ours, theirs = items(here), items(other)
    assert exported.items == len(theirs) == 2
    assert {name: (each.digest, each.rationale, each.type) for name, each in ours.items()} == {
        name: (each.digest, each.rationale, each.type) for name, each in theirs.items()
    }


def test_an_export_as_json_holds_every_item(here: Workspace) -> None:
    run(here)
    whole = json.loads(export_items(here, "json").text)
    assert [each["id"] for each in whole["items"]] == ["REQ001", "REQ002", "REQ003", "TST001", "TST002"]
    assert whole["items"][3]["links"][0]["to"] == "REQ001"


def test_an_export_of_nothing_or_of_unreadable_items_is_refused(here: Workspace) -> None:
    with pytest.raises(UsageError, match="no item"):
        export_items(here, "csv")
    run(here)
    (here.root / items(here)["REQ001"].path).write_bytes(b"\xff")
    with pytest.raises(VfccError, match=r"REQ001\.md"):
        export_items(here, "csv")


CHANGED = "id,type,text,parent\nN-1,need,Guests log in.,\nR-1,req,Lock it.,N-1\nR-2,req,Ring.,N-1\nN-2,need,Doors.,\n"


def test_an_import_is_whole_or_absent_wherever_it_is_killed_or_fails(
    here: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)  # else a slow machine takes other steps than a fast one
    import_program()
    write_tree(here.root, {"a.csv": "id,type,text,parent\nN-1,need,Users log in.,\nR-1,req,Lock.,N-1\n"})
    run(here, "a.csv")
    write_tree(here.root, {"a.csv": CHANGED})
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    absent, whole, ends, step = tree(here), dict[str, bytes](), set[str](), 0

    def stopped(how: str, number: int) -> tuple[Workspace, Run]:
        copied = Workspace(tmp_path / "stopped" / f"{how}{number}")
        shutil.copytree(here.memory, copied.memory)
        shutil.copy(here.root / "a.csv", copied.root)
        fault = Fault(number, how)
        words = ("trace", "import", "a.csv", "--update")
        return copied, run_stopped(words, copied.root, env, (copied.memory,), fault)

    whole = tree(stopped("KILL", 1000)[0])
    assert len(whole) == len(absent) + 2
    for how in ("KILL", "ENOSPC"):
        step = 0
        while (done := stopped(how, step))[1].steps > step:
            root, ended = done
            assert "Traceback" not in ended.err
            plain = without_temporary(root)
            if plain == absent:
                ends.add(f"{how} absent")
            elif plain == whole and not (root.memory / JOURNAL).exists():
                ends.add(f"{how} whole")  # the journal went last
            else:
                ends.add(f"{how} refused")
                with pytest.raises(ConflictError, match="an import is being written, or was cut off"):
                    read_items(root, policy_of(root))
            cut = (root.memory / JOURNAL).exists()
            with writing_items(root.memory):
                left = without_temporary(root)
            assert left == (whole if cut or plain == whole else absent)
            step += 1 if how == "KILL" else 4
        assert done[1].code == 0, done[1]
        assert tree(done[0]) == whole
    assert ends >= {"KILL absent", "KILL refused", "ENOSPC absent"}
    assert "ENOSPC refused" not in ends


MAPPING = """\
kind: type
title: name
text: [text, test-brief]
notes: description
links: [links, "checks.*.links"]
link: {to: uid}
types: {test-case: test_spec, glossary: null}
relations: {requirement-refinement: refines, validation: verifies, placement-order: null}
"""
MAPPED_TREE = {
    "spec/root.yml": "type: requirement\ntext: It shall run.\nlinks: []\n",
    "spec/clock/req/get.yml": "type: requirement\nname: get\ntext: |\n  It shall get.\nrationale: Time.\nlinks:\n"
    "- {role: requirement-refinement, uid: ../../root}\n- {role: placement-order, uid: /root}\n",
    "spec/clock/val/get.yml": "type: test-case\ntest-brief: Get it.\ndescription: Slow.\nlinks: []\nchecks:\n"
    "- links:\n  - {role: validation, uid: ../req/get}\n- links: [{role: validation, uid: /root}]\n",
    "spec/word.yml": "type: glossary\ntext: A word.\n",
    "map.yml": MAPPING,
}


def test_a_tree_of_yaml_with_its_own_schema_is_imported_by_a_mapping(here: Workspace) -> None:
    write_tree(here.root, MAPPED_TREE)
    given = ImportSource((here.root / "spec",), mapping=here.root / "map.yml")
    report = import_items(here, given, AdoptionChoices(), actor=YOU)
    found = items(here)
    assert {name: (each.type, each.text) for name, each in found.items()} == {
        "root": ("requirement", "It shall run."),
        "clock-req-get": ("requirement", "It shall get."),
        "clock-val-get": ("test_spec", "Get it."),
    }
    assert {(name, each.relation, each.to) for name, item in found.items() for each in item.links} == {
        ("clock-req-get", "refines", "root"),
        ("clock-val-get", "verifies", "clock-req-get"),
        ("clock-val-get", "verifies", "root"),
    }
    assert "**description**: Slow." in (here.root / found["clock-val-get"].path).read_text("utf-8")
    assert report.not_imported == (
        "map.yml:1: the mapping does not name the field rationale (1 items)",
        "map.yml:1: the mapping leaves out items of the kind glossary (1)",
        "map.yml:1: the mapping leaves out links with the role placement-order (1)",
    )
    assert import_items(here, given, AdoptionChoices(), actor=YOU).written == 0


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("txt: text\n", r"map\.yml:1: a mapping has no key txt; there are id, kind"),
        ("kind: type\n", r"map\.yml:1: a mapping names the field of the text"),
        ("[", r"map\.yml:2: "),
    ],
)
def test_a_mapping_that_is_none_is_refused(here: Workspace, mapping: str, message: str) -> None:
    write_tree(here.root, {**MAPPED_TREE, "map.yml": mapping})
    given = ImportSource((here.root / "spec",), mapping=here.root / "map.yml")
    with pytest.raises(FormatError, match=message):
        import_items(here, given, AdoptionChoices(), actor=YOU)
    with pytest.raises(UsageError, match="needs a mapping"):
        import_items(here, ImportSource((here.root / "spec",), "yaml"), AdoptionChoices(), actor=YOU)
