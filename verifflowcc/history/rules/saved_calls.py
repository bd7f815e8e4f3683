"""Which searches, listings and reads of recorded sessions their prompts had answered: by kind, with an interval.

A call is answered wholly where all that it looks for is; a call that looks for the same as an earlier one of its
session is told apart, since the window had answered it whatever the prompt had.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.glob import LONGEST_LINE, matches, pattern_fault
from verifflowcc.code.rules.code_views import Snippet
from verifflowcc.history.rules.learnt_calls import ToolCall
from verifflowcc.history.rules.read_only import only_reads
from verifflowcc.history.rules.shell_commands import acts, sought
from verifflowcc.history.rules.touches import placed

# What a call of a tool looks for: the lines that it reads, the pattern that it searches for, the folder that it lists.
#
# By its parameters alone; a shell command is one of these where it does nothing else. What pipes make of the output is
# not looked at: `cat a | head` is taken as a read of the whole file.

_NAMED = re.compile(r"-i?name\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))")
_DEEP = re.compile(r"\b(?:find|fd|fdfind|tree|git\s+ls-files)\b|\bls\s+(?:\S+\s+)*-\w*R")
_EXTENDED = re.compile(r"\b(?:egrep|rg|ag|ack)\b|\s-\w*[EP]\w*\b|--(?:extended|perl)-regexp")
_FIXED = re.compile(r"\bfgrep\b|\s-\w*F\w*\b|--fixed-strings")
_ANY_CASE = re.compile(r"\s-\w*i\w*\b|--ignore-case")
_ONLY_NAMES = re.compile(r"\s-\w*l\w*\b|--files-with-matches")
_SWAPPED = re.compile(r"\\?[|(){}+?]")


class LookKind(StrEnum):
    """What sort of looking around a call is."""

    SEARCH = "search"
    LISTING = "listing"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Look:
    """One thing that is looked for. `path` is from the project's root, `.` for all of it; `lines` are first and last.

    `pattern` is the regular expression of a search, `names` a pattern of the names of files; a search with `only_names`
    asks in which files it is, and a listing that is not `deep` for the names in one folder.
    """

    kind: LookKind
    path: str
    lines: tuple[int, int] | None = None
    pattern: str = ""
    names: str = ""
    only_names: bool = False
    any_case: bool = False
    deep: bool = True


def looks(call: ToolCall, root: str) -> tuple[Look, ...]:
    """Return what a call looks for; nothing where it is no search, listing or read, or failed. `root` is absolute."""
    given = _given(call)
    if call.success is False or given is None:
        return ()
    if call.tool == "Bash":
        return tuple(_of_command(call, _text(given, "command"), root))
    path = _place(call, _text(given, "file_path") or _text(given, "path"), root)
    match call.tool:
        case "Read" if _text(given, "file_path"):
            return (Look(LookKind.READ, path, _lines(given)),)
        case "Grep" if _text(given, "pattern"):
            only_names = _text(given, "output_mode") not in ("content", "count")
            names, any_case = _text(given, "glob"), given.get("-i") is True
            return (Look(LookKind.SEARCH, path, None, _text(given, "pattern"), names, only_names, any_case),)
        case "Glob" if _text(given, "pattern"):
            return (Look(LookKind.LISTING, path, names=_text(given, "pattern")),)
        case "LS":
            return (Look(LookKind.LISTING, path, deep=False),)
    return ()


def _of_command(call: ToolCall, command: str, root: str) -> Iterator[Look]:
    if not only_reads(command):
        return
    named = _NAMED.search(command)
    names = next(filter(None, named.groups()), "") if named else ""
    for act, path, lines in acts(command):
        place = _place(call, path, root)
        if act == "read":
            yield Look(LookKind.READ, place, lines)
        elif act == "list":
            yield Look(LookKind.LISTING, place, names=names, deep=bool(_DEEP.search(command)))
        elif act == "search":
            for pattern in sought(command):
                only_names, any_case = bool(_ONLY_NAMES.search(command)), bool(_ANY_CASE.search(command))
                yield Look(LookKind.SEARCH, place, None, _expression(pattern, command), "", only_names, any_case)


def _expression(pattern: str, command: str) -> str:
    """Return a pattern of grep's as Python writes it: without -E, brackets and bars mean themselves."""
    if _FIXED.search(command):
        return re.escape(pattern)
    if _EXTENDED.search(command):
        return pattern
    return _SWAPPED.sub(lambda found: found[0][1:] if found[0].startswith("\\") else f"\\{found[0]}", pattern)


