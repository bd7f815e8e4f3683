"""Questions to the code graph: what is where, who refers to what. Each brings the graph up to the files first."""

from collections.abc import Sequence
from pathlib import Path

from verifflowcc.base.errors import UsageError, VfccError
from verifflowcc.base.model.config_values import MOST_FOUND, MOST_SYMBOLS
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.workspace import Workspace, open_workspace
from verifflowcc.code.rules import bind_queries
from verifflowcc.code.rules.bind_queries import HUB, definitions_named
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.code_views import Outline, OutlineRow, Relations, SymbolRelations, SymbolSearch
from verifflowcc.code.rules.graph import TYPES, LocatedDefinition, ReferenceLink, SourceFile, SymbolKind, outwards
from verifflowcc.code.store.code_graph import StoredCode
from verifflowcc.code.use.indexing import binding, open_code

KINDS = ("callers", "callees", "imports", "imported-by", "inherits", "uses")
FILE_KINDS = frozenset({"imports", "imported-by"})


def find_symbols(workspace: Workspace, text: str, kind: str | None = None, limit: int = MOST_FOUND) -> SymbolSearch:
    """Return where a name is defined, all places. Raises UsageError for an unknown kind, VfccError where none is."""
    if kind is not None and kind not in set(SymbolKind):
        raise UsageError(f"{kind!r} is no kind of symbol", hint=f"one of {', '.join(SymbolKind)}")
    with open_code(workspace) as code:
        every = definitions_named(code, text)
        found = [each for each in every if kind in (None, each.kind)]
        if every and not found:
            raise VfccError(f"no {kind} here is called {text}", hint=f"vfcc code find {text}")
        if not found:
            raise _not_found(code, text)
        return SymbolSearch(text, tuple(found[:limit]), len(found), code.notices)


def file_outline(workspace: Workspace, path: str) -> Outline:
    """Return what is in a file. Raises VfccError where the graph has no such file, or cannot read its language."""
    with open_code(workspace) as code:
        file = _file(code, path)
        definitions = code.head(file.path).definitions
        rows = tuple(
            OutlineRow(each.kind, each.name, each.line, each.end, len([*outwards(definitions, place)]), each.signature)
            for place, each in enumerate(definitions)
        )
        return Outline(
            path=file.path,
            language=file.language,
            lines=file.lines,
            marks=tuple(sorted(file.marks)),
            problem=file.problem,
            symbols=rows,
            imports=bind_queries.imports(code, file.path),
            notices=code.notices,
        )


def relations(workspace: Workspace, kind: str, text: str) -> Relations:
    """Return who refers to what: see `KINDS`. `text` is a symbol as `code find` takes it, or a file's path.

    Raises UsageError for another kind, VfccError where there is no such symbol or file.
    """
    if kind not in KINDS:
        raise UsageError(f"{kind!r} is no kind of reference", hint=f"one of {', '.join(KINDS)}")
    with open_code(workspace) as code:
        if kind in FILE_KINDS:
            file = _file(code, text)
            ask = bind_queries.imports if kind == "imports" else bind_queries.imported_by
            return Relations(kind, file.path, imports=ask(code, file.path), notices=code.notices)
        found = _asked_for(code, kind, text)
        keeps = kind == "callers" and any(len(code.referring(each.name.rpartition(".")[2])) >= HUB for each in found)
        with binding(code, keeps=keeps) as binder:
            symbols = tuple(SymbolRelations(each, _links(binder, kind, each)) for each in found[:MOST_SYMBOLS])
            return Relations(kind, text, symbols, more=len(found) - len(symbols), notices=code.notices)


def _links(binder: Binder, kind: str, each: LocatedDefinition) -> Sequence[ReferenceLink]:
    if kind == "inherits":
        return (
            *bind_queries.supertypes(binder, each.path, each.place),
            *bind_queries.subtypes(binder, each.path, each.place),
        )
    ask = {"callers": bind_queries.callers, "callees": bind_queries.callees, "uses": bind_queries.uses}[kind]
    return ask(binder, each.path, each.place)


def _asked_for(code: StoredCode, kind: str, text: str) -> Sequence[LocatedDefinition]:
    found = definitions_named(code, text)
    if not found:
        raise _not_found(code, text)
    if kind == "inherits":
        types = [each for each in found if each.kind in TYPES]
        if not types:
            raise VfccError(f"{found[0].name} is no type: it is a {found[0].kind}", hint=f"vfcc code refs {text}")
        return types
    return found


def _not_found(code: StoredCode, text: str) -> VfccError:
    """Say that there is no such symbol, and what is near."""
    last = text.replace("::", ".").rpartition(".")[2]
    near = nearest(last, code.names_like(last[:2])) if last else None
    hint = f"vfcc code find {near}" if near else "vfcc code status"
    return VfccError(f"nothing here is called {text}", hint=hint)


def _file(code: StoredCode, text: str) -> SourceFile:
    wanted = text.removeprefix("./")
    if wanted in code.files:
        return code.files[wanted]
    ends = [path for path in code.files if path.endswith(f"/{wanted}")]
    if len(ends) == 1:
        return code.files[ends[0]]
    if ends:
        listed = ", ".join(ends[:4])
        raise VfccError(f"{text} may be {len(ends)} files: {listed}{' …' if len(ends) > 4 else ''}")
    raise VfccError(f"{text} is no source file that the graph has", hint="vfcc code status")


# `KnowledgeGraph`: the questions to the code graph, for programs.


class KnowledgeGraph:
    """What is in the project's code, and who refers to what. Each question brings the graph up to the files first.

    >>> KnowledgeGraph(Path(".")).get_callers("Basket.put")  # doctest: +SKIP
    """

    def __init__(self, project_root: Path) -> None:
        self._workspace = open_workspace(project_root)

    def get_file_contents(self, path: str) -> Outline:
        """Return the classes and functions of a file, and its imports. Raises VfccError where there is no such file."""
        return file_outline(self._workspace, path)

    def get_callers(self, function: str) -> Relations:
        """Return what calls a function. Raises VfccError where there is none of that name."""
        return relations(self._workspace, "callers", function)

    def get_dependencies(self, file: str) -> Relations:
        """Return what a file imports. Raises VfccError where there is no such file."""
        return relations(self._workspace, "imports", file)

    def find_symbol(self, name: str) -> SymbolSearch:
        """Return where a name is defined, all places. Raises VfccError where it is nowhere."""
        return find_symbols(self._workspace, name)
