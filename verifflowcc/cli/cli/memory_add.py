"""`vfcc memory add`: add an item, or update the one that has its key."""

from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import (
    ExpiresOption,
    JsonFlag,
    NewIdOption,
    ScopeOption,
    StdinFlag,
    TagsOption,
    YesFlag,
)

if TYPE_CHECKING:
    from verifflowcc.base.use.workspace import Workspace
    from verifflowcc.memory.use.adding import AddResult, TypedItem
    from verifflowcc.trace.use.trace_edits import TraceItemRequest

_MEMORY_ALONE = ("key", "importance", "confidence", "details", "own", "lesson", "refs", "expires", "deadline")
"""Options that an item of a trace type does not have."""


def add(
    type_: Annotated[str, typer.Argument(metavar="TYPE", help="preference, fact, decision, …: a type of the table.")],
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="Text of the item.", show_default=False)] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="One line (default: the beginning of the text).")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="WORD", help="Key of the item; an existing item of this key is updated."),
    ] = None,
    scope: ScopeOption = None,
    importance: Annotated[
        str | None, typer.Option("--importance", metavar="NUMBER", help="From 0 to 1 (default: that of the type).")
    ] = None,
    confidence: Annotated[
        str | None, typer.Option("--confidence", metavar="NUMBER", help="From 0 to 1; 0.8 if left out.")
    ] = None,
    tag: TagsOption = None,
    detail: Annotated[list[str] | None, typer.Option("--detail", metavar="NAME=VALUE", help="May be repeated.")] = None,
    category: Annotated[
        str | None, typer.Option("--category", metavar="WORD", help="Of a preference: style, tools, …")
    ] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", metavar="WORD", help="Of a pattern: what it is for.")
    ] = None,
    for_: Annotated[
        str | None, typer.Option("--for", metavar="WHAT", help="Of a convention: what it holds for.")
    ] = None,
    code: Annotated[str | None, typer.Option("--code", metavar="CODE", help="Of a failure: the error's code.")] = None,
    lesson: Annotated[
        str | None, typer.Option("--lesson", metavar="TEXT", help="Of a failure: what was learned from it.")
    ] = None,
    ref: Annotated[
        list[str] | None,
        typer.Option("--ref", metavar="PATH[:SYMBOL]", help="Code that it speaks of; may be repeated."),
    ] = None,
    expires: ExpiresOption = None,
    deadline: Annotated[
        str | None, typer.Option("--deadline", metavar="DAY", help="The day by which it is due.")
    ] = None,
    supersedes: Annotated[
        str | None, typer.Option("--supersedes", metavar="ID", help="Id of the older item that it replaces.")
    ] = None,
    source: Annotated[
        str, typer.Option("--source", metavar="KIND", help="explicit, inferred or extracted.")
    ] = "explicit",
    id_: NewIdOption = None,
    stdin: StdinFlag = False,
    yes: YesFlag = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Add an item.

    Type and key identify an item; adding an existing key updates it. An item that an agent adds to the project or to
    the user is a proposal until a person promotes it. An item of a trace type is added as by vfcc trace add.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.records import replace
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.output import read_stdin
    from verifflowcc.memory.cli.memory_output import PREFERRED, acting_here, ask
    from verifflowcc.memory.use.access_counts import CONTRADICTION, SUPERSEDED, note_metrics
    from verifflowcc.memory.use.adding import TypedItem, add_item, superseding, wanted_of
    from verifflowcc.memory.use.stores import open_store
    from verifflowcc.sprint.use.item_loading import not_loaded_here

    if (text is None) is not stdin:
        what = "both the text and --stdin are given" if stdin else "there is nothing to remember"
        raise UsageError(f"{what}; say TEXT or --stdin", hint='vfcc memory add fact "What it says"')
    own = (("category", category), ("domain", domain), ("scope", for_), ("code", code))
    typed = TypedItem(
        type=type_,
        text=read_stdin() if stdin else text or "",
        title=title,
        key=key,
        scope=scope,
        importance=importance,
        confidence=confidence,
        tags=tuple(tag or ()),
        details=tuple(detail or ()),
        own=tuple((name, value) for name, value in own if value is not None),
        lesson=lesson,
        refs=tuple(ref or ()),
        expires=expires,
        deadline=deadline,
        supersedes=supersedes,
        source=source,
        id=id_,
    )
    here = acting_here()
    traced = _trace_wanted(here.workspace, typed)
    if here.workspace and traced:
        if dry_run:
            fault = f"{traced.type} is a trace type: it is added without --dry-run"
            raise UsageError(fault, hint="vfcc trace add --help")
        from verifflowcc.trace.cli.trace_people import tell_added
        from verifflowcc.trace.use.trace_edits import add_item as add_trace_item

        made = add_trace_item(here.workspace, traced, actor=here.actor)
        out.emit_json(made) if as_json else tell_added(made)
        return
    wanted = wanted_of(here.workspace, typed, actor=here.actor, today=here.today)
    with open_store(here.workspace, wanted.scope) as store:
        added = add_item(
            store,
            wanted,
            actor=here.actor,
            today=here.today,
            confirm=lambda planned: ask(
                planned.before, planned.after, "Change this preference?" if planned.before else PREFERRED, yes=yes
            ),
            dry_run=dry_run,
        )
    if here.workspace and (dead := not_loaded_here(here.workspace, added.item.path, added.scope)):
        added = replace(added, notes=(*added.notes, dead))
    replaced = len(superseding(added))
    for notice in note_metrics(here.workspace, {CONTRADICTION: replaced, SUPERSEDED: replaced}):
        out.warn(notice)
    out.emit_json(added) if as_json else _tell(added, dry_run=dry_run)


