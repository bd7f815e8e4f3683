"""Compare two prompts: two agents, two stages or two commits."""

from collections.abc import Sequence

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.entries import ContextPackage, Fate, PlacedCandidate, Question
from verifflowcc.base.model.layers import READING_ORDER, Layer
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.prompt_use import compile_context


@dataclass(frozen=True, slots=True)
class PromptChange:
    """An entry that differs: `change` is `+` (came), `-` (went) or `~` (changed, or trimmed otherwise)."""

    change: str
    """`+`, `-` or `~`."""
    layer: Layer
    key: str
    left_tokens: int
    right_tokens: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two prompts side by side; `same` counts the entries that are alike in both."""

    left: str
    right: str
    changes: tuple[PromptChange, ...]
    same: int
    """How many entries are alike."""
    left_tokens: int
    right_tokens: int


def sides(
    agents: Sequence[str],
    stages: Sequence[str],
    commits: Sequence[str],
    *,
    sprint: str | None,
    task: str,
    budget_tokens: int | None,
) -> tuple[tuple[str, Question], tuple[str, Question]]:
    """Return the two questions, each with its name. Exactly one of agents, stages and commits comes twice.

    Two commits are compared as they are; two agents or stages as the working tree has them. Local sources take no part,
    so that both sides are what any clone would say.
    """
    given = {"--agent": agents, "--stage": stages, "--commit": commits}
    twice = [option for option, values in given.items() if len(values) == 2]
    if len(twice) != 1 or any(len(values) > 2 for values in given.values()):
        raise UsageError(
            "context diff compares two prompts: give one of --agent, --stage or --commit twice",
            hint="vfcc context diff --agent coder --stage coding --stage testing",
        )
    base = Question(
        agents[0],
        sprint,
        stages[0] if stages else None,
        task,
        budget_tokens,
        committed=bool(commits),
        revision=commits[0] if commits else "HEAD",
        with_local=False,
    )
    option, values = twice[0], given[twice[0]]
    first, second = (_with(base, option, value) for value in values)
    return (values[0], first), (values[1], second)


def _with(base: Question, option: str, value: str) -> Question:
    if option == "--agent":
        return replace(base, agent=value)
    return replace(base, stage=value) if option == "--stage" else replace(base, revision=value)


def compare_contexts(workspace: Workspace, left: tuple[str, Question], right: tuple[str, Question]) -> Comparison:
    """Compile both and list what differs, in reading order."""
    first, second = compile_context(workspace, left[1]), compile_context(workspace, right[1])
    before, after = _in_prompt(first), _in_prompt(second)
    changes, same = [], 0
    for layer, key in sorted({*before, *after}, key=lambda name: (READING_ORDER.index(name[0]), name[1])):
        old, new = before.get((layer, key)), after.get((layer, key))
        if old and new and _identity(old) == _identity(new):
            same += 1
            continue
        what = "~" if old and new else "+" if new else "-"
        changes.append(PromptChange(what, layer, key, old.tokens if old else 0, new.tokens if new else 0))
    return Comparison(left[0], right[0], tuple(changes), same, first.prompt.tokens, second.prompt.tokens)


def _in_prompt(package: ContextPackage) -> dict[tuple[Layer, str], PlacedCandidate]:
    return {(one.candidate.layer, one.candidate.key): one for one in package.placed if one.outcome is not Fate.DROPPED}


def _identity(placed: PlacedCandidate) -> tuple[str, str, str | None]:
    return placed.candidate.path, placed.candidate.digest, placed.text
