"""The shape of what `memory` says of working windows: how much a model takes, and what of it is left free."""

from typing import Annotated

from pydantic import Field, model_validator

from verifflowcc.adapters.config.section import Section, sentence
from verifflowcc.domain.config import WindowSettings

MOST_WINDOW_TOKENS = 1_000_000_000
Tokens = Annotated[int, Field(ge=1, le=MOST_WINDOW_TOKENS)]
Buffer = Annotated[int, Field(ge=0, le=MOST_WINDOW_TOKENS)]


class WindowSection(Section):
    """How many tokens a working window holds: what the model takes, less a buffer."""

    total_tokens: Tokens = Field(default=WindowSettings().total_tokens, description="The tokens that a model takes.")
    buffer_tokens: Buffer = Field(
        default=WindowSettings().buffer_tokens, description="Tokens that are left free for the answer."
    )

    @model_validator(mode="after")
    def leaves_room(self) -> "WindowSection":
        """Refuse a buffer that leaves nothing for the window."""
        if self.buffer_tokens >= self.total_tokens:
            raise sentence(f"must be below total_tokens, {self.total_tokens:,}", "buffer_tokens")
        return self

    def settings(self) -> WindowSettings:
        """Return what the section says, as the program uses it."""
        return WindowSettings(self.total_tokens, self.buffer_tokens)
