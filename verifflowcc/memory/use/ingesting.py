"""Learn from conversations: read their turns, extract statements, and keep them as items of the person and the project.

Each store is locked once, and what is to be written stands in a plan first: an ingest that was interrupted is carried
out to its end by the next one. The same turn is never read twice into one store.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import cache, partial
from pathlib import Path

from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.item_files import draw_letters
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.files.text_files import LARGEST, read_bytes
from verifflowcc.base.model.item_values import (
    DEFAULT_CONFIDENCE,
    TURN,
    Item,
    Source,
    SourceKind,
    is_trace_type,
    item_type,
    least_trust,
)
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.process.clock import SystemClock, observed
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.own_text import without_injected
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace, required
from verifflowcc.memory.rules.candidates import Extraction, StatementCandidate
from verifflowcc.memory.rules.conversation import read_turns
from verifflowcc.memory.rules.turn_statements import extract as extract_by_rule
from verifflowcc.memory.rules.turns import OWN, TRUST_OF, Conversation, Turn, in_order, short_digest
from verifflowcc.memory.store.placing import made_item
from verifflowcc.memory.use.access_counts import CONTRADICTION, SUPERSEDED, note_metrics
from verifflowcc.memory.use.code_refs import renewed_refs
from verifflowcc.memory.use.item_scope import asks, identity_of, is_person, trust_of
from verifflowcc.memory.use.laid_out import Stream, open_streams
from verifflowcc.memory.use.recording import title_of
from verifflowcc.memory.use.remembering import (
    LearnedStatement,
    LearningTerms,
    StatementOutcome,
    TurnStatement,
    remember,
    speaker_name,
)
from verifflowcc.memory.use.scopes import PROJECT
from verifflowcc.memory.use.stores import memory_settings, open_store

# Read the conversations that a person names: files, or what comes on stdin.

STDIN = "-"
_SPLIT = "split --line-bytes=60M FILE part-; vfcc memory ingest part-*"


def read_conversations(
    sources: Sequence[str], *, kind: str | None = None, session: str | None = None, agents: Sequence[str] = ()
) -> tuple[Conversation, ...]:
    """Return the conversations in files, in order; `-` is stdin.

    Raises UsageError where one cannot be read or is a folder, FormatError where one is no text; then none is returned.
    """
    return tuple(_read(source, kind, session, agents) for source in dict.fromkeys(sources))


def _read(source: str, kind: str | None, session: str | None, agents: Sequence[str]) -> Conversation:
    name = "stdin" if source == STDIN else source
    data = _stdin() if source == STDIN else _file(source)
    found = read_turns(data, name, kind, session=session, agents=agents)
    return found if data.strip() else replace(found, notes=(f"{name}:1: it is empty",))


def _file(source: str) -> bytes:
    path = Path(source)
    if path.is_dir():
        raise UsageError(f"{source} is a folder; a conversation is a file", hint=f"vfcc memory ingest {source}/*")
    if path.is_fifo() and path.resolve().is_fifo():  # it has a name, and would be waited for where nobody writes
        raise UsageError(f"{source} is a pipe; what comes out of it is read on stdin", hint="vfcc memory ingest -")
    return read_bytes(path, source, hint=_SPLIT)


def _stdin() -> bytes:
    data = sys.stdin.buffer.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UsageError(f"stdin is larger than {LARGEST // 1_048_576} MiB", hint=_SPLIT)
    return data


# Keep the turns of conversations as items that a search finds and no prompt holds: what was written, word for word.


@dataclass(frozen=True, slots=True)
class KeptTurns:
    """How many turns were kept in a scope, or would be, and how many were kept before."""

    scope: str
    kept: int
    """Turns that are new."""
    known: int
    """Turns that were kept before."""


def keep_turns(
    workspace: Workspace | None,
    conversations: Sequence[Conversation],
    scope: str,
    *,
    actor: str,
    today: str,
    dry_run: bool = False,
) -> KeptTurns:
    """Keep each turn once, in its place in its session; secrets in it are withheld.

    A turn has the same id whenever it is read, so that an interrupted run is completed by the next one. Raises as
    `open_store` and the store do.
    """
    items = [
        _item(turn, number, conversation.origin, scope, actor, today)
        for conversation in conversations
        for number, turn in _numbered(conversation.turns)
    ]
    once = list({each.item.id: each for each in items}.values())
    with open_store(workspace, scope) as store:
        there = {each.id for each in store.items()}
        new = [each for each in once if each.item.id not in there]
        if new and not dry_run:
            store.create_all(new)
    return KeptTurns(scope, len(new), len(once) - len(new))


def _numbered(turns: Sequence[Turn]) -> Iterator[tuple[int, Turn]]:
    """Yield the turns that have a text, with their place in their session, from 1."""
    places: dict[str, int] = {}
    for turn in turns:
        if turn.tool != OWN and turn.id and turn.session and without_injected(turn.text).strip():
            places[turn.session] = places.get(turn.session, 0) + 1
            yield places[turn.session], turn


def _item(turn: Turn, number: int, origin: str, scope: str, actor: str, today: str) -> StoredItem:
    session = plain_line(_turn_keeping_encodable(turn.session))
    text = withhold(without_injected(_turn_keeping_encodable(turn.text))).strip()
    digest = short_digest("\0".join((session, _turn_keeping_encodable(turn.id))))
    # The place stands last: by the last number of `turn`, a search knows which turns stand beside each other.
    place = f"{plain_line(_turn_keeping_encodable(turn.id))}.{number}"
    speaker = plain_line(_turn_keeping_encodable(speaker_name(turn)))
    item = Item(
        id=f"turn-{digest}",
        type=TURN,
        title=title_of(text, f"turn {number}"),
        path="",
        scope=scope,
        importance=item_type(TURN).importance,
        confidence=DEFAULT_CONFIDENCE,
        source=Source(
            SourceKind.EXTRACTED, actor, session=session, origin=plain_line(origin), turn=place, speaker=speaker
        ),
        trust=least_trust(trust_of(actor), TRUST_OF[turn.speaker]),
        created=turn.at or today,
    )
    return made_item(item, text)


def _turn_keeping_encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


Extractor = Callable[[Turn], Extraction]
"""Returns what a turn says that may be worth keeping: by rule, or with a model."""
Confirm = Callable[[Sequence[LearnedStatement]], bool]
"""Asks a person about what would steer every prompt in every project; false proposes it instead."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Options of ingesting: scopes, proposals only, dry run, known turns again.

    A scope of a role (`agent/coder`) takes what is said of the project, but for what stands in the trace. `proposes`
    says why everything is proposed, where it is not that somebody asked for it (`pending`).
    """

    scopes: tuple[str, ...] = (USER, PROJECT)
    pending: bool = False
    dry_run: bool = False
    again: bool = False
    proposes: str = ""


PLAIN = IngestOptions()


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What an ingest did, or would do.

    `turns` were in the conversations, `known` of them read before into every scope; `counts` has the number of each
    fate; `problems` are what could not be read, `notes` what was left out that nobody has to mend.
    """

    learned: tuple[LearnedStatement, ...]
    counts: Mapping[str, int]
    """How many statements had each outcome."""
    sessions: tuple[str, ...]
    turns: int
    known: int
    """Turns that every scope knew."""
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    """Parts left out that need no action."""
    dry_run: bool
    kept_turns: KeptTurns | None = None
    """Turns kept as items, with `--keep-turns`."""

    def count(self, fate: StatementOutcome) -> int:
        """Return how many statements had this fate."""
        return self.counts.get(fate, 0)


