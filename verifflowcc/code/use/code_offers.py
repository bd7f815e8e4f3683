"""The code that a prompt is offered for its task: the best pieces, and the signatures around them as one entry."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.write import DerivedFile
from verifflowcc.base.model.config_values import (
    BODIES,
    CALLERS,
    DIFF,
    INTERFACES,
    MAP,
    MIXES,
    ORDINARY,
    TESTS,
    WHOLE,
    CodeMix,
)
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_text, sha256
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.code_context import OFFERED_PERCENT, choose
from verifflowcc.code.rules.code_views import Snippet
from verifflowcc.code.rules.graph import Import, SearchedCode
from verifflowcc.code.rules.repository_map import RULES, FileGraph, graph_of, map_of
from verifflowcc.code.rules.snippets import mixed, shown_text
from verifflowcc.code.rules.task_words import asked, files_meant
from verifflowcc.code.use.indexing import open_code_soon
from verifflowcc.code.use.tree_states import digest_of

if TYPE_CHECKING:
    from verifflowcc.base.model.ports import TokenCounter
    from verifflowcc.code.rules.changed_code import ChangedCode
    from verifflowcc.code.rules.rank_units import RankedUnit
    from verifflowcc.code.use.review import ReviewScope


# The graph of files is kept until a file is added or removed, or imports something else: making it resolves every
# import, which is slow.

FILE, BEFORE = "code-links.json", "code-imports.json"
_FILE = DerivedFile(FILE, 1, keyed_by="rules of links; digest of the code", largest_bytes=512 << 20)
_BEFORE = DerivedFile(
    BEFORE, 1, keyed_by="rules of links; paths, languages and marks; manifests", largest_bytes=512 << 20
)
_BY_DEFINITIONS = frozenset({"csharp"})
"""Languages in which what an import means depends on what other files define."""


def graph_kept(workspace: Workspace, code: SearchedCode, digest: str | None = None) -> FileGraph:
    """Return the graph of the working tree's files: as `graph_of`, from the last time where it holds.

    `digest` is that of the code, where it is known already.
    What is kept is damaged or of another state, it is made again; where it cannot be kept, it is made each time.
    """
    paths = sorted(code.files)
    state = f"{RULES} {digest or digest_of(code)}"
    kept = workspace.local / FILE
    known = _FILE.read(kept, state)
    if known is not None:
        return FileGraph(paths, *known)
    texts, shape = [code.files[path].blob for path in paths], _shape(code, paths)
    before = _before(workspace, code, paths, texts, shape)
    if before is not None:
        known = _FILE.read(kept, before.state)
    if known is not None and before is not None and before.changed <= MOST_CHANGED:
        return FileGraph(paths, *known)
    if known is None or before is None:
        graph, taken = graph_of(code), code.imports()
        known, imports = [graph.near, graph.central], [_of_imports(taken[path]) for path in paths]
    else:
        imports = before.imports
    _FILE.write(kept, known, state)  # the index reports a place that cannot be written
    _BEFORE.write(workspace.local / BEFORE, [texts, imports, state], shape)
    return FileGraph(paths, *known)


MOST_CHANGED = 40
"""Where no more files have other texts than when the graph was kept, and none has other imports, nothing is written."""


@dataclass(frozen=True, slots=True)
class _Before:
    """The state that the graph was kept for, what each file imports, then as now, and how many texts are others now."""

    state: str
    imports: list[str]
    changed: int


def _before(
    workspace: Workspace, code: SearchedCode, paths: Sequence[str], texts: Sequence[str], shape: str
) -> _Before | None:
    """Return what the graph was kept for, if every file imports the same now."""
    before = _BEFORE.read(workspace.local / BEFORE, shape)
    if before is None or any(each.language in _BY_DEFINITIONS for each in code.files.values()):
        return None
    changed = [place for place, (old, new) in enumerate(zip(before[0], texts, strict=True)) if old != new]
    code.heads([paths[place] for place in changed])
    same = all(_of_imports(code.head(paths[place]).imports) == before[1][place] for place in changed)
    return _Before(before[2], before[1], len(changed)) if same else None


def _of_imports(imports: Sequence[Import]) -> str:
    """Return a digest of what imports are resolved by."""
    text = "\n".join([f"{each.module}\0{each.name}\0{each.alias}" for each in imports])
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _shape(code: SearchedCode, paths: Sequence[str]) -> str:
    """Return a digest of all that the graph depends on beside imports."""
    files = (
        f"{path}\0{each.language}\0{' '.join(sorted(each.marks))}" for path in paths for each in (code.files[path],)
    )
    manifests = (f"{path}\0{rows}" for path, rows in code.manifests().items())
    return digest_text("\n".join([RULES, *files, *manifests]))


OFFERED_TOKENS = 8_000
"""What is offered where no budget is named."""

MOST_MAP_TOKENS = 3_000
"""An overview takes no more, however much room there is."""

SIGNATURES, CHANGES = "signatures", "other changes"


@dataclass(frozen=True, slots=True)
class PieceFile:
    """The lines of a file, and the first and last line of each definition in it."""

    lines: tuple[str, ...]
    definitions: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CodeTask:
    """A task in words, and the names and paths that belong to it; those that are not in the code do not count."""

    text: str
    named: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CodeOffer:
    """Pieces of code, best first, the state of all code that they were chosen from, and their files by path.

    `changes` are the diffs that pieces of it are hunks of; `notices` say what could not be compared.
    """

    pieces: tuple[Snippet, ...]
    state: str
    files: Mapping[str, PieceFile] = field(default_factory=dict)
    changes: "tuple[ChangedCode, ...]" = ()
    notices: tuple[str, ...] = ()


def code_for(  # noqa: PLR0913 - what is known of the files already is given beside what is wanted
    workspace: Workspace,
    task: CodeTask,
    commit: str | None,
    counter: "TokenCounter",
    budget_tokens: int = OFFERED_TOKENS,
    mix: CodeMix = MIXES[ORDINARY],
    scope: "ReviewScope | None" = None,
    *,
    ordinary: dict[str, str] | None = None,
) -> CodeOffer:
    """Return pieces of the code as it is, or as a commit has it, best first, for a mix.

    With `scope`, what changed is among them, and is looked around where there is no task. Raises as `open_code_soon`.
    """
    with open_code_soon(workspace, commit=commit, ordinary=ordinary) as code:
        digest = digest_of(code)
        graph = (None if commit else graph_kept(workspace, code, digest)) or graph_of(code)
        state = _with_changes(workspace, digest, None if commit else scope)
        changes, notices = _changes(workspace, scope, commit, code)
        changed, held, about = _around(changes, code, task.text)
        about = "\n".join([about, *(f"`{each}`" for each in _there(task.named, code))])
        most = budget_tokens * OFFERED_PERCENT // 100
        found = [each for each in offered(about, code, graph, counter, most, mix, changed) if not _is_in(each, held)]
        parts = {DIFF: _hunks(changes, about, code, counter), MAP: _overview(code, graph, counter, budget_tokens, mix)}
        pieces = tuple(_in_order(found, parts, mix))
        paths = dict.fromkeys(each.path for each in pieces if each.path in code.files)
        return CodeOffer(pieces, state, {path: file_of(code, path) for path in paths}, changes, notices)


def _there(names: Sequence[str], code: "SearchedCode") -> Iterator[str]:
    """Yield the names of which the code has a file or a definition."""
    files = files_meant(names, code.files)
    yield from (name for name in names if files[name] or any(code.defining(part) for part in name.split(".") if part))


def offered(
    task: str,
    code: "SearchedCode",
    graph: "FileGraph | None",
    counter: "TokenCounter",
    budget_tokens: int = OFFERED_TOKENS,
    mix: CodeMix = MIXES[ORDINARY],
    changed: Sequence["RankedUnit"] = (),
) -> tuple[Snippet, ...]:
    """Return the pieces of files from code that is open, within another number of tokens; signatures as one piece."""
    pieces = choose(task, code, budget_tokens, counter.count, graph, mix=mix, changed=changed).filled.snippets
    whole = [each for each in pieces if each.whole]
    if text := "".join(shown_text(each) for each in pieces if not each.whole):
        part = CALLERS if mix.callers else ""
        why = "what calls the pieces above" if part else "what the pieces above speak of"
        whole.append(Snippet(SIGNATURES, 0, 0, "", text, counter.count(text), why, part=part))
    return tuple(whole)


def _in_order(pieces: Sequence[Snippet], parts: Mapping[str, Sequence[Snippet]], mix: CodeMix) -> Iterator[Snippet]:
    """Yield the overview, then what changed, functions and signatures by their shares; signatures without one last."""
    shares = mix.shares()
    plain = [each for each in pieces if each.path != SIGNATURES]
    signatures = [each for each in pieces if each.path == SIGNATURES]
    of_files = sum(shares.get(name, 0) for name in (BODIES, TESTS, INTERFACES))
    yield from parts[MAP]
    mixing = [(shares.get(DIFF, 0), parts[DIFF]), (of_files, plain), (mix.callers, signatures if mix.callers else ())]
    yield from mixed(mixing, lambda each: each.tokens)
    yield from () if mix.callers else signatures


def _is_in(piece: Snippet, held: Mapping[str, Sequence[tuple[int, int]]]) -> bool:
    return any(first <= piece.first and piece.last <= last for first, last in held.get(piece.path, ()))


def _overview(
    code: "SearchedCode", graph: "FileGraph", counter: "TokenCounter", budget_tokens: int, mix: CodeMix
) -> tuple[Snippet, ...]:
    most = min(budget_tokens * mix.map // WHOLE, MOST_MAP_TOKENS)
    mapped = map_of(code, graph, most, counter.count) if most else None
    if mapped is None or not mapped.text:
        return ()
    return (Snippet(MAP, 0, 0, "", mapped.text, mapped.tokens, "an overview of all files", part=MAP),)


def _changes(
    workspace: Workspace, scope: "ReviewScope | None", commit: str | None, code: "SearchedCode"
) -> "tuple[tuple[ChangedCode, ...], tuple[str, ...]]":
    """Return the diffs, and a notice where git cannot compare: the rest of the code is there without them."""
    if scope is None:
        return (), ()
    from verifflowcc.code.use.review import changes_of  # only a reviewer's prompt asks git

    try:
        return changes_of(workspace, scope, commit, code), ()
    except WorkspaceError as error:
        return (), (f"the prompt has no diff: {error.message}",)


def _around(
    changes: "Sequence[ChangedCode]", code: "SearchedCode", task: str
) -> "tuple[Sequence[RankedUnit], Mapping[str, Sequence[tuple[int, int]]], str]":
    """Return the units around what changed, the lines that hunks hold, and the task, or words that stand for it."""
    if not changes:
        return (), {}, task if task.strip() else ""
    from verifflowcc.code.rules.changed_code import changed_units, held_lines, words_of

    changed = changed_units(changes, code)
    return changed, held_lines(changes), task if task.strip() else words_of(changed, changes)


def _with_changes(workspace: Workspace, digest: str, scope: "ReviewScope | None") -> str:
    """Return the state of the code, and of what is reviewed where there is a scope."""
    if scope is None:
        return digest
    from verifflowcc.code.use.review import changes_state

    return f"{digest} {changes_state(workspace, scope)}"


def _hunks(
    changes: "Sequence[ChangedCode]", about: str, code: "SearchedCode", counter: "TokenCounter"
) -> tuple[Snippet, ...]:
    """Return the hunks of the diffs, behind the names of the files that have none."""
    if not changes:
        return ()
    from verifflowcc.code.rules.changed_code import hunk_pieces
    from verifflowcc.code.use.review import marks_of

    marks, wanted = marks_of(code), asked(about)
    hunks = [piece for each in changes for piece in hunk_pieces(each, wanted, code, marks, counter.count)]
    named = [_names(each, counter) for each in changes if any(not file.hunks for file in each.files)]
    return (*named, *hunks)


def _names(diff: "ChangedCode", counter: "TokenCounter") -> Snippet:
    from verifflowcc.code.rules.changed_code import names_of

    text = names_of(diff, ())
    return Snippet(
        CHANGES, 0, 0, "", text, counter.count(text), "files without hunks", part=DIFF, of=diff.name, local=diff.local
    )


def file_of(code: "SearchedCode", path: str) -> PieceFile:
    """Return a file as pieces of it are shown."""
    text = (code.text(path) or b"").decode("utf-8", "replace")
    lines = tuple(line.removesuffix("\r") for line in text.split("\n"))
    return PieceFile(lines, tuple((each.line, each.end) for each in code.head(path).definitions))


def state_now(workspace: Workspace, scope: Sequence[str | None] | None = None) -> str:
    """Return the state of the code as it is, as `CodeOffer` has it. Raises as `open_code_soon`.

    `scope` are the base and the target of what is reviewed, if anything is.
    """
    with open_code_soon(workspace) as code:
        digest = digest_of(code)
    if scope is None:
        return digest
    from verifflowcc.code.use.review import ReviewScope

    return _with_changes(workspace, digest, ReviewScope(scope[0] or "", scope[1]))
