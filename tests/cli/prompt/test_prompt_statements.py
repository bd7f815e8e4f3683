"""Ten statements on what reached an agent in version 0.1, each with a test that fails there and passes now.

The tests run commands alone, so that they can be tried on another version: `VFCC_TRIED` is the path of its `vfcc`. What
else holds a statement:

1.  Naming the task empties the memory: `tree/test_context_rules.py`, `tree/test_context_recall.py`.
2.  Requirements reach no prompt: `tree/test_context_trace.py`; a line of a chat: `tree/test_heard_requirements.py`.
3.  Typed memory is dead and nothing says so: `cli/test_dead_memory.py`.
4.  Rules lose to code: `tree/test_context_rules.py`, `pure/test_pack_turns.py`.
5.  Titles and error codes are missing, wrapping costs more than the text: `pure/test_prompt_groups.py`; thirty items at
    1.35 times their tokens: `tree/test_prompt_page.py`.
6.  Code is scattered and the same for all roles: `cli/test_context_code.py`, `cli/test_context_review.py`,
    `pure/test_role_prompts.py`.
7.  The task is in the middle, commands and the artifact's place are missing, conventions are "data, not instructions":
    `tree/test_prompt_page.py`.
8.  The brief has no goal, nothing owed, no commands: `tree/test_brief_parts.py`; subagents: `clients/test_notes.py`.
9.  Wrong claims after a compaction: `tree/test_hooks.py`, `pure/test_claims.py`, `clients/test_claims.py`.
10. vfcc remembers its own prompts as typed words: `tree/test_history_own_prompts.py`, `pure/test_own_prompts.py`.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.forked import VFCC
from tests.role_project import write_role_project
from tests.transcript.terminal import at_terminal
from tests.trees import write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.use.history_reading import own_partitions

pytestmark = pytest.mark.vfcc("REQ-ROLE-PROMPTS")

TASK = "Round each line of an invoice to whole cents"
SEED = """\
format: 1
loading_strategy:
  project: {always_load: [CLAUDE.md, conventions/python.md], conditional_load: [decisions/*.md], max_tokens: 5000}
  sprint: {always_load: [goals.md, progress.json], conditional_load: [retrospectives/*.md], max_tokens: 10000}
  stage: {always_load: [current_artifacts/*], conditional_load: [previous_stage_summary.md], max_tokens: 15000}
  agent: {always_load: [prompt_template.md, tools_config.yaml], conditional_load: [context.json], max_tokens: 9000}
"""
"""The configuration of the memory hierarchy decision."""
RULE = "## Rule {0}\n\nAlways keep rule number {0} of the harbour when you change the calendar.\n\n"
FUNCTION = '''\
def export_calendar_{0}_{1}(calendar, chapter):
    """Export the calendar number {1} of chapter {0}."""
    return [entry.export({0}, {1}) for entry in calendar if entry.chapter == chapter + {1}]


'''


def environment(folder: Path) -> dict[str, str]:
    """Return an environment in which `vfcc` is the one that is tried."""
    who = {f"GIT_{role}_{what}": "you@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    home = {"PATH": f"{VFCC.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder.parent), "LC_ALL": "C.UTF-8"}
    return {**home, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def shell(line: str, folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a line of shell without a terminal."""
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment(folder),
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def prompt(folder: Path, agent: str, *options: str, task: str = TASK) -> str:
    ran = shell(f"vfcc context show --agent {agent} --task '{task}' {' '.join(options)}", folder)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def hook(folder: Path, event: str, session: str = "s1", **more: Any) -> str:
    """Return what a hook of Claude Code adds to the conversation."""
    words = {"hook_event_name": event, "session_id": session, "prompt_id": "p1", "cwd": str(folder), **more}
    ran = shell("vfcc hook claude", folder, json.dumps(words))
    assert ran.returncode == 0, ran.stderr
    return str(json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]) if ran.stdout.strip() else ""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    assert shell("git init -q -b main && vfcc init", root).returncode == 0
    return root


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made") / "project"
    root.mkdir()
    shell("git init -q -b main", root)
    write_role_project(root, lambda line, folder: shell(line, folder).stdout)
    return root


@pytest.fixture
def shop(made: Path, tmp_path: Path) -> Path:
    """The project of the pages on prompts: a sprint in its coding stage."""
    return Path(shutil.copytree(made, tmp_path / "project"))


def test_1_a_task_without_a_shared_word_leaves_memory_in_the_prompt(project: Path) -> None:
    items = {f".memory/project/items/fact/n{n}.md": f"---\ntype: fact\n---\nPilot {n} boards.\n" for n in range(60)}
    voice = {".memory/project/items/guideline/voice.md": "---\ntype: guideline\n---\nUse their brand voice guide.\n"}
    write_tree(project, {**items, **voice})

    for agent, least in (("planner", 29), ("coder", 49)):
        text = prompt(project, agent, task="Write the second chapter")
        assert text.count(" boards.") >= least
        assert "Use their brand voice guide." in text


def test_2_the_coder_reads_the_requirements_that_the_sprint_is_about(shop: Path) -> None:
    text = prompt(shop, "coder")

    assert "Each line of an invoice shall be rounded to whole cents before it is added up." in text
    assert "Tax shall be computed from the sum of the rounded lines" in text


def test_2_a_line_of_a_chat_reaches_the_prompt_and_turns_no_check_red(project: Path) -> None:
    write_tree(project, {"talk.jsonl": '{"role": "user", "text": "The export must work offline"}\n'})
    shell("git config user.name Ann", project)
    code, shown = at_terminal("vfcc memory ingest talk.jsonl --yes", project, environment(project), ())
    assert (code, "1 added" in shown) == (0, True), shown

    assert "The export must work offline" in prompt(project, "coder", task="Write the export")
    assert "RED" not in shell("vfcc check trace", project).stdout


def test_3_adding_an_item_that_no_layer_loads_says_so(project: Path) -> None:
    write_tree(project, {".memory/config.yaml": SEED})

    ran = shell("vfcc memory add fact 'Boats are blue.' --id boats", project)

    assert ran.returncode == 0
    assert "no layer loads it" in ran.stderr
    assert "@recall" in shell("vfcc doctor", project).stdout


def test_4_no_rule_is_cut_while_code_gets_room(project: Path) -> None:
    code = {f"src/calendar_{n}.py": "".join(FUNCTION.format(n, k) for k in range(24)) for n in range(40)}
    write_tree(project, {**code, "CLAUDE.md": "# Rules\n\n" + "".join(map(RULE.format, range(45)))})
    shell("git add -A && git commit -qm first", project)

    text = prompt(project, "coder", "--budget 8000", task="Export the calendar of the second chapter")

    assert [n for n in range(45) if f"rule number {n} of" not in text] == []
    assert "def export_calendar_" in text


def test_5_a_failure_has_its_title_its_code_and_its_lesson_on_one_line(shop: Path) -> None:
    (line,) = (line for line in prompt(shop, "coder").splitlines() if "added up unrounded" in line)

    assert "The total was one cent off the sum of its lines" in line
    assert "E-CENT" in line


def test_6_code_comes_in_whole_pieces_and_as_the_role_needs_it(shop: Path) -> None:
    coder, tester, reviewer, planner = (prompt(shop, role) for role in ("coder", "tester", "reviewer", "planner"))
    whole, body = (shop / "invoices/totals.py").read_text(encoding="utf-8"), "net = sum("

    assert whole in coder
    assert "@pytest.fixture" in tester
    assert body not in tester
    assert "```diff" in reviewer
    assert body not in planner
    assert "def invoice_total(" in planner


def test_7_the_task_is_last_below_rules_commands_and_what_is_owed(shop: Path) -> None:
    ran = shell(f"vfcc context show --agent coder --task '{TASK}'", shop)

    assert ran.stdout.endswith(f"\n{TASK}\n")
    assert "data to use, not instructions" not in ran.stdout
    assert "python -m pytest" in ran.stdout
    assert ".memory/stage/whole-cents/coding/artifacts/changes.md" in ran.stdout
    assert "conventions/python.md" not in ran.stderr


def test_8_a_brief_has_the_goal_what_is_owed_and_commands(shop: Path) -> None:
    brief = hook(shop, "SessionStart", source="startup")

    assert "Every amount on an invoice is in whole cents" in brief
    assert "changes.md" in brief
    assert "vfcc stage put changes.md" in brief
    assert "vfcc context show --agent coder" in brief


def test_9_after_a_compaction_no_test_that_passed_is_called_failed(shop: Path) -> None:
    failed = "Exit code 1\nFAILED tests/test_totals.py::test_tax - assert 1 == 2\n1 failed in 0.12s"
    one, every = ({"command": line} for line in ("pytest tests/test_totals.py::test_tax", "pytest -q"))
    hook(shop, "SessionStart", source="startup")
    hook(shop, "UserPromptSubmit", prompt="Mend the tax.")
    hook(shop, "PostToolUseFailure", tool_name="Bash", tool_input=one, tool_use_id="t1", error=failed)
    passed = {"stdout": "9 passed in 0.2s"}
    hook(shop, "PostToolUse", tool_name="Bash", tool_input=every, tool_use_id="t2", tool_response=passed)
    hook(shop, "PreCompact", trigger="auto")

    brief = hook(shop, "SessionStart", source="compact")

    assert "Mend the tax." in brief
    assert "not passed since" not in brief


def test_10_a_compiled_prompt_is_not_remembered_as_typed_words(shop: Path) -> None:
    text = prompt(shop, "coder")
    hook(shop, "SessionStart", source="startup")
    hook(shop, "UserPromptSubmit", prompt=text)
    hook(shop, "Stop", last_assistant_message="Done.")
    hook(shop, "SessionEnd", reason="other")

    assert "implements the units" not in hook(shop, "SessionStart", "s2", source="startup")
    files = own_partitions(Workspace(shop))
    events = [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines() if line]
    assert [each["description"] for each in events if each["kind"] == "prompt"] == [TASK]
    assert shell(f"vfcc history similar '{TASK}'", shop).stdout.splitlines()[0].endswith(f"  {TASK}")
