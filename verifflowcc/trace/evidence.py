"""Checks of what shows an item beside tests: criteria of gates that are met, and words of people that still hold."""

from collections import defaultdict
from collections.abc import Mapping

from verifflowcc.domain.trace import CriterionShown, Results, TraceItem
from verifflowcc.formats.fingerprint import stamp_of_item
from verifflowcc.trace import steps
from verifflowcc.trace.pointed import pointed_content
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import TraceView

Criteria = Mapping[str, list[CriterionShown]]


def check_evidence(view: TraceView, tell: Telling) -> None:
    """Tell of criteria that items name and that are not met, and of words about what is not there any more."""
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
    found: dict[str, list[CriterionShown]] = defaultdict(list)
    for each in sorted(results.criteria, key=lambda one: (one.name, one.reason)):
        for name in {each.name, each.name.rpartition("/")[2]}:
            found[name].append(each)
    return found


def _criterion(item: TraceItem, name: str, criteria: Criteria, results: Results, tell: Telling) -> None:
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


def _word(view: TraceView, item: TraceItem, tell: Telling) -> None:
    word = item.verified
    if word is None:
        return
    changed = "it" if word.fingerprint != stamp_of_item(item.digest) else ""
    if not changed and word.content != pointed_content(view, item):
        changed = "its code"
    if changed:
        message = f"{item.id} was verified by {word.method} on {word.on}, and {changed} changed since"
        tell.item("stale-result", item, item.line("verified"), message, steps.verify(item.id), "verified")
