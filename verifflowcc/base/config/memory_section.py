"""The shape of the section `code_mix` of `config.yaml`: what sorts of code each role's prompt shows."""

from decimal import Decimal
from typing import Annotated

from pydantic import BeforeValidator, Field, ModelWrapValidatorHandler, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from verifflowcc.base.config.gates_section import WRONG, StrictSection, sentence
from verifflowcc.base.model.config_values import MIXES, PARTS, SHARE_UNIT, WHOLE, CodeMix, decimal_text, millionths
from verifflowcc.base.text.plain_words import nearest

# Shares of a whole in `config.yaml`: decimals from 0 to 1, kept in millionths.


def millionths_between(least: int, most: int) -> BeforeValidator:
    """Return the check that a number has at most six decimals and lies between two others, in millionths."""

    def check(value: object) -> int:
        scaled = millionths(value)
        if scaled is None or not least <= scaled <= most:
            raise PydanticCustomError(WRONG, WRONG)
        return scaled

    return BeforeValidator(check)


Share = Annotated[
    int, millionths_between(0, SHARE_UNIT), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})
]


def decimals_listed(shares: dict[str, int]) -> str:
    """Return shares as a person writes them.

    >>> decimals_listed({"bodies": 900_000, "tests": 0})
    'bodies 0.9, tests 0'
    """
    return ", ".join(f"{name} {decimal_text(share)}" for name, share in shares.items())


class CodeMixSection(StrictSection):
    """The share of each part of a role's code. They add up to 1; a part that is left out has none."""

    bodies: Share = Field(default=0, description="Share of functions, whole.")
    tests: Share = Field(default=0, description="Share of tests and the fixtures that they use.")
    interfaces: Share = Field(default=0, description="Share of signatures and fields.")
    callers: Share = Field(default=0, description="Share of the signatures of what calls the code.")
    map: Share = Field(default=0, description="Share of an overview of all files.")
    diff: Share = Field(default=0, description="Share of what changed: since the building stage began, and now.")

    def mix(self) -> CodeMix:
        """Return the mix in millionths."""
        return CodeMix(**{name: getattr(self, name) for name in PARTS})

    @model_validator(mode="wrap")
    @classmethod
    def takes_a_name(cls, value: object, made: ModelWrapValidatorHandler["CodeMixSection"]) -> "CodeMixSection":
        """Take the name of a role with a shipped mix for its shares."""
        if not isinstance(value, str):
            return made(value)
        if value not in MIXES:
            near = nearest(value, MIXES)
            ask = f"did you mean {near}?" if near else f"the mixes are {', '.join(MIXES)}"
            raise sentence(f'names no mix: "{value}"; {ask}')
        return made({name: Decimal(decimal_text(share)) for name, share in MIXES[value].shares().items()})

    @model_validator(mode="after")
    def adds_up(self) -> "CodeMixSection":
        """Refuse shares that do not add up to 1."""
        shares = {name: getattr(self, name) for name in PARTS}
        total = sum(shares.values())
        if total != WHOLE:
            listed = decimals_listed({name: share for name, share in shares.items() if share}) or "it names none"
            raise sentence(f"adds up to {decimal_text(total)}, not to 1 ({listed})")
        return self
