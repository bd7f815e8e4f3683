"""Checks of links: the target exists, the relation is allowed, no circle."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from verifflowcc.base.formats.trace_tests import TestNames
from verifflowcc.base.model.findings import FindingCollector
from verifflowcc.base.model.item_values import Link, Ref, Status
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_codes import TracePolicy
from verifflowcc.base.model.trace_values import CodeFile, TraceItem
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.glob import matches, select
from verifflowcc.trace.rules import check_steps as steps
from verifflowcc.trace.rules.check_steps import symbol_digest
from verifflowcc.trace.rules.trace_view import TestJoins, TraceView

# Circles in a graph, in time proportional to its size, however deep it is.

Edges = Mapping[str, Sequence[str]]


def circles(edges: Edges) -> tuple[tuple[str, ...], ...]:
    """Return one circle for each group of nodes that all lead to each other, sorted.

    A circle begins at the first node of its group by name and is one of the shortest through it; the first node is not
    repeated at the end. A node that leads to itself alone is no circle.

    >>> circles({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []})
    (('a', 'b', 'c'),)
    """
    left = _pruned(edges)
    return tuple(sorted(_shortest(min(group), group, edges) for group in _groups(left)))


def _pruned(edges: Edges) -> dict[str, list[str]]:
    """Return the graph without nodes that only lead into circles.

    In a sound project that removes nearly all of it.
    """
    into: dict[str, int] = {}
    for targets in edges.values():
        for target in targets:
            into[target] = into.get(target, 0) + 1
    free = [node for node in edges if node not in into]
    gone = set(free)
    while free:
        for target in edges.get(free.pop(), ()):
            into[target] -= 1
            if not into[target]:
                gone.add(target)
                free.append(target)
    return {
        node: [each for each in targets if each not in gone and each != node]
        for node, targets in edges.items()
        if node not in gone
    }


def _groups(edges: Edges) -> Iterator[frozenset[str]]:
    """Yield the strongly connected groups of two or more nodes.

    Tarjan's algorithm.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    held: list[str] = []
    on_hold: set[str] = set()
    for root in edges:
        if root in index:
            continue
        # A stack of its own: a long chain of items would exceed the recursion limit.
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        held.append(root)
        on_hold.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    held.append(target)
                    on_hold.add(target)
                    work.append((target, iter(edges.get(target, ()))))
                    break
                if target in on_hold:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = _taken(node, held)
                    on_hold -= group
                    if len(group) > 1:
                        yield group


def _taken(node: str, held: list[str]) -> frozenset[str]:
    group: list[str] = []
    while not group or group[-1] != node:
        group.append(held.pop())
    return frozenset(group)


def _shortest(start: str, group: Collection[str], edges: Edges) -> tuple[str, ...]:
    """Return a shortest way from `start` back to it within the group.

    Of several, the first by name at each step.
    """
    came: dict[str, str] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for target in sorted(edges.get(node, ())):
            if target == start and node != start:
                way = [node]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return tuple(reversed(way))
            if target in group and target not in came and target != start:
                came[target] = node
                queue.append(target)
    return (start,)


# Checks of files: each test, each changed file and each file of the product belongs to an item.

EMPTY = digest_text("")
_PYTHON_TESTS = lazy_pattern(r"test.*\.py|.*_test\.py")
"""Files that pytest, unittest and Django collect by default."""
SOURCE = frozenset(
    "c cc cpp cs cxx dart ex exs f90 fs go h hpp hs hxx java jl js jsx kt lua mjs php pl py pyx rb rs scala swift ts"
    " tsx vhd vue zig".split()
)
"""Endings of files that are asked for their item where the policy does not say which are the product's."""


