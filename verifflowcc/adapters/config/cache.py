"""A validated configuration, remembered by digest as plain JSON, so that later commands need no yaml and no pydantic.

Derived and deletable: what does not fit the key, or is damaged, counts as absent.
"""

import json
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from verifflowcc import __version__
from verifflowcc.adapters.config.cached_record import FILE, SHAPE
from verifflowcc.adapters.config.defaults import LAYERS, default_config
from verifflowcc.adapters.config.memory_cache import Memory, memory_body, memory_settings
from verifflowcc.domain.code_mix import CodeMix
from verifflowcc.domain.config import (
    Allocation,
    Config,
    GateSettings,
    GitSettings,
    HookSettings,
    LayerStrategy,
    Share,
    TokenSettings,
    ToolTable,
    TraceSettings,
)
from verifflowcc.text.digest import digest_text

_LARGEST_BYTES = 8 << 20


class _Strategy(TypedDict):
    always_load: list[str]
    conditional_load: list[str]
    max_tokens: int
    head_tail_preserve: int


class _Allocation(TypedDict):
    shares: dict[str, int]
    budget: int | None
    preset: str | None


class _Tokens(TypedDict):
    encoding: str
    model: str | None
    factors: dict[str, int]


class _Command(TypedDict):
    argv: list[str]
    timeout_s: int
    reports: dict[str, str]
    inputs: list[str]


class _Gates(TypedDict):
    commands: dict[str, _Command]
    modes: dict[str, str]


class _Trace(TypedDict):
    code: list[str]
    tests: list[str]
    exclude: list[str]
    reports: list[str]
    results_from: str | None
    target: str | None
    id_pattern: str | None
    baseline: str | None


class _Hooks(TypedDict):
    record: bool
    share: str
    tools: str
    files: bool
    brief_tokens: int
    recall: bool
    hold: bool


class _Body(TypedDict):
    strategies: dict[str, _Strategy]
    allocations: dict[str, _Allocation]
    workflow: str
    commit: str
    tokens: _Tokens
    gates: _Gates
    trace: _Trace
    memory: Memory
    hooks: _Hooks
    code_mixes: dict[str, dict[str, int]]


def recall(folder: Path, digest: str, workflows: Collection[str]) -> Config | None:
    """Return the configuration whose file has this digest, or None where it must be validated."""
    try:
        with (folder / FILE).open("rb") as file:
            data = file.read(_LARGEST_BYTES)
    except OSError:
        return None
    return _recalled(data, digest, tuple(sorted(workflows)))


@lru_cache(maxsize=4)
def _recalled(data: bytes, digest: str, workflows: tuple[str, ...]) -> Config | None:
    """Return what a cache's bytes hold; a command asks for its settings several times."""
    try:
        document = json.loads(data)
        body: _Body = document["config"]
        if document["key"] != _key(digest, workflows) or document["check"] != digest_text(_text(body)):
            return None
        return _config(body, digest)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def remember(folder: Path, config: Config, workflows: Collection[str]) -> None:
    """Write the cache. Raises WorkspaceError where the folder cannot be written."""
    from verifflowcc.adapters.files.write import write_atomic

    body = _body(config)
    document = {"key": _key(config.digest, workflows), "check": digest_text(_text(body)), "config": body}
    write_atomic(folder / FILE, _text(document) + "\n")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _key(digest: str, workflows: Collection[str]) -> list[object]:
    """What the meaning of a file depends on: its content, this vfcc, its defaults and the workflows it may name."""
    return [SHAPE, __version__, digest, _defaults(), sorted(workflows)]


@lru_cache(maxsize=1)
def _defaults() -> str:
    return digest_text(_text(_body(default_config())))


