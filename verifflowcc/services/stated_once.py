"""What a page states in its own words is not printed a second time: a sprint's goals and progress, a role's tools."""

from collections.abc import Iterator, Sequence

from verifflowcc.context.compile import Shown
from verifflowcc.context.view import one_line
from verifflowcc.domain.layers import Layer
from verifflowcc.domain.sprints import SprintState
from verifflowcc.records import replace
from verifflowcc.services.prompt_facts import PromptFacts
from verifflowcc.services.role_files import TOOLS

_GOALS, _PROGRESS = "goals.md", "progress.json"


def unstated(facts: PromptFacts, state: SprintState | None, shown: Sequence[Shown]) -> list[Shown]:
    """Return entries without what the page states itself; an entry of which nothing is left is not among them."""
    found = [replace(one, text=_left(facts, state, one)) for one in shown]
    return [one for one in found if one.text.strip()]


def states_progress(facts: PromptFacts, one: Shown) -> bool:
    """Return whether an entry is the sprint's progress, of which the page states the stages."""
    return _is(one, Layer.SPRINT, _PROGRESS) and bool(facts.on_sprint) and one.text.startswith(facts.on_sprint)


def _left(facts: PromptFacts, state: SprintState | None, one: Shown) -> str:
    if _is(one, Layer.AGENT, TOOLS):
        return one.text.removeprefix(facts.on_tools).lstrip("\n")
    if states_progress(facts, one):
        return one.text.removeprefix(facts.on_sprint).lstrip("\n")
    if state is not None and _is(one, Layer.SPRINT, _GOALS) and not any(_other_lines(one.text, state)):
        return ""
    return one.text


def _is(one: Shown, layer: Layer, name: str) -> bool:
    return one.candidate.layer is layer and one.candidate.key == name


def _other_lines(text: str, state: SprintState) -> Iterator[str]:
    """Yield the lines of a sprint's `goals.md` that are neither its title nor one of its goals."""
    headings = {state.id, state.title, "Goals"}
    for line in filter(None, map(str.strip, text.splitlines())):
        known = headings if line.startswith("#") else set(map(one_line, state.goals))
        if one_line(line.lstrip("#-* ")) not in known:
            yield line
