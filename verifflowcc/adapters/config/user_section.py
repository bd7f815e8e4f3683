"""The shape of a person's own settings, and the bytes of that file → `UserSettings`. Imports yaml and pydantic."""

import re
from typing import Annotated, Literal
from urllib.parse import parse_qsl

from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from verifflowcc.adapters.config.llm_section import EXPECTED_OF_MODEL, LlmSection
from verifflowcc.adapters.config.problems import dotted, line_of
from verifflowcc.adapters.config.section import SENTENCE, Section, sentence
from verifflowcc.adapters.config.validate import refuse_newer
from verifflowcc.adapters.config.yaml_values import Ambiguous, Lines, Loc, read_yaml
from verifflowcc.domain.backends import BackendKind
from verifflowcc.domain.user_settings import USER_FORMAT, UserSettings
from verifflowcc.errors import ConfigError
from verifflowcc.text.near import nearest

LONGEST_URL = 2_000
_CREDENTIALS = re.compile(r"\s*[a-z]+://[^@/:]*:[^@/]+@")
_PASSWORD_WORD = re.compile(r"(?:^|\s)(?:ssl)?password\s*=", re.IGNORECASE)
_SECRET = ("password", "sslpassword")
_KEPT_IN = ("files", "sqlite", "postgres")
_EXPECTED: dict[Loc, str] = {
    ("format",): "1",
    ("memory",): "a mapping with keys out of backend, postgres_url",
    ("memory", "backend"): f"one of {', '.join(_KEPT_IN)}",
    ("memory", "postgres_url"): "a text such as postgresql://db.example.org/memory",
    **EXPECTED_OF_MODEL,
}


def holds_password(url: str) -> bool:
    """Say whether a libpq connection string or URL holds a password.

    >>> holds_password("postgresql://ada:secret@db/memory"), holds_password("host=db password=secret")
    (True, True)
    >>> holds_password("postgresql://ada@db/memory?sslmode=require")
    False
    """
    if not re.match(r"postgres(ql)?://", url.strip()):
        return bool(_PASSWORD_WORD.search(url))
    parameters = parse_qsl(url.partition("?")[2])
    return bool(_CREDENTIALS.match(url)) or any(name in _SECRET for name, _ in parameters)


def _without_password(url: str) -> str:
    """Refuse without saying the text: it may hold the password that it is refused for."""
    if not url.strip():
        raise sentence("is empty; give it a text such as postgresql://db.example.org/memory, or remove the line")
    if holds_password(url):
        raise sentence("holds a password; it belongs in ~/.pgpass, or in the file that PGPASSFILE names")
    return url


class UserMemorySection(Section):
    """How a person's own items are kept, and where a server is."""

    backend: Literal["files", "sqlite", "postgres"] = Field(
        default="files", description="The store of the person's own items."
    )
    postgres_url: Annotated[str, Field(max_length=LONGEST_URL), AfterValidator(_without_password)] | None = Field(
        default=None, description="A connection string or URL, without a password."
    )


class UserFileSection(Section):
    """A person's own settings."""

    format: Annotated[int, Field(ge=1, le=USER_FORMAT)] = Field(default=USER_FORMAT, description="Format of this file.")
    memory: UserMemorySection = Field(default_factory=UserMemorySection)
    llm: LlmSection = Field(default_factory=LlmSection)


_KEYS: dict[Loc, list[str]] = {
    (): [*UserFileSection.model_fields],
    ("memory",): [*UserMemorySection.model_fields],
    ("llm",): [*LlmSection.model_fields],
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
        told = (_problem(each, plain.lines) for each in error.errors(include_url=False))
        found += [(line, f"{name}:{line}: {why}") for line, why in told]
    if found:
        raise ConfigError(tuple(dict.fromkeys(problem for _, problem in sorted(found))))
    return UserSettings(BackendKind(section.memory.backend), section.memory.postgres_url, section.llm.settings())


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
    if isinstance(value, Ambiguous):
        return f"{name} must be {expected}, and YAML reads {value.text} as {value.reading}; {value.advice}"
    near = nearest(value, _KEPT_IN) if isinstance(value, str) and loc == ("memory", "backend") else None
    return f"{name} must be {expected}" + (f"; did you mean {near}?" if near else "")
