"""A file of derived data is believed while it is whole, of this version and for this key."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.derived_files import forge_in
from verifflowcc.base.files import write as derived_file
from verifflowcc.base.files.write import DerivedFile

STORE = DerivedFile("kept/*.json", 3, keyed_by="a word", largest_bytes=1_000, most=2)
VALUE = {"a": [1, None, "é\ud800"]}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "memory" / "local" / "kept" / "one.json"
    assert STORE.write(path, VALUE, "key")
    assert STORE.read(path, "key") == VALUE
    return path


def _linked(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def _moved_out(path: Path) -> None:
    path.parent.rename(path.parents[3] / "outside")
    path.parent.symlink_to(path.parents[3] / "outside")


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes().replace(b"[1,", b"[2,")),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: forge_in(path, b'"key":[3,', b'"key":[2,'),
        lambda path: forge_in(path, b"[1,", b"[" + b" " * 1_000 + b"1,"),
        lambda path: path.unlink(),
        _linked,
        _moved_out,
    ],
)
def test_what_is_damaged_old_large_or_elsewhere_counts_as_absent(kept: Path, damage: Callable[[Path], None]) -> None:
    damage(kept)
    assert STORE.read(kept, "key") is None


def test_another_key_or_version_has_another_value(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert STORE.read(kept, "other") is None
    monkeypatch.setattr(derived_file, "__version__", "0.0.0")
    assert STORE.read(kept, "key") is None


def test_the_latest_files_of_a_folder_stay(kept: Path) -> None:
    for number, name in enumerate(("two", "three"), 1):
        os.utime(kept.with_name("one.json"), ns=(number, number))
        STORE.write(kept.with_name(f"{name}.json"), number)
    assert sorted(path.name for path in kept.parent.iterdir()) == ["three.json", "two.json"]


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "local").write_text("a file where the folder should be")
    assert not STORE.write(tmp_path / "local" / "kept" / "one.json", VALUE)
