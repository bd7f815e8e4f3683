"""The bytes of `config.yaml` → a valid configuration, or every problem in it. Imports yaml and pydantic."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from verifflowcc.base.config import config_defaults as defaults
from verifflowcc.base.config.config_description import DescribedSection
from verifflowcc.base.config.config_models import MOST_TOKENS, AllocationSection, FileSection
from verifflowcc.base.config.gates_section import (
    LONGEST_TIMEOUT_S,
    LONGEST_WORD,
    MODES,
    MOST_WORDS,
    SENTENCE,
    GatesSection,
)
from verifflowcc.base.config.yaml_values import QUOTE, AmbiguousScalar, Lines, Loc, PlainValue, Value, read_yaml
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.config_values import (
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
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.gate_values import Mode
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.plain_words import nearest

# What pydantic found → one sentence per problem, with the line, what is allowed and the nearest valid name.

ANY = "*"
_SHOWN_CHARACTERS = 40
_NUMBERS = ("a whole number", "a number")


def _sections(place: Loc, section: type[BaseModel]) -> Iterator[tuple[Loc, type[BaseModel]]]:
    """Yield a section and those below it, each with its place; `*` is a name that a project chooses."""
    yield place, section
    for name, each in section.model_fields.items():
        found = each.annotation
        below = (*place, name)
        if get_origin(found) is dict:
            found, below = get_args(found)[1], (*below, ANY)
        if isinstance(found, type) and issubclass(found, BaseModel):
            yield from _sections(below, found)


def _choices() -> Iterator[tuple[Loc, tuple[str, ...]]]:
    for place, section in _SECTIONS:
        for name, each in section.model_fields.items():
            if get_origin(each.annotation) is Literal:
                yield (*place, name), get_args(each.annotation)


def _words() -> Iterator[tuple[Loc, str]]:
    for place, section in _SECTIONS:
        if issubclass(section, DescribedSection):
            yield from (((*place, *name.split(".")), words) for name, words in section.expected_words.items() if words)


_SECTIONS = tuple(_sections((), FileSection))
_ELSEWHERE: dict[Loc, str] = {
    ("llm",): "llm belongs to your own settings ($XDG_CONFIG_HOME/vfcc/config.yaml); a project cannot name a model: a "
    "clone of it could make this machine run a program, or send your text to another server",
}
"""What is no key here, though it is one in another place."""
_MODE: Loc = ("gates", "modes", ANY)
_CHOICES = dict(_choices())
_EXPECTED: tuple[tuple[Loc, str], ...] = (
    (("format",), f"a whole number from 1 to {FORMAT}" if FORMAT > 1 else "1"),
    (("token_allocation",), "a mapping from roles to their shares"),
    (("code_mix",), "a mapping from roles to their mixes"),
    (("code_mix", ANY, ANY), "a number from 0 to 1 with at most six decimals"),
    (("loading_strategy", ANY, "max_tokens"), f"a whole number from 1 to {MOST_TOKENS:,}"),
    (("loading_strategy", ANY, "head_tail_preserve"), f"a whole number from 0 to {MOST_TOKENS:,}"),
    (("loading_strategy", ANY, ANY), "a list of patterns"),
    (("loading_strategy", ANY, ANY, ANY), "a pattern: a text such as decisions/*.md"),
    (("token_allocation", ANY, "budget"), f"a whole number from 1 to {MOST_TOKENS:,}"),
    (("token_allocation", ANY, ANY), "a number from 0 to 1 with at most six decimals"),
    (("gates", "commands"), "a mapping from names to commands"),
    (("gates", "commands", ANY, "run"), f"a list of 1 to {MOST_WORDS} words, such as [python, -m, pytest]"),
    (("gates", "commands", ANY, "run", ANY), f"a text of at most {LONGEST_WORD:,} characters"),
    (("gates", "commands", ANY, "timeout"), f"a whole number of seconds from 1 to {LONGEST_TIMEOUT_S:,}"),
    (("gates", "commands", ANY, "reports", ANY), "the path of a file: a text such as build/junit.xml"),
    (("gates", "commands", ANY, "inputs"), "a list of patterns"),
    (("gates", "commands", ANY, "inputs", ANY), 'a pattern: a text such as "src/**"'),
    (("gates", "modes"), "a mapping from kinds or ids of criteria to modes"),
    *_words(),
)


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """One thing that is wrong, and the line where."""

    line: int
    sentence: str


def problems_of(error: ValidationError, lines: Lines, workflows: Collection[str]) -> tuple[ConfigProblem, ...]:
    """Return what is wrong as predicates on dotted names, in the order of the lines."""
    choices = {**_CHOICES, ("workflow",): tuple(sorted(workflows))}
    found = [_problem(details, lines, choices) for details in error.errors(include_url=False)]
    return tuple(sorted(found, key=lambda problem: (problem.line, problem.sentence)))


def line_of(loc: Loc, lines: Lines) -> int:
    """Return the line of a place, or of the nearest place around it that is in the file."""
    while loc and loc not in lines:
        loc = loc[:-1]
    return lines.get(loc, 1)


def dotted(loc: Iterable[str | int]) -> str:
    """Return a place's name without list positions: `loading_strategy.project.always_load`."""
    return ".".join(part for part in loc if isinstance(part, str))


