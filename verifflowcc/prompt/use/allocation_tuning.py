"""Compile recent prompts of a role again with other shares, and suggest those that keep more. Nothing is written."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import median_low

from verifflowcc.base.errors import UsageError, VfccError
from verifflowcc.base.model.config_values import SHARE_UNIT, Allocation, Config
from verifflowcc.base.model.entries import LayerUse, Prompt, Question
from verifflowcc.base.model.layers import PRIORITY, Layer
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.store.hook_files import sent_prompts
from verifflowcc.memory.use.scopes import roles_here
from verifflowcc.prompt.rules.pack import allocate
from verifflowcc.prompt.use.compiling import compile_here
from verifflowcc.prompt.use.prompt_inputs import circumstances
from verifflowcc.prompt.use.prompt_use import reading_of
from verifflowcc.sprint.use.configuration import effective_config, show_config

LAST = 20
FEWEST = 3
"""A suggestion takes so many prompts."""
_STEP = SHARE_UNIT // 100
_FLOOR = 5 * _STEP
"""No layer that has a share is left with less than this."""
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]+")
_NO_WORDS = {"yes", "no", "on", "off", "true", "false", "null"}

Shares = Mapping[Layer, int]


@dataclass(frozen=True, slots=True)
class LayerTuning:
    """A layer over the prompts that were compiled again; tokens are medians (the lower of two)."""

    layer: Layer
    share: int
    used_tokens: int
    """What it used with its share and what others left over."""
    wanted_tokens: int
    """What it would use if all room were its own."""
    suggested: int
    """The same as `share` if nothing is suggested."""
    suggested_tokens: int
    """What it used with the suggested share."""


@dataclass(frozen=True, slots=True)
class RoleTuning:
    """What a role's recent prompts show when they are compiled again. `layers` are empty without a prompt."""

    agent: str
    runs: int
    """How many prompts were compiled again."""
    change: bool
    """Whether other shares are suggested."""
    layers: tuple[LayerTuning, ...]
    why: str


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


def tune_allocation(workspace: Workspace, agent: str | None = None, last: int = LAST) -> Tuning:
    """Compile the last prompts of each role (or of `agent`) again, at most `last` of a role.

    Raises UsageError for an agent that there is not, and ConfigError.
    """
    config = effective_config(workspace).config
    known = roles_here(workspace)
    if agent is not None and agent not in known:
        near = nearest(agent, known)
        hint = f"did you mean {near}?" if near else f"there is {', '.join(sorted(known))}"
        raise UsageError(f"there is no agent {agent}; {hint}", hint=f"--agent {near or min(known)}")
    sent = {role: tuple(_sent(workspace, role))[:last] for role in ([agent] if agent else sorted(known))}
    roles = tuple(_of_role(workspace, config, role, questions) for role, questions in sent.items() if questions)
    return Tuning(
        roles=roles,
        without_runs=tuple(role for role, questions in sent.items() if not questions),
        snippet=_snippet(workspace, config, roles),
    )


def _sent(workspace: Workspace, role: str) -> Iterator[Question]:
    """Yield what was asked for a role here, the latest first, each once."""
    seen = set()
    for each in sent_prompts(str(workspace.local)):
        budget = each.get("budget")
        question = Question(
            role,
            stage=str(each["stage"]) if each.get("stage") else None,
            task=str(each.get("task") or ""),
            budget_tokens=budget if isinstance(budget, int) else None,
        )
        if each.get("role") == role and question not in seen:
            seen.add(question)
            yield question


def _of_role(workspace: Workspace, config: Config, agent: str, questions: Sequence[Question]) -> RoleTuning:
    given = config.allocation_for(agent).shares
    now: Shares = {layer: given.get(layer, 0) for layer in PRIORITY}
    before = [found for each in questions if (found := _compiled(workspace, each, now))]
    best, after = now, before
    for then in _candidates(before, now) if len(before) >= FEWEST else ():
        replayed = [found for each in questions if (found := _compiled(workspace, each, then))]
        if _cut(replayed) < _cut(after) and _used(replayed) >= _used(before):
            best, after = then, replayed
    layers = [
        LayerTuning(
            layer=layer,
            share=now[layer],
            used_tokens=median_low(use.used_tokens for use in _uses(before, layer)),
            wanted_tokens=median_low(use.wanted_tokens for use in _uses(before, layer)),
            suggested=best[layer],
            suggested_tokens=median_low(use.used_tokens for use in _uses(after, layer)),
        )
        for layer in PRIORITY
        if _uses(before, layer)
    ]
    return RoleTuning(agent, len(before), best != now, tuple(layers), _why(before, after, changed=best != now))


