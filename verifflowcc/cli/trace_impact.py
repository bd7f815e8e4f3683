"""`vfcc trace impact`: what a change of an item would touch."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.cli.options import IdArgument, JsonFlag, JunitOption

if TYPE_CHECKING:
    from verifflowcc.trace.impact import Impact
    from verifflowcc.trace.reach import Reached


def impact(item: IdArgument, junit: JunitOption = None, as_json: JsonFlag = False) -> None:
    """Show what a change of an item would touch.

    Everything below it with the way to it, the code and the tests, and its parents. Exits with 3 where there is
    no item at all.
    """
    from verifflowcc.cli import output as out
    from verifflowcc.cli.trace_warnings import see
    from verifflowcc.services.trace_finding import find_item
    from verifflowcc.trace.impact import impact as touched

    view = see(junit).view
    found = touched(view, find_item(view, item).id)
    out.emit_json(found) if as_json else out.emit("\n".join(_page(found)))


def _page(found: "Impact") -> Iterator[str]:
    from verifflowcc.cli.table import table
    from verifflowcc.cli.terminal import wants_color
    from verifflowcc.trace.matrix_csv import place_word

    if wants_color():
        from verifflowcc.cli.trace_trees import reach_tree

        yield reach_tree(f"{found.id}: {found.title}", f"a change touches {_sum(found)}", found.below)
    else:
        yield f"{found.id}: {found.title}"
        yield f"  a change touches {_sum(found)}"
    if found.below and not wants_color():
        yield "\nbelow"
        yield table(("item", "way", "title"), [(each.id, _way(each), each.title) for each in found.below])
    if found.code:
        yield "\ncode"
        places = dict.fromkeys((place_word(each.place), ", ".join(each.items)) for each in found.code)
        yield table(("place", "of"), list(places))
    if found.tests:
        yield "\ntests"
        yield table(
            ("test", "outcome", "of"), [(each.test.test, each.test.word, ", ".join(each.items)) for each in found.tests]
        )
    if found.above:
        yield "\ntraces to"
        yield table(("item", "way", "title"), [(each.id, _way(each, up=True), each.title) for each in found.above])
    if found.beside:
        yield "\nbeside"
        rows = [
            (each.id, each.relation if each.outward else f"its {each.relation}", each.title) for each in found.beside
        ]
        yield table(("item", "relation", "title"), rows)


def _sum(found: "Impact") -> str:
    files = {each.place.path for each in found.code}
    counts = ((len(found.below), "item"), (len(files), "file"), (len(found.tests), "test"))
    return listed([f"{number or 'no'} {noun}{'' if number == 1 else 's'}" for number, noun in counts])


def listed(words: Sequence[str]) -> str:
    """Return `a, b and c`."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def _way(each: "Reached", *, up: bool = False) -> str:
    """Return the way between the two ends, read upwards: `implements REQ-login → refines`."""
    steps = list(zip(each.relations, each.way[1:] if up else each.way[:-1], strict=True))
    words = [f"{relation} {name}" for relation, name in (steps if up else reversed(steps))]
    return " → ".join((*words[:-1], each.relations[-1 if up else 0]))
