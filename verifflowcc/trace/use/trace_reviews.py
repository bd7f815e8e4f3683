"""Review items, record verifications, and clear suspect links.

A suspect link is cleared with a person's reason why it still holds though one of its ends changed.
"""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.errors import NotAllowed, UsageError, VfccError
from verifflowcc.base.formats.front_matter_values import FieldScalar, FieldTable, Value, member
from verifflowcc.base.git.git_trace import find_place, read_authors
from verifflowcc.base.model.item_values import Link, Stamp, Status
from verifflowcc.base.model.people import same_person
from verifflowcc.base.model.trace_values import TraceItem, Verification
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.stage_words import one_line, one_of
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.items.rules.front_matter_list import ListEdit, with_texts
from verifflowcc.sprint.use.people_acting import require_person
from verifflowcc.trace.rules.answers import CodePlace, implementers
from verifflowcc.trace.rules.check_steps import pointed_content, symbol_digest
from verifflowcc.trace.rules.fingerprint import LinkState, link_state, review_word, stamp_of_item, stamp_of_link
from verifflowcc.trace.rules.trace_render import stamp_line
from verifflowcc.trace.rules.trace_view import TraceView, find_item
from verifflowcc.trace.use.trace_edits import ItemFileEdit, begin_edit, set_keys, set_list, write_edits
from verifflowcc.trace.use.trace_sources import full_view, items_view

# Review trace items: a person stamps an item and its unreviewed links.
#
# A review never stamps a link whose other end changed since somebody looked: that is cleared, with a reason.

TO_STAMP = frozenset({LinkState.UNREVIEWED, LinkState.OUTGROWN})
"""Links that a review stamps: unreviewed ones, and those where only the item itself changed."""


@dataclass(frozen=True, slots=True)
class SkippedReview:
    """An item that was skipped: why, and the command to run next."""

    item: str
    reason: str
    step: str
    not_allowed: bool = False
    """Whether another actor could stamp it."""


@dataclass(frozen=True, slots=True)
class ReviewedItem:
    """A reviewed item: its stamped links, its refs with new digests, and notes."""

    item: str
    path: str
    links: tuple[str, ...]
    """Ends of the stamped links."""
    refs: tuple[str, ...]
    """Code whose digest was written."""
    notes: tuple[str, ...]
    changed: bool
    """Whether the file changed."""


