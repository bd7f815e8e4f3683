"""A second look at what is written, by a library, where the project asks for one: `memory.secret_scanner`.

Our own patterns have looked before, whatever is set. The library is imported when something is written, and never else.
"""

from verifflowcc.base.errors import SecretError
from verifflowcc.base.model.config_values import SecretScanner
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.store.scanned_backend import scanned_store
from verifflowcc.sprint.use.configuration import effective_config


def scanned(workspace: Workspace | None, store: MemoryBackend) -> MemoryBackend:
    """Return a store that keeps nothing in which the library finds a new secret; the store itself outside of a project.

    What is written to the user's own memory from within a project is looked at as the project says.
    """
    if workspace is None:
        return store

    def look(item: StoredItem, kept_in: MemoryBackend) -> None:
        if _asked_for(workspace):
            before = kept_in.get(item.item.id)
            refuse_scanned(workspace, before.text if before else "", item.text, item.item.id)

    return scanned_store(store, look)


def refuse_scanned(workspace: Workspace, before: str, after: str, what: str) -> None:
    """Raise SecretError where the library that the project asks for finds a secret that was not there before.

    Raises ConfigError where it is not installed, and where the settings are not sound.
    """
    if before == after or not _asked_for(workspace):
        return
    from verifflowcc.base.text.secrets import place_of, withhold
    from verifflowcc.base.use.guarding import HINT
    from verifflowcc.sprint.store.scanned_backend import scan_text

    held = set(before.splitlines())
    for each in scan_text(after):
        # whole lines, as the library reports only the first letters of some secrets
        if _line_at(after, each.start) not in held:
            finding = f"what looks like a secret, a {each.kind}, at {place_of(after, each.start)} (detect-secrets)"
            raise SecretError(f"{withhold(what)} holds {finding}; nothing was written", hint=HINT)


def _asked_for(workspace: Workspace) -> bool:
    return effective_config(workspace).config.memory.secret_scanner is not SecretScanner.OWN


def _line_at(text: str, start: int) -> str:
    """Return the line of a text in which a place is."""
    return text[:start].rpartition("\n")[2] + text[start:].partition("\n")[0]
