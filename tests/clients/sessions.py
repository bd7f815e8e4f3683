"""Ten scripted sessions with real clients, after which every sentence that hooks added can be checked."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.claims import Claim
from tests.clients.conftest import Desk
from tests.clients.hooked import as_person, prepare, vfcc
from tests.clients.model_server import serving
from tests.clients.running import ClientRan, run_claude, run_codex
from tests.clients.told import commit, listen
from tests.clients.turns import MAIN, Call, Request, Say, Turn, Usage, calls

FULL = Usage(input=190_000)
PYTEST = f"{sys.executable} -m pytest -p no:cacheprovider"
COMPACT: Mapping[str, Mapping[str, Any]] = {
    "claude": {"extra": ["--autocompact", "100000"]},
    "codex": {"config": "model_auto_compact_token_limit = 20000"},
}
SERVER = Path(__file__).with_name("mcp_files.py")
GOAL = "The numbers are right"
CODE = {
    "numbers_.py": "def two():\n    return 3\n\n\ndef one():\n    return 2\n",
    "tests/test_numbers.py": "from numbers_ import one, two\n\n\ndef test_two():\n    assert two() == 2\n\n\n"
    "def test_one():\n    assert one() == 1\n",
    "pytest.ini": "[pytest]\npythonpath = .\n",
    "Makefile": f"test:\n\t@{sys.executable} -m pytest -q >/dev/null\n",
}
ITEMS = {
    ".memory/project/items/decision/plain-integers.md": "---\nid: plain-integers\ntype: decision\n"
    "title: Numbers are plain integers\nstatus: active\nrefs:\n  - path: numbers_.py\n---\nNo fractions.\n",
    ".memory/project/items/constraint/offline.md": "---\nid: offline\ntype: constraint\n"
    "title: Nothing asks the network\n---\nTests run on a train.\n",
    ".memory/project/items/failure/rounding.md": "---\nid: rounding\ntype: failure\ntitle: Rounding hid a wrong total\n"
    "---\nTotals were rounded before they were compared.\n",
}
OPEN = {".memory/config.yaml": "format: 1\nhooks: {tools: 'off'}\n"}
GATED = {
    ".memory/config.yaml": "format: 2\nworkflow: light\ngates:\n  commands:\n    test:\n      run: "
    + json.dumps([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={junit}"])
    + '\n      inputs: ["*.py", "tests/**"]\n'
}
PLAN = "# Plan\n\nCorrect both functions, the tests decide.\n"
DESIGN = "# Design\n\n## Functions\n\nEach function returns one literal.\n"


@dataclass
class Stage:
    """Where a session is played: the client, its project, and the requests that reached the model."""

    client: str
    program: Path
    desk: Desk
    env: Mapping[str, str]
    requests: list[Request]

    def file(self, name: str) -> str:
        """Return the whole path of a file of the project."""
        return str(self.desk.folder / name)

    def ask(
        self,
        prompt: str,
        *turns: Say,
        others: Mapping[str, Sequence[Say]] | None = None,
        code: int = 0,
        env: Mapping[str, str] | None = None,
        **more: Any,
    ) -> str:
        """Let the client answer a prompt by these turns; return the id of its session."""
        with serving({MAIN: list(turns), **(others or {})}) as server:
            run: Callable[..., ClientRan] = run_claude if self.client == "claude" else run_codex
            given = {**self.env, **(env or {})}
            ran = run(self.program, self.desk.folder, self.desk.home, server, prompt, env=given, **more)
        self.requests += server.requests
        assert (ran.code, server.left()) == (code, {}), ran
        begun = ran.of_type("system" if self.client == "claude" else "thread.started")
        return str(begun[0]["session_id" if self.client == "claude" else "thread_id"])

    def run(self, command: str, usage: Usage | None = None) -> Turn:
        """Return the turn that runs a command in a shell."""
        name, given = ("Bash", {"command": command, "description": "run"})
        if self.client == "codex":
            name, given = "exec_command", {"cmd": command}
        return Turn(calls=(Call(name, given),), usage=usage or Usage())

    def fix(self, old: str = "return 3", new: str = "return 2") -> list[Turn]:
        """Return the turns that read the file of numbers and edit it."""
        if self.client == "codex":
            patch = f"*** Begin Patch\n*** Update File: numbers_.py\n@@\n-    {old}\n+    {new}\n*** End Patch\n"
            return [self.run("cat numbers_.py"), Turn(calls=(Call("apply_patch", patch),))]
        path = self.file("numbers_.py")
        return [calls("Read", file_path=path), calls("Edit", file_path=path, old_string=old, new_string=new)]


@dataclass(frozen=True)
class Session:
    """A session that can be played: with which client, how, and what must be among the sentences then."""

    name: str
    client: str
    play: Callable[[Stage], None]
    expect: Callable[[Sequence[Claim]], None] = lambda found: None


def under(found: Sequence[Claim], heading: str) -> list[str]:
    """Return the sentences below a heading, in all contexts."""
    return [each.text for each in found if each.heading.startswith(heading)]


def played(session: Session, program: Path, desk: Desk) -> Stage:
    """Play a session."""
    stage = Stage(session.client, program, desk, {}, [])
    session.play(stage)
    return stage


def _begin(stage: Stage, files: Mapping[str, str], *, until: str = "") -> None:
    """Make the project with a sprint, and bring that to a stage by its artifacts."""
    prepare(stage.desk, stage.client, files={**CODE, **ITEMS, **files})
    stage.env = listen(stage.desk)
    commit(stage.desk)
    vfcc(stage.desk, "sprint", "start", "Login", "--goal", GOAL)
    _advance(stage, until)


def _advance(stage: Stage, until: str) -> None:
    artifacts = {
        "planning": ("plan.md", PLAN),
        "design": ("design.md", DESIGN),
        "coding": ("changes.md", "# Changes\n\nTwo.\n"),
    }
    for name, (file, text) in artifacts.items():
        if not until or name == until:
            return
        path = stage.desk.folder / f".memory/stage/login/{name}/artifacts/{file}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if name == "coding":
            (stage.desk.folder / "notes.txt").write_text("A change.\n", encoding="utf-8")
        vfcc(stage.desk, "stage", "advance")


def _compacted(stage: Stage) -> None:
    """Two tests fail in one run. One is fixed and passes under another command line, the other one is left."""
    _begin(stage, OPEN)
    begun = [
        stage.run(f"{PYTEST} tests/test_numbers.py"),
        *stage.fix(),
        stage.run(f"{PYTEST} -q tests"),
        Turn("One is left."),
    ]
    session = stage.ask("Fix the numbers.", *begun)
    more = [stage.run("cat numbers_.py", FULL), *stage.fix("return 2", "return 1 + 1"), Turn("Still one.")]
    stage.ask("Continue.", *more, resume=session, **COMPACT[stage.client])


def _one_is_left(found: Sequence[Claim]) -> None:
    assert {each.partition(" (")[0] for each in under(found, "Failed, and not")} == {
        "- tests/test_numbers.py::test_one"
    }
    assert not any("summary" in each for each in under(found, "What was answered"))


def _silent(stage: Stage) -> None:
    """`make test` passes and prints nothing."""
    _begin(stage, OPEN)
    both = stage.run("sed -i 's/return 2/return 1/; s/return 3/return 2/' numbers_.py")
    begun = [stage.run(f"{PYTEST} tests/test_numbers.py::test_two"), both, stage.run("make test"), Turn("Fixed.")]
    session = stage.ask("Fix the numbers.", *begun)
    stage.ask(
        "Continue.", stage.run("cat numbers_.py", FULL), Turn("All good."), resume=session, **COMPACT[stage.client]
    )


def _nothing_certain(found: Sequence[Claim]) -> None:
    assert under(found, "Failed, and not") == []
    assert any("test_two" in each for each in under(found, "Failed when it was last run so"))


def _subagent(stage: Stage) -> None:
    """A compiled prompt with a subagent, a second session, and that one resumed."""
    _begin(stage, OPEN)
    prompt = vfcc(stage.desk, "context", "show", "--agent", "coder", "--task", "Fix the function two")
    task = {"description": "look", "prompt": "INQUIRY: read it.", "subagent_type": "general-purpose"}
    path = stage.file("numbers_.py")
    looking = [calls("Read", file_path=path), Turn("It returns three.")]
    first = [
        calls("Agent", **task, run_in_background=False),
        *stage.fix(),
        stage.run(f"{PYTEST} -q"),
        Turn("Two is two."),
    ]
    stage.ask(prompt, *first, others={"INQUIRY": looking})
    again = stage.fix("return 2\n\n\ndef one", "return 1 + 1\n\n\ndef one")
    session = stage.ask("Make it clearer.", *again, Turn("Simplified."))
    stage.ask("And now?", stage.run("git status"), Turn("Nothing."), resume=session)


def _task_is_known(found: Sequence[Claim]) -> None:
    assert not any("data to use, not instructions" in each.text for each in found)
    known = under(found, "Known of numbers_.py")
    assert any("for “Fix the function two”" in each for each in known)
    assert any("decision plain-integers" in each for each in known)


def _two_sprints(stage: Stage) -> None:
    """No sprint is chosen; then one is, by the client's environment, and by a branch."""
    prepare(stage.desk, stage.client, files={**CODE, **ITEMS})
    stage.env = listen(stage.desk)
    commit(stage.desk)
    vfcc(stage.desk, "sprint", "start", "Login", "--goal", GOAL)
    _git(stage, "switch", "-c", "signup")
    vfcc(stage.desk, "sprint", "start", "Signup", "--goal", "People sign up")
    _git(stage, "switch", "-c", "elsewhere")
    stage.ask("What is open?", stage.run("vfcc status"), Turn("Two sprints."))
    plan = calls("Write", file_path=stage.file(".memory/stage/login/planning/artifacts/plan.md"), content=PLAN)
    stage.ask("Plan the login.", plan, Turn("Planned."), env={"VFCC_SPRINT": "login"})
    _git(stage, "switch", "signup")
    path = stage.file(".memory/stage/signup/planning/artifacts/plan.md")
    stage.ask("Plan the form.", calls("Write", file_path=path, content=PLAN), Turn("Planned."))


