"""Checks of change: what is not as it was when somebody looked, and what nobody has looked at."""

from functools import lru_cache

from verifflowcc.domain.items import Link, Stamp, Status
from verifflowcc.domain.trace import TraceItem
from verifflowcc.formats.fingerprint import StampParts, read_stamp, stamp_of_item, stamp_of_link
from verifflowcc.trace import steps
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import TraceView


def check_links_reviewed(view: TraceView, tell: Telling) -> None:
    """Tell of links whose ends are not as they were, of links that nobody looked at, and of those cleared for nothing.

    A link without its other end is not asked: that it leads nowhere is told. A stamp with the key `reason` and nothing
    behind it was cleared without one; `vfcc trace review --to` writes none without.
    """
    stamped = unstamped = 0
    for item, link, target in view.ties:
        stamp = link.stamp
        if stamp is None:
            unstamped += 1
            message = f"the link {item.id} {link.relation} {target.id} has not been reviewed"
            step = steps.review(item.id)
            tell.item("unreviewed-link", item, link.line, message, step, _about(link), [target.path])
            continue
        stamped += 1
        if stamp.fingerprint != stamp_of_link(target.digest, item.digest):
            _suspect(item, link, target, read_stamp(stamp.fingerprint), tell)
        if stamp.reason is not None and not stamp.reason.strip():
            message = f"the link {item.id} {link.relation} {target.id} was cleared without a reason"
            step = f"say why it holds: write a reason into the link in {item.path}"
            tell.item("cleared-without-reason", item, link.line, message, step, _about(link), [target.path])
    tell.ask(("suspect-upstream", "suspect-downstream", "cleared-without-reason"), stamped)
    tell.ask(("unreviewed-link",), stamped + unstamped)


def _suspect(item: TraceItem, link: Link, target: TraceItem, parts: StampParts | None, tell: Telling) -> None:
    """Tell which end changed. A stamp that was made otherwise says nothing of today, so the other end is suspect."""
    about, also = _about(link), [target.path]
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


def check_reviews(view: TraceView, tell: Telling) -> None:
    """Tell of items that nobody reviewed, that changed since, or whose reviewer is their author."""
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
    """Whether the reviewer wrote the item: as its file says, else where nobody else ever committed to it.

    Whoever commits a review stands among those who committed the file, so that alone tells nothing.
    """
    if item.author and ":" in item.author:
        return _same(item.author, reviewer)
    return bool(committers) and all(_same(f"human:{name.removeprefix('human:')}", reviewer) for name in committers)


@lru_cache(maxsize=1024)
def _same(one: str, other: str) -> bool:
    return " ".join(one.casefold().split()) == " ".join(other.casefold().split())


def check_baseline(view: TraceView, tell: Telling) -> None:
    """Tell how the items differ from the baseline: changed, new, retired or gone since."""
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


def _about(link: Link) -> str:
    return f"{link.relation} {link.to}"
