"""How each sentence on what sessions did is held against the recorded payloads and the outcomes of tests."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher, unified_diff
from itertools import pairwise, takewhile

from tests.claim_truth import Moment, Truth, asked_in, begins, listed, minute_of

Rule = Callable[[Truth, re.Match[str]], bool]


def _asked(truth: Truth, found: re.Match[str]) -> bool:
    """The user wrote this in the session, so long ago."""
    asked = truth.of("UserPromptSubmit", session=truth.session)
    return any(_is_aged(truth, each, found[1]) for each in asked for one in asked_in(each) if begins(one, found[2]))


def _answered(truth: Truth, found: re.Match[str]) -> bool:
    """The agent answered this in the session, so long ago."""
    ends = truth.of("Stop", "SubagentStop", session=truth.session)
    known = any(begins(each, found[2]) for each in truth.answers(truth.session))
    last = "last_assistant_message"
    return known and any(
        _is_aged(truth, each, found[1]) for each in ends if begins(str(each.payload.get(last)), found[2])
    )


def _is_aged(truth: Truth, moment: Moment, shown: str) -> bool:
    """Whether something was so many minutes ago; a minute may have passed while the hook computed."""
    minutes = 0 if shown.startswith("less than a minute") else int(shown.partition(" ")[0])
    return abs((truth.now.at_ns - moment.at_ns) // 60_000_000_000 - minutes) <= 1


def _compacted(truth: Truth, _: re.Match[str]) -> bool:
    return truth.now.payload.get("source") == "compact"


def _newest_first(truth: Truth, found: re.Match[str]) -> bool:
    ages = [re.match(r"(\d+|less)", each) for each in truth.under(re.escape(found[0]))]
    known = [0 if each[1] == "less" else int(each[1]) for each in ages if each]
    return known == sorted(known)


def _open_turn(truth: Truth, found: re.Match[str]) -> bool:
    last = truth.of("UserPromptSubmit", "Stop", session=truth.session)[-1]
    asked = truth.prompts(truth.session)
    is_open = last.payload["hook_event_name"] == "UserPromptSubmit" and _is_aged(truth, last, found[1])
    return is_open and any(begins(each, found[2]) for each in asked[-2:])


def _edited(truth: Truth, found: re.Match[str]) -> bool:
    """The session edited the file; each span of lines begins and ends with a changed one."""
    if not truth.touched(found[1], edited=True, session=truth.session):
        return False
    spans = [tuple(map(int, each.split("-"))) for each in (found[2] or "").split(", ") if each]
    changed = _changed_lines(truth, found[1])
    return not truth.files or all(first in changed and last in changed for first, last in spans)


def _changed_lines(truth: Truth, path: str) -> set[int]:
    """Return the numbers that changed lines of a file had after each change, and those around a removal."""
    texts = [each.files[path].splitlines() for each in truth.so_far if path in each.files]
    found: set[int] = set()
    for before, after in pairwise(texts):
        for kind, _, _, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if kind != "equal":
                found |= set(range(first, max(last, first + 1) + 1)) | {first}
    return found


def _read(truth: Truth, found: re.Match[str]) -> bool:
    """The session read the file; of lines that are named, the call has their last number or how many they are."""
    spans = [tuple(map(int, each.split("-"))) for each in (found[2] or "").split(", ") if each]
    calls = [str(each.payload.get("tool_input")) for each in truth.of("PostToolUse", session=truth.session)]
    given = [each for each in calls if found[1] in each]
    return bool(given) and all(
        any(re.search(rf"(?<!\d)(?:{last}|{last - first + 1})(?!\d)", each) for each in given) for first, last in spans
    )


def _still_fails(truth: Truth, found: re.Match[str]) -> bool:
    """The test's last outcome is a failure; of a call, so is the last outcome of all that failed in it."""
    last = {each.test: each.passed for each in truth.outcomes}
    if found[1] in last:
        since = list(
            takewhile(lambda passed: not passed, (e.passed for e in truth.outcomes[::-1] if e.test == found[1]))
        )
        return not last[found[1]] and int(found[2] or 1) <= len(since)
    runs = truth.runs(found[1], truth.session)
    if not runs or not runs[-1][1]:
        return False
    return all(not last[each.test] for each in runs[-1][2] if not each.passed)


def _failed_then(truth: Truth, found: re.Match[str]) -> bool:
    """The last run of the command failed, with this test among the failures where one is named."""
    where = re.search(r"in `(.*?)`\)", found[2])
    runs = truth.runs(where[1] if where else found[1], truth.session)
    if not runs or not runs[-1][1]:
        return False
    return not where or any(each.test == found[1] and not each.passed for each in runs[-1][2])


def _left_out(_: Truth, found: re.Match[str]) -> bool:
    return int(found[1]) <= int(found[2])


