"""What every section of `config.yaml` shares: how strict it is, and how a rule tells its sentence."""

from collections.abc import Callable

from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

WRONG = "wrong"
"""The type of an error that the table of expectations explains."""
SENTENCE = "sentence"
"""The type of an error that brings its own predicate; `at`, if any, is the key below that it is about."""


class Section(BaseModel):
    """A mapping in the file: known keys only, and no value is bent to fit."""

    model_config = ConfigDict(extra="forbid", strict=True)


def sentence(text: str, at: str = "") -> PydanticCustomError:
    """Return an error whose predicate is `text`."""
    return PydanticCustomError(SENTENCE, "{text}", {"text": text, "at": at})


def obeys(problem: Callable[[str], str | None]) -> AfterValidator:
    """Return the check that a text has no problem, told as a predicate on the text."""

    def check(text: str) -> str:
        found = problem(text)
        if found:
            raise sentence(f'"{text}" {found}')
        return text

    return AfterValidator(check)
