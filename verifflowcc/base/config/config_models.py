"""The shape of `config.yaml`, for validation at the edge and for the JSON Schema. Inside, `domain.config` is used.

Defaults come from `defaults`; the sentences for people are made in `problems`.
"""

from collections.abc import Collection
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    AfterValidator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from verifflowcc.base.config.config_defaults import LAYERS, STRATEGIES, WORKFLOW
from verifflowcc.base.config.config_description import (
    CodeMixSection,
    DescribedSection,
    Share,
    decimals_listed,
    section_of,
)
from verifflowcc.base.config.gates_section import WRONG, GatesSection, StrictSection, obeys, sentence
from verifflowcc.base.model.config_values import (
    FORMAT,
    PRESETS,
    SHARE_UNIT,
    GitSettings,
    HookSettings,
    MemorySettings,
    RunSettings,
    TokenSettings,
    TraceSettings,
    decimal_text,
)
from verifflowcc.base.model.layers import LAYER_OF, Layer
from verifflowcc.base.text.glob import LONGEST_PATTERN, NAME, ROLE, pattern_problem, role_problem
from verifflowcc.base.text.plain_words import nearest

MOST_TOKENS = 1_000_000_000


def _known_workflow(name: str, info: ValidationInfo) -> str:
    known = (info.context or {}).get("workflows", ())
    if name not in known:
        raise PydanticCustomError(WRONG, WRONG)
    return name


_FILES = r"[^@/~\\][^\\]*"
Role = Annotated[str, obeys(role_problem), WithJsonSchema({"type": "string", "pattern": ROLE})]
Tokens = Annotated[int, Field(ge=1, le=MOST_TOKENS)]


class LayerSection(StrictSection):
    """Which files a layer considers for a prompt."""

    always_load: list[str]
    conditional_load: list[str]
    max_tokens: Tokens
    head_tail_preserve: Annotated[int, Field(ge=0, le=MOST_TOKENS)]


def _patterns_of(layer: Layer) -> Any:
    """The type of a list of what this layer may name: patterns of its files, and the virtual sources that are its."""
    names = [*(name for name, home in LAYER_OF.items() if home is layer), *([] if layer is Layer.USER else [_FILES])]
    text = {"type": "string", "minLength": 1, "maxLength": LONGEST_PATTERN, "pattern": f"^({'|'.join(names)})$"}
    pattern = Annotated[str, obeys(lambda given: pattern_problem(given, layer)), WithJsonSchema(text)]
    return list[pattern]


def _layer_section(layer: Layer) -> type[LayerSection]:
    default = STRATEGIES[layer]
    return create_model(
        f"{layer.value.title()}Layer",
        __base__=LayerSection,
        __doc__=f"Which files the {layer} layer considers for a prompt.",
        always_load=(
            _patterns_of(layer),
            Field(list(default.always_load), description="Patterns that must be in the prompt, in this order."),
        ),
        conditional_load=(
            _patterns_of(layer),
            Field(list(default.conditional_load), description="Patterns of which the most relevant files come in."),
        ),
        max_tokens=(
            Tokens,
            Field(
                default.max_tokens,
                description="The most that this layer may take of a prompt, beside rules that are always loaded.",
            ),
        ),
        head_tail_preserve=(
            Annotated[int, Field(ge=0, le=MOST_TOKENS)],
            Field(
                default.head_tail_preserve,
                description="Offer the first and the last N of the ranked files before the others; 0 ranks as usual.",
            ),
        ),
    )


LAYER_SECTIONS = {layer: _layer_section(layer) for layer in LAYERS}
_STRATEGY_FIELDS = {
    layer.value: (section, Field(default_factory=section, description=f"Files of the {layer} layer."))
    for layer, section in LAYER_SECTIONS.items()
}


class StrategySection(StrictSection):
    """Which files each layer considers; a layer or a key that is left out has its default."""

    def layer(self, layer: Layer) -> LayerSection:
        """Return one layer's section."""
        section = getattr(self, layer.value)
        if not isinstance(section, LayerSection):
            raise TypeError(layer)
        return section


if TYPE_CHECKING:
    LoadingStrategy = StrategySection
else:
    LoadingStrategy = create_model(
        "LoadingStrategy", __base__=StrategySection, __doc__=StrategySection.__doc__, **_STRATEGY_FIELDS
    )


