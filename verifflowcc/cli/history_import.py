"""`vfcc history import`: read what clients keep of past sessions into the history."""

from typing import TYPE_CHECKING, Annotated

import typer

from verifflowcc.cli.options import JsonFlag, counted

if TYPE_CHECKING:
    from verifflowcc.formats.call_lines import Tokens
    from verifflowcc.services.history.importing import Imported, ImportedFile


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
    from verifflowcc.cli import output as out
    from verifflowcc.services.history.importing import import_sessions
    from verifflowcc.services.workspace import open_workspace

    done = import_sessions(open_workspace(), paths or (), client=client, dry_run=dry_run)
    if as_json:
        out.emit_json(done)
        return
    for note in (*done.notes, *(note for each in done.files for note in each.notes)):
        out.note(note)
    out.emit_lines(_page(done))


def _page(done: "Imported") -> list[str]:
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