@dataclass(frozen=True, slots=True)
class _ReadTurn:
    """A turn of a conversation as it is extracted from, and where that was read."""

    turn: Turn
    origin: str


def ingest(
    workspace: Workspace | None,
    conversations: Sequence[Conversation],
    choices: IngestOptions = PLAIN,
    *,
    actor: str,
    extract: Extractor = extract_by_rule,
    confirm: Confirm = lambda _: True,
    letters: Callable[[], str] = draw_letters,
) -> IngestResult:
    """Keep what conversations say, in the order given. Outside of a project only the person's scope can be meant.

    Nothing that is kept is changed. Turns that are not known are extracted, and a person is asked, before any lock is
    taken. Raises UsageError where memory is switched off, WorkspaceError where there is no project and its scope is
    asked for, ConflictError where a store is held too long, and as the stores do; what was planned and not written
    then, the next ingest writes.
    """
    if any(scope != USER for scope in choices.scopes):
        required(workspace)
    if workspace is not None and not memory_settings(workspace).enabled:
        raise UsageError("memory is switched off in this project", hint="memory.enabled in .memory/config.yaml")
    reads = tuple(_reads(conversations))
    with ExitStack() as stack:
        streams = open_streams(stack, workspace, choices.scopes, reading=choices.dry_run)
        run = _Run(reads, streams, _terms(workspace, choices, actor), choices.again, extract, letters)
        known = run.look()
        if not choices.dry_run:
            run.ask(confirm)
            learned = _written(stack, run, f"{_now(workspace):%Y-%m-%dT%H:%M:%SZ}")
        else:
            learned = run.settle()
    return IngestResult(
        learned,
        {str(fate): sum(each.outcome is fate for each in learned) for fate in StatementOutcome},
        tuple(dict.fromkeys(read.turn.session for read in reads)),
        len(reads),
        known,
        tuple(problem for each in conversations for problem in each.problems),
        (
            *(note for each in conversations for note in each.notes),
            *_unread(run.given.values()),
            *_counted(workspace, learned, choices),
        ),
        choices.dry_run,
    )