@dataclass(frozen=True, slots=True)
class ReviewPlan:
    """Items that can be reviewed now, with the changes to their files, and the others.

    `own` are the ids of those that the reviewer wrote.
    """

    view: TraceView
    items: tuple[TraceItem, ...]
    plans: tuple[tuple[ItemFileEdit, ReviewedItem], ...]
    passed_over: tuple[SkippedReview, ...]
    own: frozenset[str]

    @property
    def changes(self) -> bool:
        """Whether there is anything to stamp."""
        return any(edit.changes for edit, _ in self.plans)


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The items that were reviewed, and those that were skipped."""

    by: str
    reviewed: tuple[ReviewedItem, ...]
    skipped: tuple[SkippedReview, ...]


def plan_review(
    workspace: Workspace, names: Sequence[str], *, everything: bool = False, own: bool = False, actor: str
) -> ReviewPlan:
    """Return what a person can review: named items, or all that need it.

    All are meant by `everything`.

    Raises NotAllowed for anybody but a named person, and for the author of a named item unless `own`; UsageError where
    nothing is named, and for a named item that is retired or has a suspect link.
    """
    require_person(actor, "reviewing", hint="vfcc trace review ID  # at a terminal of your own")
    if bool(names) is everything:
        problem = "say which items, or --all, not both" if names else "say which items were reviewed, or --all"
        raise UsageError(problem, hint="vfcc trace list --without review")
    view = full_view(workspace)
    named = {item.id: item for item in (find_item(view, each) for each in names)}
    asked = [item for item in view.live if needs_review(view, item)] if everything else list(named.values())
    mine = _own(workspace, asked, actor)
    refused = {
        item.id: over for item in asked if (over := _refusal(view, item, own=item.id in mine and not own)) is not None
    }
    if refused and not everything:
        first = next(iter(refused.values()))
        raise (NotAllowed if first.not_allowed else UsageError)(f"{first.item} {first.reason}", hint=first.step)
    plans = {}
    for item in (each for each in asked if each.id not in refused):
        try:
            plans[item.id] = _plan(workspace, view, item, actor)
        except VfccError as error:
            if not everything:
                raise
            refused[item.id] = SkippedReview(item.id, f"cannot be stamped: {error.message}", error.hint or "")
    return ReviewPlan(
        view,
        tuple(item for item in asked if item.id in plans),
        tuple(plans.values()),
        tuple(refused.values()),
        mine,
    )


def review_items(workspace: Workspace, what: ReviewPlan, *, actor: str) -> ReviewResult:
    """Stamp the items that were shown.

    Raises ConflictError, with nothing written, where a file is not what was shown; WorkspaceError where one cannot be
    written, and then those before it are.
    """
    write_edits(workspace, [edit for edit, _ in what.plans])
    return ReviewResult(actor, tuple(done for _, done in what.plans), what.passed_over)


def needs_review(view: TraceView, item: TraceItem) -> bool:
    """Whether the item, or one of its links, is unreviewed as it is now."""
    states = (link_state(view, item, link) for link in item.links)
    return review_word(item) != "reviewed" or any(state in TO_STAMP for state in states)


def _own(workspace: Workspace, items: Sequence[TraceItem], actor: str) -> frozenset[str]:
    """Return the ids of the items that `actor` wrote.

    A file names its author; else the actor must be its only committer. A reviewer who commits the review is one of the
    committers, so being one of several proves nothing.
    """

    named = [item for item in items if item.author and ":" in item.author]
    own = {item.id for item in named if same_person(actor, item.author or "")}
    nameless = [item for item in items if item not in named]
    place = find_place(workspace.root, None) if nameless else None
    if place is None or place.problem:
        return frozenset(own)
    committers = read_authors(workspace.root, place)
    for item in nameless:
        names = committers.get(item.path, ())
        if names and all(same_person(actor, f"human:{name.removeprefix('human:')}") for name in names):
            own.add(item.id)
    return frozenset(own)


def _refusal(view: TraceView, item: TraceItem, *, own: bool) -> SkippedReview | None:
    if item.status is Status.ARCHIVED:
        return SkippedReview(item.id, "is retired", f"vfcc trace show {item.id}")
    suspect = [link.to for link in item.links if link_state(view, item, link) is LinkState.SUSPECT]
    if suspect:
        step = f'vfcc trace review {item.id} --to {suspect[0]} --reason "why it still holds"'
        return SkippedReview(item.id, f"has a suspect link to {suspect[0]}, which changed since the last review", step)
    if own:
        step = f"vfcc trace review {item.id}  # by somebody else; or --own, which the check reports"
        return SkippedReview(item.id, "is your own work; a reviewer is somebody else", step, not_allowed=True)
    return None


def _plan(workspace: Workspace, view: TraceView, item: TraceItem, actor: str) -> tuple[ItemFileEdit, ReviewedItem]:
    """Return the stamped file and what is new in it, with nothing written yet."""
    today = workspace.today()
    edit, notes = begin_edit(workspace, item), list(_left(view, item))
    meant = [link for link in item.links if link_state(view, item, link) in TO_STAMP]
    stamped = {(link.to, link.relation): stamp_of_link(view.by_id[link.to].digest, item.digest) for link in meant}
    digests, lost = _ref_digests(view, item)
    if review_word(item) != "reviewed":
        edit = set_keys(edit, {"reviewed": stamp_line(Stamp(stamp_of_item(item.digest), actor, today))})
    if stamped:
        edit = set_list(edit, "links", lambda values: stamp_links(values, stamped, actor, today))
    if digests:
        edit = set_list(edit, "refs", lambda values: _stamp_refs(values, digests))
    refs = tuple(f"{path}::{symbol}" if symbol else path for path, symbol in digests)
    links = tuple(dict.fromkeys(link.to for link in meant))
    return edit, ReviewedItem(item.id, item.path, links, refs, (*notes, *lost), edit.changes)


def _left(view: TraceView, item: TraceItem) -> Iterator[str]:
    for link in item.links:
        other = view.by_id.get(link.to)
        if other is None:
            yield f"its link to {link.to} is as it was: there is no such item"
        elif other.status is Status.ARCHIVED:
            yield f"it links to {link.to}, which is retired: vfcc trace unlink {item.id} {link.to}"


def _ref_digests(view: TraceView, item: TraceItem) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Return new digests of the code that an item names, and refs to missing code."""
    found: dict[tuple[str, str], str] = {}
    lost: list[str] = []
    for ref in item.refs:
        symbol = ref.symbol or ""
        if not symbol and ref.digest is None:
            continue
        path = ref.path.removeprefix("./")
        now = symbol_digest(view, path, symbol) if symbol else view.sources.files.get(path)
        if now is None:
            lost.append(f"its ref to {ref.path}{f'::{symbol}' if symbol else ''} is as it was: that is not there")
        elif now != ref.digest:
            found[(ref.path, symbol)] = now
    return found, lost


