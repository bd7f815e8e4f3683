"""Read the files of a selection: what the index knows is not read again; the rest is read, parsed and learned."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from verifflowcc.base.errors import ConfigError, ConflictError, VfccError
from verifflowcc.base.files.layout import (
    CORE_FILES,
    MEMORY,
    DerivedSource,
    FilePattern,
    Place,
    folder_of,
    settled,
    source_of,
    sources,
)
from verifflowcc.base.files.write import DerivedFile, ProjectFile, ProjectTree, names
from verifflowcc.base.index.index import FileReading, Index, IndexedFile
from verifflowcc.base.model.config_values import LayerStrategy
from verifflowcc.base.model.entries import Question, TraceEntry
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.layers import CODE, LOCAL, READING_ORDER, TASK, TRACE, USER, Layer
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.model.recall_values import Extent, Unit, extent_of
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import conflict_line, digest_text
from verifflowcc.code.rules.code_views import Snippet
from verifflowcc.items.store.item_edits import parse_item, read_body
from verifflowcc.memory.rules.recall_ranking import traits_of
from verifflowcc.memory.rules.recall_scoring import counts_of, units_of
from verifflowcc.memory.store.placing import item_from_text, item_to_text
from verifflowcc.prompt.rules.data_sentences import (
    VERSION,
    context_text,
    listed_tools,
    permission_text,
    progress_text,
    tools_text,
)

if TYPE_CHECKING:
    from verifflowcc.base.model.ports import TokenCounter

# Which files of `.memory/` a prompt shows as sentences, and how their texts are read for that.

_TOOLS = f"{MEMORY}/agent/*/tools.yaml"
_TEXTS = {f"{MEMORY}/sprint/*/progress.json": progress_text, f"{MEMORY}/agent/*/context.json": context_text}
_ENDINGS = tuple(pattern.rpartition("*")[2] for pattern in (_TOOLS, *_TEXTS))


def data_kind(path: str) -> str:
    """Return a name for how the text of a file is shown, which changes with the sentences; empty for other files."""
    known = path.endswith(_ENDINGS) and any(fnmatchcase(path, pattern) for pattern in (_TOOLS, *_TEXTS))
    return f"{path.rpartition('/')[2]}-{VERSION}" if known else ""


def prompt_text(path: str, text: str, local: Path | None) -> str:
    """Return the text of a file as prompts show it; `local` is the folder for caches, None where there is none."""
    if fnmatchcase(path, _TOOLS):
        return shown_tools(path, text, local)[1]
    found = next((each for pattern, each in _TEXTS.items() if fnmatchcase(path, pattern)), None)
    return found(text) if found else text


_KEPT = DerivedFile("tools/*.json", 1, keyed_by="the path and text of a tools.yaml; how it is shown", most=32)
"""What roles may use, and how a prompt says so: reading one file of YAML takes as long as a tenth of a prompt."""


@lru_cache(maxsize=32)
def shown_tools(path: str, text: str, local: Path | None) -> tuple[Mapping[str, Json], str]:
    """Return a role's table of tools, and its `tools.yaml` as a prompt shows it, kept for files with the same text."""
    if local is None:
        return _shown_tools(path, text)
    kept, key = local / "tools" / f"{path.split('/')[-2]}.json", [path, VERSION, text]
    value = _KEPT.read(kept, key)
    if value is None:
        value = _shown_tools(path, text)
        _KEPT.write(kept, value, key)
    table, shown = value
    return table, shown


def folder_for_caches(question: Question, tree: ProjectTree) -> Path | None:
    """Return the folder for what is kept of a project's files; None for a commit, which brings none of this clone."""
    return None if question.committed else tree.root / MEMORY / "local"


def _shown_tools(path: str, text: str) -> tuple[dict[str, Json], str]:
    from verifflowcc.base.config.tools_file import parse_tools
    from verifflowcc.base.config.yaml_values import load_yaml

    data = text.encode()
    table, problems = parse_tools(data, path)
    try:
        value, _ = load_yaml(data, path)
    except ConfigError:
        return table, text
    listed = listed_tools(value)
    if problems or listed is None:
        return table, text
    # Of version 1 the table lacks what hooks cannot hold a role to: the commands that it may run.
    return table, tools_text(text, value, permission_text({**table, **_rules(table, listed)}))


