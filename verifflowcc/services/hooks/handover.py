"""Earlier stages' artifacts in a brief: each is named, and quoted whole or in its short form while there is room."""

from collections.abc import Callable, Iterator
from functools import partial

from verifflowcc.domain.facts import ArtifactText
from verifflowcc.domain.sprints import SprintState
from verifflowcc.services.facts import artifacts_of
from verifflowcc.services.standpoint import handed
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.extract import short_form
from verifflowcc.text.plain_line import plain_line
from verifflowcc.text.secrets import withhold
from verifflowcc.workflow.artifacts import artifacts_folder

_KINDS = {"md": "markdown", "markdown": "markdown", "json": "json"}
_LONGEST_LINE, _LONGEST_NAME = 2000, 300
Fits = Callable[[str], bool]


def handover_lines(
    workspace: Workspace, sprint: SprintState, stage: str, room_tokens: int, count: Callable[[str], int]
) -> list[str]:
    """Return an entry for each artifact that a stage builds on, in the order of `handed`.

    Each artifact may take an equal share of the room that the ones before it left.
    """
    found = list(_artifacts(workspace, sprint, stage))
    lines = []
    for number, (folder, artifact) in enumerate(found):
        share = room_tokens // (len(found) - number)
        line = _entry(f"{folder}/{artifact.artifact.path}", artifact, partial(_fits, count, share))
        room_tokens = max(0, room_tokens - count(line))
        lines.append(line)
    return lines


def _fits(count: Callable[[str], int], most: int, text: str) -> bool:
    return count(text) <= most


def _artifacts(workspace: Workspace, sprint: SprintState, stage: str) -> Iterator[tuple[str, ArtifactText]]:
    for name in handed(sprint, stage):
        folder = artifacts_folder(sprint.id, name)
        yield from ((folder, artifact) for artifact in artifacts_of(workspace, sprint.id, name))


def _entry(path: str, artifact: ArtifactText, fits: Fits) -> str:
    """Return the path and the text as far as it fits; the path alone says how much there is to read."""
    shown = plain_line(withhold(path), _LONGEST_NAME)
    text = withhold(artifact.text or "")
    whole = _quoted(f"{shown}:", text)
    if text.strip() and fits(whole):
        return whole
    head = f"{shown} ({artifact.artifact.bytes:,} bytes, in short):"
    kind = _KINDS.get(path.rpartition(".")[2].lower(), "text")
    short = short_form(text, kind, lambda form: fits(_quoted(head, form)))
    return _quoted(head, short) if short else f"{shown} ({artifact.artifact.bytes:,} bytes; read it there)"


def _quoted(head: str, text: str) -> str:
    """Return a heading and a text that cannot be taken for the brief's own lines."""
    return "\n".join([head, *(f"  > {plain_line(line, _LONGEST_LINE)}" for line in text.splitlines() if line.strip())])
