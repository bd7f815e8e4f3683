"""Start a real client without a person, in an environment with nothing of ours in it, against a scripted model."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.model_server import ModelServer

PATIENCE_S = 180
CLAUDE_MODEL = "claude-sonnet-4-5"
CLAUDE_TOOLS = "Read,Edit,Write,Bash,Grep,Glob,Task"  # it offers Grep and Glob only where they are named
CODEX_MODEL = "gpt-5.5"
_DUMMY_KEY = "no-key-is-needed"
_CODEX_ALONE = ("-c", "analytics.enabled=false", "--disable", "plugins")  # each would ask a host elsewhere


@dataclass(frozen=True, slots=True, repr=False)
class ClientRan:
    """What a client left behind: its exit code, what it wrote (stdout as parsed lines), and its transcripts."""

    code: int
    lines: tuple[dict[str, Any], ...]
    err: str
    transcripts: tuple[Path, ...]

    def __repr__(self) -> str:
        return f"ClientRan({self.code}, lines={[str(line)[:300] for line in self.lines]}, err={self.err[:2000]!r})"

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        """Return the lines of stdout of one type."""
        return [line for line in self.lines if line.get("type") == kind]


def run_claude(
    program: Path,
    folder: Path,
    home: Path,
    server: ModelServer,
    prompt: str,
    *,
    settings: Mapping[str, object] | None = None,
    resume: str | None = None,
    extra: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> ClientRan:
    """Let Claude Code answer a prompt in a folder; it may do there what it likes.

    `settings` come on top of the project's own, in a file of the home, so that the folder holds what the test put
    there. `resume` is the id of a session to go on with.
    """
    arguments = ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"]
    arguments += ["--model", CLAUDE_MODEL, "--tools", CLAUDE_TOOLS]
    if settings is not None:
        arguments += ["--settings", str(_written(home / "more-settings.json", json.dumps(settings)))]
    arguments += [*(["--resume", resume] if resume else []), *extra, "--", prompt]
    more = {
        "IS_SANDBOX": "1",  # without it, root may not skip the questions about permissions
        **(env or {}),
    }
    whole = {**client_environment("claude", home, server), **more}
    return _run([str(program), *arguments], folder, whole, home / ".claude" / "projects")


def run_codex(
    program: Path,
    folder: Path,
    home: Path,
    server: ModelServer,
    prompt: str,
    *,
    hooks: Mapping[str, object] | None = None,
    config: str = "",
    trust: bool = True,
    resume: str | None = None,
    extra: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> ClientRan:
    """Let Codex answer a prompt in a folder; it may do there what it likes.

    `hooks` come on top of the project's own, in its home. All hooks run without a review where `trust` says so; else
    only those that `config` trusts, TOML of top-level keys and tables for the user's `config.toml`.
    """
    own = home / ".codex"
    if hooks is not None:
        _written(own / "hooks.json", json.dumps(hooks))
    write_codex_config(home, folder, server, config)
    options = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    options += [*_CODEX_ALONE, *(["--dangerously-bypass-hook-trust"] if trust else []), *extra]
    arguments = ["exec", "resume", *options, resume, prompt] if resume else ["exec", *options, prompt]
    whole = {**client_environment("codex", home, server), **(env or {})}
    return _run([str(program), *arguments], folder, whole, own / "sessions")


def run_copilot(
    program: Path, folder: Path, home: Path, server: ModelServer, prompt: str, *, extra: Sequence[str] = ()
) -> ClientRan:
    """Let Copilot CLI answer a prompt in a folder; it may do there what it likes."""
    arguments = ["-p", prompt, "--allow-all-tools", "--trust-folder", "--output-format", "json", *extra]
    more = {
        "COPILOT_PROVIDER_BASE_URL": server.url,
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_API_KEY": _DUMMY_KEY,
        "COPILOT_MODEL": "claude-sonnet-4.5",
        "COPILOT_OFFLINE": "true",
    }
    return _run([str(program), *arguments], folder, _env(home, server, more), home / ".copilot")


def run_opencode(program: Path, folder: Path, home: Path, server: ModelServer, prompt: str) -> ClientRan:
    """Let OpenCode answer a prompt in a folder; it may do there what it likes."""
    options = {"baseURL": f"{server.url}/v1", "apiKey": _DUMMY_KEY}
    config = {"provider": {"anthropic": {"options": options}}, "autoupdate": False, "share": "disabled"}
    more = {"OPENCODE_CONFIG_CONTENT": json.dumps(config), "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    arguments = ["run", "--format", "json", "-m", f"anthropic/{CLAUDE_MODEL}", prompt]
    return _run([str(program), *arguments], folder, _env(home, server, more), home / ".opencode")


def run_gemini(program: Path, folder: Path, home: Path, server: ModelServer, prompt: str) -> ClientRan:
    """Let Gemini CLI answer a prompt in a folder; it may do there what it likes."""
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
    _written(home / ".gemini" / "settings.json", json.dumps({**settings, "general": {"enableAutoUpdate": False}}))
    more = {
        "GOOGLE_GEMINI_BASE_URL": server.url,
        "GEMINI_API_KEY": _DUMMY_KEY,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    arguments = ["-y", "--output-format", "stream-json", "-m", "gemini-2.5-pro", "-p", prompt]
    return _run([str(program), *arguments], folder, _env(home, server, more), home / ".gemini" / "tmp")


def write_codex_config(home: Path, folder: Path, server: ModelServer, config: str = "") -> None:
    """Write the user's settings of Codex that lead it to the scripted model; `config` is more TOML."""
    text = f"""\
model = "{CODEX_MODEL}"
model_provider = "scripted"
check_for_update_on_startup = false
{config}

[model_providers.scripted]
name = "scripted"
base_url = "{server.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[projects."{folder}"]
trust_level = "trusted"
"""
    _written(home / ".codex" / "config.toml", text)


def client_environment(client: str, home: Path, server: ModelServer) -> dict[str, str]:
    """Return the environment in which a client finds its home and the scripted model."""
    if client == "codex":
        more = {"SCRIPTED_KEY": _DUMMY_KEY, "CODEX_HOME": str(home / ".codex"), "TMPDIR": str(home)}
        return _env(home, server, more)
    more = {
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": _DUMMY_KEY,
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_TMPDIR": str(home),
    }
    return _env(home, server, more)


def _env(home: Path, server: ModelServer, more: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which whatever is not on loopback goes through the model's server, which refuses it."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{name: server.url for each in ("http_proxy", "https_proxy") for name in (each, each.upper())},
        **dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost"),
        **more,
    }


def _run(command: Sequence[str], folder: Path, env: Mapping[str, str], transcripts: Path) -> ClientRan:
    with subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # a client's tools and hooks have processes of their own
            raise
    lines = tuple(json.loads(line) for line in out.splitlines() if line.startswith("{"))
    return ClientRan(process.returncode, lines, err, tuple(sorted(transcripts.rglob("*.jsonl"))))


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
