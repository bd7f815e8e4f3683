"""What other tools run of this repository: hooks of pre-commit, and the steps of the GitHub Action, offline."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.mcp_world import mcp_project
from tests.cli.process import CI, environment, vfcc
from tests.plugin_folder import ROOT


def steps() -> list[dict[str, Any]]:
    """Return the steps of the action."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = action["runs"]["steps"]
    return found


def test_no_step_puts_an_input_into_its_script() -> None:
    assert all("${{" not in step["run"] for step in steps())
    assert all(step["shell"] == "bash" for step in steps())


def run_action(root: Path, **env: str) -> list[int]:
    """Run the steps as GitHub does, and return their exit codes."""
    above = root.parent
    files = {"GITHUB_OUTPUT": str(above / "output"), "GITHUB_STEP_SUMMARY": str(above / "summary.md")}
    full = environment(above, **CI, **files, RUNNER_TEMP=str(above), SPRINT="", **env)
    codes = []
    for step in steps():
        command = ["bash", "-eo", "pipefail", "-c", step["run"]]
        codes.append(subprocess.run(command, cwd=root, env=full, capture_output=True, check=False).returncode)
    return codes


@pytest.mark.parametrize("off_by", [0, 1])
def test_the_action_is_red_where_evidence_is_not_reproduced(tmp_path: Path, off_by: int) -> None:
    root = mcp_project(tmp_path)
    code = 'import os\n\n\ndef add(a, b):\n    return a + b + int(os.environ.get("OFF_BY", 0))\n'
    (root / "total.py").write_text(code, encoding="utf-8")
    assert vfcc(root, "evidence", "run", "tests", "--stage", "testing", env=CI).code == 0

    codes = run_action(root, OFF_BY=str(off_by))

    assert codes[:-1] == [0, 0]
    assert (codes[-1] != 0) is bool(off_by)
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert f"verdict={codes[-1]}" in (tmp_path / "output").read_text(encoding="utf-8")
    assert "add-it" in summary
    assert "is new" not in summary, "the action leaves nothing in the folder that makes evidence stale"
    assert json.loads((tmp_path / "vfcc.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"


@pytest.mark.parametrize("hook", yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")))
def test_the_entry_of_each_hook_checks_a_project(tmp_path: Path, hook: dict[str, Any]) -> None:
    root = mcp_project(tmp_path)
    program, *words = hook["entry"].split()

    assert program == "vfcc"
    assert hook["pass_filenames"] is False
    assert vfcc(root, *words).code in (0, 4)
    (root / ".memory/config.yaml").write_text("format: 2\nno_such_key: 1\n", encoding="utf-8")
    assert vfcc(root, *words).code not in (0, 4)
    assert hook["files"] == r"^\.memory/"


SPEC_KIT = ROOT / "spec-kit"


def shell_steps(root: Path) -> list[int]:
    """Run the shell steps of the workflow for spec-kit until one fails, as spec-kit does; return the exit codes."""
    codes: list[int] = []
    for step in yaml.safe_load((SPEC_KIT / "workflow.yml").read_text(encoding="utf-8"))["steps"]:
        if step.get("type") == "shell" and not any(codes):
            env = environment(root.parent, **CI)
            done = subprocess.run(step["run"], shell=True, cwd=root, env=env, capture_output=True, check=False)
            codes.append(done.returncode)
    return codes


def test_the_workflow_for_spec_kit_stops_at_a_closed_gate_and_passes_an_open_one(tmp_path: Path) -> None:
    root = mcp_project(tmp_path)
    for stage, name in (("planning", "plan.md"), ("coding", "notes.md")):
        artifact = root / f".memory/stage/add-it/{stage}/artifacts/{name}"
        artifact.parent.mkdir(parents=True, exist_ok=True)
        artifact.write_text("Numbers add up.\n", encoding="utf-8")
        assert vfcc(root, "stage", "advance", "--from", stage).code == 0

    assert shell_steps(root) != [0]
    (root / "total.py").write_text("def add(a, b):\n    return a + b\n", encoding="utf-8")

    assert shell_steps(root) == [0]


def test_the_extension_for_spec_kit_names_files_and_commands_that_it_has() -> None:
    extension = yaml.safe_load((SPEC_KIT / "extension.yml").read_text(encoding="utf-8"))
    commands = {each["name"]: each["file"] for each in extension["provides"]["commands"]}

    assert set(extension) >= {"schema_version", "extension", "requires", "provides"}
    assert all(name.startswith(f"speckit.{extension['extension']['id']}.") for name in commands)
    assert all((SPEC_KIT / file).is_file() for file in commands.values())
    assert {hook["command"] for hook in extension["hooks"].values()} <= set(commands)


CHECK_JSONSCHEMA = Path(sys.executable).with_name("check-jsonschema")


def test_check_jsonschema_finds_nothing_in_the_action_the_workflows_and_a_configuration(tmp_path: Path) -> None:
    if not CHECK_JSONSCHEMA.exists():
        pytest.skip("check-jsonschema is not installed")
    root = mcp_project(tmp_path)
    schema, config = tmp_path / "schema.json", root / ".memory/config.yaml"
    schema.write_text(vfcc(root, "config", "schema").out, encoding="utf-8")

    def code(*words: str | Path) -> int:
        return subprocess.run([CHECK_JSONSCHEMA, "--no-cache", *words], capture_output=True, check=False).returncode

    assert code("--builtin-schema", "vendor.github-actions", ROOT / "action.yml") == 0
    assert code("--builtin-schema", "vendor.github-workflows", *(ROOT / ".github/workflows").glob("*.yml")) == 0
    assert code("--check-metaschema", schema) == 0
    assert code("--schemafile", schema, config) == 0
    config.write_text(config.read_text("utf-8") + "memori: {}\n", encoding="utf-8")
    assert code("--schemafile", schema, config) == 1
