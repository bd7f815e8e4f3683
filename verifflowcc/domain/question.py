"""What is asked of the prompt compiler."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """Whose prompt is wanted, for which sprint and stage, for what task, within how many tokens.

    `committed` takes everything from `revision`; otherwise from the working tree, without local sources unless
    `with_local`.
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
