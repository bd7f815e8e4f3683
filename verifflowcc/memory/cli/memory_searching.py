"""Answer `vfcc memory search`, however its words were read; nothing here needs typer."""

import os
from collections.abc import Sequence
from functools import partial

from verifflowcc.base.model.recall_values import DEFAULT_LIMIT, RecallQuery
from verifflowcc.base.process.acting import marker
from verifflowcc.base.terminal import output as out
from verifflowcc.base.terminal.terminal import from_root


def answer(
    question: str,
    *,
    scope: str | None = None,
    types: Sequence[str] = (),
    files: Sequence[str] = (),
    everything: bool = False,
    limit: int = DEFAULT_LIMIT,
    as_of: str | None = None,
    explain: bool = False,
    no_model: bool = False,
    as_json: bool = False,
) -> None:
    """Search here and print what is found. The person's name is never asked for: only an agent's matters."""
    from verifflowcc.base.use.workspace import find_workspace
    from verifflowcc.memory.cli.memory_output import found
    from verifflowcc.memory.use.access_counts import CANDIDATES, FINAL, note_metrics, note_uses
    from verifflowcc.memory.use.scopes import agent_of, read_scope, scopes_recalled
    from verifflowcc.memory.use.searching import search

    workspace = find_workspace()
    marked = marker(os.environ)  # a role is named nowhere else, so nothing slower is asked
    agent = agent_of(marked.name) if marked else None
    in_play = partial(scopes_recalled, workspace, agent=agent)
    now = (read_scope(workspace, scope, agent=agent),) if scope else in_play()
    here = in_play(ended=True) if everything and not scope else now
    paths = tuple(from_root(workspace, file) for file in files)
    sought = RecallQuery(question, limit, everything, paths, tuple(types), as_of)
    recalled = search(workspace, here, sought, asks=not no_model, tell=out.say)
    used: dict[str, list[str]] = {}
    for hit in recalled.hits if as_of is None else ():
        if hit.scope in now:  # what a closed sprint left is shown and keeps no count
            used.setdefault(hit.scope, []).append(hit.item.id)
    counts = {CANDIDATES: recalled.candidates, FINAL: len(recalled.hits)}
    noted = (*note_uses(workspace, used, "search"), *note_metrics(workspace, counts))
    for notice in (*recalled.notices, *noted):
        out.warn(notice)
    out.emit_json(recalled) if as_json else out.emit_lines(found(recalled, here, explain=explain))
    if not (recalled.hits or scope or everything) and len(in_play(ended=True)) > len(here):
        out.say("closed sprints and stages that are over were not searched; --all does")