def _compiled(workspace: Workspace, question: Question, shares: Shares) -> Prompt | None:
    """Return a prompt with other shares; None where it cannot be compiled any more, as for a stage that is gone."""
    try:
        with circumstances(workspace, question) as here:
            allocation = Allocation(shares, here.allocation.budget_tokens)
            return compile_here(replace(here, allocation=allocation), reading_of(here)).prompt
    except VfccError:
        return None


def _candidates(prompts: Sequence[Prompt], now: Shares) -> Iterator[Shares]:
    """Yield shares in proportion to what layers want, and those halfway there; a layer without a share gets none."""
    wants = {layer: sum(use.wanted_tokens for use in _uses(prompts, layer)) for layer in PRIORITY if now[layer]}
    floors = _FLOOR * len(wants)
    dealt = allocate((SHARE_UNIT - floors) // _STEP, wants)
    target = {layer: _FLOOR + dealt[layer] * _STEP for layer in wants}
    halfway = allocate(SHARE_UNIT // _STEP, {layer: now[layer] + target[layer] for layer in wants})
    for then in (target, {layer: part * _STEP for layer, part in halfway.items()}):
        if sum(then.values()) == SHARE_UNIT:
            yield {layer: then.get(layer, 0) for layer in PRIORITY}


def _uses(prompts: Sequence[Prompt], layer: Layer) -> list[LayerUse]:
    return [use for prompt in prompts for use in prompt.layers if use.layer is layer]


def _cut(prompts: Sequence[Prompt]) -> int:
    return sum(use.trimmed + use.dropped for prompt in prompts for use in prompt.layers)


def _used(prompts: Sequence[Prompt]) -> int:
    return sum(use.used_tokens for prompt in prompts for use in prompt.layers)


def _why(before: Sequence[Prompt], after: Sequence[Prompt], *, changed: bool) -> str:
    """Return why shares are suggested, or none are, in one sentence."""
    if len(before) < FEWEST:
        return f"a suggestion takes {FEWEST} prompts that can be compiled again: keep what you have"
    if changed:
        return (
            f"compiled again with the suggestion, these prompts cut {_cut(after):,} entries (now {_cut(before):,}) "
            f"and hold {_used(after):,} tokens (now {_used(before):,})"
        )
    if not _cut(before):
        return "nothing is cut: keep what you have"
    return "compiled again with other shares, these prompts keep no more: keep what you have"


def _snippet(workspace: Workspace, config: Config, roles: Sequence[RoleTuning]) -> str:
    """Return the lines for the roles that are to change; for all that have shares where a file of format 1 names none.

    In format 1 a file with the section has its own roles alone, so the defaults of the others must be in it, too.
    """
    changed = {role.agent: {one.layer: one.suggested for one in role.layers} for role in roles if role.change}
    if not changed:
        return ""
    settings = {each.name: each for each in show_config(workspace)}
    shares = [each for name, each in settings.items() if name.startswith("token_allocation.")]
    alone = settings["format"].value == 1 and all(each.origin == "default" for each in shares)
    kept = {role: given.shares for role, given in config.allocations.items()} if alone else {}
    return "".join(
        role_line(role, each, config.allocation_for(role).budget_tokens)
        for role, each in sorted((kept | changed).items())
    )


def role_line(role: str, shares: Shares, budget_tokens: int | None) -> str:
    """Return a role's line below `token_allocation:`, with its newline.

    >>> role_line("coder", {Layer.AGENT: 650_000, Layer.PROJECT: 350_000}, None)
    '  coder: {agent: 0.65, project: 0.35}\\n'
    """
    parts = [f"{layer}: {share_text(shares.get(layer, 0))}" for layer in PRIORITY if shares.get(layer, 0)]
    budget = [f"budget: {budget_tokens}"] if budget_tokens else []
    plain = _PLAIN_KEY.fullmatch(role) and role.lower() not in _NO_WORDS
    return f"  {role if plain else json.dumps(role)}: {{{', '.join([*parts, *budget])}}}\n"


def share_text(share: int) -> str:
    """Return millionths as the shortest decimal.

    >>> share_text(350_000), share_text(1_000_000), share_text(0)
    ('0.35', '1', '0')
    """
    return f"{share / SHARE_UNIT:.6f}".rstrip("0").rstrip(".")
