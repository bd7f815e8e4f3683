"""`config.yaml` on disk: the seed's, the shipped one, the cache, and files that are no good."""

import json
import os
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

import verifflowcc
from verifflowcc.base.config import config_load as cache
from verifflowcc.base.config.config_defaults import LAYERS, default_config
from verifflowcc.base.config.config_load import load_config
from verifflowcc.base.config.config_models import json_schema
from verifflowcc.base.config.config_provenance import effective_settings
from verifflowcc.base.config.config_validate import check
from verifflowcc.base.errors import ConfigError, WorkspaceError
from verifflowcc.base.files.layout import source_of
from verifflowcc.base.model.config_values import Allocation, Config, GitSettings, LayerStrategy, TokenSettings
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.sprint.store.workflow_load import templates_folder

SEED = Path(__file__).parents[2] / "fixtures" / "seed-config.yaml"
SHIPPED = templates_folder() / "config.yaml"
WORKFLOWS = ("agile", "light", "standard")


def tree(root: Path, text: str | bytes | None) -> Path:
    path = root / ".memory" / "config.yaml"
    path.parent.mkdir()
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def without_digest(config: Config) -> dict[str, object]:
    return {name: getattr(config, name) for name in config.__slots__ if name != "digest"}


@pytest.mark.vfcc("REQ-CONFIG")
def test_the_configuration_of_the_decision_record_loads_as_it_stands(tmp_path: Path) -> None:
    path = tree(tmp_path, SEED.read_bytes())

    loaded = load_config(path, WORKFLOWS, tmp_path / ".memory" / "local")

    assert loaded.notices == ()
    assert loaded.config == Config(
        strategies={
            Layer.PROJECT: LayerStrategy(("CLAUDE.md", "conventions/python.md"), ("decisions/*.md",), 5000),
            Layer.SPRINT: LayerStrategy(("goals.md", "progress.json"), ("retrospectives/*.md",), 10000),
            Layer.STAGE: LayerStrategy(("current_artifacts/*",), ("previous_stage_summary.md",), 15000),
            Layer.AGENT: LayerStrategy(("prompt_template.md", "tools_config.yaml"), ("recent_actions.json",), 20000),
            Layer.USER: LayerStrategy((), ("@user",), 3000),
        },
        allocations={
            "planner": Allocation(
                dict(zip(LAYERS, (300_000, 400_000, 200_000, 100_000, 0), strict=True)),
            ),
            "coder": Allocation(
                dict(zip(LAYERS, (100_000, 100_000, 300_000, 500_000, 0), strict=True)),
            ),
        },
        workflow="light",
        git=GitSettings("never"),
        tokens=TokenSettings("o200k_base", None, {}),
        digest=digest_text(SEED.read_bytes()),
    )


def test_the_shipped_configuration_says_what_holds_without_it() -> None:
    config = check(SHIPPED.read_bytes(), WORKFLOWS).config

    assert without_digest(config) == without_digest(default_config())


@pytest.mark.vfcc("REQ-CONFIG", "REQ-LAYER-CAPS")
def test_the_shipped_configuration_has_all_that_the_decision_record_names() -> None:
    seed = check(SEED.read_bytes(), WORKFLOWS).config
    shipped = default_config()

    for layer, strategy in seed.strategies.items():
        assert set(strategy.always_load) <= set(shipped.strategies[layer].always_load)
        shipped_names = {source_of(layer, name) or name for name in shipped.strategies[layer].conditional_load}
        assert {source_of(layer, name) or name for name in strategy.conditional_load} <= shipped_names
        assert strategy.max_tokens == shipped.strategies[layer].max_tokens
    assert seed.allocations == shipped.allocations
    offered = {
        pattern for given in shipped.strategies.values() for pattern in given.always_load + given.conditional_load
    }
    assert {"conventions/*.md", "context.md", "knowledge.md", "feedback.md", "context.json"} <= offered


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_the_shipped_configuration_takes_another_workflow_by_its_line(workflow: str) -> None:
    text = SHIPPED.read_text(encoding="utf-8")

    assert text.count("\nworkflow: light\n") == 1
    assert check(text.replace("\nworkflow: light\n", f"\nworkflow: {workflow}\n").encode(), WORKFLOWS).config.workflow


