"""Keep the notes that hooks add after a file was read and at a prompt: one small file, stamped.

`.memory/local/notes.json` is written by the first hook that finds it stale; the end of a session removes it. What other
sessions did is as of the time of writing. A hook without the whole program answers from it: `episodes/file_notes.py`.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from verifflowcc.base.errors import VfccError, WorkspaceError
from verifflowcc.base.files.layout import Stamps, settled
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.config_values import HookSettings, StalePolicy
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.recall_values import Hit, RecallQuery
from verifflowcc.base.model.trace_values import may_hold_mark
from verifflowcc.base.text.own_text import BEGIN, END
from verifflowcc.base.text.quick_json import read
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.text.stems import stems
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use.brief_memory import TYPES, line_of
from verifflowcc.clients.use.brief_text import Part, shown
from verifflowcc.clients.use.hook_settings import FILES, AgentState, local_file
from verifflowcc.history.rules.agent_history import FileEdit, co_edits
from verifflowcc.history.rules.briefed import conversation_of, stage_lines
from verifflowcc.history.rules.file_notes import FORMAT, NOTES, RECALLED_HEADING
from verifflowcc.history.store.history_tables import edits, touches
from verifflowcc.history.store.partitions import add_seen, seen_file
from verifflowcc.history.use.history_reading import history_folders, open_history
from verifflowcc.history.use.questions import pairs_in
from verifflowcc.memory.store.placing import folder_of
from verifflowcc.memory.use.memory_listing import ItemLine, ListQuery, list_items
from verifflowcc.memory.use.scopes import scopes_recalled
from verifflowcc.memory.use.stores import memory_settings
from verifflowcc.prompt.use.source_reader import SourceReader

# Find out what is known of a file that an agent is about to edit, once in a session.

_TOUCHES, _PAIRS, _ITEMS, _MOST, _MARKS = 3, 3, 3, 3, 10


def known_of(
    workspace: Workspace, agent: AgentState, payload: Mapping[str, Any], paths: Sequence[str], reader: SourceReader
) -> list[Part]:
    """Return what is known of files, of those alone that the session has not seen; note that it has seen them now.

    Others' and earlier sessions' touches, what is edited with it, and items that speak of it; of these, what fails is
    left out.
    """
    session, whose = str(payload.get("session_id") or ""), conversation_of(payload)
    seen = set(session_notes(workspace, whose))
    new = [path for path in dict.fromkeys(paths) if path not in seen and not path.startswith(("/", "~"))][:_MOST]
    note_seen(workspace, whose, [path for path in paths if path not in seen])
    return [part for path in new if (part := _of_file(workspace, agent, session, path, reader))[1]]


def known_of_files(workspace: Workspace, paths: Sequence[str], reader: SourceReader) -> list[Part]:
    """Return what is known of files, whether or not a session has seen it; nothing is noted."""
    place = AgentState(HookSettings())
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


def _of_file(workspace: Workspace, agent: AgentState, session: str, path: str, reader: SourceReader) -> Part:
    nothing: list[str] = []
    lines = []
    for name, part in PARTS.items():
        lines += reader.read(name, partial(part, workspace, agent, session, path), nothing)
    return f"Known of {shown(path)}", lines


def _known_past(workspace: Workspace, _: AgentState, session: str, path: str) -> list[str]:
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


def _cited(workspace: Workspace, agent: AgentState, _: str, path: str) -> list[str]:
    return [line_of(hit) for hit in _items(workspace, agent, path)]


def _marked(workspace: Workspace, _: AgentState, __: str, path: str) -> list[str]:
    ids = _marks(workspace, path)
    return [f"it says that it is of {', '.join(ids[:_MARKS])}"] if ids else []


def _items(workspace: Workspace, agent: AgentState, path: str) -> Sequence[Hit]:
    """The items that cite the file."""
    from verifflowcc.memory.use.searching import search

    scopes = [scope for scope in scopes_recalled(workspace, agent=agent.role) if scope != "user"]
    found = search(workspace, scopes, RecallQuery(path, _ITEMS * 3, paths=(path,)))
    return [hit for hit in found.hits if any(ref.path == path for ref in hit.item.refs)][:_ITEMS]


def _marks(workspace: Workspace, path: str) -> Sequence[str]:
    """The ids of the items that the file says it implements or tests, by its marks."""
    from verifflowcc.base.files.text_files import read_given

    try:
        text = read_given(workspace.root / path)
    except VfccError:
        return ()  # it is not there yet, or is no text
    if not may_hold_mark(text):
        return ()
    from verifflowcc.code.rules.marks import read_code

    return sorted({name for mark in read_code(path, text)[0] for name in mark.ids})


PARTS: Mapping[str, Callable[[Workspace, AgentState, str, str], list[str]]] = {
    "history": _known_past,
    "memory": _cited,
    "marks": _marked,
}
"""Where something may be known of a file; each takes the session and the file's path."""


Count = Callable[[str], int]
_OF_FILE, _NEWEST, _LONGEST_TASK = 3, 4_000, 100


