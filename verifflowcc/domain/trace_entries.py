"""Trace items as a prompt shows them."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """A trace item in a prompt: `text` is one complete Markdown list item with its tests and its state.

    `path` is the item's file. `why` says why it is there; `in_scope` whether the sprint is about it, or it only comes
    near to the task. `trust` is who vouches for it.
    """

    id: str
    path: str
    title: str
    text: str
    why: str
    in_scope: bool
    trust: str = "human"


@dataclass(frozen=True, slots=True)
class TraceLeftOut:
    """A trace item that no prompt of this sprint and task offers, and why."""

    id: str
    path: str
    why: str
