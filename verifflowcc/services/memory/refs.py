"""The code that an item speaks of, as somebody names it: checked, and with the digest that it has now."""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from verifflowcc.adapters.files.private import USER
from verifflowcc.domain.items import Item, Ref
from verifflowcc.errors import UsageError
from verifflowcc.services.finding import one_line
from verifflowcc.services.memory.identity import identity_of
from verifflowcc.services.recall.staleness import code_of, renewed_refs
from verifflowcc.services.workspace import Workspace

_HINT = "--ref src/file.py:symbol"


def refs_said(workspace: Workspace | None, texts: Iterable[str]) -> tuple[Ref, ...]:
    """Return places in the code, `path` or `path:symbol`, each with the digest of the symbol or file as it is now.

    One that is not there yet has no digest. Raises UsageError for what is no path below the project's root.
    """
    return renewed_refs(workspace, dict.fromkeys(_named(workspace, each) for each in texts))


def changed_refs(
    workspace: Workspace | None, item: Item, more: Sequence[str], less: Sequence[str], *, holds: bool
) -> tuple[Ref, ...]:
    """Return an item's refs with some more, without some, and, where it `holds`, with the digests of today.

    Raises UsageError for what is no path, is not among the refs, or, where it holds, is not there any more.
    """
    left = _without(item, less)
    if holds or more:
        _demand_of_here(workspace, item)
    if holds:
        _demand_there(workspace, item, left)
        left = renewed_refs(workspace, left)
    refs = {(each.path, each.symbol): each for each in (*left, *refs_said(workspace, more))}
    return tuple(refs.values())


def _named(workspace: Workspace | None, text: str) -> Ref:
    line = one_line(text, "--ref")
    path, _, symbol = line.partition(":")
    plain = PurePosixPath(path)
    if not path or plain.is_absolute() or ".." in plain.parts or "\\" in path:
        raise UsageError(f"{text!r} is no path below the project's root", hint=_HINT)
    if workspace is not None and not (workspace.root / plain).resolve().is_relative_to(workspace.root.resolve()):
        raise UsageError(f"{plain} leads out of the project", hint=_HINT)
    return Ref(str(plain), symbol.removeprefix(":") or None)


def _without(item: Item, less: Sequence[str]) -> tuple[Ref, ...]:
    named = {(each.path, each.symbol) for each in (_named(None, text) for text in less)}
    there = {(str(PurePosixPath(each.path)), each.symbol) for each in item.refs}
    lacking = next((path for path, symbol in named if (path, symbol) not in there), None)
    if lacking is not None:
        speaks = ", ".join(f"{each.path}{f':{each.symbol}' if each.symbol else ''}" for each in item.refs) or "nothing"
        raise UsageError(
            f"{item.id} does not speak of {lacking} so; it speaks of {speaks}", hint=f"vfcc memory show {item.id}"
        )
    return tuple(each for each in item.refs if (str(PurePosixPath(each.path)), each.symbol) not in named)


def _demand_of_here(workspace: Workspace | None, item: Item) -> None:
    """Raise UsageError where a person's item speaks of the code of another project."""
    theirs = item.source.project if item.scope == USER else None
    if theirs is not None and (workspace is None or identity_of(workspace).text != theirs):
        raise UsageError(f"{item.id} speaks of the code of {theirs}, which is not here", hint="cd to that project")


def _demand_there(workspace: Workspace | None, item: Item, refs: Sequence[Ref]) -> None:
    """Raise UsageError where an item can hold no more as it is: it speaks of nothing, or of what is gone."""
    if not refs:
        raise UsageError(f"{item.id} speaks of no code", hint="--ref src/file.py:symbol")
    if workspace is None:
        raise UsageError("there is no project here, so no code to look at", hint="cd to the project")
    from verifflowcc.lifecycle.stale_refs import Change, stale_refs

    gone = [each for each in stale_refs(refs, code_of(workspace).look(refs)) if each.change is not Change.CHANGED]
    if gone:
        ref = gone[0].ref
        name = f"{ref.path}:{ref.symbol}" if ref.symbol else ref.path
        raise UsageError(f"{gone[0].why}; say where it is now", hint=f"--unref {name} --ref PATH")
