"""Record that a person saw an item verified by a method that no test shows."""

from verifflowcc.domain.items import Status
from verifflowcc.domain.trace import TraceItem, Verified
from verifflowcc.errors import UsageError
from verifflowcc.formats.fingerprint import stamp_of_item
from verifflowcc.formats.trace_render import stamp_line
from verifflowcc.records import dataclass
from verifflowcc.services.finding import one_line, one_of
from verifflowcc.services.people_acting import require_person
from verifflowcc.services.trace_editing import begin_edit, set_keys, write_edits
from verifflowcc.services.trace_finding import find_item
from verifflowcc.services.trace_sources import full_view
from verifflowcc.services.workspace import Workspace
from verifflowcc.trace.answers import CodePlace, implementers
from verifflowcc.trace.pointed import pointed_content

SEEN = ("review", "inspection", "analysis", "demonstration")
"""The methods that a person's word shows; `test` is shown by results, `metric` by evidence."""


@dataclass(frozen=True, slots=True)
class ToVerify:
    """An item as it is now, the code that it points to, and what a person is about to say of it."""

    item: TraceItem
    code: tuple[CodePlace, ...]
    word: Verified


def what_to_verify(workspace: Workspace, name: str, method: str | None, saw: str, *, actor: str) -> ToVerify:
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
    word = Verified(known, actor, workspace.today(), stamp_of_item(item.digest), pointed_content(view, item), seen)
    return ToVerify(item, implementers(view, item), word)


def verify_item(workspace: Workspace, what: ToVerify) -> ToVerify:
    """Record the word, for the item and the code as they were shown. Raises ConflictError where the item changed."""
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
