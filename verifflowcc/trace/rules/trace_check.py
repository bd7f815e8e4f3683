"""All checks of a trace in one run: findings, and how many things were examined."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from verifflowcc.base.model.findings import FindingCollector
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_codes import CHECKS, TracePolicy
from verifflowcc.base.model.trace_values import Outcome, TraceItem, TraceReport, TraceSources
from verifflowcc.trace.rules import check_steps as steps
from verifflowcc.trace.rules.change_checks import (
    check_baseline,
    check_children,
    check_depth,
    check_evidence,
    check_interfaces,
    check_links_reviewed,
    check_parents,
    check_reviews,
    ways_up,
)
from verifflowcc.trace.rules.fingerprint import type_digests
from verifflowcc.trace.rules.link_checks import check_links, check_owners, check_refs
from verifflowcc.trace.rules.result_checks import check_anything, check_results, check_verified
from verifflowcc.trace.rules.trace_view import NONE, ResultVerdict, TestJoins, TraceView

# The check that carries a failing test up, from its item to the needs.

_MOST_NAMED = 4


def check_below(view: TraceView, joins: TestJoins, tell: FindingCollector) -> None:
    """Report each item below which a test failed, once, with the way to the nearest."""
    failing = _failing(view, joins)
    planned = {item.id for item in view.live if item.planned is not None}
    tell.ask(("failed-below",), len(view.live) - len(planned), len(planned))
    if not failing or not tell.on("failed-below"):
        return
    down = ways_up(view, sorted(failing))
    causes = _causes(down)
    for name in down:
        cause = causes[name]
        if name != cause and name not in planned:
            item, below, test = view.by_id[name], view.by_id[cause], failing[cause]
            message = f"{test.test} failed, below {item.id}: {_way(name, cause, down)}"
            _tell(item, below, test, message, tell)


def _failing(view: TraceView, joins: TestJoins) -> Mapping[str, ResultVerdict]:
    """Return id → the first failing test of its own, without planned items."""
    return {
        name: next(test for test in joined.verdicts if test.failed)
        for name, joined in joins.by_id.items()
        if view.by_id[name].planned is None and any(test.failed for test in joined.verdicts)
    }


def _causes(down: Mapping[str, str]) -> Mapping[str, str]:
    """Return the failing item at the end of each way; `down` is nearest first."""
    found: dict[str, str] = {}
    for name, below in down.items():
        found[name] = found.get(below, below)
    return found


def _way(name: str, cause: str, down: Mapping[str, str]) -> str:
    """Return the ids on the way down, only the first few and the last.

    A way can be as long as the project is large.
    """
    ids = [name]
    while ids[-1] != cause and len(ids) < _MOST_NAMED:
        ids.append(down[ids[-1]])
    if ids[-1] != cause:
        ids = [*ids[:-1], "…", cause]
    return " ← ".join(ids)


def _tell(item: TraceItem, below: TraceItem, test: ResultVerdict, message: str, tell: FindingCollector) -> None:
    also = [below.path, test.test.partition("::")[0]]
    tell.item("failed-below", item, 1, message, steps.why(below.id), below.id, also)


# Checks of identity: each id is there once, is never used again, fits the pattern, and names its file.

_CODES = ("duplicate-id", "bad-id", "reused-id", "id-collision", "file-name")


def check_identity(view: TraceView, tell: FindingCollector) -> None:
    """Report faults of ids. Retired items keep theirs, so no new item may have one."""
    tell.ask(_CODES, len(view.live))
    _spelling(view, tell)
    if len(view.by_id) < len(view.items):
        _twice(view, tell)
    _as_git_knows(view, tell)


def _spelling(view: TraceView, tell: FindingCollector) -> None:
    fits = re.compile(view.policy.id_pattern).fullmatch
    for item in view.live:
        name = item.id
        if fits(name) is None:
            message = f"{name!r} does not fit the pattern of ids, {view.policy.id_pattern}"
            tell.item("bad-id", item, item.line("id"), message, f"give it another id in {item.path}")
        if not item.path.endswith(f"/{name}.md"):
            message = f"{name} is in {item.path.rpartition('/')[2]}, not in {name}.md"
            tell.item("file-name", item, item.line("id"), message, f"rename {item.path}, or correct its id")


def _twice(view: TraceView, tell: FindingCollector) -> None:
    same: dict[str, list[TraceItem]] = defaultdict(list)
    for item in view.items:
        same[item.id].append(item)
    for items in same.values():
        live = [item for item in items if item.status is not Status.ARCHIVED]
        retired = [item for item in items if item.status is Status.ARCHIVED]
        for item in live[1:]:
            message = f"{item.id} is also the id of {live[0].path}"
            step = f"give one of them another id, in {item.path} or {live[0].path}"
            tell.item("duplicate-id", item, item.line("id"), message, step, item.path, [live[0].path])
        if live and retired:
            message = f"{live[0].id} was the id of {retired[0].path}, which is retired"
            step = f"give {live[0].path} another id"
            tell.item("reused-id", live[0], live[0].line("id"), message, step, also=[retired[0].path])


def _as_git_knows(view: TraceView, tell: FindingCollector) -> None:
    git = view.sources.git
    for item in view.live:
        if item.path in git.reused:
            message = f"{item.id} was the id of another item before: {git.reused[item.path]}"
            tell.item("reused-id", item, item.line("id"), message, f"give {item.path} another id", "git")
        if item.id in git.collisions:
            other = git.collisions[item.id]
            message = f"{git.target or 'the target branch'} added another {item.id}, in {other}"
            step = f"give {item.path} another id before merging"
            tell.item("id-collision", item, item.line("id"), message, step, item.path, [other])


# Checks of the marks in code, in tests and in results: each names an item that is there and counts.

_MARKS_CODES = ("unknown-mark", "retired-mark")


def check_marks(view: TraceView, tell: FindingCollector) -> None:
    """Report marks that lead nowhere, once for each symbol.

    The ids in a result count where no mark in code has them.
    """
    by_id = view.by_id
    tell.ask(_MARKS_CODES, sum(map(len, view.marks.values())))
    for name, places in view.marks.items():
        item = by_id.get(name)
        if item is not None and item.status is not Status.ARCHIVED:
            continue
        reported = set()
        for file, mark in places:
            # A tag of Gherkin may be an id of anything, so one that no item has is no mistake.
            tag = item is None and mark.symbol and file.path.lower().endswith(".feature")
            if tag or (file.path, mark.symbol) in reported:
                continue
            reported.add((file.path, mark.symbol))
            where = f"{file.path}::{mark.symbol}" if mark.symbol else file.path
            if item is None:
                message = f"{where} is marked with {name}, and there is no such item"
                about = f"{name} {mark.symbol}".strip()
                tell.place("unknown-mark", file.path, mark.line, message, steps.edit(file.path, mark.line), about)
            else:
                message = f"{where} is marked with {name}, which is retired"
                tell.place(
                    "retired-mark", file.path, mark.line, message, steps.edit(file.path, mark.line),
                    f"{name} {mark.symbol}".strip(), [item.path],
                )  # fmt: skip
    _in_results(view, tell)


def _in_results(view: TraceView, tell: FindingCollector) -> None:
    named = {name for name in view.results if name not in view.by_id and name not in view.marks}
    for name in sorted(named):
        first = view.results[name][0]
        message = f"{first.test} names {name} in {first.report}, and there is no such item"
        path = first.test.partition("::")[0] if "::" in first.test else first.report
        tell.place("unknown-mark", path, 1, message, f"correct the mark of {first.test}", name)


# Checks of the process: facts of sprints, levels of integrity, unconfirmed rationales, planned items.

_NOT_A_PERSON = ("agent:", "tool:")


def check_process(view: TraceView, joins: TestJoins, tell: FindingCollector) -> None:
    """Report facts of sprints, levels of integrity, rationales and planned items."""
    for fact in view.sources.process:
        tell.ask((fact.code,), 1)
        step = fact.step or steps.edit(fact.path, 1)
        tell.place(fact.code, fact.path, 1, fact.message, step, fact.about)
    _levels(view, tell)
    _rationales(view, tell)
    _planned(view, joins, tell)


def _levels(view: TraceView, tell: FindingCollector) -> None:
    """Report items with a lower integrity level than their parents.

    No level at all is the lowest, for types that have a place in the V.
    """
    rank = {name: place for place, name in enumerate(view.policy.integrity)}
    placed = {name for name, rule in view.policy.types.items() if rule.level is not None}
    asked = 0
    for item, link, target in view.ties if rank else ():
        if target.integrity not in rank or link.relation not in view.upward or item.type not in placed:
            continue
        asked += 1
        if item.integrity is not None and item.integrity not in rank:
            continue
        if rank.get(item.integrity or "", 0) < rank[target.integrity]:
            has = f"has level {item.integrity}" if item.integrity else "has no level"
            message = f"{item.id} {has}, but its parent {target.id} has {target.integrity}"
            line, step = item.line("integrity"), f"set integrity: {target.integrity} in {item.path}"
            tell.item("integrity-inversion", item, line, message, step, target.id, [target.path])
    tell.ask(("integrity-inversion",), asked)


def _rationales(view: TraceView, tell: FindingCollector) -> None:
    asked = 0
    for item in view.live:
        if item.reconstructed and item.rationale.strip():
            asked += 1
            if not _confirmed(item):
                message = f"the rationale of {item.id} was reconstructed and is not confirmed by a person"
                tell.item("unconfirmed-rationale", item, item.line("rationale"), message, steps.review(item.id))
    tell.ask(("unconfirmed-rationale",), asked)


def _confirmed(item: TraceItem) -> bool:
    """Whether a person reviewed the item."""
    by = item.reviewed.by if item.reviewed else None
    return by is not None and by != "ci" and not by.startswith(_NOT_A_PERSON)


def _planned(view: TraceView, joins: TestJoins, tell: FindingCollector) -> None:
    planned = [item for item in view.live if item.planned is not None]
    tell.ask(("planned-but-built",), len(planned))
    for item in planned:
        own = joins.by_id.get(item.id, NONE).verdicts
        handed = (
            test for each in joins.specifications.get(item.id, ()) for test in joins.by_id.get(each.id, NONE).verdicts
        )
        passed = next((test for test in (*own, *handed) if test.outcome is Outcome.PASSED), None)
        if passed is not None:
            message = f"{item.id} is only planned, and {passed.test}, a test of it, passes"
            step = f"take planned: out of {item.path}"
            tell.item("planned-but-built", item, item.line("planned"), message, step)


# Checks of each item by itself: its type, the fields that this type needs, and the flaws seen when it was read.

_OF_ITEMS = (
    *("missing-field", "bad-field", "unknown-field", "unknown-type"),
    *("empty-text", "placeholder", "weak-wording", "non-atomic"),
)
_LINE = lazy_pattern(r"(\d{1,9}): ", re.ASCII)
_ATTRIBUTES = frozenset(
    {"title", "verification", "links", "refs", "tests", "evidence", "rationale", "planned", "integrity", "reviewed"}
    | {"verified", "tags"}
)
"""Keys of the front matter that an item holds as values; any other is there if its line is."""


def check_schema(view: TraceView, tell: FindingCollector) -> None:
    """Tell what is wrong with single items, and which files cannot be read as one."""
    unreadable = view.sources.unreadable
    tell.ask(("unreadable-item",), len(view.items) + len(unreadable))
    tell.ask(_OF_ITEMS, len(view.live))
    for path, why in unreadable.items():
        at = _LINE.match(why)
        message = f"{path} cannot be read as an item: {why[at.end() :] if at else why}"
        line = int(at[1]) if at else 1
        tell.place("unreadable-item", path, line, message, steps.edit(path, line))
    types, levels = view.policy.types, frozenset(view.policy.integrity)
    for item in view.live:
        for flaw in item.flaws:
            tell.item(flaw.code, item, flaw.line, flaw.message, steps.edit(item.path, flaw.line), flaw.about)
        rule = types.get(item.type)
        if rule is None:
            message = f"{item.id} is of type {item.type or '(none)'}; types are {', '.join(sorted(types)) or '(none)'}"
            tell.item("unknown-type", item, item.line("type"), message, steps.edit(item.path, item.line("type")))
        else:
            _fields(item, rule.fields, tell)
            if rule.requires:
                _parts(item, rule.requires, tell)
        if levels and item.integrity and item.integrity not in levels:
            line = item.line("integrity")
            message = f"integrity {item.integrity} is not one of {', '.join(view.policy.integrity)}"
            tell.item("bad-field", item, line, message, steps.edit(item.path, line), "integrity")


def _fields(item: TraceItem, fields: tuple[str, ...], tell: FindingCollector) -> None:
    for name in fields:
        there = bool(getattr(item, name)) if name in _ATTRIBUTES else name in item.lines
        if not there and not any(flaw.about == name for flaw in item.flaws):
            message = f"{item.id} has no {name}, which every {item.type} needs"
            tell.item("missing-field", item, 1, message, f"add {name}: to {item.path}", name)


def _parts(item: TraceItem, requires: tuple[str, ...], tell: FindingCollector) -> None:
    from verifflowcc.base.text.placeholders import has_part

    for part in requires:
        if not has_part(item.path, item.text, part):
            message = f"{item.id} says nothing below a heading {part}, which every {item.type} needs"
            tell.item("missing-field", item, 1, message, f"add ## {part} to {item.path}", part)


def check(sources: TraceSources, policy: TracePolicy) -> TraceReport:
    """Return the report of all checks; the order of the sources does not matter.

    Nothing is left out: which findings are known, or of unchanged files, is for `narrow`.
    """
    return check_view(TraceView(sources, policy))


def check_view(view: TraceView) -> TraceReport:
    """Return the report of all checks on a view; the view caches what they computed."""
    tell, joins = FindingCollector(CHECKS, view.policy.severities), view.joins
    check_identity(view, tell)
    check_schema(view, tell)
    check_links(view, tell)
    check_refs(view, tell)
    check_marks(view, tell)
    check_parents(view, tell)
    check_children(view, joins, tell)
    check_verified(view, joins, tell)
    check_interfaces(view, tell)
    check_owners(view, joins, tell)
    check_depth(view, tell)
    check_links_reviewed(view, tell)
    check_reviews(view, tell)
    check_baseline(view, tell)
    check_results(view, joins, tell)
    check_evidence(view, tell)
    check_below(view, joins, tell)
    check_anything(view, joins, tell)
    check_process(view, joins, tell)
    return TraceReport(
        tell.findings(),
        tell.asked(),
        _counted(item.type for item in view.live),
        notices=(f"of its history nothing is known: {view.sources.git.problem}",) if view.sources.git.problem else (),
        planned=_counted(item.type for item in view.live if item.planned is not None),
        digests=type_digests(view.items),
    )


def _counted(types: Iterable[str]) -> dict[str, int]:
    found = Counter(types)
    return {name: found[name] for name in sorted(found)}