def current_notes(workspace: Workspace, agent: AgentState, reader: SourceReader, count: Count) -> dict[str, Any]:
    """Return the notes; made and written again where they are stale. What fails is left out."""
    path = local_file(workspace, NOTES, agent.named)
    try:
        found = read(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    stamps = found.get("stamps") if isinstance(found, dict) and found.get("format") == FORMAT else None
    if isinstance(stamps, dict) and found["ledgers"] == agent.ledgers_say and Stamps(workspace.root, stamps).hold():
        return dict(found)
    return write_notes(workspace, agent, reader, count)


def write_notes(workspace: Workspace, agent: AgentState, reader: SourceReader, count: Count) -> dict[str, Any]:
    """Make the notes, and write them unless a source failed or something changed just now."""
    stamps = Stamps(workspace.root)
    stamps.take((*FILES, *_histories(workspace)))
    none: list[ItemLine] = []
    nothing: dict[str, list[tuple[str, str]]] = {}
    rows = reader.read("memory", lambda: _rows(workspace, agent, stamps), none)
    past = reader.read("history", lambda: _past(workspace), nothing)
    notes = {**_as_notes(rows, past, count), "ledgers": agent.ledgers_say, "stamps": stamps.by_path}
    if not reader.failures and settled(stamps.touched_ns):
        with suppress(WorkspaceError):  # the next hook makes them again
            write_atomic(local_file(workspace, NOTES, agent.named), json.dumps(notes, ensure_ascii=False) + "\n")
    return notes


def _histories(workspace: Workspace) -> Iterator[str]:
    """Yield the folders of the history. Their time changes with the first event of a day, so no note outlives a day."""
    for folder in history_folders(workspace):
        yield os.path.relpath(folder.resolve(), workspace.root.resolve())


def _rows(workspace: Workspace, agent: AgentState, stamps: Stamps) -> list[ItemLine]:
    """Return the items that hold, the most important first; none of a person's own.

    Of an item whose code changed since, the notes say so; they are stale when that code changes again.
    """
    settings = memory_settings(workspace)
    if not settings.enabled:
        return []
    scopes = [scope for scope in scopes_recalled(workspace, agent=agent.role) if scope != "user"]
    stamps.take(f"{folder_of(scope)}/items" for scope in scopes)
    found = list_items(workspace, scopes, ListQuery(status="active")).rows
    rows = [row for row in found if row.item.refs or row.item.type in TYPES]
    paths = {row.item.path for row in rows}
    stamps.take(sorted({path.rpartition("/")[0] for path in paths} | paths))
    stamps.take(ref.path for row in rows if row.stale for ref in row.item.refs if ref.path)
    kept = [row for row in rows if not row.stale or settings.stale is not StalePolicy.WITHHOLD]
    return sorted(kept, key=lambda row: (-row.item.importance, row.item.path))


def _past(workspace: Workspace) -> dict[str, list[tuple[str, str]]]:
    """Return path → who edited it last and what was edited with it, as session (empty: of all) and line."""
    lines: dict[str, list[tuple[str, str]]] = defaultdict(list)
    with open_history(workspace) as history:
        of_task = dict(history.rows("SELECT task_id, description FROM prompts"))
        where = "f.operation IN ('edit', 'write') AND f.success IS NOT 0"
        for each in touches(history, where, (), _NEWEST):
            if len(lines[each.path]) < _OF_FILE and not each.path.startswith(("/", "~")):
                why = f" for “{shown(words, _LONGEST_TASK)}”" if (words := of_task.get(each.task)) else ""
                changes = f" ({each.changes})" if each.changes else ""
                line = (each.session, f"{each.time[:10]}: {each.operation}{changes}{why}")
                lines[each.path] += [line] if line not in lines[each.path] else []
        pairs = co_edits(FileEdit(*row) for row in edits(history, newest=_NEWEST))
    together: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for pair in pairs:
        for path, other in (pair.files, pair.files[::-1]):
            if len(together[path]) < _OF_FILE and path in lines:
                together[path].append(("", f"{shown(other)} was edited together with it at least {pair.count} times"))
    return {path: found + together[path] for path, found in lines.items() if found}


def _as_notes(rows: list[ItemLine], past: dict[str, list[tuple[str, str]]], count: Count) -> dict[str, Any]:
    """Return the notes of items and earlier work, each line with its tokens."""
    noted = {row.item.id: _as_note(row, count) for row in rows}
    paths = {path: None for each in noted.values() for path in each["paths"]} | dict.fromkeys(past)
    files = {}
    for path in paths:
        citing = [name for name, each in noted.items() if path in each["paths"]][:_OF_FILE]
        lines = [[of, line, count(f"- {line}\n")] for of, line in past.get(path, ())]
        files[path] = {"tokens": count(f"Known of {path}:\n"), "items": citing, "past": lines}
    heading = count(f"{RECALLED_HEADING}:\n")
    return {"format": FORMAT, "heading": heading, "items": noted, "files": files}


def _as_note(row: ItemLine, count: Count) -> dict[str, Any]:
    item = row.item
    stale = f" (stale: {row.stale})" if row.stale else ""
    line = f"{item.type} {item.id}, trust {item.trust}: {shown(item.title)}{stale}".replace(BEGIN, "").replace(END, "")
    paths = sorted({ref.path for ref in item.refs if ref.path})
    note: dict[str, Any] = {"line": line, "tokens": count(f"- {line}\n"), "paths": paths}
    if item.type in TYPES:
        note["terms"] = sorted(set(_words(item)))
    return note


def _words(item: Item) -> Iterator[str]:
    return iter(stems(withhold(" ".join((item.title, item.key or "", *item.tags)))))
