"""Answer a client's hook, after `fast/hook.py` has recorded the event."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from verifflowcc.base.git.git_repository import repository_around
from verifflowcc.base.model.config_values import HistorySharing, HookSettings, TokenSettings, ToolTable
from verifflowcc.base.model.ports import TokenCounter
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.identifiers import ENTROPY_BYTES
from verifflowcc.base.text.own_text import between_marks
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.rules.brief_seen import SeenBrief, last_seen, rules_in
from verifflowcc.clients.use.hook_settings import AgentState, agent_state
from verifflowcc.history.rules.briefed import conversation_of, needs_brief, stage_line
from verifflowcc.history.rules.encode import MOST_CHARACTERS, HookAnswer, carries_context
from verifflowcc.history.rules.event_shape import DENIED, PLACED, line_of, moment
from verifflowcc.history.rules.file_notes import NOTES, chosen, indexed, read_files
from verifflowcc.history.rules.permission import denied, edited_files
from verifflowcc.history.store.partitions import prune_keys
from verifflowcc.history.use.history_reading import add, record
from verifflowcc.prompt.use.source_reader import SourceReader
from verifflowcc.sprint.use.configuration import effective_config

Payload = Mapping[str, Any]
MOST_HOLDS = 3
"""So often in a row an agent is kept from stopping; then it may, whatever the gate says."""
_ALWAYS = "1970-01-01T00:00:00.000Z"


@dataclass(slots=True)
class HookReply:
    """The answer to a hook, and the faults on the way, which go to the log."""

    answer: HookAnswer = HookAnswer()
    faults: list[str] = field(default_factory=list)


def answer_hook(
    root: Path,
    client: str,
    payload: Payload,
    role: str | None = None,
    *,
    recorded: bool = False,
    unplaced: bool = False,
) -> HookReply:
    """Return the answer to a client's hook.

    Where the event was `recorded`, what its line could not say yet is added to the history: the sprint and stage of an
    `unplaced` one, and why a call is denied. Whatever fails on the way is a fault, and what is known without it is the
    answer: where nothing can be recorded, a call that the rules deny is denied all the same; where a source of a brief
    fails, the brief has the others.
    """
    workspace = Workspace(root)
    reader, sources = SourceReader(workspace), SourceReader(workspace)
    agent = reader.read("hook settings", lambda: agent_state(workspace, role), AgentState(HookSettings()))
    event = str(payload.get("hook_event_name"))
    if recorded and unplaced:
        reader.read("event record", lambda: _record_place(workspace, agent), None)
    if recorded and event == "PreToolUse":
        reader.read("event record", lambda: _record_denial(workspace, client, payload, agent), None)
    answer = HookAnswer()
    respond = ANSWERS.get(event)
    if respond and (event not in ADDING or carries_context(client, event)):
        answer = reader.read("hook answer", lambda: respond(workspace, agent, payload, sources), answer)
    if carries_context(client, event):
        answer = reader.read("brief", lambda: _with_new_brief(workspace, agent, payload, sources, answer), answer)
    return HookReply(answer, [*agent.faults, *reader.notices, *sources.notices])


def _record_place(workspace: Workspace, agent: AgentState) -> None:
    """Record the active stage and since when it is active.

    That is the place of every event since then, also of those whose hooks ran out of time. Between two stages there is
    no such moment, so nothing is recorded. Where no sprint is chosen of several, that is recorded: the events until now
    belong to none, and a sprint that is chosen later does not get them.
    """
    if agent.choice.ambiguous:
        record(workspace, PLACED, [{"since": _ALWAYS}], agent.as_of)
        return
    found = agent.sprint.stage(agent.stage) if agent.sprint and agent.stage else None
    if agent.sprint and found and found.entered_at:
        place = {"sprint": agent.sprint.id, "stage": found.stage.id, "role": found.stage.role}
        record(workspace, PLACED, [{"since": found.entered_at, **place}], agent.as_of)


def _record_denial(workspace: Workspace, client: str, payload: Payload, agent: AgentState) -> None:
    why = _denied(workspace, agent, payload)
    if not why:
        return
    now = int(workspace.clock.now().timestamp() * 1000)
    place = {**agent.place, "kind": DENIED, "denied": why}
    around = repository_around(str(workspace.root))
    place["worktree"] = around.worktree if around else ""
    line = line_of(payload, client, str(workspace.root), now, os.urandom(ENTROPY_BYTES), place)
    if line is not None:
        add(workspace, moment(now)[:10], line, around)


def _at_start(workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader) -> HookAnswer:
    """Brief a session: in full, or only on changes where its client resumes it."""
    from verifflowcc.clients.use.brief import made_brief
    from verifflowcc.clients.use.brief_memory import BriefRequest

    budget = agent.settings.brief_tokens
    if payload.get("hook_event_name") == "SessionStart" and payload.get("source") != "resume":
        _forget(workspace, payload, reader)
    if not budget or payload.get("agent_id"):
        return HookAnswer()
    with _counter(workspace, reader) as counter:
        request = BriefRequest(workspace, agent, payload, budget, partial(_size, counter.count, budget))
        seen = _seen(workspace, payload) if request.resumed else None
        made = made_brief(request, reader, seen)
    identities = [entry.identity for entry in made.kept]
    after = (seen or SeenBrief()).with_entries(identities)
    _note_brief(workspace, agent, payload, after.line, *indexed(rules_in(identities)))
    return HookAnswer(context=made.text)


def _at_subagent_start(workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader) -> HookAnswer:
    """Brief a subagent, in a smaller part of the budget."""
    from verifflowcc.clients.use.brief import SHARE, subagent_brief, subagent_role
    from verifflowcc.clients.use.brief_memory import BriefRequest

    budget = agent.settings.brief_tokens // SHARE
    if not budget:
        return HookAnswer()
    kind = payload.get("agent_type")
    role = subagent_role(workspace, kind) if isinstance(kind, str) else None
    with _counter(workspace, reader) as counter:
        size = partial(_size, counter.count, agent.settings.brief_tokens)
        made = subagent_brief(BriefRequest(workspace, agent, payload, budget, size, role), reader)
    if payload.get("agent_id"):
        _note_brief(workspace, agent, payload, *indexed(rules_in(entry.identity for entry in made.kept)))
    return HookAnswer(context=made.text)


def _forget(workspace: Workspace, payload: Payload, reader: SourceReader) -> None:
    """Forget which notes a conversation was shown, since its context is new or cut."""
    from verifflowcc.clients.use.hook_notes import forget_seen

    reader.read("session notes", lambda: forget_seen(workspace, conversation_of(payload)), None)


def _seen(workspace: Workspace, payload: Payload) -> SeenBrief | None:
    from verifflowcc.clients.use.hook_notes import session_notes

    return last_seen(session_notes(workspace, conversation_of(payload)))


def _with_new_brief(
    workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader, answer: HookAnswer
) -> HookAnswer:
    """Return the answer with the brief of a stage that began since the session, or the subagent, was briefed."""
    from verifflowcc.clients.use.hook_notes import session_notes

    if agent.faults or not needs_brief(payload, partial(session_notes, workspace), *agent.briefed_on):
        return answer
    start = _at_subagent_start if payload.get("agent_id") else _at_start
    found = start(workspace, agent, payload, reader)
    return replace(answer, context="\n".join(filter(None, (found.context, answer.context))))


def _size(count: Callable[[str], int], budget_tokens: int, text: str) -> int:
    """Return the tokens of a text, or more where its characters take up more of what a client shows of a context.

    A client cuts what is longer, and with it the names of artifacts at the end.
    """
    return max(count(text), -(-len(text) * budget_tokens // MOST_CHARACTERS))


def _note_brief(workspace: Workspace, agent: AgentState, payload: Payload, *more: str) -> None:
    session = payload.get("session_id")
    if isinstance(session, str) and session:
        from verifflowcc.clients.use.hook_notes import note_seen

        note_seen(workspace, conversation_of(payload), [stage_line(*agent.briefed_on), *more])


def _at_prompt(workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader) -> HookAnswer:
    prompt = payload.get("prompt")
    if not agent.settings.recall or not isinstance(prompt, str) or not prompt.strip():
        return HookAnswer()
    return _from_notes(workspace, agent, payload, reader)


def _after_tool(workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader) -> HookAnswer:
    if not agent.settings.files or not read_files(payload, str(workspace.root)):
        return HookAnswer()
    return _from_notes(workspace, agent, payload, reader)


def _from_notes(workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader) -> HookAnswer:
    """Return what the notes hold for a prompt or for the files that were read, and note it as seen."""
    from verifflowcc.clients.use.brief_text import left_out
    from verifflowcc.clients.use.hook_notes import current_notes, note_seen, session_notes

    whose = conversation_of(payload)
    with _counter(workspace, reader) as counter:
        notes = current_notes(workspace, agent, reader, counter.count)
    parts, noted = chosen(payload, str(workspace.root), notes, session_notes(workspace, whose), agent.room_tokens)
    note_seen(workspace, whose, noted)
    return HookAnswer(context=between_marks([*([left_out(reader)] if reader.failures else []), *parts]))


def _before_tool(workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader) -> HookAnswer:
    why = _denied(workspace, agent, payload)
    if why:
        # No answer of a person at a prompt opens what is closed to every agent.
        asks = agent.settings.tools is ToolTable.ASK and not _denied_to_all(workspace, agent, payload)
        return HookAnswer(decision="ask" if asks else "deny", reason=why)
    paths = edited_files(payload, str(workspace.root)) if agent.settings.files else []
    if not paths:
        return HookAnswer()
    from verifflowcc.clients.use.brief_text import fitted, left_out
    from verifflowcc.clients.use.hook_notes import known_of

    parts = known_of(workspace, agent, payload, paths, reader)
    if not parts and not reader.failures:
        return HookAnswer()
    parts.insert(0, left_out(reader))
    with _counter(workspace, reader) as counter:
        return HookAnswer(context=fitted(parts, agent.room_tokens, counter.count))


@contextmanager
def _counter(workspace: Workspace, reader: SourceReader) -> Iterator[TokenCounter]:
    """The project's counter, with the defaults where its settings cannot be read."""
    from verifflowcc.history.use.prompt_record import project_counter

    settings = reader.read("token settings", lambda: effective_config(workspace).config.tokens, TokenSettings())
    with project_counter(workspace, settings) as counter:
        yield counter


