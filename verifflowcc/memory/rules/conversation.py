"""Read a conversation from a file of any known format, and detect the format."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum

from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.formats.session_lines import JsonLines, text_at, texts_of
from verifflowcc.base.formats.session_lines import JsonLinesJson as Json
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.dates import read_date
from verifflowcc.base.text.identifiers import slug
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.memory.rules.codex_conversation import looks_like_codex, read_codex
from verifflowcc.memory.rules.turns import (
    NOTES,
    SILENT,
    Conversation,
    Speaker,
    Turn,
    TurnIds,
    moment_of,
    origin_of,
    session_of,
    speaker_named,
    speaker_of,
    stem_of,
    voice_of_tool,
)

# Claude Code's transcripts: JSON lines of what the person typed, what the agent said, and what its tools answered.
#
# Left out, since nobody said it here: the client's own lines and reminders, summaries of what was said before,
# thinking, and requests that were interrupted. In a subagent's lines it is the agent that asks.

_OF_THE_CLIENT = re.compile(
    r"<(?P<tag>system-reminder|command-name|command-message|command-args|command-contents|local-command-stdout"
    r"|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|user-memory-input|task-notification"
    r"|ide_opened_file|ide_selection|user-prompt-submit-hook|session-start-hook)\b[^>]*>.*?(?:</(?P=tag)>|\Z)",
    re.DOTALL,
)
_INTERRUPTED = re.compile(r"\s*\[Request interrupted by user[^\]]*\]\s*")
LEFT_OUT = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


def read_claude(data: bytes, name: str, *, session: str | None = None) -> Conversation:
    """Return the turns of a transcript; `session` goes before the one that the lines name, and the file's name last."""
    lines = JsonLines(name, data)
    reader = _ClaudeReader(session, stem_of(name))
    turns = tuple(turn for _, row in lines.rows() for turn in reader.turns(row))
    return Conversation(origin_of(name, data), turns, tuple(lines.problems), tuple(lines.notes))


class _ClaudeReader:
    def __init__(self, session: str | None, otherwise: str) -> None:
        self._session, self._otherwise = session, otherwise
        self._calls: dict[str, tuple[Speaker, str]] = {}
        self._ids = TurnIds()

    def turns(self, row: Mapping[str, Json]) -> Iterator[Turn]:
        """Yield the turns of one line."""
        kind = row.get("type")
        if kind not in ("user", "assistant") or any(row.get(name) is True for name in LEFT_OUT):
            return
        session = self._session or text_at(row, "sessionId") or self._otherwise
        at = moment_of(row.get("timestamp"))
        person = kind == "user" and row.get("isSidechain") is not True
        speaker = Speaker.PERSON if person else Speaker.AGENT
        content = row.get("message")
        content = content.get("content") if isinstance(content, Mapping) else None
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for place, block in enumerate(blocks):
            spoken = self._block(block, speaker)
            if spoken and spoken[1].strip():
                voice, text, tool, own_id = spoken
                turn_id = own_id or self._id(text_at(row, "uuid"), place, kind, text)
                yield Turn(turn_id, voice, text.strip(), session, at, "", tool)

    def _block(self, block: Json, speaker: Speaker) -> tuple[Speaker, str, str | None, str | None] | None:
        """Return the voice, text, tool and own id of a block that says something."""
        kind = text_at(block, "type")
        if kind == "text":
            text = text_at(block, "text") or ""
            return speaker, typed(text), None, None
        if kind == "tool_use":
            asked = json.dumps(block.get("input"), ensure_ascii=False) if isinstance(block, Mapping) else ""
            self._calls[text_at(block, "id") or ""] = voice_of_tool(text_at(block, "name") or "", asked)
        if kind == "tool_result" and isinstance(block, Mapping):
            called = text_at(block, "tool_use_id") or ""
            voice, tool = self._calls.get(called, (Speaker.OUTSIDE, ""))
            return voice, _OF_THE_CLIENT.sub("", texts_of(block.get("content"))), tool or None, called or None
        return None

    def _id(self, uuid: str | None, place: int, kind: Json, text: str) -> str:
        if uuid is None:
            return self._ids.of(str(kind), text)
        return f"{uuid}/{place}" if place else uuid


