"""The layers of a prompt, and the order in which they are paid."""

from collections.abc import Mapping
from enum import StrEnum


class Layer(StrEnum):
    """A scope's kind, as a part of a prompt."""

    USER = "user"
    PROJECT = "project"
    SPRINT = "sprint"
    STAGE = "stage"
    AGENT = "agent"


PRIORITY = (Layer.AGENT, Layer.STAGE, Layer.SPRINT, Layer.PROJECT, Layer.USER)
"""Who gets leftover tokens first, and who survives a small budget."""

READING_ORDER = (Layer.PROJECT, Layer.SPRINT, Layer.STAGE, Layer.AGENT, Layer.USER)
"""The order in the prompt: what is stable comes first, what is local last."""


# Virtual sources: what a loading strategy names beside files, each in the layer that pays for it.

USER = "@user"
TASK = "@task"
RECALL = "@recall"
CODE = "@code"
HISTORY = "@history"
HANDOVER = "@handover"
TRACE = "@trace"

LAYER_OF: Mapping[str, Layer] = {
    USER: Layer.USER,
    TASK: Layer.AGENT,
    CODE: Layer.AGENT,
    HISTORY: Layer.AGENT,
    RECALL: Layer.PROJECT,
    HANDOVER: Layer.STAGE,
    TRACE: Layer.SPRINT,
}
"""Each source with the layer that pays for it."""

OFFERS: Mapping[str, str] = {
    RECALL: "the project's typed items (`items/<type>/`), except those of the trace",
    TRACE: "the trace items that the sprint is about, with tests and state, then up to 10 related ones; "
    "also if `memory.enabled` is false",
    HANDOVER: "artifacts of the stages that this stage uses, of its pair, then of earlier ones: whole, by section, "
    "or as a summary",
    TASK: "notes of the open task, first in the layer",
    CODE: "code that matches `--task`, last in the layer",
    HISTORY: "past tasks like `--task` with their outcome, and unfinished tasks",
    USER: "the person's own items; the layer has nothing else",
}
"""What each source offers to a prompt."""

LOCAL = frozenset({USER, TASK, HISTORY})
"""What other clones do not have: ranked apart, last in the prompt, and absent where only committed sources count."""
