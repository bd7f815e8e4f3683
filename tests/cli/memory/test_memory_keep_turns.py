"""`vfcc memory ingest --keep-turns`: turns are found by a search, stand beside each other, and enter no prompt."""

import json
from pathlib import Path

import pytest

from tests.cli.process import vfcc
from tests.cli.trees import everything
from tests.secret_samples import TOKEN

pytestmark = pytest.mark.vfcc("REQ-INGEST")
CHAT = (
    ("user", "Where did we put the tide tables?"),
    ("assistant", "In the harbour office, second shelf."),
    ("user", f"My key is {TOKEN}."),
    ("user", "Yes."),
    ("user", "Yes."),
)


@pytest.fixture
def chat(young: Path) -> Path:
    rows = [{"role": role, "content": text, "session": "s1"} for role, text in CHAT]
    (young / "chat.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in rows), encoding="utf-8")
    return young


def turns(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in (folder / ".memory/project/items/turn").glob("*.md")]


def test_kept_turns_are_found_and_enter_no_prompt(chat: Path) -> None:
    done = vfcc(chat, "memory", "ingest", "chat.jsonl", "--keep-turns")

    assert "turns kept in project memory: 5" in done.out
    found = json.loads(vfcc(chat, "memory", "search", "harbour office shelf", "--json").out)["data"]["hits"]
    assert found[0]["item"]["type"] == "turn"
    prompt = vfcc(chat, "context", "show", "--agent", "coder", "--task", "harbour office shelf", "--explain")
    assert "second shelf." not in vfcc(chat, "context", "show", "--agent", "coder", "--task", "harbour shelf").out
    assert "only vfcc memory search finds it" in prompt.err
    assert vfcc(chat, "check", "memory").code == 0


def test_each_turn_is_kept_once_and_a_dry_run_keeps_none(chat: Path) -> None:
    planned = vfcc(chat, "memory", "ingest", "chat.jsonl", "--keep-turns", "--dry-run")
    assert "turns to keep in project memory: 5" in planned.out
    assert turns(chat) == []

    vfcc(chat, "memory", "ingest", "chat.jsonl")
    vfcc(chat, "memory", "ingest", "chat.jsonl", "--keep-turns")
    before = everything(chat)
    again = vfcc(chat, "memory", "ingest", "chat.jsonl", "--keep-turns", "--json")
    assert json.loads(again.out)["data"]["kept_turns"] == {"scope": "project", "kept": 0, "known": 5}
    assert everything(chat) == before
    assert len(turns(chat)) == 5


def test_a_secret_in_a_kept_turn_is_withheld(chat: Path) -> None:
    vfcc(chat, "memory", "ingest", "chat.jsonl", "--keep-turns")
    assert not any(TOKEN in text for text in turns(chat))


def test_without_the_option_no_turn_is_kept(chat: Path) -> None:
    assert "turns kept" not in vfcc(chat, "memory", "ingest", "chat.jsonl").out
    assert turns(chat) == []
