"""Find what a client is answered, after `fast/hook.py` has recorded the event."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from verifflowcc.base.git.git_repository import repository_around
from verifflowcc.base.model.config_values import HookSettings, Share, TokenSettings, ToolTable
from verifflowcc.base.model.ports import TokenCounter
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.identifiers import ENTROPY_BYTES
from verifflowcc.base.text.own_text import between_marks
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.rules.brief_seen import SeenBrief, last_seen, rules_in
from verifflowcc.clients.use.hook_settings import Standing, standing_of
from verifflowcc.history.rules.briefed import conversation_of, needs_brief, stage_line
from verifflowcc.history.rules.encode import MOST_CHARACTERS, Answer, carries_context
from verifflowcc.history.rules.event_shape import DENIED, PLACED, line_of, moment
from verifflowcc.history.rules.file_notes import NOTES, chosen, indexed, read_files
from verifflowcc.history.rules.permission import denied, edited_files
from verifflowcc.history.use.history_reading import add, record
from verifflowcc.prompt.use.source_reader import SourceReader

Payload = Mapping[str, Any]
MOST_HOLDS = 3
"""So often in a row an agent is kept from stopping; then it may, whatever the gate says."""
_ALWAYS = "1970-01-01T00:00:00.000Z"


@dataclass(slots=True)
class Answered:
    """What a hook is answered, and the faults, which stop no agent."""

    answer: Answer = Answer()
    faults: list[str] = field(default_factory=list)


def answer_hook(
    root: Path,
    client: str,
    payload: Payload,
    role: str | None = None,
    *,
    recorded: bool = False,
    unplaced: bool = False,
) -> Answered:
    """Return what a client is answered.

    Where the event was `recorded`, what its line could not say yet is added to the history: the sprint and stage of an
    `unplaced` one, and why a call is denied. Whatever fails on the way is a fault, and what is known without it is the
    answer: where nothing can be recorded, a call that the rules deny is denied all the same; where a source of a brief
    fails, the brief has the others.
    """
    workspace = Workspace(root)
    reader, sources = SourceReader(workspace), SourceReader(workspace)
    standing = reader.read("hook settings", lambda: standing_of(workspace, role), Standing(HookSettings()))
    event = str(payload.get("hook_event_name"))
    if recorded and unplaced:
        reader.read("event record", lambda: _record_place(workspace, standing), None)
    if recorded and event == "PreToolUse":
        reader.read("event record", lambda: _record_denial(workspace, client, payload, standing), None)
    answer = Answer()
    respond = ANSWERS.get(event)
    if respond and (event not in ADDING or carries_context(client, event)):
        answer = reader.read("hook answer", lambda: respond(workspace, standing, payload, sources), answer)
    if carries_context(client, event):
        answer = reader.read("brief", lambda: _with_new_brief(workspace, standing, payload, sources, answer), answer)
    return Answered(answer, [*standing.faults, *reader.notices, *sources.notices])


def _record_place(workspace: Workspace, standing: Standing) -> None:
    """Record the active stage and since when it is active.

    That is the place of every event since then, also of those whose hooks ran out of time. Between two stages there is
    no such moment, so nothing is recorded. Where no sprint is chosen of several, that is recorded: the events until now
    belong to none, and a sprint that is chosen later does not get them.
    """
    if standing.choice.ambiguous:
        record(workspace, PLACED, [{"since": _ALWAYS}], standing.as_of)
        return
    found = standing.sprint.stage(standing.stage) if standing.sprint and standing.stage else None
    if standing.sprint and found and found.entered_at:
        place = {"sprint": standing.sprint.id, "stage": found.stage.id, "role": found.stage.role}
        record(workspace, PLACED, [{"since": found.entered_at, **place}], standing.as_of)


def _record_denial(workspace: Workspace, client: str, payload: Payload, standing: Standing) -> None:
    why = _denied(workspace, standing, payload)
    if not why:
        return
    now = int(workspace.clock.now().timestamp() * 1000)
    place = {**standing.place, "kind": DENIED, "denied": why}
    around = repository_around(str(workspace.root))
    place["worktree"] = around.worktree if around else ""
    line = line_of(payload, client, str(workspace.root), now, os.urandom(ENTROPY_BYTES), place)
    if line is not None:
        add(workspace, moment(now)[:10], line, around)


def _at_start(workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader) -> Answer:
    """Brief a session: on all that matters, or on what changed where its client goes on with what it was shown."""
    from verifflowcc.clients.use.brief import made_brief
    from verifflowcc.clients.use.brief_memory import BriefRequest

    budget = standing.settings.brief_tokens
    if payload.get("hook_event_name") == "SessionStart" and payload.get("source") != "resume":
        _forget(workspace, payload, reader)
    if not budget or payload.get("agent_id"):
        return Answer()
    with _counter(workspace, reader) as counter:
        request = BriefRequest(workspace, standing, payload, budget, partial(_size, counter.count, budget))
        seen = _seen(workspace, payload) if request.resumed else None
        made = made_brief(request, reader, seen)
    identities = [entry.identity for entry in made.kept]
    after = (seen or SeenBrief()).with_entries(identities)
    _note_brief(workspace, standing, payload, after.line, *indexed(rules_in(identities)))
    return Answer(context=made.text)


def _at_subagent_start(workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader) -> Answer:
    """Brief a subagent, in a smaller part of the budget."""
    from verifflowcc.clients.use.brief_memory import BriefRequest
    from verifflowcc.clients.use.subagent_brief import SHARE, subagent_brief, subagent_role

    budget = standing.settings.brief_tokens // SHARE
    if not budget:
        return Answer()
    kind = payload.get("agent_type")
    role = subagent_role(workspace, kind) if isinstance(kind, str) else None
    with _counter(workspace, reader) as counter:
        size = partial(_size, counter.count, standing.settings.brief_tokens)
        made = subagent_brief(BriefRequest(workspace, standing, payload, budget, size, role), reader)
    if payload.get("agent_id"):
        _note_brief(workspace, standing, payload, *indexed(rules_in(entry.identity for entry in made.kept)))
    return Answer(context=made.text)


def _forget(workspace: Workspace, payload: Payload, reader: SourceReader) -> None:
    """Forget what a conversation has seen, which it has no more: it begins, was cleared or is compacted."""
    from verifflowcc.clients.use.hook_notes import forget_seen

    reader.read("session notes", lambda: forget_seen(workspace, conversation_of(payload)), None)


def _seen(workspace: Workspace, payload: Payload) -> SeenBrief | None:
    from verifflowcc.clients.use.hook_notes import session_notes

    return last_seen(session_notes(workspace, conversation_of(payload)))


def _with_new_brief(
    workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader, answer: Answer
) -> Answer:
    """Return the answer with the brief of a stage that began since the session, or the subagent, was briefed."""
    from verifflowcc.clients.use.hook_notes import session_notes

    if standing.faults or not needs_brief(payload, partial(session_notes, workspace), *standing.briefed_on):
        return answer
    start = _at_subagent_start if payload.get("agent_id") else _at_start
    found = start(workspace, standing, payload, reader)
    return replace(answer, context="\n".join(filter(None, (found.context, answer.context))))


def _size(count: Callable[[str], int], budget_tokens: int, text: str) -> int:
    """Return the tokens of a text, or more where its characters take up more of what a client shows of a context.

    A client cuts what is longer, and with it the names of artifacts at the end.
    """
    return max(count(text), -(-len(text) * budget_tokens // MOST_CHARACTERS))


def _note_brief(workspace: Workspace, standing: Standing, payload: Payload, *more: str) -> None:
    session = payload.get("session_id")
    if isinstance(session, str) and session:
        from verifflowcc.clients.use.hook_notes import note_seen

        note_seen(workspace, conversation_of(payload), [stage_line(*standing.briefed_on), *more])


def _at_prompt(workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader) -> Answer:
    prompt = payload.get("prompt")
    if not standing.settings.recall or not isinstance(prompt, str) or not prompt.strip():
        return Answer()
    return _from_notes(workspace, standing, payload, reader)


def _after_tool(workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader) -> Answer:
    if not standing.settings.files or not read_files(payload, str(workspace.root)):
        return Answer()
    return _from_notes(workspace, standing, payload, reader)


def _from_notes(workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader) -> Answer:
    """Return what the notes hold for a prompt or for the files that were read, and note it as seen."""
    from verifflowcc.clients.use.brief_text import left_out
    from verifflowcc.clients.use.hook_notes import current_notes, note_seen, session_notes

    whose = conversation_of(payload)
    with _counter(workspace, reader) as counter:
        notes = current_notes(workspace, standing, reader, counter.count)
    parts, noted = chosen(payload, str(workspace.root), notes, session_notes(workspace, whose), standing.room_tokens)
    note_seen(workspace, whose, noted)
    return Answer(context=between_marks([*([left_out(reader)] if reader.failures else []), *parts]))


def _before_tool(workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader) -> Answer:
    why = _denied(workspace, standing, payload)
    if why:
        # No answer of a person at a prompt opens what is closed to every agent.
        asks = standing.settings.tools is ToolTable.ASK and not _denied_to_all(workspace, standing, payload)
        return Answer(decision="ask" if asks else "deny", reason=why)
    paths = edited_files(payload, str(workspace.root)) if standing.settings.files else []
    if not paths:
        return Answer()
    from verifflowcc.clients.use.brief_text import fitted, left_out
    from verifflowcc.clients.use.hook_notes import known_of

    parts = known_of(workspace, standing, payload, paths, reader)
    if not parts and not reader.failures:
        return Answer()
    parts.insert(0, left_out(reader))
    with _counter(workspace, reader) as counter:
        return Answer(context=fitted(parts, standing.room_tokens, counter.count))


@contextmanager
def _counter(workspace: Workspace, reader: SourceReader) -> Iterator[TokenCounter]:
    """The project's counter, with the defaults where its settings cannot be read."""
    from verifflowcc.history.use.prompt_record import project_counter
    from verifflowcc.sprint.use.configuration import effective_config

    settings = reader.read("token settings", lambda: effective_config(workspace).config.tokens, TokenSettings())
    with project_counter(workspace, settings) as counter:
        yield counter


