"""Answer `vfcc code …`, however its words were read; nothing here needs typer."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.config_values import CONTEXT_TOKENS, MAP_TOKENS, MOST_FOUND
from verifflowcc.base.terminal import output as out
from verifflowcc.base.terminal.terminal import from_root

if TYPE_CHECKING:
    from verifflowcc.base.use.workspace import Workspace


_T = TypeVar("_T")


def answer_index(*, as_json: bool = False) -> None:
    """Bring the graph up to the files."""
    workspace = _here()
    from verifflowcc.code.cli.code_output import indexed
    from verifflowcc.code.use.indexing import index_code

    found = index_code(workspace)
    _show(found, found.notices, indexed, as_json=as_json)


def answer_status(*, as_json: bool = False) -> None:
    """Show what the graph holds."""
    workspace = _here()
    from verifflowcc.code.cli.code_output import status
    from verifflowcc.code.use.indexing import graph_status

    found = graph_status(workspace)
    _show(found, found.notices, status, as_json=as_json)


def answer_find(symbol: str, *, kind: str | None = None, limit: int = MOST_FOUND, as_json: bool = False) -> None:
    """Show where a symbol is defined."""
    workspace = _here()
    from verifflowcc.code.cli.code_output import finding
    from verifflowcc.code.use.graph_questions import find_symbols

    found = find_symbols(workspace, _place(workspace, symbol), kind, limit)
    _show(found, found.notices, finding, as_json=as_json)


def answer_file(path: str, *, as_json: bool = False) -> None:
    """Show what is in a file."""
    workspace = _here()
    from verifflowcc.code.cli.code_output import outline
    from verifflowcc.code.use.graph_questions import file_outline

    found = file_outline(workspace, _place(workspace, path))
    _show(found, found.notices, outline, as_json=as_json)


def answer_refs(symbol: str, *, kind: str = "callers", everything: bool = False, as_json: bool = False) -> None:
    """Show who refers to what."""
    workspace = _here()
    from verifflowcc.code.cli.code_output import relations as shown
    from verifflowcc.code.use.graph_questions import relations

    found = relations(workspace, kind, _place(workspace, symbol))
    _show(found, found.notices, lambda each: shown(each, everything=everything), as_json=as_json)


def answer_map(*, budget: int | None = None, as_json: bool = False) -> None:
    """Show an overview."""
    workspace = _here()
    from verifflowcc.code.cli.code_output import mapped
    from verifflowcc.prompt.use.code_touching import show_map

    found = show_map(workspace, budget or MAP_TOKENS)
    _show(found, found.notices, mapped, as_json=as_json)


def answer_context(
    task: str,
    *,
    budget: int | None = None,
    tests: bool = False,
    explain: bool = False,
    as_json: bool = False,
) -> None:
    """Show the code for a task."""
    workspace = _here()
    from verifflowcc.code.cli.code_output import context, explained
    from verifflowcc.prompt.use.code_touching import show_context

    found = show_context(workspace, task, budget or CONTEXT_TOKENS, unmarked=tests)
    _show(found, found.notices, explained if explain else context, as_json=as_json)


def answer_impact(
    symbol: str | None = None, *, diff: bool = False, format: str | None = None, as_json: bool = False
) -> None:
    """Show what a change reaches; with `diff`, the symbol is the revision to compare with."""
    workspace = _here()
    from verifflowcc.code.cli.code_output import commands, impact
    from verifflowcc.prompt.use.code_touching import code_impact, diff_impact

    if not diff and symbol is None:
        raise UsageError("give a symbol or a file, or --diff", hint="vfcc code impact --diff")
    if diff:
        found = diff_impact(workspace, symbol, runner=format)
    else:
        found = code_impact(workspace, _place(workspace, symbol or ""), runner=format)
    _show(found, found.notices, commands if format else impact, as_json=as_json)


def _here() -> "Workspace":
    """Open the project, and have its files listed while the rest is imported."""
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.code.store.source_listing import begin

    workspace = open_workspace()
    begin(workspace.root)
    return workspace


def _place(workspace: "Workspace", text: str) -> str:
    """Return the same symbol or path, its path relative to the project's root."""

    path, mark, name = text.partition("::")
    if mark:
        return f"{from_root(workspace, path)}::{name}"
    path, mark, line = text.rpartition(":")
    if mark and line.isdigit():
        return f"{from_root(workspace, path)}:{line}"
    return from_root(workspace, text)


def _show(found: _T, notices: Sequence[str], lines: Callable[[_T], Sequence[str]], *, as_json: bool) -> None:
    for notice in notices:
        out.warn(notice)
    out.emit_json(found) if as_json else out.emit_lines(lines(found))
