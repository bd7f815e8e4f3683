"""Plain dialogues: paragraphs `Name: text`, several sessions in one file, parted by headings, rules or dates.

Whoever has a name is a person, unless they are named as an agent or their name is a role's (`Assistant`). What comes
before the first name is nobody's, and is left out. Whether a line begins a turn is decided by that line and by what was
said before it, so that a file that grows keeps the turns that it had.
"""

import re
from collections.abc import Collection, Sequence

from verifflowcc.domain.turns import Conversation, Turn
from verifflowcc.formats.turn_ids import TurnIds, origin_of, session_of
from verifflowcc.formats.turns_roles import speaker_named
from verifflowcc.records import dataclass, field
from verifflowcc.text.dates import read_date
from verifflowcc.text.slug import slug

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
    " rules goal goals decision decisions action actions yes no".split()
)
_LONGEST_DATE = 60
_NO_TURN = "there is no turn of a conversation in it; a dialogue has paragraphs `Name: text`"


def read_dialogue(data: bytes, name: str, *, session: str | None = None, agents: Collection[str] = ()) -> Conversation:
    """Return the turns of a plain dialogue; `agents` are the names, case folded, that are agents.

    Without `session` the session is called after the file and what is said first. What is no UTF-8, or a text without
    any turn, is a problem.
    """
    origin = origin_of(name, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Conversation(origin, (), (f"{name}:{line}: not UTF-8 at byte {error.start}",))
    lines = [_QUOTE.sub("", line, count=1) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    reader = _Reader(name, session, agents)
    for number in range(len(lines)):
        reader.take(lines, number)
    reader.close()
    if text.strip() and not reader.turns:
        return Conversation(origin, (), (f"{name}:1: {_NO_TURN}",))
    return Conversation(origin, tuple(reader.turns), (), tuple(reader.notes))


@dataclass(slots=True)
class _Session:
    """One session: its name behind that of the file, its day, who has spoken in it."""

    id: str = ""
    at: str | None = None
    ids: TurnIds = field(default_factory=TurnIds)
    names: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Open:
    """A turn that is being read."""

    name: str
    at: str | None
    lines: list[str]


class _Reader:
    """Reads one line after the other."""

    def __init__(self, name: str, session: str | None, agents: Collection[str]) -> None:
        self.turns: list[Turn] = []
        self.notes: list[str] = []
        self._file, self._base, self._agents = name, session, agents
        self._session = _Session()
        self._open: _Open | None = None
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
        said, self._open = self._open, None
        text = "\n".join(said.lines).strip() if said else ""
        if said is None or not text:
            return
        if self._base is None:
            self._base = session_of(self._file, f"{said.name}\0{text}")
        session = f"{self._base}/{self._session.id}" if self._session.id else self._base
        speaker = speaker_named(said.name, self._agents)
        turn_id = self._session.ids.of(said.name, text)
        self.turns.append(Turn(turn_id, speaker, text, session, said.at or self._session.at, said.name))

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
        self._open = _Open(found["name"], date_in(when) if when else None, [line[found.end() :].strip()])

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
