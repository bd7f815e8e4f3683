"""`vfcc memory ingest` and `purge`: learn from conversations, and undo what came from one of them."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, YesFlag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifflowcc.services.memory.ingesting import Ingested
    from verifflowcc.services.memory.purging import Purged, PurgedItem
    from verifflowcc.services.memory.remembering import Learned

FINDINGS = 1
_MOST = 40


def ingest(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Conversations; - reads stdin.")],
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="dialogue, claude, codex or jsonl; else as it looks.")
    ] = None,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help="user, project or agent/ROLE alone; else as set.")
    ] = None,
    pending: Annotated[bool, typer.Option("--pending", help="Propose everything; nothing is active yet.")] = False,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", metavar="NAME", help="Who in it is an agent; may be repeated.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="NAME", help="What the session is called; else it says it.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Read turns again whose items are not here any more, or never were.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be kept; write nothing.")] = False,
    ask_model: Annotated[bool, typer.Option("--ask-model", help="With --dry-run: ask the model all the same.")] = False,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Remember what was said in conversations.

    Dialogues, transcripts of Claude Code and Codex, or turns as lines of JSON. What is said becomes items of the
    project and of you, new ones alone: nothing that is there is changed. A turn is read once. What no person at a
    terminal ingests is proposed.

    Exits with 1 where something could not be read.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.services.memory.choosing_scope import scopes_to_learn
    from verifflowcc.services.memory.conversations import read_conversations
    from verifflowcc.services.memory.ingesting import Choices
    from verifflowcc.services.memory.ingesting import ingest as learn
    from verifflowcc.services.memory.opening import memory_settings
    from verifflowcc.services.memory.refining import open_extractor
    from verifflowcc.services.memory.scopes import agent_of

    here = acting_here()
    chosen = scopes_to_learn(here.workspace, scope, agent=agent_of(here.actor))
    conversations = read_conversations(files, kind=kind, session=session, agents=agent or ())
    choices = Choices(chosen.scopes, pending, dry_run, again, chosen.proposes)
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
        out.say(f"note: {notice}")
    for problem in done.problems:
        out.warn(problem)
    out.emit_json(done) if as_json else tell(_page(done))
    if done.problems:
        raise typer.Exit(FINDINGS)


def purge(
    source: Annotated[
        str,
        typer.Option("--source", metavar="SOURCE", help="A session, or the file that was read: its name is enough."),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; change nothing.")] = False,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove what came from one source.

    Its items go, and summaries made of them; what they had replaced holds again. It takes a person at a terminal.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.asking import confirm
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.services.memory.purging import purge as undo

    here = acting_here()
    done = undo(
        here.workspace,
        source,
        here.scopes(None),
        actor=here.actor,
        confirm=lambda asked: confirm(_purged(asked), f"Remove what came from {asked.source}?", yes=yes),
        dry_run=dry_run,
    )
    out.emit_json(done) if as_json else tell(_purged(done))


def _agreed(steering: "Sequence[Learned]") -> bool:
    from verifflowcc.adapters.observer import terminal_in_use
    from verifflowcc.cli import output as out
    from verifflowcc.cli.asking import listed

    out.say(f"preferences that would steer every prompt in every project: {len(steering)}")
    out.say("\n".join(listed([f"  {each.title}" for each in steering])))
    with terminal_in_use():
        return typer.confirm("Remember them? (else they are proposed)", default=False, err=True)


def _page(done: "Ingested") -> list[str]:
    from verifflowcc.services.memory.remembering import Fate

    told = [each for each in done.learned if each.fate is not Fate.SAME]
    lines = [line for each in told[:_MOST] for line in _lines(each)]
    if len(told) > _MOST:
        lines.append(f"and {len(told) - _MOST:,} more (--json has all)")
    turns = f"{done.turns:,} {'turn' if done.turns == 1 else 'turns'}"
    known = f", {done.known:,} of them known" if done.known else ""
    counts = ", ".join(f"{done.count(fate):,} {fate}" for fate in Fate if done.count(fate))
    lines.append(f"{turns} read{known}: {'would be ' if done.dry_run and counts else ''}{counts or 'nothing new'}")
    if done.count(Fate.PROPOSED) and not done.dry_run:
        lines.append("what is proposed waits for a person: vfcc memory inbox")
    return lines


def _lines(each: "Learned") -> list[str]:
    what = f"{each.id or each.title or 'a statement'} ({each.type}, {each.scope})"
    said = f": {each.title}" if each.id else ""
    lines = [f"{each.fate}: {what}{said}"]
    lines += [f"  in place of {other}" for other in each.supersedes]
    lines += [f"  contradicts {other}" for other in each.contradicts]
    if each.why:
        about = f" ({', '.join(each.others)})" if each.others else ""
        where = f", said by {each.speaker} in {each.session}" if not each.id and not each.title else ""
        lines.append(f"  {each.why}{about}{where}")
    return lines


def _purged(done: "Purged") -> list[str]:
    would = "would be " if done.dry_run else ""
    lines = [*_rows(done.gone, f"{would}gone"), *_rows(done.back, f"{would}back, since the summary of it is gone")]
    lines += _rows(done.stand, f"{would}in force again")
    lines += [f"{other} still links to what is {would}gone" for other in done.linked_by]
    lines += [f"{session} said some of it too: ingest it again to keep that" for session in done.said_too]
    items = f"{len(done.gone):,} {'item' if len(done.gone) == 1 else 'items'}"
    return [*lines, f"{items} {would}gone that came from {done.source}"]


def _rows(items: "Sequence[PurgedItem]", what: str) -> list[str]:
    rows = [f"{each.id} ({each.type}, {each.scope}): {what}" for each in items[:_MOST]]
    return rows if len(items) <= _MOST else [*rows, f"and {len(items) - _MOST:,} more {what}"]