class AllocationSection(StrictSection):
    """A role's share of the budget per layer. The shares add up to 1; a layer that is left out has none."""

    project: Share = Field(default=0, description="Share of the project layer, from 0 to 1.")
    sprint: Share = Field(default=0, description="Share of the sprint layer, from 0 to 1.")
    stage: Share = Field(default=0, description="Share of the stage layer, from 0 to 1.")
    agent: Share = Field(default=0, description="Share of the agent layer, from 0 to 1.")
    user: Share = Field(default=0, description="Share of the user layer; without one, leftovers up to a tenth.")
    budget: Tokens | None = Field(default=None, description="The role's budget in tokens, unless --budget is given.")
    _preset: str | None = PrivateAttr(default=None)

    def shares(self) -> dict[Layer, int] | None:
        """Return the shares in millionths; None where the role names none."""
        if not self.model_fields_set & {layer.value for layer in LAYERS}:
            return None
        return dict(zip(LAYERS, (self.project, self.sprint, self.stage, self.agent, self.user), strict=True))

    def preset(self) -> str | None:
        """Return the preset that the role named in the place of shares."""
        return self._preset

    @model_validator(mode="wrap")
    @classmethod
    def takes_a_preset(cls, value: object, made: ModelWrapValidatorHandler["AllocationSection"]) -> "AllocationSection":
        """Take the name of a preset for its shares."""
        if not isinstance(value, str):
            return made(value)
        if value not in PRESETS:
            near = nearest(value, PRESETS)
            names = ", ".join(PRESETS)
            ask = f"; did you mean {near}?" if near else f"; the presets are {names}"
            raise sentence(f'names no preset: "{value}"{ask}')
        section = made({layer.value: Decimal(decimal_text(share)) for layer, share in PRESETS[value].items()})
        section._preset = value
        return section

    @model_validator(mode="after")
    def adds_up(self) -> "AllocationSection":
        """Refuse shares that do not add up to 1, and a role that says nothing."""
        shares = self.shares()
        if shares is None:
            if self.budget is None:
                raise sentence("gives neither shares nor a budget; give them, or remove the role")
            return self
        total = sum(shares.values())
        if total != SHARE_UNIT:
            listed = decimals_listed({layer: each for layer, each in shares.items() if each or layer is not Layer.USER})
            raise sentence(f"adds up to {decimal_text(total)}, not to 1 ({listed})")
        return self


if TYPE_CHECKING:
    TraceSection = DescribedSection
    MemorySection = DescribedSection
    HooksSection = DescribedSection
    GitSection = DescribedSection
    RunSection = DescribedSection
    TokensSection = DescribedSection
else:
    TraceSection = section_of("trace", TraceSettings())
    MemorySection = section_of("memory", MemorySettings())
    HooksSection = section_of("hooks", HookSettings())
    GitSection = section_of("git", GitSettings())
    RunSection = section_of("run", RunSettings())
    TokensSection = section_of("tokens", TokenSettings())


class FileSection(StrictSection):
    """What goes into an agent's prompt, and what is run for evidence (`.memory/config.yaml`)."""

    format: Annotated[int, Field(ge=1, le=FORMAT)] = Field(
        default=1, description=f"Format of this file: {FORMAT} in new projects."
    )
    workflow: Annotated[str, AfterValidator(_known_workflow)] = Field(
        default=WORKFLOW, description="The workflow that a new sprint follows."
    )
    loading_strategy: LoadingStrategy = Field(
        default_factory=LoadingStrategy, description="Which files each layer considers."
    )
    token_allocation: dict[Role, AllocationSection] = Field(
        default_factory=dict, description="Each role's shares; `default` holds for every role that is not named."
    )
    code_mix: dict[Role, CodeMixSection] = Field(
        default_factory=dict, description="Each role's mix of code; `default` holds for roles with no mix of their own."
    )
    gates: GatesSection = Field(
        default_factory=GatesSection,
        description="Commands that are run for evidence, and the strictness of a new sprint's gates.",
    )
    trace: TraceSection = Field(
        default_factory=TraceSection, description="Places that the trace reads, beside its items."
    )
    memory: MemorySection = Field(
        default_factory=MemorySection, description="How typed items are kept, and how many of them a role is offered."
    )
    hooks: HooksSection = Field(
        default_factory=HooksSection, description="Recording, hints and denials of the hooks of agent clients."
    )
    git: GitSection = Field(default_factory=GitSection, description="Use of git.")
    run: RunSection = Field(default_factory=RunSection, description="What agents that `vfcc run` drives work with.")
    tokens: TokensSection = Field(default_factory=TokensSection, description="How tokens are counted.")


# The JSON Schema of `config.yaml`, for editors.

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def json_schema(workflows: Collection[str]) -> dict[str, Json]:
    """Return the schema in draft 2020-12, with a description on every key.

    It offers `workflows`, and takes any name: a project may have a workflow of its own.
    """
    schema: dict[str, Json] = FileSection.model_json_schema()
    properties = _mapping(schema["properties"])
    if workflows:
        _mapping(properties["workflow"])["anyOf"] = [{"enum": [*sorted(workflows)]}, {"pattern": NAME}]
    _name_keys(properties["token_allocation"], ROLE)
    _or_preset(_mapping(_mapping(properties["token_allocation"])["patternProperties"]))
    gates = _mapping(_mapping(_mapping(schema["$defs"])["GatesSection"])["properties"])
    _name_keys(gates["commands"], NAME)
    _name_keys(gates["modes"], NAME)
    _without_titles(schema)
    return {"$schema": DIALECT, "title": "vfcc configuration", **schema}


def _name_keys(value: Json, pattern: str) -> None:
    """Say of a mapping from names what its keys look like, and that it has no others."""
    names = _mapping(value)
    section = names.pop("additionalProperties", None)
    names.pop("propertyNames", None)
    if section is not None:
        names["patternProperties"] = {pattern: section}
    names["additionalProperties"] = False


def _or_preset(roles: dict[str, Json]) -> None:
    """A role's shares may be given by the name of a preset."""
    roles[ROLE] = {"anyOf": [roles[ROLE], {"type": "string", "enum": [*PRESETS]}]}


def _mapping(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value


def _without_titles(value: Json) -> None:
    """Drop the titles that pydantic derives from names: they say nothing that the key does not."""
    if isinstance(value, dict):
        if isinstance(value.get("title"), str):
            del value["title"]
        for child in value.values():
            _without_titles(child)
