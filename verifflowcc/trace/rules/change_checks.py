"""Checks of change: items and links that changed since a review, or have none."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from verifflowcc.base.model.findings import FindingCollector
from verifflowcc.base.model.item_values import Link, Stamp, Status
from verifflowcc.base.model.trace_codes import Need
from verifflowcc.base.model.trace_values import CriterionState, Results, TraceItem
from verifflowcc.base.text.plain_words import either, with_article
from verifflowcc.trace.rules import check_steps as steps
from verifflowcc.trace.rules.check_steps import pointed_content
from verifflowcc.trace.rules.fingerprint import StampParts, read_stamp, stamp_of_item, stamp_of_link
from verifflowcc.trace.rules.item_state import code_paths
from verifflowcc.trace.rules.trace_view import NONE, VERIFIES, TestJoins, TraceView

# Checks of coverage between items: each has a parent, says why it is there, and is answered as its type needs.

COMPONENT, INTERFACE = "component", "interface"
_DEEP = frozenset({"missing-child", "not-verified"})


def check_parents(view: TraceView, tell: FindingCollector) -> None:
    """Report items without a parent.

    Planned ones are examined too: they are agreed, so their reason is known.
    """
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


def check_children(view: TraceView, joins: TestJoins, tell: FindingCollector) -> None:
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
    """Return id → the number of items that meet one need of it, planned ones included."""
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
        kinds = either(need.from_types)
        ways.append(f"{kinds if need.at_least > 1 else with_article(kinds)} that {either(need.by)} it")
    if need.code:
        ways.append("code with its mark")
    if need.or_tests:
        ways.append("a test that names it")
    title = f"{need.title}: " if need.title else ""
    times = f"{need.at_least} × " if need.at_least > 1 else ""
    found = f", and has {count}" if count else ""
    return f"{title}{times}{', or '.join(ways) or 'what nothing can give'}{found}"


def _to_answer(item: TraceItem, need: Need) -> str:
    if need.from_types and need.by:
        return steps.add_below(need.from_types[0], item.id, need.by[0])
    return f"mark the code with vfcc: {item.id}" if need.code else steps.why(item.id)


def check_interfaces(view: TraceView, tell: FindingCollector) -> None:
    """Report interfaces that do not join two components.

    They join by a link either way, or by the units that implement them.
    """
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


def check_depth(view: TraceView, tell: FindingCollector) -> None:
    """Report answered items with something unanswered below; the nearest is named.

    Unanswered items are those with earlier findings on coverage, so a check that is off has no effect here.
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
    """Return each live item above some of these → the nearest of them below it.

    Of several, the first by id.
    """
    cause: dict[str, str] = {}
    for name, below in ways_up(view, sorted(ids)).items():
        cause[name] = cause.get(below, below)
    return cause


def ways_up(view: TraceView, ids: Iterable[str]) -> Mapping[str, str]:
    """Return each live item above some of these → the next item on the way down.

    The way is a shortest one; the nearest items come first.
    """
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


# Checks of what shows an item beside tests: criteria of gates that are met, and words of people that still hold.

Criteria = Mapping[str, list[CriterionState]]


def check_evidence(view: TraceView, tell: FindingCollector) -> None:
    """Report unmet criteria that items name, and verifications that are out of date."""
    criteria = _criteria(view.sources.results)
    named = words = planned_named = planned_words = 0
    for item in view.live:
        word = item.verified if item.verified is not None and item.verified.method == item.verification else None
        if item.planned is not None:
            planned_named += bool(item.evidence)
            planned_words += word is not None
            continue
        named += bool(item.evidence)
        for name in item.evidence:
            _criterion(item, name, criteria, view.sources.results, tell)
        if word is not None:
            words += 1
            _word(view, item, tell)
    tell.ask(("no-result", "untrusted-result"), named, planned_named)
    tell.ask(("stale-result",), words, planned_words)


def _criteria(results: Results) -> Criteria:
    """Return the criteria by their names, with their stage and without."""
    found: dict[str, list[CriterionState]] = defaultdict(list)
    for each in sorted(results.criteria, key=lambda one: (one.name, one.reason)):
        for name in {each.name, each.name.rpartition("/")[2]}:
            found[name].append(each)
    return found


def _criterion(item: TraceItem, name: str, criteria: Criteria, results: Results, tell: FindingCollector) -> None:
    line, step = item.line("evidence"), f"vfcc evidence run {name.rpartition('/')[2]}"
    found = criteria.get(name, ())
    if not found:
        message = f"{item.id} is shown by the criterion {name}, and no gate of an open sprint has one of that name"
        tell.item("no-result", item, line, message, "vfcc check gate", name)
    for each in found:
        if not each.met:
            message = f"{item.id} is shown by {each.name}, which is not met: {each.reason}"
            tell.item("no-result", item, line, message, step, each.name)
        elif each.trust is not None and each.trust.rank < results.least_trust.rank:
            worth, least = (str(trust).replace("_", " ") for trust in (each.trust, results.least_trust))
            message = f"{item.id} is shown by {each.name}, which is {worth}, and {least} is asked"
            tell.item("untrusted-result", item, line, message, step, each.name)


def _word(view: TraceView, item: TraceItem, tell: FindingCollector) -> None:
    word = item.verified
    if word is None:
        return
    changed = "it" if word.fingerprint != stamp_of_item(item.digest) else ""
    if not changed and word.content != pointed_content(view, item):
        changed = "its code"
    if changed:
        message = f"{item.id} was verified by {word.method} on {word.on}, and {changed} changed since"
        tell.item("stale-result", item, item.line("verified"), message, steps.verify(item.id), "verified")


