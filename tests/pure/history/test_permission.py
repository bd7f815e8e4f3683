"""What each shipped role may do, and that vfcc's own record is closed to all of them."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.history.test_touches import JSON
from verifflowcc.base.config.tools_file import parse_tools
from verifflowcc.base.model.command_classes import QUERY, class_of
from verifflowcc.history.rules.briefed import conversation_of, stage_line
from verifflowcc.history.rules.permission import denied, edited_files, wants_the_program

AGENTS = Path(__file__).parents[3] / "templates" / "agents"
ROLES = sorted(path.parent.name for path in AGENTS.glob("*/tools.yaml"))
ARTIFACT = ".memory/stage/s/coding/artifacts/changes.md"
ITEMS = (".memory/project/items/requirement/a.md", ".memory/sprint/s/items/a.md")
EDITED = {
    "planner": (),
    "reviewer": (),
    "analyst": (ARTIFACT, *ITEMS),
    "architect": (ARTIFACT, *ITEMS, ".memory/project/decisions/a.md"),
    "designer": (ARTIFACT, *ITEMS, ".memory/project/decisions/a.md"),
    "coder": (ARTIFACT, "src/a.py", "tests/a.py", ".memory/project/decisions/a.md"),
    "integrator": (ARTIFACT, "tests/a.py"),
    "tester": (ARTIFACT, "tests/a.py"),
    "stakeholder": (ARTIFACT,),
}
RUNNERS = {"reviewer", "coder", "integrator", "tester", "stakeholder"}
PATHS = sorted({path for paths in EDITED.values() for path in paths})
EVENT = ".memory/sprint/s/events/1.json"
EVIDENCE = ".memory/stage/s/coding/evidence/1.json"


def rules(role: str) -> dict[str, Any]:
    tools, problems = parse_tools((AGENTS / role / "tools.yaml").read_bytes(), "tools.yaml")
    assert not problems
    return {"role": role, "stage": "coding", "tools": tools}


def why(tool: str, role: str | None, cwd: str = "/p", **given: object) -> str:
    said = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": cwd}
    return denied(said, rules(role) if role else None, "/p")


def patch(path: str) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n+x\n*** End Patch"


def test_every_shipped_role_is_tried() -> None:
    assert set(EDITED) == set(ROLES)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("path", PATHS)
def test_a_role_edits_what_its_table_lists_and_nothing_else(role: str, path: str) -> None:
    allowed = role == "coder" or path in EDITED[role]

    for said in (
        why("Edit", role, file_path=f"/p/{path}"),
        why("Write", role, file_path=path),
        why("MultiEdit", role, file_path=f"x/../{path}"),
        why("apply_patch", role, command=patch(path)),
        why("Bash", role, command=patch(path)),
    ):
        assert (said == "") is allowed, said
        if not allowed:
            assert said.startswith(f"the role {role} (stage coding) may not edit {path}: .memory/agent/{role}/tools.y")
    ran = why("Bash", role, command=f"sed -i s/a/b/ {path}")
    assert (ran == "") is (allowed and role in RUNNERS)


def of_stage(role: str, tool: str, **given: object) -> str:
    """As `why`, for the role of the stage `coding`, which owes changes.md and notes.md."""
    own = {"artifacts": ".memory/stage/s/coding/artifacts", "owed": ["changes.md", "notes.md"]}
    said = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": "/p"}
    return denied(said, {**rules(role), **own}, "/p")


@pytest.mark.parametrize("role", ROLES)
def test_the_role_of_a_stage_writes_its_artifacts_whatever_its_table_lists(role: str) -> None:
    for said in (
        of_stage(role, "Write", file_path=f"/p/{ARTIFACT}", content="x"),
        of_stage(role, "Edit", file_path=ARTIFACT),
        of_stage(role, "MultiEdit", file_path=f"src/../{ARTIFACT}"),
        of_stage(role, "NotebookEdit", notebook_path=ARTIFACT.replace("md", "ipynb")),
        of_stage(role, "apply_patch", command=patch(ARTIFACT)),
        of_stage(role, "Bash", command=patch(ARTIFACT)),
        of_stage(role, "Write", file_path=ARTIFACT.replace("changes.md", "units/form.md")),
    ):
        assert said == "", said


@pytest.mark.parametrize(
    "path",
    [
        *("src/a.py", f"{ARTIFACT}/../../../../../../src/a.py", ".memory/stage/s/design/artifacts/design.md"),
        *(".memory/stage/t/coding/artifacts/changes.md", ".memory/stage/s/coding/artifacts", ".memory/project/a.md"),
        *(".memory/stage/s/coding/artifacts-of-another/a.md", ".memory/stage/s/coding/summary.md"),
        f"/elsewhere/{ARTIFACT}",
    ],
)
def test_it_writes_nothing_else_by_that(path: str) -> None:
    for said in (
        of_stage("planner", "Write", file_path=path),
        of_stage("planner", "apply_patch", command=patch(path)),
        of_stage("planner", "apply_patch", command=patch(ARTIFACT) + "\n" + patch(path)),
    ):
        assert said.startswith("the role planner (stage coding) may not edit "), said
    assert "vfcc's own record" in of_stage("planner", "Write", file_path=f"{ARTIFACT}/../../evidence/1.json")


@pytest.mark.parametrize(("tool", "given"), [("Write", {"file_path": "src/a.py"}), ("Bash", {"command": "make"})])
def test_a_denial_says_how_the_work_is_handed_over(tool: str, given: dict[str, str]) -> None:
    said = of_stage("planner", tool, **given)

    assert said.endswith(
        f"; the stage's artifacts are open to it: write {ARTIFACT} or run: vfcc stage put changes.md (also notes.md)"
    )
    assert "vfcc stage put" not in why(tool, "planner", **given), "another role than the stage's has no artifacts there"


PLAN = "# Plan\n\n## Events\n\nIt uses `git` and $(evidence); see .memory/sprint > all of it.\n"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    "command",
    [
        *("vfcc stage put plan.md --file notes.md", "vfcc stage draft", "vfcc stage draft plan.md --stdout"),
        *(f"vfcc stage put plan.md <<'EOF'\n{PLAN}EOF", f"cat <<'EOF' | vfcc stage put plan.md --file -\n{PLAN}EOF\n"),
        *("printf '# Plan\\n\\nIt uses `git`.\\n' | vfcc stage put plan", "cd /p && vfcc stage put plan < notes.md"),
    ],
)
def test_every_role_stores_artifacts_by_command(role: str, command: str) -> None:
    assert of_stage(role, "Bash", command=command) == ""


@pytest.mark.parametrize(
    "command",
    [
        *(f"cat <<EOF | vfcc stage put plan\n{PLAN}EOF", "echo $(make) | vfcc stage put plan"),
        *("make | vfcc stage put plan", "vfcc stage put plan < a.md; make", 'printf "`make`" | vfcc stage put plan'),
        *("vfcc stage draft plan --stdout > src/a.py", "cat <<'EOF' > src/a.py\nx\nEOF"),
    ],
)
def test_what_runs_beside_it_is_judged_as_ever(command: str) -> None:
    assert of_stage("planner", "Bash", command=command) != ""


@pytest.mark.parametrize("role", ROLES)
def test_every_role_reads_and_searches_also_by_commands_that_only_look(role: str) -> None:
    assert why("Read", role, file_path="/p/src/a.py") == ""
    assert why("Grep", role, pattern="x") == ""
    assert why("Glob", role, pattern="*", path="/p/src") == ""
    for command in ("cat src/a.py | head", "grep -rin x . 2>&1", "cd src && git log", "vfcc status", "ls /etc"):
        assert why("Bash", role, command=command) == "", command


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("command", ["make", "pytest | tail", "cat a; rm -rf /tmp/a", "echo $(make)", "npm run x"])
def test_only_some_roles_run_commands(role: str, command: str) -> None:
    said = why("Bash", role, command=command)

    assert (said == "") is (role in RUNNERS)
    if said:
        assert "may not run commands in the project" in said


@pytest.mark.points(80)
@pytest.mark.parametrize("role", [*ROLES, None])
@pytest.mark.parametrize("place", [EVENT, f"{EVENT}l", EVIDENCE])
@pytest.mark.parametrize(
    "written",
    [
        *(
            "{}",
            "/p/{}",
            "/p/src/../{}",
            "./{}",
            "/p//{}",
            "src/x/../../{}",
            "/elsewhere/../p/{}",
            "~/p/{}",
            "~/../p/{}",
        ),
        *("/link/to/p/{}", "../p/{}"),
    ],
)
def test_the_record_is_closed_to_all_however_a_path_is_written(role: str | None, place: str, written: str) -> None:
    path = written.format(place)

    for tool, words in (
        ("Edit", {"file_path": path}),
        ("Write", {"file_path": path.replace("events", "Events").replace("evidence", "Evidence")}),
        ("MultiEdit", {"file_path": path}),
        ("NotebookEdit", {"notebook_path": path}),
        ("apply_patch", {"command": patch(path)}),
        ("Bash", {"command": patch(path)}),
        ("Bash", {"command": f"echo x > {path}"}),
        ("Bash", {"command": f"git status; echo x >> '{path}'"}),
        ("Bash", {"command": f"rm {path}"}),
        ("Bash", {"command": f'python -c \'open("{path}", "w")\''}),
        ("Bash", {"command": f"cat <<< x\ncp a {path}"}),
        ("Bash", {"command": f"cat a >| {path}"}),
    ):
        assert "vfcc's own record" in why(tool, role, **words), words


@pytest.mark.parametrize("command", ["rm events/1.json", "cp a events/", "echo x > events/1.json", "rm -r ../s/events"])
def test_the_record_is_closed_from_within_its_folders(command: str) -> None:
    assert "vfcc's own record" in why("Bash", "coder", cwd="/p/.memory/sprint/s", command=command)


@pytest.mark.parametrize(
    "command",
    [
        *(
            f"cat {EVENT}",
            f"ls -la {EVIDENCE} 2>&1",
            f"git add {EVENT}",
            f"cd /p && git add {EVENT} && git commit -m x",
        ),
        *("vfcc evidence run", f"vfcc evidence add .memory/r.xml; git add {EVENT}"),
        "cd /p && git commit -m \"$(cat <<'EOF'\n.memory: events and evidence\nEOF\n)\"",
    ],
)
def test_the_record_may_be_read_and_committed(command: str) -> None:
    assert why("Bash", "coder", command=command) == ""


def test_an_unknown_tool_is_judged_by_the_files_that_it_names() -> None:
    assert why("WebFetch", "planner", url="https://example.org") == ""
    assert why("mcp__files__read", "planner", path="a.py") == ""
    assert "may not edit a.py" in why("mcp__files__write", "planner", path="a.py")
    assert why("mcp__files__write", "coder", path="a.py") == ""
    assert why("Edit", None, file_path="a.py") == ""


def test_a_path_that_is_never_allowed_is_said_to_be() -> None:
    table = {"role": "r", "stage": "s", "tools": {"edit": {"paths": ["**"], "never": ["vendor/**"]}}}
    said = {"tool_name": "Edit", "tool_input": {"file_path": "vendor/a.py"}, "cwd": "/p"}

    assert denied(said, table, "/p") == "the role r may never edit vendor/a.py".replace("r may", "r (stage s) may") + (
        ", says .memory/agent/r/tools.yaml"
    )


TOOLS = st.sampled_from(["Edit", "Bash", "Read", "Grep", "apply_patch", "Write", "Other"])
GIVEN = st.dictionaries(st.sampled_from(["file_path", "command", "path", "edits", "patch"]), JSON)


@settings(deadline=None, max_examples=200)
@given(TOOLS | JSON, GIVEN | JSON, JSON | st.just(rules("coder")), JSON)
def test_no_call_makes_it_fail(tool: Any, given: Any, table: Any, cwd: Any) -> None:
    said = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, "cwd": cwd, "session_id": cwd}

    assert isinstance(denied(said, table, "/p"), str)
    wants_the_program(said, {"rules": table, "files": True, "events": cwd}, "/p", lambda session: [])


def test_the_program_is_wanted_for_what_is_answered_and_for_files_that_nobody_was_told_of() -> None:
    said = {
        "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "cwd": "/p",
        "session_id": "one",
    }  # fmt: skip
    files = {"files": True, "events": ["SessionStart"], "rules": None}

    assert edited_files(said, "/p") == ["a.py"]
    assert wants_the_program(said, files, "/p", lambda session: ["b.py"])
    assert not wants_the_program(said, files, "/p", lambda session: ["a.py"] if session == "one" else [])
    assert not wants_the_program(said, files | {"files": False}, "/p", lambda session: [])
    assert wants_the_program(said, {"rules": rules("planner")}, "/p", lambda session: [])
    assert wants_the_program({"hook_event_name": "SessionStart"}, files, "/p", lambda session: [])
    assert not wants_the_program({"hook_event_name": "Stop"}, files, "/p", lambda session: [])


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit"])
def test_a_hook_needs_the_program_where_its_session_was_briefed_on_another_stage(event: str) -> None:
    settings = {"sprint": "login", "stage": "design", "events": []}
    payload = {"hook_event_name": event, "session_id": "one"}

    def needs(*known: str, **more: str) -> bool:
        seen = {conversation_of(payload | more): known}
        return wants_the_program(payload | more, settings, "/p", lambda whose: seen.get(whose, ()))

    assert needs(stage_line("login", "planning"))
    assert needs(stage_line(None, None))
    assert not needs(stage_line("login", "planning"), "a.py", stage_line("login", "design"))
    assert not needs("a.py"), "a session that began without a brief"
    assert needs(stage_line("login", "planning"), agent_id="sub")
    assert not needs(agent_id="sub"), "a subagent that began without a brief"


PLANNER = {
    "role": "planner",
    "stage": "planning",
    "tools": {"read": {"paths": ["**"]}, "vfcc": {"classes": ["query", "work"]}},
    "artifacts": ".memory/stage/a/planning/artifacts",
}


@pytest.mark.parametrize("server", ["mcp__vfcc__", "mcp__plugin_vfcc_vfcc__"])
@pytest.mark.parametrize(
    ("tool", "input_", "why"),
    [
        ("known", {"paths": ["src/a.py"]}, ""),
        ("recall", {"query": "a", "paths": ["src/a.py"]}, ""),
        ("remember", {"type": "fact", "text": "a", "paths": ["src/a.py"]}, ""),
        ("put", {"name": "plan.md", "text": "a"}, ""),
        ("advance", {"stage": "planning"}, "may not run vfcc stage advance"),
        ("write_file", {"path": "src/a.py"}, "may not"),
    ],
)
def test_tools_of_vfccs_own_server_have_the_classes_of_its_commands(
    server: str, tool: str, input_: dict[str, object], why: str
) -> None:
    call = {"hook_event_name": "PreToolUse", "tool_name": f"{server}{tool}", "tool_input": input_, "cwd": "/p"}

    assert (why in denied(call, PLANNER, "/p")) if why else denied(call, PLANNER, "/p") == ""


def test_the_tools_of_the_server_are_those_that_rules_know() -> None:
    from verifflowcc.history.rules.permission import own_command
    from verifflowcc.mcp.use.mcp_tools import READING, TOOLS

    commands = {name: own_command(f"mcp__vfcc__{name}") for name in TOOLS}
    assert all(commands.values())
    assert {name for name, command in commands.items() if class_of(command.split()) == QUERY} == set(READING)
