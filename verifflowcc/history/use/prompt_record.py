"""Note a compiled prompt, so that a hook which meets it again takes it for no words of a person."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from verifflowcc.base.model.entries import Prompt, Question
from verifflowcc.base.text.own_text import fingerprint
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.event_shape import digest_of
from verifflowcc.history.store.hook_files import add_sent_prompt

if TYPE_CHECKING:
    from verifflowcc.base.model.config_values import TokenSettings
    from verifflowcc.base.model.ports import TokenCounter

# The project's token counter, which remembers what it counted.


@contextmanager
def project_counter(workspace: Workspace, settings: "TokenSettings | None" = None) -> "Iterator[TokenCounter]":
    """The project's counter, which remembers what it counted; `settings` go before those of the project."""
    from verifflowcc.base.index.index import Index
    from verifflowcc.base.tokens.token_counter import open_counter
    from verifflowcc.sprint.use.configuration import effective_config

    given = settings or effective_config(workspace).config.tokens
    with Index(workspace.local / "index.db") as index:
        yield open_counter(given, index.counts)
        index.save()


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