def _written(stack: ExitStack, run: "_Run", at: str) -> tuple[LearnedStatement, ...]:
    """Settle everything with the stores held, and write it."""
    for stream in run.streams:
        stream.lock(stack)
    with ExitStack() as held:
        for stream in run.streams:
            held.enter_context(stream.store.writing())
        run.look()
        learned = run.settle()
        for stream in run.streams:
            stream.write(at)
    for stream in run.streams:
        stream.finish(at)
    return learned


@dataclass(slots=True)
class _Run:
    """An ingest: turns, the stores that want them, and what each turn gave, which is asked for once."""

    reads: Sequence[_ReadTurn]
    streams: Sequence[Stream]
    terms: LearningTerms
    again: bool
    extract: Extractor
    letters: Callable[[], str]
    given: dict[int, Extraction] = field(default_factory=dict)
    wanted: list[tuple[int, tuple[Stream, ...]]] = field(default_factory=list)

    def look(self) -> int:
        """Find the turns that a store does not know, and extract them; return how many all of them know."""
        for stream in self.streams:
            stream.look()
        self.wanted = []
        for place, read in enumerate(observed("reading turns", self.reads)):
            session, turn = read.turn.session, read.turn.id
            wanting = self._wanting(session, turn)
            for stream in wanting:
                stream.note(session, turn)
            if wanting:
                self.wanted.append((place, wanting))
                if place not in self.given:
                    self.given[place] = self.extract(read.turn)
        return len(self.reads) - len(self.wanted)

    def _wanting(self, session: str, turn: str) -> tuple[Stream, ...]:
        """Return the streams that do not know a turn; a role does not want what the project has read already."""
        new = [each for each in self.streams if not each.knows(session, turn, again=self.again)]
        read = any(each.scope == PROJECT and each not in new for each in self.streams)
        return tuple(each for each in new if not (each.of_role and read))

    def _home(self, candidate: StatementCandidate) -> str:
        """Return the scope that a statement belongs to, of those that are open or not."""
        if candidate.layer == USER:
            return USER
        role = next((each.scope for each in self.streams if each.of_role), PROJECT)
        return PROJECT if is_trace_type(candidate.type) else role

    def settle(self) -> tuple[LearnedStatement, ...]:
        """Return the outcome of each statement; the streams collect new items."""
        speaking = {self._home(candidate) for place, _ in self.wanted for candidate in self.given[place].candidates}
        for stream in self.streams:
            if stream.scope in speaking:
                stream.load()
        places = _places(self.reads)
        learned: list[LearnedStatement] = []
        for place, wanting in observed("comparing turns with the memory", self.wanted):
            read = self.reads[place]
            for candidate in self.given[place].candidates:
                for stream in wanting:
                    if stream.scope == self._home(candidate):
                        learned_before = stream.gave(read.turn.session, read.turn.id, candidate.type, candidate.key)
                        unsure = not stream.has_read(read.turn.session)
                        statement = TurnStatement(
                            candidate, read.turn, read.origin, places[read.turn.session], unsure, learned_before
                        )
                        result, made = remember(
                            stream.holding, statement, self.terms, scope=stream.scope, letters=self.letters
                        )
                        learned.append(result)
                        stream.collect(made)
                        if result.outcome in (StatementOutcome.SAME, StatementOutcome.OLDER):
                            stream.note(read.turn.session, read.turn.id, result.others)
        return tuple(learned)

    def ask(self, confirm: Confirm) -> None:
        """Ask a person about what would steer every prompt, where there is such."""
        found = (candidate for given in self.given.values() for candidate in given.candidates)
        if not is_person(self.terms.actor) or not any(asks(each.layer, each.type) for each in found):
            return
        steering = [
            each for each in self.settle() if each.outcome is StatementOutcome.ADDED and asks(each.scope, each.type)
        ]
        if steering and not confirm(steering):
            self.terms = replace(self.terms, steering=False)


