"""Say which layers were starved or wasted over the last prompts, and suggest shares. Nothing is written."""

from collections import Counter
from collections.abc import Mapping, Sequence

from verifflowcc.adapters.files.run_log import read_run_log
from verifflowcc.domain.config import Config
from verifflowcc.domain.layers import Layer
from verifflowcc.domain.runs import Run
from verifflowcc.errors import UsageError
from verifflowcc.formats.run_lines import read_runs
from verifflowcc.packing.suggest import LayerFindings, Outcome, suggest
from verifflowcc.records import dataclass
from verifflowcc.services.compiling import LEFTOVER_PART
from verifflowcc.services.configuration import effective_config, show_config
from verifflowcc.services.memory.scopes import roles_here
from verifflowcc.services.tuning_said import notes_of, role_line, why_of
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.near import nearest

LAST = 50
_ORIGIN_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class RoleTuning:
    """What the last prompts of a role say, those with the shares that it has now and of the budget that most had.

    `other_shares` and `other_budget` are how many were left out for that. `why` is a sentence, `notes` more of them.
    """

    agent: str
    runs: int
    """How many prompts count."""
    other_shares: int
    """Prompts with other shares, which do not count."""
    other_budget: int
    """Prompts with another budget than most, which do not count."""
    budget_tokens: int
    outcome: Outcome
    """`change`, `too_few_runs`, `nothing_lacks`, `nothing_to_give` or `no_effect`."""
    layers: tuple[LayerFindings, ...]
    why: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tuning:
    """What is suggested for each role; `snippet` is YAML to put below `token_allocation:`, empty where nothing changes.

    `without_runs` are the roles that no prompt was compiled for.
    """

    roles: tuple[RoleTuning, ...]
    without_runs: tuple[str, ...]
    """Roles without a prompt on this machine."""
    snippet: str
    """YAML for `token_allocation:`; empty if nothing is suggested."""
    notices: tuple[str, ...]


def tune_allocation(workspace: Workspace, agent: str | None = None, last: int = LAST) -> Tuning:
    """Return what the last prompts of each role (or of `agent`) say of its shares, at most `last` of a role.

    Raises UsageError for an agent that there is not, ConfigError, and WorkspaceError where the log cannot be read.
    """
    config = effective_config(workspace).config
    known = roles_here(workspace)
    if agent is not None and agent not in known:
        near = nearest(agent, known)
        said = f"did you mean {near}?" if near else f"there is {', '.join(sorted(known))}"
        raise UsageError(f"there is no agent {agent}; {said}", hint=f"--agent {near or min(known)}")
    log = read_runs(read_run_log(workspace.local))
    wanted = {agent} if agent else known
    of_roles: dict[str, list[Run]] = {role: [] for role in sorted(wanted)}
    for run in log.runs:
        if run.agent in of_roles:
            of_roles[run.agent].append(run)
    lines = "line of the log of runs says" if log.bad == 1 else "lines of the log of runs say"
    roles = tuple(_of_role(config, role, runs, last) for role, runs in of_roles.items() if runs)
    return Tuning(
        roles=roles,
        without_runs=tuple(role for role, runs in of_roles.items() if not runs),
        snippet=_snippet(workspace, config, roles),
        notices=(f"{log.bad} {lines} nothing",) if log.bad else (),
    )


def _of_role(config: Config, agent: str, runs: Sequence[Run], last: int) -> RoleTuning:
    shares = config.allocation_for(agent).shares
    like = [run for run in runs if _has(run, shares)]
    latest = like[-last:]
    budget = _usual_budget(latest)
    chosen = [run for run in latest if run.budget_tokens == budget]
    most = _most(config, shares, budget)
    found = suggest(chosen, shares, most)
    return RoleTuning(
        agent=agent,
        runs=len(chosen),
        other_shares=len(runs) - len(like),
        other_budget=len(latest) - len(chosen),
        budget_tokens=budget,
        outcome=found.outcome,
        layers=found.layers,
        why=why_of(found, len(chosen)),
        notes=notes_of(found, len(chosen), most),
    )


def _has(run: Run, shares: Mapping[Layer, int]) -> bool:
    """Whether a prompt was packed by these shares: what was seen under others says nothing of them."""
    return all(one.share == shares.get(one.layer, 0) for one in run.layers)


def _usual_budget(runs: Sequence[Run]) -> int:
    """Return the budget that most runs had, the latest one of several; 0 where there is no run."""
    counted = Counter(run.budget_tokens for run in reversed(runs))
    return counted.most_common(1)[0][0] if counted else 0


def _most(config: Config, shares: Mapping[Layer, int], budget_tokens: int) -> dict[Layer, int]:
    most = {layer: strategy.max_tokens for layer, strategy in config.strategies.items()}
    if Layer.USER in most and not shares.get(Layer.USER, 0):
        most[Layer.USER] = min(most[Layer.USER], budget_tokens // LEFTOVER_PART)
    return most


def _snippet(workspace: Workspace, config: Config, roles: Sequence[RoleTuning]) -> str:
    """Return the lines for the roles that are to change; for all that have shares where a file of format 1 names none.

    In format 1 a file with the section has its own roles alone, so the defaults of the others must be in it, too.
    """
    changed = {
        role.agent: {one.layer: one.suggested for one in role.layers}
        for role in roles
        if role.outcome is Outcome.CHANGE
    }
    if not changed:
        return ""
    settings = {each.name: each for each in show_config(workspace)}
    shares = [each for name, each in settings.items() if name.startswith("token_allocation.")]
    alone = settings["format"].value == 1 and all(each.origin == _ORIGIN_DEFAULT for each in shares)
    kept = {role: given.shares for role, given in config.allocations.items()} if alone else {}
    return "".join(
        role_line(role, each, config.allocation_for(role).budget_tokens)
        for role, each in sorted((kept | changed).items())
    )
