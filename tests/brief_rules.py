"""How each sentence of a brief about the project is held against the ledger, the files and the recorded payloads."""

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from tests.claim_truth import Moment, Truth, begins, in_force, items_in, open_sprints
from tests.gate_rules import (
    asks_for,
    config_of,
    counts,
    failed_test,
    is_command,
    next_step,
    no_longer_owed,
    owed,
    results,
    stage_owes,
    test_runs,
)
from tests.item_rules import artifact, item_line, item_text, no_longer_in_force, proposal, quoted, rules_heading, task
from tests.permission_rules import closed_to_all, denied, may, subagent_changes, tools_of

Rule = Callable[[Truth, re.Match[str]], bool]
RULE_TYPES = ("constraint", "convention", "guideline", "decision")


def no_sprint(truth: Truth, _: re.Match[str]) -> bool:
    return not open_sprints(truth.now)


def several(truth: Truth, found: re.Match[str]) -> bool:
    return truth.sprint is None and set(found[1].split(", ")) == set(open_sprints(truth.now))


def one_of_several(truth: Truth, found: re.Match[str]) -> bool:
    sprint = open_sprints(truth.now).get(found[1])
    branch = found[4] or (sprint or {}).get("branch")
    return sprint is not None and found.groups() == (sprint["id"], sprint["title"], sprint["stage"], branch)


def choose(truth: Truth, found: re.Match[str]) -> bool:
    sprints = open_sprints(truth.now)
    switch = re.search(r"git switch (\S+)\.", found[0])
    return found[1] in sprints and (not switch or switch[1] in {str(each["branch"]) for each in sprints.values()})


def place(truth: Truth, found: re.Match[str]) -> bool:
    sprint = truth.sprint
    if sprint is None:
        return False
    counts = (str(sprint["passed"]), str(len(sprint["workflow"]["stages"])))
    shown = (found["id"], found["title"], found["stage"], found["role"], found["passed"], found["all"])
    other = truth.now.role if truth.now.role != truth.stage["role"] else None
    named = (truth.now.chosen and "VFCC_SPRINT") or "branch"
    by = not found["by"] or (len(open_sprints(truth.now)) > 1 and named in found["by"])
    expected = (sprint["id"], sprint["title"], sprint["stage"], truth.stage["role"], *counts)
    return shown == expected and by and found["acting"] == (other or None)


def goals(truth: Truth, found: re.Match[str]) -> bool:
    return truth.sprint is not None and begins("; ".join(truth.sprint["goals"]), found[1])


def offered(truth: Truth, found: re.Match[str]) -> bool:
    """A command that there is and that works here, with the names that files have, of a role that may run it."""
    command = found[1]
    if not is_command(command) or (truth.role and truth.files and "vfcc" not in tools_of(truth.files, truth.role)):
        return False
    if command.startswith("vfcc next"):
        return truth.sprint is not None or not open_sprints(truth.now)
    if given := re.match(r"vfcc stage put (\S+)", command):
        return any(fnmatchcase(given[1], each) for each in truth.stage["artifacts"])
    if given := re.search(r"--agent (\S+)", command):
        return f".memory/agent/{given[1]}/tools.yaml" in truth.files
    named = re.search(r"what the gate asks for \((.*)\)", found[2])
    return not named or named[1].split(", ") == sorted(config_of(truth).get("gates", {}).get("commands", {}))


def always(*_: object) -> bool:
    """A heading whose entries say what is so."""
    return True


def since(truth: Truth, _: re.Match[str]) -> bool:
    return earlier_brief(truth) is not None


def unchanged(truth: Truth, _: re.Match[str]) -> bool:
    """Since the brief before it in this session no event, item or artifact came, and no other session worked here."""
    before = earlier_brief(truth)
    if before is None:
        return False
    others = {each.payload.get("session_id") for each in truth.so_far if each.at_ns > before.at_ns} - {truth.session}
    same = [each.path for each in in_force(before.files)] == [each.path for each in in_force(truth.files)]
    return len(before.ledger) == len(truth.now.ledger) and not others and same


def earlier_brief(truth: Truth) -> Moment | None:
    """Return the last moment at which the session was briefed before."""
    found = [each for each in truth.so_far[:-1] if each.payload.get("session_id") == truth.session]
    briefs = [each for each in found if re.search(r"^(?:Sprint \S|This project uses vfcc)", each.context, re.MULTILINE)]
    return briefs[-1] if briefs else None


_PARTS = {
    "gate": r"The stage ", "permissions": r"The role ", "tests": r"Last test results", "tasks": r"Open tasks",
    "memory": r"Rules in force", "handover": r"Earlier stages", "commands": r"Commands", "done": r"Done here last",
    "proposals": r"Proposals", "window": r"What this session did",
}  # fmt: skip


def late(truth: Truth, found: re.Match[str]) -> bool:
    """Parts that are not in the brief."""
    missing = [_PARTS.get(name, "^") for name in found[1].split(", ")]
    return not any(re.match(each, line) for each in missing for line in truth.lines)


def hidden(truth: Truth, found: re.Match[str]) -> bool:
    """How many of each kind the brief does not show, as far as the files say how many there are."""
    counts = [re.fullmatch(r"(\d+) ([a-z ]+?) \((.*)\)", each) for each in found[1].split("; ")]
    return all(each is not None and _is_count(truth, int(each[1]), each[2].removesuffix("s")) for each in counts)


