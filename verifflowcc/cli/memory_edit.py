"""`vfcc memory edit`: change what an item says, by options or in the person's editor."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import IdArgument, JsonFlag, ScopeOption, StdinFlag, YesFlag

if TYPE_CHECKING:
    from verifflowcc.cli.memory_here import Here
    from verifflowcc.domain.items import Status, Trust
    from verifflowcc.services.memory.editing import Edited, ItemChange
    from verifflowcc.services.memory.finding import Found

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
    from verifflowcc.cli import output as out
    from verifflowcc.cli.memory_here import acting_here
    from verifflowcc.cli.output import read_stdin
    from verifflowcc.errors import UsageError
    from verifflowcc.services.memory.editing import Changes, edit_item
    from verifflowcc.services.memory.refs import changed_refs
    from verifflowcc.services.memory.wanting import thousandths

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
        changes = Changes(
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
    from verifflowcc.cli.memory_views import before_and_after
    from verifflowcc.cli.moves import confirm

    confirm(before_and_after(asked.before, asked.after), "Change this preference?", yes=yes)


def _tell(done: "Edited") -> None:
    from verifflowcc.cli.memory_here import tell

    tell([f"{done.item.id}: {', '.join(done.changed)} changed" if done.changed else f"{done.item.id}: nothing changes"])


def _in_editor(here: "Here", found: "Found", *, yes: bool) -> "Edited":
    import sys

    from verifflowcc.adapters.process.pager import edited_text
    from verifflowcc.errors import UsageError
    from verifflowcc.services.memory.editing import replace_text
    from verifflowcc.services.memory.permission import require_change

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
    from verifflowcc.services.memory.words import said

    return None if text is None else said(text, "the text")


def _title(text: str | None) -> str | None:
    from verifflowcc.services.memory.words import title_said

    return None if text is None else title_said(text)


def _tags(tags: list[str] | None) -> tuple[str, ...]:
    from verifflowcc.services.memory.words import tags_said

    return tags_said(tags or ())


def _key(text: str | None) -> str | None:
    from verifflowcc.services.memory.words import key_said

    return "" if text == NONE else None if text is None else key_said(text)


def _day(text: str | None, option: str, today: str) -> str | None:
    from verifflowcc.services.memory.words import day_said

    return "" if text == NONE else day_said(text, option, today, may_be_over=option == "--deadline")


def _status(text: str | None) -> "Status | None":
    from verifflowcc.domain.items import Status
    from verifflowcc.errors import UsageError
    from verifflowcc.services.finding import one_of

    if text is not None and text.strip().casefold() == "superseded":
        raise UsageError(
            "an item is superseded by a newer one that says so", hint="vfcc memory link NEWER supersedes OLDER"
        )
    words = tuple(str(each) for each in Status)
    return None if text is None else Status(one_of(text, words, "status", "--status …"))


def _trust(text: str | None) -> "Trust | None":
    from verifflowcc.domain.items import Trust
    from verifflowcc.services.finding import one_of

    words = tuple(str(each) for each in Trust)
    return None if text is None else Trust(one_of(text, words, "trust", "--trust …"))