def typed(text: str) -> str:
    """Return what a person typed of a text: without what the client put into it."""
    return _INTERRUPTED.sub("", _OF_THE_CLIENT.sub("", text))


def looks_like_claude(row: Mapping[str, Json]) -> bool:
    """Say whether a line of JSON is one of such a transcript."""
    own = {"parentUuid", "sessionId", "isSidechain", "leafUuid", "userType"} & row.keys()
    return text_at(row, "type") is not None and bool(own) and "payload" not in row


# Plain dialogues: paragraphs `Name: text`, several sessions in one file, parted by headings, rules or dates.
#
# Whoever has a name is a person, unless they are named as an agent or their name is a role's (`Assistant`). What comes
# before the first name is nobody's, and is left out. Whether a line begins a turn is decided by that line and by what
# was said before it, so that a file that grows keeps the turns that it had.

_WORD = r"[^\W\d_][\w.'’-]{0,30}"
_SPEAKER = re.compile(
    rf"(?:\[(?P<before>[^\]\n]{{1,40}})\] ?)?(?P<bold>\*\*|__)?(?P<name>{_WORD}(?: {_WORD}){{0,2}})"
    r"(?: ?[\[(](?P<after>[^\])\n]{1,40})[\])])?(?(bold)(?::(?P=bold)|(?P=bold):)|:)(?=\s|$)"
)
_RULE = re.compile(r"-{3,}|\*{3,}|_{3,}|={3,}")
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<title>.+)")
_SESSION = re.compile(r"(?i)\b(?:session|conversation|chat|meeting|day|week|part|dialogue|call)\b.{0,40}\d")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")
_LABELS = frozenset(
    "note notes example examples warning todo step steps fix error problem solution summary result results output input"
    " question answer tip hint important remember code usage update subject date time title topic context agenda reason"
    " first second third finally also however then next now so but and or if when http https file line edit ps rule"
    " rules goal goals decision decisions action actions yes no attendees attendee participants present absent"
    " apologies status impact severity duration author authors owner owners decider deciders consulted informed"
    " reviewers tags location facilitator scribe minutes consequences alternatives background scope risks cause causes"
    " root detection resolution lessons timeline related references supersedes".split()
)
_LONGEST_DATE = 60
_NO_TURN = "there is no turn of a conversation in it; a dialogue has paragraphs `Name: text`; for notes: --kind notes"


def read_dialogue(data: bytes, name: str, *, session: str | None = None, agents: Collection[str] = ()) -> Conversation:
    """Return the turns of a plain dialogue; `agents` are the names, case folded, that are agents.

    Without `session` the session is called after the file and what is said first. What is no UTF-8, or a text without
    any turn, is a problem.
    """
    origin = origin_of(name, data)
    lines, problem = _lines_of(data, name)
    if problem:
        return Conversation(origin, (), (problem,))
    lines = [_QUOTE.sub("", line, count=1) for line in lines]
    reader = _TurnsDialogueReader(name, session, agents)
    for number in range(len(lines)):
        reader.take(lines, number)
    reader.close()
    if any(each.strip() for each in lines) and not reader.turns:
        return Conversation(origin, (), (f"{name}:1: {_NO_TURN}",))
    return Conversation(origin, tuple(reader.turns), (), tuple(reader.notes))