def _both_are_named(found: Sequence[Claim]) -> None:
    texts = [each.text for each in found if each.event == "SessionStart"]
    assert any("several sprints are open" in each for each in texts)
    assert {each.split()[1] for each in texts if each.startswith("Sprint ")} == {"login", "signup"}


def _stages(stage: Stage) -> None:
    """One session hands in the plan and the design, and then edits the code."""
    _begin(stage, {})
    put = "vfcc stage put {} <<'EOF'\n{}EOF"
    steps = [stage.run(put.format("plan.md", PLAN)), stage.run("vfcc stage advance")]
    steps += [stage.run(put.format("design.md", DESIGN)), stage.run("vfcc stage advance")]
    stage.ask("Do the sprint.", *steps, *stage.fix(), stage.run(f"{PYTEST} -q tests"), Turn("One test is left."))


def _three_stages(found: Sequence[Claim]) -> None:
    places = [each.text for each in found if each.text.startswith("Sprint ")]
    assert [name for each in places for name in ("planning", "design", "coding") if f"stage {name}," in each] == [
        "planning", "design", "coding",
    ]  # fmt: skip


def _killed(stage: Stage) -> None:
    """The client is killed in the middle of its work; another session goes on with it."""
    _begin(stage, {}, until="coding")
    kill = stage.run("kill -9 $PPID")
    stage.ask("Fix the number two.", *stage.fix(), kill, code=-9)
    stage.ask("Fix the number one.", *stage.fix("return 2\n\n\ndef one", "return 2  # two\n\n\ndef one"), Turn("Done."))


