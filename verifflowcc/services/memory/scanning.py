"""A second look at what is written, by a library, where the project asks for one: `memory.secret_scanner`.

Our own patterns have looked before, whatever is set. The library is imported when something is written, and never else.
"""

from verifflowcc.adapters.backends.scanned import scanned_store
from verifflowcc.domain.config import SecretScanner
from verifflowcc.domain.memory import MemoryBackend, StoredItem
from verifflowcc.errors import SecretError
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.workspace import Workspace


def scanned(workspace: Workspace | None, store: MemoryBackend) -> MemoryBackend:
    """Return a store that keeps nothing in which the library finds a new secret; the store itself outside of a project.

    What is written to the user's own memory from within a project is looked at as the project says.
    """
    if workspace is None:
        return store

    def look(item: StoredItem, kept_in: MemoryBackend) -> None:
        if asks_for_scan(workspace):
            before = kept_in.get(item.item.id)
            refuse_scanned(workspace, before.text if before else "", item.text, item.item.id)

    return scanned_store(store, look)


def refuse_scanned(workspace: Workspace, before: str, after: str, what: str) -> None:
    """Raise SecretError where the library that the project asks for finds a secret that was not there before.

    Raises ConfigError where it is not installed, and where the settings are not sound.
    """
    if before == after or not asks_for_scan(workspace):
        return
    from verifflowcc.adapters.scanning.detect_secrets import scan_text
    from verifflowcc.services.memory.guarding import HINT
    from verifflowcc.text.secrets import place_of, withhold

    held = set(before.splitlines())
    for each in scan_text(after):
        if _line_at(after, each.start) not in held:
            told = f"what looks like a secret, a {each.kind}, at {place_of(after, each.start)} (detect-secrets)"
            raise SecretError(f"{withhold(what)} holds {told}; nothing was written", hint=HINT)


def asks_for_scan(workspace: Workspace) -> bool:
    """Return whether the project asks for the library; who writes many items asks once."""
    return effective_config(workspace).config.memory.secret_scanner is not SecretScanner.OWN


def _line_at(text: str, start: int) -> str:
    """Return the line at a place of a text: of some secrets the library tells the first letters alone."""
    return text[:start].rpartition("\n")[2] + text[start:].partition("\n")[0]
