"""The shape of the section `hooks` of `config.yaml`: what the hooks of agents' clients do here."""

from typing import Annotated, Literal

from pydantic import Field

from verifflowcc.adapters.config.section import Section
from verifflowcc.domain.config import BRIEF_TOKENS, HookSettings, Share, ToolTable

MOST_BRIEF_TOKENS = 2_200
"""Clients make a file of what is longer than 10,000 characters, and show the agent its beginning alone."""


class HooksSection(Section):
    """What the hooks of agents' clients do here."""

    record: bool = Field(default=True, description="Whether hooks record what agents do, on this machine.")
    share: Literal["never", "session"] = Field(
        default="never", description="Whether each session leaves a file to commit, without parameters and results."
    )
    tools: Literal["deny", "ask", "off"] = Field(
        default="deny", description="Answer to tool calls that the active stage does not allow the role to make."
    )
    files: bool = Field(default=True, description="Whether agents get what is known of a file that they read or edit.")
    brief_tokens: Annotated[int, Field(ge=0, le=MOST_BRIEF_TOKENS)] = Field(
        default=BRIEF_TOKENS, description="The most tokens that a session begins with; 0 is nothing."
    )
    recall: bool = Field(default=True, description="Whether each prompt gets the items that fit it well.")
    hold: bool = Field(default=False, description="Whether an agent may not stop while the stage's gate is closed.")

    def settings(self) -> HookSettings:
        """Return what the section says, as the program uses it."""
        return HookSettings(
            self.record, Share(self.share), ToolTable(self.tools), self.files, self.brief_tokens, self.recall, self.hold
        )
