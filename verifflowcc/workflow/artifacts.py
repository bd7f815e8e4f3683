"""A stage's artifacts: where they lie, their digest, and which are no longer as they were when it passed."""

from collections.abc import Iterable, Iterator

from verifflowcc.domain.sprints import Artifact
from verifflowcc.text.digest import digest_text


def artifacts_folder(sprint_id: str, stage_id: str) -> str:
    """Return where a stage's artifacts go, relative to the project's root."""
    return f".memory/stage/{sprint_id}/{stage_id}/artifacts"


def artifacts_digest(artifacts: Iterable[Artifact]) -> str:
    """Return the digest over the paths and digests of artifacts, in the order given."""
    return digest_text("".join(f"{one.path}\0{one.digest}\n" for one in artifacts))


def drifted(passed: Iterable[Artifact], present: Iterable[Artifact]) -> Iterator[tuple[str, bool]]:
    """Yield the path of each artifact of a pass that is not there now as it was, and whether it is gone."""
    now = {one.path: one.digest for one in present}
    for was in passed:
        if now.get(was.path) != was.digest:
            yield was.path, was.path not in now
