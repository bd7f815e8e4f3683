"""`vfcc memory inbox|reject|promote`: what waits for a person, and what they say to it."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.recall_values import DEFAULT_LIMIT
from verifflowcc.base.records import replace
from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import IdArgument, JsonFlag, ScopeOption, TypesOption, YesFlag
from verifflowcc.memory.cli.memory_edit import TypeOption

if TYPE_CHECKING:
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.memory.use.ingesting import IngestResult
    from verifflowcc.memory.use.item_search import ScopedItem
    from verifflowcc.memory.use.moving import Promotion, PromotionPlan
    from verifflowcc.memory.use.remembering import LearnedStatement


# `vfcc memory ingest`: learn from conversations.

FINDINGS = 1
_MOST = 40


def ingest(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Conversations; - reads stdin.")],
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind", metavar="KIND", help="dialogue, claude, codex, jsonl or notes (default: by the content)."
        ),
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option("--scope", metavar="SCOPE", help="Only user, project or agent/ROLE (default: as configured)."),
    ] = None,
    pending: Annotated[bool, typer.Option("--pending", help="Propose everything; nothing is active yet.")] = False,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", metavar="NAME", help="Who in it is an agent; may be repeated.")
    ] = None,
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="NAME", help="Name of the session (default: the one in the file)."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Read turns again whose items are not here any more, or never were.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep-turns", help="Also keep each turn, for vfcc memory search; no prompt holds it.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be kept; write nothing.")] = False,
    ask_model: Annotated[bool, typer.Option("--ask-model", help="With --dry-run: ask the model all the same.")] = False,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Extract memory items from conversations.

    Reads dialogues, transcripts of Claude Code and Codex, or turns as lines of JSON. Statements become new items of the
    project and of you; existing items do not change. Each turn is read once. Without a person at a terminal, the items
    are proposals.

    Exits with 1 if something could not be read.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, tell
    from verifflowcc.memory.use.ingesting import IngestOptions, read_conversations
    from verifflowcc.memory.use.ingesting import ingest as learn
    from verifflowcc.memory.use.new_item_words import scopes_to_learn
    from verifflowcc.memory.use.refining import open_extractor
    from verifflowcc.memory.use.scopes import agent_of
    from verifflowcc.memory.use.stores import memory_settings

    here = acting_here()
    chosen = scopes_to_learn(here.workspace, scope, agent=agent_of(here.actor))
    conversations = read_conversations(files, kind=kind, session=session, agents=agent or ())
    choices = IngestOptions(chosen.scopes, pending, dry_run, again, chosen.proposes)
    with open_extractor(here.workspace, memory_settings(here.workspace), asks=ask_model or not dry_run) as extract:
        done = learn(
            here.workspace,
            conversations,
            choices,
            actor=here.actor,
            extract=extract,
            confirm=lambda steering: yes or _agreed(steering),
        )
    if keep:
        from verifflowcc.memory.use.ingesting import keep_turns

        into = next((each for each in chosen.scopes if each != "user"), "user")
        kept = keep_turns(here.workspace, conversations, into, actor=here.actor, today=here.today, dry_run=dry_run)
        done = replace(done, kept_turns=kept)
    for notice in (*done.notes, *extract.notices):
        out.note(notice)
    for problem in done.problems:
        out.warn(problem)
    out.emit_json(done) if as_json else tell(_page(done))
    if done.problems:
        raise typer.Exit(FINDINGS)


def _agreed(steering: "Sequence[LearnedStatement]") -> bool:
    from verifflowcc.base.process.clock import terminal_in_use
    from verifflowcc.base.terminal import output as out
    from verifflowcc.sprint.cli.move_output import listed

    out.say(f"preferences that would steer every prompt in every project: {len(steering)}")
    out.say("\n".join(listed([f"  {each.title}" for each in steering])))
    with terminal_in_use():
        return typer.confirm("Remember them? (else they are proposed)", default=False, err=True)


def _page(done: "IngestResult") -> list[str]:
    from verifflowcc.memory.use.remembering import StatementOutcome

    shown = [each for each in done.learned if each.outcome is not StatementOutcome.SAME]
    lines = [line for each in shown[:_MOST] for line in _lines(each)]
    if len(shown) > _MOST:
        lines.append(f"and {len(shown) - _MOST:,} more (--json has all)")
    turns = f"{done.turns:,} {'turn' if done.turns == 1 else 'turns'}"
    known = f", {done.known:,} of them known" if done.known else ""
    counts = ", ".join(f"{done.count(fate):,} {fate}" for fate in StatementOutcome if done.count(fate))
    lines.append(f"{turns} read{known}: {'would be ' if done.dry_run and counts else ''}{counts or 'nothing new'}")
    if any(each.supersedes for each in done.learned if each.outcome is StatementOutcome.ADDED) and not done.dry_run:
        lines.append("to undo a replacement: vfcc memory forget ID, with the id of the new item")
    if done.kept_turns is not None:
        new, before = done.kept_turns.kept, done.kept_turns.known
        known = f", {before:,} kept before" if before else ""
        lines.append(f"turns {'to keep' if done.dry_run else 'kept'} in {done.kept_turns.scope} memory: {new:,}{known}")
    if done.count(StatementOutcome.PROPOSED) and not done.dry_run:
        lines.append("what is proposed waits for a person: vfcc memory inbox")
    return lines


def _lines(each: "LearnedStatement") -> list[str]:
    what = f"{each.id or each.title or 'a statement'} ({each.type}, {each.scope})"
    title = f": {each.title}" if each.id else ""
    lines = [f"{each.outcome}: {what}{title}"]
    lines += [f"  in place of {other}" for other in each.supersedes]
    lines += [f"  contradicts {other}" for other in each.contradicts]
    if each.why:
        about = f" ({', '.join(each.others)})" if each.others else ""
        where = f", spoken by {each.speaker} in {each.session}" if not each.id and not each.title else ""
        lines.append(f"  {each.why}{about}{where}")
    return lines


# `vfcc memory list|show|stats`: what is remembered, as a table, as a page, and in numbers.

AT_TERMINAL = 50
"""Rows of a scope at a terminal, where the newest would be gone from view behind more; a pipe gets them all."""

AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", metavar="DAY", help="Show items as of a day, by the dates in them."),
]


def list_(
    scope: ScopeOption = None,
    type_: TypesOption = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="WORD", help="Only items with a tag; may be repeated.")
    ] = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="WORD", help="Only active, pending, superseded or archived ones.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show superseded, archived and trace items and plain pages too.")
    ] = False,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="CONDITION", help="As in 'importance>=0.7'; may be repeated."),
    ] = None,
    order: Annotated[
        str | None, typer.Option("--order", metavar="FIELD", help="Highest or newest first; -FIELD the other way.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="NUMBER", help="Most items to list (default: all; at a terminal 50 per scope)."
        ),
    ] = None,
    as_of: AsOfOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List what is remembered here.

    Items of the project, of what is open in it, and of the user: these by importance, the others newest first.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, items_table, tell
    from verifflowcc.memory.use.memory_listing import ListQuery, list_items
    from verifflowcc.memory.use.scopes import scopes_listed

    here = acting_here()
    scopes = here.scopes(scope) if scope else scopes_listed(here.workspace)
    most = AT_TERMINAL if limit is None and not as_json and sys.stdout.isatty() else None
    where_ = tuple(where or ())
    asked = ListQuery(tuple(type_ or ()), tuple(tag or ()), status, everything, where_, order, limit, most, as_of)
    listing = list_items(here.workspace, scopes, asked)
    for notice in listing.notices:
        out.warn(notice)
    if as_json:
        out.emit_json(listing)
        return
    tell(items_table(listing, scopes, by_scope=order is None and len(scopes) > 1))
    if listing.more:
        out.say(f"{listing.more:,} more are left out: --limit {len(listing.rows) + listing.more}")


def show(
    item: IdArgument,
    scope: ScopeOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every field, and whom it came from.")] = False,
    as_of: AsOfOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show an item and all that is around it.

    What it says, where its links lead, who links to it, and what is newer. It counts as a use, but for a look at the
    past.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, page, tell
    from verifflowcc.memory.use.access_counts import note_uses
    from verifflowcc.memory.use.memory_listing import find_and_show

    here = acting_here()
    found, shown = find_and_show(here.workspace, item, here.scopes(scope), here.scopes(None), as_of=as_of)
    used = {} if as_of else {found.scope: [found.item.id]}
    for notice in note_uses(here.workspace, used, "show"):
        out.warn(notice)
    out.emit_json(shown) if as_json else tell(page(shown, explain=explain))


def stats(scope: ScopeOption = None, as_json: JsonFlag = False) -> None:
    """Show what is remembered in numbers.

    Items by type and status, tokens, bytes, uses, and the project's identity; what memory did here; and what a model
    took today, beside its caps.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, metrics, numbers, tell
    from verifflowcc.memory.use.statistics import numbers_of

    here = acting_here()
    found = numbers_of(here.workspace, here.scopes(scope))
    for notice in found.notices:
        out.warn(notice)
    out.emit_json(found) if as_json else tell([*numbers(found), *metrics(found)])