def _problem(details: ErrorDetails, lines: Lines, choices: dict[Loc, tuple[str, ...]]) -> ConfigProblem:
    loc: Loc = tuple(part for part in details["loc"] if part != "[key]")
    line = line_of(loc, lines)
    if details["type"] == "extra_forbidden":
        return ConfigProblem(line, _unknown_key(loc))
    if details["type"] == "missing":
        return ConfigProblem(line, _missing_key(loc))
    if details["type"] == SENTENCE:
        context = details.get("ctx", {})
        loc = (*loc, context["at"]) if context.get("at") else loc
        return ConfigProblem(line_of(loc, lines), f"{_subject(details['loc'], loc)} {context['text']}")
    if details["loc"][-1:] == ("[key]",):
        return ConfigProblem(line, f"{dotted(loc[:-1])} has a name that is empty or too long: {_shown(loc[-1])}")
    return ConfigProblem(line, _not_expected(loc, details["input"], choices))


def _subject(pydantic_loc: Loc, loc: Loc) -> str:
    if pydantic_loc[-1:] == ("[key]",):
        return f"{dotted(loc[:-1])}:"
    return f"{dotted(loc)}:" if isinstance(loc[-1], int) else dotted(loc)


def _missing_key(loc: Loc) -> str:
    return f"{dotted(loc[:-1])} must have {loc[-1]}: {_expected(loc, {})}"


def _unknown_key(loc: Loc) -> str:
    if loc in _ELSEWHERE:
        return _ELSEWHERE[loc]
    known = next(list(section.model_fields) for place, section in _SECTIONS if _fits(place, loc[:-1]))
    near = nearest(str(loc[-1]), known)
    where = f" in {dotted(loc[:-1])}" if loc[:-1] else ""
    ask = f"; did you mean {near}?" if near else ""
    return f"unknown key {_short(str(loc[-1]))}{where}; allowed: {', '.join(known)}{ask}"


def _not_expected(loc: Loc, value: object, choices: dict[Loc, tuple[str, ...]]) -> str:
    name = f"an item of {dotted(loc)}" if loc and isinstance(loc[-1], int) else dotted(loc) or "the file"
    expected = _expected(loc, choices)
    if value is None:
        return f"{name} has no value; give it {expected}, or remove the line"
    if isinstance(value, AmbiguousScalar):
        advice = "" if expected.startswith(_NUMBERS) and value.advice == QUOTE else f"; {value.advice}"
        return f"{name} must be {expected}, and YAML reads {value.text} as {value.reading}{advice}"
    options = MODES if _fits(_MODE, loc) else choices.get(loc, ())
    near = nearest(value, options) if isinstance(value, str) else None
    ask = f"; did you mean {near}?" if near else ""
    return f"{name} must be {expected}, not {_shown(value)}{ask}"


def _expected(loc: Loc, choices: dict[Loc, tuple[str, ...]]) -> str:
    if _fits(_MODE, loc):
        return f"one of {', '.join(MODES)}"
    if loc in choices:
        names = ", ".join(choices[loc])
        return f"one of {names}" if names else "a workflow, of which none is installed"
    for place, section in _SECTIONS:
        if _fits(place, loc):
            return f"a mapping with keys out of {', '.join(section.model_fields)}"
    return next((text for place, text in _EXPECTED if _fits(place, loc)), "something else")


def _fits(place: Loc, loc: Loc) -> bool:
    return len(place) == len(loc) and all(part in (ANY, given) for part, given in zip(place, loc, strict=True))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{_short(value)}"'
    if isinstance(value, int | Decimal):
        return str(value)
    return "a list" if isinstance(value, list) else "a mapping"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"


NAME = "config.yaml"
OWN_ITEMS = ("conventions/*.md", "decisions/*.md", "items/*/*.md")
"""Where typed items are in a role's own folder."""


@dataclass(frozen=True, slots=True)
class ValidConfig:
    """A valid configuration, the line of each place that the file gives (keys from the top), and the file's format."""

    config: Config
    lines: Lines
    format: int = FORMAT


def check(data: bytes, workflows: Collection[str]) -> ValidConfig:
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
    return ValidConfig(_config(section, digest_text(data)), plain.lines, section.format)


def _line(problem: str) -> int:
    return int(problem.split(":", 2)[1])


def refuse_newer(plain: PlainValue, name: str, newest: int) -> None:
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
        section.run.settings(),
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
