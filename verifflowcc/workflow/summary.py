"""What a stage hands to the next one: `summary.md` and `metrics.json`, as texts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifflowcc.domain.sprints import DONE, Artifact, SprintState, StageState
from verifflowcc.domain.workflows import Stage


@dataclass(frozen=True, slots=True)
class StageExit:
    """What is known when a stage is left.

    `outputs` are its artifacts now. `earlier` maps each stage done before to its artifacts as they lie there now.
    `feedback_lines` counts the lines of its `feedback.md` that are not empty. `duration_s` is the time between the
    events of entering and leaving, in whole seconds, or None where the clocks of the two disagree.
    """

    state: SprintState
    stage: StageState
    outputs: tuple[Artifact, ...]
    earlier: Mapping[str, tuple[Artifact, ...]]
    feedback_lines: int
    duration_s: int | None
    following: Stage | None


def summary_document(left: StageExit) -> str:
    """Return `summary.md`, written for whoever works on the next stage."""
    state, stage = left.state, left.stage.stage
    following = f"{left.following.id} ({left.following.role})" if left.following else "none: this was the last stage"
    parts = [
        f"# {stage.id}: summary",
        f"Sprint: {state.title} ({state.id}). Stage: {stage.id}, by the {stage.role}. Next: {following}.",
        _section("Goals of the sprint", state.goals, "none stated"),
        _section("Inputs", _inputs(left), "none: no stage came before"),
        _section("Outputs", [_line(stage.id, artifact) for artifact in left.outputs], "none"),
        _section("Deviations", deviations(left), "none"),
        _section("Metrics", [f"{name}: {_shown(value)}" for name, value in metrics(left).items()], "none"),
        _section("Open points", _open_points(left), "none"),
    ]
    return "\n\n".join(parts) + "\n"


def metrics_document(left: StageExit) -> str:
    """Return `metrics.json`."""
    document = {"sprint": left.state.id, "stage": left.stage.stage.id, **metrics(left)}
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def metrics(left: StageExit) -> dict[str, int | None]:
    """Return the numbers of this exit; `passes` counts it."""
    return {
        "artifacts": len(left.outputs),
        "artifact_bytes": sum(artifact.bytes for artifact in left.outputs),
        "deviations": len(deviations(left)),
        "duration_s": left.duration_s,
        "feedback_lines": left.feedback_lines,
        "passes": left.stage.passes + 1,
        "reopened": left.stage.reopened,
    }


def deviations(left: StageExit) -> tuple[str, ...]:
    """Return what did not go as the workflow has it: skipped or reopened stages, inputs changed since they passed."""
    found = []
    for each in left.state.stages:
        name = each.stage.id
        if each.reopened:
            found.append(f"{name} was reopened {_times(each.reopened)}")
        if each.status in DONE and not each.passes:
            found.append(f"{name} was skipped")
        if name in left.earlier and name != left.stage.stage.id:
            found += _changes(name, each.artifacts, left.earlier[name])
    return tuple(found)


def _changes(stage: str, passed: Sequence[Artifact], present: Sequence[Artifact]) -> list[str]:
    now = {artifact.path: artifact.digest for artifact in present}
    lines = []
    for was in passed:
        if was.path not in now:
            lines.append(f"{stage}/{was.path} is gone since {stage} passed")
        elif now[was.path] != was.digest:
            lines.append(f"{stage}/{was.path} changed after {stage} passed")
    return lines


def _inputs(left: StageExit) -> list[str]:
    return [_line(stage, artifact) for stage, artifacts in left.earlier.items() for artifact in artifacts]


def _line(stage: str, artifact: Artifact) -> str:
    return f"`{stage}/artifacts/{artifact.path}` ({artifact.bytes} bytes, {artifact.digest[:19]})"


def _open_points(left: StageExit) -> list[str]:
    if not left.feedback_lines:
        return []
    return [f"`{left.stage.stage.id}/feedback.md` holds review comments ({left.feedback_lines} lines)"]


def _section(title: str, lines: Sequence[str], nothing: str) -> str:
    body = "\n".join(f"- {line}" for line in lines) if lines else f"- {nothing}"
    return f"## {title}\n\n{body}"


def _shown(value: int | None) -> str:
    return "unknown" if value is None else str(value)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
