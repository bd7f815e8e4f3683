"""`vfcc run` with real clients and a scripted model: each stage by another client, one overloaded service."""

from pathlib import Path

import pytest

from tests.clients.model_server import serving
from tests.clients.running import CLAUDE_MODEL, client_environment, write_codex_config
from tests.clients.turns import MAIN, Turn, calls
from tests.run_world import SPRINT, RunWorld, artifact
from tests.trees import git

pytestmark = [pytest.mark.sweep, pytest.mark.vfcc("REQ-RUN")]


def test_claude_plans_and_codex_designs_in_one_run(claude: Path, codex: Path, tmp_path: Path) -> None:
    world = RunWorld(tmp_path)
    programs, home = tmp_path / "bin", tmp_path / "home"
    programs.mkdir()
    (programs / "claude").symlink_to(claude)
    (programs / "codex").symlink_to(codex)
    design = artifact("design", "design.md")
    script = [
        Turn(status=529),
        calls("Write", file_path=artifact("planning", "plan.md"), content="# Plan\n\nTotals take a discount.\n"),
        Turn("The plan is written."),
        calls("exec_command", cmd=f"mkdir -p $(dirname {design}) && echo 'A second argument.' > {design}"),
        Turn("The design is written."),
    ]

    with serving({MAIN: script}) as server:
        env = {**client_environment("claude", home, server), **client_environment("codex", home, server)}
        env["PATH"] = f"{programs}:{env['PATH']}"
        env["HOME"] = str(tmp_path)  # where this machine keeps what it allows
        env["OPENAI_API_KEY"] = env.pop("SCRIPTED_KEY")  # one that reaches Codex without a setting
        write_codex_config(home, world.root, server)
        settings = home / ".codex/config.toml"
        settings.write_text(settings.read_text().replace("SCRIPTED_KEY", "OPENAI_API_KEY"))
        words = ("--agent", f"claude:{CLAUDE_MODEL}", "--role", "designer=codex", "--until", "design", "--json")
        done = world.run(*words, env=env)

    assert done.code == 0, done
    attempts = done.data["attempts"]
    assert [(each["id"], each["outcome"]) for each in attempts] == [("planner-1", "done"), ("designer-1", "done")], done
    assert server.left() == {}
    planner, designer = attempts
    assert planner["usage"]["micro_usd"] == 900
    assert (designer["usage"]["input_tokens"], designer["usage"].get("micro_usd")) == (200, None)
    shown = git(world.root, "show", f"vfcc/{SPRINT}-1/integration:{design}")
    assert shown == "A second argument.\n"
    assert server.asked()[1].holds("Totals take a discount")
