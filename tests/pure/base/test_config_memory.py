"""The section `memory` of `config.yaml`, and what it says of roles: what it takes, what it refuses, what it means."""

import json
from pathlib import Path

import pytest

from verifflowcc.base.config.config_load import recall, remember
from verifflowcc.base.config.config_models import json_schema
from verifflowcc.base.config.config_provenance import effective_settings
from verifflowcc.base.config.config_validate import check
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.config_values import (
    DEFAULT_ALLOCATION,
    PRESETS,
    SHARE_UNIT,
    AssembliesSettings,
    Assembly,
    BackendKind,
    BackendsSettings,
    Config,
    ConsolidationSettings,
    ExtractionMode,
    LifecycleSettings,
    MemorySettings,
    RerankSettings,
    ScopeMode,
    ScopeSettings,
    StalePolicy,
    WindowSettings,
)
from verifflowcc.base.model.layers import Layer

WHOLE = """memory:
  enabled: false
  backends: {project: postgres, task: sqlite}
  assembly:
    thinking_roles: [planner, lead]
    thinking: {user_items: 3, project_items: 4, user_types: [goal]}
    working: {user_items: 0, project_items: 6, user_types: []}
  max_items: 7
  extraction_mode: llm
  max_llm_calls_per_turn: 3
  rerank: {enabled: true, max_candidates: 5, trigger_min_margin: 0.25}
  scope: {mode: skill}
  lifecycle: {type_ttl_days: {guideline: 30, fact: null}}
  consolidation: {enabled: false, interval: 14d}
  stale: withhold
  window: {total_tokens: 1000, buffer_tokens: 100}
"""
COUNT = "a whole number from 0 to 1,000,000"
REFUSED = [
    ("enabled: yes", "memory.enabled must be true or false, and YAML reads yes as true; put it in quotes"),
    (
        "backends: {project: sqlit}",
        'memory.backends.project must be one of files, sqlite, postgres, not "sqlit"; did you mean sqlite?',
    ),
    ("backends: {task: postgres}", 'memory.backends.task must be one of files, sqlite, not "postgres"'),
    ("backends: {user: sqlite}", "unknown key user in memory.backends; allowed: project, task"),
    ("assembly: {working: {user_items: -1}}", f"memory.assembly.working.user_items must be {COUNT}, not -1"),
    (
        "assembly: {thinking: {project_items: many}}",
        f'memory.assembly.thinking.project_items must be {COUNT}, not "many"',
    ),
    (
        "assembly: {working: {user_types: [prefrence]}}",
        'memory.assembly.working.user_types: "prefrence" is no type of user items; did you mean preference?',
    ),
    ("assembly: {working: {user_types: [zzz]}}", "the types are preference, business_fact, work_pattern"),
    ("assembly: {thinking_roles: [A B]}", 'memory.assembly.thinking_roles: "A B" is no name for a role'),
    (
        "assembly: {working: {usr_items: 1}}",
        (
            "unknown key usr_items in memory.assembly.working; allowed: user_items, project_items, user_types; "
            "did you mean user_items?"
        ),
    ),
    ("max_items: 0", "memory.max_items must be a whole number from 1 to 1,000,000, not 0"),
    ("identity: shop", "memory.identity belongs to your own environment"),
    ("postgres_url: postgresql://db/x", "memory.postgres_url belongs to your own settings"),
    ("enabld: true", "unknown key enabld in memory; allowed: enabled, backends, assembly, max_items"),
    (
        "extraction_mode: hybird",
        'memory.extraction_mode must be one of heuristic, llm, hybrid, not "hybird"; did you mean hybrid?',
    ),
    ("stale: withold", 'memory.stale must be one of flag, withhold, not "withold"; did you mean withhold?'),
    ("secret_scanner: our", 'memory.secret_scanner must be one of own, detect-secrets, not "our"'),
    ("max_llm_calls_per_turn: -1", "memory.max_llm_calls_per_turn must be a whole number from 0 to 100, not -1"),
    ("rerank: {enabled: maybe}", 'memory.rerank.enabled must be true or false, not "maybe"'),
    ("rerank: {max_candidates: 0}", "memory.rerank.max_candidates must be a whole number from 1 to 1,000, not 0"),
    (
        "rerank: {trigger_min_margin: 0.1234}",
        "memory.rerank.trigger_min_margin must be a number from 0 to 1 with at most three decimals, not 0.1234",
    ),
    ("rerank: {max: 1}", "unknown key max in memory.rerank; allowed: enabled, max_candidates, trigger_min_margin"),
    ("scope: {mode: all}", 'memory.scope.mode must be one of skill, workspace, manual, not "all"'),
    (
        "lifecycle: {type_ttl_days: {fct: 3}}",
        'memory.lifecycle.type_ttl_days: "fct" is no type of items; did you mean fact?',
    ),
    (
        "lifecycle: {type_ttl_days: {fact: 0}}",
        "memory.lifecycle.type_ttl_days.fact must be a whole number of days from 1 to 36,500, or null: never, not 0",
    ),
    ("lifecycle: {type_ttl_days: 3}", "memory.lifecycle.type_ttl_days must be a mapping from types to days, not 3"),
    ("window: {total_tokens: 0}", "memory.window.total_tokens must be a whole number from 1 to 1,000,000,000, not 0"),
    ("window: {buffer_tokens: -1}", "memory.window.buffer_tokens must be a whole number from 0 to 1,000,000,000"),
    ("window: {buffer_tokens: 200000}", "memory.window.buffer_tokens must be below total_tokens, 200,000"),
    ("window: {limit: 1}", "unknown key limit in memory.window; allowed: total_tokens, buffer_tokens"),
    ("consolidation: {interval: 7}", "memory.consolidation.interval must be a number of days such as 7d, not 7"),
    ("consolidation: {interval: 1h}", 'memory.consolidation.interval must be a number of days such as 7d, not "1h"'),
]


