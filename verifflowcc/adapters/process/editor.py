"""A text in the person's own editor."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from verifflowcc.adapters.observer import terminal_in_use
from verifflowcc.errors import FormatError, UsageError, WorkspaceError


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
