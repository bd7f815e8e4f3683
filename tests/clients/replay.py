"""Replay recorded sessions: how many sentences were added, which are false, and what stood in requests before edits."""

import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.claim_truth import Record, current_sprint, in_force, stage_of
from tests.claims import Claim, claims
from tests.clients.conftest import Desk
from tests.clients.installed import CLAUDE, CODEX, needed
from tests.clients.sessions import SESSIONS, played
from tests.clients.told import record_of
from tests.clients.turns import MAIN, Request

KINDS = ("goal", "owed", "handover", "items")


@dataclass(frozen=True)
class Wanted:
    """A text that a request must hold before an edit, of which kind, and whether it did."""

    kind: str
    path: str
    text: str
    held: bool


def before_edits(record: Record, requests: Sequence[Request]) -> Iterator[Wanted]:
    """Yield, for each edit, what the request that was answered with it had to hold."""
    read: dict[str, set[str]] = {}
    for request in requests:
        seen = read.setdefault(request.conversation, set())
        for call in request.answer.calls if request.answer else ():
            given = call.input if isinstance(call.input, str) else " ".join(map(str, call.input.values()))
            path = _edited(call.name, given)
            if path:
                for kind, text in _wanted(record, request, path, seen):
                    yield Wanted(kind, path, text, request.holds(text))
            seen |= {each for each in ("numbers_.py", "tests/test_numbers.py") if each in given}


def _edited(tool: str, given: str) -> str:
    """Return the path that a call edits, from the project's root; empty where it edits none."""
    if tool not in ("Edit", "Write", "apply_patch") and "sed -i" not in given:
        return ""
    found = re.search(r"(?:\.memory/\S+|tests/test_numbers\.py|numbers_\.py)", given)
    return found[0] if found else ""


def _wanted(record: Record, request: Request, path: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    moment = [each for each in record.moments if each.at_ns <= request.at_ns][-1]
    sprint, stage = current_sprint(moment), stage_of(current_sprint(moment))
    for item in in_force(moment.files):
        if path in seen and path in [ref.get("path") for ref in item.front.get("refs") or ()]:
            yield "items", item.title
    if sprint is None:
        return
    yield from (("goal", each) for each in sprint["goals"])
    if request.conversation != MAIN:
        return
    folder = f".memory/stage/{sprint['id']}"
    for each in stage["exit"]:
        owed = [f"{folder}/{stage['id']}/artifacts/{name.partition('*')[0]}" for name in each.get("files", ())]
        yield from (("owed", name) for name in owed if not any(one.startswith(name) for one in moment.files))
    for one, text in moment.files.items():
        if any(one.startswith(f"{folder}/{name}/artifacts/") for name in stage["uses"]):
            yield "handover", one
            yield "handover", text.strip().rpartition("\n")[2]


@dataclass(frozen=True)
class Replay:
    """What a session yields: all sentences, and what was wanted before its edits."""

    found: tuple[Claim, ...]
    wanted: tuple[Wanted, ...]

    @property
    def false(self) -> list[str]:
        """The sentences that are false, and those that no rule knows."""
        return [f"{each.true}: {each.event}: {each.heading}: {each.text}" for each in self.found if not each.true]

    @property
    def missing(self) -> list[str]:
        """What a request did not hold before an edit."""
        return [f"{each.kind} before the edit of {each.path}: {each.text}" for each in self.wanted if not each.held]

    @property
    def row(self) -> tuple[str, ...]:
        """The columns of the table."""
        held = [[each.held for each in self.wanted if each.kind == kind] for kind in KINDS]
        shares = [f"{sum(each)} of {len(each)}" if each else "-" for each in held]
        return (str(len(self.found)), str(len(self.false)), *shares)


def replay(desk: Desk, requests: Sequence[Request]) -> Replay:
    """Check all that was recorded at a desk."""
    record = record_of(desk)
    return Replay(tuple(claims(record)), tuple(before_edits(record, requests)))


def main() -> None:
    """Play all sessions and print a table of what their replays yield."""
    heads = ("session", "client", "sentences", "false", *(f"{kind} before the edit" for kind in KINDS))
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    faults = []
    for session in SESSIONS:
        if sys.argv[1:] and not any(each in session.name for each in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            desk = Desk(Path(folder, "project"), Path(folder, "home"), Path(folder, "log"))
            desk.folder.mkdir()
            desk.home.mkdir()
            stage = played(session, needed(CLAUDE if session.client == "claude" else CODEX), desk)
            found = replay(desk, stage.requests)
        print(f"| {' | '.join((session.name, session.client, *found.row))} |", flush=True)
        faults += [*found.false, *found.missing]
    print("\n".join(["", *faults]))


if __name__ == "__main__":
    main()
