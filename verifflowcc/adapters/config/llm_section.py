"""The shape of what a person's own settings say of a model: which one may be asked, and how much.

No key stands here: the client library reads keys from the environment, and a command has its own.
"""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from verifflowcc.adapters.config.section import Section, sentence
from verifflowcc.adapters.config.yaml_values import Loc
from verifflowcc.domain.user_settings import ModelSettings

LONGEST_WORD = 4_096
MOST_WORDS = 100
LONGEST_TIMEOUT_S = 3_600
MOST_CALLS = 1_000_000
MOST_TOKENS = 1_000_000_000
_API = re.compile(r"[a-z][a-z0-9_/-]*:[^\s:][^\s]*")
_TOKENS = f"a whole number from 1 to {MOST_TOKENS:,}"

EXPECTED_OF_MODEL: dict[Loc, str] = {
    ("llm",): "a mapping with keys out of command, api, timeout_s, max_calls_per_day, max_tokens_per_turn, "
    "max_tokens_per_day",
    ("llm", "command"): f"a list of 1 to {MOST_WORDS} words, such as [claude, -p]",
    ("llm", "api"): "a text such as openai:gpt-5-mini",
    ("llm", "timeout_s"): f"a whole number of seconds from 1 to {LONGEST_TIMEOUT_S:,}",
    ("llm", "max_calls_per_day"): f"a whole number from 0 to {MOST_CALLS:,}",
    ("llm", "max_tokens_per_turn"): _TOKENS,
    ("llm", "max_tokens_per_day"): _TOKENS,
}


def _names_provider_and_model(text: str) -> str:
    if not _API.fullmatch(text):
        raise sentence("names no provider and model; give it a text such as openai:gpt-5-mini")
    return text


Word = Annotated[str, Field(max_length=LONGEST_WORD)]
Api = Annotated[str, Field(max_length=200), AfterValidator(_names_provider_and_model)]
Tokens = Annotated[int, Field(ge=1, le=MOST_TOKENS)]
_DEFAULT = ModelSettings()


class LlmSection(Section):
    """The model that may be asked, and the caps on it. Without a command and an api there is none."""

    command: Annotated[list[Word], Field(min_length=1, max_length=MOST_WORDS)] | None = Field(
        default=None, description="A program that reads a prompt on stdin and answers on stdout."
    )
    api: Api | None = Field(
        default=None, description="`provider:model`, with verifflowcc[llm]; not together with a command."
    )
    timeout_s: Annotated[int, Field(ge=1, le=LONGEST_TIMEOUT_S)] = Field(
        default=_DEFAULT.timeout_s, description="Seconds until a call is given up."
    )
    max_calls_per_day: Annotated[int, Field(ge=0, le=MOST_CALLS)] = Field(
        default=_DEFAULT.max_calls_per_day, description="The most calls per UTC day."
    )
    max_tokens_per_turn: Tokens = Field(
        default=_DEFAULT.max_tokens_per_turn, description="The most tokens per turn, in and out together."
    )
    max_tokens_per_day: Tokens = Field(
        default=_DEFAULT.max_tokens_per_day, description="The most tokens per UTC day, in and out together."
    )

    @model_validator(mode="after")
    def names_one_model(self) -> "LlmSection":
        """Refuse two models, of which nobody could say which one is asked."""
        if self.command is not None and self.api is not None:
            raise sentence("has a command and an api; keep one of them")
        return self

    def settings(self) -> ModelSettings:
        """Return what the section says, as the program uses it."""
        return ModelSettings(
            command=tuple(self.command or ()),
            api=self.api,
            timeout_s=self.timeout_s,
            max_calls_per_day=self.max_calls_per_day,
            max_tokens_per_turn=self.max_tokens_per_turn,
            max_tokens_per_day=self.max_tokens_per_day,
        )
