"""vfcc's entries go into a client's file and out of it again, and nobody else's byte moves."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.agent_clients import FILES, LOCAL_FILE
from verifflowcc.base.text import json_edit
from verifflowcc.base.text.json_edit import Record
from verifflowcc.history.rules.client_entries import EVENTS, entries, is_ours, target_of
from verifflowcc.history.rules.client_files import ClientFilePlan, FileOutcome, found_in, installed, uninstalled

CLIENTS = sorted(FILES)
OTHERS_HOOK: dict[str, Any] = {"matcher": "Bash", "hooks": [{"type": "command", "command": "./lint.sh", "timeout": 5}]}
OTHERS_FLAT: dict[str, Any] = {"command": "./lint.sh", "comment": "ä"}
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))
FORMS = st.sampled_from((None, 0, 1, 2, 4, "\t"))


@st.composite
def files(draw: st.DrawFn) -> tuple[str, str]:
    """A client, and the text of a file of its that somebody else wrote."""
    client = draw(st.sampled_from(CLIENTS))
    other = st.sampled_from((OTHERS_HOOK, OTHERS_FLAT)) | JSON.filter(lambda each: not is_ours(client, each))
    events = st.sampled_from(sorted(EVENTS[client])) | st.just("Notification")
    hooks = st.dictionaries(events, st.lists(other, max_size=3), max_size=4)
    rest = draw(st.dictionaries(st.text().filter(lambda key: key not in ("hooks", "version")), JSON, max_size=4))
    value = list(rest.items())
    if draw(st.booleans()):
        value.insert(draw(st.integers(0, len(value))), ("hooks", draw(hooks)))
    if draw(st.booleans()):
        value.append(("version", 1))
    colon = draw(st.sampled_from((":", ": ", " : ")))
    text = json.dumps(
        dict(value),
        indent=draw(FORMS),
        separators=(draw(st.sampled_from((",", ", "))), colon),
        ensure_ascii=draw(st.booleans()),
    )
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return client, draw(st.sampled_from(("", "\ufeff", " "))) + text + draw(st.sampled_from(("", "\n", "\r\n", "\n\n")))


def put(text: str | None, client: str, record: Record | None = None, *, force: bool = False) -> ClientFilePlan:
    return installed(text, target_of(client), record, force=force)


def take(text: str | None, client: str, record: Record | None, *, force: bool = False) -> ClientFilePlan:
    return uninstalled(text, target_of(client), record, force=force)


@settings(max_examples=200, deadline=None)
@given(file=files())
def test_what_went_in_comes_out_to_the_byte(file: tuple[str, str]) -> None:
    client, before = file

    there = put(before, client)

    assert there.outcome is FileOutcome.WRITTEN
    assert there.text is not None
    assert there.record is not None
    value = json_edit.checked(there.text)
    assert isinstance(value, dict)
    for event, entry in entries(client).items():
        assert value["hooks"][event][-1] == entry
    again = put(there.text, client, there.record)
    assert (again.outcome, again.text, again.record) == (FileOutcome.NOTHING, there.text, there.record)
    assert put(there.text, client).outcome is FileOutcome.NOTHING, "and without the record, too"
    assert take(there.text, client, there.record) == ClientFilePlan(
        FileOutcome.REMOVED, before, None, tuple(EVENTS[client])
    )


@settings(max_examples=200, deadline=None)
@given(file=files(), recorded=st.booleans())
def test_all_else_is_kept_where_the_file_was_edited_since(file: tuple[str, str], recorded: bool) -> None:
    client, before = file
    there = put(before, client)
    assert there.text is not None

    left = take(there.text + " ", client, there.record if recorded else None)

    assert left.outcome is FileOutcome.REMOVED
    assert left.text is not None
    was, now = json.loads(before.strip("\ufeff")), json.loads(left.text.strip("\ufeff"))
    hooks = was.pop("hooks", {}), now.pop("hooks", {})
    if recorded and ("version" in was or not hooks[0]):
        assert now == was
        assert hooks[1] == hooks[0]
    else:
        assert {**now, "version": 1} == {**was, "version": 1}, "a client needs it for the hooks that are left"
        assert {key: each for key, each in hooks[1].items() if each} == {
            k: each for k, each in hooks[0].items() if each
        }


def test_what_goes_in_has_the_form_of_the_file() -> None:
    crlf = put('{\r\n    "a": 1\r\n}\r\n', "cursor").text
    tabs = put('{\n\t"hooks": {\n\t\t"stop": [\n\t\t\t{"command": "x"}\n\t\t]\n\t}\n}\n', "cursor").text
    line = put('{"version":1}', "cursor").text

    assert crlf is not None
    assert crlf.startswith('{\r\n    "a": 1,\r\n    "version": 1,\r\n    "hooks": {\r\n        "sessionStart": [\r\n')
    assert crlf.count("\n") == crlf.count("\r\n")
    assert tabs is not None
    assert '\t\t\t{"command": "x"},\n\t\t\t{\n\t\t\t\t"command": "vfcc hook cursor",\n' in tabs
    assert "  " not in tabs
    assert line is not None
    assert line.startswith('{"version":1,"hooks":{"sessionStart":[{"command":"vfcc hook cursor","timeout":10}],')


@pytest.mark.parametrize("client", CLIENTS)
def test_a_file_that_vfcc_made_alone_is_removed(client: str) -> None:
    there = put(None, client)

    assert there.text is not None
    assert there.text.endswith("}\n")
    assert take(there.text, client, there.record).text is None
    assert take(there.text.replace("\n", " \n"), client, there.record).text is None
    mine = there.text.replace('"hooks"', '"mine": 1, "hooks"', 1)
    left = take(mine, client, there.record).text
    assert left is not None
    assert json.loads(left)["mine"] == 1
    assert "vfcc" not in left


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("recorded", [True, False])
def test_what_somebody_edited_is_left_unless_it_is_forced(client: str, recorded: bool) -> None:
    before = '{\n  "a": 1\n}\n'
    there = put(before, client)
    assert there.text is not None
    record = there.record if recorded else None
    edited = there.text.replace("10", "20", 1)

    first = next(iter(EVENTS[client]))
    assert put(edited, client, record) == ClientFilePlan(FileOutcome.EDITED, edited, record, (first,))
    assert take(edited, client, record) == ClientFilePlan(FileOutcome.EDITED, edited, record, (first,))

    mended = put(edited, client, record, force=True)
    assert mended.text is not None
    assert not found_in(mended.text, target_of(client)).edited
    assert mended.events == (first,)
    out = take(mended.text, client, mended.record)
    assert out.text is not None
    assert json.loads(out.text).items() >= {"a": 1}.items()
    assert "vfcc" not in out.text
    assert "vfcc" not in (take(edited, client, record, force=True).text or "")


def test_somebody_elses_hook_in_our_group_stays_when_ours_is_forced_out() -> None:
    there = put("{}", "claude")
    assert there.text is not None
    value = json.loads(there.text)
    value["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "mine"})
    edited = json.dumps(value, indent=2)

    assert take(edited, "claude", there.record).outcome is FileOutcome.EDITED
    out = take(edited, "claude", there.record, force=True)

    assert out.text is not None
    assert json.loads(out.text) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_an_entry_that_is_gone_is_written_again_and_no_other() -> None:
    there = put('{"x": 1}', "gemini")
    assert there.text is not None
    value = json.loads(there.text)
    del value["hooks"]["BeforeTool"]

    again = put(json.dumps(value), "gemini", there.record)

    assert (again.outcome, again.events) == (FileOutcome.WRITTEN, ("BeforeTool",))
    assert again.text is not None
    assert set(json.loads(again.text)["hooks"]) == set(EVENTS["gemini"])


@pytest.mark.parametrize("before", [None, '{"x": 1}'])
def test_what_was_stopped_between_record_and_file_is_done_or_undone(before: str | None) -> None:
    there = put(before, "claude")

    assert put(before, "claude", there.record) == there
    assert take(before, "claude", there.record) == ClientFilePlan(FileOutcome.NOTHING, before, None)
    assert take(there.text, "claude", there.record).text == before


def test_a_version_that_is_gone_is_written_again() -> None:
    there = put(None, "copilot")
    assert there.text is not None
    without = there.text.replace('"version": 1,', "")

    again = put(without, "copilot", there.record)

    assert again.outcome is FileOutcome.WRITTEN
    assert again.text is not None
    assert json.loads(again.text) == json.loads(there.text)


def test_a_record_that_does_not_fit_costs_no_byte_of_others() -> None:
    there = put('{"x": 1}', "codex")
    assert there.text is not None
    assert there.record is not None
    forged = Record("codex", there.record.written, there.record.before, ((0, 5),), there.record.made)

    out = take(there.text, "codex", forged)

    assert out.text == '{"x": 1}'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1: Expecting value"),
        ("[1]", "no JSON object"),
        ('{"hooks": []}', '"hooks" is no object'),
        ('{"hooks": {"preToolUse": {}}}', '"preToolUse" is no list'),
        ('{"version": 2}', "version 1"),
        ('{"hooks": {}, "hooks": {}}', '"hooks" appears twice'),
        ('{\n  // a comment\n  "a": 1\n}', "line 2: "),
        ('{"a": NaN}', "NaN is no JSON"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deep"),
    ],
)
def test_a_file_that_the_client_would_not_read_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        put(text, "cursor")
    with pytest.raises(ValueError, match=why):
        take(text, "cursor", None)


def test_each_form_of_our_command_is_recognised_and_no_other() -> None:
    def ours(client: str, **hook: object) -> bool:
        return is_ours(client, {"hooks": [hook]}) and is_ours(client, hook)

    assert ours("claude", command="vfcc", args=["hook", "claude"])
    assert ours("claude", command="/opt/bin/vfcc hook claude")
    assert ours("codex", command="uv run vfcc hook codex")
    assert ours("copilot", bash="vfcc hook copilot preToolUse || true")
    assert not ours("claude", command="vfcc hook codex")
    assert not ours("claude", command="vfcc", args=["status"])
    assert not ours("claude", command="echo notvfcc hook claude")
    assert not is_ours("claude", "vfcc hook claude")
    assert target_of("claude", local=True).path == LOCAL_FILE
