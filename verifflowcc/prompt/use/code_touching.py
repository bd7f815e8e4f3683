"""What a change of a file, a symbol or a diff reaches: code, tests, trace items, memories and owners."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.errors import UsageError, VfccError
from verifflowcc.base.files.layout import Stamps
from verifflowcc.base.git.git_command import asked_once
from verifflowcc.base.model.config_values import MOST_SYMBOLS, code_path
from verifflowcc.base.model.item_values import Item, is_trace_type
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.affected_tests import FORMATS, commands_for, reached_tests
from verifflowcc.code.rules.bind_queries import callers, definitions_named, found_at, imported_by
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.changed_code import ChangedCode, Reach, changed_places, reach_of
from verifflowcc.code.rules.code_views import CodeContext, CodeImpact, CodeMap, CodeOwner, ReachedCode, TouchedItem
from verifflowcc.code.rules.graph import FILE, TYPES, Dependency, LocatedDefinition, Mark, ReferenceLink, qualified
from verifflowcc.code.store.code_graph import StoredCode
from verifflowcc.code.use.indexing import binding, open_code

if TYPE_CHECKING:
    from verifflowcc.trace.rules.trace_view import TraceView

# The code for a task, and a map of the repository, within a number of tokens.


def show_context(workspace: Workspace, task: str, budget_tokens: int, *, unmarked: bool = False) -> CodeContext:
    """Return the code that bears on a task. With `unmarked`, tests and vendored files count as the others do.

    Secrets are withheld. Raises as `bring_up`, and ConfigError for settings of the counter that do not hold.
    """
    from verifflowcc.base.git.git_versions import earlier_commits
    from verifflowcc.code.rules.code_context import choose
    from verifflowcc.code.rules.snippets import rendered
    from verifflowcc.code.use.code_offers import graph_kept
    from verifflowcc.history.use.prompt_record import project_counter

    with open_code(workspace) as code, project_counter(workspace) as counter:
        graph, commits = graph_kept(workspace, code), earlier_commits(workspace.root)
        chosen = choose(task, code, budget_tokens, counter.count, graph, unmarked=unmarked, commits=commits)
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
    from verifflowcc.code.rules.repository_map import map_of
    from verifflowcc.code.use.code_offers import graph_kept
    from verifflowcc.history.use.prompt_record import project_counter

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


def code_impact(workspace: Workspace, text: str, *, runner: str | None = None) -> CodeImpact:
    """Return what a change touches: `text` is a file's path, or a symbol as `code find` takes it.

    `runner` is one of `FORMATS`, for which the commands are written. Raises VfccError where there is nothing of that
    name, UsageError for another runner, and what reading the trace and the memory does.
    """
    _check_runner(runner)
    stamps = Stamps(workspace.root)
    # the code and the trace are of one listing of the files
    with asked_once(), open_code(workspace, ordinary=stamps.ordinary) as code:
        path = code_path(text)
        whole = path if path is not None and (workspace.root / path).is_file() else None
        found = () if whole else definitions_named(code, text)
        if not whole and not found:
            raise VfccError(f"{text} is neither a file here nor a symbol", hint=f"vfcc code find {text}")
        symbols = found[:MOST_SYMBOLS]
        changed = _of_file(code, whole) if whole else [(each.path, each.place) for each in symbols]
        places = [_SymbolPlace(whole, "")] if whole else [_SymbolPlace(each.path, each.name) for each in symbols]
        imports = imported_by(code, whole) if whole else ()
        return _impact_of(workspace, code, _Change(text, symbols, changed, places, stamps, imports), runner)


def diff_impact(workspace: Workspace, base: str | None = None, *, runner: str | None = None) -> CodeImpact:
    """Return what the changes since this branch left `base` touch, uncommitted ones too.

    Without a base: since the branch left the default one. Raises as `code_impact`, UsageError where git has no such
    commit, and WorkspaceError outside of git.
    """
    from verifflowcc.base.git.git_patches import committed_diff, left_at, parted_from, uncommitted_diff
    from verifflowcc.base.git.git_protected import head_commit

    _check_runner(runner)
    root = workspace.root
    head = head_commit(root)
    if head is None:
        raise UsageError("there is no commit here to compare with", hint="vfcc code impact SYMBOL")
    start = left_at(root, base) if base else parted_from(root, head, None)
    since = start or head
    committed = committed_diff(root, since, head) if since != head else ()
    diffs = [ChangedCode("committed", committed), ChangedCode("uncommitted", uncommitted_diff(root))]
    stamps = Stamps(workspace.root)
    with open_code(workspace, ordinary=stamps.ordinary) as code:
        changed = changed_places(diffs, code)
        symbols = tuple([found_at(code, *each) for each in changed if each[1] != FILE])
        inside = {each.path for each in symbols}
        paths = sorted({each.path for diff in diffs for each in diff.files})
        places = [_SymbolPlace(each.path, each.name) for each in symbols]
        places += [_SymbolPlace(path, "") for path in paths if path not in inside]
        return _impact_of(
            workspace, code, _Change(f"the diff since {since[:12]}", symbols, changed, places, stamps), runner
        )


@dataclass(frozen=True, slots=True)
class _Change:
    """What is changed: `changed` by file and place, `places` as items name it; `stamps` are those of the files."""

    asked: str
    symbols: Sequence[LocatedDefinition]
    changed: Sequence[tuple[str, int]]
    places: Sequence[_SymbolPlace]
    stamps: Stamps
    imports: tuple[Dependency, ...] = ()


def _impact_of(workspace: Workspace, code: StoredCode, change: _Change, runner: str | None) -> CodeImpact:
    with binding(code) as binder:
        reach = reach_of(binder, change.changed)
        code.heads(sorted({each.path for each in reach.found}))
        items, traced, more = _traced(workspace, change.places, change.stamps)
        memories, problems = _remembered(workspace, change.places)
        tests = reached_tests(binder, code, change.changed, reach, traced)
        return CodeImpact(
            question=change.asked,
            symbols=tuple(change.symbols),
            callers=_direct(binder, code, change.changed),
            reached=_reached_code(code, reach),
            tests=tuple(each.id for each in tests),
            affected_tests=tests,
            commands=commands_for(tests, runner),
            items=items,
            memories=memories,
            owners=_owners(workspace.root, sorted({each.path for each in change.places})),
            imported_by=change.imports,
            whole=reach.whole,
            followed_in_part=reach.partly,
            notices=(*code.notices, *more, *problems),
        )


def _check_runner(runner: str | None) -> None:
    if runner is not None and runner not in FORMATS:
        raise UsageError(f"{runner!r} is no format of test commands", hint=f"one of {', '.join(FORMATS)}")


def _of_file(code: StoredCode, path: str) -> list[tuple[str, int]]:
    """Return what a file defines for others; its tests, where it is a file of tests."""
    definitions = code.head(path).definitions if path in code.files else ()
    return [
        (path, place)
        for place, each in enumerate(definitions)
        if each.parent == FILE or definitions[each.parent].kind in TYPES
    ]


def _direct(binder: Binder, code: StoredCode, changed: Sequence[tuple[str, int]]) -> tuple[ReferenceLink, ...]:
    """Return the calls of what is changed from elsewhere: product code before tests, surest first."""
    inside = set(changed)
    links: dict[ReferenceLink, None] = {}
    for path, place in changed:
        if place != FILE:
            links |= dict.fromkeys(callers(binder, path, place))
    outer = [each for each in links if (each.path, each.symbol_number) not in inside or len(inside) == 1]
    return tuple(sorted(outer, key=lambda each: (_is_test(code, each.path), -each.confidence, each.path, each.line)))


def _reached_code(code: StoredCode, reach: Reach) -> tuple[ReachedCode, ...]:
    found: dict[tuple[str, int], ReachedCode] = {}
    for each in reach.found:
        if not _is_test(code, each.path):
            name = qualified(code.head(each.path).definitions, each.place)
            path, place = each.through
            inner = qualified(code.head(path).definitions, place)
            through = f"{path}::{inner}" if inner else path
            row = ReachedCode(each.path, each.line, name, each.distance, each.confidence, through)
            found.setdefault((each.path, each.place), row)
    return tuple(found.values())


def _is_test(code: StoredCode, path: str) -> bool:
    return path in code.files and Mark.TEST in code.files[path].marks


OWNERS_FILES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where the file may be; the first one counts."""


