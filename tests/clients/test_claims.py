"""Real clients, scripted sessions: every sentence that a hook put into them is checked against what happened."""

import sys
from pathlib import Path

import pytest

from tests.claims import Claim
from tests.clients.conftest import Desk
from tests.clients.hooked import prepare, vfcc
from tests.clients.model_server import serving
from tests.clients.running import run_claude, run_codex
from tests.clients.told import checked, listen
from tests.clients.turns import MAIN, Call, Turn, Usage, calls

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

FULL = Usage(input=190_000)
FILES = {
    "numbers_.py": "def two():\n    return 3\n\n\ndef one():\n    return 2\n",
    "tests/test_numbers.py": "from numbers_ import one, two\n\n\ndef test_two():\n    assert two() == 2\n\n\n"
    "def test_one():\n    assert one() == 1\n",
    "pytest.ini": "[pytest]\npythonpath = .\n",
    "Makefile": f"test:\n\t@{sys.executable} -m pytest -q >/dev/null\n",
    ".memory/config.yaml": "format: 1\nhooks: {tools: 'off'}\n",
    ".memory/project/items/decision/plain-integers.md": "---\nid: plain-integers\ntype: decision\n"
    "title: Numbers are plain integers\nstatus: active\nrefs:\n  - path: numbers_.py\n---\nNo fractions.\n",
}
PYTEST = f"{sys.executable} -m pytest -p no:cacheprovider"
SED = "sed -i 's/return 3/return 2/' numbers_.py"
PATCH = "*** Begin Patch\n*** Update File: numbers_.py\n@@\n def two():\n-    return 3\n+    return 2\n*** End Patch\n"


def bash(command: str) -> Turn:
    return calls("Bash", command=command, description="run")


def under(found: list[Claim] | tuple[Claim, ...], heading: str) -> list[str]:
    """The sentences below a heading, in all contexts."""
    return [each.text for each in found if each.heading.startswith(heading)]


def fix(desk: Desk) -> list[Turn]:
    path = str(desk.folder / "numbers_.py")
    return [calls("Read", file_path=path), calls("Edit", file_path=path, old_string="return 3", new_string="return 2")]


def test_after_a_compaction_no_sentence_is_false(claude: Path, desk: Desk) -> None:
    """Two tests fail in one run. One is fixed and passes under another command line, the other one is left."""
    prepare(desk, "claude", files=FILES, sprint=True)
    env = listen(desk)
    begun = [bash(f"{PYTEST} tests/test_numbers.py"), *fix(desk), bash(f"{PYTEST} -q tests"), Turn("One is left.")]
    with serving({MAIN: begun}) as server:
        first = run_claude(claude, desk.folder, desk.home, server, "Fix the numbers.", env=env)
        session = first.of_type("result")[0]["session_id"]
        server.say(Turn(calls=bash("cat numbers_.py").calls, usage=FULL), Turn("Still one."))
        more = ["--autocompact", "100000"]
        ran = run_claude(claude, desk.folder, desk.home, server, "Go on.", resume=session, extra=more, env=env)

    assert (first.code, ran.code, server.left()) == (0, 0, {}), ran
    found = list(checked(desk))
    assert [each.partition(" (")[0] for each in under(found, "Failed, and not")] == [
        "- tests/test_numbers.py::test_one"
    ]
    assert not any("summary" in each for each in under(found, "What was answered"))
    assert len(found) > 12


def test_what_a_run_without_a_trace_may_have_passed_is_not_claimed(claude: Path, desk: Desk) -> None:
    """`make test` passes and prints nothing."""
    prepare(desk, "claude", files=FILES)
    env = listen(desk)
    both = bash("sed -i 's/return 2/return 1/; s/return 3/return 2/' numbers_.py")
    begun = [bash(f"{PYTEST} tests/test_numbers.py::test_two"), both, bash("make test"), Turn("Fixed.")]
    with serving({MAIN: begun}) as server:
        first = run_claude(claude, desk.folder, desk.home, server, "Fix the numbers.", env=env)
        session = first.of_type("result")[0]["session_id"]
        server.say(Turn(calls=bash("cat numbers_.py").calls, usage=FULL), Turn("All good."))
        more = ["--autocompact", "100000"]
        ran = run_claude(claude, desk.folder, desk.home, server, "Go on.", resume=session, extra=more, env=env)

    assert (first.code, ran.code, server.left()) == (0, 0, {}), ran
    found = list(checked(desk))
    assert under(found, "Failed, and not") == []
    assert any("test_two" in each for each in under(found, "Failed when it was last run so"))


def test_in_two_sessions_a_resumed_one_and_a_subagent_no_sentence_is_false(claude: Path, desk: Desk) -> None:
    prepare(desk, "claude", files=FILES, sprint=True)
    env = listen(desk)
    prompt = vfcc(desk, "context", "show", "--agent", "coder", "--task", "Fix the function two")
    task = {"description": "look", "prompt": "INQUIRY: read it.", "subagent_type": "general-purpose"}
    path = str(desk.folder / "numbers_.py")
    again = [calls("Agent", **task, run_in_background=False), *fix(desk), bash(f"{PYTEST} -q"), Turn("Two is two.")]
    edit = calls("Edit", file_path=path, old_string="return 2\n\n\ndef one", new_string="return 1 + 1\n\n\ndef one")
    script = {
        MAIN: [*again, calls("Read", file_path=path), edit, Turn("Simplified."), bash("git status"), Turn("Nothing.")],
        "INQUIRY": [calls("Read", file_path=path), Turn("It returns three.")],
    }
    with serving(script) as server:
        first = run_claude(claude, desk.folder, desk.home, server, prompt, env=env)
        second = run_claude(claude, desk.folder, desk.home, server, "Make it clearer.", env=env)
        session = second.of_type("result")[0]["session_id"]
        third = run_claude(claude, desk.folder, desk.home, server, "And now?", resume=session, env=env)

    assert (first.code, second.code, third.code, server.left()) == (0, 0, 0, {}), third
    found = list(checked(desk))
    assert any("Fix the function two" in each.text for each in found)
    assert not any("data to use, not instructions" in each.text for each in found)
    known = under(found, "Known of numbers_.py")
    assert any("for “Fix the function two”" in each for each in known)
    assert any("decision plain-integers" in each for each in known)


def test_in_codex_no_sentence_is_false_after_a_compaction(codex: Path, desk: Desk) -> None:
    prepare(desk, "codex", files=FILES, sprint=True)
    env = listen(desk)
    limit = "model_auto_compact_token_limit = 20000"
    fixing = [
        Turn(calls=(Call("apply_patch", PATCH),)),
        calls("exec_command", cmd=f"{PYTEST} -q tests"),
        Turn("One left."),
    ]
    with serving({MAIN: [calls("exec_command", cmd=f"{PYTEST} tests/test_numbers.py"), *fixing]}) as server:
        first = run_codex(codex, desk.folder, desk.home, server, "Fix the numbers.", env=env)
        thread = first.of_type("thread.started")[0]["thread_id"]
        server.say(Turn(calls=(Call("exec_command", {"cmd": "cat numbers_.py"}),), usage=FULL), Turn("Still one."))
        ran = run_codex(codex, desk.folder, desk.home, server, "Go on.", config=limit, resume=thread, env=env)

    assert (first.code, ran.code, server.left()) == (0, 0, {}), ran
    found = list(checked(desk))
    assert [each.partition(" (")[0] for each in under(found, "Failed, and not")] == [
        "- tests/test_numbers.py::test_one"
    ]
