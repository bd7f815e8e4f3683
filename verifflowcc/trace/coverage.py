"""Checks of coverage between items: each has a parent, says why it is there, and is answered as its type needs."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence

from verifflowcc.domain.items import Status
from verifflowcc.domain.trace import TraceItem
from verifflowcc.domain.trace_codes import Need
from verifflowcc.text.article import with_article
from verifflowcc.trace import steps
from verifflowcc.trace.standing import code_paths
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import NONE, VERIFIES, Joins, TraceView

COMPONENT, INTERFACE = "component", "interface"
_DEEP = frozenset({"missing-child", "not-verified"})


def check_parents(view: TraceView, tell: Telling) -> None:
    """Tell of items that stand on nothing. Planned ones are asked, too: they are agreed, so it is known what for."""
    verifies = view.policy.relations.get(VERIFIES)
    tests = frozenset(verifies.from_types) if verifies else frozenset()
    roots = {name for name, rule in view.policy.types.items() if rule.root}
    above, known = view.above, view.policy.types
    counts = {"no-parent": 0, "orphan-test": 0, "orphan-component": 0}
    derived = 0
    for item in view.live:
        if item.derived:
            derived += 1
            if not item.rationale.strip():
                message = f"{item.id} is derived and does not say why it is there"
                step = f"add a section ## Rationale to {item.path}"
                tell.item("derived-without-rationale", item, item.line("derived"), message, step)
        kind = item.type
        if kind in roots or kind not in known:
            continue
        code = "orphan-test" if kind in tests else "orphan-component" if kind == COMPONENT else "no-parent"
        counts[code] += 1
        if item.id not in above and not (item.derived and kind not in tests):
            tell.item(code, item, 1, _ORPHAN[code].format(id=item.id, kind=kind), steps.link(item.id))
    tell.ask(("derived-without-rationale",), derived)
    for code, count in counts.items():
        tell.ask((code,), count)


_ORPHAN = {
    "no-parent": "{id}, a {kind}, has no parent and is not derived",
    "orphan-test": "{id}, a {kind}, verifies nothing",
    "orphan-component": "{id} answers no requirement and is not derived",
}


def check_children(view: TraceView, joins: Joins, tell: Telling) -> None:
    """Tell of items that nothing below answers as their type needs, need by need."""
    for need in view.policy.needs:
        types = frozenset(need.of)
        asked = passed_over = 0
        answers = _answers(view, need) if tell.on("missing-child") else {}
        for item in view.live:
            if item.type not in types:
                continue
            if item.planned is not None:
                passed_over += 1
                continue
            asked += 1
            count = answers.get(item.id, 0)
            if need.code and count < need.at_least:
                count += len(code_paths(view, item))
            if count < need.at_least and not (need.or_tests and joins.by_id.get(item.id, NONE).any):
                message = f"{item.id} lacks {_wanted(need, count)}"
                tell.item("missing-child", item, 1, message, _to_answer(item, need), need.id)
        tell.ask(("missing-child",), asked, passed_over)


def _answers(view: TraceView, need: Need) -> Mapping[str, int]:
    """Return id → how many items answer it as one need asks; planned ones are answers, too."""
    relations, types = frozenset(need.by), frozenset(need.from_types)
    found: dict[str, int] = {}
    last: dict[str, str] = {}
    for item, link, target in view.ties:
        if link.relation in relations and item.type in types and last.get(target.id) != item.id:
            last[target.id] = item.id
            found[target.id] = found.get(target.id, 0) + 1
    return found


def _wanted(need: Need, count: int) -> str:
    ways = []
    if need.from_types and need.by:
        kinds = _either(need.from_types)
        ways.append(f"{kinds if need.at_least > 1 else with_article(kinds)} that {_either(need.by)} it")
    if need.code:
        ways.append("code with its mark")
    if need.or_tests:
        ways.append("a test that names it")
    title = f"{need.title}: " if need.title else ""
    times = f"{need.at_least} × " if need.at_least > 1 else ""
    found = f", and has {count}" if count else ""
    return f"{title}{times}{', or '.join(ways) or 'what nothing can give'}{found}"


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _to_answer(item: TraceItem, need: Need) -> str:
    if need.from_types and need.by:
        return steps.add_below(need.from_types[0], item.id, need.by[0])
    return f"mark the code with vfcc: {item.id}" if need.code else steps.why(item.id)


def check_interfaces(view: TraceView, tell: Telling) -> None:
    """Tell of interfaces that do not join two components: by a link either way, or by the units that implement them."""
    if INTERFACE not in view.policy.types or COMPONENT not in view.policy.types:
        return
    interfaces = {item.id: item for item in view.live if item.type == INTERFACE}
    ends: dict[str, set[str]] = {name: set() for name in interfaces}
    for item, link, target in view.ties:
        if item.type == INTERFACE and target.type == COMPONENT and target.status is not Status.ARCHIVED:
            ends[item.id].add(target.id)
        elif target.id in ends and item.type == COMPONENT:
            ends[target.id].add(item.id)
        elif target.id in ends and item.type != INTERFACE and link.relation != VERIFIES:
            above = view.above.get(item.id, ())
            ends[target.id].update(name for name in above if view.by_id[name].type == COMPONENT)
    built = [item for item in interfaces.values() if item.planned is None]
    tell.ask(("one-ended-interface",), len(built), len(interfaces) - len(built))
    for item in built:
        if len(ends[item.id]) < 2:
            joins = f"joins only {next(iter(ends[item.id]))}" if ends[item.id] else "joins no component"
            tell.item("one-ended-interface", item, 1, f"{item.id} {joins}", steps.link(item.id))


def check_depth(view: TraceView, tell: Telling) -> None:
    """Tell of items that are answered themselves while something below them is not; of several, the nearest is named.

    What was told of coverage before is what counts as not answered, so that a check which is off says nothing here.
    """
    planned = {item.id for item in view.live if item.planned is not None}
    tell.ask(("deep-coverage",), len(view.live) - len(planned), len(planned))
    if not tell.on("deep-coverage"):
        return
    bare = {each.item for each in tell.found if each.code in _DEEP}
    for name, cause in nearest_above(view, bare).items():
        if name not in bare and name not in planned:
            item, below = view.by_id[name], view.by_id[cause]
            message = f"{name} is answered, but {cause} below it is not"
            tell.item("deep-coverage", item, 1, message, steps.why(cause), also=[below.path])


def nearest_above(view: TraceView, ids: Collection[str]) -> Mapping[str, str]:
    """Return each live item above some of these → the nearest of them below it; of several, the first by id."""
    cause: dict[str, str] = {}
    for name, below in ways_up(view, sorted(ids)).items():
        cause[name] = cause.get(below, below)
    return cause


def ways_up(view: TraceView, ids: Iterable[str]) -> Mapping[str, str]:
    """Return each live item above some of these → the next item on a shortest way down to one, nearest first."""
    start = [name for name in ids if name in view.by_id]
    queue, seen, down = deque(start), set(start), dict[str, str]()
    direct: dict[str, str] = {}
    while queue:
        name = queue.popleft()
        for parent in view.above.get(name, ()):
            if parent not in seen:
                seen.add(parent)
                down[parent] = name
                queue.append(parent)
            elif parent not in down:
                direct.setdefault(parent, name)
    return down | {name: below for name, below in direct.items() if name not in down}