def _rules(table: Mapping[str, Json], listed: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, rule in listed.items():
        known = table.get(name)
        found[name] = {
            **(known if isinstance(known, dict) else {}),
            **{key: list(words) for key, words in rule.items()},
        }
    return found


# Which files each layer's loading strategy selects, before any of them is read.

Source = ProjectFile | DerivedSource | StoredItem | Snippet | TraceEntry


class SelectedFile(NamedTuple):
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
        source = self.source
        return source.path if type(source) is ProjectFile else _path(source)

    @property
    def virtual(self) -> str:
        """The virtual source that it comes from, by its name; empty for a file that a pattern names."""
        return self.origin or (self.source.value if isinstance(self.source, DerivedSource) else "")

    @property
    def local(self) -> bool:
        """Whether other clones do not have it, so that it must not move what they have."""
        return self.origin in LOCAL or (isinstance(self.source, DerivedSource | Snippet) and self.source.local)


@dataclass(frozen=True, slots=True)
class FileSelection:
    """Everything that the layers' strategies name, each file once per layer, and the patterns that name nothing."""

    selected: tuple[SelectedFile, ...]
    unmatched: tuple[tuple[Layer, str], ...]


def select(
    tree: ProjectTree,
    strategies: Mapping[Layer, LayerStrategy],
    place: Place,
    derived: Collection[DerivedSource] = (),
    offered: Mapping[str, Sequence[Source]] | None = None,
) -> FileSelection:
    """Return the selection for `place`; `unmatched` lists always-load patterns alone.

    `derived` are the derived sources that have content, `offered` is what each virtual source has.
    """
    core: list[SelectedFile] = []
    others: list[SelectedFile] = []
    unmatched: list[tuple[Layer, str]] = []
    for layer in READING_ORDER:
        if layer in strategies:
            seen: set[str] = set()
            for pattern, always in _patterns(strategies[layer]):
                origin = source_of(layer, pattern)
                found: Sequence[Source] = (
                    (offered or {}).get(origin, ()) if origin else list(_matching(tree, layer, pattern, place, derived))
                )
                if always and not found and not origin:
                    unmatched.append((layer, pattern))
                folder = folder_of(layer, place)
                for source in found:
                    path = source.path if type(source) is ProjectFile else _path(source)
                    if path not in seen:
                        seen.add(path)
                        one = SelectedFile(layer, source, _key(source, path, folder, origin), always, origin)
                        (core if path in CORE_FILES else others).append(one)
    return FileSelection(tuple(_each_once(core + others)), tuple(unmatched))


def _each_once(selected: list[SelectedFile]) -> list[SelectedFile]:
    """Leave out trace items whose files a pattern names: their text is in the prompt already."""
    if not any(one.origin == TRACE for one in selected):
        return selected
    files = {one.path for one in selected if not one.origin}
    return [one for one in selected if one.origin != TRACE or one.path not in files]


def _patterns(strategy: LayerStrategy) -> Iterator[tuple[str, bool]]:
    yield from ((pattern, True) for pattern in strategy.always_load)
    yield from ((pattern, False) for pattern in strategy.conditional_load)


def _matching(
    tree: ProjectTree, layer: Layer, pattern: str, place: Place, derived: Collection[DerivedSource]
) -> Iterator[ProjectFile | DerivedSource]:
    for source in sources(layer, pattern, place):
        if isinstance(source, FilePattern):
            found = tree.find(source.folder, source.pattern)
            if layer is Layer.SPRINT and source.folder == folder_of(layer, place):
                yield from _instead(source, found, DerivedSource.PROGRESS)
                continue
            if layer is Layer.STAGE and source.folder == folder_of(layer, place) and DerivedSource.FEEDBACK in derived:
                yield from _instead(source, found, DerivedSource.FEEDBACK)
                continue
            yield from found
            if found and source.pattern == CORE_FILES[0] and not _imports(tree, found[0], CORE_FILES[1]):
                return
        elif (source is DerivedSource.PROGRESS and place.sprint is not None) or source is DerivedSource.RECENT_ACTIONS:
            yield source


def _imports(tree: ProjectTree, file: ProjectFile, name: str) -> bool:
    """Say whether a file of instructions takes in another, by a word as `@AGENTS.md`; in a span of code it does not."""
    if file.problem or not tree.find("", name):
        return False
    try:
        text = tree.read(file.path).decode("utf-8", "replace")
    except OSError:
        return False  # whoever shows the file gives the reason
    return any(word.rstrip(".,;:)") in (f"@{name}", f"@./{name}") for word in text.split())


def _instead(
    source: FilePattern, found: tuple[ProjectFile, ...], derived: DerivedSource
) -> Iterator[ProjectFile | DerivedSource]:
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
    return source.path if isinstance(source, ProjectFile | TraceEntry) else source.value


def _key(source: Source, path: str, folder: str | None, origin: str) -> str:
    """Its path below the layer's own folder; below `.memory/` for what lies elsewhere in it; else the whole path."""
    if origin or type(source) is not ProjectFile:
        if isinstance(source, DerivedSource):
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


_THEIRS = "user/"
_FEW = 500


@dataclass(frozen=True, slots=True)
class Body:
    """A file as memory: its item, the digest of its bytes, the tokens of its body, and how much of it is searched.

    `units` are there where it holds any of the terms asked for.
    """

    item: Item
    digest: str
    tokens: int
    extent: Extent
    units: tuple[Unit, ...] = ()


@dataclass(slots=True)
class BodyReader:
    """The bodies of files, read at most once each.

    `problems` maps a path to why it cannot be memory, a line first where it has one (`12: not UTF-8`); `notices` are
    what the parser wants the person to know. `theirs` reads the files of the person's own folder, whose paths begin
    with `user/`: their index is there, and no project's. `local` is the project's folder
    for caches, None where nothing is kept.
    """

    tree: ProjectTree
    index: Index
    counter: "TokenCounter"
    problems: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    theirs: "BodyReader | None" = None
    local: Path | None = None
    _texts: dict[str, tuple[str, str]] = field(default_factory=dict)

    def bodies(self, files: Iterable[ProjectFile], terms: Sequence[str] = ()) -> dict[str, Body]:
        """Return path → body for every file that can be read; the others are in `problems`.

        What was just read is matched here and not by the index: that may be locked, or written by others.
        """
        readable = []
        for file in files:
            if file.problem is None:
                readable.append(file)
            else:
                self.problems[file.path] = file.problem
        known, matches = self.index.known(readable, terms)
        new = [file for file in readable if file.path not in known]
        learned = [one for file in observed("reading sources", new) if (one := self._learn(file))]
        self.index.learn(learned)
        known |= {one.known.path: one.known for one in learned}
        fresh = {one.known.path: one.units if _holds(one.units, terms) else () for one in learned}
        self.notices.extend(line for path in sorted(known) for line in known[path].notices.splitlines())
        self._prefetch([one.digest for one in known.values()])
        return {path: self._body(one, fresh.get(path, matches.get(path, ()))) for path, one in known.items()}

    def stored(self, items: Iterable[StoredItem], terms: Sequence[str] = ()) -> dict[str, Body]:
        """Return path → body for items that no file holds; their texts are kept here."""
        known = [(one, digest_text(one.text.encode())) for one in items]
        self._prefetch([digest for _, digest in known])
        bodies = {}
        for one, digest in known:
            self._texts[one.item.path] = digest, one.body
            units = units_of(one.item, one.body) if terms else ()
            tokens = self._tokens(one.item.path, digest)
            held = units if _holds(units, terms) else ()
            bodies[one.item.path] = Body(one.item, digest, tokens, extent_of(units), held)
        return bodies

    def text(self, path: str, digest: str) -> str:
        """Return the body of a file as prompts show it; ConflictError where it is no longer what was ranked."""
        if self.theirs is not None and path.startswith(_THEIRS):
            return self.theirs.text(path, digest)
        if path not in self._texts:
            data = self.tree.read(path)
            self._texts[path] = digest_text(data), read_body(path, data)
        found, text = self._texts[path]
        if found != digest:
            raise ConflictError(f"{path} changed while the prompt was compiled", hint="run the command again")
        return prompt_text(path, text, self.local)

    def supply(self, path: str, text: str) -> str:
        """Give a derived source its text; returns its digest."""
        digest = digest_text(text)
        self._texts[path] = digest, text
        return digest

    def _learn(self, file: ProjectFile) -> FileReading | None:
        try:
            data = self.tree.read(file.path)
            item, notices = self._parse(file.path, data)
        except OSError as error:
            self.problems[file.path] = f"cannot be read: {error.strerror}"
        except VfccError as error:
            self.problems[file.path] = error.message.removeprefix(f"{file.path}:").lstrip()
        else:
            digest, text = self._texts[file.path]
            units = units_of(item, text)
            facts = item_to_text(item)
            extent = extent_of(units)
            # Where items are listed, one with a merge left open is none, so it is read again each time.
            kept = settled(file.touched_ns) and conflict_line(data) is None
            known = IndexedFile(file.path, file.signature, digest, facts, notices, extent, kept)
            traits = None if notices else traits_of(item, text, units, extent)
            return FileReading(known, units, traits, counts_of(units))
        return None

    def _parse(self, path: str, data: bytes) -> tuple[Item, str]:
        parsed = parse_item(path, data)
        self._texts[path] = digest_text(data), parsed.body
        return parsed.item, "\n".join(parsed.notices)

    def _prefetch(self, digests: Sequence[str]) -> None:
        """Read the counts of texts; where these are many, of all texts at once."""
        if len(digests) <= _FEW:
            self.index.counts.fetch([self._count_key(digest) for digest in digests])
        else:
            self.index.counts.prefetch(self._count_key(""))

    def _body(self, known: IndexedFile, units: tuple[Unit, ...]) -> Body:
        tokens = self._tokens(known.path, known.digest)
        return Body(item_from_text(known.facts), known.digest, tokens, known.extent, units)

    def _tokens(self, path: str, digest: str) -> int:
        kind = data_kind(path)
        key = self._count_key(f"{kind}/{digest}" if kind else digest)
        tokens = self.index.counts.get(key)
        if tokens is None:
            tokens = self.counter.count(self.text(path, digest))
            self.index.counts[key] = tokens
        return tokens

    def _count_key(self, digest: str) -> str:
        return f"body/{self.counter.name}/{digest}"


def _holds(units: Iterable[Unit], terms: Iterable[str]) -> bool:
    """Say whether any unit holds any of the terms."""
    wanted = set(terms)
    return any(not wanted.isdisjoint(field.split()) for unit in units for field in unit.terms)
