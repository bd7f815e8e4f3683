"""Under which heading a hook may write which sentence, and how the sentence is held against the ground truth."""

import re
from collections.abc import Callable, Sequence

from tests.claim_truth import Truth, asked_in, begins, listed, plain

COMMANDS = (
    "approve check code context doctor evidence history memory next recall sprint stage status task trace".split()
)

Rule = Callable[[Truth, re.Match[str]], bool]


def _no_sprint(truth: Truth, _: re.Match[str]) -> bool:
    return truth.sprint is None


def _place(truth: Truth, found: re.Match[str]) -> bool:
    sprint = truth.sprint
    if sprint is None:
        return False
    role = next(each["role"] for each in sprint["workflow"]["stages"] if each["id"] == sprint["stage"])
    counts = (str(sprint["passed"]), str(len(sprint["workflow"]["stages"])))
    return found.groups() == (sprint["id"], sprint["title"], sprint["stage"], role, *counts)


def _role(truth: Truth, found: re.Match[str]) -> bool:
    sprint = truth.sprint
    stages = sprint["workflow"]["stages"] if sprint else []
    return any(each["role"] == found[1] and sprint and each["id"] == sprint["stage"] for each in stages)


def _unchanged(truth: Truth, _: re.Match[str]) -> bool:
    """Since the brief before it in this session, no event came to the ledger and no other session worked here."""
    starts = [each for each in truth.of("SessionStart", session=truth.session) if each.context]
    if len(starts) < 2:
        return False
    since = [each for each in truth.so_far if each.at_ns > starts[-2].at_ns]
    others = {each.payload.get("session_id") for each in since} - {truth.session}
    return len(starts[-2].ledger) == len(truth.so_far[-1].ledger) and not others


def _goals(truth: Truth, found: re.Match[str]) -> bool:
    return truth.sprint is not None and begins("; ".join(truth.sprint["goals"]), found[1])


def _owed(truth: Truth, found: re.Match[str]) -> bool:
    """A criterion of the stage; where it names a pattern that nothing matches, nothing does."""
    sprint = truth.sprint
    if sprint is None:
        return False
    stage = next(each for each in sprint["workflow"]["stages"] if each["id"] == sprint["stage"])
    absent = re.match(r"nothing matches (\S+?):", found[2])
    if found[1] == "rules":  # a criterion of every gate
        changed = re.search(r"(\S+) \(new, not committed\)", found[2])
        return changed is not None and (truth.root / changed[1]).is_file()
    known = found[1] in {each["id"] for each in (*stage["enter"], *stage["exit"])}
    return known and (absent is None or not list(truth.root.glob(absent[1])))


def _asked(truth: Truth, found: re.Match[str]) -> bool:
    return any(begins(each, found[1]) for each in truth.prompts(truth.session))


def _answered(truth: Truth, found: re.Match[str]) -> bool:
    return any(begins(each, found[1]) for each in truth.answers(truth.session))


def _open_turn(truth: Truth, found: re.Match[str]) -> bool:
    last = truth.of("UserPromptSubmit", "Stop", session=truth.session)[-1].payload
    asked = truth.prompts(truth.session)
    return last["hook_event_name"] == "UserPromptSubmit" and any(begins(each, found[1]) for each in asked[-2:])


def _edited(truth: Truth, found: re.Match[str]) -> bool:
    return truth.touched(found[1], edited=True, session=truth.session)


def _read(truth: Truth, found: re.Match[str]) -> bool:
    return truth.touched(found[1], edited=False, session=truth.session)


def _still_fails(truth: Truth, found: re.Match[str]) -> bool:
    """The test's last outcome is a failure; of a call, so is the last outcome of all that failed in it."""
    last = {each.test: each.passed for each in truth.outcomes}
    if found[1] in last:
        return not last[found[1]]
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
    parts = [
        ended is (status == "completed"),
        *(any(begins(one, each) for one in truth.answers()) for each in re.findall(r"(?:said|with): “(.*?)”", rest)),
        *(truth.touched(each, edited=True) for each in listed(r"Edited: (.*?)\.(?: |$)", rest)),
        *(truth.touched(each, edited=False) for each in listed(r"(?:Files|Read): (.*?)\.(?: |$)", rest)),
    ]
    return all(parts)