def test_a_missing_file_is_the_default_and_says_so(tmp_path: Path) -> None:
    loaded = load_config(tree(tmp_path, None), WORKFLOWS, tmp_path / ".memory" / "local")

    assert loaded.config == default_config()
    assert loaded.notices == (".memory/config.yaml is missing: the default configuration holds",)


def test_a_missing_memory_tree_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="is not a folder"):
        load_config(tmp_path / ".memory" / "config.yaml", WORKFLOWS, None)


@pytest.mark.vfcc("REQ-NEWER-FORMAT")
def test_a_newer_format_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"config\.yaml:1: format 99 is newer") as caught:
        load_config(tree(tmp_path, "format: 99"), WORKFLOWS, None)
    assert caught.value.hint == "pip install --upgrade verifflowcc"


def test_windows_newlines_give_the_same_configuration_and_digest(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    unix = load_config(tree(tmp_path / "a", SEED.read_bytes()), WORKFLOWS, None)
    windows = load_config(tree(tmp_path / "b", SEED.read_bytes().replace(b"\n", b"\r\n")), WORKFLOWS, None)

    assert unix == windows


def test_a_file_of_100_mb_is_refused_unread(tmp_path: Path) -> None:
    path = tree(tmp_path, "format: 1\n")
    os.truncate(path, 100_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError, match=r"config\.yaml:1: the file has 100,000,000 bytes"):
            load_config(path, WORKFLOWS, None)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.vfcc("REQ-INSIDE")
def test_a_link_that_leaves_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password: x\n")
    (tmp_path / "project").mkdir()
    path = tree(tmp_path / "project", None)
    path.symlink_to(tmp_path / "secret")

    with pytest.raises(ConfigError, match=r"config\.yaml:1: this is a link that leaves the project") as caught:
        load_config(path, WORKFLOWS, None)
    assert "password" not in caught.value.message


def test_a_link_within_the_project_is_followed(tmp_path: Path) -> None:
    (tmp_path / "shared.yaml").write_text("workflow: agile\n")
    path = tree(tmp_path, None)
    path.symlink_to(tmp_path / "shared.yaml")

    assert load_config(path, WORKFLOWS, None).config.workflow == "agile"


def test_a_link_to_nothing_is_not_a_missing_file(tmp_path: Path) -> None:
    path = tree(tmp_path, None)
    path.symlink_to(tmp_path / "gone")

    with pytest.raises(ConfigError, match="this is a link to a file that is not there"):
        load_config(path, WORKFLOWS, None)


def test_a_link_to_itself_is_one_sentence(tmp_path: Path) -> None:
    path = tree(tmp_path, None)
    path.symlink_to(path)

    with pytest.raises((ConfigError, WorkspaceError)):
        load_config(path, WORKFLOWS, None)


def test_a_folder_or_a_pipe_is_not_opened(tmp_path: Path) -> None:
    path = tree(tmp_path, None)
    path.mkdir()
    with pytest.raises(ConfigError, match="this is not an ordinary file"):
        load_config(path, WORKFLOWS, None)
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="this is not an ordinary file"):
        load_config(path, WORKFLOWS, None)


def fresh_process(path: Path) -> list[str]:
    """Load in a new Python, and return which of the heavy modules that took."""
    code = (
        "import sys; from pathlib import Path; from verifflowcc.base.config.config_load import load_config\n"
        f"path = Path({str(path)!r})\n"
        f"assert load_config(path, {WORKFLOWS!r}, path.parent / 'local').config.workflow == 'agile'\n"
        "print(*(name for name in ('yaml', 'pydantic', 'pydantic_core', 'typer', 'git') if name in sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(verifflowcc.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return done.stdout.split()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-START-UP")
def test_an_unchanged_configuration_needs_no_yaml_and_no_pydantic(tmp_path: Path) -> None:
    path = tree(tmp_path, "workflow: agile\n")

    assert "pydantic" in fresh_process(path)
    assert fresh_process(path) == []
    path.write_text("workflow: agile # changed\n")
    assert "pydantic" in fresh_process(path)


