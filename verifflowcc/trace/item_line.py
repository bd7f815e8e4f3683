"""A trace item as one list item of a prompt: its id, what verifies it and how that went, and its text."""

from collections.abc import Sequence

from verifflowcc.domain.trace import TraceItem
from verifflowcc.trace.standing import Standing
from verifflowcc.trace.state import State, own_state
from verifflowcc.trace.verifying import TEST

MOST_TESTS = 3
_WORDS = {
    State.FAILED: "failing",
    State.PASSED: "passing",
    State.NOT_RUN: "unknown",
    State.UNTESTED: "no test yet",
    State.UNSHOWN: "not verified",
}


def item_line(item: TraceItem, standing: Standing, text: str) -> str:
    """Return the list item; `text` is the item's, safe to print, and its further lines are indented.

    The state of an item with a test that has no result is `unknown`: other machines may have run it.
    """
    facts = _facts(item, standing)
    head = f"- {item.id} ({facts})" if facts else f"- {item.id}"
    lines = (text or item.title).strip("\n").split("\n")
    return "\n".join([f"{head}: {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])])


def _facts(item: TraceItem, standing: Standing) -> str:
    state = own_state(standing)
    names = tuple(dict.fromkeys(each.test for each in standing.tests))
    if state is State.PLANNED:
        return f"planned: {item.planned}"
    word = _WORDS.get(state, str(state)) if state else ""
    by = f"verified by {short_tests(names)}" if names else ""
    if not by and standing.method not in {None, TEST} and state is not State.DRAFT:
        by = f"verification: {standing.method}"
    return "; ".join(filter(None, [by, word]))


def short_tests(names: Sequence[str]) -> str:
    """Return names of tests in one line: a file that was named is not named again, and what is too much is a number.

    >>> short_tests(["tests/test_a.py::test_x", "tests/test_a.py::test_y", "b", "c", "d"])
    'tests/test_a.py::test_x, ::test_y, b and 2 more'
    """
    shown, last = [], ""
    for name in names[:MOST_TESTS]:
        path, joint, symbol = name.partition("::")
        shown.append(f"::{symbol}" if joint and path == last else name)
        last = path
    more = len(names) - MOST_TESTS
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
