"""Shares of a whole in `config.yaml`: decimals from 0 to 1, kept in millionths."""

from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from verifflowcc.adapters.config.patterns import decimal_text, millionths
from verifflowcc.adapters.config.section import WRONG
from verifflowcc.domain.config import SHARE_UNIT


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
