"""What it takes to compare evidence with what was before: the commands at a sprint's start, and tests that are gone."""

from collections.abc import Iterator, Mapping

from verifflowcc.adapters.config.load import FILE
from verifflowcc.adapters.git.log import blob_bytes, earlier_bytes
from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.sprints import SprintState
from verifflowcc.errors import VfccError
from verifflowcc.formats.result_lines import parse_results
from verifflowcc.records import replace
from verifflowcc.services.evidence_results import read_results_file
from verifflowcc.services.workspace import MEMORY, Workspace
from verifflowcc.workflow.evidence_changes import fewer_tests

_CONFIG = f"{MEMORY}/{FILE}"


def with_comparisons(workspace: Workspace, facts: Facts) -> Facts:
    """Return the facts with the commands of the start, where the configuration changed, and with lost tests."""
    changed = any(each.path == _CONFIG for each in facts.rules)
    then = commands_at_start(workspace, facts.sprint) if changed else None
    return replace(facts, commands_then=then, lost_tests=dict(_lost_tests(workspace, facts)))


def commands_at_start(workspace: Workspace, state: SprintState) -> Mapping[str, tuple[str, ...]] | None:
    """Return the words of each command when the sprint started; None where git does not hold that configuration."""
    recorded = (state.rules or {}).get(_CONFIG)
    if state.rules and _CONFIG in state.rules:
        data = earlier_bytes(workspace.root, _CONFIG, recorded) if recorded else b""
    else:
        data = blob_bytes(workspace.root, f"{state.base}:./{_CONFIG}") if state.base else None
    return None if data is None else _commands_in(data)


def _commands_in(data: bytes) -> Mapping[str, tuple[str, ...]]:
    from verifflowcc.adapters.config.yaml_values import load_yaml  # reading YAML is for a changed file alone

    try:
        value = load_yaml(data, FILE)[0]
    except VfccError:
        return {}
    gates = value.get("gates") if isinstance(value, Mapping) else None
    commands = gates.get("commands") if isinstance(gates, Mapping) else None
    if not isinstance(commands, Mapping):
        return {}
    runs = {name: each.get("run") for name, each in commands.items() if isinstance(each, Mapping)}
    return {str(name): tuple(map(str, run)) for name, run in runs.items() if isinstance(run, list)}


def _lost_tests(workspace: Workspace, facts: Facts) -> Iterator[tuple[str, tuple[str, ...]]]:
    for stage in facts.sprint.stages:
        for criterion in (*stage.stage.enter, *stage.stage.exit):
            found = fewer_tests(criterion, stage.stage.id, facts)
            if found:
                now, most = found
                yield now.id, _without_result(workspace, now, most)


def _without_result(workspace: Workspace, now: Evidence, before: Evidence) -> tuple[str, ...]:
    """Return the tests of an item that earlier evidence has a result for and the newest has not."""
    if now.results is None or before.results is None:
        return ()
    try:
        then = parse_results(read_results_file(workspace, before), before.results, "").results
        there = {each.test for each in parse_results(read_results_file(workspace, now), now.results, "").results}
    except VfccError:
        return ()
    return tuple(sorted(each.test for each in then if each.items and each.test not in there))