def _lines_of(data: bytes, name: str) -> tuple[list[str], str]:
    """Return the lines of a text, and what is wrong with it."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return [], f"{name}:{line}: not UTF-8 at byte {error.start}"
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""


@dataclass(slots=True)
class _Session:
    """One session: its name behind that of the file, its day, who has spoken in it."""

    id: str = ""
    at: str | None = None
    ids: TurnIds = field(default_factory=TurnIds)
    names: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _OpenTurn:
    """A turn that is being read."""

    name: str
    at: str | None
    lines: list[str]


class _TurnsDialogueReader:
    """Reads one line after the other."""

    def __init__(self, name: str, session: str | None, agents: Collection[str]) -> None:
        self.turns: list[Turn] = []
        self.notes: list[str] = []
        self._file, self._base, self._agents = name, session, agents
        self._session = _Session()
        self._open: _OpenTurn | None = None
        self._fresh, self._after_turn, self._fenced = True, False, False
        self._titles: dict[str, int] = {}

    def take(self, lines: Sequence[str], number: int) -> None:
        """Take one line: a new session, a new turn, or more of the one that is open."""
        line = lines[number]
        if not line.strip():
            self._fresh = True
            self._add(line)
            return
        if not self._fenced and self._parts(lines, number):
            self._fresh, self._after_turn = True, False
            return
        found = self._speaker(line)
        if self._fenced and not (found and self._fresh and found["name"] in self._session.names):
            found = None  # only a new turn of somebody known ends a fence that nobody closed
        if found:
            self._fenced = False
            self._begin(found, line)
        elif self._open is None:
            self._tell_nobodys(number)
        else:
            self._add(line)
        self._after_turn = found is not None and not line.rstrip().endswith(":")
        if self._open and line.lstrip().startswith(("```", "~~~")):
            self._fenced = not self._fenced
        self._fresh = False

    def close(self) -> None:
        """End the turn that is open."""
        turn, self._open = self._open, None
        text = "\n".join(turn.lines).strip() if turn else ""
        if turn is None or not text:
            return
        if self._base is None:
            self._base = session_of(self._file, f"{turn.name}\0{text}")
        session = f"{self._base}/{self._session.id}" if self._session.id else self._base
        speaker = speaker_named(turn.name, self._agents)
        turn_id = self._session.ids.of(turn.name, text)
        self.turns.append(Turn(turn_id, speaker, text, session, turn.at or self._session.at, turn.name))

    def _parts(self, lines: Sequence[str], number: int) -> bool:
        """Begin a new session where a line parts it from the last one; say whether it does."""
        line = lines[number].strip()
        heading = _HEADING.fullmatch(line)
        title = heading["title"] if heading else line
        date = date_in(title) if len(title) <= _LONGEST_DATE and (heading or read_date(title)) else None
        if _RULE.fullmatch(line):
            title = ""
        elif not (heading or date or (_SESSION.match(line) and self._fresh)):
            return False
        named = bool(date or _SESSION.search(title)) and (heading is not None or self._speaker(line) is None)
        if not named and not self._speaks_next(lines, number):
            return False
        self.close()
        if title or self._session.names:
            self._session = _Session(self._numbered(title), date)
        return True

    def _speaks_next(self, lines: Sequence[str], number: int) -> bool:
        following = next((each for each in lines[number + 1 :] if each.strip()), "")
        found = _SPEAKER.match(following)
        return _HEADING.match(following) is not None or (found is not None and _is_name(found["name"]))

    def _numbered(self, title: str) -> str:
        name = slug(title, "part")
        number = self._titles[name] = self._titles.get(name, 0 if title else 1) + 1
        return name if number == 1 else f"{name}-{number}"

    def _speaker(self, line: str) -> re.Match[str] | None:
        found = _SPEAKER.match(line)
        if found is None or found["name"] in self._session.names:
            return found
        begins = self._fresh or self._after_turn
        return found if begins and _is_name(found["name"]) else None

    def _begin(self, found: re.Match[str], line: str) -> None:
        self.close()
        self._session.names.add(found["name"])
        when = found["before"] or found["after"]
        self._open = _OpenTurn(found["name"], date_in(when) if when else None, [line[found.end() :].strip()])

    def _add(self, line: str) -> None:
        if self._open is not None:
            self._open.lines.append(line.rstrip())

    def _tell_nobodys(self, number: int) -> None:
        if not self.notes:
            self.notes.append(f"{self._file}:{number + 1}: no speaker is named here; the text is left out")


def _is_name(name: str) -> bool:
    """Say whether words look like a speaker's name, and not like a label such as `Note`."""
    words = name.split()
    return words[0].casefold() not in _LABELS and all(not word[0].islower() for word in words)


def date_in(words: str) -> str | None:
    """Return the first date in a few words, such as a heading's.

    >>> date_in("Session 3 (8 May, 2023)"), date_in("1:56 pm on 8 May, 2023"), date_in("Session 3")
    ('2023-05-08', '2023-05-08', None)
    """
    for place in re.finditer(r"\b\w", words):
        if date := read_date(words[place.start() :]):
            return date
    return None


# Notes: minutes, a decision record, a post-mortem. Each section is a turn, and who wrote it is not known.