def _owners(root: Path, paths: Sequence[str]) -> tuple[CodeOwner, ...]:
    """Return who owns each path that a rule of the CODEOWNERS file matches."""
    for place in filter(lambda each: (root / each).is_file(), OWNERS_FILES):
        from verifflowcc.base.files.text_files import small_text
        from verifflowcc.code.rules.code_owners import owner_rules, owning_rule

        if text := small_text(root / place):
            rules = owner_rules(text)
            found = [(path, owning_rule(rules, path)) for path in paths]
            return tuple(
                CodeOwner(path, tuple(map(withhold, rule.owners)), place, rule.line)
                for path, rule in found
                if rule is not None and rule.owners
            )
    return ()


def _traced(
    workspace: Workspace, places: Sequence[_SymbolPlace], stamps: Stamps
) -> tuple[tuple[TouchedItem, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the items of the trace whose code is touched, with those above; the tests of all, or in the files."""
    if not any((workspace.memory / "project" / "items").rglob("*.md")):
        return (), (), ()
    from verifflowcc.trace.rules.answers import above, all_tests_of, implementers

    view, notices = _view_of_code(workspace, stamps)
    found: dict[str, TouchedItem] = {}
    tests: set[str] = set()
    for item in view.live:
        for place in implementers(view, item):
            if any(each.touches(place.path, place.symbol) for each in places):
                where = f"{place.path}{f'::{place.symbol}' if place.symbol else ''}"
                why = "its refs name it" if place.source == "ref" else f"marked in line {place.line}"
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
    return tuple(items), tuple(sorted(tests)), notices


def _view_of_code(workspace: Workspace, stamps: Stamps) -> "tuple[TraceView, tuple[str, ...]]":
    """Return the trace with the code and the tests that items name or that name them, and notices.

    The items are no more than outlines; neither git nor the course of sprints is asked. `stamps` take those of ordinary
    files, as `project_content` says. Raises as `read_sources` does.
    """
    from verifflowcc.base.files.project_content import project_content
    from verifflowcc.base.model.trace_values import TraceSources
    from verifflowcc.items.store.item_walk import walk_memory
    from verifflowcc.sprint.use.configuration import effective_config
    from verifflowcc.sprint.use.pinned_workflow import policy_of
    from verifflowcc.trace.rules.trace_view import TraceView
    from verifflowcc.trace.store.trace_cache import TraceIndex
    from verifflowcc.trace.use.trace_code import (
        INDEX,
        code_and_results,
        garbage_collection_paused,
        read_known,
        read_outlines,
        read_walked,
        report_paths,
    )

    config, policy = effective_config(workspace).config, policy_of(workspace)
    content = project_content(workspace.root, workspace.local, stamps)
    reports = [str(path) for path in report_paths(workspace, config, ())]
    with garbage_collection_paused(), TraceIndex(workspace.local / INDEX) as index:
        asked = (workspace, walk_memory(workspace.root), policy, index)
        read = read_outlines(*asked) or read_known(*asked) or read_walked(*asked)
        code, results, _ = code_and_results(workspace, read, policy, config, content, reports)
        sources = TraceSources(read.items, workspace.today(), read.unreadable, code, content, results)
        return TraceView(sources, policy), index.notices


def _remembered(
    workspace: Workspace, places: Sequence[_SymbolPlace]
) -> tuple[tuple[TouchedItem, ...], tuple[str, ...]]:
    """Return the memories that speak of the code, of the project and what is open in it."""
    from verifflowcc.memory.use.scopes import scopes_recalled

    found: list[TouchedItem] = []
    notices: list[str] = []
    for scope in scopes_recalled(workspace):
        items, problems = _items_with_refs(workspace, scope)
        notices += problems
        for item in items:
            found += _speaking(item, places) if not is_trace_type(item.type) else ()
    return tuple(sorted(found, key=lambda each: (each.path, each.place))), tuple(notices)


def _items_with_refs(workspace: Workspace, scope: str) -> tuple[list[Item], tuple[str, ...]]:
    """Return the items of a scope that speak of code, and sentences on files and summaries of it that are not sound."""
    from verifflowcc.memory.use.stores import open_store

    with open_store(workspace, scope) as store:
        found, problems = store.referring(), store.problems
        every = store.items() if any(each.archived and each.archived.into for each in found) else ()
    referring = [each for each in found if each.refs]
    if not every:
        return referring, tuple(problems)
    from verifflowcc.memory.rules.superseded import stale_summaries, superseded

    stale = stale_summaries(every, superseded(every).found)
    return referring, (*problems, *(each.notice for each in stale))


def _speaking(item: Item, places: Sequence[_SymbolPlace]) -> Iterator[TouchedItem]:
    for ref in item.refs:
        path = code_path(ref.path)
        if path is not None and any(each.touches(path, ref.symbol or "") for each in places):
            where = f"{path}{f'::{ref.symbol}' if ref.symbol else ''}"
            yield TouchedItem(item.id, item.type, withhold(item.title), item.path, where, "speaks of it")
            return


def _within(name: str, other: str) -> bool:
    return name == other or name.startswith(f"{other}.")
