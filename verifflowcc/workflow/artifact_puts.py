"""Who made which content: the `artifact_put` events of a sprint's ledger.

An event of `stage put` names one artifact. One that took over edits from the history of a machine has `recorded`: each
file's path below the project's root, with its digest after the edit.
"""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.events import Event, EventType, Json
from verifflowcc.domain.facts import ArtifactPut, RecordedEdit
from verifflowcc.domain.sprints import Artifact
from verifflowcc.formats import events_payload as fields

_RECORDED = "recorded"


def put_payload(stage: str, artifact: Artifact, email: str = "") -> dict[str, Json]:
    """Return the payload of `artifact_put`; `email` is the address of the person who stores it."""
    payload: dict[str, Json] = {"stage": stage, "path": artifact.path, "digest": artifact.digest}
    return {**payload, "bytes": artifact.bytes, **({"email": email} if email else {})}


def edits_payload(stage: str, first: Artifact, recorded: Mapping[str, str]) -> dict[str, Json]:
    """Return the payload of an `artifact_put` that takes over recorded edits; `first` is one of the files."""
    return {**put_payload(stage, first), "recorded": dict(recorded)}


def artifact_puts(notes: Sequence[Event]) -> tuple[ArtifactPut, ...]:
    """Return what `stage put` stored, in the order of `notes`."""
    return tuple(
        ArtifactPut(
            stage=fields.text(event.payload, "stage"),
            path=fields.text(event.payload, "path"),
            digest=fields.text(event.payload, "digest"),
            actor=event.actor,
            event=event.id,
            email=fields.optional_text(event.payload, "email") or "",
        )
        for event in notes
        if event.type is EventType.ARTIFACT_PUT and _RECORDED not in event.payload
    )


def recorded_edits(notes: Sequence[Event]) -> tuple[RecordedEdit, ...]:
    """Return the edits that were taken over, in the order of `notes`."""
    found = [event for event in notes if event.type is EventType.ARTIFACT_PUT and _RECORDED in event.payload]
    return tuple(
        RecordedEdit(path, str(digest), event.actor)
        for event in found
        for path, digest in fields.record(event.payload[_RECORDED]).items()
    )
