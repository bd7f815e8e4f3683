"""Find out what is known of a file that an agent is about to edit, once in a session."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from verifflowcc.adapters.files.partitions import add_seen, seen_file
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.adapters.index.history import touches
from verifflowcc.domain.config import HookSettings
from verifflowcc.domain.recall import Hit, Sought
from verifflowcc.domain.trace import may_hold_mark
from verifflowcc.episodes.briefed import conversation_of, stage_lines
from verifflowcc.errors import VfccError
from verifflowcc.services.history.questions import pairs_in
from verifflowcc.services.history.reading import open_history
from verifflowcc.services.hooks.brief_memory import line_of
from verifflowcc.services.hooks.brief_text import Part, shown
from verifflowcc.services.hooks.settings import Standing
from verifflowcc.services.memory.scopes import scopes_recalled
from verifflowcc.services.source_reader import SourceReader
from verifflowcc.services.workspace import Workspace

_TOUCHES, _PAIRS, _ITEMS, _MOST, _MARKS = 3, 3, 3, 3, 10


def known_of(
    workspace: Workspace, standing: Standing, payload: Mapping[str, Any], paths: Sequence[str], reader: SourceReader
) -> list[Part]:
    """Return what is known of files, of those alone that the session has not seen; note that it has seen them now.

    Others' and earlier sessions' touches, what is edited with it, and items that speak of it; of these, what fails is
    left out.
    """
    session, whose = str(payload.get("session_id") or ""), conversation_of(payload)
    seen = set(session_notes(workspace, whose))
    new = [path for path in dict.fromkeys(paths) if path not in seen and not path.startswith(("/", "~"))][:_MOST]
    note_seen(workspace, whose, [path for path in paths if path not in seen])
    return [part for path in new if (part := _of_file(workspace, standing, session, path, reader))[1]]


def known_of_files(workspace: Workspace, paths: Sequence[str], reader: SourceReader) -> list[Part]:
    """Return what is known of files, whether or not a session has seen it; nothing is noted."""
    place = Standing(HookSettings())
    return [part for path in dict.fromkeys(paths) if (part := _of_file(workspace, place, "", path, reader))[1]]


def note_seen(workspace: Workspace, session: str, lines: Iterable[str]) -> None:
    """Note that a session knows of files, a line each, or was briefed on a stage."""
    noted = list(dict.fromkeys(lines))
    try:
        if noted:
            add_seen(str(workspace.local), session, noted)
    except OSError:
        return  # it comes again, which does no harm


def forget_seen(workspace: Workspace, session: str) -> None:
    """Forget what a conversation has seen, but for the stages that it was briefed on: it has lost the rest."""
    path = Path(seen_file(str(workspace.local), session))
    if path.exists():
        kept = stage_lines(session_notes(workspace, session))
        write_atomic(path, "".join(f"{line}\n" for line in kept))


def session_notes(workspace: Workspace, session: str) -> list[str]:
    """Return what a session has seen, a line each: files, and the stages that it was briefed on."""
    try:
        return Path(seen_file(str(workspace.local), session)).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return []


def _of_file(workspace: Workspace, standing: Standing, session: str, path: str, reader: SourceReader) -> Part:
    nothing: list[str] = []
    lines = []
    for name, part in PARTS.items():
        lines += reader.read(name, partial(part, workspace, standing, session, path), nothing)
    return f"Known of {shown(path)}", lines


def _past(workspace: Workspace, _: Standing, session: str, path: str) -> list[str]:
    """Who touched the file before, and what was edited together with it."""
    lines = []
    with open_history(workspace) as history:
        where = "f.file_path = ? AND f.session_id <> ? AND f.operation IN ('edit', 'write')"
        for each in touches(history, where, (path, session), _TOUCHES):
            task = history.rows("SELECT description FROM prompts WHERE task_id = ? LIMIT 1", (each.task,))
            why = f" for “{shown(task[0][0], 100)}”" if task and task[0][0] else ""
            changes = f" ({each.changes})" if each.changes else ""
            lines.append(f"{each.time[:10]}: {each.operation}{changes}{why}")
        for pair in pairs_in(history, path)[:_PAIRS]:
            other = pair.files[1] if pair.files[0] == path else pair.files[0]
            lines.append(f"{shown(other)} was edited together with it {pair.count} times")
    return lines


def _cited(workspace: Workspace, standing: Standing, _: str, path: str) -> list[str]:
    return [line_of(hit) for hit in _items(workspace, standing, path)]


def _marked(workspace: Workspace, _: Standing, __: str, path: str) -> list[str]:
    ids = _marks(workspace, path)
    return [f"it says that it is of {', '.join(ids[:_MARKS])}"] if ids else []


def _items(workspace: Workspace, standing: Standing, path: str) -> Sequence[Hit]:
    """The items that cite the file."""
    from verifflowcc.services.recall.searching import search

    scopes = [scope for scope in scopes_recalled(workspace, agent=standing.role) if scope != "user"]
    found = search(workspace, scopes, Sought(path, _ITEMS * 3, paths=(path,)))
    return [hit for hit in found.hits if any(ref.path == path for ref in hit.item.refs)][:_ITEMS]


def _marks(workspace: Workspace, path: str) -> Sequence[str]:
    """The ids of the items that the file says it implements or tests, by its marks."""
    from verifflowcc.adapters.files.text_file import read_given

    try:
        text = read_given(workspace.root / path)
    except VfccError:
        return ()  # it is not there yet, or is no text
    if not may_hold_mark(text):
        return ()
    from verifflowcc.formats.marks import read_code

    return sorted({name for mark in read_code(path, text)[0] for name in mark.ids})


PARTS: Mapping[str, Callable[[Workspace, Standing, str, str], list[str]]] = {
    "history": _past,
    "memory": _cited,
    "marks": _marked,
}
"""Where something may be known of a file; each takes the session and the file's path."""
