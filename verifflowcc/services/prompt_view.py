"""What the template sees: the entries of a packing, the sprint, the stage and the task."""

from collections.abc import Sequence

from verifflowcc.codegraph.pages import page
from verifflowcc.context.compile import Shown
from verifflowcc.context.view import (
    EntryView,
    PromptView,
    SprintView,
    StageView,
    entry_view,
    one_line,
    prose,
    prose_view,
)
from verifflowcc.domain.code_views import Snippet
from verifflowcc.domain.entries import Candidate
from verifflowcc.domain.layers import Layer
from verifflowcc.domain.sources import CODE, TASK
from verifflowcc.services.circumstances import Circumstances
from verifflowcc.services.diff_entries import diff_entries, diff_pieces
from verifflowcc.services.prompt_safety import safe_text


def prompt_view(here: Circumstances, shown: Sequence[Shown], brief: Sequence[str] = ()) -> PromptView:
    """Return the view of these entries, in the order given within each layer, and of the lines of a brief."""
    apart = {id(one) for one in shown if one.candidate.origin in (TASK, CODE) or _is_past(one.candidate)}
    entries: dict[Layer, tuple[EntryView, ...]] = {
        layer: tuple(_entry(one) for one in shown if one.candidate.layer is layer and id(one) not in apart)
        for layer in Layer
    }
    code = [one for one in shown if one.candidate.origin == CODE]
    diffs = diff_pieces(here, code)
    return PromptView(
        agent=one_line(here.question.agent),
        sprint=_sprint(here),
        stage=_stage(here),
        task=prose(here.question.task),
        brief=tuple(map(one_line, brief)),
        project_entries=entries[Layer.PROJECT],
        sprint_entries=entries[Layer.SPRINT],
        stage_entries=entries[Layer.STAGE],
        agent_entries=entries[Layer.AGENT],
        code_entries=(
            *diff_entries(here, list(diffs.values()), local=False),
            *code_entries(here, [one for one in code if id(one) not in diffs]),
        ),
        change_entries=diff_entries(here, list(diffs.values()), local=True),
        task_entries=tuple(_entry(one) for one in shown if one.candidate.origin == TASK),
        history_entries=tuple(_entry(one) for one in shown if _is_past(one.candidate)),
        user_entries=entries[Layer.USER],
    )


def code_entries(here: Circumstances, shown: Sequence[Shown]) -> tuple[EntryView, ...]:
    """Return an entry for each file with pieces, by its best one, and one for each piece that was trimmed."""
    pieces = {one.path: one.source for one in here.selection.selected if isinstance(one.source, Snippet)}
    by_file: dict[str, list[Snippet]] = {}
    found: list[EntryView | str] = []
    for one in shown:
        piece = pieces[one.candidate.path]
        if one.trimmed or piece.path not in here.sources.code_files:
            found.append(_entry(one))
            continue
        if piece.path not in by_file:
            found.append(piece.path)
        by_file.setdefault(piece.path, []).append(piece)
    return tuple(_page(here, by_file[each]) if isinstance(each, str) else each for each in found)


def _page(here: Circumstances, pieces: Sequence[Snippet]) -> EntryView:
    path = pieces[0].path
    file = here.sources.code_files[path]
    text = page([(each.first, each.last) for each in pieces], file.definitions, file.lines)
    return entry_view(path, safe_text(text), source=path, kind=pieces[0].language)


def _entry(one: Shown) -> EntryView:
    candidate = one.candidate
    if _is_prose(candidate):
        return prose_view(candidate.key, one.text, source=candidate.path, trimmed=one.trimmed)
    return entry_view(
        candidate.key,
        one.text,
        source=candidate.path,
        kind=candidate.kind,
        title=candidate.title,
        date=candidate.date,
        trust=candidate.trust,
        trimmed=one.trimmed,
        standing=candidate.standing,
        stale=candidate.stale,
    )


def _is_past(candidate: Candidate) -> bool:
    """What was done here, on this machine."""
    return candidate.layer is Layer.AGENT and candidate.local and candidate.origin not in (TASK, CODE)


def _is_prose(candidate: Candidate) -> bool:
    """The role's own words stand as text; everything else is data in a fence."""
    return candidate.layer is Layer.AGENT and candidate.key == "prompt.md"


def _sprint(here: Circumstances) -> SprintView | None:
    if here.place.sprint is None:
        return None
    state = here.state
    if state is None:
        return SprintView(one_line(here.place.sprint), one_line(here.place.sprint), (), "open")
    goals = tuple(one_line(goal) for goal in state.goals)
    return SprintView(one_line(state.id), one_line(state.title), goals, str(state.status))


def _stage(here: Circumstances) -> StageView | None:
    name = here.place.stage
    if name is None:
        return None
    found = here.state.stage(name) if here.state else None
    if found is None:
        return StageView(one_line(name), one_line(name), "", "", "")
    stage = found.stage
    return StageView(stage.id, one_line(stage.title), str(stage.leg), stage.pair or "", stage.role)