def check_owners(view: TraceView, joins: TestJoins, tell: FindingCollector) -> None:
    """Tell of tests and files that belong to no item."""
    owned = _owned(view)
    _tests(view, joins, tell)
    tests = {path for path, file in view.code.items() if file.test}
    changed = [path for path in _product(view, view.sources.changed or ()) if path not in tests]
    tell.ask(("orphan-file",), len(changed))
    for path in changed:
        if not _belongs(path, owned):
            message = f"{path} changed in this sprint and belongs to no item"
            tell.place("orphan-file", path, 1, message, f"mark it with the id of its item, vfcc: ID, in {path}")
    asked = select(view.sources.files, view.policy.code) if view.policy.code else ()
    asked = tuple(path for path in asked if _is_product(path, tests, view))
    tell.ask(("untraced-code",), len(asked))
    for path in asked:
        if not _belongs(path, owned):
            message = f"{path} is a file of the product and belongs to no item"
            tell.place("untraced-code", path, 1, message, f"mark it with the id of its item, vfcc: ID, in {path}")


def _owned(view: TraceView) -> frozenset[str]:
    """Return the files and folders that some item has, by a mark or a ref."""
    by_id = view.by_id
    live = {name for name, item in by_id.items() if item.status is not Status.ARCHIVED}
    marked = {file.path for file in view.code.values() if any(name in live for mark in file.marks for name in mark.ids)}
    return frozenset(marked | {ref.path.removeprefix("./").rstrip("/") for item in view.live for ref in item.refs})


def _belongs(path: str, owned: frozenset[str]) -> bool:
    while path:
        if path in owned:
            return True
        path = path.rpartition("/")[0]
    return False