_ASIDE = re.compile(
    r"(?i)\b(?:timeline|action(?: item)?s|to-?dos?|next steps|open questions?|questions|attend(?:ees|ance)|agenda|"
    r"participants|alternatives?|options|considered|rejected|pros and cons|status|context|background|impact|references|"
    r"links|what went (?:well|wrong))\b"
)
"""Sections of what was, is to be done, or was not chosen: nothing in them holds."""
_FRONT = re.compile(r"\A\s*---\n.*?\n---\n", re.DOTALL)
_FENCES = ("```", "~~~")


def read_notes(data: bytes, name: str, *, session: str | None = None) -> Conversation:
    """Return the sections of notes that no speaker is named in, each as a turn of `Notes`.

    What is pasted below a fence stays in its section; front matter and sections such as `Timeline`, `Action items` and
    `Alternatives` are left out.
    """
    lines, problem = _lines_of(data, name)
    origin = origin_of(name, data)
    if problem:
        return Conversation(origin, (), (problem,))
    lines = _FRONT.sub("", "\n".join(lines), count=1).split("\n")
    sections, fenced = [[lines[0]]], False
    for line in lines[1:]:
        fenced ^= line.lstrip().startswith(_FENCES)
        if not fenced and _HEADING.fullmatch(line.strip()):
            sections.append([])
        sections[-1].append(line)
    ids, turns = TurnIds(), []
    base = session or session_of(name, "\n".join(lines))
    day = next((date for each in sections if _HEADING.match(each[0]) and (date := date_in(each[0]))), None)
    for section in sections:
        found = _HEADING.fullmatch(section[0].strip())
        title = found["title"] if found else ""
        named = ":" in title or date_in(title)  # the name of the whole, and nothing that holds
        text = "\n".join(section[1:] if named else section).strip()
        if text and not _ASIDE.search(title):
            turns.append(Turn(ids.of(NOTES, text), Speaker.PERSON, text, base, day, NOTES))
    return Conversation(origin, tuple(turns), (), ())


def _are_notes(data: bytes) -> bool:
    """Say whether a text has headings, and no speaker."""
    lines = data[:4_194_304].decode("utf-8", "replace").splitlines()
    speaks = (found for line in lines if (found := _SPEAKER.match(_QUOTE.sub("", line, count=1))))
    return any(map(_HEADING.match, lines)) and not any(_is_name(each["name"]) for each in speaks)


# Turns as lines of JSON: `{speaker or role, text or content, at, session, name, id, tool}`, one turn a line.

_TEXTS = ("text", "content", "message")
_SPEAKERS = ("speaker", "role", "author", "from")
_TIMES = ("at", "timestamp", "time", "created_at", "date")


def read_turn_lines(
    data: bytes, name: str, *, session: str | None = None, agents: Collection[str] = ()
) -> Conversation:
    """Return the turns of the lines, `agents` (case folded) being names of agents.

    A line that says nobody's name or no text is a problem. Lines without a session are of `session`, else of one that
    is called after the file and what is said first.
    """
    lines = JsonLines(name, data)
    reader = _TurnsJsonlReader(name, session, agents)
    turns = []
    for number, row in lines.rows():
        turn = reader.turn(row)
        if isinstance(turn, str):
            lines.problems.append(f"{name}:{number}: {turn}")
        elif turn is not None:
            turns.append(turn)
    return Conversation(origin_of(name, data), tuple(turns), tuple(lines.problems), tuple(lines.notes))


