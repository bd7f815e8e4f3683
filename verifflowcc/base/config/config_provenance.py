"""Every effective setting, with where its value came from."""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from verifflowcc.base.config.config_defaults import LAYERS, default_config
from verifflowcc.base.config.config_load import FILE, read_config
from verifflowcc.base.model.config_values import DEFAULT_ALLOCATION, DEFAULT_ROLE, FORMAT, MIXES, SHARE_UNIT, Config
from verifflowcc.base.model.settings import SettingRule as Described
from verifflowcc.base.model.settings import settings_in
from verifflowcc.base.records import dataclass, is_record

SettingValue = None | bool | int | float | str | tuple[str, ...]
Lines = dict[tuple[str | int, ...], int]
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting's dotted name, its value (shares as decimals), and its origin: `default` or `config.yaml:12`."""

    name: str
    value: SettingValue
    origin: str
    """`default`, or file and line."""


def effective_settings(path: Path, workflows: Collection[str]) -> tuple[Setting, ...]:
    """Return every setting, section by section. Raises as `load_config` does."""
    data = read_config(path)
    return tuple(_settings(default_config(), {}, FORMAT)) if data is None else settings_of(data, workflows)


def settings_of(data: bytes, workflows: Collection[str]) -> tuple[Setting, ...]:
    """Return every setting of a file's content. Raises ConfigError."""
    from verifflowcc.base.config.config_validate import check

    checked = check(data, workflows)
    return tuple(_settings(checked.config, checked.lines, checked.format))


def _settings(config: Config, lines: Lines, form: int) -> Iterator[Setting]:
    yield _setting(lines, form, "format")
    yield _setting(lines, config.workflow, "workflow")
    for layer in LAYERS:
        given = config.strategies[layer]
        place = ("loading_strategy", layer.value)
        yield _setting(lines, given.always_load, *place, "always_load")
        yield _setting(lines, given.conditional_load, *place, "conditional_load")
        yield _setting(lines, given.max_tokens, *place, "max_tokens")
        yield _setting(lines, given.head_tail_preserve, *place, "head_tail_preserve")
    for role in config.allocations:
        yield from _allocation(config, lines, role)
    if DEFAULT_ROLE not in config.allocations:
        yield from _allocation(config, lines, DEFAULT_ROLE)
    for role in dict.fromkeys((*MIXES, *config.code_mixes)):
        for part, share in config.code_mix_for(role).shares().items():
            loc = ("code_mix", role, part)
            yield _setting(lines, share / SHARE_UNIT, *loc, line=lines.get(loc, lines.get(("code_mix", role))))
    yield from _gates(config, lines)
    for name in ("trace", "memory", "hooks", "git", "run", "tokens"):
        yield from _described(getattr(config, name), lines, name)


def _described(record: object, lines: Lines, *place: str) -> Iterator[Setting]:
    """Yield the keys of a section that `domain/config.py` describes, and of those below it."""
    for name, setting in sorted(settings_in(record).items(), key=lambda each: each[0] in _LAST):
        value = getattr(record, name)
        if is_record(value):
            yield from _described(value, lines, *place, name)
        elif isinstance(value, Mapping) and (value or setting.form == "factors"):
            yield from (_setting(lines, _written(setting, each), *place, name, below) for below, each in value.items())
        else:
            yield _setting(lines, _written(setting, value), *place, name)


_LAST = ("lifecycle", "consolidation", "window")
"""Keys that are shown after those that follow them in the file."""


def _written(setting: Described, value: object) -> SettingValue:
    """Return a value as the file has it."""
    if setting.form == "thousandths" and isinstance(value, int):
        return value / 1000
    if setting.form == "factors" and isinstance(value, int):
        return value / SHARE_UNIT
    if setting.form == "days":
        return f"{value}d"
    shown: SettingValue = () if isinstance(value, Mapping) else str(value) if isinstance(value, StrEnum) else value  # type: ignore[assignment]
    return shown


def _gates(config: Config, lines: Lines) -> Iterator[Setting]:
    if not config.gates.commands:
        yield _setting(lines, (), "gates", "commands")
    for name, command in config.gates.commands.items():
        place = ("gates", "commands", name)
        yield _setting(lines, command.argv, *place, "run")
        yield _setting(lines, command.timeout_s, *place, "timeout")
        for kind, path in command.reports.items():
            yield _setting(lines, path, *place, "reports", kind)
        yield _setting(lines, command.inputs, *place, "inputs")
    if not config.gates.modes:
        yield _setting(lines, (), "gates", "modes")
    for name, mode in config.gates.modes.items():
        yield _setting(lines, mode.value, "gates", "modes", name)


def _setting(lines: Lines, value: SettingValue, *loc: str, line: int | None = None) -> Setting:
    found = line if line is not None else lines.get(loc)
    return Setting(".".join(loc), value, DEFAULT if found is None else f"{FILE}:{found}")


def _allocation(config: Config, lines: Lines, role: str) -> Iterator[Setting]:
    given = config.allocations.get(role, DEFAULT_ALLOCATION)
    by_default = DEFAULT_ROLE in config.allocations and config.allocations[DEFAULT_ROLE].preset is not None
    named = _names_shares(lines, role) or (given.preset is not None and not _is_mapping(lines, role))
    for layer in LAYERS:
        loc = ("token_allocation", role, layer.value)
        inherited = lines.get(("token_allocation", role)) if named else _inherited(lines, layer.value, by_default)
        yield _setting(lines, given.shares[layer] / SHARE_UNIT, *loc, line=lines.get(loc, inherited))
    loc = ("token_allocation", role, "budget")
    yield _setting(lines, given.budget_tokens, *loc, line=lines.get(loc, _inherited(lines, "budget", by_default)))


def _names_shares(lines: Lines, role: str) -> bool:
    return any(("token_allocation", role, layer.value) in lines for layer in LAYERS)


def _is_mapping(lines: Lines, role: str) -> bool:
    """Whether the role is given as a mapping, and not by the name of a preset."""
    return ("token_allocation", role, "budget") in lines or _names_shares(lines, role)


def _inherited(lines: Lines, key: str, by_default: bool) -> int | None:
    """The line in the role `default` that a role without such a key takes it from; `by_default`: it names a preset."""
    if key != "budget" and (by_default or _names_shares(lines, DEFAULT_ROLE)):
        return lines.get(("token_allocation", DEFAULT_ROLE, key), lines.get(("token_allocation", DEFAULT_ROLE)))
    return lines.get(("token_allocation", DEFAULT_ROLE, key))