def _tell(added: "AddResult", *, dry_run: bool) -> None:
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.cli.memory_output import place, tell

    name = added.item.id
    if dry_run:
        tell([f"would be {added.outcome}: {place(added.scope, added.item.path)}", "", added.text.rstrip("\n")])
        return
    tell([f"{name}: {added.outcome}, {added.item.title}", f"  {place(added.scope, added.item.path)}"])
    if added.pending:
        out.note(f"saved as a proposal; a person must approve it: vfcc memory promote {name}")
    for note in added.notes:
        out.note(note)


def _trace_wanted(workspace: "Workspace | None", typed: "TypedItem") -> "TraceItemRequest | None":
    """Return the trace item that was typed; None where the type is none of the project's trace.

    It becomes the same item, by the same rules, as `vfcc trace add` makes.

    Raises UsageError for an option that a trace item does not have, and where the text is empty.
    """
    name = typed.type.strip().casefold().replace("-", "_")
    if workspace is None or typed.scope not in (None, "project") or not _is_traced(workspace, name):
        return None
    import shlex

    from verifflowcc.base.errors import UsageError
    from verifflowcc.memory.use.new_item_words import checked_text
    from verifflowcc.memory.use.recording import title_of
    from verifflowcc.trace.use.trace_edits import TraceItemRequest

    text = checked_text(typed.text, "the text")
    title = typed.title or title_of(text, name)
    option = next((each for each in (*_MEMORY_ALONE, "supersedes") if getattr(typed, each)), None)
    if option is not None or typed.source != "explicit":
        hint = f"vfcc trace add {name} {shlex.quote(title)}"
        raise UsageError(f"{name} is a trace type: it has no {option or 'source'}", hint=hint)
    return TraceItemRequest(name, title, text, id=typed.id, tags=typed.tags)


def _is_traced(workspace: "Workspace", name: str) -> bool:
    from verifflowcc.base.model.item_values import TYPES, is_trace_type

    if name in TYPES and not is_trace_type(name):
        return False
    from verifflowcc.sprint.use.pinned_workflow import policy_of

    return name in policy_of(workspace).types