def _no_end(found: Sequence[Claim]) -> None:
    assert any("no end recorded, last event" in each for each in under(found, "Done here last"))


def _resumed(stage: Stage) -> None:
    """A session is resumed after an item and another session came, and a rule was withdrawn."""
    _begin(stage, {}, until="coding")
    session = stage.ask(
        "May a total be rounded, and may plain integers have fractions?", *stage.fix(), Turn("Two is right.")
    )
    folder = stage.desk.folder / ".memory/project/items"
    (folder / "constraint/offline.md").unlink()
    new = "---\nid: named\ntype: convention\ntitle: Functions are named after their numbers\n"
    new += "refs:\n  - path: numbers_.py\n---\nSo.\n"
    (folder / "convention").mkdir()
    (folder / "convention/named.md").write_text(new, encoding="utf-8")
    stage.ask("Look around.", stage.run("git status"), Turn("Nothing else."))
    stage.ask("Now the other.", *stage.fix("return 2", "return 1 + 1"), Turn("Done."), resume=session)


def _difference(found: Sequence[Claim]) -> None:
    texts = [each.text for each in found]
    assert "No longer in force: offline." in texts
    assert any("convention named" in each for each in under(found, "Rules in force"))


def _tools(stage: Stage) -> None:
    """A recall at a prompt, a tool of a server, a shell read, a denied call, and a subagent with a role."""
    _begin(stage, {}, until="coding")
    servers = {"mcpServers": {"files": {"command": sys.executable, "args": [str(SERVER)]}}}
    agents = {"tester": {"description": "Tests.", "prompt": "Test."}}
    task = {"description": "test", "prompt": "INQUIRY: test it.", "subagent_type": "tester"}
    turns = [
        stage.run("head -3 numbers_.py"),
        stage.run("sed -i 's/return 3/return 2/' numbers_.py"),
        calls("mcp__files__write_file", path=stage.file("notes.txt"), content="Two is two.\n"),
        stage.run("sed -i s/deny/off/ .memory/config.yaml"),
        stage.run('vfcc memory add decision "Numbers are literals"'),
        stage.run('vfcc task start "Fix the number one"'),
        calls("Task", **task),
        Turn("Done."),
    ]
    path = stage.file("tests/test_numbers.py")
    testing = [
        calls("Read", file_path=path),
        calls("Edit", file_path=path, old_string="one() == 1", new_string="one() == 2"),
        Turn("Tested."),
    ]
    extra = ["--mcp-config", json.dumps(servers), "--agents", json.dumps(agents)]
    stage.ask("Was rounding a wrong total?", *turns, others={"INQUIRY": testing}, extra=extra)
    stage.ask("What is next?", stage.run("vfcc next"), Turn("The other."))


