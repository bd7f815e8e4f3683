"""`vfcc memory edit`: change what an item says, by options or in the person's editor."""

from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import IdArgument, JsonFlag, ScopeOption, StdinFlag, YesFlag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifflowcc.base.model.item_values import Status, Trust
    from verifflowcc.memory.cli.memory_output import OutputContext
    from verifflowcc.memory.use.editing import EditResult, ItemChange
    from verifflowcc.memory.use.forgetting import ForgottenItem
    from verifflowcc.memory.use.item_search import ScopedItem
    from verifflowcc.memory.use.purging import PurgedItem, PurgeResult


# `vfcc memory forget`: remove an item, all that came from one source, or all that is remembered of a person.

_MOST = 40


def forget(
    item: Annotated[
        str | None, typer.Argument(metavar="ID", help="The item's id, or the beginning of it.", show_default=False)
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that is remembered of you; with --scope user.")
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="SOURCE", help="All that came from a session, or from a file: its name is enough."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --source: show what would go, and change nothing.")
    ] = False,
    scope: ScopeOption = None,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove an item, or all that came from one source.

    It asks first. With --source, summaries made of those items go too, and what they had replaced is in force again.
    For trace items: `vfcc trace retire`. For a proposal: `vfcc memory reject`.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, ask
    from verifflowcc.memory.use.forgetting import demand_may_forget, forget_item
    from verifflowcc.memory.use.item_scope import is_person

    if sum((item is not None, everything, source is not None)) != 1:
        raise UsageError("vfcc memory forget needs one of ID, --source and --all", hint="vfcc memory list")
    if dry_run and source is None:
        raise UsageError("--dry-run goes with --source", hint="vfcc memory forget --source talk.md --dry-run")
    here = acting_here()
    if source is not None:
        _forget_source(here, source, dry_run=dry_run, yes=yes, as_json=as_json)
        return
    if item is None:
        _forget_all(here, scope, yes=yes, as_json=as_json)
        return
    found = here.find(item, scope)
    demand_may_forget(found, here.actor)
    if is_person(here.actor):  # what an agent may forget at all, it forgets
        ask(None, found.stored, f"Forget {found.item.id}?", yes=yes)
    done = forget_item(here.workspace, found, actor=here.actor, scopes=here.scopes(None))
    out.emit_json(done) if as_json else _tell_forgotten(done)


def _forget_all(here: "OutputContext", scope: str | None, *, yes: bool, as_json: bool) -> None:
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import tell
    from verifflowcc.memory.use.forgetting import clear_user, count_user
    from verifflowcc.memory.use.item_scope import require_person

    if scope != "user":
        raise UsageError("only user memory is cleared as a whole", hint="vfcc memory forget --all --scope user")
    require_person(here.actor, "clearing user memory", hint="vfcc memory list --scope user")
    number = count_user(here.workspace)
    out.say(f"This forgets all {number:,} items of your memory, in every project. It cannot be undone.")
    if not (yes or _is_sure()):
        raise typer.Abort
    done = clear_user(here.workspace, actor=here.actor)
    out.emit_json(done) if as_json else tell([f"forgotten: {done.items:,} items of user memory"])


def _is_sure() -> bool:
    from verifflowcc.base.process.clock import terminal_in_use

    with terminal_in_use():
        return str(typer.prompt("Type yes to go on", default="", show_default=False, err=True)).strip() == "yes"


def _tell_forgotten(done: "ForgottenItem") -> None:
    from verifflowcc.memory.cli.memory_output import tell

    lines = [f"{done.item.id}: forgotten"]
    if done.in_git:
        lines.append(f"  git keeps it: git checkout HEAD -- {done.item.path}")
    lines += [f"  {other} still links to it" for other in done.linked_by]
    tell(lines)


def _forget_source(here: "OutputContext", source: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import tell
    from verifflowcc.memory.use.purging import purge
    from verifflowcc.sprint.cli.move_output import confirm

    done = purge(
        here.workspace,
        source,
        here.scopes(None),
        actor=here.actor,
        confirm=lambda asked: confirm(_purged(asked), f"Remove what came from {asked.source}?", yes=yes),
        dry_run=dry_run,
    )
    out.emit_json(done) if as_json else tell(_purged(done))


def _purged(done: "PurgeResult") -> list[str]:
    would = "would be " if done.dry_run else ""
    lines = [
        *_rows(done.removed, f"{would}gone"),
        *_rows(done.restored, f"{would}back, since the summary of it is gone"),
    ]
    lines += _rows(done.in_force_again, f"{would}in force again")
    lines += [f"{other} still links to what is {would}gone" for other in done.linked_by]
    lines += [f"{session} contains some of it too; ingest it again to keep that" for session in done.other_sessions]
    items = f"{len(done.removed):,} {'item' if len(done.removed) == 1 else 'items'}"
    return [*lines, f"{items} {would}gone that came from {done.source}"]


def _rows(items: "Sequence[PurgedItem]", what: str) -> list[str]:
    rows = [f"{each.id} ({each.type}, {each.scope}): {what}" for each in items[:_MOST]]
    return rows if len(items) <= _MOST else [*rows, f"and {len(items) - _MOST:,} more {what}"]


# `vfcc memory link|move`: how an item stands to another, and in which memory it is.

TypeOption = Annotated[
    str | None, typer.Option("--type", metavar="NAME", help="Its type there, where its own does not fit.")
]


def link(
    item: IdArgument,
    relation: Annotated[
        str,
        typer.Argument(metavar="RELATION", help="supersedes, contradicts, depends_on, caused_by or resolved_by."),
    ],
    to: Annotated[str, typer.Argument(metavar="OTHER", help="The item that it links to.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take the link away.")] = False,
    scope: ScopeOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Link an item to another."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import acting_here, tell
    from verifflowcc.memory.use.editing import link_items, read_relation, unlink_items

    meant = read_relation(relation)
    here = acting_here()
    found = here.find(item, scope)
    if remove:
        done = unlink_items(here.workspace, found, meant, to, actor=here.actor)
    else:
        done = link_items(here.workspace, found, meant, here.find(to, None), actor=here.actor)
    out.emit_json(done) if as_json else tell([f"{done.item} {done.relation} {done.to}{' no more' if remove else ''}"])


def move(
    item: IdArgument,
    to: Annotated[str, typer.Option("--to", metavar="SCOPE", help="user or project.")],
    type_: TypeOption = None,
    scope: ScopeOption = None,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Move an item between user and project memory.

    All its fields stay; only one that goes to the user gets this project as its source.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.stage_words import one_of
    from verifflowcc.memory.cli.memory_output import PREFERRED, acting_here, ask, tell
    from verifflowcc.memory.use.moving import move_item
    from verifflowcc.memory.use.scopes import PROJECT, read_scope

    here = acting_here()
    target = read_scope(here.workspace, one_of(to, ("user", PROJECT), "memory to move it to", "--to …"))
    found = here.find(item, scope, but=target)
    done = move_item(
        here.workspace,
        found,
        target,
        actor=here.actor,
        confirm=lambda moving: ask(None, moving.after, PREFERRED, yes=yes),
        type_name=type_,
    )
    if as_json:
        out.emit_json(done)
        return
    more = ", as was begun before" if done.finished else ""
    tell([f"{done.item.id}: moved from {done.previous_scope} to {done.scope} memory{more}"])


NONE = "none"
"""Takes a key, an expiry or a deadline away."""


def edit(
    item: IdArgument,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="New text.")] = None,
    stdin: StdinFlag = False,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="In one line.")] = None,
    importance: Annotated[str | None, typer.Option("--importance", metavar="NUMBER", help="From 0 to 1.")] = None,
    confidence: Annotated[str | None, typer.Option("--confidence", metavar="NUMBER", help="From 0 to 1.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="WORD", help="Add a tag; may be repeated.")] = None,
    untag: Annotated[
        list[str] | None, typer.Option("--untag", metavar="WORD", help="Take a tag away; may be repeated.")
    ] = None,
    status: Annotated[str | None, typer.Option("--status", metavar="WORD", help="active, pending or archived.")] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="DAY", help="The last day on which it holds, or none.")
    ] = None,
    deadline: Annotated[
        str | None, typer.Option("--deadline", metavar="DAY", help="The day by which it is due, or none.")
    ] = None,
    key: Annotated[str | None, typer.Option("--key", metavar="WORD", help="New key, or none.")] = None,
    trust: Annotated[
        str | None, typer.Option("--trust", metavar="WORD", help="Who vouches for it: human, tool, agent or external.")
    ] = None,
    ref: Annotated[
        list[str] | None,
        typer.Option("--ref", metavar="PATH[:SYMBOL]", help="Code that it speaks of, as it is now; may be repeated."),
    ] = None,
    unref: Annotated[
        list[str] | None,
        typer.Option("--unref", metavar="PATH[:SYMBOL]", help="Code that it speaks of no more; may be repeated."),
    ] = None,
    holds: Annotated[
        bool, typer.Option("--holds", help="It still holds for its code as that is now: it is not stale any more.")
    ] = False,
    scope: ScopeOption = None,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Change an item; only the lines that change are written.

    With no option, at a terminal, its file opens in $VISUAL or $EDITOR.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.output import read_stdin
    from verifflowcc.memory.cli.memory_output import acting_here
    from verifflowcc.memory.use.adding import thousandths
    from verifflowcc.memory.use.code_refs import changed_refs
    from verifflowcc.memory.use.editing import ItemEdits, edit_item

    if text is not None and stdin:
        raise UsageError("say --text or --stdin, not both", hint="vfcc memory edit --help")
    here = acting_here()
    words = (text, title, importance, confidence, status, expires, deadline, key, trust)
    of_code = bool(ref) or bool(unref) or holds
    given = stdin or bool(tag) or bool(untag) or of_code or any(each is not None for each in words)
    found = here.find(item, scope)
    if not given:
        done = _in_editor(here, found, yes=yes)
    else:
        changes = ItemEdits(
            text=_text(read_stdin() if stdin else text),
            title=_title(title),
            importance=thousandths(importance, "importance"),
            confidence=thousandths(confidence, "confidence"),
            tag=_tags(tag),
            untag=tuple(untag or ()),
            status=_status(status),
            expires=_day(expires, "--expires", here.today),
            deadline=_day(deadline, "--deadline", here.today),
            key=_key(key),
            trust=_trust(trust),
            refs=changed_refs(here.workspace, found.item, ref or (), unref or (), holds=holds) if of_code else None,
        )
        done = edit_item(
            here.workspace,
            found,
            changes,
            actor=here.actor,
            today=here.today,
            confirm=lambda asked: _ask(asked, yes=yes),
        )
    out.emit_json(done) if as_json else _tell(done)


def _ask(asked: "ItemChange", *, yes: bool) -> None:
    from verifflowcc.memory.cli.memory_output import ask

    ask(asked.before, asked.after, "Change this preference?", yes=yes)


def _tell(done: "EditResult") -> None:
    from verifflowcc.memory.cli.memory_output import tell

    tell([f"{done.item.id}: {', '.join(done.changed)} changed" if done.changed else f"{done.item.id}: nothing changes"])


def _in_editor(here: "OutputContext", found: "ScopedItem", *, yes: bool) -> "EditResult":
    import sys

    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.process.pager import edited_text
    from verifflowcc.memory.use.editing import replace_text
    from verifflowcc.memory.use.item_scope import require_change

    name = found.item.id
    if not sys.stdin.isatty():
        raise UsageError("there is nothing to change", hint=f'vfcc memory edit {name} --text "What it says"')
    require_change(found.item, found.scope, here.actor, "changing", hint=f"vfcc memory show {name}")
    return replace_text(
        here.workspace,
        found,
        edited_text(found.stored.text, f"{name[:40]}.md"),
        actor=here.actor,
        today=here.today,
        confirm=lambda asked: _ask(asked, yes=yes),
    )


def _text(text: str | None) -> str | None:
    from verifflowcc.memory.use.new_item_words import checked_text

    return None if text is None else checked_text(text, "the text")


def _title(text: str | None) -> str | None:
    from verifflowcc.memory.use.new_item_words import checked_title

    return None if text is None else checked_title(text)


def _tags(tags: list[str] | None) -> tuple[str, ...]:
    from verifflowcc.memory.use.new_item_words import checked_tags

    return checked_tags(tags or ())


def _key(text: str | None) -> str | None:
    from verifflowcc.memory.use.new_item_words import checked_key

    return "" if text == NONE else None if text is None else checked_key(text)


def _day(text: str | None, option: str, today: str) -> str | None:
    from verifflowcc.memory.use.new_item_words import checked_day

    return "" if text == NONE else checked_day(text, option, today, may_be_over=option == "--deadline")


def _status(text: str | None) -> "Status | None":
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.model.item_values import Status
    from verifflowcc.base.use.stage_words import one_of

    if text is not None and text.strip().casefold() == "superseded":
        raise UsageError(
            "an item is superseded by a newer one that says so", hint="vfcc memory link NEWER supersedes OLDER"
        )
    words = tuple(str(each) for each in Status)
    return None if text is None else Status(one_of(text, words, "status", "--status …"))


def _trust(text: str | None) -> "Trust | None":
    from verifflowcc.base.model.item_values import Trust
    from verifflowcc.base.use.stage_words import one_of

    words = tuple(str(each) for each in Trust)
    return None if text is None else Trust(one_of(text, words, "trust", "--trust …"))
