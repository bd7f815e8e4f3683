"""Removing a scratch folder changes nothing around it."""

from pathlib import Path

from verifflowcc.gates.store.scratch_tree import remove


def test_removing_a_folder_that_is_gone_leaves_the_permissions_of_the_one_around_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    remove(tmp_path / "gone")

    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_read_only_folder_is_removed_with_all_that_is_in_it(tmp_path: Path) -> None:
    inner = tmp_path / "scratch" / "inner"
    inner.mkdir(parents=True)
    (inner / "a.txt").write_text("a", encoding="utf-8")
    inner.chmod(0o500)

    remove(tmp_path / "scratch")

    assert not (tmp_path / "scratch").exists()