def _denied(workspace: Workspace, standing: Standing, payload: Payload) -> str:
    """Return why the rules deny a call; where no sprint is chosen of several, also how to choose one."""
    why = denied(payload, standing.rules, str(workspace.root), os.path.realpath)
    return f"{why}{standing.advice}" if why and not _denied_to_all(workspace, standing, payload) else why


def _denied_to_all(workspace: Workspace, standing: Standing, payload: Payload) -> str:
    """Return why no agent may make a call, whatever its role."""
    return denied(payload, standing.closed, str(workspace.root), os.path.realpath)


def _at_stop(workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader) -> Answer:
    """Hold the agent while the gate is closed for what it can still do; a person's word is nothing to wait for."""
    if not standing.settings.hold:
        return Answer()
    from verifflowcc.clients.use.gate_hold import hold

    return hold(workspace, standing, payload, MOST_HOLDS)


def _before_compaction(workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader) -> Answer:
    session = payload.get("session_id")
    _forget(workspace, payload, reader)  # not every client reports that the conversation went on after it
    if isinstance(session, str) and session:
        from verifflowcc.history.use.window_use import keep_before_compaction

        with _counter(workspace, reader) as counter:
            keep_before_compaction(workspace, session, counter.count)
    return Answer()


def _at_end(workspace: Workspace, standing: Standing, payload: Payload, reader: SourceReader) -> Answer:
    from verifflowcc.history.use.history_sharing import learn_from_session

    session = payload.get("session_id")
    if standing.settings.record and isinstance(session, str) and session:
        learn_from_session(workspace, session)
        if standing.settings.share is Share.SESSION:
            from verifflowcc.history.use.history_sharing import share_session

            share_session(workspace, session)
    for path in workspace.local.glob(f"{NOTES}*.json"):
        path.unlink(missing_ok=True)  # the first hook that needs them makes them again, with this session's work
    return Answer()


ANSWERS: Mapping[str, Callable[[Workspace, Standing, Payload, SourceReader], Answer]] = {
    "SessionStart": _at_start,
    "SubagentStart": _at_subagent_start,
    "UserPromptSubmit": _at_prompt,
    "PreToolUse": _before_tool,
    "PostToolUse": _after_tool,
    "Stop": _at_stop,
    "SessionEnd": _at_end,
    "PreCompact": _before_compaction,
}
"""The events that are answered, or acted upon."""
ADDING = ("UserPromptSubmit", "PostToolUse")
"""The events that are answered with a context alone, and so not at all by a client that passes none on."""
