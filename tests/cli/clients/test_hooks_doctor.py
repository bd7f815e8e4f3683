"""What `vfcc doctor` says of clients' hooks: what is set up, what is not as it should be, and what would not run."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import VFCC, environment, vfcc
from verifflowcc.history.use.hooks_health import MODULES

pytestmark = pytest.mark.vfcc("REQ-DOCTOR")

SETTINGS = ".claude/settings.json"


def hooks(folder: Path, **env: str) -> list[dict[str, str]]:
    done = vfcc(folder, "doctor", "--json", "--full", env=env)
    assert "Traceback" not in done.err
    return [each for each in done.data["remarks"] if each["subject"] == "hooks"]


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_where_no_client_is_set_up_there_is_nothing_to_say(young: Path) -> None:
    _put(young / SETTINGS, '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "lint"}]}]}}')
    _put(young / ".cursor/hooks.json", "{ not theirs to mend }")

    (only,) = hooks(young)

    assert (only["health"], only["text"]) == ("ok", "no client runs vfcc at its hooks")


def test_each_client_that_is_set_up_is_told(young: Path) -> None:
    vfcc(young, "integrate", "claude", "cursor")

    told = [each for each in hooks(young) if each["health"] != "note"]

    assert [each["health"] for each in told] == ["ok"] * 3
    assert told[0]["text"] == f"claude: 11 hooks in {SETTINGS}"
    assert told[1]["text"] == "cursor: 10 hooks in .cursor/hooks.json"
    assert told[2]["text"] == f"they start {VFCC}"


def _edited(folder: Path) -> None:
    _edit(folder / SETTINGS, '"timeout": 10', '"timeout": 99')


def _missing(folder: Path) -> None:
    value = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    del value["hooks"]["Stop"]
    _put(folder / SETTINGS, json.dumps(value))


def _gone(folder: Path) -> None:
    (folder / SETTINGS).unlink()


def _broken(folder: Path) -> None:
    _put(folder / SETTINGS, "{\n}}")


def _off(folder: Path) -> None:
    _put(folder / ".claude/settings.local.json", '{"disableAllHooks": true}')


def _beside(folder: Path) -> None:
    hook = {"hooks": [{"type": "command", "command": "vfcc", "args": ["hook", "claude"]}]}
    value = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    _put(folder / SETTINGS, json.dumps({**value, "Stop": [hook]}))


def _elsewhere(folder: Path) -> None:
    _put(folder / ".claude/hooks.json", (folder / SETTINGS).read_text(encoding="utf-8"))


def _link(folder: Path) -> None:
    (folder / SETTINGS).rename(folder / "settings.json")
    (folder / SETTINGS).symlink_to(folder / "settings.json")


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("spoil", "words", "step"),
    [
        (_edited, "somebody changed vfcc's hooks for SessionStart", "vfcc integrate claude --force"),
        (_missing, "vfcc's hooks for Stop are missing", "vfcc integrate claude"),
        (_gone, f"{SETTINGS} is gone, and its hooks with it", "vfcc integrate claude"),
        (_broken, f"{SETTINGS}: line 2: ", f"mend {SETTINGS}"),
        (
            _off,
            "disableAllHooks turns all hooks of claude off",
            "take disableAllHooks out of .claude/settings.local.json",
        ),
        (_beside, '"Stop" is beside "hooks" and not in it', f"mend {SETTINGS}"),
        (_elsewhere, ".claude/hooks.json holds hooks, and claude does not read it", "vfcc integrate claude"),
        (_link, f"{SETTINGS} is a link", f"mend {SETTINGS}"),
    ],
)
def test_what_is_not_as_it_should_be_is_a_finding(
    young: Path, spoil: Callable[[Path], None], words: str, step: str
) -> None:
    vfcc(young, "integrate", "claude")
    spoil(young)

    found = [each for each in hooks(young) if each["health"] == "finding"]

    assert len(found) == 1
    assert words in found[0]["text"]
    assert found[0]["step"] == step
    assert vfcc(young, "doctor").code == 1


@pytest.mark.sweep
def test_codex_runs_nothing_in_a_folder_that_it_does_not_trust(young: Path, tmp_path: Path) -> None:
    home = tmp_path / "codex"
    vfcc(young, "integrate", "codex")

    def told() -> list[str]:
        return [each["text"] for each in hooks(young, CODEX_HOME=str(home)) if "Codex" in each["text"]]

    assert told() == [], "Codex is not on this machine"
    _put(home / "config.toml", "model = 'x'\n")
    assert told() == ["Codex does not trust this folder, and runs none of its hooks"]
    _put(home / "config.toml", f'[projects."{young}"]\ntrust_level = "trusted"\n')
    assert told() == ["Codex does not run 10 of 10 hooks, because they are not trusted yet"]
    _put(home / "config.toml", "[")
    (broken,) = hooks(young, CODEX_HOME=str(home))[1:2]
    assert (broken["health"], "cannot read" in broken["text"]) == ("note", True)


def test_a_program_that_is_not_found_or_slow_is_told(young: Path, tmp_path: Path) -> None:
    vfcc(young, "integrate", "claude")
    shims = tmp_path / ".pyenv" / "shims"
    _put(shims / "vfcc", '#!/usr/bin/env bash\nexec pyenv exec vfcc "$@"\n')
    (shims / "vfcc").chmod(0o755)
    wrapped = tmp_path / "wrapped"
    _put(wrapped / "vfcc", '#!/bin/sh\nexec uv run vfcc "$@"\n')
    (wrapped / "vfcc").chmod(0o755)

    def told(path: Path) -> list[tuple[str, str]]:
        here = f"{path}:/usr/bin:/bin"
        ran = vfcc(young, "doctor", "--json", "--full", env={"PATH": here})
        return [(each["health"], each["text"]) for each in ran.data["remarks"] if "PATH" in each["text"]]

    assert told(shims) == [("note", f"vfcc on PATH is a shim in {shims}, which makes every hook slow")]
    assert told(wrapped) == [("note", "vfcc on PATH is a script that calls uv run, which makes every hook slow")]
    assert told(tmp_path / "none") == [("finding", "vfcc is not on PATH, so that no client finds it")]


def test_what_failed_is_counted_and_the_newest_told(young: Path) -> None:
    (young / ".memory/local").mkdir(exist_ok=True)
    subprocess.run([str(VFCC), "hook", "claude"], cwd=young, env=environment(young.parent), input=b"{", check=True)
    subprocess.run([str(VFCC), "hook", "codex"], cwd=young, env=environment(young.parent), input=b"[1]", check=True)

    (note,) = [each for each in hooks(young) if each["health"] == "note"]

    assert note["text"].startswith("2 hooks that failed; the newest, 2")
    assert note["text"].endswith("Z: ValueError: no JSON object on stdin")
    assert note["step"] == "once that is mended: rm .memory/local/hook-errors.jsonl"
    with (young / ".memory/local/hook-errors.jsonl").open("a", encoding="utf-8") as file:
        file.write("torn\n")
    assert hooks(young)[-1]["text"] == "3 hooks that failed; the newest: a line that is no JSON"


def test_the_modules_whose_byte_code_is_looked_for_are_those_that_a_hook_imports(young: Path) -> None:
    listing = (
        "import sys\nfrom verifflowcc.fast import main\nsys.argv = ['vfcc', 'hook', 'claude']\n"
        "try:\n    main()\nfinally:\n    sys.stderr.write(' '.join(sys.modules))\n"
    )
    snapshot = {"format": 1, "stamps": {}}
    _put(young / ".memory/local/hook.json", json.dumps(snapshot))

    def imported(said: dict[str, object]) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", listing],
            cwd=young,
            env=environment(young.parent),
            input=json.dumps(said).encode(),
            capture_output=True,
            check=True,
        )
        return {each for each in done.stderr.decode().split() if each.partition(".")[0] == "verifflowcc"}

    assert set(MODULES) <= imported({"hook_event_name": "Stop", "session_id": "s"})


def clients(folder: Path, **env: str) -> list[tuple[str, str, str]]:
    remarks = vfcc(folder, "doctor", "--json", "--full", env=env).data["remarks"]
    return [(each["health"], each["text"], each.get("step", "")) for each in remarks if each["subject"] == "clients"]


def test_files_for_clients_that_are_missing_older_or_edited_are_findings(young: Path) -> None:
    assert clients(young) == []
    vfcc(young, "integrate", "claude", "codex", "--hooks")
    assert clients(young) == [], "hooks alone leave no other files"
    vfcc(young, "integrate", "claude")
    ((health, text, _),) = clients(young)
    assert (health, text.endswith("files for claude are as vfcc writes them")) == ("ok", True)

    (young / ".mcp.json").unlink()
    _edit(young / "AGENTS.md", "sprints", "weeks")
    with (young / ".memory/agent/coder/prompt.md").open("a", encoding="utf-8") as file:
        file.write("Use tabs.\n")

    assert clients(young) == [
        ("finding", ".mcp.json: missing", "vfcc integrate claude"),
        ("finding", ".claude/agents/vfcc-coder.md: not as this version of vfcc writes it", "vfcc integrate claude"),
        ("finding", "AGENTS.md: edited in vfcc's part", "vfcc integrate claude --force"),
    ]


@pytest.mark.parametrize(
    ("client", "path", "text"),
    [
        ("claude", "home/settings.json", '{"enabledPlugins": {"vfcc@vfcc": true}}'),
        ("claude", "young/.claude/settings.local.json", '{"enabledPlugins": {"vfcc@vfcc": true}}'),
        ("codex", "home/config.toml", '[plugins."vfcc@vfcc"]\nenabled = true\n'),
    ],
)
def test_a_plugin_and_hooks_of_the_project_together_are_noted(
    young: Path, tmp_path: Path, client: str, path: str, text: str
) -> None:
    home = {"CLAUDE_CONFIG_DIR": str(tmp_path / "home"), "CODEX_HOME": str(tmp_path / "home")}
    vfcc(young, "integrate", client, "--hooks")

    def twice() -> list[str]:
        return [each["health"] for each in hooks(young, **home) if "runs vfcc twice" in each["text"]]

    _put(tmp_path / path, text.replace("true", "false"))
    assert twice() == []
    _put(tmp_path / path, text)
    assert twice() == ["note"]