def _body(config: Config) -> _Body:
    strategies: dict[str, _Strategy] = {
        layer.value: {
            "always_load": [*given.always_load],
            "conditional_load": [*given.conditional_load],
            "max_tokens": given.max_tokens,
            "head_tail_preserve": given.head_tail_preserve,
        }
        for layer, given in config.strategies.items()
    }
    allocations: dict[str, _Allocation] = {
        role: {
            "shares": {layer.value: given.shares[layer] for layer in LAYERS},
            "budget": given.budget_tokens,
            "preset": given.preset,
        }
        for role, given in config.allocations.items()
    }
    tokens = config.tokens
    return {
        "strategies": strategies,
        "allocations": allocations,
        "workflow": config.workflow,
        "commit": config.git.commit,
        "tokens": {"encoding": tokens.encoding, "model": tokens.model, "factors": dict(tokens.factors)},
        "gates": _gates_body(config.gates),
        "trace": _trace_body(config.trace),
        "memory": memory_body(config.memory),
        "hooks": _hooks_body(config.hooks),
        "code_mixes": {role: mix.shares() for role, mix in config.code_mixes.items()},
    }


def _gates_body(gates: GateSettings) -> _Gates:
    commands: dict[str, _Command] = {
        name: {
            "argv": [*given.argv],
            "timeout_s": given.timeout_s,
            "reports": dict(given.reports),
            "inputs": [*given.inputs],
        }
        for name, given in gates.commands.items()
    }
    return {"commands": commands, "modes": {name: mode.value for name, mode in gates.modes.items()}}


def _trace_body(trace: TraceSettings) -> _Trace:
    return {
        "code": [*trace.code],
        "tests": [*trace.tests],
        "exclude": [*trace.exclude],
        "reports": [*trace.reports],
        "results_from": trace.results_from,
        "target": trace.target,
        "id_pattern": trace.id_pattern,
        "baseline": trace.baseline,
    }


def _hooks_body(hooks: HookSettings) -> _Hooks:
    return {
        "record": hooks.record,
        "share": hooks.share.value,
        "tools": hooks.tools.value,
        "files": hooks.files,
        "brief_tokens": hooks.brief_tokens,
        "recall": hooks.recall,
        "hold": hooks.hold,
    }


def _config(body: _Body, digest: str) -> Config:
    strategies = {layer: _strategy(body["strategies"][layer.value]) for layer in LAYERS}
    allocations = {
        role: Allocation({layer: given["shares"][layer.value] for layer in LAYERS}, given["budget"], given["preset"])
        for role, given in body["allocations"].items()
    }
    git, tokens = GitSettings(body["commit"]), TokenSettings(**body["tokens"])
    gates, trace, memory = _gates(body["gates"]), _trace(body["trace"]), memory_settings(body["memory"])
    return Config(
        strategies,
        allocations,
        body["workflow"],
        git,
        tokens,
        digest,
        gates,
        trace,
        memory,
        _hooks(body["hooks"]),
        {role: CodeMix(**shares) for role, shares in body["code_mixes"].items()},
    )


def _hooks(body: _Hooks) -> HookSettings:
    return HookSettings(
        body["record"],
        Share(body["share"]),
        ToolTable(body["tools"]),
        body["files"],
        body["brief_tokens"],
        body["recall"],
        body["hold"],
    )


def _gates(body: _Gates) -> GateSettings:
    if not body["commands"] and not body["modes"]:
        return GateSettings()
    from verifflowcc.domain.evidence import Command
    from verifflowcc.domain.gates import Mode

    commands = {
        name: Command(name, tuple(given["argv"]), given["timeout_s"], given["reports"], tuple(given["inputs"]))
        for name, given in body["commands"].items()
    }
    return GateSettings(commands, {name: Mode(mode) for name, mode in body["modes"].items()})


def _trace(body: _Trace) -> TraceSettings:
    return TraceSettings(
        code=tuple(body["code"]),
        tests=tuple(body["tests"]),
        exclude=tuple(body["exclude"]),
        reports=tuple(body["reports"]),
        results_from=body["results_from"],
        target=body["target"],
        id_pattern=body["id_pattern"],
        baseline=body["baseline"],
    )


def _strategy(given: _Strategy) -> LayerStrategy:
    return LayerStrategy(
        tuple(given["always_load"]), tuple(given["conditional_load"]), given["max_tokens"], given["head_tail_preserve"]
    )
