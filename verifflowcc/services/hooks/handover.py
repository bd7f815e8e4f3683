"""Earlier stages' artifacts in a brief: each is named, and quoted whole or in its short form while there is room."""

from collections.abc import Callable, Iterator, Sequence
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
_NAME_TOKENS = 30
"""About what a line takes that only names an artifact."""
_Found = tuple[str, str, ArtifactText]
"""A stage, the folder of its artifacts, and one of these."""
Fits = Callable[[str], bool]


def handover_lines(
    workspace: Workspace, sprint: SprintState, stage: str, room_tokens: int, count: Callable[[str], int]
) -> list[str]:
    """Return an entry for each artifact of earlier stages, in the order of `handed`.

    Those of the stages that it uses and of its pair share the room, but for a line that names each of the others; these
    share what is left.
    """
    found = list(_artifacts(workspace, sprint, stage))
    state = sprint.stage(stage)
    wanted = {*state.stage.uses, state.stage.pair} if state else set()
    first = [one for one in found if one[0] in wanted]
    others = [one for one in found if one[0] not in wanted]
    aside = min(room_tokens // 2, _NAME_TOKENS * len(others))
    lines, left = _shared(first, room_tokens - aside, count)
    return lines + _shared(others, left + aside, count)[0]


def _shared(found: Sequence[_Found], room_tokens: int, count: Callable[[str], int]) -> tuple[list[str], int]:
    """Return entries, each with an equal share of the room that the ones before it left, and the room that remains."""
    lines = []
    for number, (_, folder, artifact) in enumerate(found):
        share = room_tokens // (len(found) - number)
        line = _entry(f"{folder}/{artifact.artifact.path}", artifact, partial(_fits, count, share))
        room_tokens = max(0, room_tokens - count(line))
        lines.append(line)
    return lines, room_tokens


def _fits(count: Callable[[str], int], most: int, text: str) -> bool:
    return count(text) <= most


def _artifacts(workspace: Workspace, sprint: SprintState, stage: str) -> Iterator[_Found]:
    for name in handed(sprint, stage):
        folder = artifacts_folder(sprint.id, name)
        yield from ((name, folder, artifact) for artifact in artifacts_of(workspace, sprint.id, name))


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
