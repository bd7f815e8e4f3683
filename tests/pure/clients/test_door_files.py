"""A door goes into any file and out of it again, and everything else keeps its bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.history.rules.client_doors import Door, DoorKind, DoorTexts, RoleAgent
from verifflowcc.history.rules.client_entries import SETUPS, doors_of
from verifflowcc.history.rules.client_files import FileOutcome, door_installed, door_removed

ROLE = RoleAgent("coder", 'Works as the "coder".', 'Read first.\nThen write """it""".', ("read", "edit", "vfcc"))
TEXTS = DoorTexts({"vfcc-stage": "---\nname: vfcc-stage\n---\nAsk.\n"}, (ROLE,))
ALL = {door.path: door for client in SETUPS for door in doors_of(client, TEXTS)}
BLOCKS = [door for door in ALL.values() if door.kind is DoorKind.BLOCK]
MEMBERS = [door for door in ALL.values() if door.kind is DoorKind.MEMBERS]
THEIRS = [
    "{}",
    "{}\n",
    '{"a": 1}',
    '{\n\t"mcpServers": {},\r\n\t"b": [1, 2]\r\n}\r\n',
    '{"mcpServers": {"other": {"command": "x"}}, "permissions": {"allow": ["Bash(ls)"], "deny": []}}',
    '\ufeff{\n    "servers": {\n        "other": {}\n    },\n    "context": {"fileName": "MINE.md"}\n}',
    '{"statusLine": {"type": "command", "command": "mine"}, "mcp": {"a": {}}}',
]


@pytest.mark.parametrize("text", THEIRS)
@pytest.mark.parametrize("door", MEMBERS, ids=lambda door: door.path)
def test_members_go_in_once_and_out_to_the_byte(door: Door, text: str) -> None:
    done = door_installed(text, door, None, "claude", force=False)
    assert done.outcome is FileOutcome.WRITTEN
    assert done.text is not None
    assert json.loads(done.text.removeprefix("\ufeff"))

    assert door_installed(done.text, door, done.record, "claude", force=False).outcome is FileOutcome.NOTHING
    assert door_removed(done.text, door, done.record, force=False).text == text
    assert door_installed(done.text, door, None, "claude", force=False).outcome is FileOutcome.NOTHING


@given(text=st.text(alphabet=st.characters(codec="utf-8")).map(lambda text: text.replace("vfcc:", "")))
@pytest.mark.parametrize("door", BLOCKS, ids=lambda door: door.path)
def test_a_block_goes_into_any_text_and_out_to_the_byte(door: Door, text: str) -> None:
    done = door_installed(text, door, None, "claude", force=False)
    if done.outcome is FileOutcome.NOTHING:
        assert door.beside  # the file names AGENTS.md already
        return
    assert done.text is not None
    assert done.text.startswith(text)
    assert door_removed(done.text, door, done.record, force=False).text == (text or None)


@pytest.mark.parametrize("door", [*BLOCKS, *MEMBERS], ids=lambda door: door.path)
def test_an_edit_beside_a_door_outlives_it(door: Door) -> None:
    start = '{\n  "mine": 1\n}\n' if door.kind is DoorKind.MEMBERS else "mine\n"
    done = door_installed(start, door, None, "claude", force=False)
    assert done.text
    edited = done.text.replace("mine", "mine too", 1)

    assert door_installed(edited, door, done.record, "claude", force=False).outcome is FileOutcome.NOTHING
    removed = door_removed(edited, door, done.record, force=False)
    assert removed.text == start.replace("mine", "mine too")


@pytest.mark.parametrize("path", ["AGENTS.md", ".codex/config.toml", ".mcp.json", ".agents/skills/vfcc-stage/SKILL.md"])
def test_an_edited_door_is_left_unless_it_is_forced(path: str) -> None:
    door = ALL[path]
    done = door_installed(None, door, None, "claude", force=False)
    assert done.text
    word = (
        '"vfcc"'
        if path == ".mcp.json"
        else "vfcc-stage"
        if "skills" in path
        else "sprints"
        if path == "AGENTS.md"
        else "required"
    )
    edited = done.text[::-1].replace(word[::-1], '"mine"'[::-1] if '"' in word else "mine"[::-1], 1)[::-1]

    assert door_installed(edited, door, done.record, "claude", force=False).outcome is FileOutcome.EDITED
    assert door_removed(edited, door, done.record, force=False).outcome is FileOutcome.EDITED
    assert door_installed(edited, door, done.record, "claude", force=True).text == done.text
    assert door_removed(edited, door, done.record, force=True).text is None


def test_a_new_text_replaces_an_older_one_that_nobody_edited() -> None:
    door = ALL["AGENTS.md"]
    older = Door(door.path, door.kind, "Older words.\n")
    done = door_installed("mine\n", older, None, "claude", force=False)

    newer = door_installed(done.text, door, done.record, "claude", force=False)

    assert newer.outcome is FileOutcome.WRITTEN
    assert newer.text
    assert "Older words" not in newer.text
    assert door_removed(newer.text, door, newer.record, force=False).text == "mine\n"


@pytest.mark.parametrize(
    "door", [door for door in ALL.values() if door.path.endswith(".toml")], ids=lambda door: door.path
)
def test_toml_is_sound(door: Door) -> None:
    import tomllib

    text = door_installed(None, door, None, "codex", force=False).text or ""
    value = tomllib.loads(text)
    if "agents" in door.path:
        assert 'Then write """it"""' in value["developer_instructions"]
    else:
        assert value["mcp_servers"]["vfcc"]["args"] == ["mcp"]
