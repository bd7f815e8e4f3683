"""Which layer loads an item of the project, by the patterns and sources that a selection goes by."""

from collections.abc import Collection

from verifflowcc.adapters.files.layout import MEMORY, Files, Place, source_of, sources
from verifflowcc.adapters.files.write import Tree
from verifflowcc.domain.config import Config
from verifflowcc.domain.layers import RECALL, TRACE, Layer

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


def named_files(config: Config, tree: Tree) -> frozenset[str]:
    """Return the files that the patterns of the project's layer name."""
    given = config.strategies.get(Layer.PROJECT)
    patterns = given.always_load + given.conditional_load if given else ()
    found = (source for each in patterns for source in sources(Layer.PROJECT, each, Place("")))
    return frozenset(
        one.path for each in found if isinstance(each, Files) for one in tree.find(each.folder, each.pattern)
    )
