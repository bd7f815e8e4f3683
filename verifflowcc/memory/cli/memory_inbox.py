"""`vfcc memory inbox|reject|promote`: what waits for a person, and what they say to it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.base.terminal.options import JsonFlag, ScopeOption, YesFlag
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
        typer.Option("--kind", metavar="KIND", help="dialogue, claude, codex or jsonl (default: by the content)."),
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

    shown = [each for each in done.learned if each.fate is not StatementOutcome.SAME]
    lines = [line for each in shown[:_MOST] for line in _lines(each)]
    if len(shown) > _MOST:
        lines.append(f"and {len(shown) - _MOST:,} more (--json has all)")
    turns = f"{done.turns:,} {'turn' if done.turns == 1 else 'turns'}"
    known = f", {done.known:,} of them known" if done.known else ""
    counts = ", ".join(f"{done.count(fate):,} {fate}" for fate in StatementOutcome if done.count(fate))
    lines.append(f"{turns} read{known}: {'would be ' if done.dry_run and counts else ''}{counts or 'nothing new'}")
    if done.count(StatementOutcome.PROPOSED) and not done.dry_run:
        lines.append("what is proposed waits for a person: vfcc memory inbox")
    return lines


def _lines(each: "LearnedStatement") -> list[str]:
    what = f"{each.id or each.title or 'a statement'} ({each.type}, {each.scope})"
    title = f": {each.title}" if each.id else ""
    lines = [f"{each.fate}: {what}{title}"]
    lines += [f"  in place of {other}" for other in each.supersedes]
    lines += [f"  contradicts {other}" for other in each.contradicts]
    if each.why:
        about = f" ({', '.join(each.others)})" if each.others else ""
        where = f", spoken by {each.speaker} in {each.session}" if not each.id and not each.title else ""
        lines.append(f"  {each.why}{about}{where}")
    return lines


IdsArgument = Annotated[list[str], typer.Argument(metavar="ID…", help="The items' ids, or the beginnings of them.")]


def inbox(scope: ScopeOption = None, as_json: JsonFlag = False) -> None:
    """List what waits for a person.

    Who proposed it, why it waits, where it was read, and what it would take the place of. The oldest first.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, inbox_page, tell
    from verifflowcc.memory.use.inbox import open_inbox

    here = acting_here()
    found = open_inbox(here.workspace, here.scopes(scope))
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
    from verifflowcc.memory.cli.memory_output import acting_here, tell
    from verifflowcc.memory.use.item_scope import require_person
    from verifflowcc.memory.use.moving import promote_item
    from verifflowcc.memory.use.scopes import PROJECT, read_scope

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
                    confirm=lambda promoting: _ask(promoting, yes=yes),
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
    """Count the items that promoted proposals replaced.

    An item that held already and moves up replaces none.
    """
    from verifflowcc.base.model.item_values import Status
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.use.access_counts import SUPERSEDED, note_metrics

    pairs = zip(found, done, strict=False)
    replaced = sum(len(after.supersedes) for before, after in pairs if before.item.status is Status.PENDING)
    for notice in note_metrics(workspace, {SUPERSEDED: replaced}):
        out.warn(notice)


def _each_once(found: "Sequence[ScopedItem]") -> "list[ScopedItem]":
    return list({(each.scope, each.item.id): each for each in found}.values())


def _promotion_line(done: "Promotion") -> str:
    moved = done.scope != done.was
    replaced = f", in the place of {', '.join(done.supersedes)}" if done.supersedes and not moved else ""
    return f"{done.item.id}: {f'moved to {done.scope} memory' if moved else 'active'}{replaced}"


def _show(promoting: "PromotionPlan") -> None:
    """Show what changes, beside the data and before anything is written."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import change_lines
    from verifflowcc.memory.cli.painting import changes

    out.say("\n".join(change_lines(promoting)), paint=changes)


def _ask(promoting: "PromotionPlan", *, yes: bool) -> None:
    from verifflowcc.sprint.cli.move_output import confirm

    confirm([promoting.after.item.title], "Remember this preference in all your projects?", yes=yes)
