"""How diffs are shown in a prompt: the hunks of a file under one heading, then the names of the files left out."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.context.compile import Shown
from verifflowcc.context.view import EntryView, entry_view
from verifflowcc.domain.code_told import DIFF_LANGUAGE, Snippet
from verifflowcc.domain.patches import FileDiff
from verifflowcc.services.circumstances import Circumstances
from verifflowcc.services.memory.guarding import safe_text

if TYPE_CHECKING:
    from verifflowcc.codegraph.changed import ChangedCode


def diff_pieces(here: Circumstances, shown: Sequence[Shown]) -> dict[int, Snippet]:
    """Return the pieces of diffs among `shown`, each by the identity of its entry."""
    pieces = {one.path: one.source for one in here.selection.selected if isinstance(one.source, Snippet)}
    found = ((id(one), pieces.get(one.candidate.path)) for one in shown)
    return {number: piece for number, piece in found if piece is not None and piece.of}


def diff_entries(here: Circumstances, pieces: Sequence[Snippet], *, local: bool) -> tuple[EntryView, ...]:
    """Return an entry for each file with hunks among `pieces`, and one for each diff with the names of the others.

    With `local`, of the diffs that other clones do not have, else of the others.
    """
    return tuple(
        entry
        for diff in here.sources.code_changes
        if diff.local is local
        for entry in _of_diff(diff, [each for each in pieces if each.of == diff.name])
    )


def _of_diff(diff: "ChangedCode", pieces: Sequence[Snippet]) -> Iterator[EntryView]:
    from verifflowcc.codegraph.changed import names_of  # only a prompt with a diff needs it

    hunks = [each for each in pieces if each.language == DIFF_LANGUAGE]
    files = {each.path: each for each in diff.files}
    for path in dict.fromkeys(each.path for each in hunks):
        yield _entry(diff, files[path], [each for each in hunks if each.path == path])
    names = names_of(diff, {(each.path, each.text.partition(" @@")[0]) for each in hunks}) if pieces else ""
    if names:
        yield entry_view(f"not shown of the {diff.name}", safe_text(names), source=diff.name, kind="text")


def _entry(diff: "ChangedCode", file: FileDiff, hunks: Sequence[Snippet]) -> EntryView:
    was = f", renamed from {file.was}" if file.was else ""
    text = "\n".join(each.text for each in sorted(hunks, key=lambda each: (each.first, each.last)))
    return entry_view(f"{file.path}{was}, {diff.name}", safe_text(text), source=file.path, kind=DIFF_LANGUAGE)
