"""Which layer loads an item of the project, by the patterns and sources that a selection goes by."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from verifflowcc.base.errors import SecretError
from verifflowcc.base.files.layout import MEMORY, FilePattern, Place, source_of, sources
from verifflowcc.base.files.write import ProjectTree
from verifflowcc.base.model.config_values import Config, SecretScanner
from verifflowcc.base.model.item_values import is_trace_type
from verifflowcc.base.model.layers import RECALL, TRACE, Layer
from verifflowcc.base.text.secrets import place_of, withhold
from verifflowcc.base.use.workspace import MEMORY as WORKSPACE_MEMORY
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.use.configuration import effective_config

if TYPE_CHECKING:
    from verifflowcc.base.model.ports import Remark

_PROJECT = f"{MEMORY}/project/"


def names_source(config: Config, name: str) -> bool:
    """Say whether any layer's strategy names a virtual source."""
    return any(
        name in (pattern, source_of(layer, pattern))
        for layer, given in config.strategies.items()
        for pattern in given.always_load + given.conditional_load
    )


def not_loaded(config: Config, path: str, named: Collection[str], *, traced: bool) -> str | None:
    """Return why no layer of any role would load an item of the project, and what to add; None where one does.

    `path` begins at the project's root; `named` are the files that patterns name, `traced` says that it is an item
    of the trace.
    """
    if not path.startswith(_PROJECT) or path in named:
        return None
    below = path.removeprefix(_PROJECT)
    if not below.startswith("items/"):
        return _advice(f"{below.partition('/')[0]}/*.md", Layer.PROJECT)
    if traced:
        return None if names_source(config, TRACE) else _advice(TRACE, Layer.SPRINT)
    if not names_source(config, RECALL):
        return _advice(RECALL, Layer.PROJECT)
    return None if config.memory.enabled else "no layer loads it: memory.enabled is false"


def _advice(name: str, layer: Layer) -> str:
    return f'no layer loads it: add "{name}" to loading_strategy.{layer}.conditional_load in {MEMORY}/config.yaml'


def named_files(config: Config, tree: ProjectTree) -> frozenset[str]:
    """Return the files that the patterns of the project's layer name."""
    given = config.strategies.get(Layer.PROJECT)
    patterns = given.always_load + given.conditional_load if given else ()
    found = (source for each in patterns for source in sources(Layer.PROJECT, each, Place("")))
    return frozenset(
        one.path for each in found if isinstance(each, FilePattern) for one in tree.find(each.folder, each.pattern)
    )


# Which items of the project no prompt can hold, because no layer of any role loads them.


def not_loaded_here(workspace: Workspace, path: str, scope: str) -> str | None:
    """Return why no layer would load a memory item of the project; None where one does, or for another scope."""
    if scope != "project":
        return None
    full = path if path.startswith(f"{WORKSPACE_MEMORY}/") else f"{WORKSPACE_MEMORY}/{path}"
    return reason_here(workspace, full, traced=False)


def reason_here(workspace: Workspace, path: str, *, traced: bool) -> str | None:
    """Return why no layer would load a file of the project's items; None where one does."""
    config = effective_config(workspace).config
    return not_loaded(config, path, named_files(config, ProjectTree(workspace.root)), traced=traced)


def dead_memory(workspace: Workspace) -> "Iterator[Remark]":
    """Yield a note for each reason why items of the project are loaded by no layer."""
    from verifflowcc.base.model.ports import Health, Remark

    tree, config = ProjectTree(workspace.root), effective_config(workspace).config
    named, counts = named_files(config, tree), dict[str, int]()
    for found in tree.find(f"{WORKSPACE_MEMORY}/project", "items/**/*.md"):
        folder = found.path.rpartition("/")[0].rpartition("/")[2]
        reason = not_loaded(config, found.path, named, traced=is_trace_type(folder))
        if reason:
            counts[reason] = counts.get(reason, 0) + 1
    yield from (
        Remark("memory", Health.NOTE, f"items that no prompt can hold: {count}; {why}")
        for why, count in sorted(counts.items())
    )


# A second look at what is written, by a library, where the project asks for one: `memory.secret_scanner`.
#
# Our own patterns have looked before, whatever is set. The library is imported when something is written, and never
# else.


def refuse_scanned(workspace: Workspace, before: str, after: str, what: str) -> None:
    """Raise SecretError where the library that the project asks for finds a secret that was not there before.

    Raises ConfigError where it is not installed, and where the settings are not sound.
    """
    if before == after or not asks_for_scan(workspace):
        return
    from verifflowcc.base.use.guarding import HINT
    from verifflowcc.sprint.store.scanned_backend import scan_text

    held = set(before.splitlines())
    for each in scan_text(after):
        # whole lines, as the library reports only the first letters of some secrets
        if _line_at(after, each.start) not in held:
            from verifflowcc.base.text.plain_words import with_article

            found = f"{with_article(each.kind)}, at {place_of(after, each.start)} (detect-secrets)"
            raise SecretError(
                f"{withhold(what)} holds what looks like a secret, {found}; nothing was written", hint=HINT
            )


def asks_for_scan(workspace: Workspace) -> bool:
    """Return whether the project asks for the library; who writes many items asks once."""
    return effective_config(workspace).config.memory.secret_scanner is not SecretScanner.OWN


def _line_at(text: str, start: int) -> str:
    """Return the line of a text in which a place is."""
    return text[:start].rpartition("\n")[2] + text[start:].partition("\n")[0]
