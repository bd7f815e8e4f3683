"""Programs on PATH: the `vfcc` that a client's hooks would start, with its byte code. Nothing is run or timed."""

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import verifflowcc
from verifflowcc.base.errors import WorkspaceError

# What this program is: its own files. An answer that was kept is that of the program that gave it, and of no other.

_ENDINGS = (".py", ".yaml")


@cache
def program_stamp() -> str:
    """Return a digest of the names, sizes and times of the program's own files; no file is opened.

    The version alone does not tell a changed program from the one before while it is being worked on.
    """
    from hashlib import sha256

    whole = sha256()
    pending = [str(Path(verifflowcc.__file__).parent)]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue  # packed into an archive: there the version tells
        for entry in listed:
            if entry.is_dir(follow_symlinks=False):
                pending += [entry.path] if entry.name != "__pycache__" else []
            elif entry.name.endswith(_ENDINGS):
                found = entry.stat()
                whole.update(f"{entry.path} {found.st_size} {found.st_mtime_ns}\n".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


_LOOKED_AT = 4096
_WRAPPERS = ("uv run", "uvx", "pipx run", "npx", "pyenv", "asdf", "mise", "poetry run", "hatch run", "docker")


def program() -> Path | None:
    """Return the `vfcc` that PATH leads to; None where there is none."""
    import shutil

    found = shutil.which("vfcc")
    return Path(found) if found else None


def is_program(folder: Path, word: str) -> bool:
    """Say whether the first word of a command, run in `folder`, names a program on this machine."""
    import shutil

    return shutil.which(word if os.sep not in word else str(folder / word)) is not None


def wrapper(path: Path) -> str:
    """Return what starts vfcc by way of another program; empty where it is started at once."""
    if path.parent.name == "shims":
        return f"a shim in {path.parent}"
    try:
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT)
    except OSError:
        return ""
    if not head.startswith(b"#!"):
        return ""
    first, _, rest = head.decode("utf-8", "replace").partition("\n")
    text = first if "python" in first else first + rest
    return next((f"a script that calls {each}" for each in _WRAPPERS if each in text), "")


def package() -> Path:
    """Return the folder of vfcc's own code."""
    return Path(verifflowcc.__file__).parent


def without_byte_code(modules: Sequence[str]) -> list[str]:
    """Return vfcc's modules that have no byte code, so that every start compiles them."""
    return [name for name in modules if not _compiled(_source(name))]


def compile_command() -> str:
    """Return the command that makes byte code of all of vfcc."""
    return f"{sys.executable} -m compileall -q {package()}"


def keeps_no_byte_code() -> bool:
    """Say whether the environment forbids Python to keep any."""
    return bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))


def codex_config() -> dict[str, object] | None:
    """Return what Codex's own settings say; None where there are none. Raises WorkspaceError where they are broken."""
    import tomllib

    path = Path(os.environ.get("CODEX_HOME") or Path("~/.codex").expanduser()) / "config.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"cannot read {path}: {error}") from error


PLUGIN = "vfcc@vfcc"
"""vfcc's plugin and its marketplace, as clients name them."""


def has_plugin(root: Path, client: str) -> bool:
    """Say whether a client's settings, of the project or of this person, switch vfcc's plugin on."""
    if client == "codex":
        with suppress(WorkspaceError):
            plugins = (codex_config() or {}).get("plugins")
            return isinstance(plugins, dict) and _is_on(plugins.get(PLUGIN))
    if client != "claude":
        return False
    home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path("~/.claude").expanduser())
    for path in (home / "settings.json", root / ".claude/settings.json", root / ".claude/settings.local.json"):
        with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
            if _is_on(json.loads(path.read_text(encoding="utf-8"))["enabledPlugins"][PLUGIN]):
                return True
    return False


def _is_on(value: object) -> bool:
    return value.get("enabled") is not False if isinstance(value, dict) else value is True


def _source(name: str) -> Path:
    parts = name.split(".")[1:]
    folder = package().joinpath(*parts)
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def _compiled(source: Path) -> bool:
    from importlib.util import MAGIC_NUMBER, cache_from_source  # for doctor alone

    try:
        kept = Path(cache_from_source(str(source)))
        with kept.open("rb") as file:
            head = file.read(16)
        found = source.stat()
    except (OSError, NotImplementedError):
        return False
    if len(head) < 16 or head[:4] != MAGIC_NUMBER:
        return False
    if head[4] & 1:
        return True
    stamp = (int(found.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little")
    return head[8:12] == stamp and head[12:16] == (found.st_size & 0xFFFFFFFF).to_bytes(4, "little")
