"""A project whose trace is written with the commands' own services: a need, a requirement on it, a specification."""

from pathlib import Path

from tests.event_samples import START
from tests.trees import write_tree
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.trace.rules.trace_view import TraceView
from verifflowcc.trace.use.trace_edits import TraceItemRequest, add_item
from verifflowcc.trace.use.trace_reviews import ReviewResult, clear_link, plan_clearance, plan_review, review_items
from verifflowcc.trace.use.trace_sources import items_view

YOU, OTHER, AGENT = "human:You", "human:Other", "agent:coder"
NEED, REQ, SPEC = "NEED-login", "REQ-timeout", "TEST-timeout"
TODAY = f"{START:%Y-%m-%d}"


def empty(folder: Path) -> Workspace:
    """A project with no item."""
    folder.mkdir(parents=True, exist_ok=True)
    initialise(folder, workflow="standard")
    return Workspace(folder, FixedClock(START))


def written(folder: Path) -> Workspace:
    """A project with three items that `You` wrote, one above the other."""
    here = empty(folder)
    put(here, NEED, "need", "Users log in", "Somebody with an account gets in.")
    put(here, REQ, "requirement", "It ends", "The form shall end after 5 s.", NEED, "refines", verification="test")
    put(here, SPEC, "test_spec", "Wait", "Wait 6 s.", REQ)
    return here


def put(
    here: Workspace,
    name: str,
    type_: str,
    title: str,
    text: str,
    parent: str | None = None,
    relation: str | None = None,
    *,
    verification: str | None = None,
) -> TraceItem:
    """Add an item as `You`."""
    parents = (parent,) if parent else ()
    wanted = TraceItemRequest(type_, title, text, verification, parents, relation, id=name)
    return add_item(here, wanted, actor=YOU).item


def view(here: Workspace) -> TraceView:
    """The items as they are now."""
    return items_view(here)


def path_of(here: Workspace, name: str) -> Path:
    """The file of an item."""
    return here.root / view(here).by_id[name].path


def text_of(here: Workspace, name: str) -> str:
    """What an item's file holds, with the newlines that it has."""
    return path_of(here, name).read_bytes().decode("utf-8")


def replace_in(here: Workspace, name: str, old: str, new: str) -> None:
    """Edit an item's file by hand."""
    path = path_of(here, name)
    text = text_of(here, name)
    assert old in text
    write_tree(path.parent, {path.name: text.replace(old, new)})


def reviewed(
    here: Workspace, *names: str, actor: str = OTHER, everything: bool = False, own: bool = False
) -> ReviewResult:
    """Review items as somebody else than their author."""
    return review_items(here, plan_review(here, names, everything=everything, own=own, actor=actor), actor=actor)


def cleared(here: Workspace, name: str, to: str, reason: str = "still so", actor: str = OTHER) -> None:
    """Clear a suspect link."""
    clear_link(here, plan_clearance(here, name, to, reason, actor=actor), actor=actor)
