"""What a session begins with: where the sprint is, what the stage owes, what is allowed, known, tested and done.

Facts alone, a line each, the most important first, within a budget that is counted on the text as it goes out. What
agents and clients wrote is quoted as their words, on one line, without invisible characters and without secrets.
"""

from collections.abc import Callable, Mapping
from functools import partial

from verifflowcc.adapters.clock import OutOfTimeError, within
from verifflowcc.episodes.seen_brief import SeenBrief
from verifflowcc.services.hooks.brief_changes import changes_since
from verifflowcc.services.hooks.brief_memory import line_of, open_work, proposals, recalled, rules
from verifflowcc.services.hooks.brief_request import BriefRequest
from verifflowcc.services.hooks.brief_stage import asked_artifacts, commands, permissions, place
from verifflowcc.services.hooks.brief_text import BriefPart, Fitted, Part, entries, fit, fitted, left_out, shown
from verifflowcc.services.hooks.brief_work import before_compaction, done_last
from verifflowcc.services.source_reader import SourceReader

__all__ = ["PARTS", "BriefRequest", "Part", "fitted", "left_out", "line_of", "made_brief", "recalled", "shown"]

PATIENCE_S, RESERVE_S = 1.0, 0.4
"""Seconds of processor time for the parts of a brief, and of wall time kept for writing it.

On a loaded machine wall time passes while other processes compute: it would drop the gate although little was done for
it. A client waits for wall time, so that the hook's own limit stays: near it, the parts that are known go out.
"""
_ORDER = (
    *("place", "failed", "window", "gate", "late", "permissions", "tests", "tasks", "memory", "handover"),
    *("commands", "done", "proposals"),
)
_NOTHING = BriefPart()
_LEAST_HANDOVER = 4
"""The artifacts of earlier stages have this part of the budget at the least, and all that the other parts leave."""
_MARGIN = 60
"""What their heading and a line about what is left out may take of that."""


def made_brief(request: BriefRequest, reader: SourceReader, seen: SeenBrief | None = None) -> Fitted:
    """Return the brief with the entries that it holds; with `seen`, only what the session has not seen of it."""
    found = gathered(request, reader, PARTS)
    if seen is not None:
        found = changes_since(seen, found, request, reader)
    return fit([found[name] for name in _ORDER if name in found], request.budget_tokens, request.count)


def gathered(
    request: BriefRequest, reader: SourceReader, parts: Mapping[str, Callable[[BriefRequest], BriefPart]]
) -> dict[str, BriefPart]:
    """Return the parts of a brief by their names.

    A part that fails is left out with a line that says so. What may take long is asked last, and left out with a word
    where its time is over: on a machine that has read nothing of a project yet, the gate alone takes seconds. The
    earlier stages' artifacts come after the others, since they fill the room that these leave.
    """
    found = {"place": place(request.standing)}
    try:
        with within(PATIENCE_S, RESERVE_S):
            for name, part in parts.items():
                found[name] = reader.read(name, partial(part, request), _NOTHING)
    except OutOfTimeError:
        late = [name for name in parts if name not in found]
        missed = f"Not asked, for want of time: {', '.join(late)}. `vfcc next` names what the stage owes."
        found["late"] = BriefPart(entries=entries([missed, *(asked_artifacts(request) if "gate" in late else [])]))
    if found.get("handover", _NOTHING).entries:
        others = [part for name, part in found.items() if name != "handover"]
        used = request.count(fit(others, request.budget_tokens, request.count).text)
        room = max(request.budget_tokens - used - _MARGIN, request.budget_tokens // _LEAST_HANDOVER)
        found["handover"] = reader.read("handover", partial(handover, request, room), _NOTHING)
    found["failed"] = BriefPart(entries=entries(left_out(reader)[1]))
    return found


def handover(request: BriefRequest, room_tokens: int = 0) -> BriefPart:
    """Return what earlier stages left, in a part of the budget; without room each artifact is only named."""
    sprint, stage = request.standing.sprint, request.standing.stage
    if not (sprint and stage):
        return _NOTHING
    from verifflowcc.services.hooks.handover import handover_entries

    lines = handover_entries(request.artifacts(), sprint, stage, room_tokens, request.count)
    return BriefPart("Earlier stages' artifacts, quoted", lines, name="artifacts", command="read the files")


def owed(request: BriefRequest) -> BriefPart:
    """Return what the current stage owes. All that gates are made of is imported only where a stage is active."""
    if not request.standing.stage:
        return _NOTHING
    from verifflowcc.services.hooks.brief_gate import owed

    return owed(request)


def tests(request: BriefRequest) -> BriefPart:
    """Return the newest results of tests that the current stage asks for."""
    if not request.standing.stage:
        return _NOTHING
    from verifflowcc.services.hooks.brief_gate import tests

    return tests(request)


PARTS: Mapping[str, Callable[[BriefRequest], BriefPart]] = {
    "handover": handover,
    "permissions": permissions,
    "commands": commands,
    "tasks": open_work,
    "window": before_compaction,
    "done": done_last,
    "memory": rules,
    "proposals": proposals,
    "tests": tests,
    "gate": owed,
}
"""Every part of a brief that is read from somewhere, in the order in which they are asked."""
