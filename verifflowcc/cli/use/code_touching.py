"""What a change of a file or a symbol touches: the trace, the tests, the memories, and the code around it."""

from collections.abc import Callable, Iterator, Sequence

from verifflowcc.base.errors import VfccError
from verifflowcc.base.model.config_values import MOST_SYMBOLS, code_path
from verifflowcc.base.model.item_values import Item, is_trace_type
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.bind_queries import callers, definitions_named, imported_by
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.code_context import choose
from verifflowcc.code.rules.code_views import CodeContext, CodeImpact, CodeMap, TouchedItem
from verifflowcc.code.rules.graph import CALLABLE, FILE, TYPES, LocatedDefinition, ReferenceLink
from verifflowcc.code.rules.repository_map import map_of
from verifflowcc.code.rules.snippets import rendered
from verifflowcc.code.store.code_graph import StoredCode
from verifflowcc.code.use.code_offers import graph_kept
from verifflowcc.code.use.indexing import open_code
from verifflowcc.history.use.prompt_record import project_counter

# The code for a task, and a map of the repository, within a number of tokens.


def show_context(workspace: Workspace, task: str, budget_tokens: int, *, unmarked: bool = False) -> CodeContext:
    """Return the code that bears on a task. With `unmarked`, tests and vendored files count as the others do.

    Secrets are withheld. Raises as `bring_up`, and ConfigError for settings of the counter that do not hold.
    """
    with open_code(workspace) as code, project_counter(workspace) as counter:
        chosen = choose(task, code, budget_tokens, counter.count, graph_kept(workspace, code), unmarked=unmarked)
        snippets = tuple(replace(each, text=withhold(each.text)) for each in chosen.filled.snippets)
        text = rendered(snippets)
        while (tokens := counter.count(text)) > budget_tokens:
            snippets = snippets[:-1]  # the parts together take a few more tokens than they do apart
            text = rendered(snippets)
        return CodeContext(
            task=withhold(task),
            budget_tokens=budget_tokens,
            tokens=tokens,
            text=text,
            snippets=snippets,
            files=chosen.files,
            not_shown=chosen.filled.not_shown,
            counter=counter.name,
            notices=code.notices,
        )


def show_map(workspace: Workspace, budget_tokens: int) -> CodeMap:
    """Return an overview of the repository, the same for the same files. Raises as `show_context`."""
    with open_code(workspace) as code, project_counter(workspace) as counter:
        count: Callable[[str], int] = counter.count
        mapped = map_of(code, graph_kept(workspace, code), budget_tokens, lambda text: count(withhold(text)))
        return CodeMap(
            budget_tokens,
            mapped.tokens,
            withhold(mapped.text),
            mapped.files,
            len(code.files),
            mapped.symbols,
            counter.name,
            code.notices,
        )


@dataclass(frozen=True, slots=True)
class _SymbolPlace:
    """A file, and the qualified name of a symbol in it; empty for all of it."""

    path: str
    symbol: str

    def touches(self, path: str, symbol: str) -> bool:
        """Return whether a change here touches that place: the same, inside or around it."""
        if path != self.path:
            return self.path.startswith(f"{path}/")
        return not symbol or not self.symbol or _within(symbol, self.symbol) or _within(self.symbol, symbol)


def code_impact(workspace: Workspace, text: str) -> CodeImpact:
    """Return what a change touches: `text` is a file's path, or a symbol as `code find` takes it.

    Raises VfccError where there is nothing of that name, and what reading the trace and the memory does.
    """
    with open_code(workspace) as code:
        path = code_path(text)
        whole = path if path is not None and (workspace.root / path).is_file() else None
        found = () if whole else definitions_named(code, text)
        if not whole and not found:
            raise VfccError(f"{text} is neither a file here nor a symbol", hint=f"vfcc code find {text}")
        places = (
            [_SymbolPlace(whole, "")]
            if whole
            else [_SymbolPlace(each.path, each.name) for each in found[:MOST_SYMBOLS]]
        )
        binder = Binder(code)
        links = _callers_of_file(binder, code, whole) if whole else _callers_of(binder, found[:MOST_SYMBOLS])
        importing = imported_by(code, whole) if whole else ()
        notices = code.notices
    items, tests, more = _traced(workspace, places)
    memories, memory_notices = _remembered(workspace, places)
    return CodeImpact(
        asked=text,
        symbols=tuple(found[:MOST_SYMBOLS]),
        items=items,
        tests=tests,
        memories=memories,
        callers=links,
        imported_by=importing,
        notices=(*notices, *more, *memory_notices),
    )


