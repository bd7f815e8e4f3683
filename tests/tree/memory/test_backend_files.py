"""The store of files: what lies in its folder is what it holds, and its index changes no answer."""

import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.cli.trees import everything
from tests.tiers import count
from tests.tree.backend_conformance import ids
from tests.tree.backend_items import make, texts_of_files
from verifflowcc.base.errors import BackendError, ConflictError, WorkspaceError
from verifflowcc.memory.store.file_backend import FilesBackend, ScopeLock
from verifflowcc.memory.store.placing import stored_item

FOLDER = ".memory/project"
FACTS = f"{FOLDER}/items/fact"
opened: list[str] = []


def note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str | bytes) and os.fsdecode(arguments[0]).endswith(".md"):
        opened.append(os.fsdecode(arguments[0]))


sys.addaudithook(note)


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps are trusted at once: no two writes of a test fall into one tick of the clock."""
    monkeypatch.setattr("verifflowcc.base.files.layout.SETTLED_AFTER_NS", -(10**12))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FilesBackend]:
    with closing(open_at(tmp_path)) as made:
        yield made


def open_at(root: Path, scope: str = "project") -> FilesBackend:
    folder = "user" if scope == "user" else f".memory/{scope}"
    local = root / ("user/local" if scope == "user" else ".memory/local")
    return FilesBackend(root, folder, scope, local)


def put(root: Path, path: str, text: str | bytes) -> Path:
    full = root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_bytes(text if isinstance(text, bytes) else text.encode())
    return full


def answers(store: FilesBackend) -> list[object]:
    first = [store.list_all(), store.items(), store.count(), store.query({"importance": {"$gt": 0.5}}), store.get("a")]
    return [*first, store.get("nothing"), store.problems]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-FILES", "REQ-ITEM-LOSSLESS")
@pytest.mark.law
def test_a_thousand_items_are_loaded_and_saved_without_one_byte_of_difference(
    tmp_path: Path, store: FilesBackend
) -> None:
    texts: list[str] = []

    @settings(deadline=None, max_examples=count(250), suppress_health_check=list(HealthCheck), database=None)
    @given(texts_of_files())
    def draw(text: str) -> None:
        texts.append(text)

    draw()
    for number in range(count(1000)):
        put(
            tmp_path, f"{FOLDER}/{'decisions' if number % 3 else 'items/fact'}/n{number}.md", texts[number % len(texts)]
        )
    before, times = everything(tmp_path), {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.md")}

    items = store.list_all()
    for item in items:
        store.add(item)

    assert len(items) == count(1000)
    assert everything(tmp_path) == before
    assert {path: path.stat().st_mtime_ns for path in times} == times
    for path in times:
        path.unlink()
    for item in items:
        store.add(item)
    assert everything(tmp_path) == before


def test_files_that_people_wrote_are_items(tmp_path: Path, store: FilesBackend) -> None:
    put(tmp_path, f"{FOLDER}/decisions/0001-use-files.md", "# Use files\n")
    put(tmp_path, f"{FOLDER}/deep/er/Odd Name.md", make("odd").text)
    for no_item in (".hidden.md", ".folder/x.md", ".vfcc-1-x.tmp", "a.txt", "baselines/b.json"):
        put(tmp_path, f"{FOLDER}/{no_item}", "---\nid: no\n---\n")

    assert ids(store.list_all()) == [f"{FOLDER}/decisions/0001-use-files", "odd"]
    assert store.problems == ()
    store.add(make("odd", body="Changed.\n"))
    assert (tmp_path / f"{FOLDER}/deep/er/Odd Name.md").read_text() == make("odd", body="Changed.\n").text
    changed = store.get(f"{FOLDER}/decisions/0001-use-files")
    assert changed is not None
    assert changed.item.title == "Use files"
    assert store.delete("odd")
    assert not (tmp_path / f"{FOLDER}/deep/er/Odd Name.md").exists()


def test_what_the_user_keeps_locally_is_no_item(tmp_path: Path) -> None:
    put(tmp_path, "user/local/x.md", make("x", "user").text)
    put(tmp_path, "user/items/fact/a.md", make("a", "user").text)
    with closing(open_at(tmp_path, "user")) as store:
        assert ids(store.list_all()) == ["a"]
        store.clear()
    assert (tmp_path / "user/local/x.md").exists()


def test_an_id_that_moved_by_hand_is_found_again(tmp_path: Path, store: FilesBackend) -> None:
    store.add(make("a"))
    assert store.count() == 1
    (tmp_path / f"{FACTS}/a.md").rename(tmp_path / f"{FOLDER}/somewhere.md")

    found = store.get("a")
    assert found is not None
    assert found.item.path == f"{FOLDER}/somewhere.md"
    store.add(make("a", body="New.\n"))
    assert (store.count(), store.problems) == (1, ())


def test_an_add_sees_what_lay_there_before_anybody_looked(tmp_path: Path, store: FilesBackend) -> None:
    put(tmp_path, f"{FOLDER}/somewhere.md", make("a").text)
    store.add(make("a", body="New.\n"))
    assert ids(store.list_all()) == ["a"]
    assert "New." in (tmp_path / f"{FOLDER}/somewhere.md").read_text()


@pytest.mark.vfcc("REQ-SCALE")
def test_unchanged_files_are_neither_opened_nor_parsed(tmp_path: Path, store: FilesBackend) -> None:
    for name in "abcdef":
        put(tmp_path, f"{FACTS}/{name}.md", make(name, importance="0.1" if name < "e" else "0.9").text)
    assert store.count() == 6

    def opened_by(ask: object) -> list[str]:
        opened.clear()
        assert callable(ask)
        ask()
        return [Path(path).stem for path in opened if str(tmp_path) in path]

    assert opened_by(store.count) == opened_by(store.items) == opened_by(lambda: store.get("none")) == []
    assert opened_by(lambda: store.query({"importance": {"$gt": 0.5}})) == ["e", "f"]
    assert opened_by(lambda: store.query({}, limit=0)) == []
    put(tmp_path, f"{FACTS}/c.md", make("c", body="Longer than before.\n").text)
    assert opened_by(store.items) == ["c"]
    assert opened_by(store.items) == []
    put(tmp_path, f"{FACTS}/bad.md", b"\xff")
    assert opened_by(store.count) == ["bad"]
    assert opened_by(store.count) == []
    assert len(store.problems) == 1


@pytest.mark.sweep
@pytest.mark.parametrize("how", ["gone", "random", "empty", "cut", "zeroes at the start", "a folder", "held"])
def test_a_lost_or_damaged_index_changes_no_answer(tmp_path: Path, how: str) -> None:
    for name in "abcdef":
        put(tmp_path, f"{FACTS}/{name}.md", make(name, importance="0.1" if name < "d" else "0.9").text)
    put(tmp_path, f"{FACTS}/twice.md", make("a").text)
    put(tmp_path, f"{FACTS}/bad.md", b"\xff")
    with closing(open_at(tmp_path)) as store:
        before = answers(store)
    index = tmp_path / ".memory/local/index.db"
    data = index.read_bytes()
    holder = sqlite3.connect(index, isolation_level=None)
    if how == "held":
        put(tmp_path, f"{FACTS}/b.md", make("b", importance="0.1").text)
        holder.execute("BEGIN IMMEDIATE")
    else:
        holder.close()
        index.unlink()
        noise = bytes((n * 7919 + n // 256 * 31) % 256 for n in range(len(data)))
        if how == "a folder":
            index.mkdir()
        elif how != "gone":
            contents = {"random": noise, "empty": b"", "cut": data[: len(data) // 2]}
            index.write_bytes(contents.get(how, bytes(100)))

    with closing(open_at(tmp_path)) as store:
        assert answers(store) == before
        assert answers(store) == before
        assert bool(store.notices) == (how in ("a folder", "held"))
    holder.close()


@pytest.mark.sweep
def test_a_damaged_page_of_the_index_changes_no_answer(tmp_path: Path) -> None:
    for number in range(60):
        put(tmp_path, f"{FACTS}/i{number}.md", make(f"i{number}", title="x" * 40, importance="0.9").text)
    with closing(open_at(tmp_path)) as store:
        before = answers(store)
    index = tmp_path / ".memory/local/index.db"
    data = index.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    for start in range(0, len(data), size):
        noise = bytes((start + n * 7919 + n // 256 * 31) % 256 for n in range(size))
        index.write_bytes(data[:start] + noise + data[start + size :])
        with closing(open_at(tmp_path)) as store:
            assert answers(store) == before, start // size


def test_an_index_in_use_may_go_away(tmp_path: Path, store: FilesBackend) -> None:
    store.add(make("a"))
    before = answers(store)
    for path in (tmp_path / ".memory/local").glob("index.db*"):
        path.unlink()
    assert answers(store) == before
    with closing(open_at(tmp_path)) as other:
        assert answers(other) == before


def test_two_files_with_one_id_are_told_and_the_first_path_counts(tmp_path: Path, store: FilesBackend) -> None:
    put(tmp_path, f"{FACTS}/b.md", make("a", body="Second.\n").text)
    put(tmp_path, f"{FACTS}/a.md", make("a", body="First.\n").text)

    told = (f"{FACTS}/b.md: has the id a, as {FACTS}/a.md has, which is the one that counts",)
    (only,) = store.list_all()
    assert (only.body, store.problems, store.count()) == ("First.\n", told, 1)
    found = store.get("a")
    assert found == only
    assert (len(store.query({})), len(store.items())) == (1, 1)
    store.add(make("a", body="New.\n"))
    assert (tmp_path / f"{FACTS}/a.md").read_text() == make("a", body="New.\n").text
    assert "Second." in (tmp_path / f"{FACTS}/b.md").read_text()
    (tmp_path / f"{FACTS}/a.md").unlink()
    (only,) = store.list_all()
    assert (only.body, store.problems) == ("Second.\n", ())


BROKEN: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (b"---\nid: x\n---\n\n\xff\n", "x.md:5: not UTF-8"),
    "a conflict": (
        b"---\nid: x\n---\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
        "x.md:4: contains merge conflict markers",
    ),
    "too large": (b"---\nid: x\n---\n" + b"x" * 1024 * 1024, "x.md: has 1.0 MiB; an item may have 1 MiB"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_read_is_told_and_neither_overwritten_nor_cleared(
    tmp_path: Path, store: FilesBackend, what: str
) -> None:
    content, sentence = BROKEN[what]
    broken = put(tmp_path, f"{FACTS}/x.md", content)
    store.add(make("a"))

    for ask in (store.count, store.items, store.list_all, lambda: store.query({}), lambda: store.get("x")):
        ask()
        (problem,) = store.problems
        assert problem.startswith(f"{FACTS}/{sentence}")
    with pytest.raises(ConflictError, match=r"x\.md is there already"):
        store.add(make("x"))
    assert store.delete("x") is False
    store.clear()
    assert (store.count(), broken.read_bytes()) == (0, content)


def test_another_items_file_is_never_overwritten(tmp_path: Path, store: FilesBackend) -> None:
    put(tmp_path, f"{FACTS}/a.md", make("other").text)
    with pytest.raises(ConflictError, match=r"fact/a\.md is there already and holds another item"):
        store.add(make("a"))
    assert ids(store.list_all()) == ["other"]


@pytest.mark.parametrize("there", ["Note.md", "NOTE.md", "cafe\u0301.md"])
def test_a_name_that_another_file_system_takes_for_one_that_is_there_is_not_used(
    tmp_path: Path, store: FilesBackend, there: str
) -> None:
    put(tmp_path, f"{FOLDER}/{there}", make("one").text)
    name = "nOTE.md" if there.isascii() else "caf\u00e9.md"
    store.add(stored_item(f"{FOLDER}/{name}", make("two").text.encode()))

    assert {item.id: item.path for item in store.items()} == {"one": f"{FOLDER}/{there}", "two": f"{FACTS}/two.md"}


def test_a_link_is_followed_inside_of_its_folder_alone(tmp_path: Path, store: FilesBackend) -> None:
    secret = put(tmp_path, "outside/secret.md", make("secret").text)
    put(tmp_path, "outside/folder/more.md", make("more").text)
    inside = put(tmp_path, f"{FOLDER}/texts/inside.txt", make("inside").text)
    links = tmp_path / f"{FOLDER}/links"
    links.mkdir()
    (links / "a.md").symlink_to(inside)
    (links / "b.md").symlink_to(secret)
    (links / "c").symlink_to(tmp_path / "outside/folder")
    (links / "d.md").symlink_to(links / "e.md")
    (links / "e.md").symlink_to(links / "d.md")
    (links / "f").symlink_to(links)
    (links / "g.md").symlink_to(links / "nothing")

    assert ids(store.list_all()) == ["inside"]
    reasons = {problem.partition(": ")[0].rpartition("/")[2]: problem.partition(": ")[2] for problem in store.problems}
    assert reasons == {
        "b.md": "is a link that leaves its folder",
        "c": "is a link to a folder, and those are not followed",
        "d.md": "cannot be read: Too many levels of symbolic links",
        "e.md": "cannot be read: Too many levels of symbolic links",
        "f": "is a link to a folder, and those are not followed",
        "g.md": "is a link that leads nowhere",
    }
    store.add(make("inside", body="Through the link.\n"))
    assert "Through the link." in inside.read_text()
    assert (links / "a.md").is_symlink()
    store.clear()
    assert secret.exists()
    assert (tmp_path / "outside/folder/more.md").exists()
    assert (links / "b.md").is_symlink()


def test_an_items_place_that_is_a_link_out_is_not_written_through(tmp_path: Path, store: FilesBackend) -> None:
    secret = put(tmp_path, "outside.md", make("a").text)
    (tmp_path / FACTS).mkdir(parents=True)
    (tmp_path / f"{FACTS}/a.md").symlink_to(secret)

    with pytest.raises(ConflictError):
        store.add(make("a", body="New.\n"))
    assert (store.get("a"), store.delete("a")) == (None, False)
    assert secret.read_text() == make("a").text


def test_a_type_folder_that_is_a_link_out_is_not_written_through(tmp_path: Path, store: FilesBackend) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / f"{FOLDER}/items").mkdir(parents=True)
    (tmp_path / FACTS).symlink_to(tmp_path / "outside")

    with pytest.raises((BackendError, WorkspaceError), match="link"):
        store.add(make("a"))
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_scope_whose_folder_is_a_link_out_of_the_project_holds_nothing_and_takes_nothing(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    put(outside, "items/fact/a.md", make("a").text)
    project = tmp_path / "here"
    (project / ".memory").mkdir(parents=True)
    (project / FOLDER).symlink_to(outside)
    with closing(open_at(project)) as store:
        assert (store.list_all(), store.get("a")) == ([], None)
        assert store.problems == (f"{FOLDER}: is a link that leaves the project",)
        for change in (lambda: store.add(make("b")), lambda: store.delete("a"), store.clear):
            with pytest.raises(BackendError, match="is a link that leaves the project"):
                change()
    assert [path.name for path in outside.rglob("*.md")] == ["a.md"]


def test_a_place_that_cannot_be_written_is_told_and_nothing_changes(tmp_path: Path, store: FilesBackend) -> None:
    store.add(make("a", type="decision"))
    put(tmp_path, f"{FOLDER}/items", "A file, where a folder should be.")
    before = everything(tmp_path)
    with pytest.raises(WorkspaceError, match="cannot write"):
        store.add(make("b"))
    assert everything(tmp_path) == before
    assert store.count() == 1


def test_a_file_system_without_hard_links_takes_items_too(
    tmp_path: Path, store: FilesBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    store.add(make("a"))
    put(tmp_path, f"{FACTS}/b.md", make("other").text)
    with pytest.raises(ConflictError):
        store.add(make("b"))
    assert ids(store.list_all()) == ["a", "other"]


def test_looking_where_nothing_was_ever_kept_leaves_nothing_behind(tmp_path: Path) -> None:
    with closing(open_at(tmp_path / "data", "user")) as store:
        assert (store.count(), store.list_all(), store.get("a"), store.query({}), store.items()) == (
            0,
            [],
            None,
            [],
            [],
        )
        assert store.problems == ()
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_row_of_the_index_changes_no_answer(tmp_path: Path, store: FilesBackend) -> None:
    put(tmp_path, f"{FACTS}/a.md", make("a", title="Port").text)
    before = answers(store)
    with closing(sqlite3.connect(tmp_path / ".memory/local/index.db")) as index, index:
        index.execute("UPDATE memory_items SET facts = replace(facts, 'Port', 'Bus!')")
    assert answers(store) == before


def test_who_wants_to_be_alone_waits_for_those_who_are_writing(tmp_path: Path) -> None:
    begun, alone = threading.Event(), threading.Event()

    def enter() -> None:
        begun.set()
        with ScopeLock(tmp_path, "project").alone():
            alone.set()

    thread = threading.Thread(target=enter)
    with ScopeLock(tmp_path, "project").beside_others(), ScopeLock(tmp_path, "project").beside_others():
        thread.start()
        begun.wait(60)
        assert not alone.wait(0.2)
    assert alone.wait(60)
    thread.join(60)
