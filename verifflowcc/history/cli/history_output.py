"""How the history is shown to a person."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.terminal.table import table

if TYPE_CHECKING:
    from verifflowcc.history.rules.agent_history import (
        CoEdit,
        FileInteraction,
        LearnedPattern,
        SessionLearning,
        TaskEpisode,
    )
    from verifflowcc.history.store.history_columns import Rows
    from verifflowcc.history.use.analysing import Pruning
    from verifflowcc.history.use.history_offers import Action, SessionLine
    from verifflowcc.history.use.history_sharing import PatternProposal
    from verifflowcc.history.use.questions import ToolUse


NOTHING = "nothing of the kind was recorded here"
_LONGEST = 120


def actions_table(found: "Sequence[Action]") -> str:
    """Return calls of tools as a table."""
    rows = [
        (_when(each.time), each.role or each.client or "–", each.tool, _went(each.success), _short(each.about))
        for each in found
    ]
    return table(("when", "who", "tool", "went", "about"), rows) if rows else ""


def touches_table(found: "Sequence[FileInteraction]") -> str:
    """Return touches of files as a table."""
    rows = [
        (
            _when(each.time),
            str(each.operation),
            each.path,
            f"{each.lines[0]}-{each.lines[1]}" if each.lines else "–",
            each.changes or "–",
            "yes" if each.success else "failed",
        )
        for each in found
    ]
    return table(("when", "did", "file", "lines", "changes", "went"), rows) if rows else ""


def tools_table(found: "Sequence[ToolUse]") -> str:
    """Return how tools fared as a table; where a client does not tell whether a call went well, it is in no share."""
    rows = [
        (
            each.tool,
            str(each.executions),
            f"{each.successes} of {each.known}",
            f"{100 * each.successes // each.known} %" if each.known else "–",
            f"{each.mean_ms} ms" if each.mean_ms is not None else "–",
        )
        for each in found
    ]
    return table(("tool", "calls", "went well", "share", "mean"), rows, right=(1, 3, 4)) if rows else ""


def tasks_table(found: "Sequence[TaskEpisode]") -> str:
    """Return tasks as a table."""
    rows = [
        (
            _when(each.started),
            str(each.status),
            str(each.intent),
            str(len(each.files)),
            str(sum(count for _, count in each.tools)),
            _short(each.description),
        )
        for each in found
    ]
    return table(("begun", "is", "intent", "files", "calls", "about"), rows, right=(3, 4)) if rows else ""


def similar_page(found: "Sequence[TaskEpisode]") -> str:
    """Return past tasks with what came of them."""
    if not found:
        return "no past task is like it"
    lines = []
    for each in found:
        lines.append(f"{_when(each.started)}  {_short(each.description)}")
        lines.append(f"  {each.status}{f': {_short(each.outcome)}' if each.outcome else ''}")
        if each.files:
            more = f" and {len(each.files) - 5} more" if len(each.files) > 5 else ""
            lines.append(f"  files: {', '.join(each.files[:5])}{more}")
    from verifflowcc.base.text.hidden_text import printable

    return printable("\n".join(lines))


def pairs_table(found: "Sequence[CoEdit]") -> str:
    """Return pairs of files as a table."""
    rows = [(str(each.count), str(each.tasks), *each.files, _when(each.last)) for each in found]
    return table(("times", "tasks", "file", "and", "last"), rows, right=(0, 1)) if rows else ""


def patterns_table(found: "Sequence[LearnedPattern]") -> str:
    """Return patterns as a table."""
    rows = [(str(each.type), str(each.count), _share(each.confidence), each.sentence) for each in found]
    return table(("pattern", "seen", "sure", "what"), rows, right=(1, 2)) if rows else ""


def learnings_table(found: "Sequence[SessionLearning]") -> str:
    """Return what sessions showed as a table."""
    rows = [(str(each.type), _share(each.confidence), each.sentence) for each in found]
    return table(("learning", "sure", "what"), rows, right=(1,)) if rows else ""


def sessions_table(found: "Sequence[SessionLine]") -> str:
    """Return sessions as a table."""
    rows = [
        (
            _when(each.first),
            _when(each.last),
            each.client or "–",
            str(each.prompts),
            str(each.tools),
            str(each.failed),
            str(each.files),
            each.session,
        )
        for each in found
    ]
    headings = ("first", "last", "client", "prompts", "calls", "failed", "files", "session")
    return table(headings, rows, right=(3, 4, 5, 6)) if rows else ""


def pruned(plan: "Pruning", *, gone: bool) -> str:
    """Return what goes, or went."""
    if not plan.days:
        return f"nothing is older than {plan.before}"
    days = plan.days[0] if len(plan.days) == 1 else f"{len(plan.days)} days, {plan.days[0]} to {plan.days[-1]}"
    kilobytes = (plan.size_bytes + 1023) // 1024
    events = f"{plan.events:,} {'event' if plan.events == 1 else 'events'}"
    return f"{'removed' if gone else 'to remove'}: {days}; {events}, {kilobytes:,} KiB"


def rows_table(found: "Rows") -> str:
    """Return the answer to a query as a table."""
    rows = [tuple(_cell(row.get(name)) for name in found.columns) for row in found.rows]
    numbers = [
        place for place, name in enumerate(found.columns) if all(_is_number(row.get(name)) for row in found.rows)
    ]
    return table(found.columns, rows, right=numbers) if rows else "no rows"


def proposed(found: "Sequence[PatternProposal]") -> str:
    """Return what waits for a person now."""
    if not found:
        return "nothing new is sure enough to be offered: vfcc history show --by pattern"
    lines = [f"{each.item}: {each.pattern.sentence}" for each in found]
    from verifflowcc.base.text.hidden_text import printable

    return printable("\n".join([*lines, "next: vfcc memory inbox"]))


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    import json

    return json.dumps(value, ensure_ascii=False)


def _when(time: str) -> str:
    return time[:16].replace("T", " ")


def _went(success: bool | None) -> str:
    return "?" if success is None else "yes" if success else "failed"


def _share(thousandths: int) -> str:
    return f"{thousandths // 10} %"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1].rstrip()}…"
