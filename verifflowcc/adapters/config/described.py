"""Sections of `config.yaml` made from the descriptions of their keys in `domain/config.py`."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, create_model, model_validator

from verifflowcc.adapters.config.forms import FORMS
from verifflowcc.adapters.config.section import Section, sentence
from verifflowcc.domain.config import MemorySettings, TokenSettings, WindowSettings
from verifflowcc.domain.settings import Setting, settings_in
from verifflowcc.domain.user_settings import ModelSettings
from verifflowcc.records import is_record

_NAMES = {"assembly": "AssembliesSection"}
"""Sections that are not called by their key."""


class DescribedSection(Section):
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


def section_of(name: str, record: Any, given: Setting | None = None) -> type[DescribedSection]:
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


def _form(setting: Setting, default: object) -> tuple[Any, str, str]:
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


def choices_of(setting: Setting, default: object) -> tuple[str, ...]:
    """Return the values that a key may have; nothing where they are not listed."""
    return setting.choices or (tuple(str(each) for each in type(default)) if isinstance(default, StrEnum) else ())


def _field(setting: Setting, default: Any, title: str) -> Any:
    form = FORMS.get(setting.form)
    if form and form.optional:
        return Field(default=default or None, description=title)
    if isinstance(default, tuple | dict) and not default:
        return Field(default_factory=list if isinstance(default, tuple) else dict, description=title)
    shown = [*default] if isinstance(default, tuple) else str(default) if isinstance(default, StrEnum) else default
    extra = {"default": form.written(default)} if form and form.written else None
    return Field(default=shown, description=title, json_schema_extra=extra)
