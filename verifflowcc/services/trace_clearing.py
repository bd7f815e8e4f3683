"""Clear a suspect link: a person says why it still holds though one of its ends changed."""

from verifflowcc.domain.items import Link
from verifflowcc.domain.trace import TraceItem
from verifflowcc.errors import UsageError
from verifflowcc.formats.fingerprint import stamp_of_link
from verifflowcc.records import dataclass
from verifflowcc.services.finding import one_line
from verifflowcc.services.people_acting import require_person
from verifflowcc.services.trace_editing import begin_edit, set_list, write_edits
from verifflowcc.services.trace_finding import find_item
from verifflowcc.services.trace_items import items_view
from verifflowcc.services.trace_reviewing import stamp_links
from verifflowcc.services.workspace import Workspace
from verifflowcc.trace.stamps import LinkState, link_state
from verifflowcc.trace.view import TraceView

SUSPECT = frozenset({LinkState.SUSPECT, LinkState.OUTGROWN})


@dataclass(frozen=True, slots=True)
class ToClear:
    """A link that is suspect, its two ends as they are now, and why it holds."""

    item: TraceItem
    other: TraceItem
    links: tuple[Link, ...]
    state: LinkState
    reason: str


@dataclass(frozen=True, slots=True)
class Cleared:
    """A link that was cleared."""

    item: str
    to: str
    by: str
    reason: str
    path: str


def what_to_clear(workspace: Workspace, name: str, to: str, reason: str, *, actor: str) -> ToClear:
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
    return ToClear(item, other, *_suspect(view, item, links), why)


def clear_link(workspace: Workspace, what: ToClear, *, actor: str) -> Cleared:
    """Stamp the link with both ends as they were shown. Raises ConflictError where one of them changed since."""
    stamp = stamp_of_link(what.other.digest, what.item.digest)
    stamps = {(link.to, link.relation): stamp for link in what.links}
    begin_edit(workspace, what.other)
    edit = set_list(
        begin_edit(workspace, what.item),
        "links",
        lambda values: stamp_links(values, stamps, actor, workspace.today(), what.reason),
    )
    write_edits(workspace, [edit])
    return Cleared(what.item.id, what.other.id, actor, what.reason, what.item.path)


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