def _callers_of(binder: Binder, found: Sequence[LocatedDefinition]) -> tuple[ReferenceLink, ...]:
    return tuple(link for each in found for link in callers(binder, each.path, each.place))


def _callers_of_file(binder: Binder, code: StoredCode, path: str) -> tuple[ReferenceLink, ...]:
    """The calls from other files of what a file defines for others."""
    if path not in code.files:
        return ()
    definitions = code.head(path).definitions
    links: list[ReferenceLink] = []
    for place, each in enumerate(definitions):
        outer = each.parent == FILE or definitions[each.parent].kind in TYPES
        if each.kind in CALLABLE | TYPES and outer:
            links += [link for link in callers(binder, path, place) if link.path != path]
    return tuple(sorted(dict.fromkeys(links), key=lambda link: (-link.confidence, link.path, link.line)))


def _traced(
    workspace: Workspace, places: Sequence[_SymbolPlace]
) -> tuple[tuple[TouchedItem, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the items of the trace whose code is touched, with those above; the tests of all, or in the files."""
    from verifflowcc.trace.rules.answers import above, all_tests_of, implementers
    from verifflowcc.trace.rules.trace_view import TraceView
    from verifflowcc.trace.use.trace_sources import read_sources

    read = read_sources(workspace)
    view = TraceView(read.sources, read.policy)
    found: dict[str, TouchedItem] = {}
    tests: set[str] = set()
    for item in view.live:
        for place in implementers(view, item):
            if any(each.touches(place.path, place.symbol) for each in places):
                where = f"{place.path}{f'::{place.symbol}' if place.symbol else ''}"
                why = "its refs name it" if place.by == "ref" else f"marked in line {place.line}"
                found.setdefault(item.id, TouchedItem(item.id, item.type, withhold(item.title), item.path, where, why))
        for test in all_tests_of(view, item):
            name = test.test.partition("::")[2].replace("::", ".")
            if test.path and any(each.touches(test.path, name) for each in places):
                tests.add(test.test)
                found.setdefault(
                    item.id,
                    TouchedItem(item.id, item.type, withhold(item.title), item.path, test.test, "this is a test of it"),
                )
    for name in list(found):
        item = view.by_id[name]
        tests |= {test.test for test in all_tests_of(view, item)}
        for reached in above(view, item):
            up = view.by_id[reached.id]
            found.setdefault(up.id, TouchedItem(up.id, up.type, withhold(up.title), up.path, "", f"above {item.id}"))
    items = sorted(found.values(), key=lambda each: (each.why.startswith("above"), each.id))
    return tuple(items), tuple(sorted(tests)), read.notices


def _remembered(
    workspace: Workspace, places: Sequence[_SymbolPlace]
) -> tuple[tuple[TouchedItem, ...], tuple[str, ...]]:
    """Return the memories that speak of the code, of the project and what is open in it."""
    from verifflowcc.memory.use.memory_listing import rows_of
    from verifflowcc.memory.use.scopes import scopes_recalled

    found: list[TouchedItem] = []
    notices: list[str] = []
    for scope in scopes_recalled(workspace):
        rows, problems = rows_of(workspace, scope)
        notices += problems
        for row in rows:
            found += _speaking(row.item, places) if not is_trace_type(row.item.type) else ()
    return tuple(sorted(found, key=lambda each: (each.path, each.place))), tuple(notices)


def _speaking(item: Item, places: Sequence[_SymbolPlace]) -> Iterator[TouchedItem]:
    for ref in item.refs:
        path = code_path(ref.path)
        if path is not None and any(each.touches(path, ref.symbol or "") for each in places):
            where = f"{path}{f'::{ref.symbol}' if ref.symbol else ''}"
            yield TouchedItem(item.id, item.type, withhold(item.title), item.path, where, "speaks of it")
            return


def _within(name: str, other: str) -> bool:
    return name == other or name.startswith(f"{other}.")
