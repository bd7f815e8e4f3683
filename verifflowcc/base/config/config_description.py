"""Make sections of `config.yaml` from the descriptions of their keys in `base/model/config_values.py`."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import parse_qsl

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from verifflowcc.base.config.gates_section import WRONG, InputPattern, StrictSection, obeys, sentence
from verifflowcc.base.model.config_values import (
    MIXES,
    PARTS,
    SHARE_UNIT,
    WHOLE,
    CodeMix,
    MemorySettings,
    ModelSettings,
    SpeakerTrust,
    TokenSettings,
    WindowSettings,
    decimal_text,
    millionths,
)
from verifflowcc.base.model.item_values import TYPES, USER_TYPES
from verifflowcc.base.model.settings import SettingRule, settings_in
from verifflowcc.base.records import dataclass, is_record
from verifflowcc.base.text.glob import (
    LONGEST_PATTERN,
    NAME,
    ROLE,
    branch_problem,
    name_problem,
    path_problem,
    pattern_fault,
    role_problem,
)
from verifflowcc.base.text.plain_words import nearest

# The forms that a configuration key may name: what the file may hold there, and the words for it.


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


MOST_DAYS = 36_500
_THOUSAND = 1_000
_INTERVAL = r"[1-9][0-9]{0,4}d"
_TEXT = {"type": "string", "minLength": 1, "maxLength": LONGEST_PATTERN}


@dataclass(frozen=True, slots=True)
class ValueForm:
    """A form: the type of its value, the words for that and for an item of it, and how its value is written.

    `optional`: an absent value is `null` in the schema.
    """

    type: Any
    expected: str
    item: str = ""
    written: Callable[[Any], Any] | None = None
    optional: bool = False


def _thousandths(value: object) -> int:
    scaled = millionths(value)
    if scaled is None or not 0 <= scaled <= _THOUSAND * _THOUSAND or scaled % _THOUSAND:
        raise PydanticCustomError(WRONG, WRONG)
    return scaled // _THOUSAND


def _days(value: object) -> int:
    if not isinstance(value, str) or not re.fullmatch(_INTERVAL, value) or int(value[:-1]) > MOST_DAYS:
        raise PydanticCustomError(WRONG, WRONG)
    return int(value[:-1])


def _one_of(types: Mapping[str, object], what: str) -> Any:
    def problem(name: str) -> str | None:
        if name in types:
            return None
        near = nearest(name, types)
        return f"is no type of {what}; " + (f"did you mean {near}?" if near else f"the types are {', '.join(types)}")

    return Annotated[str, obeys(problem), WithJsonSchema({"type": "string", "enum": [*types]})]


def _file_problem(path: str) -> str | None:
    found = path_problem(path, "the project")
    if found:
        return found
    if path.endswith("/"):
        return "names a folder; name the file"
    return "lies in .git/, where git keeps its own" if path.split("/", maxsplit=1)[0] == ".git" else None


def _expression_problem(pattern: str) -> str | None:
    if not pattern:
        return "is empty; no id would fit it"
    if len(pattern) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters"
    fault = pattern_fault(pattern)
    return f"cannot be used: {fault}" if fault else None


def _command_problem(command: str) -> str | None:
    if not command.strip():
        return "is empty; name a command, such as make test"
    if len(command) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters"
    if not command.isprintable() or "`" in command:
        return "must be one line of printable characters, with no backquote"
    return None


def _text(problem: Callable[[str], str | None], **schema: str) -> Any:
    return Annotated[str, obeys(problem), WithJsonSchema({**_TEXT, **schema})]


LARGEST_FACTOR = 10 * SHARE_UNIT
LONGEST_WORD = 4_096
MOST_WORDS = 100
_API = re.compile(r"[a-z][a-z0-9_/-]*:[^\s:][^\s]*")
_CREDENTIALS = re.compile(r"\s*[a-z]+://[^@/:]*:[^@/]+@")
_PASSWORD_WORD = re.compile(r"(?:^|\s)(?:ssl)?password\s*=", re.IGNORECASE)
_SECRET = ("password", "sslpassword")


def _names_provider_and_model(text: str) -> str:
    if not _API.fullmatch(text):
        raise sentence("names no provider and model; give it a text such as openai:gpt-5-mini")
    return text


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


_FILE = Annotated[str, obeys(_file_problem), WithJsonSchema({**_TEXT, "pattern": r"^[^/~\\][^\\]*$"})]
_ROLE = Annotated[str, obeys(role_problem), WithJsonSchema({"type": "string", "pattern": ROLE})]
_DAYS = Annotated[int, Field(ge=1, le=MOST_DAYS)]
_TRUST = Annotated[Literal["human", "agent", "external"], AfterValidator(SpeakerTrust)]
_MODEL = Annotated[str, Field(min_length=1, max_length=100)]
_FACTOR = Annotated[
    int,
    millionths_between(1, LARGEST_FACTOR),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": LARGEST_FACTOR // SHARE_UNIT}),
]
_PART = {"type": "number", "minimum": 0, "maximum": 1}
_A_FILE = "the path of a file: a text such as build/"
FORMS: Mapping[str, ValueForm] = {
    "patterns": ValueForm(list[InputPattern], "a list of patterns", 'a pattern: a text such as "src/**"'),
    "files": ValueForm(list[_FILE], "a list of paths", f"{_A_FILE}junit.xml"),
    "file": ValueForm(_FILE | None, f"{_A_FILE}known.json"),
    "command": ValueForm(_text(_command_problem) | None, "a command: a text such as make test"),
    "branch": ValueForm(
        _text(branch_problem, pattern=r"^[^-\s]\S*$") | None, "the name of a branch: a text such as main"
    ),
    "expression": ValueForm(
        _text(_expression_problem, format="regex") | None, "a regular expression: a text such as REQ-[0-9]+"
    ),
    "roles": ValueForm(list[_ROLE], "a list of roles", "the name of a role: a text such as planner"),
    "user types": ValueForm(
        list[_one_of(dict.fromkeys(USER_TYPES), "user items")] | None,  # type: ignore[misc]
        "a list of types",
        "a type of user items: a text such as preference",
    ),
    "model name": ValueForm(_MODEL | None, "the name of a model: a text of 1 to 100 characters"),
    "factors": ValueForm(
        dict[_MODEL, _FACTOR],
        "a mapping from models to numbers",
        "a number above 0 and at most 10, with at most six decimals",
    ),
    "command of gates": ValueForm(
        Annotated[str, obeys(name_problem), WithJsonSchema({"type": "string", "pattern": NAME})] | None,
        "the name of a command in gates.commands: a text such as setup",
    ),
    "variables": ValueForm(
        list[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\*?$", max_length=100)]],
        "a list of names of variables",
        "the name of a variable: a text such as DATABASE_URL, or DATABASE_* for all that begin so",
    ),
    "fleet": ValueForm(
        Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", min_length=1, max_length=60)] | None,
        "a name such as shop or origin: letters, digits, dots, dashes",
    ),
    "words": ValueForm(
        Annotated[list[Annotated[str, Field(max_length=LONGEST_WORD)]], Field(min_length=1, max_length=MOST_WORDS)]
        | None,
        f"a list of 1 to {MOST_WORDS} words, such as [claude, -p]",
        optional=True,
    ),
    "model": ValueForm(
        Annotated[str, Field(max_length=200), AfterValidator(_names_provider_and_model)] | None,
        "a text such as openai:gpt-5-mini",
    ),
    "server": ValueForm(
        Annotated[str, Field(max_length=2_000), AfterValidator(_without_password)] | None,
        "a text such as postgresql://db.example.org/memory",
    ),
    "days by type": ValueForm(
        dict[_one_of(TYPES, "items"), _DAYS | None],  # type: ignore[misc]
        "a mapping from types to days",
        f"a whole number of days from 1 to {MOST_DAYS:,}, or null: never",
    ),
    "speaker trust": ValueForm(
        dict[Annotated[str, Field(min_length=1, max_length=80)], _TRUST],
        "a mapping from names to human, agent or external",
        "one of human, agent, external",
    ),
    "days": ValueForm(
        Annotated[int, BeforeValidator(_days), WithJsonSchema({"type": "string", "pattern": f"^{_INTERVAL}$"})],
        "a number of days such as 7d",
        written="{}d".format,
    ),
    "thousandths": ValueForm(
        Annotated[int, BeforeValidator(_thousandths), WithJsonSchema(_PART)],
        "a number from 0 to 1 with at most three decimals",
        written=lambda value: value / _THOUSAND,
    ),
}


_NAMES = {"assembly": "AssembliesSection"}
"""Sections that are not called by their key."""


class DescribedSection(StrictSection):
    """A section whose keys are those of a record of settings."""

    made_from: ClassVar[Any]
    expected_words: ClassVar[dict[str, str]]
    """The words for the value of each key, and for an item of it under `KEY.*`."""

    def settings(self) -> Any:
        """Return what the section says, as the program uses it."""
        found = {}
        for name in settings_in(self.made_from):
            value, default = getattr(self, name), getattr(self.made_from, name)
            if isinstance(value, DescribedSection):
                value = value.settings()
            elif value is None and default == ():
                value = default
            elif isinstance(value, list):
                value = tuple(value)
            elif isinstance(value, dict):
                value = dict(sorted(value.items()))
            found[name] = type(default)(value) if isinstance(default, StrEnum) else value
        return type(self.made_from)(**found)


class _MemoryRules(DescribedSection):
    @model_validator(mode="before")
    @classmethod
    def names_no_server(cls, value: object) -> object:
        """Say where a server and an identity belong, instead of calling their keys unknown."""
        if isinstance(value, dict) and "postgres_url" in value:
            raise sentence(
                "belongs to your own settings ($XDG_CONFIG_HOME/vfcc/config.yaml, or VFCC_POSTGRES_URL); "
                "a project never says where a server is",
                "postgres_url",
            )
        if isinstance(value, dict) and "identity" in value:
            raise sentence(
                "belongs to your own environment, or a project could claim another's items; where the repository does "
                "not identify the project, set VFCC_PROJECT",
                "identity",
            )
        return value


class _WindowRules(DescribedSection):
    @model_validator(mode="after")
    def leaves_room(self) -> "_WindowRules":
        """Refuse a buffer that leaves nothing for the window."""
        given = self.settings()
        if given.buffer_tokens >= given.total_tokens:
            raise sentence(f"must be below total_tokens, {given.total_tokens:,}", "buffer_tokens")
        return self


class _ModelRules(DescribedSection):
    @model_validator(mode="after")
    def names_one_model(self) -> "_ModelRules":
        """Refuse two models, of which it is not clear which one is asked."""
        given = self.settings()
        if given.command and given.api is not None:
            raise sentence("has a command and an api; keep one of them")
        return self


class _TokenRules(DescribedSection):
    @model_validator(mode="after")
    def has_a_factor(self) -> "_TokenRules":
        """Refuse a model whose way of counting is not known."""
        given = self.settings()
        if given.model is not None and given.model not in given.factors:
            listed = ", ".join(given.factors) or "none"
            lacks = f"names {given.model}, which has no factor (factors given: {listed})"
            raise sentence(f"{lacks}; add it under tokens.factors", "model")
        return self


_RULES: dict[type, type[DescribedSection]] = {
    MemorySettings: _MemoryRules,
    WindowSettings: _WindowRules,
    ModelSettings: _ModelRules,
    TokenSettings: _TokenRules,
}


def section_of(name: str, record: Any, given: SettingRule | None = None) -> type[DescribedSection]:
    """Return the section of a key; `record` has its defaults, and `given` describes the key where it is one of many."""
    titles = dict(given.titles) if given else {}
    fields: dict[str, Any] = {}
    expected: dict[str, str] = {}
    for each, setting in settings_in(record).items():
        title, default = titles.get(each, setting.title), getattr(record, each)
        if is_record(default):
            section = section_of(each, default, setting)
            fields[each] = (section, Field(default_factory=section, description=title))
            continue
        made, expected[each], item = _form(setting, default)
        if item:
            expected[f"{each}.*"] = item
        fields[each] = (made, _field(setting, default, title))
    made_of = create_model(
        _NAMES.get(name, f"{name.title()}Section"),
        __base__=_RULES.get(type(record), DescribedSection),
        __doc__=(given.about if given else "") or type(record).__doc__,
        **fields,
    )
    made_of.made_from, made_of.expected_words = record, expected
    return made_of


def _form(setting: SettingRule, default: object) -> tuple[Any, str, str]:
    """Return the type of a key's value, the words for it, and those for an item of it."""
    if setting.form:
        form = FORMS[setting.form]
        return form.type, form.expected, form.item
    if isinstance(default, bool):
        return bool, "true or false", ""
    if isinstance(default, int):
        unit = f" of {setting.unit}" if setting.unit else ""
        limits: Any = Field(ge=setting.least, le=setting.most)
        return Annotated[int, limits], f"a whole number{unit} from {setting.least:,} to {setting.most:,}", ""
    return Literal[choices_of(setting, default)], "", ""


def choices_of(setting: SettingRule, default: object) -> tuple[str, ...]:
    """Return the values that a key may have; nothing where they are not listed."""
    return setting.choices or (tuple(str(each) for each in type(default)) if isinstance(default, StrEnum) else ())


def _field(setting: SettingRule, default: Any, title: str) -> Any:
    form = FORMS.get(setting.form)
    if form and form.optional:
        return Field(default=default or None, description=title)
    if isinstance(default, tuple | dict) and not default:
        return Field(default_factory=list if isinstance(default, tuple) else dict, description=title)
    shown = [*default] if isinstance(default, tuple) else str(default) if isinstance(default, StrEnum) else default
    extra = {"default": form.written(default)} if form and form.written else None
    return Field(default=shown, description=title, json_schema_extra=extra)


# Shares of a whole in `config.yaml`: decimals from 0 to 1, kept in millionths; and `code_mix`, which is made of them.
