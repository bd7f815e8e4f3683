"""The shape of the section `code_mix` of `config.yaml`: what sorts of code each role's prompt shows."""

from decimal import Decimal

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from verifflowcc.adapters.config.patterns import decimal_text
from verifflowcc.adapters.config.section import Section, sentence
from verifflowcc.adapters.config.shares import Share, decimals_listed
from verifflowcc.domain.code_mix import MIXES, PARTS, WHOLE, CodeMix
from verifflowcc.text.near import nearest


class CodeMixSection(Section):
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
