"""What an approval or an acceptance speaks of, as one digest."""

from collections.abc import Sequence

from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Criterion
from verifflowcc.domain.sprints import Leg, artifacts_folder
from verifflowcc.text.canonical import digest_text
from verifflowcc.text.glob import select


def subject_of(criterion: Criterion, stage_id: str, facts: Facts) -> str:
    """Return the digest of all that `criterion` asks a person about in that stage.

    These are the stage's artifacts as they are now, and the project's files that `inputs` chooses; at the apex, where
    what is made is the code, no `inputs` means all of them.
    """
    return subject_digest(criterion, subject_files(criterion, stage_id, facts))


def subject_digest(criterion: Criterion, files: Sequence[tuple[str, str]]) -> str:
    """Return the digest of a criterion's files, as `subject_files` lists them."""
    return digest_text("".join([f"{criterion.id}\n", *(f"{path}\0{digest}\n" for path, digest in files)]))


def subject_files(criterion: Criterion, stage_id: str, facts: Facts) -> tuple[tuple[str, str], ...]:
    """Return the files behind `subject_of`, each with its digest; paths are relative to the project's root."""
    folder = artifacts_folder(facts.sprint.id, stage_id)
    files = {f"{folder}/{one.artifact.path}": one.artifact.digest for one in facts.artifacts.get(stage_id, ())}
    stage = facts.sprint.workflow.stage(stage_id) if facts.sprint.workflow else None
    if criterion.inputs or (stage and stage.leg is Leg.APEX):
        files |= {path: facts.content[path] for path in select(facts.content, criterion.inputs)}
    return tuple(sorted(files.items()))
