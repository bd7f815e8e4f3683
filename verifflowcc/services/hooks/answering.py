"""Find what a client is answered, after `fast/hook.py` has recorded the event."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verifflowcc.clients.answer import Answer
from verifflowcc.domain.config import Share, ToolTable
from verifflowcc.episodes.permission import denied, edited_files
from verifflowcc.episodes.shape import DENIED, PLACED, line_of, moment
from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass, field
from verifflowcc.services.history.recording import add, record
from verifflowcc.services.hooks.settings import Standing, standing_of
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.ulid import ENTROPY_BYTES

Said = Mapping[str, Any]
MOST_HOLDS = 3
"""So often in a row an agent is kept from stopping; then it may, whatever the gate says."""
RECALLED = 5


@dataclass(slots=True)
class Answered:
    """What a hook is answered, and the faults that nobody is to be stopped by."""

    answer: Answer = Answer()
    faults: list[str] = field(default_factory=list)


def answer_hook(
    root: Path, client: str, said: Said, role: str | None = None, *, recorded: bool = False, unplaced: bool = False
) -> Answered:
    """Return what a client is answered.

    Where the event was `recorded`, what its line could not say yet is added to the history: the sprint and stage of an
    `unplaced` one, and why a call is denied. What fails on the way is a fault, and what is known without it is the
    answer: where nothing can be recorded, a call that the rules deny is denied all the same.
    """
    workspace = Workspace(root)
    standing = standing_of(workspace, role)
    answered = Answered(faults=list(standing.faults))
    event = said.get("hook_event_name")
    answers = {
        "SessionStart": _at_start,
        "UserPromptSubmit": _at_prompt,
        "PreToolUse": _before_tool,
        "Stop": _at_stop,
        "SessionEnd": _at_end,
        "PreCompact": _before_compaction,
    }
    try:
        if recorded and unplaced:
            _record_place(workspace, standing)
        if recorded and event == "PreToolUse":
            _record_denial(workspace, client, said, standing)
    except VfccError as error:
        answered.faults.append(error.message.splitlines()[0])
    try:
        if event in answers:
            answered.answer = answers[event](workspace, standing, said)
    except VfccError as error:
        answered.faults.append(error.message.splitlines()[0])
    return answered


def _record_place(workspace: Workspace, standing: Standing) -> None:
    """Record the active stage and since when it is active.

    That is the place of every event since then, also of those whose hooks ran out of time. Between two stages there is
    no such moment, so nothing is recorded.
    """
    found = standing.sprint.stage(standing.stage) if standing.sprint and standing.stage else None
    if standing.sprint and found and found.entered_at:
        place = {"sprint": standing.sprint.id, "stage": found.stage.id, "role": found.stage.role}
        record(workspace, PLACED, [{"since": found.entered_at, **place}], standing.as_of)


def _record_denial(workspace: Workspace, client: str, said: Said, standing: Standing) -> None:
    why = _denied(workspace, standing, said)
    if not why:
        return
    now = int(workspace.clock.now().timestamp() * 1000)
    place = {**standing.place, "kind": DENIED, "denied": why}
    line = line_of(said, client, str(workspace.root), now, os.urandom(ENTROPY_BYTES), place)
    if line is not None:
        add(workspace, moment(now)[:10], line)


def _at_start(workspace: Workspace, standing: Standing, said: Said) -> Answer:
    from verifflowcc.services.code.showing import project_counter
    from verifflowcc.services.hooks.brief import brief

    budget = standing.settings.brief_tokens
    if not budget or said.get("agent_id"):
        return Answer()
    with project_counter(workspace) as counter:
        return Answer(context=brief(workspace, standing, said, budget, counter.count))


def _at_prompt(workspace: Workspace, standing: Standing, said: Said) -> Answer:
    prompt = said.get("prompt")
    if not standing.settings.recall or not isinstance(prompt, str) or not prompt.strip():
        return Answer()
    from verifflowcc.services.code.showing import project_counter
    from verifflowcc.services.hooks.brief import fitted, line_of, recalled

    lines = [line_of(hit) for hit in recalled(workspace, standing, prompt, RECALLED)]
    with project_counter(workspace) as counter:
        parts = [("What bears on it, as the project's memory has it", lines)]
        return Answer(context=fitted(parts, standing.settings.brief_tokens, counter.count))


def _before_tool(workspace: Workspace, standing: Standing, said: Said) -> Answer:
    why = _denied(workspace, standing, said)
    if why:
        of_record = denied(said, None, str(workspace.root))  # what vfcc records is closed, whoever might be asked
        asks = standing.settings.tools is ToolTable.ASK and not of_record
        return Answer(decision="ask" if asks else "deny", reason=why)
    paths = edited_files(said, str(workspace.root)) if standing.settings.files else []
    if not paths:
        return Answer()
    from verifflowcc.services.code.showing import project_counter
    from verifflowcc.services.hooks.brief import fitted
    from verifflowcc.services.hooks.known import known_of

    parts = known_of(workspace, standing, str(said.get("session_id") or ""), paths)
    if not parts:
        return Answer()
    with project_counter(workspace) as counter:
        return Answer(context=fitted(parts, standing.settings.brief_tokens // 3, counter.count))


def _denied(workspace: Workspace, standing: Standing, said: Said) -> str:
    return denied(said, standing.rules, str(workspace.root))


def _at_stop(workspace: Workspace, standing: Standing, said: Said) -> Answer:
    """Hold the agent while the gate is closed for what it can still do; a person's word is nothing to wait for."""
    if not standing.settings.hold or standing.sprint is None or standing.stage is None:
        return Answer()
    from verifflowcc.services.hooks.holding import hold

    return hold(workspace, standing, said, MOST_HOLDS)


def _before_compaction(workspace: Workspace, standing: Standing, said: Said) -> Answer:
    session = said.get("session_id")
    if isinstance(session, str) and session:
        from verifflowcc.services.code.showing import project_counter
        from verifflowcc.services.window.of_session import keep_before_compaction

        with project_counter(workspace) as counter:
            keep_before_compaction(workspace, session, counter.count)
    return Answer()


def _at_end(workspace: Workspace, standing: Standing, said: Said) -> Answer:
    from verifflowcc.services.history.learning import learn_from_session

    session = said.get("session_id")
    if standing.settings.record and isinstance(session, str) and session:
        learn_from_session(workspace, session)
        if standing.settings.share is Share.SESSION:
            from verifflowcc.services.history.sharing import share_session

            share_session(workspace, session)
    return Answer()
