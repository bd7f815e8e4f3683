"""Clients' files are read and written inside of the project alone, and never over what somebody wrote meanwhile."""

from pathlib import Path

import pytest

from verifflowcc.base.errors import ConflictError, FormatError, WorkspaceError
from verifflowcc.base.text.json_edit import Record
from verifflowcc.history.store.client_manifest import (
    LARGEST_BYTES,
    load_records,
    read_text,
    remove_empty,
    save_records,
    write_text,
)

PATH = ".claude/settings.json"
RECORD = Record("claude", "sha256:b", "sha256:a", ((3, 9), (12, 40)), ("hooks",), (".claude",))


def test_what_somebody_wrote_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    write_text(tmp_path, PATH, "{}", None)
    (tmp_path / PATH).write_text('{"mine": 1}', encoding="utf-8")

    with pytest.raises(ConflictError, match="somebody changed"):
        write_text(tmp_path, PATH, '{"ours": 1}', "{}")
    with pytest.raises(ConflictError, match="somebody changed"):
        write_text(tmp_path, PATH, None, "{}")

    assert read_text(tmp_path, PATH) == '{"mine": 1}'


def test_records_come_back_as_they_were_and_no_file_is_left_without_any(tmp_path: Path) -> None:
    manifest = tmp_path / "integrations.json"
    records = {PATH: RECORD, ".codex/hooks.json": Record("codex", "sha256:c")}

    save_records(manifest, records)

    assert load_records(manifest) == records
    before = manifest.read_bytes()
    save_records(manifest, dict(reversed(records.items())))
    assert manifest.read_bytes() == before
    save_records(manifest, {})
    assert not manifest.exists()
    assert load_records(manifest) == {}


@pytest.mark.parametrize("folder", ["/", "../..", "a/../../b"])
def test_a_record_names_no_folder_outside_of_the_project(tmp_path: Path, folder: str) -> None:
    manifest = tmp_path / "integrations.json"
    save_records(manifest, {PATH: Record("claude", "x", "", (), (), (folder,))})

    with pytest.raises(FormatError, match="it is not what vfcc wrote"):
        load_records(manifest)


def test_a_manifest_of_a_later_format_is_refused(tmp_path: Path) -> None:
    manifest = tmp_path / "integrations.json"
    manifest.write_text('{"format": 2, "files": {}}', encoding="utf-8")

    with pytest.raises(FormatError, match="format 2 is not one that vfcc knows"):
        load_records(manifest)


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b" " * (LARGEST_BYTES + 1))

    with pytest.raises(WorkspaceError, match="larger than 4 MiB"):
        read_text(tmp_path, "a.json")


def test_only_empty_folders_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".github/hooks").mkdir(parents=True)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/mine").write_text("x", encoding="utf-8")

    remove_empty(tmp_path, (".github", ".github/hooks", ".claude", "absent"))

    assert sorted(each.name for each in tmp_path.iterdir()) == [".claude"]
