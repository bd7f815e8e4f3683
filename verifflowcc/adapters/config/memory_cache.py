"""The section `memory` as plain JSON, for the validated configuration that is remembered by digest."""

from typing import TypedDict

from verifflowcc.domain.backends import BackendKind
from verifflowcc.domain.config import (
    ActiveSettings,
    Assembly,
    ConsolidationSettings,
    ExpansionSettings,
    ExtractionMode,
    MemorySettings,
    RerankSettings,
    ScopeMode,
    SecretScanner,
    SpeakerTrust,
    Stale,
    WindowSettings,
)
from verifflowcc.domain.item_types import ScopeKind


class _Assembly(TypedDict):
    user_items: int
    project_items: int
    user_types: list[str] | None


class _Rerank(TypedDict):
    enabled: bool
    max_candidates: int
    trigger_min_margin: int


class _Expansion(TypedDict):
    enabled: bool
    max_items: int
    min_confidence: int


class _Active(TypedDict):
    pre_brief: bool
    file_boost: bool


class _Consolidation(TypedDict):
    enabled: bool
    interval_days: int


class _Window(TypedDict):
    total_tokens: int
    buffer_tokens: int


class Memory(TypedDict):
    """The section, as JSON holds it."""

    enabled: bool
    backends: dict[str, str]
    thinking_roles: list[str]
    thinking: _Assembly
    working: _Assembly
    max_items: int
    extraction_mode: str
    max_llm_calls_per_turn: int
    scope_mode: str
    rerank: _Rerank
    expansion: _Expansion
    active: _Active
    embeddings: bool
    consolidation: _Consolidation
    ttl_days: dict[str, int | None]
    secret_scanner: str
    stale: str
    window: _Window
    speakers: dict[str, str]


def memory_body(memory: MemorySettings) -> Memory:
    """Return the settings as JSON holds them."""
    return {
        "enabled": memory.enabled,
        "backends": {scope.value: kind.value for scope, kind in memory.backends.items()},
        "thinking_roles": [*memory.thinking_roles],
        "thinking": _assembly_body(memory.thinking),
        "working": _assembly_body(memory.working),
        "max_items": memory.max_items,
        "extraction_mode": memory.extraction_mode.value,
        "max_llm_calls_per_turn": memory.max_llm_calls_per_turn,
        "scope_mode": memory.scope_mode.value,
        "rerank": {
            "enabled": memory.rerank.enabled,
            "max_candidates": memory.rerank.max_candidates,
            "trigger_min_margin": memory.rerank.trigger_min_margin,
        },
        "expansion": {
            "enabled": memory.expansion.enabled,
            "max_items": memory.expansion.max_items,
            "min_confidence": memory.expansion.min_confidence,
        },
        "active": {"pre_brief": memory.active.pre_brief, "file_boost": memory.active.file_boost},
        "embeddings": memory.embeddings,
        "consolidation": {
            "enabled": memory.consolidation.enabled,
            "interval_days": memory.consolidation.interval_days,
        },
        "ttl_days": dict(memory.ttl_days),
        "secret_scanner": memory.secret_scanner.value,
        "stale": memory.stale.value,
        "window": {"total_tokens": memory.window.total_tokens, "buffer_tokens": memory.window.buffer_tokens},
        "speakers": {name: trust.value for name, trust in memory.speakers.items()},
    }


def memory_settings(body: Memory) -> MemorySettings:
    """Return the settings that `memory_body` wrote. Raises LookupError, ValueError or TypeError for anything else."""
    return MemorySettings(
        enabled=body["enabled"],
        backends={ScopeKind(scope): BackendKind(kind) for scope, kind in body["backends"].items()},
        thinking_roles=tuple(body["thinking_roles"]),
        thinking=_assembly(body["thinking"]),
        working=_assembly(body["working"]),
        max_items=body["max_items"],
        extraction_mode=ExtractionMode(body["extraction_mode"]),
        max_llm_calls_per_turn=body["max_llm_calls_per_turn"],
        scope_mode=ScopeMode(body["scope_mode"]),
        rerank=RerankSettings(**body["rerank"]),
        expansion=ExpansionSettings(**body["expansion"]),
        active=ActiveSettings(**body["active"]),
        embeddings=body["embeddings"],
        consolidation=ConsolidationSettings(**body["consolidation"]),
        ttl_days=dict(body["ttl_days"]),
        secret_scanner=SecretScanner(body["secret_scanner"]),
        stale=Stale(body["stale"]),
        window=WindowSettings(**body["window"]),
        speakers={name: SpeakerTrust(trust) for name, trust in body["speakers"].items()},
    )


def _assembly_body(given: Assembly) -> _Assembly:
    types = None if given.user_types is None else [*given.user_types]
    return {"user_items": given.user_items, "project_items": given.project_items, "user_types": types}


def _assembly(body: _Assembly) -> Assembly:
    types = body["user_types"]
    return Assembly(body["user_items"], body["project_items"], None if types is None else tuple(types))