def _recalled(found: Sequence[Claim]) -> None:
    assert any("proposal" in each.text or each.heading.startswith("Proposals") for each in found)
    assert under(found, "Open tasks")
    assert any(each.event == "SubagentStart" for each in found)


def _evidence(stage: Stage) -> None:
    """The tests of the gate fail, are mended, are stale, and pass."""
    _begin(stage, GATED, until="testing")
    as_person(stage.desk, "allow", "--yes")
    program = stage.desk.home / "bin/vfcc"  # Codex runs a login shell, whose PATH is the machine's
    evidence = stage.run(f"{program} evidence run")
    stage.ask("Run the tests.", evidence, Turn("Two fail."))
    mend = stage.run("sed -i 's/== 2/== 3/; s/== 1/== 2/' tests/test_numbers.py")
    stage.ask("Mend the tests.", stage.run("cat tests/test_numbers.py"), mend, Turn("Mended."))
    stage.ask("Run them again.", evidence, Turn("All pass."))
    stage.ask("What is left?", stage.run(f"{program} next"), Turn("The results."))


def _results(found: Sequence[Claim]) -> None:
    lines = under(found, "Last test results")
    assert any("2 of 2 tests failed, of the files as they are now" in each for each in lines)
    assert any("of other content: since then tests/test_numbers.py changed" in each for each in lines)
    assert any("failed" not in each and "of the files as they are now" in each for each in lines)


def _git(stage: Stage, *arguments: str) -> None:
    import subprocess

    subprocess.run(["git", *arguments], cwd=stage.desk.folder, check=True, capture_output=True)


SESSIONS = (
    Session("compaction, failures fixed otherwise", "claude", _compacted, _one_is_left),
    Session("compaction, failures fixed otherwise", "codex", _compacted, _one_is_left),
    Session("compaction after a silent run", "claude", _silent, _nothing_certain),
    Session("compiled prompt, subagent, resume", "claude", _subagent, _task_is_known),
    Session("two sprints", "claude", _two_sprints, _both_are_named),
    Session("three stages in one session", "claude", _stages, _three_stages),
    Session("killed in the middle", "claude", _killed, _no_end),
    Session("resume after a withdrawn rule", "codex", _resumed, _difference),
    Session("recall, MCP tool, denial, role of a subagent", "claude", _tools, _recalled),
    Session("test results, failing, stale, passing", "codex", _evidence, _results),
)
