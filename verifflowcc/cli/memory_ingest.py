"""`vfcc memory ingest`: learn from conversations."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, YesFlag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifflowcc.services.memory.ingesting import Ingested
    from verifflowcc.services.memory.remembering import Learned

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
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here, tell
    from verifflowcc.records import replace
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
    if keep:
        from verifflowcc.services.memory.turn_keeping import keep_turns

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


def _agreed(steering: "Sequence[Learned]") -> bool:
    from verifflowcc.adapters.clock import terminal_in_use
    from verifflowcc.cli import output as out
    from verifflowcc.cli.moves import listed

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
    if any(each.supersedes for each in done.learned if each.fate is Fate.ADDED) and not done.dry_run:
        lines.append("to undo a replacement: vfcc memory forget ID, with the id of the new item")
    if done.kept_turns is not None:
        new, before = done.kept_turns.kept, done.kept_turns.known
        known = f", {before:,} kept before" if before else ""
        lines.append(f"turns {'to keep' if done.dry_run else 'kept'} in {done.kept_turns.scope} memory: {new:,}{known}")
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
        where = f", spoken by {each.speaker} in {each.session}" if not each.id and not each.title else ""
        lines.append(f"  {each.why}{about}{where}")
    return lines