def _terms(workspace: Workspace | None, choices: IngestOptions, actor: str) -> LearningTerms:
    project = identity_of(workspace).text if workspace is not None and USER in choices.scopes else None
    why = choices.proposes or ("it was asked to be proposed" if choices.pending else "")
    seen = cache(partial(renewed_refs, workspace))
    speakers = memory_settings(workspace).speakers
    return LearningTerms(actor, f"{_now(workspace):%Y-%m-%d}", project, why, seen=seen, speakers=speakers)


def _now(workspace: Workspace | None) -> datetime:
    return (workspace.clock if workspace else SystemClock()).now()


def _reads(conversations: Sequence[Conversation]) -> Iterator[_ReadTurn]:
    """Yield the turns that say something of their own, with names that every store keeps as they are."""
    for conversation in conversations:
        origin = plain_line(conversation.origin)
        for turn in in_order(_saying(conversation.turns)):
            yield _ReadTurn(turn, origin)


def _saying(turns: Sequence[Turn]) -> Iterator[Turn]:
    for turn in turns:
        text = "" if turn.tool == OWN else without_injected(_encodable(turn.text))
        turn_id, session, name = (plain_line(_encodable(each)) for each in (turn.id, turn.session, turn.name))
        if text.strip() and turn_id and session:
            yield replace(turn, id=turn_id, session=session, name=name, text=text)


def _encodable(text: str) -> str:
    """Return a text without halves of surrogate pairs, which no file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _places(reads: Sequence[_ReadTurn]) -> dict[str, dict[str, int]]:
    """Return the place of each turn in its session."""
    places: dict[str, dict[str, int]] = {}
    for read in reads:
        session = places.setdefault(read.turn.session, {})
        session.setdefault(read.turn.id, len(session))
    return places


def _unread(given: Iterable[Extraction]) -> Iterator[str]:
    """Yield how many turns are in a language that is not read, if there are any of which nothing was learned."""
    counts = Counter(each.language for each in given if each.language and not each.candidates)
    if counts:
        total = sum(counts.values())
        which = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        yield f"{total} {'turn is' if total == 1 else 'turns are'} in a language that vfcc does not read ({which})"


def _counted(
    workspace: Workspace | None, learned: Sequence[LearnedStatement], choices: IngestOptions
) -> tuple[str, ...]:
    """Count what was found against what is held; return why that could not be done."""
    if choices.dry_run:
        return ()
    made = [each for each in learned if each.id]
    replaced = sum(len(each.supersedes) for each in made if each.outcome is StatementOutcome.ADDED)
    against = sum(bool(each.supersedes or each.contradicts) for each in made)
    return note_metrics(workspace, {CONTRADICTION: against, SUPERSEDED: replaced})
