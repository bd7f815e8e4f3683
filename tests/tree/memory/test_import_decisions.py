"""A folder of decision records as items: each under its own name, its body untouched, what it supersedes linked."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.trees import write_memory, write_tree
from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.model.entries import Question
from verifflowcc.base.model.item_values import Item, Relation, SourceKind, Status, Trust
from verifflowcc.base.use.workspace import Workspace, open_workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.items.rules.front_matter import split
from verifflowcc.memory.rules.superseded import excluded_items
from verifflowcc.memory.use.importing import IncomingItem, MemoryImportOptions, MemoryImportResult, import_memory
from verifflowcc.memory.use.stores import open_store
from verifflowcc.prompt.use.prompt_use import compile_context

DATA = Path(os.environ.get("VFCC_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
RECORDS = DATA / "cloud-platform-adrs" / "architecture-decision-record"
OLD = "# 1. Use REST\n\nDate: 2020-01-05\n\n## Status\n\nSuperseded by [2](0002-use-grpc.md)\n"
NEW = "# 2. Use gRPC\r\n\r\nDate: 2021-02-06\r\n\r\n## Status\r\n\r\nAccepted\r\n\r\nSee [1](0001-use-rest.md)"
SMALL = {
    "0001-use-rest.md": OLD,
    "0002-use-grpc.md": NEW,
    "README.md": "# The records\n",
    "adr-template.md": "# Title\n",
    ".hidden.md": "no\n",
    "notes.txt": "no\n",
}


def no_question(asked: Sequence[IncomingItem]) -> None:
    raise AssertionError(f"asked about {asked}")


def take(here: Workspace, source: Path, **choices: object) -> MemoryImportResult:
    choices = {"type": "decision", **choices}
    chosen = MemoryImportOptions(**choices)  # type: ignore[arg-type]
    return import_memory(here, str(source), chosen, actor="human:You", confirm=no_question, today="2026-11-21")


def fates(done: MemoryImportResult) -> dict[str, str]:
    return {Path(each.where).name: str(each.outcome) for each in done.items}


def items(here: Workspace) -> dict[str, Item]:
    with open_store(here, "project") as store:
        return {item.id: item for item in store.items()}


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    return Workspace(write_memory(tmp_path / "p", {"config.yaml": "format: 1\n"}))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "adr", {name: text.encode() for name, text in SMALL.items()})


def test_each_record_is_a_file_of_its_own_name_with_its_body_byte_for_byte(here: Workspace, small: Path) -> None:
    assert fates(take(here, small)) == {
        "0001-use-rest.md": "added",
        "0002-use-grpc.md": "added",
        "README.md": "left out",
        "adr-template.md": "left out",
    }
    folder = here.memory / "project" / "decisions"
    assert sorted(path.name for path in folder.iterdir()) == ["0001-use-rest.md", "0002-use-grpc.md"]
    for name in ("0001-use-rest.md", "0002-use-grpc.md"):
        text = (folder / name).read_bytes().decode()
        assert split(text).body == SMALL[name]
    assert b"\n" not in (folder / "0002-use-grpc.md").read_bytes().replace(b"\r\n", b"")


def test_an_item_says_what_the_record_says(here: Workspace, small: Path) -> None:
    take(here, small)
    found = items(here)["0001-use-rest"]

    assert (found.type, found.title, found.created) == ("decision", "Use REST", "2020-01-05")
    assert (found.source.kind, found.source.actor, found.trust) == (SourceKind.IMPORTED, "human:You", Trust.HUMAN)
    assert found.status is Status.ACTIVE


def test_what_supersedes_another_is_linked_wherever_that_is_said(here: Workspace, small: Path) -> None:
    take(here, small)
    found = items(here)

    assert [(link.to, link.relation) for link in found["0002-use-grpc"].links] == [
        ("0001-use-rest", Relation.SUPERSEDES)
    ]
    assert found["0001-use-rest"].links == ()
    assert list(excluded_items(tuple(found.values())).left_out) == [".memory/project/decisions/0001-use-rest.md"]


def test_the_second_run_changes_nothing_and_an_edited_record_is_a_conflict(here: Workspace, small: Path) -> None:
    take(here, small)
    before = {path: path.read_bytes() for path in here.memory.rglob("*.md")}

    assert set(fates(take(here, small)).values()) == {"unchanged", "left out"}
    assert {path: path.read_bytes() for path in here.memory.rglob("*.md")} == before
    (small / "0001-use-rest.md").write_text(OLD + "More.\n", encoding="utf-8")
    assert fates(take(here, small))["0001-use-rest.md"] == "conflict"
    assert {path: path.read_bytes() for path in here.memory.rglob("*.md")} == before


def test_front_matter_that_is_there_stays_and_is_added_to(here: Workspace, tmp_path: Path) -> None:
    text = "---\nstatus: accepted # by all\ndate: 2022-03-04\ndeciders: [A,  B]\n---\n# Use X\n"
    path = write_tree(tmp_path / "adr", {"use-x.md": text}) / "use-x.md"
    take(here, path)
    kept = (here.memory / "project/decisions/use-x.md").read_text(encoding="utf-8")

    assert "status: accepted # by all\ndate: 2022-03-04\ndeciders: [A,  B]\n" in kept
    assert kept.endswith("---\n# Use X\n")
    assert items(here)["use-x"].created == "2022-03-04"


def test_a_file_that_is_in_the_way_is_told_and_left_alone(here: Workspace, small: Path) -> None:
    write_memory(here.root, {"project/decisions/0001-use-rest.md": "# Mine\n"})

    done = take(here, small)

    assert fates(done)["0001-use-rest.md"] == "conflict"
    assert (here.memory / "project/decisions/0001-use-rest.md").read_text(encoding="utf-8") == "# Mine\n"


def test_folders_below_stay_folders_and_names_that_are_no_ids_get_one(here: Workspace, tmp_path: Path) -> None:
    write_tree(tmp_path / "adr", {"api/0001-x.md": "# X\n", "Für alle.md": "# Y\n"})
    take(here, tmp_path / "adr")
    found = {item.id: item.path.removeprefix(".memory/project/decisions/") for item in items(here).values()}

    assert found == {"api-0001-x": "api/0001-x.md", "fur-alle": "Für alle.md"}


def test_other_types_go_to_the_folder_of_their_type(here: Workspace, tmp_path: Path) -> None:
    write_tree(tmp_path / "notes", {"a.md": "# A\n"})
    take(here, tmp_path / "notes", type="guideline")
    take(here, tmp_path / "notes", type="convention", scope="project", replace=True)

    assert items(here)["a"].type in {"guideline", "convention"}
    assert (here.memory / "project/items/guideline/a.md").is_file()


def test_what_cannot_be_read_is_told_and_nothing_is_imported(here: Workspace, small: Path, tmp_path: Path) -> None:
    (small / "0003-bad.md").write_bytes(b"\xff")
    (small / "0004-open.md").write_bytes(b"---\nid: x\n# never closed\n")

    with pytest.raises(FormatError) as told:
        take(here, small)
    assert "0003-bad.md:1: not UTF-8" in told.value.message
    assert not list(here.memory.rglob("*.md"))
    with pytest.raises(UsageError, match="there is no Markdown file"):
        take(here, write_tree(tmp_path / "empty", {"a.txt": "x"}))
    with pytest.raises(UsageError, match="there is no file or folder"):
        take(here, tmp_path / "nowhere", format="markdown")


@pytest.mark.skipif(not RECORDS.is_dir(), reason="the data set cloud-platform-adrs is not here")
class TestRealRecords:
    """Records of a real team."""

    @pytest.fixture
    def project(self, tmp_path: Path) -> Workspace:
        (tmp_path / "real").mkdir()
        initialise(tmp_path / "real")
        return open_workspace(tmp_path / "real")

    def test_all_are_taken_and_those_that_supersede_are_linked(self, project: Workspace) -> None:
        done = take(project, RECORDS)
        found = items(project)
        linked = {item.id: [link.to for link in item.links] for item in found.values() if item.links}

        names = {path.stem for path in RECORDS.glob("*.md")} - {"README"}
        assert names <= found.keys()
        assert set(fates(done).values()) == {"added", "left out"}
        assert linked == {"036-multi-cluster": ["021-Multi-cluster"]}
        assert set(fates(take(project, RECORDS)).values()) == {"unchanged", "left out"}

    def test_what_is_superseded_is_out_of_the_prompt_with_its_reason(self, project: Workspace) -> None:
        take(project, RECORDS)
        skipped = {
            one.key.removeprefix("decisions/"): one.reason
            for one in compile_context(project, Question("coder")).skipped
        }

        assert skipped["021-Multi-cluster.md"] == "superseded by .memory/project/decisions/036-multi-cluster.md"
        assert skipped["037-serverless.md"] == "rejected"

    def test_every_body_is_the_record_byte_for_byte(self, project: Workspace) -> None:
        take(project, RECORDS)
        for path in RECORDS.glob("*.md"):
            if path.stem != "README":
                kept = (project.memory / "project" / "decisions" / path.name).read_bytes()
                assert kept.endswith(path.read_bytes()), path.name
