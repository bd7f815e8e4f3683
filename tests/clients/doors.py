"""Five real clients with what `vfcc integrate` writes: how each is started, and what it calls a tool of the server."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clients.conftest import Desk
from tests.clients.model_server import ModelServer
from tests.clients.running import CLAUDE_TOOLS, ClientRan, run_claude, run_codex, run_copilot, run_gemini, run_opencode
from tests.clients.turns import Request

PREFIX = {
    "claude": "mcp__vfcc__",
    "codex": "mcp__vfcc.",
    "copilot": "vfcc-",
    "opencode": "vfcc_",
    "gemini": "mcp_vfcc_",
}
SHELL = {
    "claude": ("Bash", "command"),
    "codex": ("exec_command", "cmd"),
    "copilot": ("bash", "command"),
    "opencode": ("bash", "command"),
    "gemini": ("run_shell_command", "command"),
}
"""The tool of each client that runs a command, and its argument."""
PLUGIN = Path(__file__).parents[2] / "plugin"
_RUNS: dict[str, Callable[..., ClientRan]] = {
    "codex": run_codex,
    "copilot": run_copilot,
    "opencode": run_opencode,
    "gemini": run_gemini,
}


def run(client: str, program: Path, desk: Desk, server: ModelServer, prompt: str = "Do it.") -> ClientRan:
    """Let a client work, with its permission questions off."""
    if client == "claude":
        return run_claude(
            program, desk.folder, desk.home, server, prompt, extra=["--tools", f"{CLAUDE_TOOLS},Skill,ToolSearch"]
        )
    return _RUNS[client](program, desk.folder, desk.home, server, prompt)


def program_of(client: str, request: pytest.FixtureRequest) -> Path:
    """Return a client's program; the test is skipped where it is not installed."""
    found: Path = request.getfixturevalue(client)
    return found


def whole(request: Request) -> str:
    """Return all that reached the model."""
    return json.dumps(request.body, ensure_ascii=False)


def plain(text: str) -> str:
    """Return a text as it is however often it was quoted."""
    return text.replace("\\", "").replace('"', "")


def last_result(request: Request) -> str:
    """Return the last answer of vfcc that reached the model; a client may add words of its own around it."""
    answers = [text for role, text in request.texts() if role == "tool" and "next: " in text]
    return [text for text in answers if "vfcc: memory" not in text][-1]  # the brief of a hook names a step, too


def last_step(request: Request) -> str:
    """Return the step that the last answer of vfcc names."""
    step = last_result(request).rpartition("next: ")[2].replace('\\"', '"').splitlines()[0]
    return step.partition('"}]')[0].strip()


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Keep so many processes computing while the context lasts."""
    loops = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def person_env(home: Path, **more: str) -> dict[str, str]:
    """Return the environment in which a person installs a plugin."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        **more,
    }
