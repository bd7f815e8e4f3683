"""The plugin folder has what `vfcc integrate` writes into a project, and fits the clients that install it."""

import json
from pathlib import Path

from tests.plugin_folder import FOLDER, ROOT, files
from verifflowcc.history.rules.client_entries import command_lines


def test_the_folder_is_what_the_sources_say() -> None:
    written = {path: (ROOT / path).read_text(encoding="utf-8") for path in files()}

    assert written == files(), "python -m tests.plugin_folder writes it again"
    there = {path.relative_to(ROOT).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    assert there == {path for path in files() if path.startswith("plugin/")}


def test_each_hook_is_one_string_which_codex_and_copilot_run_too() -> None:
    hooks = json.loads(files()["plugin/hooks/hooks.json"])["hooks"]

    for entries in hooks.values():
        for hook in entries[0]["hooks"]:
            assert list(command_lines(hook)) == ["vfcc hook claude"]
            assert "args" not in hook


def test_the_marketplace_names_the_folder() -> None:
    (plugin,) = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text(encoding="utf-8"))["plugins"]

    assert (ROOT / plugin["source"] / ".claude-plugin/plugin.json").exists()
    assert Path(plugin["source"]).name == FOLDER.name
