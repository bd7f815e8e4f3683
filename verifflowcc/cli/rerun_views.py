"""How a second run is shown to a person."""

from verifflowcc.services.rerun import RED, Reproduction


def reproduction(found: Reproduction) -> str:
    """Return one line for each piece of evidence and each word of a person, and the sum."""
    lines = []
    for row in found.rows:
        colour = "RED  " if row.found in RED else "     "
        by = f" ({row.evidence})" if row.evidence else ""
        lines.append(f"{colour}{row.stage}/{row.criterion}: {row.found}: {row.reason}{by}")
        lines += [f"       note: {note}" for note in row.notes]
        if row.step:
            lines.append(f"       → {row.step}")
    for one in found.people:
        written = f"; written by {', '.join(one.written)}" if one.written else ""
        lines.append(
            f"{'     ' if one.good else 'RED  '}{one.what} by {one.actor}{written}: {one.reason} ({one.event})"
        )
        if one.step:
            lines.append(f"       → {one.step}")
    red = sum(row.found in RED for row in found.rows) + sum(not one.good for one in found.people)
    total = len(found.rows) + len(found.people)
    lines.append(f"{found.sprint}: {red} of {total} are red" if red else f"{found.sprint}: none of {total} is red")
    return "\n".join(lines)