def check_links_reviewed(view: TraceView, tell: FindingCollector) -> None:
    """Report links that are suspect, unreviewed, or cleared without a reason.

    A link without its other end is not examined: another check reports it. A stamp with the key `reason` and nothing
    behind it was cleared without one; `vfcc trace review --to` writes none without.
    """
    stamped = unstamped = 0
    for item, link, target in view.ties:
        stamp = link.stamp
        if stamp is None:
            unstamped += 1
            message = f"the link {item.id} {link.relation} {target.id} has not been reviewed"
            step = steps.review(item.id)
            tell.item("unreviewed-link", item, link.line, message, step, link.words, [target.path])
            continue
        stamped += 1
        if stamp.fingerprint != stamp_of_link(target.digest, item.digest):
            _suspect(item, link, target, read_stamp(stamp.fingerprint), tell)
        if stamp.reason is not None and not stamp.reason.strip():
            message = f"the link {item.id} {link.relation} {target.id} was cleared without a reason"
            step = f"say why it holds: write a reason into the link in {item.path}"
            tell.item("cleared-without-reason", item, link.line, message, step, link.words, [target.path])
    tell.ask(("suspect-upstream", "suspect-downstream", "cleared-without-reason"), stamped)
    tell.ask(("unreviewed-link",), stamped + unstamped)


def _suspect(item: TraceItem, link: Link, target: TraceItem, parts: StampParts | None, tell: FindingCollector) -> None:
    """Report which end of a link changed.

    A stamp made by another algorithm says nothing of the present, so the other end is suspect.
    """
    about, also = link.words, [target.path]
    if parts is None or not parts.comparable or len(parts.digests) != 2:
        made = f"by {parts.algorithm}" if parts and not parts.comparable else "otherwise"
        message = f"the stamp of {item.id} {link.relation} {target.id} was made {made}, so the change is unknown"
        tell.item("suspect-upstream", item, link.line, message, steps.clear(item.id, target.id), about, also)
        return
    if parts.digests[0] != target.digest:
        message = f"{target.id} changed since the link {item.id} {link.relation} {target.id} was reviewed"
        tell.item("suspect-upstream", item, link.line, message, steps.clear(item.id, target.id), about, also)
    if parts.digests[1] != item.digest:
        message = f"{item.id} changed since its link to {target.id} was reviewed"
        tell.item("suspect-downstream", item, link.line, message, steps.review(item.id), about, also)


def check_reviews(view: TraceView, tell: FindingCollector) -> None:
    """Report items that are unreviewed, changed since, or reviewed by their author."""
    reviewed = named = 0
    authors = view.sources.git.authors
    for item in view.live:
        stamp = item.reviewed
        if stamp is None:
            message = f"{item.id} has not been reviewed"
            tell.item("unreviewed", item, 1, message, steps.review(item.id))
            continue
        reviewed += 1
        line = item.line("reviewed")
        if stamp.fingerprint != stamp_of_item(item.digest):
            tell.item("stale-review", item, line, _stale(item, stamp), steps.review(item.id))
        if stamp.by:
            named += 1
            if _by_author(item, stamp.by, authors.get(item.path, ())):
                message = f"{item.id} was reviewed by its author, {stamp.by}"
                tell.item("self-reviewed", item, line, message, f"somebody else: {steps.review(item.id)}")
    tell.ask(("unreviewed",), len(view.live))
    tell.ask(("stale-review",), reviewed)
    tell.ask(("self-reviewed",), named)


def _stale(item: TraceItem, stamp: Stamp) -> str:
    parts = read_stamp(stamp.fingerprint)
    if parts is not None and not parts.comparable:
        return f"the review of {item.id} was stamped by {parts.algorithm}, so the change is unknown"
    on = f" on {stamp.on}" if stamp.on else ""
    return f"{item.id} changed since its review{on}"


def _by_author(item: TraceItem, reviewer: str, committers: tuple[str, ...]) -> bool:
    """Whether the reviewer wrote the item: by its file, else as its only committer.

    A reviewer who commits the review is one of the committers, so being one of several proves nothing.
    """
    if item.author and ":" in item.author:
        return _same(item.author, reviewer)
    return bool(committers) and all(_same(f"human:{name.removeprefix('human:')}", reviewer) for name in committers)


@lru_cache(maxsize=1024)
def _same(one: str, other: str) -> bool:
    return " ".join(one.casefold().split()) == " ".join(other.casefold().split())


def check_baseline(view: TraceView, tell: FindingCollector) -> None:
    """Report items that changed, are new, were retired or are gone since the baseline."""
    baseline = view.sources.baseline
    if baseline is None:
        return
    live = {item.id for item in view.live}
    tell.ask(("baseline-drift",), len(live | baseline.items.keys()))
    where = f"baseline {baseline.name}"
    step = f"vfcc trace baseline diff {baseline.name}"
    for name in sorted(live | baseline.items.keys()):
        item = view.by_id.get(name)
        if item is None:
            message = f"{name} is in {where} and is gone"
            tell.place("baseline-drift", baseline.path, 1, message, step, name)
        elif item.status is Status.ARCHIVED:
            tell.item("baseline-drift", item, item.line("status"), f"{name} was retired since {where}", step)
        elif name not in baseline.items:
            tell.item("baseline-drift", item, 1, f"{name} is new since {where}", step)
        elif baseline.items[name] != item.digest:
            tell.item("baseline-drift", item, 1, f"{name} changed since {where}", step)
