"""The bytes of `config.yaml` → a valid configuration, or every problem in it. Imports yaml and pydantic."""

from collections.abc import Collection, Mapping

from pydantic import ValidationError

from verifflowcc.adapters.config import defaults
from verifflowcc.adapters.config.gates_section import GatesSection
from verifflowcc.adapters.config.models import AllocationSection, FileSection
from verifflowcc.adapters.config.problems import problems_of
from verifflowcc.adapters.config.yaml_values import Lines, Plain, Value, read_yaml
from verifflowcc.domain.config import (
    DEFAULT_ROLE,
    DEFAULT_SHARES,
    FORMAT,
    MERGED_ROLES,
    Allocation,
    Config,
    GateSettings,
    LayerStrategy,
    ScopeMode,
)
from verifflowcc.domain.evidence import Command
from verifflowcc.domain.gates import Mode
from verifflowcc.domain.layers import Layer
from verifflowcc.errors import ConfigError
from verifflowcc.records import dataclass, replace
from verifflowcc.text.digest import digest_text

NAME = "config.yaml"
OWN_ITEMS = ("conventions/*.md", "decisions/*.md", "items/*/*.md")
"""Where typed items are in a role's own folder."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A valid configuration, the line of each place that the file gives (keys from the top), and the file's format."""

    config: Config
    lines: Lines
    format: int = FORMAT


def check(data: bytes, workflows: Collection[str]) -> Checked:
    """Validate the file's content; `workflows` are the names that `workflow` may have.

    Raises ConfigError with all problems, each `config.yaml:LINE: …`, in the order of the lines.
    """
    plain = read_yaml(data, NAME, exact=True)
    refuse_newer(plain, NAME, FORMAT)
    problems = list(plain.problems)
    try:
        section = FileSection.model_validate(
            {} if plain.value is None and not plain.lines else plain.value, context={"workflows": frozenset(workflows)}
        )
    except ValidationError as error:
        found = problems_of(error, plain.lines, workflows)
        problems += [f"{NAME}:{problem.line}: {problem.sentence}" for problem in found]
    if problems:
        raise ConfigError(tuple(sorted(dict.fromkeys(problems), key=_line)), hint="vfcc config schema")
    return Checked(_config(section, digest_text(data)), plain.lines, section.format)


def _line(problem: str) -> int:
    return int(problem.split(":", 2)[1])


def refuse_newer(plain: Plain, name: str, newest: int) -> None:
    """Raise ConfigError for a file of a format above `newest`: its format is then the one problem that is reported."""
    given: Value = plain.value.get("format") if isinstance(plain.value, dict) else None
    if isinstance(given, int) and not isinstance(given, bool) and given > newest:
        sentence = f"format {given} is newer than this vfcc understands ({newest})"
        raise ConfigError((f"{name}:{plain.lines['format',]}: {sentence}",), hint="pip install --upgrade verifflowcc")


def _config(section: FileSection, digest: str) -> Config:
    strategies = {}
    for layer in defaults.LAYERS:
        given = section.loading_strategy.layer(layer)
        strategies[layer] = LayerStrategy(
            tuple(given.always_load), tuple(given.conditional_load), given.max_tokens, given.head_tail_preserve
        )
    allocations = defaults.ALLOCATIONS
    if "token_allocation" in section.model_fields_set:
        merged = section.format >= MERGED_ROLES and DEFAULT_ROLE not in section.token_allocation
        allocations = _allocations(section.token_allocation, defaults.ALLOCATIONS if merged else {})
    git, gates = section.git.settings(), _gates(section.gates)
    trace, memory = section.trace.settings(), section.memory.settings()
    if memory.scope.mode is ScopeMode.SKILL:
        strategies[Layer.AGENT] = _with_own_items(strategies[Layer.AGENT])
    hooks = section.hooks.settings()
    mixes = {role: given.mix() for role, given in sorted(section.code_mix.items())}
    return Config(
        strategies,
        allocations,
        section.workflow,
        git,
        section.tokens.settings(),
        digest,
        gates,
        trace,
        memory,
        hooks,
        mixes,
    )


def _with_own_items(given: LayerStrategy) -> LayerStrategy:
    """Let a role draw on the items that are its own, where what it learns is given to it."""
    named = {*given.always_load, *given.conditional_load}
    more = tuple(pattern for pattern in OWN_ITEMS if pattern not in named)
    return replace(given, conditional_load=(*given.conditional_load, *more))


def _gates(section: GatesSection) -> GateSettings:
    commands = {
        name: Command(name, tuple(given.run), given.timeout, given.reports.given(), tuple(given.inputs))
        for name, given in sorted(section.commands.items())
    }
    return GateSettings(commands, {name: Mode(mode) for name, mode in sorted(section.modes.items())})


def _allocations(sections: dict[str, AllocationSection], shipped: Mapping[str, Allocation]) -> dict[str, Allocation]:
    """Take what a role leaves out, its shares as a whole or its budget, from `default`, or else from `shipped`."""
    default = sections.get(DEFAULT_ROLE)
    shares = (default.shares() if default else None) or DEFAULT_SHARES
    preset = default.preset() if default else None
    budget = default.budget if default else None
    own = {role: shipped[role].shares if role in shipped else shares for role in sections}
    given = {role: _allocation(each, own[role], preset, budget) for role, each in sections.items()}
    return dict(sorted({**shipped, **given}.items()))


def _allocation(
    given: AllocationSection, shares: Mapping[Layer, int], preset: str | None, budget: int | None
) -> Allocation:
    own = given.shares()
    return Allocation(own or shares, given.budget or budget, given.preset() if own else preset)
