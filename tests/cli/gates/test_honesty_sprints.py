"""Two open sprints free nobody from the rules of either."""

import json
from pathlib import Path

import pytest

from tests.cli.honest_world import commit, done, project, refused
from tests.cli.hooked import forked_hook, said
from tests.cli.process import git

pytestmark = pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")

READS_ONLY = "tools:\n  - name: read\n    paths: ['**']\n"


def test_work_in_two_open_sprints(tmp_path: Path) -> None:
    root = project(tmp_path, files={".memory/agent/planner/tools.yaml": READS_ONLY})
    git(root, "switch", "--quiet", "--create", "feature/pay")
    done(root, "sprint", "start", "Pay")
    commit(root)
    git(root, "switch", "--quiet", "--create", "other")

    refused("work-in-two-open-sprints", root)

    given = {"file_path": str(root / "src/calc.py"), "old_string": "+", "new_string": "-"}
    ran = forked_hook(root, said("PreToolUse", tool_name="Edit", tool_input=given))
    answer = json.loads(ran.out)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert "the role planner (stage plan of log-in) may not edit src/calc.py" in answer["permissionDecisionReason"]