def config(text: str) -> Config:
    return check(text.encode(), ["light"]).config


@pytest.mark.vfcc("REQ-ASSEMBLY-CAPS", "REQ-BACKEND-CHOICE")
def test_the_whole_section_is_read() -> None:
    assert config(WHOLE).memory == MemorySettings(
        enabled=False,
        backends=BackendsSettings(BackendKind.POSTGRES, BackendKind.SQLITE),
        assembly=AssembliesSettings(("planner", "lead"), Assembly(3, 4, ("goal",)), Assembly(0, 6, ())),
        max_items=7,
        extraction_mode=ExtractionMode.LLM,
        max_llm_calls_per_turn=3,
        scope=ScopeSettings(ScopeMode.SKILL),
        rerank=RerankSettings(enabled=True, max_candidates=5, trigger_min_margin=250),
        consolidation=ConsolidationSettings(enabled=False, interval=14),
        lifecycle=LifecycleSettings({"fact": None, "guideline": 30}),
        stale=StalePolicy.WITHHOLD,
        window=WindowSettings(total_tokens=1000, buffer_tokens=100),
    )


@pytest.mark.vfcc("REQ-SETTING-EXTRACTION")
def test_the_defaults_are_those_of_the_record() -> None:
    given = config("").memory

    assert (given.enabled, given.extraction_mode.value, given.max_llm_calls_per_turn) == (True, "hybrid", 1)
    assert (given.rerank.enabled, given.rerank.max_candidates, given.rerank.trigger_min_margin) == (False, 20, 150)
    assert (given.scope.mode.value, dict(given.ttl_days)) == ("workspace", {})
    assert (given.consolidation.enabled, given.consolidation.interval) == (True, 7)


