"""Checks of the marks in code, in tests and in results: each names an item that is there and counts."""

from verifflowcc.domain.items import Status
from verifflowcc.trace import steps
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import TraceView

_CODES = ("unknown-mark", "retired-mark")


def check_marks(view: TraceView, tell: Telling) -> None:
    """Tell of marks that lead nowhere, once for each symbol; a result's ids count where no mark in code has them."""
    by_id = view.by_id
    tell.ask(_CODES, sum(map(len, view.marks.values())))
    for name, places in view.marks.items():
        item = by_id.get(name)
        if item is not None and item.status is not Status.ARCHIVED:
            continue
        told = set()
        for file, mark in places:
            if (file.path, mark.symbol) in told:
                continue
            told.add((file.path, mark.symbol))
            where = f"{file.path}::{mark.symbol}" if mark.symbol else file.path
            if item is None:
                message = f"{where} is marked with {name}, and there is no such item"
                about = f"{name} {mark.symbol}".strip()
                tell.place("unknown-mark", file.path, mark.line, message, steps.edit(file.path, mark.line), about)
            else:
                message = f"{where} is marked with {name}, which is retired"
                tell.place(
                    "retired-mark", file.path, mark.line, message, steps.edit(file.path, mark.line),
                    f"{name} {mark.symbol}".strip(), [item.path],
                )  # fmt: skip
    _in_results(view, tell)


def _in_results(view: TraceView, tell: Telling) -> None:
    named = {name for name in view.results if name not in view.by_id and name not in view.marks}
    for name in sorted(named):
        first = view.results[name][0]
        message = f"{first.test} names {name} in {first.report}, and there is no such item"
        path = first.test.partition("::")[0] if "::" in first.test else first.report
        tell.place("unknown-mark", path, 1, message, f"correct the mark of {first.test}", name)
