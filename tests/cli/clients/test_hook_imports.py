"""What the whole program imports to answer a hook: counted, since imports are most of what a hook costs."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.cli.test_fast import AHEAD
from tests.cli.clients.test_hook import hook_with
from tests.cli.hooked import said
from tests.cli.process import vfcc

pytestmark = pytest.mark.vfcc("REQ-EPISODE-HOOKS")

MAKERS = {
    *("yaml", "inspect", "verifflowcc.code.rules.code_context", "verifflowcc.base.formats.front_matter_values"),
    *("verifflowcc.code.rules.marks", "verifflowcc.trace.rules.trace_check", "verifflowcc.trace.use.trace_sources"),
}
"""What reads files that changed, which hooks have already left the results of."""
OF_SPRINTS = {
    *("subprocess", "tempfile", "verifflowcc.gates.use.gates_now", "verifflowcc.gates.use.sprints"),
    *("verifflowcc.sprint.use.people_acting", "verifflowcc.clients.use.gate_asks", "verifflowcc.base.text.extract"),
}
PATIENT = f"""
from verifflowcc.fast import hook
from verifflowcc.clients.use import brief
hook.LIMIT_S = brief.PATIENCE_S = 600.0
{AHEAD}
"""
"""`vfcc` a minute later, with ten minutes for an answer: on a busy machine imports take longer than a client waits."""
EDIT = said("PreToolUse", tool_name="Edit", tool_input={"file_path": "src/app.py", "old_string": "a"})


def imported(folder: Path, words: dict[str, Any]) -> set[str]:
    """Answer an event once to leave what later hooks use, and return the modules that the second answer loads."""
    hook_with(folder, PATIENT, words)
    done = hook_with(folder, PATIENT, {**words, "session_id": "second"})
    assert "additionalContext" in done.out or words is EDIT
    found = set(done.err.split())
    assert not {each for each in found if each.startswith("verifflowcc.run")}
    return found


def test_a_session_begins_without_git_and_gates_where_no_sprint_is_open(young: Path) -> None:
    loaded = imported(young, said("SessionStart", source="startup"))

    assert "verifflowcc.clients.use.brief" in loaded
    assert sorted(loaded & (MAKERS | OF_SPRINTS)) == []
    assert "verifflowcc.memory.use.searching" not in loaded


def test_a_session_begins_with_kept_answers_where_nothing_changed_in_a_sprint(young: Path) -> None:
    assert vfcc(young, "sprint", "start", "One", "--goal", "Pay by card").code == 0
    assert vfcc(young, "memory", "add", "constraint", "Pay in whole cents").code == 0

    loaded = imported(young, said("SessionStart", source="startup"))

    assert "verifflowcc.gates.use.gates_now" in loaded
    assert sorted(loaded & MAKERS) == []


def test_the_first_edit_of_a_file_imports_neither_git_nor_gates(young: Path) -> None:
    loaded = imported(young, EDIT)

    assert "verifflowcc.clients.use.hook_notes" in loaded
    assert sorted(loaded & (MAKERS | OF_SPRINTS)) == []
