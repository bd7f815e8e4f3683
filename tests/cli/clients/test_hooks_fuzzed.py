"""Whatever a client says at a hook, `vfcc hook` ends with 0 and prints nothing, or what that client takes."""

import copy
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import verifflowcc
from tests.cli.process import VFCC, environment
from tests.client_answers import check_answer
from tests.tiers import count
from verifflowcc.base.model.agent_clients import FILES
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.client import normal_form
from verifflowcc.history.rules.encode import HookAnswer, encode
from verifflowcc.history.rules.event_shape import line_of
from verifflowcc.history.rules.permission import wants_the_program
from verifflowcc.history.use.history_reading import own_partitions

CASES = [
    (path.parent.name, case["event"], case["said"])
    for path in sorted((Path(__file__).parents[2] / "fixtures" / "clients").glob("*/*.json"))
    for case in [json.loads(path.read_text(encoding="utf-8"))]
]
PAYLOADS, PROCESSES = count(10_000), count(200)
PACKAGE = Path(verifflowcc.__file__).parent
OF_OTHERS = [("cursor", "postToolUse"), ("gemini", "AfterTool"), ("copilot", "postToolUse")]
ODD: list[Any] = [
    *(None, True, False, 0, -1, 10**30, 1.5, float("inf"), float("nan"), "", "x", "\x00", "\ud800", "ä\n" * 300),
    *([], {}, [[]], {"a": None}, ["x"] * 60, "{", '{"exitCode": "x"}', '[{"a": [', "/etc/passwd", "../../x", "~"),
    *("*** Begin Patch\n*** Delete File: \n", "rm -rf .memory/sprint/a/events", "$(", "'\"", "Exit Code: -", 1e400),
]
RULES = {"role": "coder", "stage": "coding", "tools": {"edit": {"paths": ["src/**"], "never": ["src/x"]}, "run": 1}}


def _mutated(value: Any, luck: random.Random) -> Any:
    """A payload with up to three parts of it lost, replaced, repeated, renamed or buried."""
    value = copy.deepcopy(value)
    for _ in range(luck.randint(0, 3)):
        holder = value
        while True:
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            if not keys:
                break
            key = luck.choice(list(keys))
            if isinstance(holder[key], dict | list) and luck.random() < 0.6:
                holder = holder[key]
                continue
            _mutate(holder, key, luck)
            break
    return value


def _mutate(holder: Any, key: Any, luck: random.Random) -> None:
    what = luck.randrange(5)
    if what == 0:
        del holder[key]
    elif what == 1:
        holder[key] = luck.choice(ODD)
    elif what == 2:
        holder[key] = [holder[key], luck.choice(ODD)]
    elif what == 3:
        holder[key] = {"path": holder[key], "command": luck.choice(ODD)}
    elif isinstance(holder, dict):
        holder[luck.choice(("tool_input", "hook_event_name", "cwd", "é"))] = luck.choice(ODD)


@pytest.mark.vfcc("REQ-HOOK-FAULTS")
@pytest.mark.law
def test_ten_thousand_payloads_are_recorded_or_not_and_answered_in_form() -> None:
    luck = random.Random(20261122)
    kept = 0
    for number in range(PAYLOADS):
        client, event, said = luck.choice(CASES)
        client = client if luck.random() < 0.9 else luck.choice(sorted(FILES))
        payload = _mutated(said, luck)
        plain = normal_form(client, event, payload)
        hook = plain.get("hook_event_name")
        line = line_of(plain, client, "/p", 1_700_000_000_000 + number, b"0123456789", {"role": "coder"})
        wants_the_program(plain, {"rules": RULES, "files": True, "events": ["Stop"]}, "/p", lambda _: ["src/a"])
        if line is not None:
            kept += 1
            assert json.loads(line)["v"] == 1
        answer = HookAnswer(luck.choice(("", "know\n" * 3000)), luck.choice(("", "deny", "ask", "block")), "why\ud800")
        printed, code = encode(client, hook if isinstance(hook, str) else "", answer)
        assert code == 0
        check_answer(client, str(hook), printed)

    assert kept > PAYLOADS * 3 // 4


def _raw(luck: random.Random) -> tuple[str, list[str], bytes]:
    """A client, the event on its command line, and bytes that are at times no JSON, not whole or no text."""
    client, event, said = luck.choice(CASES)
    data = json.dumps(_mutated(said, luck)).encode()
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data,
        lambda: data,
        lambda: data,
        lambda: data[: luck.randrange(len(data))],
        lambda: b"\xef\xbb\xbf" + data + b"\n",
        lambda: data + b"{}",
        lambda: luck.randbytes(60),
        lambda: b"[" * 100_000,
        lambda: b"",
        lambda: b'"only text"',
    )
    return client, [event] if event else [], luck.choice(ways)()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-HOOK-FAULTS")
@pytest.mark.law
def test_a_process_ends_well_whatever_it_reads(young: Path) -> None:
    luck = random.Random(7)
    env = environment(young.parent)
    for _ in range(PROCESSES):
        client, event, data = _raw(luck)
        done = subprocess.run(
            [str(VFCC), "hook", client, *event],
            cwd=young,
            env=env,
            input=data,
            capture_output=True,
            check=False,
            timeout=30,
        )
        assert (done.returncode, done.stderr) == (0, b""), (client, event, data[:500])
        check_answer(client, "", done.stdout.decode())

    local = young / ".memory" / "local"
    lines = [line for each in own_partitions(Workspace(young)) for line in each.read_bytes().splitlines()]
    faults = (local / "hook-errors.jsonl").read_bytes().splitlines()
    assert len(lines) > PROCESSES // 3
    assert len(faults) > PROCESSES // 10
    assert all(isinstance(json.loads(each), dict) for each in (*lines, *faults))


@pytest.mark.vfcc("REQ-HOOK-FAULTS")
@pytest.mark.parametrize("client", sorted(FILES))
def test_without_a_project_nothing_is_said_or_written(tmp_path: Path, client: str) -> None:
    done = subprocess.run(
        [str(VFCC), "hook", client, "preToolUse"],
        cwd=tmp_path,
        env=environment(tmp_path),
        input=b'{"hook_event_name": "PreToolUse", "tool_name": "Bash"}',
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("client", "event"), [("claude", ""), ("codex", ""), *OF_OTHERS])
def test_a_hook_that_only_records_imports_nothing_slow(young: Path, client: str, event: str) -> None:
    (young / ".memory/local").mkdir(exist_ok=True)
    said = json.dumps({"hook_event_name": event or "PostToolUse", "session_id": "s", "tool_name": "Bash"})
    program = (
        f"import sys\nfrom verifflowcc.history.rules.client import normal_form as form\nform({client!r}, '', {said})\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"{program}sys.stdout.write(' '.join(sys.modules))"],
        env={**environment(young), "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )

    loaded = set(done.stdout.split())
    assert not loaded & {"re", "json", "dataclasses", "enum", "typing", "pathlib", "inspect"}
    ours = {each for each in loaded if each.startswith("verifflowcc.clients.")}
    others = {f"verifflowcc.clients.{each}" for each, _ in OF_OTHERS} - {f"verifflowcc.clients.{client}"}
    assert not ours & {*others, "verifflowcc.history.rules.encode", "verifflowcc.history.rules.client_entries"}
