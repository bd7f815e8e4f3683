"""Real clients in a run of `vfcc run`: one scripted model plays all roles, each stage with turns of its own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.clients.model_server import ModelServer, serving
from tests.clients.running import CLAUDE_MODEL, client_environment, write_codex_config
from tests.clients.turns import MAIN, Call, Request, Say, Turn, calls

CLAUDE = f"claude:{CLAUDE_MODEL}"
_STAGE = re.compile(r"You are the [\w-]+ of the stage ([\w-]+) in a run")


def stage_of(request: Request) -> str:
    """Return the stage that a request is of, by the text that the role begins with."""
    found = [match[1] for _, text in request.texts() if (match := _STAGE.search(text))]
    return found[0] if found else MAIN


def claude_files(files: Mapping[str, str]) -> Turn:
    """Return a turn of Claude Code that writes files."""
    return Turn(calls=tuple(Call("Write", {"file_path": path, "content": text}) for path, text in files.items()))


def claude_shell(*parts: str | Mapping[str, str]) -> Turn:
    """Return a turn of Claude Code that runs commands and writes files in its shell."""
    return calls("Bash", command=_commands(parts), description="work")


def codex_shell(*parts: str | Mapping[str, str]) -> Turn:
    """Return a turn of Codex that runs commands and writes files in its shell."""
    return calls("exec_command", cmd=_commands(parts))


def _commands(parts: Sequence[str | Mapping[str, str]]) -> str:
    return "\n".join(part if isinstance(part, str) else _writing(part) for part in parts)


def _writing(files: Mapping[str, str]) -> str:
    return "\n".join(f"mkdir -p $(dirname {path})\ncat > {path} <<'END'\n{text}END" for path, text in files.items())


@dataclass(frozen=True, slots=True)
class Stage:
    """The model that plays the roles, and the environment in which `vfcc run` finds the clients and it."""

    server: ModelServer
    env: Mapping[str, str]


@contextmanager
def on_stage(
    claude: Path, codex: Path, folder: Path, root: Path, script: Mapping[str, Sequence[Say]]
) -> Iterator[Stage]:
    """Serve a script of turns by stage to both clients, for runs of the project at `root`."""
    programs, home = folder / "bin", folder / "home"
    programs.mkdir()
    (programs / "claude").symlink_to(claude)
    (programs / "codex").symlink_to(codex)
    with serving(script, stage_of) as server:
        env = {**client_environment("claude", home, server), **client_environment("codex", home, server)}
        env["PATH"] = f"{programs}:{env['PATH']}"
        env["HOME"] = str(folder)  # where this machine keeps what it allows
        env["OPENAI_API_KEY"] = env.pop("SCRIPTED_KEY")  # one that reaches Codex without a setting
        write_codex_config(home, root, server)
        settings = home / ".codex/config.toml"
        settings.write_text(settings.read_text().replace("SCRIPTED_KEY", "OPENAI_API_KEY"))
        yield Stage(server, env)
