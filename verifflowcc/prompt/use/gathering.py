"""From a selection of files and items to ranked candidates, layer by layer; what is left out is listed with its reason.

Items that other clones do not have are looked at apart: none of them changes what is said of the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from verifflowcc.base.config.config_defaults import STRATEGIES
from verifflowcc.base.errors import FormatError
from verifflowcc.base.files.layout import MEMORY, DerivedSource, SourceContent
from verifflowcc.base.files.write import ProjectFile
from verifflowcc.base.index.index import TraitRows
from verifflowcc.base.model.entries import Candidate, SkippedEntry, TraceEntry
from verifflowcc.base.model.item_values import Item, Trust, awaits_promotion, trust_held
from verifflowcc.base.model.layers import CODE as CODE_PIECES
from verifflowcc.base.model.layers import LOCAL, READING_ORDER, RECALL, TASK, TRACE, USER, Layer
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.model.recall_values import Unit
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.secrets import withhold
from verifflowcc.code.rules.code_views import Snippet
from verifflowcc.memory.rules.recall_ranking import ALONE, WAITING, PlainItems
from verifflowcc.memory.rules.recall_scoring import question_of
from verifflowcc.memory.rules.superseded import as_of, excluded_items, names_leading, superseded
from verifflowcc.memory.use.code_refs import StaleCheck
from verifflowcc.prompt.rules.data_sentences import conflicts
from verifflowcc.prompt.use.ordering import (
    NO_ENTRIES,
    Caps,
    LoadedEntry,
    OrderingInputs,
    PastDay,
    PlainEntries,
    in_order,
    paths_in,
)
from verifflowcc.prompt.use.prompt_sources import Sources
from verifflowcc.prompt.use.source_files import Body, BodyReader, FileSelection, SelectedFile, Source
from verifflowcc.prompt.use.source_reader import SourceReader

# A checklist before planning: the constraints and decisions that bear on the task, a line each.

TYPES = ("constraint", "decision", "convention", "failure")
"""What limits a plan, in the order in which it is listed."""

MOST_LINES = 7
LEAST_RELEVANCE = 200
"""Thousandths of the relevance of the best entry of a layer; what has less does not bear on the task."""

_LONGEST_TITLE = 100


def brief_of(candidates: Mapping[Layer, Sequence[Candidate]]) -> tuple[str, ...]:
    """Return the lines of the checklist: the most relevant ones, those of one type together.

    What other clones do not have is not among them, nor what does not hold any more, nor what no person or tool vouches
    for: these lines stand outside of a fence.
    """
    found = [
        one
        for layer in READING_ORDER
        for one in candidates.get(layer, ())
        if one.type in TYPES and _is_sure(one) and one.relevance >= LEAST_RELEVANCE
    ]
    best = sorted(found, key=lambda one: (-one.relevance, one.path))[:MOST_LINES]
    best.sort(key=lambda one: (TYPES.index(one.type), -one.relevance, one.path))
    return tuple(_line(one) for one in best)


def _is_sure(one: Candidate) -> bool:
    """Whether an entry may stand outside of a fence: it holds, all clones have it, and people or tools vouch for it."""
    return not one.local and not one.invalid_reason and one.trust in (Trust.HUMAN, Trust.TOOL)


def _line(one: Candidate) -> str:
    title = withhold(one.title)
    shown = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1].rstrip()}…"
    stale = f"; stale: {one.stale}" if one.stale else ""
    return f"{one.type} {one.item}: {shown}{stale}"


_ORIGINS = (RECALL, TASK, USER)
_PLAIN_ORIGINS = ("", RECALL)
_PROJECT = f"{MEMORY}/project/"
CODE = "code"
"""Under which name the digest of the code that items speak of is content."""
STALE_MARKS = "stale marks"
"""What tells which items speak of code that changed; items are unmarked where it fails."""
_UNMARKED: tuple[dict[str, str], dict[str, str]] = {}, {}


@dataclass(slots=True)
class PromptCandidates:
    """Candidates per layer in rank order, what was left out, and what the person should know.

    `digests` has, by virtual source, the digest of all that it offered, and under `code` that of what items speak of.
    `filtered` counts items that are none of this role's; `conflicts` are pairs of paths of which both stand and only
    one can hold.
    """

    candidates: dict[Layer, tuple[Candidate, ...]] = field(default_factory=dict)
    skipped: list[SkippedEntry] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    filtered: int = 0
    conflicts: tuple[tuple[str, str], ...] = ()


def gather(  # noqa: PLR0913 - each is another part of what a prompt is made from
    selection: FileSelection,
    reading: BodyReader,
    sources: Sources,
    task: str,
    caps: Caps,
    past: PastDay | None = None,
    checking: StaleCheck | None = None,
    *,
    explained: bool = True,
) -> PromptCandidates:
    """Return ranked candidates for every layer of the selection, typed items no more than `caps` says.

    `sources` has what each derived source says; one that is missing has nothing to say yet. Virtual sources that fail
    are noted by its reader, and nothing of them is a candidate. With `past`, items are as they were on its day; files
    that say no day stand as they are. With `checking`, items whose code is not as it was are marked, or left out.
    Not `explained`, items without relations are ranked by what the index knows and only the best are read: the
    candidates are the same, but what is skipped and the digests are missing.
    Raises FormatError where an always-load file of the project cannot be read as memory.
    """
    gathered, reader = PromptCandidates(), sources.reader
    question = question_of(task) if task else None
    terms = sorted(question.terms) if question else []
    chosen: Sequence[SelectedFile]
    if explained or past:
        plain, chosen = _PlainFiles({}, TraitRows()), selection.selected
    else:
        plain, chosen = _plain_files(selection, reading, terms)
    bodies = _bodies(chosen, reading, terms, reader)
    if named := plain.drop_named(bodies.values(), reading):
        chosen = plain.among(selection)
        bodies |= _bodies([one for one in chosen if one.path in named], reading, terms, reader)
    selected = [one for one in chosen if not reader.has_failed(one.virtual)]
    gathered.notices += _missing(selection)
    _refuse_broken(selected, reading, gathered)
    later: dict[str, str] = {}
    if past is not None:
        bodies, later = _as_they_were(selected, bodies, past)
        gathered.notices.append(f"as of {past.day}; files that say no day stand as they are today")
    invalid_reasons = _invalid_reasons([one for one in selected if one.path not in later], bodies, gathered)
    stale, code = reader.read(STALE_MARKS, lambda: _stale(checking, bodies, invalid_reasons), _UNMARKED)
    offer = OrderingInputs(caps, paths_in(task) if caps.active.file_boost else frozenset(), question)
    items_in_force: list[Item] = []
    by_layer = _by_layer(selected)
    if plain.files:
        by_layer.setdefault(Layer.PROJECT, [])
    for layer, of_layer in by_layer.items():
        usable = []
        for one in of_layer:
            entry = _entry(one, bodies, reading, sources.derived, invalid_reasons.get(one.path, ""))
            reason = later.get(one.path) or _left_out(one, entry, caps, reading)
            reason = reason or _withheld(one, entry, caps, checking, stale)
            if reason is not None:
                _skip(one, entry, reason, reading, gathered)
                gathered.filtered += not _offered(one, entry, caps)
            elif entry is not None:
                usable.append(entry)
                items_in_force += [entry.body.item] if entry.body and not entry.invalid_reason else []
        competing = plain.entries(reading, reader, items_in_force) if layer is Layer.PROJECT else NO_ENTRIES
        ordered, above = in_order(usable, offer, competing)
        gathered.candidates[layer] = tuple(
            replace(one, stale=mark) if (mark := stale.get(one.path)) else one for one in ordered
        )
        gathered.skipped += above
    gathered.conflicts = conflicts(items_in_force)
    gathered.digests = _digests(selected, bodies) | code if explained else {}
    gathered.notices += _notices(reading)
    return gathered


# Items without relations, which most of a large memory are: known by their traits in the index, and read where they are
# among the best. All that leads to another item, or that another leads to, is read and ranked as ever.


@dataclass(slots=True)
class _PlainFiles:
    """The selected files that need not be read, by path, with what the index knows of them."""

    files: dict[str, SelectedFile]
    known: TraitRows

    def among(self, selection: FileSelection) -> tuple[SelectedFile, ...]:
        """Return the others of a selection, in its order."""
        return tuple([one for one in selection.selected if one.path not in self.files])

    def drop_named(self, bodies: Iterable[Body], reading: BodyReader) -> frozenset[str]:
        """Take out, and return, the paths of files that other items may mean by any name."""
        names, numbers = names_leading(body.item for body in bodies) if self.files else (frozenset(), frozenset())
        if not names:
            return frozenset()
        ends = {name.rpartition("/")[2] for name in names}
        ends |= {f"{end}.md" for end in ends}
        found = {path for path in self.files if path.rpartition("/")[2] in ends}
        found |= reading.index.named(names, numbers) & self.files.keys()
        for path in found:
            del self.files[path]
        return frozenset(found)

    def entries(self, reading: BodyReader, reader: SourceReader, in_force: list[Item]) -> PlainEntries:
        """Return what may be in the prompt as entries to be ranked; what is read of them is added to `in_force`."""
        known = self.known.rows
        rows = [known[path] for path in self.files]
        rows = [row for row in rows if row[3] != WAITING]
        if reader.has_failed(RECALL):
            rows = [row for row in rows if self.files[row[1]].origin != RECALL]
        if not rows:
            return NO_ENTRIES
        numbers, paths, _, kinds, importance, confidence, recency, units, lengths = zip(*rows, strict=True)
        last = [self.files[path].origin == RECALL for path in paths]

        def read(chosen: Sequence[int]) -> list[LoadedEntry]:
            ones = [self.files[paths[place]] for place in chosen]
            bodies = reading.bodies([self._file(paths[place]) for place in chosen])
            found = [(one, one.path, bodies.get(one.path)) for one in ones]
            in_force.extend(body.item for _, _, body in found if body)
            return [
                LoadedEntry(one, path, body.digest, body.tokens, body, trust_held(body.item))
                for one, path, body in found
                if body
            ]

        def units_of(parted: Sequence[int]) -> dict[int, tuple[Unit, ...]]:
            found = reading.index.units([self._file(paths[place]) for place in parted])
            return {place: found[paths[place]] for place in parted if paths[place] in found}

        items = PlainItems(
            *([path[len(_PROJECT) :] for path in paths], numbers, importance, confidence, recency, units, lengths),
            *([kind == ALONE for kind in kinds], last, self.known.postings, units_of, reading.index.times),
        )
        return PlainEntries(items, read)

    def _file(self, path: str) -> ProjectFile:
        source = self.files[path].source
        assert isinstance(source, ProjectFile)
        return source


def _plain_files(
    selection: FileSelection, reading: BodyReader, terms: Sequence[str]
) -> tuple[_PlainFiles, Sequence[SelectedFile]]:
    """Return the project's files that may be ranked by their traits, as far as the index knows them as they are.

    The others of the selection are returned beside them, in its order.
    """
    known = reading.index.traits(terms)
    rows, files = known.rows, dict[str, SelectedFile]()
    others: list[SelectedFile] = []
    for one in selection.selected:
        layer, source, _, always, origin = one
        if type(source) is ProjectFile and layer is Layer.PROJECT and not always and origin in _PLAIN_ORIGINS:
            path = source.path
            row = rows.get(path)
            if row is not None and row[2] == source.signature and path.startswith(_PROJECT):
                files[path] = one
                continue
        others.append(one)
    plain = _PlainFiles(files, known)
    twice = files.keys() & {one.path for one in others}
    for path in twice:
        del files[path]
    return plain, plain.among(selection) if twice else others


def _by_layer(selected: Iterable[SelectedFile]) -> dict[Layer, list[SelectedFile]]:
    found: dict[Layer, list[SelectedFile]] = {}
    for one in selected:
        found.setdefault(one.layer, []).append(one)
    return found


def _bodies(
    selected: Iterable[SelectedFile], reading: BodyReader, words: list[str], reader: SourceReader
) -> dict[str, Body]:
    """Read everything once, each where its index is: files that patterns name, then each virtual source by itself."""
    plain = {one.path: one.source for one in selected if isinstance(one.source, ProjectFile) and not one.origin}
    bodies = reading.bodies(plain.values(), words)
    none: dict[str, Body] = {}
    for origin in dict.fromkeys(one.origin for one in selected if one.origin):
        offered = [one.source for one in selected if one.origin == origin and one.path not in bodies]
        bodies |= reader.read(origin, partial(_of_source, origin, offered, reading, words), none)
    return bodies


def _of_source(origin: str, offered: Sequence[Source], reading: BodyReader, words: list[str]) -> dict[str, Body]:
    """Read what a virtual source offers: files, the person's where their index is, and items that no file holds."""
    files = {one.path: one for one in offered if isinstance(one, ProjectFile)}
    kept = {one.item.path: one for one in offered if isinstance(one, StoredItem)}
    theirs = reading.theirs if origin == USER else None
    bodies = (theirs or reading).bodies(files.values(), words) if files else {}
    if theirs is not None:
        reading.problems |= theirs.problems
    return bodies | reading.stored(kept.values(), words) if kept else bodies


