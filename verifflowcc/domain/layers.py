"""The layers of a prompt, and the order in which they are paid."""

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
