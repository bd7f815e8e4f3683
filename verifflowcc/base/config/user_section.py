"""The shape of a person's own settings, and the bytes of that file → `UserSettings`. Imports yaml and pydantic."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from verifflowcc.base.config.config_description import DescribedSection, section_of
from verifflowcc.base.config.config_validate import dotted, line_of, refuse_newer
from verifflowcc.base.config.gates_section import SENTENCE, StrictSection
from verifflowcc.base.config.yaml_values import AmbiguousScalar, Lines, Loc, read_yaml
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.config_values import USER_FORMAT, ModelSettings, UserSettings
from verifflowcc.base.model.settings import settings_in
from verifflowcc.base.records import replace
from verifflowcc.base.text.plain_words import nearest

if TYPE_CHECKING:
    UserMemorySection = DescribedSection
    LlmSection = DescribedSection
else:
    UserMemorySection = section_of("memory", UserSettings())
    LlmSection = section_of("llm", ModelSettings())


class UserFileSection(StrictSection):
    """A person's own settings."""

    format: Annotated[int, Field(ge=1, le=USER_FORMAT)] = Field(default=USER_FORMAT, description="Format of this file.")
    memory: UserMemorySection = Field(default_factory=UserMemorySection)
    llm: LlmSection = Field(default_factory=LlmSection)


_KEYS: dict[Loc, list[str]] = {
    (): [*UserFileSection.model_fields],
    ("memory",): [*UserMemorySection.model_fields],
    ("llm",): [*LlmSection.model_fields],
}
_KEPT_IN = settings_in(UserSettings())["backend"].choices
_EXPECTED: dict[Loc, str] = {
    ("format",): "1",
    **{(name,): f"a mapping with keys out of {', '.join(_KEYS[name,])}" for name in ("memory", "llm")},
    **{("memory", name): words for name, words in UserMemorySection.expected_words.items()},
    **{("llm", name): words for name, words in LlmSection.expected_words.items()},
    ("memory", "backend"): f"one of {', '.join(_KEPT_IN)}",
}
_NAMES = frozenset(name for names in _KEYS.values() for name in names)


def read_user_settings(data: bytes, name: str) -> UserSettings:
    """Return what the file says; raise ConfigError with every problem, `name:LINE: …`, in the order of the lines."""
    plain = read_yaml(data, name, exact=True)
    refuse_newer(plain, name, USER_FORMAT)
    found = [(int(problem.removeprefix(f"{name}:").split(":", 1)[0]), problem) for problem in plain.problems]
    given = {} if plain.value is None and not plain.lines else plain.value
    try:
        section = UserFileSection.model_validate(given)
    except ValidationError as error:
        problems = (_problem(each, plain.lines) for each in error.errors(include_url=False))
        found += [(line, f"{name}:{line}: {why}") for line, why in problems]
    if found:
        raise ConfigError(tuple(dict.fromkeys(problem for _, problem in sorted(found))))
    found_settings: UserSettings = section.memory.settings()
    return replace(found_settings, llm=section.llm.settings())


def _problem(details: ErrorDetails, lines: Lines) -> tuple[int, str]:
    loc: Loc = tuple(part for part in details["loc"] if part in _NAMES)
    if details["type"] == "extra_forbidden":
        return line_of(details["loc"], lines), _unknown_key(details["loc"])
    line = line_of(loc, lines)
    if details["type"] == SENTENCE:
        return line, f"{dotted(loc)} {details['ctx']['text']}"
    return line, _not_expected(loc, details["input"])


def _unknown_key(loc: Loc) -> str:
    known = _KEYS[loc[:-1]]
    near = nearest(str(loc[-1]), known)
    where = f" in {dotted(loc[:-1])}" if loc[:-1] else ""
    return f"unknown key {loc[-1]}{where}; allowed: {', '.join(known)}" + (f"; did you mean {near}?" if near else "")


def _not_expected(loc: Loc, value: object) -> str:
    name, expected = dotted(loc) or "the file", _EXPECTED.get(loc, f"a mapping with keys out of {', '.join(_KEYS[()])}")
    if value is None:
        return f"{name} has no value; give it {expected}, or remove the line"
    if isinstance(value, AmbiguousScalar):
        return f"{name} must be {expected}, and YAML reads {value.text} as {value.reading}; {value.advice}"
    near = nearest(value, _KEPT_IN) if isinstance(value, str) and loc == ("memory", "backend") else None
    return f"{name} must be {expected}" + (f"; did you mean {near}?" if near else "")
