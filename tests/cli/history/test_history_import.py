"""`vfcc history import`: what is printed, and the exit codes."""

from pathlib import Path

import pytest

from tests.cli.process import vfcc
from tests.cli.shapes import promised, shape
from tests.cli.trees import everything
from tests.session_world import SESSION, claude_session, codex_session, cost, write_session
from verifflowcc.base.formats.session_lines import Tokens

pytestmark = pytest.mark.vfcc("REQ-HISTORY-IMPORT")


@pytest.fixture
def worked(young: Path) -> Path:
    rows = [*claude_session()[:-1], cost(Tokens(1006, 80, 80, 14))]
    write_session(young / "past", rows, place=str(young))
    write_session(young / "past", codex_session(), "rollout-1.jsonl", str(young))
    other = [row | {"sessionId": "other"} for row in claude_session()]
    write_session(young / "past", other, "other.jsonl", "/elsewhere")
    return young


def test_a_page_says_what_came_of_each_file_and_of_all(worked: Path) -> None:
    done = vfcc(worked, "history", "import", "past")

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:2] == [
        f"{SESSION} (claude): 9 events new, 2 calls of tools",
        "  tokens: 1,006 in, 80 out, 80 out of a cache and 14 into one",
    ]
    assert done.out.endswith(
        "1 session of other projects left out\n"
        "2 files, 4 calls of tools: 16 events new\n"
        "tokens: 1,226 in, 105 out, 210 out of a cache and 14 into one\n"
    )
    again = vfcc(worked, "history", "import", "past").out
    assert "2 files, 4 calls of tools: nothing new, 16 known\n" in again


def test_a_dry_run_says_what_would_be_and_changes_nothing(worked: Path) -> None:
    before = everything(worked)
    done = vfcc(worked, "history", "import", "past", "--dry-run", "--client", "claude")

    assert "1 file, 2 calls of tools: 9 events would be new\n" in done.out
    assert everything(worked) == before


def test_the_json_says_the_same(worked: Path) -> None:
    value = vfcc(worked, "history", "import", "past", "--json", "--full").data

    assert shape(value) == promised("history_import")
    assert (value["new"], value["known"], value["calls"], value["other_projects"]) == (16, 0, 4, 1)
    assert value["tokens"] == {"input": 1226, "output": 105, "cache_read": 210, "cache_creation": 14}
    assert [each["file"] for each in value["files"]] == [f"past/{SESSION}.jsonl", "past/rollout-1.jsonl"]


def test_where_there_is_nothing_it_says_so(young: Path) -> None:
    done = vfcc(young, "history", "import")

    assert (done.code, done.out) == (0, "0 files, 0 calls of tools: nothing new\n")


def test_notes_go_to_stderr(worked: Path) -> None:
    path = worked / "past" / f"{SESSION}.jsonl"
    path.write_bytes(b"oops\n" + path.read_bytes())
    done = vfcc(worked, "history", "import", f"past/{SESSION}.jsonl")

    assert done.code == 0
    assert done.err.startswith(f"note: past/{SESSION}.jsonl:1: this is no JSON")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["nowhere"], "cannot read nowhere"), (["past", "--client", "gemini"], "there is no client 'gemini'")],
)
def test_what_cannot_be_done_is_one_sentence(worked: Path, arguments: list[str], words: str) -> None:
    vfcc(worked, "history", "import", *arguments).refused(2, words)


def test_without_a_project_it_says_how_to_begin(tmp_path: Path) -> None:
    vfcc(tmp_path, "history", "import").refused(3, "no .memory/", "vfcc init")