def test_every_setting_of_memory_is_shown_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(WHOLE, encoding="utf-8")
    shown = {each.name: (each.value, each.origin) for each in effective_settings(tmp_path / "config.yaml", ["light"])}

    assert shown["memory.extraction_mode"] == ("llm", "config.yaml:9")
    assert shown["memory.rerank.trigger_min_margin"] == (0.25, "config.yaml:11")
    assert shown["memory.scope.mode"] == ("skill", "config.yaml:12")
    assert shown["memory.lifecycle.type_ttl_days.fact"] == (None, "config.yaml:13")
    assert shown["memory.consolidation.interval"] == ("14d", "config.yaml:14")
    assert shown["memory.stale"] == ("withhold", "config.yaml:15")
    assert shown["memory.window.buffer_tokens"] == (100, "config.yaml:16")


def test_the_schema_tells_each_setting_with_the_default_that_a_person_would_write() -> None:
    places = json_schema(["light"])["$defs"]

    assert isinstance(places, dict)
    text = json.dumps([places["RerankSection"], places["ConsolidationSection"], places["LifecycleSection"]])
    assert all(part in text for part in ('"default": 0.15', '"default": "7d"', '"tool_output"'))


@pytest.mark.vfcc("REQ-ASSEMBLY-CAPS")
def test_what_is_left_out_has_its_default() -> None:
    assert config("format: 1\n").memory == MemorySettings()
    given = config("memory: {assembly: {working: {user_items: 1}}}").memory.assembly

    assert given.thinking == Assembly(20, 30)
    assert given.working == Assembly(1, 50, ("preference", "communication_style"))
    assert (given.of("planner"), given.of("coder")) == (given.thinking, given.working)


@pytest.mark.vfcc("REQ-CONFIG")
@pytest.mark.parametrize(("text", "sentence"), REFUSED, ids=[text for text, _ in REFUSED])
def test_one_mistake_is_one_sentence_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config(f"memory:\n  {text}\n")

    (problem,) = caught.value.problems
    assert problem.startswith("config.yaml:2: ")
    assert sentence in problem


@pytest.mark.parametrize("text", ["", WHOLE, "memory: {assembly: {working: {user_types: null}}}"])
def test_the_settings_survive_being_remembered(tmp_path: Path, text: str) -> None:
    given = config(text)
    remember(tmp_path, given, ["light"])

    assert recall(tmp_path, given.digest, ["light"]) == given


@pytest.mark.vfcc("REQ-LIFETIMES-PRESET")
def test_the_preset_lifetimes_is_two_fifths_two_fifths_and_a_fifth() -> None:
    """The task has the agent layer; sprint, stage and project are the project's; the user layer is the person's."""
    given = config("token_allocation: {coder: lifetimes}").allocation_for("coder")
    shares = given.shares

    assert (given.preset, shares) == ("lifetimes", PRESETS["lifetimes"])
    assert sum(shares.values()) == SHARE_UNIT
    assert shares[Layer.AGENT] == 400_000
    assert shares[Layer.PROJECT] + shares[Layer.SPRINT] + shares[Layer.STAGE] == 400_000
    assert shares[Layer.USER] == 200_000


@pytest.mark.vfcc("REQ-LIFETIMES-PRESET")
def test_a_role_takes_the_preset_of_default_unless_it_has_shares_of_its_own() -> None:
    given = config("token_allocation: {default: lifetimes, coder: {budget: 9}, tester: {agent: 1}}")

    assert given.allocation_for("coder").shares == given.allocation_for("planner").shares == PRESETS["lifetimes"]
    assert (given.allocation_for("coder").budget_tokens, given.allocation_for("coder").preset) == (9, "lifetimes")
    assert given.allocation_for("tester").shares[Layer.AGENT] == SHARE_UNIT
    assert given.allocation_for("tester").preset is None


def test_a_share_of_the_user_layer_counts_like_the_others() -> None:
    given = config("token_allocation: {coder: {agent: 0.75, user: 0.25}}").allocation_for("coder")

    assert given.shares[Layer.USER] == 250_000
    assert DEFAULT_ALLOCATION.shares[Layer.USER] == 0
