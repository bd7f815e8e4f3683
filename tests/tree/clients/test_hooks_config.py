"""The section `hooks` of `config.yaml`, and a role's `tools.yaml`: what is wrong with them is said in a sentence."""

from pathlib import Path

import pytest

from tests.history_world import project
from tests.trees import write_memory
from verifflowcc.base.config.tools_file import read_tools
from verifflowcc.base.errors import ConfigError, FormatError
from verifflowcc.base.model.config_values import HistorySharing, HookSettings, ToolTable
from verifflowcc.sprint.use.configuration import check_config, effective_config


def settings_of(folder: Path, text: str) -> HookSettings:
    here = project(folder, f"format: 1\n{text}")
    first = effective_config(here).config.hooks
    assert effective_config(here).config.hooks == first, "as it comes out of the cache"
    return first


def test_by_default_events_are_recorded_and_recalled_and_nothing_is_shared_or_held(tmp_path: Path) -> None:
    assert settings_of(tmp_path, "") == HookSettings()
    assert HookSettings() == HookSettings(
        record=True, share=HistorySharing.NEVER, tools=ToolTable.DENY, files=True, recall=True, hold=False
    )


def test_each_setting_is_what_it_says(tmp_path: Path) -> None:
    said = "{record: false, share: session, tools: ask, files: false, brief_tokens: 0, recall: true, hold: true}"

    assert settings_of(tmp_path, f"hooks: {said}\n") == HookSettings(
        record=False,
        share=HistorySharing.SESSION,
        tools=ToolTable.ASK,
        files=False,
        brief_tokens=0,
        recall=True,
        hold=True,
    )


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("record: maybe", "hooks.record"),
        ("share: always", "hooks.share"),
        ("tools: forbid", "hooks.tools"),
        ("files: 3", "hooks.files"),
        ("brief_tokens: -1", "hooks.brief_tokens"),
        ("brief_tokens: 2201", "hooks.brief_tokens"),
        ("recall: []", "hooks.recall"),
        ("hold: sometimes", "hooks.hold"),
        ("holt: true", "hooks.holt"),
    ],
)
def test_a_bad_value_is_told_in_one_sentence(tmp_path: Path, value: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings_of(tmp_path, f"hooks: {{{value}}}\n")

    (problem,) = caught.value.problems
    assert problem.startswith("config.yaml:2: ")
    assert told in problem or told.rpartition(".")[2] in problem
    assert "\n" not in problem


def read(folder: Path, text: str | bytes) -> object:
    path = folder / "tools.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_tools(path, folder)


def test_a_table_without_a_version_keeps_its_patterns_and_gets_no_changes_by_git_and_no_moves(tmp_path: Path) -> None:
    text = "tools:\n  - name: read\n    paths: ['**']\n  - run\n  - {name: edit, never: [a]}\n"

    assert read(tmp_path, text) == {
        "read": {"paths": ["**"], "never": []},
        "run": {"paths": [], "never": []},
        "edit": {"paths": [], "never": ["a"]},
        "git-read": {},
        "vfcc": {"classes": ["query", "work"]},
        "mcp": {},
    }
    assert read_tools(tmp_path / "none.yaml", tmp_path) is None


@pytest.mark.parametrize(
    "text",
    ["", "tools", "tools: 3", "tools: [[]]", "tools: [{paths: [a]}]", "tools: [{name: edit, paths: a}]", "{", b"\xff",
     "tools: [{name: edit, never: [3]}]"],
)  # fmt: skip
def test_what_is_no_table_is_refused(tmp_path: Path, text: str | bytes) -> None:
    with pytest.raises(FormatError, match=r"tools\.yaml:[12]: "):
        read(tmp_path, text)


def test_version_2_lists_every_class(tmp_path: Path) -> None:
    text = (
        "version: 2\ntools:\n  - {name: edit, paths: [a]}\n  - {name: run, commands: [make test]}\n  - git-write\n"
        "  - {name: vfcc, classes: [query, move]}\n  - {name: mcp, servers: [github]}\n"
    )

    assert read(tmp_path, text) == {
        "edit": {"paths": ["a"], "never": []},
        "run": {"commands": ["make test"]},
        "git-write": {},
        "vfcc": {"classes": ["query", "move"]},
        "mcp": {"servers": ["github"]},
    }
    assert read(tmp_path, "version: 2\ntools: [vfcc]\n") == {"vfcc": {"classes": ["query", "work"]}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("version: 3\ntools: []", "tools.yaml:1: version 3 is none that this vfcc knows"),
        ("version: 2\ntools:\n  - name: edti\n", "tools.yaml:3: there is no tool edti (did you mean edit?)"),
        ("version: 2\ntools:\n  - {name: run, paths: [a]}", "tools.yaml:3: run has no key paths; allowed: commands"),
        ("version: 2\ntools:\n  - run\n  - run\n", "tools.yaml:4: run is listed twice"),
        ("version: 2\nrights: 1\ntools: []", "tools.yaml:2: unknown key rights"),
        ("version: 2\ntools:\n  - name: vfcc\n    classes: [query, person]", "tools.yaml:4: the class person of vfcc"),
        (
            "version: 2\ntools:\n  - name: vfcc\n    classes: [ci]",
            "tools.yaml:4: the class ci of vfcc belongs to",
        ),
        ("version: 2\ntools:\n  - name: vfcc\n    classes: [moves]", "tools.yaml:4: vfcc has no class moves"),
        ("version: 2\ntools:\n  - name: mcp\n    servers: []", "tools.yaml:4: mcp.servers is empty"),
    ],
)
def test_a_fault_in_a_table_has_its_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, text)

    assert caught.value.message.startswith(problem)


def test_config_check_finds_the_faults_of_tables(tmp_path: Path) -> None:
    here = project(tmp_path, "format: 1\n")
    write_memory(here.root, {"agent/coder/tools.yaml": "version: 2\ntools:\n  - edti\n"})

    (problem,) = check_config(here).problems
    assert problem.startswith(".memory/agent/coder/tools.yaml:3: there is no tool edti")