def stamp_links(
    values: tuple[Value, ...], stamps: Mapping[tuple[str, str], str], actor: str, today: str, reason: str | None = None
) -> ListEdit:
    """Return links with new stamps, by target and relation; other keys stay."""
    changed: dict[int, Value | None] = {}
    for index, value in enumerate(values):
        stamp = stamps.get((member(value, "to") or "", member(value, "relation") or ""))
        if stamp is not None:
            changed[index] = with_texts(value, {"fingerprint": stamp, "by": actor, "on": today, "reason": reason})
    return ListEdit(changed)


def _stamp_refs(values: tuple[Value, ...], digests: Mapping[tuple[str, str], str]) -> ListEdit:
    changed: dict[int, Value | None] = {}
    for index, value in enumerate(values):
        path = value.text.strip() if isinstance(value, FieldScalar) else member(value, "path") or ""
        if isinstance(value, FieldTable) and (place := (path, member(value, "symbol") or "")) in digests:
            changed[index] = with_texts(value, {"digest": digests[place]})
    return ListEdit(changed)


# Record that a person saw an item verified by a method that no test shows.

SEEN = ("review", "inspection", "analysis", "demonstration")
"""The methods that a person's word shows; `test` is shown by results, `metric` by evidence."""


@dataclass(frozen=True, slots=True)
class VerificationPlan:
    """An item as it is now, its code, and the verification to be recorded."""

    item: TraceItem
    code: tuple[CodePlace, ...]
    word: Verification


def plan_verification(workspace: Workspace, name: str, method: str | None, saw: str, *, actor: str) -> VerificationPlan:
    """Return what is to be recorded; the method is the item's own where none is named.

    Raises NotAllowed for anybody but a named person; UsageError for a method that is shown otherwise, that is not the
    one that the item declares, or where nothing was seen.
    """
    require_person(actor, "verifying", hint=f'vfcc trace verify {name} --saw "…"  # at a terminal of your own')
    view = full_view(workspace)
    item = find_item(view, name)
    if item.status is Status.ARCHIVED:
        raise UsageError(f"{item.id} is retired", hint=f"vfcc trace show {item.id}")
    known = _method(item, method)
    seen = one_line(saw, "what was seen")
    if not seen:
        raise UsageError(
            "say what you saw, in your words", hint=f'vfcc trace verify {item.id} --method {known} --saw "what it did"'
        )
    word = Verification(known, actor, workspace.today(), stamp_of_item(item.digest), pointed_content(view, item), seen)
    return VerificationPlan(item, implementers(view, item), word)


