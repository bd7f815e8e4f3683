"""Which files each layer's loading strategy selects, before any of them is read."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from verifflowcc.adapters.files.layout import CORE_FILES, MEMORY, Derived, Files, Place, folder_of, source_of, sources
from verifflowcc.adapters.files.write import Found, Tree, names
from verifflowcc.domain.code_told import Snippet
from verifflowcc.domain.config import LayerStrategy
from verifflowcc.domain.entries import TraceEntry
from verifflowcc.domain.layers import CODE, LOCAL, READING_ORDER, TASK, TRACE, USER, Layer
from verifflowcc.domain.memory import StoredItem
from verifflowcc.records import dataclass

Source = Found | Derived | StoredItem | Snippet | TraceEntry


@dataclass(frozen=True, slots=True)
class Selected:
    """A file, an item of a store or a derived source that a pattern named; `key` is its name within the layer.

    `origin` is the virtual source that offers it, empty where a pattern of files names it.
    """

    layer: Layer
    source: Source
    key: str
    always: bool
    origin: str = ""

    @property
    def path(self) -> str:
        """The file's path, or the derived source's name."""
        return _path(self.source)

    @property
    def virtual(self) -> str:
        """The virtual source that it comes from, by its name; empty for a file that a pattern names."""
        return self.origin or (self.source.value if isinstance(self.source, Derived) else "")

    @property
    def local(self) -> bool:
        """Whether other clones do not have it, so that it must not move what they have."""
        return self.origin in LOCAL or (isinstance(self.source, Derived | Snippet) and self.source.local)


@dataclass(frozen=True, slots=True)
class Selection:
    """Everything that the layers' strategies name, each file once per layer, and the patterns that name nothing."""

    selected: tuple[Selected, ...]
    unmatched: tuple[tuple[Layer, str], ...]


def select(
    tree: Tree,
    strategies: Mapping[Layer, LayerStrategy],
    place: Place,
    told: Collection[Derived] = (),
    offered: Mapping[str, Sequence[Source]] | None = None,
) -> Selection:
    """Return the selection for `place`; `unmatched` lists always-load patterns alone.

    `told` are the derived sources that have something to say, `offered` is what each virtual source has.
    """
    selected: list[Selected] = []
    unmatched: list[tuple[Layer, str]] = []
    for layer in READING_ORDER:
        if layer in strategies:
            seen: set[str] = set()
            for pattern, always in _patterns(strategies[layer]):
                origin = source_of(layer, pattern)
                found: Sequence[Source] = (
                    (offered or {}).get(origin, ()) if origin else list(_matching(tree, layer, pattern, place, told))
                )
                if always and not found and not origin:
                    unmatched.append((layer, pattern))
                for source in found:
                    one = Selected(layer, source, _key(source, folder_of(layer, place), origin), always, origin)
                    if one.path not in seen:
                        seen.add(one.path)
                        selected.append(one)
    selected = _each_once(selected)
    selected.sort(key=lambda one: one.path not in CORE_FILES)
    return Selection(tuple(selected), tuple(unmatched))


def _each_once(selected: list[Selected]) -> list[Selected]:
    """Leave out trace items whose files a pattern names: their text is in the prompt already."""
    files = {one.path for one in selected if not one.origin}
    return [one for one in selected if one.origin != TRACE or one.path not in files]


def _patterns(strategy: LayerStrategy) -> Iterator[tuple[str, bool]]:
    yield from ((pattern, True) for pattern in strategy.always_load)
    yield from ((pattern, False) for pattern in strategy.conditional_load)


def _matching(
    tree: Tree, layer: Layer, pattern: str, place: Place, told: Collection[Derived]
) -> Iterator[Found | Derived]:
    for source in sources(layer, pattern, place):
        if isinstance(source, Files):
            found = tree.find(source.folder, source.pattern)
            if layer is Layer.SPRINT and source.folder == folder_of(layer, place):
                yield from _instead(source, found, Derived.PROGRESS)
                continue
            if layer is Layer.STAGE and source.folder == folder_of(layer, place) and Derived.FEEDBACK in told:
                yield from _instead(source, found, Derived.FEEDBACK)
                continue
            yield from found
            if found and source.pattern in CORE_FILES:
                return
        elif (source is Derived.PROGRESS and place.sprint is not None) or source is Derived.RECENT_ACTIONS:
            yield source


def _instead(source: Files, found: tuple[Found, ...], derived: Derived) -> Iterator[Found | Derived]:
    """Where a pattern names a file that is derived, what it says now: the file itself says less, or is not here."""
    file = f"{source.folder}/{derived.value}"
    yield from (one for one in found if one.path != file)
    if names(source.pattern, derived.value):
        yield derived


def _path(source: Source) -> str:
    if isinstance(source, StoredItem):
        return source.item.path
    if isinstance(source, Snippet):
        return source.place
    return source.path if isinstance(source, Found | TraceEntry) else source.value


def _key(source: Source, folder: str | None, origin: str) -> str:
    """Its path below the layer's own folder; below `.memory/` for what lies elsewhere in it; else the whole path."""
    path = _path(source)
    if isinstance(source, Derived):
        return path
    if origin == CODE:
        return f"{path} {source.name}".rstrip() if isinstance(source, Snippet) else path
    if isinstance(source, TraceEntry):
        return source.id
    if origin == USER:
        return path.removeprefix("user/")
    if origin == TASK:
        return "task/" + "/".join(path.split("/")[4:]).removeprefix("items/")
    below = path.removeprefix(f"{folder}/")
    return below if below != path else path.removeprefix(f"{MEMORY}/")
