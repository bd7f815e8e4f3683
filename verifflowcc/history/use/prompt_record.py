"""Note a compiled prompt, so that a hook which meets it again takes it for no words of a person."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.git.git_repository import repository_around, worktree_tops
from verifflowcc.base.model.entries import Prompt, Question
from verifflowcc.base.text.own_text import fingerprint
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.event_shape import digest_of
from verifflowcc.history.store.hook_files import add_sent_prompt
from verifflowcc.history.store.partitions import ENDING, FOLDER, LOCAL, folders_of

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


# Whether there is a history, and where: asked before what reads one is imported.


def history_places(workspace: Workspace) -> Iterator[str]:
    """Yield the folders and files, by path below the project's root, that what a prompt shows of it follows from."""
    for folder in (*map(Path, folders_of(str(workspace.root))), workspace.memory / FOLDER):
        below = os.path.relpath(folder.resolve(), workspace.root.resolve())
        yield below
        yield from (f"{below}/{path.name}" for path in sorted(folder.glob(f"*{ENDING}")))


def is_recorded(workspace: Workspace) -> bool:
    """Return whether anything was recorded here, or was committed by others; also in a worktree's own folder."""
    around = repository_around(str(workspace.root))
    others = (f"{top}/{LOCAL}/{FOLDER}" for top in worktree_tops(around)) if around else ()
    folders = (*folders_of(str(workspace.root)), f"{workspace.memory}/{FOLDER}", *others)
    return any(next(Path(folder).glob(f"*{ENDING}"), None) for folder in folders)


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
