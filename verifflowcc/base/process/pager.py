"""A long text in the person's own pager, as git shows one; never a program that the repository holds."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from verifflowcc.base.errors import FormatError, UsageError, WorkspaceError
from verifflowcc.base.git.git_place import top_of
from verifflowcc.base.process.clock import terminal_in_use

# A text in the person's own editor.


def edited_text(text: str, name: str, env: Mapping[str, str] = os.environ) -> str:
    """Open a text in `$VISUAL` or `$EDITOR` under a file name of that ending; return what was saved.

    Raises UsageError where no editor is named, WorkspaceError where it cannot be run or ends with an error, and
    FormatError where what it saved is not UTF-8.
    """
    command = (env.get("VISUAL") or env.get("EDITOR") or "").strip()
    if not command:
        raise UsageError("no editor is named", hint="export EDITOR=vi, or say what changes: --text, --title, --tag …")
    with tempfile.TemporaryDirectory(prefix="vfcc-") as folder:
        file = Path(folder, name)
        file.write_bytes(text.encode("utf-8"))
        try:
            with terminal_in_use():
                code = subprocess.run([*shlex.split(command), str(file)], check=False).returncode
        except (OSError, ValueError) as error:
            raise WorkspaceError(f"the editor {command} cannot be run: {error}", hint="export EDITOR=vi") from error
        if code != 0:
            raise WorkspaceError(f"the editor {command} ended with {code}; nothing was written")
        try:
            return file.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(f"{name}:1: not UTF-8 at byte {error.start}; nothing was written") from error
        except OSError as error:
            raise WorkspaceError(f"the editor left no {name}; nothing was written") from error


_USUAL = ("less", "more")
_NONE = ("", "cat")
_SETTINGS = {"LESS": "FRX", "LESSCHARSET": "utf-8"}
"""`less` ends at once where the text fits the screen, and leaves it there; of control characters it takes colours."""


def fits_screen(text: str, size: os.terminal_size) -> bool:
    """Say whether a text and a few lines behind it fit a terminal of that size.

    >>> fits_screen("a\\nb\\n", os.terminal_size((80, 24))), fits_screen("a\\n" * 30, os.terminal_size((80, 24)))
    (True, False)
    """
    rows = sum(max(1, -(-len(line) // max(1, size.columns))) for line in text.splitlines())
    return rows + 4 <= size.lines


def pager_command(root: Path, env: Mapping[str, str]) -> list[str]:
    """Return the words of `$PAGER` (default: less, then more) with the program's full path; empty for none.

    A program inside the repository is none: a clone must not choose what runs.
    """
    named = env.get("PAGER")
    try:
        wanted = [[name] for name in _USUAL] if named is None else [shlex.split(named)]
    except ValueError:
        return []
    for words in wanted:
        if not words or words[0] in _NONE:
            continue
        found = shutil.which(words[0], path=env.get("PATH", os.defpath))
        if found and os.path.isabs(found) and not _inside(Path(found), top_of(root) or root):  # noqa: PTH117
            return [found, *words[1:]]
    return []


def takes_color(root: Path, env: Mapping[str, str] = os.environ) -> bool:
    """Return whether the pager is `less` with settings that let colours through."""
    command = pager_command(root, env)
    return bool(command) and Path(command[0]).name == "less" and "R" in env.get("LESS", _SETTINGS["LESS"])


def page(text: str, root: Path, env: Mapping[str, str] = os.environ) -> bool:
    """Show a text in the pager; return False, with nothing shown, where there is none or it does not start.

    `less` runs in its secure mode: it starts no editor, no shell and no preprocessor.
    """
    command = pager_command(root, env)
    if not command:
        return False
    with terminal_in_use():
        return _shown_by(command, text.encode("utf-8", "replace"), {**_SETTINGS, **env, "LESSSECURE": "1"})


def _shown_by(command: list[str], text: bytes, env: Mapping[str, str]) -> bool:
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=env)
    except OSError:
        return False
    while True:
        try:
            process.communicate(text)
        except KeyboardInterrupt:  # the pager's own key for stopping a search; it is still open
            continue
        except (BrokenPipeError, ValueError):
            process.wait()
        return True


def _inside(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder) or path.resolve().is_relative_to(folder.resolve())