class _TurnsJsonlReader:
    def __init__(self, file: str, session: str | None, agents: Collection[str]) -> None:
        self._file, self._given, self._agents = file, session, agents
        self._otherwise: str | None = session
        self._ids: dict[str, TurnIds] = {}

    def turn(self, row: Mapping[str, Json]) -> Turn | str | None:
        """Return the turn of a line, why it has none, or None where nothing is spoken."""
        word = next((found for each in _SPEAKERS if (found := text_at(row, each))), "")
        text = next((texts_of(row[each]) for each in _TEXTS if row.get(each)), "").strip()
        if not word.strip() or not any(each in row for each in _TEXTS):
            return "a turn needs `speaker` (or `role`) and `text` (or `content`)"
        if word.casefold() in SILENT or not text:
            return None
        name = text_at(row, "name") or ("" if speaker_of(word) else word)
        speaker, tool = self._voice(word, name), text_at(row, "tool")
        if speaker is Speaker.TOOL and tool:
            speaker, tool = voice_of_tool(tool, text_at(row, "command") or "")
        session = self._session(row, f"{name or word}\0{text}")
        turn_id = _own_id(row) or self._ids.setdefault(session, TurnIds()).of(name or str(speaker), text)
        at = next((found for each in _TIMES if (found := moment_of(row.get(each)))), None)
        return Turn(turn_id, speaker, text, session, at, name, tool)

    def _voice(self, word: str, name: str) -> Speaker:
        if name.casefold() in self._agents or word.casefold() in self._agents:
            return Speaker.AGENT
        return speaker_of(word) or speaker_named(name, self._agents)

    def _session(self, row: Mapping[str, Json], first: str) -> str:
        if self._given is not None:
            return self._given
        session = next((row[each] for each in ("session", "session_id") if row.get(each)), None)
        if isinstance(session, str | int):
            return str(session)
        self._otherwise = self._otherwise or session_of(self._file, first)
        return self._otherwise


def _own_id(row: Mapping[str, Json]) -> str | None:
    found = row.get("id")
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) and str(found).strip() else None


_LINES_LOOKED_AT = 50
_HINT = "vfcc memory ingest FILE --kind dialogue|claude|codex|jsonl|notes"


class ConversationFormat(StrEnum):
    """What a file of turns is."""

    DIALOGUE = "dialogue"
    CLAUDE = "claude"
    CODEX = "codex"
    JSONL = "jsonl"
    NOTES = "notes"


def read_turns(
    data: bytes, name: str, kind: str | None = None, *, session: str | None = None, agents: Collection[str] = ()
) -> Conversation:
    """Return the turns in a file's bytes; without `kind` the content says what it is.

    `name` is the file's in messages and origins; `session` is what its turns are called after; `agents` are names, in
    any case, whose words are an agent's. Raises UsageError for an unknown kind, FormatError for bytes that are no text.
    """
    if b"\0" in data[:65536]:
        raise FormatError(f"{name}:1: this is no text", hint=_HINT)
    folded = frozenset(each.strip().casefold() for each in agents)
    match _kind(kind) if kind is not None else kind_of(data):
        case ConversationFormat.CLAUDE:
            return read_claude(data, name, session=session)
        case ConversationFormat.CODEX:
            return read_codex(data, name, session=session)
        case ConversationFormat.JSONL:
            return read_turn_lines(data, name, session=session, agents=folded)
        case ConversationFormat.NOTES:
            return read_notes(data, name, session=session)
        case ConversationFormat.DIALOGUE:
            return read_dialogue(data, name, session=session, agents=folded)


def kind_of(data: bytes) -> ConversationFormat:
    """Return what a file looks like: JSON of one of the clients, other JSON, notes below headings, else a dialogue.

    >>> kind_of(b'{"role": "user", "content": "Use tabs."}').value, kind_of(b"Other: Use tabs.").value
    ('jsonl', 'dialogue')
    """
    lines = data[:4_194_304].removeprefix(b"\xef\xbb\xbf").split(b"\n", _LINES_LOOKED_AT)[:_LINES_LOOKED_AT]
    filled = [line for line in lines if line.strip()]
    rows = [row for line in filled if (row := _object(line)) is not None]
    if any(map(looks_like_codex, rows)):
        return ConversationFormat.CODEX
    if any(map(looks_like_claude, rows)):
        return ConversationFormat.CLAUDE
    starts = [line for line in filled if line.lstrip().startswith(b"{")]
    if starts and 2 * len(starts) >= len(filled):
        return ConversationFormat.JSONL
    return ConversationFormat.NOTES if _are_notes(data) else ConversationFormat.DIALOGUE


def _kind(word: str) -> ConversationFormat:
    try:
        return ConversationFormat(word)
    except ValueError:
        near = nearest(word, tuple(ConversationFormat))
        raise UsageError(
            f"there is no kind {word!r} of conversation; there is {', '.join(ConversationFormat)}",
            hint=f"--kind {near or 'dialogue'}",
        ) from None


def _object(line: bytes) -> Mapping[str, Json] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
