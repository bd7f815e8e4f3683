"""What the logs of faults say in short, for `vfcc doctor`: how many there are, and the newest."""

import json

from verifflowcc.adapters.files.integrations import read_text
from verifflowcc.episodes.shape import moment
from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass
from verifflowcc.services.workspace import MEMORY, Workspace

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class FaultSummary:
    """The number of faults in a log, and the newest: when it was (with a comma before it), of what, and its words."""

    count: int
    when: str
    source: str
    words: str


def newest_fault(workspace: Workspace, name: str) -> FaultSummary | None:
    """Return what a log below `.memory/` says in short; None where it is empty or cannot be read."""
    try:
        text = read_text(workspace.root, f"{MEMORY}/{name}") or ""
    except VfccError:
        return None
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return None
    when, source, words = "", "", "a line that is no JSON"
    try:
        newest = json.loads(lines[-1])
        words = " ".join(str(newest["error"]).split())[:_LONGEST]
        source = " ".join(str(newest.get("source", "")).split())[:_LONGEST]
        when = f", {moment(int(newest['time']))}"
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, AttributeError):
        pass  # what can be read of it is shown
    return FaultSummary(len(lines), when, source, words)
