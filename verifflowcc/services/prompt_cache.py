"""The last prompts, each with the stamps of everything that it depends on.

Compiling is a pure function of its inputs, so while none of their stamps has changed, what it gave once it gives again:
with one stat for each input, and nothing opened, parsed or imported; a prompt with code of its task asks the code graph
whether any file changed. Prompts of commits are not kept.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.adapters.files.layout import Stamps, as_on_disk, settled, stamp
from verifflowcc.adapters.files.private import user_home, user_settings_file
from verifflowcc.adapters.files.write import DerivedFile
from verifflowcc.domain.entries import Prompt, Question
from verifflowcc.domain.layers import CODE
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import replace
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.record_codec import RecordCodec, plain_text
from verifflowcc.workflow.people import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifflowcc.services.code.review import ReviewScope

FOLDER = "prompts"
KEPT = 32
_FILE = DerivedFile(f"{FOLDER}/*.json", 8, keyed_by="the question; stamps of all inputs", most=KEPT)
_PROMPT: RecordCodec[Prompt] = RecordCodec(Prompt)


def recall(workspace: Workspace, question: Question) -> Prompt | None:
    """Return the prompt that these very inputs gave before, if it is kept."""
    if question.committed:
        return None
    kept = _FILE.read(_path(workspace, question))
    if kept is None:
        return None
    same = _unchanged(workspace, kept["depends"]) and (
        not kept["code"] or kept["code"] == _code_now(workspace, kept["scope"])
    )
    return replace(_PROMPT.made(kept["prompt"]), cached=True) if same else None


def _unchanged(workspace: Workspace, depends: "Mapping[str, str]") -> bool:
    root = f"{workspace.root}/"
    return all(stamp(path if path[0] == "/" else root + as_on_disk(path)) == was for path, was in depends.items())


def _code_now(workspace: Workspace, scope: "Sequence[str | None] | None") -> str | None:
    """Return the state of the code, and of what is reviewed where there is a scope; None where that is unknown."""
    from verifflowcc.services.code.offering import state_now
    from verifflowcc.services.source_reader import SourceReader

    return SourceReader().read(CODE, lambda: state_now(workspace, scope), None)  # compiling reports what is wrong


def keep(
    workspace: Workspace,
    question: Question,
    prompt: Prompt,
    stamps: Stamps,
    code: str = "",
    scope: "ReviewScope | None" = None,
) -> None:
    """Keep a prompt for the next command, unless an input was touched a moment ago or the place cannot be written.

    `code` is the state of the code that pieces of it were chosen from, empty where it has none; `scope` says which
    changes it shows.
    """
    if question.committed or not settled(stamps.touched_ns):
        return
    reviewed = [scope.base, scope.target] if scope else None
    kept = {"depends": stamps.by_path, "code": code, "scope": reviewed, "prompt": _PROMPT.plain(prompt)}
    _FILE.write(_path(workspace, question), kept)


def _home() -> str:
    """Whose prompt it is, and of which project: another home is another person's memory, or none."""
    try:
        return f"{user_home()}\0{user_settings_file()}\0{os.environ.get('VFCC_PROJECT', '')}"
    except WorkspaceError:
        return ""


def _path(workspace: Workspace, question: Question) -> Path:
    key = "\0".join((_home(), os.environ.get(VARIABLE, ""), plain_text(question)))
    return workspace.local / FOLDER / f"{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"