def _denied(workspace: Workspace, agent: AgentState, payload: Payload) -> str:
    """Return why the rules deny a call; where no sprint is chosen of several, also how to choose one."""
    why = denied(payload, agent.rules, str(workspace.root), os.path.realpath)
    return f"{why}{agent.advice}" if why and not _denied_to_all(workspace, agent, payload) else why


def _denied_to_all(workspace: Workspace, agent: AgentState, payload: Payload) -> str:
    """Return why no agent may make a call, whatever its role."""
    return denied(payload, agent.closed, str(workspace.root), os.path.realpath)


def _at_stop(workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader) -> HookAnswer:
    """Hold the agent while the gate is closed for what it can still do; a person's word is nothing to wait for."""
    if not agent.settings.hold:
        return HookAnswer()
    from verifflowcc.clients.use.gate_asks import hold

    return hold(workspace, agent, payload, MOST_HOLDS)


def _before_compaction(workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader) -> HookAnswer:
    session = payload.get("session_id")
    _forget(workspace, payload, reader)  # not every client reports that the conversation went on after it
    if isinstance(session, str) and session:
        from verifflowcc.history.use.window_use import keep_before_compaction

        with _counter(workspace, reader) as counter:
            keep_before_compaction(workspace, session, counter.count)
    return HookAnswer()


def _at_end(workspace: Workspace, agent: AgentState, payload: Payload, reader: SourceReader) -> HookAnswer:
    from verifflowcc.history.use.history_sharing import learn_from_session

    session = payload.get("session_id")
    if agent.settings.record and isinstance(session, str) and session:
        learn_from_session(workspace, session)
        if agent.settings.share is HistorySharing.SESSION:
            from verifflowcc.history.use.history_sharing import share_session

            share_session(workspace, session)
    for path in workspace.local.glob(f"{NOTES}*.json"):
        path.unlink(missing_ok=True)  # the first hook that needs them makes them again, with this session's work
    # This session's own keys stay for now: the hook of a plugin may report the same end a moment later.
    prune_keys(str(workspace.local), int(workspace.clock.now().timestamp() * 1000))
    return HookAnswer()


ANSWERS: Mapping[str, Callable[[Workspace, AgentState, Payload, SourceReader], HookAnswer]] = {
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