def _past_edit(truth: Truth, found: re.Match[str]) -> bool:
    path = truth.heading.removeprefix("Known of ")
    others = {each.payload["session_id"] for each in truth.of("UserPromptSubmit")} - {truth.session}
    mine = [each for each in others if truth.touched(path, edited=True, session=each)]
    return any(not found[1] or any(begins(one, found[1]) for one in truth.prompts(each)) for each in mine)


def _edited_together(truth: Truth, found: re.Match[str]) -> bool:
    return truth.touched(found[1], edited=True) and truth.touched(truth.heading.removeprefix("Known of "), edited=True)


def _marked(truth: Truth, found: re.Match[str]) -> bool:
    text = (truth.root / truth.heading.removeprefix("Known of ")).read_text(encoding="utf-8")
    return all(name in text for name in found[1].split(", "))


def _item(truth: Truth, found: re.Match[str]) -> bool:
    """An item of that type, id and title; under a file's heading it cites the file."""
    text = truth.item(found[2])
    path = truth.heading.removeprefix("Known of ") if truth.heading.startswith("Known of ") else ""
    return f"type: {found[1]}" in text and found[3].rstrip("…").split(" (stale: ")[0] in text and path in text


def _quoted(truth: Truth, found: re.Match[str]) -> bool:
    texts = [path.read_text(encoding="utf-8") for path in (truth.root / ".memory/stage").rglob("*") if path.is_file()]
    return any(plain(found[1]).rstrip("…") in plain(text) for text in texts)


def _artifact(truth: Truth, found: re.Match[str]) -> bool:
    return (truth.root / ".memory" / found[1].removeprefix(".memory/")).is_file()


def _command(_: Truth, found: re.Match[str]) -> bool:
    return found[1] in COMMANDS


def _always(*_: object) -> bool:
    return True


_SPRINT = (
    r"Sprint (\S+?)(?: \([^)]*\))? “(.*?)” is in stage (\S+), whose role is (\S+?); (\d+) of (\d+) stages passed\..*"
)
_ANY = r"[^\n]*"
_ITEM = r"([a-z_]+) (\S+), trust \w+: (.*)"
RULES: Sequence[tuple[str, str, Rule]] = (
    ("", r"This project uses vfcc; no sprint is open\.", _no_sprint),
    ("", _SPRINT, _place),
    ("", r"Goals: (.*)", _goals),
    ("", r"The role (\S+) may .*", _role),
    ("", r"Not asked, for want of time: .*", _always),
    ("", r"Nothing changed since the last brief of this session\.", _unchanged),
    ("", r"What this session did before its context was compacted\.", _always),
    ("The stage .*", r"next: `vfcc (\w+).*`", _command),
    ("The stage .* owes", r"([\w-]+): (.*)", _owed),
    ("Not finished yet", r"In work for [^:]*: (.*)", _open_turn),
    ("What the user said.*", r"[^:]* ago: \"(.*)\"", _asked),
    ("What was answered.*", r"[^:]* ago: \"(.*)\"", _answered),
    ("Files edited.*", r"(.*?)(?:, lines .*)?", _edited),
    ("Files read.*", r"(.*?)(?:, lines .*)?", _read),
    ("Failed, and not passed since", r"(.*?) \([^()]* ago.*", _still_fails),
    ("Failed when it was last run so.*", r"(.*?) (\([^()]* ago.*)", _failed_then),
    (_ANY, r"(\d+) of (\d+) items? of the session are left out\.", _left_out),
    ("(?:What was done here|Done here) last", r"[\d-]+, (\w+)[^:]*(?::\d\d[^:]*)?: “(.*?)”\.(.*)", _done),
    ("Known of .*", r"[\d-]+: (?:edit|write)(?: \([^)]*\))?(?: for “(.*)”)?", _past_edit),
    ("Known of .*", r"(.*) was edited together with it (?:at least )?\d+ times", _edited_together),
    ("Known of .*", r"it says that it is of (.*)", _marked),
    ("Known of .*|What bears on it.*|The project's memory on this", _ITEM, _item),
    ("Earlier stages' artifacts.*", r"(.*?)(?: \(.*\))?:?", _artifact),
    ("Earlier stages' artifacts.*", r"  > (.*)", _quoted),
    ("Commands", r"`vfcc (\w+).*`: .*", _command),
)  # fmt: skip
"""Under which heading, which sentence, and how it is checked; the first that fits counts."""
