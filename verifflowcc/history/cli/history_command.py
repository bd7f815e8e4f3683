"""`vfcc history`: what agents did here, asked."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import JsonFlag, YesFlag, tokens
from verifflowcc.base.terminal.table import table
from verifflowcc.base.terminal.terminal import from_root
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.plain_words import counted

if TYPE_CHECKING:
    from verifflowcc.base.formats.session_lines import Tokens
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.history.rules.agent_history import (
        CoEdit,
        FileInteraction,
        LearnedPattern,
        SessionLearning,
        TaskEpisode,
    )
    from verifflowcc.history.rules.saved_calls import SavingReport, Tally
    from verifflowcc.history.store.history_columns import Rows
    from verifflowcc.history.use.analysing import Pruning
    from verifflowcc.history.use.history_import import HistoryImport, ImportedFile
    from verifflowcc.history.use.history_offers import Action, SessionLine
    from verifflowcc.history.use.history_sharing import PatternProposal
    from verifflowcc.history.use.questions import ToolUse


# `vfcc history import`: read what clients keep of past sessions into the history.


def import_(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH]…", help="Files or folders (default: where the clients keep them)."),
    ] = None,
    client: Annotated[str | None, typer.Option("--client", metavar="NAME", help="Only claude, or only codex.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be added; write nothing.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Add past sessions of this project to its history.

    Transcripts of Claude Code and rollouts of Codex: calls of tools, files, prompts, turns and tokens, each on the day
    it is of. Sessions that a hook or an import recorded are not added again. Sessions of other projects are left out.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.history.use.history_import import import_sessions

    done = import_sessions(open_workspace(), paths or (), client=client, dry_run=dry_run)
    if as_json:
        out.emit_json(done)
        return
    for note in (*done.notes, *(note for each in done.files for note in each.notes)):
        out.note(note)
    out.emit_lines(_page(done))


def _page(done: "HistoryImport") -> list[str]:
    lines = [line for each in done.files for line in _lines(each)]
    if done.other_projects:
        lines.append(f"{counted(done.other_projects, 'session')} of other projects left out")
    would = "would be " if done.dry_run and done.new else ""
    known = f", {done.known:,} known" if done.known else ""
    added = f"{counted(done.new, 'event')} {would}new" if done.new else "nothing new"
    lines.append(f"{counted(len(done.files), 'file')}, {counted(done.calls, 'call')} of tools: {added}{known}")
    if done.files:
        lines.append(_tokens(done.tokens))
    return lines


def _lines(each: "ImportedFile") -> list[str]:
    known = f", {each.known:,} known" if each.known else ""
    calls = counted(each.calls, "call")
    head = f"{each.session} ({each.client}): {counted(each.new, 'event')} new{known}, {calls} of tools"
    return [head, f"  {_tokens(each.tokens)}"]


def _tokens(tokens: "Tokens") -> str:
    cached = f"{tokens.cache_read:,} out of a cache and {tokens.cache_creation:,} into one"
    return f"tokens: {tokens.input:,} in, {tokens.output:,} out, {cached}"


# `vfcc history saved`: which searches, listings and reads the code in the prompts had answered.

_TITLES = {"search": "searches", "listing": "listings", "read": "reads"}
_CAUSES = {
    "the_same_again": "looked for the same again: the window had it",
    "written_since_the_prompt": "of files that were written since the prompt",
    "no_code": "of files that are no code: documents, settings, data",
    "code_that_was_not_chosen": "of code that was not among the pieces",
    "outside_of_the_project": "outside of the project",
    "not_there_now": "of files that are not there now",
    "finds_nothing_now": "find nothing now",
    "pattern_cannot_be_run": "have a pattern that is not run",
}


def saved(
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Of this session alone.")] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            parser=tokens,
            metavar="TOKENS",
            help="So many tokens of code in a prompt; 4k is 4,000 (default: 8,000).",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show which searches, listings and reads were answered.

    Each prompt of the history is asked again for its code, and the calls that followed are held against it. Code and
    files are judged as they are now.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.code.use.code_offers import OFFERED_TOKENS
    from verifflowcc.history.use.saving import calls_saved

    found = calls_saved(open_workspace(), session, budget or OFFERED_TOKENS)
    out.emit_json(found) if as_json else out.emit(saved_page(found))


def saved_page(found: "SavingReport") -> str:
    """Return what was answered as a page."""

    if not found.total.calls:
        return "no search, listing or read that follows a prompt was recorded here"
    rows = [_row(_TITLES[kind], each) for kind, each in found.kinds.items()] + [_row("all", found.total)]
    heading = ("", "calls", "answered", "in part", "again", "share", "of what was looked for")
    lines = [
        f"{found.prompts} prompts in {found.sessions} sessions, {found.budget_tokens:,} tokens of code in each:",
        "",
        table(heading, rows, right=(1, 2, 3, 4, 5, 6)),
        "",
        f"{_percent(found.share_of_all_calls)} of all {found.calls} calls of tools were answered before they were made",
    ]
    if found.interval:
        low, high = map(_percent, found.interval)
        lines.append(f"share answered, 95 % interval over sessions: {low} to {high}")
    lines.append(f"share answered with {2 * found.budget_tokens:,} tokens: {_percent(found.at_double_budget.share)}")
    if found.not_judged:
        lines.append(f"{found.not_judged} calls look around and belong to no prompt; they are not counted")
    if found.causes:
        lines += [
            "",
            "not answered, or in part:",
            *(f"  {each.calls:5} {_CAUSES[each.cause]}" for each in found.causes),
        ]
    return "\n".join(lines)


def _row(title: str, each: "Tally") -> tuple[str, ...]:
    counts = (each.calls, each.answered, each.partly_answered, each.repeated)
    return (title, *map(str, counts), _percent(each.share), _percent(each.covered))


def _percent(thousandths: int) -> str:
    return f"{thousandths // 10}.{thousandths % 10} %"


app = typer.Typer(help="Show what agents did here, and what can be learnt from it.", no_args_is_help=True)
app.command("import")(import_)
app.command()(saved)


class HistoryView(StrEnum):
    """What the history is asked by."""

    FILE = "file"
    TOOL = "tool"
    TASK = "task"
    COEDIT = "coedit"
    PATTERN = "pattern"
    LEARNING = "learning"
    SESSION = "session"


class ColumnFormat(StrEnum):
    """A form of files of columns."""

    PARQUET = "parquet"
    ARROW = "arrow"


LimitOption = Annotated[int | None, typer.Option("--limit", min=1, metavar="NUMBER", help="At most so many.")]


@app.command()
def show(
    what: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="With --by file and coedit: a file, or a part of its path.")
    ] = None,
    by: Annotated[
        HistoryView | None, typer.Option("--by", help="What to ask by (default: the latest actions).")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="With --by task: those that ended, too.")] = False,
    days: Annotated[int, typer.Option("--days", min=1, metavar="NUMBER", help="With --by tool: of so many days.")] = 7,
    limit: LimitOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show what was done.

    Latest actions; or by file: who touched it last; by tool: how often it worked; by task: what is open; by coedit:
    what is edited together; by pattern and learning: what was learnt; by session: what each one did.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.history.use.history_offers import bad_lines

    if what is not None and by not in (HistoryView.FILE, HistoryView.COEDIT):
        raise UsageError("a path goes with --by file or --by coedit", hint=f"vfcc history show --by file {what}")
    workspace = open_workspace()
    answers = {
        None: _actions,
        HistoryView.FILE: _by_file,
        HistoryView.TOOL: _by_tool,
        HistoryView.TASK: _by_task,
        HistoryView.COEDIT: _by_coedit,
        HistoryView.PATTERN: _by_pattern,
        HistoryView.LEARNING: _by_learning,
        HistoryView.SESSION: _by_session,
    }
    asked = HistoryQuestion(workspace, what, limit, days, everything)
    value, text = answers[by](asked)
    if bad := bad_lines(workspace):
        one, are = ("line", "was") if bad == 1 else ("lines", "were")
        out.warn(f"{bad} {one} of the history could not be read and {are} left out")
    out.emit_json(value) if as_json else out.emit(text or NOTHING)


class HistoryQuestion:
    """What somebody asks of the history."""

    def __init__(
        self, workspace: "Workspace", what: str | None, limit: int | None, days: int, everything: bool
    ) -> None:
        self.workspace, self.what, self.limit, self.days, self.everything = workspace, what, limit, days, everything


def _actions(asked: HistoryQuestion) -> tuple[object, str]:
    from verifflowcc.history.use.history_offers import ACTIONS, recent_actions

    found = recent_actions(asked.workspace, limit=asked.limit or ACTIONS)
    return found, actions_table(found)


def _by_file(asked: HistoryQuestion) -> tuple[object, str]:
    from verifflowcc.history.use.questions import NEAR_TOUCHES, TOUCHES, file_history, files_like

    what = asked.what or ""
    exact = file_history(asked.workspace, from_root(asked.workspace, what), asked.limit or TOUCHES) if what else ()
    found = exact or files_like(asked.workspace, what, asked.limit or NEAR_TOUCHES)
    return found, touches_table(found)


def _by_tool(asked: HistoryQuestion) -> tuple[object, str]:
    from verifflowcc.history.use.questions import tool_use

    found = tool_use(asked.workspace, asked.days)[: asked.limit]
    return found, tools_table(found)


def _by_task(asked: HistoryQuestion) -> tuple[object, str]:
    from verifflowcc.history.use.questions import tasks_by_status
    from verifflowcc.memory.rules.tasks import TaskStatus

    open_ = (TaskStatus.ACTIVE, TaskStatus.PAUSED)
    found = tasks_by_status(asked.workspace, tuple(TaskStatus) if asked.everything else open_, asked.limit or 20)
    return found, tasks_table(found)


def _by_coedit(asked: HistoryQuestion) -> tuple[object, str]:
    from verifflowcc.history.use.questions import edited_together

    path = from_root(asked.workspace, asked.what) if asked.what else None
    found = edited_together(asked.workspace, path)[: asked.limit]
    return found, pairs_table(found)


def _by_pattern(asked: HistoryQuestion) -> tuple[object, str]:
    from verifflowcc.history.use.history_sharing import learned_patterns

    found = learned_patterns(asked.workspace)[: asked.limit]
    return found, patterns_table(found)


def _by_learning(asked: HistoryQuestion) -> tuple[object, str]:
    from verifflowcc.history.use.history_sharing import learned_in_sessions

    found = learned_in_sessions(asked.workspace, asked.limit or 20)
    return found, learnings_table(found)


def _by_session(asked: HistoryQuestion) -> tuple[object, str]:
    from verifflowcc.history.use.history_offers import ACTIONS, sessions

    found = sessions(asked.workspace, asked.limit or ACTIONS)
    return found, sessions_table(found)


@app.command()
def similar(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Task, in words.")],
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="NUMBER", help="At most so many.")] = 3,
    as_json: JsonFlag = False,
) -> None:
    """Find past tasks like a text.

    With what came of them, and which files they touched.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.history.use.history_offers import similar_tasks

    found = similar_tasks(open_workspace(), text, limit)
    out.emit_json(found) if as_json else out.emit(similar_page(found))


