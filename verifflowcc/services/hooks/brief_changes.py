"""What a session that goes on has not seen yet: new entries of its brief, and what it was shown and holds no more."""

from collections.abc import Mapping

from verifflowcc.episodes.seen_brief import OVER, OWED, RULE, SeenBrief
from verifflowcc.records import replace
from verifflowcc.services.hooks.brief_memory import ids_in_force
from verifflowcc.services.hooks.brief_request import BriefRequest
from verifflowcc.services.hooks.brief_text import BriefPart, Entry
from verifflowcc.services.source_reader import SourceReader

_ALWAYS = ("place", "failed", "late")


def changes_since(
    seen: SeenBrief, found: Mapping[str, BriefPart], request: BriefRequest, reader: SourceReader
) -> dict[str, BriefPart]:
    """Return the parts of a brief without the entries that the session has seen.

    What was owed and is not, and rules that no longer hold, have a line each. A part that could not be asked ends
    nothing.
    """
    place = found["place"]
    parts = {name: _unseen(part, seen) for name, part in found.items() if name not in _ALWAYS}
    over = [*_no_longer_owed(seen, found, reader), *_withdrawn(seen, request, reader)]
    new = any(part.entries for part in parts.values()) or over
    heading = (
        "Since the last brief of this session:" if new else "Nothing changed since the last brief of this session."
    )
    kept = {name: found[name] for name in _ALWAYS if name in found}
    first = place.entries[:1]
    unseen = tuple(entry for entry in place.entries[1:] if not seen.holds(entry.identity))
    return parts | kept | {"place": BriefPart(entries=(*first, *unseen, Entry(heading), *over))}


def _unseen(part: BriefPart, seen: SeenBrief) -> BriefPart:
    return replace(part, entries=tuple(entry for entry in part.entries if not seen.holds(entry.identity)), hidden=0)


def _no_longer_owed(seen: SeenBrief, found: Mapping[str, BriefPart], reader: SourceReader) -> list[Entry]:
    gate = found.get("gate")
    if gate is None or reader.has_failed("gate") or gate.hidden:
        return []
    owed = {entry.identity.split(" ")[1] for entry in gate.entries if entry.identity.startswith(OWED)}
    return _line("No longer owed", OWED, seen.owed - owed)


def _withdrawn(seen: SeenBrief, request: BriefRequest, reader: SourceReader) -> list[Entry]:
    if not seen.rules:
        return []
    held = reader.read("memory", lambda: ids_in_force(request), seen.rules)
    return _line("No longer in force", RULE, seen.rules - held)


def _line(what: str, kind: str, names: frozenset[str]) -> list[Entry]:
    found = sorted(names)
    return [Entry(f"{what}: {', '.join(found)}.", f"{OVER}{kind}{' '.join(found)}")] if found else []
