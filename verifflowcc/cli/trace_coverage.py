"""`vfcc trace coverage`: how much of the trace is answered and shown, with what it is a part of."""

from typing import TYPE_CHECKING

from verifflowcc.cli.options import JsonFlag, JunitOption, TypesOption

if TYPE_CHECKING:
    from verifflowcc.trace.statistics import Group, Share, Statistics


def coverage(
    types: TypesOption = None,
    junit: JunitOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show how much is answered, and how much is shown.

    Per type and per verification method, on this content, right below and all the way down. Exits with 3 where there
    is no item.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.trace_matrix_views import see
    from verifflowcc.services.finding import one_of
    from verifflowcc.trace.statistics import statistics

    seen = see(junit)
    known = tuple(seen.view.policy.types)
    found = statistics(seen.view, [one_of(each, known, "type", "vfcc trace coverage --type …") for each in types or ()])
    out.emit_json(found) if as_json else out.emit(_page(found))


def _page(found: "Statistics") -> str:
    groups = (*found.types, found.total)
    parts = [_table("type", groups), _table("method", found.methods), _legend(found)]
    return "\n\n".join(part for part in parts if part)


def _table(what: str, groups: "tuple[Group, ...]") -> str:
    from verifflowcc.cli.table import table

    if not groups:
        return ""
    columns = (what, "items", "answered", "in depth", "verified", "proven", "planned")
    rows = [
        (
            each.name,
            str(each.items),
            *map(_share, (each.shallow, each.deep, each.verified, each.proven)),
            str(each.planned) if each.planned else "–",
        )
        for each in groups
    ]
    return table(columns, rows, right=(1, 2, 3, 4, 5, 6))


def _share(share: "Share") -> str:
    """Return `3/4 75 %`; the percentage is rounded down, so that only all is 100."""
    if share.per_mille is None:
        return "–"
    return f"{share.met}/{share.of} {share.per_mille // 10:3} %"


def _legend(found: "Statistics") -> str:
    total = found.total
    lines = [
        "answered: has right below what its type needs, and something that could show it; in depth: so does all below",
        "verified: shown by its declared method on this content; proven: holds, and so does all below",
        "planned items are in no share; – is nothing to evaluate",
    ]
    if total.waiting:
        lines.append(f"{total.waiting} of {total.items} lack depth only because of what is planned below")
    if total.drafts:
        lines.append(f"{total.drafts} of {total.items} are drafts")
    if found.retired:
        lines.append(f"{found.retired} retired items are not counted")
    from verifflowcc.cli.output import folded

    return "\n".join(folded(line, 2) for line in lines)
