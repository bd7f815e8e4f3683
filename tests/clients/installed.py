"""Find the real clients, or install them with npm into a folder of the user's cache; they are never in the repository.

`VFCC_TEST_CLIENTS` names a folder whose `node_modules` has them already, in whatever version.
"""

import fcntl
import functools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

INSTALLING_S = 600
FAILURE_HOLDS_S = 600


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its npm package at the version that is tested, and where the package for a platform has the program.

    One that `runs_alone` is asked for its version before it is used; another is a script that the test gives to Node.
    """

    name: str
    package: str
    programs: str
    runs_alone: bool = True


CLAUDE = Client("Claude Code", "@anthropic-ai/claude-code@2.1.329", "@anthropic-ai/claude-code-*/claude")
CODEX = Client("Codex", "@openai/codex@0.169.0", "@openai/codex-*/vendor/*/bin/codex")
COPILOT = Client("Copilot CLI", "@github/copilot@1.0.102", "@github/copilot-*/copilot")
OPENCODE = Client("OpenCode", "opencode-ai@1.18.33", "opencode-*/bin/opencode")
GEMINI = Client("Gemini CLI", "@google/gemini-cli@0.61.0", ".bin/gemini")


class InstallError(Exception):
    """A client that is not here and cannot be installed; says why."""


def claude_program() -> Path | None:
    """Return Claude Code's program; None where it is not here and cannot be installed."""
    return _or_none(CLAUDE)


def codex_program() -> Path | None:
    """Return Codex's program; None where it is not here and cannot be installed."""
    return _or_none(CODEX)


def needed(client: Client) -> Path:
    """Return the program of a client, or skip the test, saying which client is missing and why."""
    found = _program(client)
    if isinstance(found, str):
        pytest.skip(f"{client.name} is not installed: {found}")
    return found


def _or_none(client: Client) -> Path | None:
    found = _program(client)
    return found if isinstance(found, Path) else None


@functools.cache
def _program(client: Client) -> Path | str:
    """Return the program, or why there is none; asked once in a process."""
    try:
        given = os.environ.get("VFCC_TEST_CLIENTS")
        return _runnable(client, Path(given) if given else _installed(client))
    except InstallError as error:
        return str(error)


def _runnable(client: Client, folder: Path) -> Path:
    """Return the first program in the folder that says its version."""
    found = sorted((folder / "node_modules").glob(client.programs))
    for program in found:
        if not client.runs_alone:
            return program
        try:
            with tempfile.TemporaryDirectory() as home:
                env = {"PATH": os.environ["PATH"], "HOME": home, "DISABLE_AUTOUPDATER": "1"}
                asked = [str(program), "--version"]
                if subprocess.run(asked, env=env, capture_output=True, timeout=60, check=False).returncode == 0:
                    return program
        except (OSError, subprocess.TimeoutExpired):
            continue
    raise InstallError(f"{'no program in it runs' if found else 'it has no program for this platform'}: {folder}")


def _installed(client: Client) -> Path:
    """Return the folder with the client, installing it first where nobody has."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vfcc-test-clients"
    folder = cache / client.package.replace("/", "-")
    if folder.exists():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        raise InstallError("npm is not on the PATH")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _alone(cache / "lock"):
            if not folder.exists():
                _install(client, npm, folder)
    except OSError as error:
        raise InstallError(str(error)) from error
    return folder


def _install(client: Client, npm: str, folder: Path) -> None:
    """Install into a new folder, see that the program runs, and only then give it the name that is looked for.

    A failure is kept for some minutes, so that not each process of a test run waits for the network again.
    """
    failure = folder.with_name(f"{folder.name}.failed")
    if failure.exists() and time.time() - failure.stat().st_mtime < FAILURE_HOLDS_S:
        raise InstallError(failure.read_text(encoding="utf-8"))
    new = Path(tempfile.mkdtemp(dir=folder.parent, prefix="new-"))
    try:
        _run_npm([npm, "install", "--prefix", str(new), client.package])
        _runnable(client, new)
        new.rename(folder)
    except InstallError as error:
        failure.write_text(str(error), encoding="utf-8")
        raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _run_npm(command: Sequence[str]) -> None:
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
    try:
        done = subprocess.run(
            [*command, *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=INSTALLING_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InstallError(f"npm install took more than {INSTALLING_S} s") from error
    if done.returncode != 0:
        raise InstallError(f"npm install failed: {done.stderr.strip()[-400:]}")


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
