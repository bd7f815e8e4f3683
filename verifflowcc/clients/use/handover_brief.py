"""Earlier stages' artifacts in a brief: each is named, and quoted whole or section by section while there is room."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from verifflowcc.base.model.sprint_state import ArtifactText, SprintState, artifacts_folder
from verifflowcc.base.text.extract import outline, short_form
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use.brief_text import BriefEntry, Count
from verifflowcc.gates.use.gates_now import artifacts_of
from verifflowcc.prompt.use.standpoint import handed

_KINDS = {"md": "markdown", "markdown": "markdown", "json": "json"}
_LONGEST_LINE, _LONGEST_NAME = 2000, 300
_NAME_TOKENS = 30
"""About what a line takes that only names an artifact."""
Handed = tuple[str, str, ArtifactText]
"""A stage, the folder of its artifacts, and one of these."""
Fits = Callable[[str], bool]


def handed_over(workspace: Workspace, sprint: SprintState, stage: str) -> tuple[Handed, ...]:
    """Return the artifacts of earlier stages, in the order of `handed`."""
    return tuple(_artifacts(workspace, sprint, stage))


def handover_entries(
    found: Sequence[Handed], sprint: SprintState, stage: str, room_tokens: int, count: Count
) -> tuple[BriefEntry, ...]:
    """Return an entry for each artifact of earlier stages.

    Those of the stages that it uses and of its pair share the room, but for a line that names each of the others; these
    share what is left.
    """
    state = sprint.stage(stage)
    wanted = {*state.stage.uses, state.stage.pair} if state else set()
    first = [one for one in found if one[0] in wanted]
    others = [one for one in found if one[0] not in wanted]
    aside = min(room_tokens // 2, _NAME_TOKENS * len(others))
    entries, left = _shared(first, room_tokens - aside, count)
    return (*entries, *_shared(others, left + aside, count)[0])


def _shared(found: Sequence[Handed], room_tokens: int, count: Count) -> tuple[list[BriefEntry], int]:
    """Return entries, each with an equal share of the room that the ones before it left, and the room that remains."""
    entries = []
    for number, (_, folder, artifact) in enumerate(found):
        share = room_tokens // (len(found) - number)
        path = f"{folder}/{artifact.artifact.path}"
        text = _entry(path, artifact, partial(_fits, count, share))
        room_tokens = max(0, room_tokens - count(text))
        entries.append(BriefEntry(text, f"{path} {artifact.artifact.digest}"))
    return entries, room_tokens


def _fits(count: Count, most: int, text: str) -> bool:
    return count(text) <= most


def _artifacts(workspace: Workspace, sprint: SprintState, stage: str) -> Iterator[Handed]:
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
    kind = _KINDS.get(path.rpartition(".")[2].lower(), "text")
    how = "by section" if kind == "markdown" else "in short"
    head = f"{shown} ({artifact.artifact.bytes:,} bytes, {how}):"

    def fit(form: str) -> bool:
        return fits(_quoted(head, form))

    short = outline(text, fit) if kind == "markdown" else short_form(text, kind, fit)
    return _quoted(head, short) if short else f"{shown} ({artifact.artifact.bytes:,} bytes; read it there)"


def _quoted(head: str, text: str) -> str:
    """Return a heading and a text that cannot be taken for the brief's own lines."""
    return "\n".join([head, *(f"  > {plain_line(line, _LONGEST_LINE)}" for line in text.splitlines() if line.strip())])