def _as_they_were(
    selected: Iterable[SelectedFile], bodies: Mapping[str, Body], past: PastDay
) -> tuple[dict[str, Body], dict[str, str]]:
    """Return bodies with their items as on a day in the past, and path → why for what was not there yet."""

    then, later = dict(bodies), {}
    for items in _groups(selected, bodies).values():
        newer = {path: each.newer for path, each in superseded(items).found.items()}
        held = {item.path: item for item in as_of(items, past.day, ttl_days=past.ttl_days, newer=newer)}
        for item in items:
            if item.path in held:
                then[item.path] = replace(bodies[item.path], item=held[item.path])
            else:
                later[item.path] = f"made on {(item.created or '')[:10] or 'a later day'}, after {past.day}"
    return then, later


def _groups(selected: Iterable[SelectedFile], bodies: Mapping[str, Body]) -> dict[str, list[Item]]:
    """Return the items that stand beside each other: what all have, and apart from it what is private."""
    groups: dict[str, list[Item]] = {}
    for path, origin in sorted({one.path: one.origin for one in selected}.items()):
        if path in bodies:
            groups.setdefault(origin if origin in LOCAL else "", []).append(bodies[path].item)
    return groups


def _invalid_reasons(
    selected: Iterable[SelectedFile], bodies: Mapping[str, Body], gathered: PromptCandidates
) -> dict[str, str]:
    """Return path → why it does not stand; what is private supersedes nothing that others have, nor the reverse."""
    reasons: dict[str, str] = {}
    for items in _groups(selected, bodies).values():
        excluded = excluded_items(items)
        gathered.notices += excluded.notices
        reasons |= excluded.left_out
    return reasons


