"""The section `hooks` of `config.yaml`, and a role's `tools.yaml`: what is wrong with them is said in a sentence."""

from pathlib import Path

import pytest

from tests.history_world import project
from verifflowcc.adapters.config.tools_yaml import read_tools
from verifflowcc.domain.config import HookSettings, Share, ToolTable
from verifflowcc.errors import ConfigError, FormatError
from verifflowcc.services.configuration import effective_config


def settings_of(folder: Path, text: str) -> HookSettings:
    here = project(folder, f"format: 1\n{text}")
    first = effective_config(here).config.hooks
    assert effective_config(here).config.hooks == first, "as it comes out of the cache"
    return first


def test_without_a_word_events_are_recorded_and_nothing_is_shared_held_or_recalled(tmp_path: Path) -> None:
    assert settings_of(tmp_path, "") == HookSettings()
    assert HookSettings() == HookSettings(
        record=True, share=Share.NEVER, tools=ToolTable.DENY, files=True, recall=False, hold=False
    )


def test_each_setting_is_what_it_says(tmp_path: Path) -> None:
    said = "{record: false, share: session, tools: ask, files: false, brief_tokens: 0, recall: true, hold: true}"

    assert settings_of(tmp_path, f"hooks: {said}\n") == HookSettings(
        record=False, share=Share.SESSION, tools=ToolTable.ASK, files=False, brief_tokens=0, recall=True, hold=True
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


def test_a_table_is_read_with_its_patterns(tmp_path: Path) -> None:
    text = "tools:\n  - name: read\n    paths: ['**']\n  - run\n  - {name: edit, never: [a]}\n"

    assert read(tmp_path, text) == {
        "read": {"paths": ["**"], "never": []},
        "run": {"paths": [], "never": []},
        "edit": {"paths": [], "never": ["a"]},
    }
    assert read_tools(tmp_path / "none.yaml", tmp_path) is None


@pytest.mark.parametrize(
    "text",
    ["", "tools", "tools: 3", "tools: [[]]", "tools: [{paths: [a]}]", "tools: [{name: edit, paths: a}]", "{", b"\xff",
     "tools: [{name: edit, never: [3]}]"],
)  # fmt: skip
def test_what_is_no_table_is_refused(tmp_path: Path, text: str | bytes) -> None:
    with pytest.raises(FormatError, match=r"tools\.yaml:1: "):
        read(tmp_path, text)
