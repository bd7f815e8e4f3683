"""The gates in which people are asked something, and which criterion is meant."""

from collections.abc import Sequence

from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Assessment, Gate
from verifflowcc.domain.sprints import SprintState
from verifflowcc.errors import UsageError
from verifflowcc.services.finding import find_stage, stage_meant
from verifflowcc.services.gates import gates_of, sound_facts
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import nearest
from verifflowcc.workflow.gate import entry_gate, exit_gate

Found = tuple[Gate, Assessment]


def chosen_gates(workspace: Workspace, state: SprintState, stage_id: str | None) -> tuple[Facts, tuple[Gate, ...]]:
    """Return the facts and both gates of the stage that is named.

    Where none is, the exit of the stage in work (else the last) and the entry of the one that follows: what stands in
    the way now. Raises UsageError for an unknown stage, LedgerError where evidence is not what vfcc wrote.
    """
    if stage_id is not None:
        find_stage(state, stage_id)
    facts = sound_facts(workspace, state)
    if stage_id is not None:
        return facts, (exit_gate(stage_id, facts), entry_gate(stage_id, facts))
    return facts, gates_of(state, stage_meant(state, None).stage.id, facts).gates


def pick(found: Sequence[Found], criterion_id: str | None, command: str) -> Found:
    """Return the criterion of that id, not met before met; without an id the only one, or the only one not met.

    `command` is what the person types, without `--criterion`. Raises UsageError for an unknown id, with the nearest
    one, and where several are meant.
    """
    unmet = [pair for pair in found if not pair[1].met]
    if criterion_id is not None:
        named = [pair for pair in (*unmet, *found) if pair[1].criterion.id == criterion_id]
        if named:
            return named[0]
        known = [one.criterion.id for _, one in found]
        near = nearest(criterion_id, known)
        more = f"did you mean {near}?" if near else f"there is {', '.join(dict.fromkeys(known))}"
        raise UsageError(
            f"there is no criterion {criterion_id} here; {more}", hint=f"vfcc check gate {found[0][0].stage}"
        )
    if len(unmet) == 1 or len(found) == 1:
        return (unmet or found)[0]
    names = list(dict.fromkeys(one.criterion.id for _, one in (unmet or found)))
    raise UsageError(f"several criteria are meant: {', '.join(names)}", hint=f"{command} --criterion {names[0]}")
