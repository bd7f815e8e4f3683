"""What a stage specifies, its artifacts and its trace items: their digest, and what changed since it passed."""

from collections.abc import Iterable, Iterator, Mapping

from verifflowcc.domain.sprints import Artifact
from verifflowcc.text.digest import digest_text


def artifacts_folder(sprint_id: str, stage_id: str) -> str:
    """Return where a stage's artifacts go, relative to the project's root."""
    return f".memory/stage/{sprint_id}/{stage_id}/artifacts"


def artifacts_digest(artifacts: Iterable[Artifact]) -> str:
    """Return the digest over the paths and digests of artifacts, in the order given."""
    return output_digest(artifacts, {})


def output_digest(artifacts: Iterable[Artifact], traced: Mapping[str, str]) -> str:
    """Return the digest over a stage's artifacts and, where it specifies any, the digests of its trace items."""
    items = "".join(f"items of type {name}\0{traced[name]}\n" for name in sorted(traced))
    return digest_text("".join(f"{one.path}\0{one.digest}\n" for one in artifacts) + items)


def drifted(passed: Iterable[Artifact], present: Iterable[Artifact]) -> Iterator[tuple[str, bool]]:
    """Yield the path of each artifact of a pass that is not there now as it was, and whether it is gone."""
    now = {one.path: one.digest for one in present}
    for was in passed:
        if now.get(was.path) != was.digest:
            yield was.path, was.path not in now
