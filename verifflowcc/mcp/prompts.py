"""Prompts that a person picks in a client: a role's manual, a review, the end of a task."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from verifflowcc.errors import UsageError
from verifflowcc.services.workspace import Workspace, open_workspace


def role(workspace: Workspace, name: Annotated[str, "Role; default: the stage's"] = "", task: str = "") -> str:
    """Work as a role of this project"""
    from verifflowcc.domain.entries import Question
    from verifflowcc.services.context import compile_prompt_only, role_and_task

    agent, wanted = (name, task) if name else role_and_task(workspace, None, None, task)
    return compile_prompt_only(workspace, Question(agent, task=wanted, budget_tokens=4000)).text


def review(workspace: Workspace) -> str:
    """Review the active stage without changing anything"""
    from verifflowcc.services.client_setup import skill_body

    return skill_body("vfcc-review")


def handoff(workspace: Workspace) -> str:
    """End a task: evidence, artifact, proposals"""
    from verifflowcc.services.client_setup import skill_body

    return skill_body("vfcc-handoff")


PROMPTS: Mapping[str, Callable[..., str]] = {each.__name__: each for each in (role, review, handoff)}


def get_prompt(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a prompt as a message. Raises VfccError for an unknown one, and for an argument that it has not."""
    import inspect

    if name not in PROMPTS:
        raise UsageError(f"there is no prompt {name[:80]!r}; there is {', '.join(PROMPTS)}")
    function = PROMPTS[name]
    known = list(inspect.signature(function).parameters)[1:]
    wrong = [key for key, value in arguments.items() if key not in known or not isinstance(value, str)]
    if wrong:
        raise UsageError(f"{name} takes {', '.join(known) or 'no argument'}, and not {str(wrong[0])[:80]!r}")
    text = function(open_workspace(), **arguments)
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