def _stale(
    checking: StaleCheck | None, bodies: Mapping[str, Body], invalid_reasons: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return stale code references by path, and the digest of that code by name."""
    if checking is None:
        return {}, {}
    stale, digest = checking.code.stale(body.item for path, body in bodies.items() if not invalid_reasons.get(path))
    return stale, {CODE: digest} if digest else {}


def _withheld(
    one: SelectedFile, entry: LoadedEntry | None, caps: Caps, checking: StaleCheck | None, stale: Mapping[str, str]
) -> str | None:
    if checking is None or caps.with_past or entry is None or entry.body is None:
        return None
    return checking.left_out(entry.body.item, stale.get(one.path, ""))


def _digests(selected: Iterable[SelectedFile], bodies: Mapping[str, Body]) -> dict[str, str]:
    found = {}
    for origin in _ORIGINS:
        lines = sorted(
            f"{one.path} {bodies[one.path].digest}" for one in selected if one.origin == origin and one.path in bodies
        )
        if lines:
            found[origin] = digest_text("\n".join(lines))
    traced = [one.source for one in selected if isinstance(one.source, TraceEntry)]
    if traced:
        found[TRACE] = digest_text("\n".join(sorted(f"{each.path} {digest_text(each.text)}" for each in traced)))
    pieces = [one.source for one in selected if isinstance(one.source, Snippet)]
    if pieces:
        found[CODE_PIECES] = digest_text("\n".join(f"{each.place} {digest_text(each.text)}" for each in pieces))
    return found


def _notices(reading: BodyReader) -> list[str]:
    return [*reading.notices, *(reading.theirs.notices if reading.theirs else ())]


def _missing(selection: FileSelection) -> list[str]:
    """One sentence for all patterns that a person wrote; the shipped ones name files that few projects all have."""
    named = [
        f"{layer} {pattern}" for layer, pattern in selection.unmatched if pattern not in STRATEGIES[layer].always_load
    ]
    return [f"not found (optional): {', '.join(named)}"] if named else []


def _refuse_broken(selected: Iterable[SelectedFile], reading: BodyReader, gathered: PromptCandidates) -> None:
    for one in selected:
        problem = reading.problems.get(one.path)
        if problem is None:
            continue
        message = f"{one.path}:{problem}" if problem[0].isdigit() else f"{one.path} {problem}"
        if one.always and not one.local:
            raise FormatError(message, hint="mend the file, or take it out of always_load")
        gathered.notices.append(f"{message}; it is left out")


def _entry(
    one: SelectedFile,
    bodies: Mapping[str, Body],
    reading: BodyReader,
    derived: Mapping[DerivedSource, SourceContent],
    invalid_reason: str,
) -> LoadedEntry | None:
    if isinstance(one.source, Snippet):
        digest = reading.supply(one.path, one.source.text)
        return LoadedEntry(one, one.path, digest, reading.counter.count(one.source.text), None, "human")
    if isinstance(one.source, TraceEntry):
        digest = reading.supply(one.path, one.source.text)
        return LoadedEntry(one, one.path, digest, reading.counter.count(one.source.text), None, one.source.trust)
    if not isinstance(one.source, DerivedSource):
        body = bodies.get(one.path)
        return (
            None
            if body is None
            else LoadedEntry(one, one.path, body.digest, body.tokens, body, trust_held(body.item), invalid_reason)
        )
    if one.source not in derived:
        return None
    content = derived[one.source]
    digest = reading.supply(content.path, content.text)
    return LoadedEntry(
        one, content.path, digest, reading.counter.count(reading.text(content.path, digest)), None, content.trust
    )


def _left_out(one: SelectedFile, entry: LoadedEntry | None, caps: Caps, reading: BodyReader) -> str | None:
    if one.path in reading.problems:
        return reading.problems[one.path]
    if entry is None:
        return "nothing recorded yet"
    pending = entry.body is not None and awaits_promotion(entry.body.item)
    if entry.invalid_reason and (pending or not caps.with_past):
        return entry.invalid_reason
    if entry.body is not None and not _offered(one, entry, caps):
        return f"{entry.body.item.type} is not offered to a {caps.kind} role (memory.assembly.{caps.kind}.user_types)"
    return "empty" if entry.tokens == 0 else None


def _offered(one: SelectedFile, entry: LoadedEntry | None, caps: Caps) -> bool:
    """Whether an item is of a type that this role is offered, as far as its source is one that asks for that."""
    return one.origin != USER or entry is None or entry.body is None or caps.offers(entry.body.item.type)


def _skip(
    one: SelectedFile, entry: LoadedEntry | None, reason: str, reading: BodyReader, gathered: PromptCandidates
) -> None:
    path, tokens = (entry.path, entry.tokens) if entry else (one.path, 0)
    gathered.skipped.append(SkippedEntry(one.layer, one.key, path, tokens, reason))
    if one.always and not one.origin and one.path not in reading.problems:
        gathered.notices.append(f"{one.key} is always loaded but left out: {reason}")
