"""The code that an item speaks of, as somebody names it: checked, and with the digest that it has now."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.files.layout import Stamps
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.model.config_values import CodeStatus, code_path
from verifflowcc.base.model.item_values import Item, Ref, is_trace_type
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace

# Which items speak of code that is not as it was: of many items at once, each file looked at once.

_GIT = (".git/config", ".git/HEAD")
"""What says which project this is, and so whose a person's item is."""


@dataclass(slots=True)
class ReferencedCode:
    """The code that items speak of, as it is now in a project, or as it was in a commit.

    `root` is the folder that is looked at. `local` has what is known of files by their content; with `kept` also by
    their stamps. `fetch` puts plain paths of a commit into `root`. `stamps` take those of all that is looked at.
    """

    workspace: Workspace
    root: Path
    local: Path
    kept: bool = True
    fetch: Callable[[Collection[str]], None] | None = None
    stamps: Stamps | None = None
    _identity: list[str | None] = field(default_factory=list)

    def stale(self, items: Iterable[Item]) -> tuple[dict[str, str], str]:
        """Return item path → why its code is not as it was, and the digest of all code that was looked at, "" for none.

        Raises WorkspaceError where the index cannot be used at all, or git cannot tell what the commit holds.
        """
        ours = self._ours(items)
        if not ours:
            return {}, ""
        from verifflowcc.memory.rules.stale_refs import stale_clause

        code = self.look(ref for item in ours for ref in item.refs)
        clauses = ((item.path, stale_clause(item, code)) for item in ours)
        return {path: clause for path, clause in clauses if clause}, _digest(code)

    def of_items(self, items: Iterable[Item]) -> dict[str, CodeStatus]:
        """Return what is now at each place that these items speak of."""
        return self.look(ref for item in self._ours(items) for ref in item.refs)

    def look(self, refs: Iterable[Ref]) -> dict[str, CodeStatus]:
        """Return what is at each place now, by its plain path; places outside of the project are left out."""
        wanted: dict[str, set[str]] = {}
        for ref in refs:
            path = code_path(ref.path)
            if path is not None:
                wanted.setdefault(path, set()).update([ref.symbol] if ref.symbol else [])
        if not wanted:
            return {}
        from verifflowcc.code.store.code_references import read_spoken_of

        if self.fetch is not None:
            self.fetch(wanted)
        if self.stamps is not None:
            self.stamps.take(sorted(wanted))
        return read_spoken_of(self.root, wanted, self.local, kept=self.kept)

    def _ours(self, items: Iterable[Item]) -> list[Item]:
        return [item for item in items if item.refs and self.is_ours(item)]

    def is_ours(self, item: Item) -> bool:
        """Say whether an item speaks of this project's code: all of its own do, and of a person's those made here."""
        if not item.path.startswith(f"{USER}/"):
            return True
        if item.source.project is None:
            return False
        if not self._identity:
            if self.stamps is not None:
                self.stamps.take(_GIT)
            self._identity.append(_identity(self.workspace))
        return item.source.project == self._identity[0]


@dataclass(frozen=True, slots=True)
class StaleCheck:
    """By which code the items of a prompt are judged, and whether those that are stale are left out of it."""

    code: ReferencedCode
    withholds: bool = False

    def left_out(self, item: Item, why: str) -> str | None:
        """Return why a stale item is left out; None where it is only marked.

        Items of the trace are always only marked.
        """
        withheld = self.withholds and why and not is_trace_type(item.type)
        return f"stale: {why} (memory.stale: withhold)" if withheld else None


def stale_items(workspace: Workspace, items: Iterable[Item]) -> dict[str, str]:
    """Return item path → why the code that it speaks of is not as it was, as a clause; others are left out.

    A person's items are judged by the code of the project that they come from alone. Items without refs cost nothing.
    """
    return code_of(workspace).stale(items)[0]


def code_of(workspace: Workspace, stamps: Stamps | None = None) -> ReferencedCode:
    """Return the code of a project as it is now."""
    return ReferencedCode(workspace, workspace.root, workspace.local, stamps=stamps)


def committed_code(workspace: Workspace, folder: Path, commit: str) -> ReferencedCode:
    """Return the code of a project as a commit has it; `folder` is where parts of the commit lie."""
    from verifflowcc.base.git.git_snapshot import add_committed

    fetch = partial(add_committed, workspace.root, folder, commit)
    return ReferencedCode(workspace, folder, workspace.local, kept=False, fetch=fetch)


def renewed_refs(workspace: Workspace | None, refs: Iterable[Ref]) -> tuple[Ref, ...]:
    """Return refs with the digests that their code has now; without one where nothing is there, or in no project."""
    from verifflowcc.memory.rules.stale_refs import renewed

    given = tuple(refs)
    code = code_of(workspace).look(given) if workspace is not None else {}
    return tuple(renewed(ref, code) for ref in given)


def _identity(workspace: Workspace) -> str | None:
    from verifflowcc.memory.use.item_scope import identity_of

    try:
        return identity_of(workspace).text
    except WorkspaceError:
        return None


def _digest(code: Mapping[str, CodeStatus]) -> str:
    return digest_text("\n".join(f"{path} {code[path].digest}" for path in sorted(code))) if code else ""


_HINT = "--ref src/file.py:symbol"


def parse_refs(workspace: Workspace | None, texts: Iterable[str]) -> tuple[Ref, ...]:
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
    refs = {(each.path, each.symbol): each for each in (*left, *parse_refs(workspace, more))}
    return tuple(refs.values())


def _named(workspace: Workspace | None, text: str) -> Ref:
    from verifflowcc.base.use.stage_words import one_line

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
    from verifflowcc.memory.use.item_scope import identity_of

    theirs = item.source.project if item.scope == USER else None
    if theirs is not None and (workspace is None or identity_of(workspace).text != theirs):
        raise UsageError(f"{item.id} speaks of the code of {theirs}, which is not here", hint="cd to that project")


def _demand_there(workspace: Workspace | None, item: Item, refs: Sequence[Ref]) -> None:
    """Raise UsageError where an item can hold no more as it is: it speaks of nothing, or of what is gone."""
    if not refs:
        raise UsageError(f"{item.id} speaks of no code", hint="--ref src/file.py:symbol")
    if workspace is None:
        raise UsageError("there is no project here, so no code to look at", hint="cd to the project")
    from verifflowcc.memory.rules.stale_refs import RefChange, stale_refs

    gone = [each for each in stale_refs(refs, code_of(workspace).look(refs)) if each.change is not RefChange.CHANGED]
    if gone:
        ref = gone[0].ref
        name = f"{ref.path}:{ref.symbol}" if ref.symbol else ref.path
        raise UsageError(f"{gone[0].why}; say where it is now", hint=f"--unref {name} --ref PATH")
