"""Note a compiled prompt, so that a hook which meets it again takes it for no words of a person."""

from verifflowcc.adapters.files.sent_prompts import add_sent_prompt
from verifflowcc.domain.entries import Prompt, Question
from verifflowcc.episodes.shape import digest_of
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.injected import fingerprint
from verifflowcc.text.secrets import withhold

_LONGEST_TASK = 500


def note_sent(workspace: Workspace, question: Question, prompt: Prompt) -> None:
    """Note a prompt with its role, stage, task and budget; else its form alone is known later."""
    about = {
        "role": prompt.agent,
        "stage": prompt.stage,
        "task": withhold(question.task)[:_LONGEST_TASK],
        "budget": question.budget_tokens,
    }
    try:
        add_sent_prompt(
            str(workspace.local),
            fingerprint(prompt.text, digest_of) | {name: value for name, value in about.items() if value},
        )
    except OSError:
        return