def _product(view: TraceView, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the existing paths of the product: by the policy, else by their ending."""
    there = [path for path in paths if path in view.sources.files and not path.startswith(".memory/")]
    if view.policy.code:
        return tuple(path for path in select(there, view.policy.code) if _is_product(path, (), view))
    return tuple(path for path in sorted(set(there)) if _ending(path) in SOURCE and _is_product(path, (), view))


def _is_product(path: str, tests: Iterable[str], view: TraceView) -> bool:
    """Whether a file is neither a test nor empty.

    Empty files only make a folder a package.
    """
    if path in tests or view.sources.files.get(path) == EMPTY:
        return False
    return not any(matches(path, pattern) for pattern in view.policy.tests)


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def _tests(view: TraceView, joins: TestJoins, tell: FindingCollector) -> None:
    """Tell of each file of tests how many of them belong to no item."""
    tests = _by_file(view, joins)
    tell.ask(("orphan-test",), len(tests))
    if not tell.on("orphan-test"):
        return
    names = TestNames(test for each in tests.values() for test in each)
    taken = {test for item in view.live for test in names.named(item.tests)}
    taken |= {test.test for each in joins.by_id.values() for test in each.verdicts}
    for path in sorted(tests):
        marked = _marked(view.code.get(path), view)
        orphans = [test for test in tests[path] if test not in taken and not _within(test, path, marked)]
        if orphans:
            count = f"{len(orphans)} of {len(tests[path])} tests" if len(tests[path]) > 1 else "the test"
            message = f"{count} in {path} belong{'' if len(tests[path]) > 1 else 's'} to no item: {_some(orphans)}"
            tell.place("orphan-test", path, 1, message, f"mark them with the ids that they test, vfcc: ID, in {path}")


def _by_file(view: TraceView, joins: TestJoins) -> Mapping[str, tuple[str, ...]]:
    """Return file → its tests: those with results, and symbols named like tests."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in view.code.values():
        for symbol in file.symbols if file.test else ():
            if _is_collected(file.path, symbol.name):
                found[file.path].add(f"{file.path}::{symbol.name}")
    for test in joins.verdicts:
        path, joint, _ = test.partition("::")
        if joint and path in view.code and view.code[path].test:
            found[path].add(test)
    return {path: tuple(sorted(each)) for path, each in found.items()}


def _is_collected(path: str, symbol: str) -> bool:
    """Whether a symbol is named like a test, so that a runner would collect it.

    In Python its file must be named so too, and only classes may be around it.

    pytest collects no other files by default, and never a function inside of a function. In Rust, tests are inside of
    modules, whose names are in lower case as well.
    """
    outer, _, name = symbol.rpartition(".")
    if not name.startswith("test_"):
        return False
    if not path.endswith(".py"):
        return True
    return bool(_PYTHON_TESTS.fullmatch(path.rpartition("/")[2])) and all(part[:1].isupper() for part in _parts(outer))


def _parts(dotted: str) -> list[str]:
    return dotted.split(".") if dotted else []


def _marked(file: CodeFile | None, view: TraceView) -> frozenset[str]:
    """Return the symbols of a file that are marked with an item; "" is the whole file."""
    marks = file.marks if file else ()
    return frozenset(mark.symbol for mark in marks if any(name in view.by_id for name in mark.ids))


def _within(test: str, path: str, marked: frozenset[str]) -> bool:
    """Whether a test, what encloses it, or its file is marked."""
    symbol = test[len(path) + 2 :].replace("::", ".")
    while symbol:
        if symbol in marked:
            return True
        symbol = symbol.rpartition(".")[0]
    return "" in marked


def _some(names: list[str]) -> str:
    shown = ", ".join(name.partition("::")[2] for name in names[:3])
    return f"{shown}, …" if len(names) > 3 else shown


# Checks of the code that items speak of: it is there, where they say, and as it was when somebody looked.


def check_refs(view: TraceView, tell: FindingCollector) -> None:
    """Report refs to missing or changed code; text found elsewhere counts as moved."""
    named = symbols = stamped = 0
    places = _CodePlaces(view)
    for item in view.live:
        for ref in item.refs:
            if "://" in ref.path:
                continue
            named += 1
            symbols += bool(ref.symbol)
            stamped += bool(ref.digest)
            _look(item, ref, places, tell)
    tell.ask(("file-gone",), named)
    tell.ask(("symbol-gone",), symbols)
    tell.ask(("code-edited", "code-moved"), stamped)


class _CodePlaces:
    """The places of code as it is now."""

    def __init__(self, view: TraceView) -> None:
        self.view = view

    @cached_property
    def folders(self) -> frozenset[str]:
        """All folders that hold a file of the project."""
        found: set[str] = set()
        for path in (*self.view.sources.files, *self.view.code):
            while path := path.rpartition("/")[0]:
                if path in found:
                    break
                found.add(path)
        return frozenset(found)

    @cached_property
    def of_symbols(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """Digest → the files and symbols that have it."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for file in self.view.code.values():
            for symbol in file.symbols:
                found[symbol.digest].append((file.path, symbol.name))
        return {digest: tuple(sorted(each)) for digest, each in found.items()}

    @cached_property
    def of_files(self) -> Mapping[str, tuple[str, ...]]:
        """Digest → the files that have it."""
        found: dict[str, list[str]] = defaultdict(list)
        files = {file.path: file.digest for file in self.view.code.values()} | dict(self.view.sources.files)
        for path, digest in files.items():
            found[digest].append(path)
        return {digest: tuple(sorted(each)) for digest, each in found.items()}

    def digest(self, ref: Ref) -> str | None:
        """The digest of what a ref names; None where it is not there."""
        path = _plain(ref.path)
        if ref.symbol:
            return symbol_digest(self.view, path, ref.symbol)
        file = self.view.code.get(path)
        return file.digest if file else self.view.sources.files.get(path)

    def has(self, path: str) -> bool:
        """Whether a file or a folder is there."""
        return path in self.view.code or path in self.view.sources.files or path in self.folders

    def elsewhere(self, ref: Ref) -> str | None:
        """Where the code of a ref is now, if one place has the digest that it had.

        Of several, one of the same name.
        """
        if not ref.digest:
            return None
        if not ref.symbol:
            paths = self.of_files.get(ref.digest, ())
            return _single(paths, [path for path in paths if _last(path, "/") == _last(ref.path, "/")])
        found = self.of_symbols.get(ref.digest, ())
        names = [f"{path}::{name}" for path, name in found]
        alike = [f"{path}::{name}" for path, name in found if _last(name, ".") == _last(ref.symbol, ".")]
        return _single(names, alike)


def _single(places: tuple[str, ...] | list[str], alike: list[str]) -> str | None:
    """Return the place, if there is only one, else the only one of the same name."""
    if len(places) == 1:
        return places[0]
    return alike[0] if len(alike) == 1 else None


def _look(item: TraceItem, ref: Ref, places: _CodePlaces, tell: FindingCollector) -> None:
    digest, path = places.digest(ref), _plain(ref.path)
    if digest is not None and (ref.digest is None or ref.digest == digest):
        return
    if digest is None and not ref.symbol and path in places.folders:
        return
    line, name = item.line("refs"), f"{path}::{ref.symbol}" if ref.symbol else path
    if digest is not None:
        message = f"{name} changed since the review of {item.id}, which refers to it"
        tell.item("code-edited", item, line, message, steps.review(item.id), name, [path])
        return
    now = places.elsewhere(ref)
    if now is not None:
        message = f"{name}, to which {item.id} refers, is now {now}"
        step = f"write {now} into the refs of {item.path}"
        tell.item("code-moved", item, line, message, step, name, [path, now.partition("::")[0]])
    elif ref.symbol and places.has(path):
        message = f"{item.id} refers to {ref.symbol} in {path}, which has no such symbol"
        tell.item("symbol-gone", item, line, message, steps.edit(item.path, line), name, [path])
    else:
        message = f"{item.id} refers to {path}, which does not exist"
        tell.item("file-gone", item, line, message, steps.edit(item.path, line), name, [path])


def _plain(path: str) -> str:
    return path.removeprefix("./").rstrip("/")


def _last(name: str, separator: str) -> str:
    return name.rpartition(separator)[2]


REFINES = "refines"
"""The relation that goes from a lower to a higher or the same level."""

_OF_LINKS = (
    *("dangling-link", "unknown-relation", "wrong-end", "self-link"),
    *("duplicate-link", "link-to-draft", "link-to-retired"),
)
_MOST_IN_A_CIRCLE = 8


def check_links(view: TraceView, tell: FindingCollector) -> None:
    """Tell what is wrong with the links of items that are not retired."""
    by_id, fine, relations = view.by_id, _sound(view.policy), view.policy.relations
    count = refining = 0
    active = Status.ACTIVE
    for item in view.live:
        links = item.links
        if not links:
            continue
        count += len(links)
        kind, own = item.type, item.id
        for link in links:
            relation = link.relation
            if relation == REFINES:
                refining += 1
            target = by_id.get(link.to)
            if target is None:
                _dangling(item, link, tell)
            elif link.to == own:
                _to_itself(item, link, tell)
            elif (relation, kind, target.type) not in fine:
                _ends(item, link, target, view.policy, tell)
            if relation not in relations:
                _unknown(item, link, view.policy, tell)
            if target is not None and target.status is not active and link.to != own:
                _target_status(item, link, target, view, tell)
        if len(links) > 1:
            _twice(item, tell)
    tell.ask(_OF_LINKS, count)
    tell.ask(("wrong-level",), refining)
    _circles(view, tell)


def _sound(policy: TracePolicy) -> frozenset[tuple[str, str, str]]:
    """Return all (relation, holder's type, target's type) that a policy allows."""
    return frozenset(
        (name, one, other)
        for name, rule in policy.relations.items()
        for one in rule.from_types
        for other in rule.to_types
        if not _leads_down(name, one, other, policy)
    )


def _leads_down(relation: str, one: str, other: str, policy: TracePolicy) -> bool:
    if relation != REFINES or one not in policy.types or other not in policy.types:
        return False
    here, there = policy.types[one].level, policy.types[other].level
    return here is not None and there is not None and there > here


def _dangling(item: TraceItem, link: Link, tell: FindingCollector) -> None:
    message = f"{item.id} {link.relation} {link.to}, and there is no such item"
    tell.item("dangling-link", item, link.line, message, steps.unlink(item.id, link.to), link.words)


def _to_itself(item: TraceItem, link: Link, tell: FindingCollector) -> None:
    message = f"{item.id} {link.relation} itself"
    tell.item("self-link", item, link.line, message, steps.unlink(item.id, link.to), link.relation)


def _unknown(item: TraceItem, link: Link, policy: TracePolicy, tell: FindingCollector) -> None:
    known = ", ".join(sorted(policy.relations)) or "(none)"
    message = f"{item.id} is linked to {link.to} by {link.relation}; relations are {known}"
    tell.item("unknown-relation", item, link.line, message, steps.edit(item.path, link.line), link.words)


def _ends(item: TraceItem, link: Link, target: TraceItem, policy: TracePolicy, tell: FindingCollector) -> None:
    """Report a relation that may not lead between two items of their types."""
    rule = policy.relations.get(link.relation)
    if rule is None or item.type not in policy.types or target.type not in policy.types:
        return
    if _leads_down(link.relation, item.type, target.type, policy):
        message = f"{item.id} refines {target.id}, but a {target.type} is below a {item.type}"
        step = f"turn the link round: {steps.unlink(item.id, target.id)}"
        tell.item("wrong-level", item, link.line, message, step, link.words, [target.path])
    else:
        ends = f"{' or '.join(rule.from_types) or 'nothing'} to {' or '.join(rule.to_types) or 'nothing'}"
        message = f"{item.id} ({item.type}) {link.relation} {target.id} ({target.type}), but {link.relation} is {ends}"
        step = steps.unlink(item.id, target.id)
        tell.item("wrong-end", item, link.line, message, step, link.words, [target.path])


def _target_status(item: TraceItem, link: Link, target: TraceItem, view: TraceView, tell: FindingCollector) -> None:
    if target.status is Status.ARCHIVED:
        message = f"{item.id} {link.relation} {target.id}, which is retired"
        step = steps.unlink(item.id, target.id)
        tell.item("link-to-retired", item, link.line, message, step, link.words, [target.path])
    elif item.status is Status.ACTIVE and link.relation in view.upward:
        message = f"{item.id} {link.relation} {target.id}, which is still a draft"
        step = f"agree on it and set status: active in {target.path}"
        tell.item("link-to-draft", item, link.line, message, step, link.words, [target.path])


def _twice(item: TraceItem, tell: FindingCollector) -> None:
    pairs = {(link.to, link.relation) for link in item.links}
    if len(pairs) == len(item.links):
        return
    for link in item.links:
        if (link.to, link.relation) in pairs:
            pairs.discard((link.to, link.relation))
        else:
            message = f"{item.id} says more than once that it {link.relation} {link.to}"
            tell.item("duplicate-link", item, link.line, message, steps.edit(item.path, link.line), link.words)


def _circles(view: TraceView, tell: FindingCollector) -> None:
    tell.ask(("link-cycle",), len(view.live))
    for circle in circles(view.above):
        first = view.by_id[circle[0]]
        shown = circle if len(circle) <= _MOST_IN_A_CIRCLE else (*circle[: _MOST_IN_A_CIRCLE - 1], "…")
        count = f" ({len(circle)} items)" if len(circle) > _MOST_IN_A_CIRCLE else ""
        message = f"links lead round in a circle: {' → '.join((*shown, circle[0]))}{count}"
        line = next((link.line for link in first.links if link.to == circle[1]), 1)
        also = [view.by_id[name].path for name in circle[1:]]
        tell.item("link-cycle", first, line, message, steps.unlink(first.id, circle[1]), also=also)