@app.command()
def prune(
    older_than: Annotated[str, typer.Option("--older-than", metavar="TIME", help="As in 90d, 12w or 1y.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and remove nothing.")] = False,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove what is older than a time.

    Whole days go, never the present one; what is committed stays.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.history.use.analysing import days_in, plan_pruning, prune_history
    from verifflowcc.sprint.cli import move_output as asking

    days, workspace = days_in(older_than), open_workspace()
    plan = plan_pruning(workspace, days)
    if plan.days and not dry_run:
        asking.confirm([pruned(plan, gone=False)], "Remove them?", yes=yes)
        plan = prune_history(workspace, days)
    out.emit_json(plan) if as_json else out.emit(pruned(plan, gone=bool(plan.days) and not dry_run))


@app.command()
def sql(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="One query; vfcc history sql 'SHOW TABLES' lists them.")
    ],
    as_json: JsonFlag = False,
) -> None:
    """Ask in SQL.

    Over tool_executions, file_interactions, task_history, context_snapshots, learned_patterns and session_learnings;
    with DuckDB, which the extra analytics brings.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.history.use.analysing import ask_sql

    found = ask_sql(open_workspace(), query)
    out.emit_json(found.rows) if as_json else out.emit(rows_table(found))


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder for the files, one per table.")],
    form: Annotated[ColumnFormat, typer.Option("--format", help="The form of the files.")] = ColumnFormat.PARQUET,
    as_json: JsonFlag = False,
) -> None:
    """Export each table to a file.

    As Parquet or Arrow, for other tools; with DuckDB, which the extra analytics brings.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.history.use.analysing import export_history

    written = export_history(open_workspace(), folder, form.value)
    out.emit_json(written) if as_json else out.emit("\n".join(map(str, written)))


@app.command()
def learn(as_json: JsonFlag = False) -> None:
    """Copy what was learnt into memory, to be decided.

    Patterns that are sure enough become items that wait for a person: vfcc memory inbox. No item is active by itself.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.history.use.history_sharing import propose_patterns

    found = propose_patterns(open_workspace())
    out.emit_json(found) if as_json else out.emit(proposed(found))


NOTHING = "nothing of the kind was recorded here"
_LONGEST = 120


def actions_table(found: "Sequence[Action]") -> str:
    """Return calls of tools as a table."""
    rows = [
        (_when(each.time), each.role or each.client or "–", each.tool, _went(each.success), _short(each.subject))
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
