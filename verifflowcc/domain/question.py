"""What is asked of the prompt compiler."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """Whose prompt is wanted, for which sprint and stage, for what task, within how many tokens.

    `committed` takes everything from `revision`; otherwise from the working tree, without local sources unless
    `with_local`. `allocation` goes before the role's: the name of a preset or a role, or shares such as
    `agent=0.6,project=0.4`. `with_past` takes in what is superseded or withdrawn, marked as such.
    `as_of` is an ISO day: what held then goes in, as far as items say so, and counts as no use.
    """

    agent: str
    sprint: str | None = None
    stage: str | None = None
    task: str = ""
    budget_tokens: int | None = None
    strict: bool = False
    committed: bool = False
    revision: str = "HEAD"
    with_local: bool = True
    allocation: str | None = None
    with_past: bool = False
    as_of: str | None = None