# `vfcc memory search`: what bears on a question, and why.

FileOption = Annotated[
    list[str] | None,
    typer.Option("--file", metavar="PATH", help="A file in play: items that speak of it count more; may be repeated."),
]


def search(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="Question or task, in words.")],
    scope: ScopeOption = None,
    type_: TypesOption = None,
    file: FileOption = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Find superseded, archived and pending items too, which count half, and what closed sprints left.",
        ),
    ] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="NUMBER", help="At most so many.")] = DEFAULT_LIMIT,
    as_of: AsOfOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each score is made of, and why others are not there.")
    ] = False,
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Ask no model for an order, whatever memory.rerank says.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Find what bears on a question or a task, best first.

    An item is found by any of the question's words, in its title, key, tags or text, or beside it; and then what it
    links to. Looks where memory list looks: in the project, what is open in it, and the user's own.
    """
    from verifflowcc.memory.cli.memory_searching import answer

    answer(
        question,
        scope=scope,
        types=type_ or (),
        files=file or (),
        everything=everything,
        limit=limit,
        as_of=as_of,
        explain=explain,
        no_model=no_model,
        as_json=as_json,
    )


INBOX = 100
"""Items of the inbox, which a person reads one by one, from the oldest; `--json` gives all."""

IdsArgument = Annotated[list[str], typer.Argument(metavar="ID…", help="The items' ids, or the beginnings of them.")]


def inbox(
    scope: ScopeOption = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="NUMBER", help=f"Most items to list (default: {INBOX}; with --json all)."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List what waits for a person.

    Who proposed it, why it waits, where it was read, and what it would take the place of. The oldest first.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, inbox_page, tell
    from verifflowcc.memory.use.inbox import open_inbox

    here = acting_here()
    found = open_inbox(here.workspace, here.scopes(scope), INBOX if limit is None and not as_json else limit)
    for notice in found.notices:
        out.warn(notice)
    out.emit_json(found) if as_json else tell(inbox_page(found))


def reject(
    items: IdsArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why not; it is kept with the item.")] = "",
    scope: ScopeOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Reject what was proposed.

    It is archived and marked, so that it is not proposed again. A person rejects anything, an agent its own alone.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, tell
    from verifflowcc.memory.use.inbox import demand_may_reject, reject_item

    here = acting_here()
    found = _each_once([here.find(name, scope) for name in items])
    for each in found:
        demand_may_reject(each, here.actor)
    done = [reject_item(here.workspace, each, actor=here.actor, today=here.today, reason=reason) for each in found]
    out.emit_json(done) if as_json else tell([f"{each.item.id}: rejected" for each in done])


def promote(
    items: IdsArgument,
    to: Annotated[
        str | None, typer.Option("--to", metavar="SCOPE", help="project (from a task …) or user (from the project).")
    ] = None,
    type_: TypeOption = None,
    vouch: Annotated[
        bool, typer.Option("--vouch", help="Answer for it yourself: it is trusted as you are, and says so.")
    ] = False,
    scope: ScopeOption = None,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Make proposed items active, or move items up.

    What that changes is shown first. With --to, from a task to the project, or from the project to the user. It takes a
    person at a terminal; who it was and when is kept in the item. Promoting raises no trust: that takes vouching.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.stage_words import one_of
    from verifflowcc.memory.cli.memory_output import PREFERRED, acting_here, tell
    from verifflowcc.memory.use.item_scope import require_person
    from verifflowcc.memory.use.moving import promote_item
    from verifflowcc.memory.use.scopes import PROJECT, read_scope
    from verifflowcc.sprint.cli.move_output import confirm

    here = acting_here()
    word = one_of(to, ("user", PROJECT), "memory to promote it to", "--to …") if to is not None else None
    target = read_scope(here.workspace, word) if word is not None else None
    found = _each_once([here.find(name, scope, but=target) for name in items])
    require_person(here.actor, f"promoting {found[0].item.id}", hint=f"vfcc memory show {found[0].item.id}")
    done: list[Promotion] = []
    try:
        for each in found:
            done.append(
                promote_item(
                    here.workspace,
                    each,
                    target,
                    actor=here.actor,
                    today=here.today,
                    confirm=lambda promoting: confirm([promoting.after.item.title], PREFERRED, yes=yes),
                    show=_show,
                    type_name=type_,
                    vouch=vouch,
                )
            )
    finally:
        _count(here.workspace, found, done)
        if done and not as_json:
            tell([_promotion_line(each) for each in done])
        elif done:
            out.emit_json(done)


def _count(workspace: "Workspace | None", found: "Sequence[ScopedItem]", done: "Sequence[Promotion]") -> None:
    """Count the items in whose place a proposal came; what held already and moves up comes in the place of none."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.use.access_counts import SUPERSEDED, note_metrics

    pairs = zip(found, done, strict=False)
    replaced = sum(len(after.supersedes) for before, after in pairs if before.item.status is Status.PENDING)
    for notice in note_metrics(workspace, {SUPERSEDED: replaced}):
        out.warn(notice)


def _each_once(found: "Sequence[ScopedItem]") -> "list[ScopedItem]":
    return list({(each.scope, each.item.id): each for each in found}.values())


def _promotion_line(done: "Promotion") -> str:
    moved = done.scope != done.previous_scope
    replaced = f", in the place of {', '.join(done.supersedes)}" if done.supersedes and not moved else ""
    return f"{done.item.id}: {f'moved to {done.scope} memory' if moved else 'active'}{replaced}"


def _show(promoting: "PromotionPlan") -> None:
    """Show what changes, beside the data and before anything is written."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import change_lines
    from verifflowcc.memory.cli.painting import changes

    out.say("\n".join(change_lines(promoting)), paint=changes)
