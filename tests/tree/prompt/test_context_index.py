"""The index only saves time: lost, damaged, locked or shared, it changes no answer."""

import sqlite3
import threading
from pathlib import Path

import pytest

from tests.trees import example, vfcc, write_memory, write_tree
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.write import ProjectTree
from verifflowcc.base.index.index import Index
from verifflowcc.base.model.entries import ContextPackage, Question
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.prompt_use import compile_context

pytestmark = pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")

TITLES = ("Mooring", "Calendar", "Sluice", "Calendar export", "Dredging")


def decision(title: str) -> str:
    return f"# {title}\n\n## Status\n\nAccepted\n\n## Decision\n\n{title}.\n"


def ask(root: Path, task: str = "") -> ContextPackage:
    return compile_context(Workspace(root), Question("coder", task=task))


@pytest.fixture(autouse=True)
def trusted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index trusts a file's stamp only some time after it was touched; here at once, so that it is used."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)


@pytest.mark.vfcc("REQ-START-UP")
def test_what_is_known_is_not_read_again(harbour: Path) -> None:
    before = ask(harbour, TASK)
    with Index(harbour / ".memory/local/index.db") as index:
        tree = ProjectTree(harbour)
        files = tree.find(".memory/project/decisions", "*.md")
        known, matches = index.known(files, ["calendar", "sluic"])
    assert set(known) == {file.path for file in files}
    assert sorted(path[-7:] for path in matches) == ["0002.md", "0003.md", "0004.md"]
    assert ask(harbour, TASK) == before


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    files = {f"project/decisions/{number:04}.md": decision(title) for number, title in enumerate(TITLES, 1)}
    return write_memory(tmp_path, files)


def explained(package: ContextPackage) -> list[tuple[str, int, str, str]]:
    return [(one.candidate.path, one.candidate.rank, one.candidate.why, one.reason) for one in package.placed]


TASK = "export the calendar"


@pytest.mark.points(3)
@pytest.mark.parametrize("how", ["gone", "random", "empty", "cut", "zeroes at the start", "a folder", "another layout"])
def test_a_lost_or_damaged_index_changes_no_answer(harbour: Path, how: str) -> None:
    before = ask(harbour, TASK)
    ask(harbour, TASK)
    index = harbour / ".memory/local/index.db"
    data = index.read_bytes()
    noise = bytes((n * 7919 + n // 256 * 31) % 256 for n in range(len(data)))
    index.unlink()
    if how == "a folder":
        index.mkdir()
    elif how != "gone":
        contents = {"random": noise, "empty": b"", "cut": data[: len(data) // 2], "zeroes at the start": bytes(100)}
        index.write_bytes(contents.get(how, data[:60] + b"\0\0\0\x63" + data[64:]))

    after = ask(harbour, TASK)
    assert (after.text, explained(after)) == (before.text, explained(before))
    assert ask(harbour, TASK).text == before.text
    assert bool(after.prompt.notices != before.prompt.notices) == (how == "a folder")


@pytest.mark.sweep
def test_a_damaged_page_of_the_index_changes_no_answer(tmp_path: Path) -> None:
    example(tmp_path)
    before = ask(tmp_path, TASK)
    index = tmp_path / ".memory/local/index.db"
    data = index.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    for start in range(0, len(data), size):
        noise = bytes((start + n * 7919 + n // 256 * 31) % 256 for n in range(size))
        index.write_bytes(data[:start] + noise + data[start + size :])
        after = ask(tmp_path, TASK)
        assert (after.text, explained(after)) == (before.text, explained(before)), start // size


@pytest.mark.sweep
def test_an_index_that_another_process_holds_changes_no_answer(
    harbour: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write_tree(elsewhere, {str(path.relative_to(harbour)): path.read_bytes() for path in harbour.rglob("*.md")})
    expected = ask(elsewhere, TASK)
    ask(harbour)
    write_memory(harbour, {"project/decisions/0004.md": decision("Export of the calendar")})
    write_memory(elsewhere, {"project/decisions/0004.md": decision("Export of the calendar")})
    expected = ask(elsewhere, TASK)
    holder = sqlite3.connect(harbour / ".memory/local/index.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode = NORMAL")
    holder.execute("BEGIN IMMEDIATE")
    try:
        held = ask(harbour, TASK)
    finally:
        holder.close()

    assert (held.text, explained(held)) == (expected.text, explained(expected))
    assert any("the index was not updated" in notice for notice in held.prompt.notices)


@pytest.mark.sweep
def test_two_processes_at_once_give_the_same_bytes(tmp_path: Path) -> None:
    example(tmp_path)
    arguments = ("context", "show", "--agent", "coder", "--task", TASK)
    outputs: list[tuple[int, bytes]] = []

    def run() -> None:
        done = vfcc(tmp_path, *arguments)
        outputs.append((done.returncode, done.stdout))

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outputs == [outputs[0]] * 6
    assert outputs[0][0] == 0
    assert outputs[0][1].decode() == ask(tmp_path, TASK).text