def test_the_cache_gives_what_was_validated(tmp_path: Path) -> None:
    text = SHIPPED.read_text(encoding="utf-8") + "tokens:\n  model: mine\n  factors: {mine: 1.15, other: 2}\n"
    path, local = tree(tmp_path, text), tmp_path / ".memory" / "local"

    first = load_config(path, WORKFLOWS, local)
    written = (local / "config.json").read_bytes()
    (local / "config.json").touch()

    assert first.config.tokens.factors == {"mine": 1_150_000, "other": 2_000_000}
    assert load_config(path, WORKFLOWS, local) == first
    assert (local / "config.json").read_bytes() == written


def test_the_cache_keeps_commands_and_modes(tmp_path: Path) -> None:
    given = "{run: [make, '{{}}'], timeout: 9, reports: {lint: l.txt}, inputs: ['*.c', '!gen/**']}"
    path = tree(tmp_path, f"gates: {{commands: {{test: {given}}}, modes: {{trace: off}}}}\n")
    local = tmp_path / ".memory" / "local"

    first = load_config(path, WORKFLOWS, local)

    assert first.config.gates.commands["test"].reports == {"lint": "l.txt"}
    assert cache.recall(local, first.config.digest, WORKFLOWS) == first.config


def test_the_cache_forgets_when_the_workflows_change(tmp_path: Path) -> None:
    path, local = tree(tmp_path, "workflow: agile\n"), tmp_path / ".memory" / "local"
    load_config(path, WORKFLOWS, local)

    with pytest.raises(ConfigError, match="workflow must be one of light, standard"):
        load_config(path, ("light", "standard"), local)