def _done(truth: Truth, found: re.Match[str]) -> bool:
    """A prompt of a session, how it ended, the files that were touched for it, and the answer."""
    status, asked, rest = found.groups()
    known = [each for each in truth.of("UserPromptSubmit") if any(begins(one, asked) for one in asked_in(each))]
    if not known:
        return False
    session = known[-1].payload["session_id"]
    after = [each for each in truth.of("UserPromptSubmit", "Stop", session=session) if each.at_ns > known[-1].at_ns]
    ended = bool(after) and after[0].payload["hook_event_name"] == "Stop"
    last = [each.at_ns for each in truth.so_far[:-1] if each.payload.get("session_id") == session]
    stated = re.search(r"last event (\d{4}-\d\d-\d\d \d\d:\d\d) UTC", found[0])
    parts = [
        ended is (status == "completed"),
        stated is None or (not ended and abs(minute_of(stated[1]) - last[-1] // 60_000_000_000) <= 1),
        *(any(begins(one, each) for one in truth.answers()) for each in re.findall(r"with: “(.*?)”", rest)),
        *(truth.touched(each, edited=True) for each in listed(r"Edited: (.*?)\.(?: |$)", rest)),
        *(truth.touched(each, edited=False) for each in listed(r"(?:Files|Read): (.*?)\.(?: |$)", rest)),
    ]
    return all(parts)


def _past_edit(truth: Truth, found: re.Match[str]) -> bool:
    """Another session edited the file on that day, for that task, with so many lines added and removed."""
    path = truth.heading.removeprefix("Known of ")
    others = {each.payload["session_id"] for each in truth.of("UserPromptSubmit")} - {truth.session}
    mine = [each for each in others if truth.touched(path, edited=True, session=each)]
    sizes = {_size_of(*each) for each in pairwise(each.files.get(path, "") for each in truth.so_far)}
    if found["size"] and truth.files and found["size"] not in sizes:
        return False
    days = {each.strftime("%Y-%m-%d") for each in map(_time_of, truth.so_far)}
    return found[1] in days and any(
        not found["task"] or any(begins(one, found["task"]) for one in truth.prompts(each)) for each in mine
    )


def _size_of(before: str, after: str) -> str:
    """Return how many lines a change added and removed, as a history writes it; a new file has no removed ones."""
    lines = list(unified_diff(before.splitlines(), after.splitlines(), n=0))[2:]
    more, less = (sum(each.startswith(sign) for each in lines) for sign in "+-")
    return f"+{more} -{less}" if before else f"+{more}"


def _edited_together(truth: Truth, found: re.Match[str]) -> bool:
    """Both files were edited, in so many of all sessions at least."""
    both = [found[1], truth.heading.removeprefix("Known of ")]
    prompts = truth.of("UserPromptSubmit")
    edited = all(truth.touched(each, edited=True) for each in both)
    return edited and int(found[2]) <= len(prompts)


def _marked(truth: Truth, found: re.Match[str]) -> bool:
    text = truth.files.get(truth.heading.removeprefix("Known of "), "")
    return all(name in text for name in found[1].split(", "))


def _always(*_: object) -> bool:
    return True


def _time_of(moment: Moment) -> datetime:
    return datetime.fromtimestamp(moment.at_ns / 1e9, UTC)


HEADINGS: Sequence[tuple[str, Rule]] = (
    (r"Not finished yet", _always),
    (r"(?:Prompts of the user|What was answered|Files edited|Files read), newest first", _newest_first),
    (r"Failed, and not passed since", _always),
    (r"Failed when it was last run so; another run since may have passed it", _always),
    (r"Known of \S+", _always),
    (r"The project's memory on this", _always),
)
"""Headings, whose entries say what is so."""
_ANY = r"[^\n]*"
SESSION_RULES: Sequence[tuple[str, str, Rule]] = (
    ("", r"What this session did before its context was compacted\.", _compacted),
    ("Not finished yet", r"Active for ([^:]*): (.*)", _open_turn),
    ("Prompts of the user.*", r"([^:]*) ago: \"(.*)\"", _asked),
    ("What was answered.*", r"([^:]*) ago: \"(.*)\"", _answered),
    ("Files edited.*", r"(.*?)(?:, lines (.*))?", _edited),
    ("Files read.*", r"(.*?)(?:, lines (.*))?", _read),
    ("Failed, and not passed since", r"(.*?) \([^()]* ago(?:, (\d+) times)?.*", _still_fails),
    ("Failed when it was last run so.*", r"(.*?) (\([^()]* ago.*)", _failed_then),
    (_ANY, r"(\d+) of (\d+) items? of the session are left out\.", _left_out),
    ("Done here last", r"[\d-]+, (\w+)[^:]*(?::\d\d[^:]*)?: “(.*?)”\.(.*)", _done),
    ("Known of .*", r"([\d-]+): (?:edit|write)(?: \((?P<size>[^)]*)\))?(?: for “(?P<task>.*)”)?", _past_edit),
    ("Known of .*", r"(.*) was edited together with it (?:at least )?(\d+) times", _edited_together),
    ("Known of .*", r"it says that it is of (.*)", _marked),
)  # fmt: skip
"""Under which heading, which sentence, and how it is checked; the first that fits counts."""
