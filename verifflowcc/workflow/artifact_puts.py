"""Who stored which artifact: the `artifact_put` events of a sprint's ledger."""

from collections.abc import Sequence

from verifflowcc.domain.events import Event, EventType, Json
from verifflowcc.domain.facts import ArtifactPut
from verifflowcc.domain.sprints import Artifact
from verifflowcc.workflow import fields


def put_payload(stage: str, artifact: Artifact) -> dict[str, Json]:
    """Return the payload of `artifact_put`."""
    return {"stage": stage, "path": artifact.path, "digest": artifact.digest, "bytes": artifact.bytes}


def artifact_puts(notes: Sequence[Event]) -> tuple[ArtifactPut, ...]:
    """Return what `stage put` stored, in the order of `notes`."""
    return tuple(
        ArtifactPut(
            stage=fields.text(event.payload, "stage"),
            path=fields.text(event.payload, "path"),
            digest=fields.text(event.payload, "digest"),
            actor=event.actor,
        )
        for event in notes
        if event.type is EventType.ARTIFACT_PUT
    )