def test_an_invalid_configuration_is_not_remembered(tmp_path: Path) -> None:
    path, local = tree(tmp_path, "workflow: lite\n"), tmp_path / ".memory" / "local"

    for _ in range(2):
        with pytest.raises(ConfigError, match="did you mean light"):
            load_config(path, WORKFLOWS, local)
    assert not local.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"[]",
        lambda data: b"{}",
        lambda data: b"\xff" + data,
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"20000", b"20001"),
        lambda data: b"[" * 100_000,
    ],
)
def test_a_damaged_cache_is_rebuilt(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path, local = tree(tmp_path, SEED.read_bytes()), tmp_path / ".memory" / "local"
    first = load_config(path, WORKFLOWS, local)
    good = (local / "config.json").read_bytes()
    (local / "config.json").write_bytes(damage(good))

    assert load_config(path, WORKFLOWS, local) == first
    assert (local / "config.json").read_bytes() == good


def test_a_cache_that_cannot_be_written_is_told_and_no_error(tmp_path: Path) -> None:
    path = tree(tmp_path, "workflow: agile\n")
    (tmp_path / ".memory" / "local").write_text("a file where the folder should be")

    loaded = load_config(path, WORKFLOWS, tmp_path / ".memory" / "local")

    assert loaded.config.workflow == "agile"
    assert len(loaded.notices) == 1
    assert loaded.notices[0].startswith("the checked configuration was not remembered: cannot write")


def test_without_a_cache_folder_nothing_is_written(tmp_path: Path) -> None:
    path = tree(tmp_path, "workflow: agile\n")

    load_config(path, WORKFLOWS, None)

    assert list(path.parent.iterdir()) == [path]


def origins(path: Path) -> dict[str, tuple[object, str]]:
    return {setting.name: (setting.value, setting.origin) for setting in effective_settings(path, WORKFLOWS)}


def test_every_setting_names_the_line_that_gave_it(tmp_path: Path) -> None:
    shown = origins(tree(tmp_path, "\nworkflow: agile\nloading_strategy:\n  agent:\n    always_load:\n      - a.md\n"))

    assert shown["workflow"] == ("agile", "config.yaml:2")
    assert shown["loading_strategy.agent.always_load"] == (("a.md",), "config.yaml:5")
    assert shown["loading_strategy.agent.max_tokens"] == (20_000, "default")
    assert shown["format"] == (1, "default")
    assert shown["token_allocation.coder.agent"] == (0.5, "default")
    assert shown["token_allocation.default.agent"] == (0.4, "default")


def test_inherited_shares_name_the_line_that_they_come_from(tmp_path: Path) -> None:
    shown = origins(
        tree(
            tmp_path,
            "token_allocation:\n  default:\n    agent: 1\n    budget: 9\n  coder:\n    stage: 1\n"
            "  planner:\n    budget: 5\ntokens:\n  factors:\n    mine: 1.5\n",
        )
    )

    assert shown["token_allocation.planner.agent"] == (1.0, "config.yaml:3")
    assert shown["token_allocation.planner.budget"] == (5, "config.yaml:8")
    assert shown["token_allocation.coder.stage"] == (1.0, "config.yaml:6")
    assert shown["token_allocation.coder.agent"] == (0.0, "config.yaml:5")
    assert shown["token_allocation.coder.budget"] == (9, "config.yaml:4")
    assert shown["tokens.factors.mine"] == (1.5, "config.yaml:11")


def test_settings_of_a_missing_file_are_all_default(tmp_path: Path) -> None:
    assert {origin for _, origin in origins(tree(tmp_path, None)).values()} == {"default"}


def test_the_schema_describes_every_key_and_refuses_all_others() -> None:
    text = json.dumps(json_schema(WORKFLOWS))
    schema = json.loads(text)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    offered, own = schema["properties"]["workflow"]["anyOf"]
    assert offered == {"enum": ["agile", "light", "standard"]}
    assert re.fullmatch(own["pattern"], "a-project-s-own")
    roles = schema["properties"]["token_allocation"]
    assert list(roles["patternProperties"]) == ["^[a-z][a-z0-9]*([-_][a-z0-9]+)*$"]
    assert roles["additionalProperties"] is False
    for section in (schema, *schema["$defs"].values()):
        assert section["additionalProperties"] is False
        for key in section["properties"].values():
            resolved = {**schema["$defs"].get(key.get("$ref", "").rpartition("/")[2], {}), **key}
            assert resolved["description"].endswith(".")


def test_the_schema_knows_every_key_that_the_program_does() -> None:
    schema = json.loads(json.dumps(json_schema(WORKFLOWS)))
    sections = [
        "format",
        "workflow",
        "loading_strategy",
        "token_allocation",
        "code_mix",
        "gates",
        "trace",
        "memory",
        "hooks",
        "git",
        "run",
        "tokens",
    ]
    assert list(schema["properties"]) == sections
    for path in (SEED, SHIPPED):
        assert unknown(schema, schema, yaml_value(path)) == []


def yaml_value(path: Path) -> object:
    import yaml

    return yaml.safe_load(path.read_bytes())


def unknown(schema: dict[str, dict[str, object]], part: dict[str, object], value: object) -> list[str]:
    """The keys and types in `value` for which the schema has no place."""
    import re

    while "$ref" in part:
        part = schema["$defs"][str(part["$ref"]).rpartition("/")[2]]  # type: ignore[assignment]
    if "anyOf" in part:
        return min((unknown(schema, each, value) for each in part["anyOf"]), key=len)  # type: ignore[attr-defined]
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    if "type" in part and not isinstance(value, kinds[str(part["type"])]):  # type: ignore[arg-type]
        return [f"{value!r} is no {part['type']}"]
    found: list[str] = []
    if isinstance(value, dict):
        known: dict[str, dict[str, object]] = part.get("properties", {})  # type: ignore[assignment]
        patterns: dict[str, dict[str, object]] = part.get("patternProperties", {})  # type: ignore[assignment]
        for key, child in value.items():
            places = [known[key]] if key in known else [patterns[name] for name in patterns if re.search(name, key)]
            found += unknown(schema, places[0], child) if places else [key]
    if isinstance(value, str) and "pattern" in part and not re.search(str(part["pattern"]), value):
        found.append(value)
    if isinstance(value, list):
        for item in value:
            found += unknown(schema, part["items"], item)  # type: ignore[arg-type]
    return found
