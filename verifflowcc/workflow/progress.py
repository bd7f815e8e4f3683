"""`progress.json`: the sprint's state for people and prompts. A projection; never read as truth."""

import json
from collections.abc import Mapping

from verifflowcc.domain.events import Json
from verifflowcc.domain.sprints import SprintState, StageState


def progress_document(state: SprintState, results: Mapping[str, object] | None = None) -> str:
    """Return the JSON text of a sprint's progress: equal states give equal bytes, and no clock is asked.

    `results` are what `update_sprint` was told, if anything.
    """
    document: dict[str, object] = {
        "id": state.id,
        "title": state.title,
        "status": str(state.status),
        "workflow": state.workflow.name if state.workflow else None,
        "stage": state.current,
        "stages": [_stage(each) for each in state.stages],
        "goals": list(state.goals),
        "counts": dict(state.counts),
    }
    if state.fork:
        document["fork"] = [f"{move.actor} {move.does}" for move in state.fork.moves]
    if state.unfinished:
        document["unfinished"] = state.unfinished
    if results:
        document["results"] = dict(results)
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _stage(each: StageState) -> dict[str, Json]:
    artifacts: list[Json] = [artifact.path for artifact in each.artifacts]
    return {"id": each.stage.id, "status": str(each.status), "passes": each.passes, "artifacts": artifacts}
