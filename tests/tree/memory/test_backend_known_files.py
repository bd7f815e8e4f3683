"""One item of a store of files: a file that did not change since it was listed is not parsed again."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.tree.backend_items import make
from tests.tree.memory.test_backend_files import FACTS, FOLDER, open_at, put, settled  # noqa: F401 - a fixture
from verifflowcc.memory.store.file_backend import FilesBackend


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FilesBackend]:
    with closing(open_at(tmp_path)) as made:
        yield made


def test_an_item_whose_file_did_not_change_is_the_same_without_a_parser(
    tmp_path: Path, store: FilesBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, f"{FACTS}/a.md", make("a", title="Port").text)
    parsed = store.get("a")
    store.items()
    monkeypatch.delattr("verifflowcc.memory.store.memory_items.stored_item")

    assert store.get("a") == parsed is not None


def test_an_item_whose_file_changed_since_it_was_listed_is_read_again(tmp_path: Path, store: FilesBackend) -> None:
    put(tmp_path, f"{FACTS}/a.md", make("a", title="Port").text)
    store.items()
    put(tmp_path, f"{FACTS}/a.md", make("a", title="Another port").text)

    found = store.get("a")

    assert found is not None
    assert found.item.title == "Another port"


def test_a_folder_that_was_moved_out_and_linked_to_gives_no_item(tmp_path: Path) -> None:
    root = tmp_path / "project"
    put(root, f"{FACTS}/a.md", make("a").text)
    with closing(open_at(root)) as store:
        store.items()
        (root / FOLDER / "items").rename(tmp_path / "outside")
        (root / FOLDER / "items").symlink_to(tmp_path / "outside")

        assert store.get("a") is None