def verify_item(workspace: Workspace, what: VerificationPlan) -> VerificationPlan:
    """Record the verification of an item and its code as they were shown.

    Raises ConflictError where the item changed.
    """
    edit = set_keys(begin_edit(workspace, what.item), {"verified": stamp_line(what.word)})
    write_edits(workspace, [edit])
    return what


def _method(item: TraceItem, method: str | None) -> str:
    declared = item.verification
    asked = method or declared
    command = f"vfcc trace verify {item.id}"
    if asked is None:
        raise UsageError(
            f"{item.id} declares no verification method; say by which", hint=f'{command} --method review --saw "…"'
        )
    shown = {"test": "the results of tests", "metric": "evidence"}.get(asked.casefold())
    if shown:
        raise UsageError(f"the method {asked} is shown by {shown}, not by a word", hint=f"vfcc trace why {item.id}")
    known = one_of(asked, SEEN, "method", f'{command} --method … --saw "what it did"')
    if declared and declared != known:
        raise UsageError(
            f"{item.id} is to be verified by {declared}, not by {known}", hint=f"vfcc trace show {item.id}"
        )
    return known


SUSPECT = frozenset({LinkState.SUSPECT, LinkState.OUTGROWN})


@dataclass(frozen=True, slots=True)
class ClearancePlan:
    """A link that is suspect, its two ends as they are now, and why it holds."""

    item: TraceItem
    other: TraceItem
    links: tuple[Link, ...]
    state: LinkState
    reason: str


@dataclass(frozen=True, slots=True)
class LinkClearance:
    """A link that was cleared."""

    item: str
    to: str
    by: str
    reason: str
    path: str


def plan_clearance(workspace: Workspace, name: str, to: str, reason: str, *, actor: str) -> ClearancePlan:
    """Return the suspect links from one item to another.

    Raises NotAllowed for anybody but a named person; UsageError where there is no reason, no such link, or it is not
    suspect.
    """
    require_person(actor, "clearing a suspect link", hint=f"vfcc trace review {name} --to {to}  # at a terminal")
    view = items_view(workspace)
    item, other = find_item(view, name), find_item(view, to)
    why = one_line(reason, "the reason")
    command = f"vfcc trace review {item.id} --to {other.id}"
    if not why:
        raise UsageError("clearing a suspect link needs a reason", hint=f'{command} --reason "why it still holds"')
    links = tuple(link for link in item.links if link.to == other.id)
    if not links:
        raise UsageError(f"{item.id} does not link to {other.id}", hint=f"vfcc trace show {item.id}")
    return ClearancePlan(item, other, *_suspect(view, item, links), why)


def clear_link(workspace: Workspace, what: ClearancePlan, *, actor: str) -> LinkClearance:
    """Stamp the link with both ends as they were shown.

    Raises ConflictError where one of them changed since.
    """
    stamp = stamp_of_link(what.other.digest, what.item.digest)
    stamps = {(link.to, link.relation): stamp for link in what.links}
    # For its ConflictError alone: the reason was given for both ends as they were shown.
    begin_edit(workspace, what.other)
    edit = set_list(
        begin_edit(workspace, what.item),
        "links",
        lambda values: stamp_links(values, stamps, actor, workspace.today(), what.reason),
    )
    write_edits(workspace, [edit])
    return LinkClearance(what.item.id, what.other.id, actor, what.reason, what.item.path)


def _suspect(view: TraceView, item: TraceItem, links: tuple[Link, ...]) -> tuple[tuple[Link, ...], LinkState]:
    states = [link_state(view, item, link) for link in links]
    found = tuple(link for link, state in zip(links, states, strict=True) if state in SUSPECT)
    if found:
        return found, next(state for state in states if state in SUSPECT)
    if LinkState.UNREVIEWED in states:
        raise UsageError(
            f"the link to {links[0].to} has not been reviewed yet; a review stamps it",
            hint=f"vfcc trace review {item.id}",
        )
    raise UsageError(f"the link to {links[0].to} is not suspect: {states[0].means}", hint=f"vfcc trace show {item.id}")