def _place(call: ToolCall, path: str, root: str) -> str:
    """Return a path as it was recorded: where the command ran is known there, and not here."""
    plain = placed(path, root, root)
    if plain in call.touched:
        return plain
    fitting = [each for each in call.touched if plain.endswith(f"/{each}") or each.endswith(f"/{plain}")]
    return fitting[0] if len(fitting) == 1 else plain


def _lines(given: Mapping[str, Json]) -> tuple[int, int] | None:
    first, count = given.get("offset"), given.get("limit")
    first = first if isinstance(first, int) and first > 0 else 1
    return (first, first + count - 1) if isinstance(count, int) and count > 0 else None


def _given(call: ToolCall) -> Mapping[str, Json] | None:
    try:
        value = json.loads(call.parameters)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _text(given: Mapping[str, Json], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def kind_of(found: Sequence[Look]) -> LookKind:
    """Return what a call that looks for several things counts as: that of the first."""
    return found[0].kind


# How much of what a call looks for stood in the prompt already, by the pieces of code that the prompt had.
#
# Strictly: a read is answered when all its lines that are not blank are there; a search when every line that it would
# find is there, when the function or class that it names is there whole, or, where it asks for names of files, when
# each is named; a listing when each name is. Files are judged as they are now.

WHOLE = 1000
_NAME = re.compile(
    r"(?:\\b|\^|\\s\*)*"
    r"(?:(?:async |export |pub )*(?:def|class|func|function|fn|struct|interface|type|enum)(?: |\\s\+?))?"
    r"([A-Za-z_]\w{2,})(?:\\b|\\?\(|:)?"
)
_HEADING = re.compile(r"(?m)^([^\s:][^:\n]*):\d+ ")


class MissCause(StrEnum):
    """Why a prompt did not answer, or not wholly."""

    OUTSIDE = "outside_of_the_project"
    GONE = "not_there_now"
    WRITTEN = "written_since_the_prompt"
    NO_CODE = "no_code"
    NOT_CHOSEN = "code_that_was_not_chosen"
    NO_HITS = "finds_nothing_now"
    NOT_RUN = "pattern_cannot_be_run"


@dataclass(frozen=True, slots=True)
class World:
    """The project's files as they are: all paths in order, those of the code graph, and the lines of one, if it has any
    that can be read.
    """

    paths: tuple[str, ...]
    code: frozenset[str]
    lines: Callable[[str], Sequence[str] | None]


@dataclass(frozen=True, slots=True)
class ShownCode:
    """What a prompt showed: lines of files, the paths that it named, and the names of what stood there whole."""

    lines: frozenset[tuple[str, int]] = frozenset()
    named: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AnswerShare:
    """How much of something was answered, in thousandths, and why not the rest."""

    share: int
    cause: MissCause | None = None


def shown_by(pieces: Sequence[Snippet]) -> ShownCode:
    """Return what pieces of code show; signatures name their files, and show no lines."""
    whole = [each for each in pieces if each.whole and each.language]
    lines = frozenset((each.path, line) for each in whole for line in range(each.first, each.last + 1))
    named = {each.path for each in whole}
    for each in pieces:
        if not each.language:
            named |= set(_HEADING.findall(each.text))
    defined = frozenset(name for each in whole if (name := each.name.rpartition(".")[2]))
    return ShownCode(lines, frozenset(named), defined)


def answered(look: Look, shown: ShownCode, world: World) -> AnswerShare:
    """Return how much of what is looked for was shown."""
    if look.path.startswith(("/", "~")):
        return AnswerShare(0, MissCause.OUTSIDE)
    if look.kind is LookKind.READ:
        return _read(look, shown, world)
    below = [path for path in world.paths if _is_below(path, look)]
    if not below:
        return AnswerShare(0, MissCause.GONE)
    return _search(look, shown, world, below) if look.kind is LookKind.SEARCH else _listing(look, shown, world, below)


def _read(look: Look, shown: ShownCode, world: World) -> AnswerShare:
    lines = world.lines(look.path)
    if lines is None:
        return AnswerShare(0, MissCause.GONE)
    first, last = look.lines or (1, len(lines))
    asked = [number for number in range(first, min(last, len(lines)) + 1) if lines[number - 1].strip()]
    if not asked:
        return AnswerShare(0, MissCause.GONE)
    there = sum((look.path, number) in shown.lines for number in asked)
    return _part(there, len(asked), _not_shown([look.path], world))


def _search(look: Look, shown: ShownCode, world: World, below: Sequence[str]) -> AnswerShare:
    if pattern_fault(look.pattern):
        return AnswerShare(0, MissCause.NOT_RUN)
    hits = list(_hits(look, world, below))
    if not hits:
        return AnswerShare(0, MissCause.NO_HITS)
    files = sorted({path for path, _ in hits})
    cause = _not_shown([path for path in files if path not in shown.named], world)
    name = _NAME.fullmatch(look.pattern)
    if name and name[1] in shown.defined:
        return AnswerShare(WHOLE)
    if look.only_names:
        return _part(sum(path in shown.named for path in files), len(files), cause)
    return _part(sum(hit in shown.lines for hit in hits), len(hits), cause)


def _hits(look: Look, world: World, below: Sequence[str]) -> Iterator[tuple[str, int]]:
    pattern = re.compile(look.pattern, re.IGNORECASE if look.any_case else 0)
    for path in below:
        for number, line in enumerate(world.lines(path) or (), 1):
            if pattern.search(line[:LONGEST_LINE]):
                yield path, number


def _listing(look: Look, shown: ShownCode, world: World, below: Sequence[str]) -> AnswerShare:
    if look.deep:
        there = sum(path in shown.named for path in below)
        return _part(there, len(below), _not_shown([path for path in below if path not in shown.named], world))
    base = "" if look.path in ("", ".") else f"{look.path}/"
    names = {path[len(base) :].partition("/")[0] for path in below}
    named = {path[len(base) :].partition("/")[0] for path in shown.named if path.startswith(base)}
    missing = [path for path in below if path[len(base) :].partition("/")[0] not in named]
    return _part(len(names & named), len(names), _not_shown(missing, world))


def _is_below(path: str, look: Look) -> bool:
    base = "" if look.path in ("", ".") else f"{look.path}/"
    if path != look.path and not path.startswith(base):
        return False
    if not look.names:
        return True
    pattern = look.names if "/" in look.names else f"**/{look.names}"
    return matches(path[len(base) :] if path != look.path else path.rpartition("/")[2], pattern)


def _not_shown(paths: Sequence[str], world: World) -> MissCause:
    return MissCause.NO_CODE if any(path not in world.code for path in paths) else MissCause.NOT_CHOSEN


def _part(there: int, all_: int, cause: MissCause) -> AnswerShare:
    return AnswerShare(WHOLE) if there == all_ else AnswerShare(WHOLE * there // all_, cause)


SAMPLES = 1_000
AGAIN = "the_same_again"
_LCG, _STEP, _MODULUS = 6_364_136_223_846_793_005, 1_442_695_040_888_963_407, 1 << 64


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """A call that looks around: its session, what sort it is, how much of it was answered, and why not the rest.

    `again` says that an earlier call of its session looked for the same, and nothing it looks at was changed since.
    """

    session: str
    kind: LookKind
    share: int
    again: bool = False
    cause: MissCause | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Calls, how many were answered wholly and in part, and thousandths: of calls that were answered wholly, and of all
    that was looked for. `repeated` counts those that were not answered wholly and looked for the same as an earlier
    one.
    """

    calls: int = 0
    answered: int = 0
    """Calls answered wholly."""
    partly_answered: int = 0
    repeated: int = 0
    """Unanswered calls that repeat an earlier one."""
    share: int = 0
    """The share of calls answered wholly."""
    covered: int = 0
    """The share of all content that was looked for."""


@dataclass(frozen=True, slots=True)
class UnansweredCount:
    """The number of calls that were not fully answered for one cause."""

    cause: str
    calls: int


@dataclass(frozen=True, slots=True)
class SavingReport:
    """What prompts had answered, with so many tokens of code in each, and with twice as many.

    `calls` are all calls of tools of the sessions, `not_judged` those that look around and belong to no prompt; they
    are not judged. `share_of_all_calls` is the share of all calls that were answered wholly, in thousandths. `interval`
    is the 95 % one of the share that was answered wholly, over sessions; None where there are fewer than two.
    """

    budget_tokens: int
    sessions: int
    prompts: int
    calls: int
    not_judged: int
    """Calls that look around but follow no prompt."""
    kinds: Mapping[str, Tally]
    """Tallies of `search`, `listing` and `read`."""
    total: Tally
    share_of_all_calls: int
    """The share of all tool calls that were answered wholly."""
    interval: tuple[int, int] | None
    """A 95 % interval of the share over sessions; null for fewer than two."""
    at_double_budget: Tally
    """The tally with twice as many tokens."""
    causes: tuple[UnansweredCount, ...] = ()
    """Why calls were not answered wholly, most frequent first."""


def judged(calls: Sequence[ToolCall], shown: Mapping[str, ShownCode], world: World, root: str) -> Iterator[JudgedCall]:
    """Yield each call that looks around and belongs to a task in `shown`; calls come in order of time.

    A read of a file that was written since the prompt is answered by nothing that the prompt had.
    """
    before: dict[str, set[Look]] = {}
    written: set[tuple[str, str | None, str]] = set()
    for call in calls:
        known = before.setdefault(call.session, set())
        written.update((call.session, call.task, path) for path in call.changed)
        known -= {look for look in known if any(_concerns(look, path) for path in call.changed)}
        found = looks(call, root)
        if not found:
            continue
        again = set(found) <= known
        known.update(found)
        if (there := shown.get(call.task or "")) is not None:
            parts = [
                AnswerShare(0, MissCause.WRITTEN)
                if each.kind is LookKind.READ and (call.session, call.task, each.path) in written
                else answered(each, there, world)
                for each in found
            ]
            yield _judged(call.session, kind_of(found), parts, again=again)


def _judged(session: str, kind: LookKind, parts: Sequence[AnswerShare], *, again: bool) -> JudgedCall:
    share = sum(each.share for each in parts) // len(parts)
    if share == WHOLE:
        return JudgedCall(session, kind, WHOLE)
    return JudgedCall(session, kind, share, again, next(each.cause for each in parts if each.share < WHOLE))


def _concerns(look: Look, path: str) -> bool:
    return look.path in ("", ".", path) or path.startswith(f"{look.path}/")


def unasked(calls: Iterable[ToolCall], shown: Mapping[str, ShownCode], root: str) -> int:
    """Return how many calls look around and belong to no task in `shown`."""
    return sum(call.task not in shown and bool(looks(call, root)) for call in calls)


def tally(found: Sequence[JudgedCall]) -> Tally:
    """Count calls.

    >>> calls = [
    ...     JudgedCall("s", LookKind.READ, 1000),
    ...     JudgedCall("s", LookKind.READ, 500),
    ...     JudgedCall("s", LookKind.READ, 0, True),
    ... ]
    >>> tally(calls)
    Tally(calls=3, answered=1, partly_answered=1, repeated=1, share=333, covered=500)
    """
    if not found:
        return Tally()
    wholly = sum(each.share == WHOLE for each in found)
    return Tally(
        len(found),
        wholly,
        sum(0 < each.share < WHOLE for each in found),
        sum(each.again for each in found),
        WHOLE * wholly // len(found),
        sum(each.share for each in found) // len(found),
    )


def saved(found: Sequence[JudgedCall], twice: Sequence[JudgedCall], counts: "Counts") -> SavingReport:
    """Sum up what was judged with a number of tokens, and with twice as many."""
    whole = tally(found)
    causes = Counter(AGAIN if each.again else str(each.cause) for each in found if each.cause)
    return SavingReport(
        budget_tokens=counts.budget_tokens,
        sessions=len({each.session for each in found}),
        prompts=counts.prompts,
        calls=counts.calls,
        not_judged=counts.unasked,
        kinds={str(kind): tally([each for each in found if each.kind is kind]) for kind in LookKind},
        total=whole,
        share_of_all_calls=WHOLE * whole.answered // counts.calls if counts.calls else 0,
        interval=interval(found),
        at_double_budget=tally(twice),
        causes=tuple(UnansweredCount(*each) for each in sorted(causes.items(), key=lambda each: (-each[1], each[0]))),
    )


@dataclass(frozen=True, slots=True)
class Counts:
    """What is known of the sessions beside what was judged."""

    budget_tokens: int
    prompts: int
    calls: int
    unasked: int


def interval(found: Sequence[JudgedCall]) -> tuple[int, int] | None:
    """Return the 95 % interval of the share that was answered wholly, by drawing sessions again and again.

    The same calls give the same interval.
    """
    by_session: dict[str, list[int]] = {}
    for each in found:
        counts = by_session.setdefault(each.session, [0, 0])
        counts[0] += each.share == WHOLE
        counts[1] += 1
    groups = [tuple(by_session[name]) for name in sorted(by_session)]
    if len(groups) < 2:
        return None
    state, shares = 1, []
    for _ in range(SAMPLES):
        wholly = calls = 0
        for _ in groups:
            state = (state * _LCG + _STEP) % _MODULUS
            some, all_ = groups[(state >> 33) % len(groups)]
            wholly, calls = wholly + some, calls + all_
        shares.append(WHOLE * wholly // calls)
    shares.sort()
    return shares[SAMPLES // 40], shares[SAMPLES - 1 - SAMPLES // 40]