def _is_count(truth: Truth, number: int, name: str) -> bool:
    if name == "rule":
        shown = len(truth.under("Rules in force"))
        rules = sum(each.type in RULE_TYPES for each in in_force(truth.files))
        failures = sum(each.type == "failure" for each in in_force(truth.files))
        return rules <= number + shown <= rules + failures
    if name == "artifact":
        start = f".memory/stage/{(truth.sprint or {}).get('id')}/"
        own = f"{start}{truth.stage.get('id')}/"
        known = [each for each in truth.files if each.startswith(start) and "/artifacts/" in each]
        there = [each for each in known if not each.startswith(own)]
        return number + len(truth.under("Earlier stages")) == len(there)
    if name == "proposal":
        there = [each.id for each in items_in(truth.files) if each.status == "pending"]
        return number + len(truth.under("Proposals")) == len(there)
    if name == "failed test":
        return any(number < counts(run)[0] for run in test_runs(truth.outcomes))
    return name in ("owed item", "command", "task", "line") and number > 0


_SPRINT = (
    r"Sprint (?P<id>\S+?)(?: \((?P<by>[^)]*)\))? “(?P<title>.*?)” is in stage (?P<stage>\S+), "
    r"whose role is (?P<role>\S+?); "
    r"(?P<passed>\d+) of (?P<all>\d+) stages passed\.(?: You act as (?P<acting>\S+)\.)?"
)  # fmt: skip
_MAY = (
    r"(?P<subject>The role|The subagent's own role) (?P<role>\S+) may (?P<may>[^.]*(?:\.[^ ][^.]*)*)\."
    r"(?: It may not (?P<never>[^.]*)\.)?"
)
_CHANGES = r"In the stage (\S+) a subagent changes (.*)\."
ITEM = r"(?P<type>[a-z_]+) (?P<id>\S+), trust (?P<trust>\w+): (?P<title>.*?)(?: \(stale: (?P<stale>.*)\))?"
_RESULT = (
    r"\S+/\S+, (?P<time>\d{4}-\d\d-\d\d \d\d:\d\d) UTC: "
    r"(?:(?P<failed>\d+) of (?P<all>\d+) tests failed|(?P<passed>\d+) tests?(?: passed)?[^,]*), "
    r"(?:of the files as they are now|of other content: since then (?P<since>.*))"
)
_ARTIFACT = (
    r"(?P<path>\.memory/\S+?)(?: \((?P<bytes>[\d,]+) bytes, (?:by section|in short)\)"
    r"| \((?P<size>[\d,]+) bytes; read it there\))?:?"
)  # fmt: skip
HEADINGS: Sequence[tuple[str, Rule]] = (
    (r"The stage (\S+) owes( nothing)?", stage_owes),
    (r"Rules in force(, those that match the work first)?", rules_heading),
    (r"Since the last brief of this session", since),
    (r"Last test results|Open tasks|Earlier stages' artifacts, quoted|Commands|Done here last", always),
    (r"Proposals that wait for a person, not in force", always),
)
BRIEF_RULES: Sequence[tuple[str, str, Rule]] = (
    (
        "denied",
        r"the role (?P<role>\S+) \(stage (?P<stage>\S+)\) may not (?P<verb>\w+) (?P<what>.*?): (?P<why>.*)",
        denied,
    ),
    (
        "denied",
        r"the subagent (?P<role>\S+) \(stage (?P<stage>\S+)\) may not (?P<verb>\w+) (?P<what>.*?): (?P<why>.*)",
        denied,
    ),
    ("denied", r"(?:the command|\w+) may change (\S+), which (?:holds|is part|is closed) .*", closed_to_all),
    ("", r"This project uses vfcc; no sprint is open\.", no_sprint),
    ("", r"This project uses vfcc; several sprints are open: (.*); choose one\. Until then .*", several),
    ("", r"(\S+) “(.*)”: in stage (\S+?)(?:, started on branch (.*))?", one_of_several),
    ("", r"Choose: start the client with VFCC_SPRINT=(\S+?)(?:, or: .*)?\. For one command: --sprint ID\.", choose),
    ("", _SPRINT, place),
    ("", r"Goals: (.*)", goals),
    ("", rf"{_MAY}(?: A call beyond that is put to the person\.)?", may),
    ("", _CHANGES, subagent_changes),
    ("", r"Not asked, for want of time: (.*)\. `vfcc next` names what the stage owes\.", late),
    ("", r"The gate of (\S+) asks for (.*)\.", asks_for),
    ("", r"Nothing changed since the last brief of this session\.", unchanged),
    ("(?:Since .*)?", r"No longer owed: (.*)\.", no_longer_owed),
    ("(?:Since .*)?", r"No longer in force: (.*)\.", no_longer_in_force),
    ("", r"Not shown: (.*)\.", hidden),
    ("The stage .*", r"next: `(.*)`", next_step),
    ("The stage .* owes", r"([\w-]+): (.*)", owed),
    ("Last test results", _RESULT, results),
    ("Last test results", r"failed: (\S*::\S+?)(?:: .*)?", failed_test),
    ("Open tasks", r"(\S+): (.*)", task),
    ("Rules in force.*|Known of .*|The project's memory on this", ITEM, item_line),
    ("Rules in force.*", r"  > (.*)", item_text),
    ("Proposals .*", r"([a-z_]+) (\S+), by (\S+): (.*)", proposal),
    ("Earlier stages' artifacts.*", r"  > (.*)", quoted),
    ("Earlier stages' artifacts.*", _ARTIFACT, artifact),
    ("Commands", r"`(vfcc [^`]*)`: (.*)", offered),
)
"""Under which heading, which sentence, and how it is checked; the first that fits counts."""
