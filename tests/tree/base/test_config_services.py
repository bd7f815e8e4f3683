"""The three commands' services, on a workspace."""

import json
from pathlib import Path

import pytest

from verifflowcc.base.errors import ConfigError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.store.workflow_load import templates_folder
from verifflowcc.sprint.use.configuration import (
    ConfigReport,
    check_config,
    config_schema,
    effective_config,
    shipped_workflows,
    show_config,
)


def workspace(root: Path, files: dict[str, str]) -> Workspace:
    for name, text in {"project/.keep": "", **files}.items():
        path = root / ".memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Workspace(root)


def test_the_shipped_workflows_are_the_ones_that_init_offers() -> None:
    assert {"light", "agile", "standard"} <= set(shipped_workflows())


def test_the_shipped_configuration_passes_its_own_check(tmp_path: Path) -> None:
    text = (templates_folder() / "config.yaml").read_text(encoding="utf-8")

    assert check_config(workspace(tmp_path, {"config.yaml": text})) == ConfigReport((), ())


def test_a_check_lists_every_problem_and_writes_nothing(tmp_path: Path) -> None:
    here = workspace(tmp_path, {"config.yaml": "workflow: lite\nllm: {}\n"})

    report = check_config(here)

    assert [problem[:14] for problem in report.problems] == ["config.yaml:1:", "config.yaml:2:"]
    assert not here.local.exists()
    with pytest.raises(ConfigError):
        effective_config(here)
    with pytest.raises(ConfigError):
        show_config(here)


def test_a_role_that_nobody_plays_is_a_notice(tmp_path: Path) -> None:
    roles = "token_allocation: {codr: {agent: 1}, scribe: {agent: 1}, poet: {agent: 1}, default: {agent: 1}}"
    here = workspace(tmp_path, {"config.yaml": roles, "agent/scribe/prompt.md": "", "templates/poet.md.j2": ""})

    report = check_config(here)

    assert report.problems == ()
    assert len(report.notices) == 1
    assert report.notices[0].startswith("token_allocation.codr is for a role with no template")


def test_a_missing_configuration_is_a_notice(tmp_path: Path) -> None:
    assert check_config(workspace(tmp_path, {})).notices == (
        ".memory/config.yaml is missing: the default configuration holds",
    )


def test_the_effective_configuration_is_remembered(tmp_path: Path) -> None:
    here = workspace(tmp_path, {"config.yaml": "workflow: agile\n"})

    assert effective_config(here) == effective_config(here)
    assert (here.local / "config.json").is_file()


def test_show_and_schema_speak_of_the_same_keys(tmp_path: Path) -> None:
    schema = json.loads(config_schema())
    shown = {setting.name.split(".")[0] for setting in show_config(workspace(tmp_path, {}))}

    assert config_schema().endswith("}\n")
    assert shown == set(schema["properties"])
