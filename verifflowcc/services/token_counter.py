"""The project's token counter, which remembers what it counted."""

from collections.abc import Iterator
from contextlib import contextmanager

from verifflowcc.adapters.index.index import Index
from verifflowcc.adapters.tokens.counter import open_counter
from verifflowcc.domain.config import TokenSettings
from verifflowcc.domain.ports import TokenCounter
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.workspace import Workspace


@contextmanager
def project_counter(workspace: Workspace, settings: TokenSettings | None = None) -> Iterator[TokenCounter]:
    """The project's counter, which remembers what it counted; `settings` go before those of the project."""
    given = settings or effective_config(workspace).config.tokens
    with Index(workspace.local / "index.db") as index:
        yield open_counter(given, index.counts)
        index.save()
