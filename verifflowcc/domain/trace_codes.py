"""The trace checks: each with its stable code, its family, how much it weighs, and what it says.

Codes never change their meaning; one that is no longer asked is never used for something else.
"""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.domain.trace import Family, Severity
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """A check: `severity` holds where a workflow says nothing else."""

    code: str
    family: StrEnum
    severity: Severity
    title: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_TABLE: Mapping[Family, tuple[tuple[str, Severity, str], ...]] = {
    Family.IDENTITY: (
        ("duplicate-id", _E, "two items have one id"),
        ("bad-id", _E, "an id does not fit the project's pattern"),
        ("reused-id", _E, "an id of a retired item is used again"),
        ("id-collision", _E, "the target branch added another item under this id"),
        ("file-name", _W, "a file is not named after its id"),
    ),
    Family.SCHEMA: (
        ("unreadable-item", _E, "a file below items/ cannot be read as an item"),
        ("missing-field", _E, "a field that the type needs is missing"),
        ("bad-field", _E, "a field has a value that it cannot have"),
        ("unknown-field", _N, "a field is not known"),
        ("unknown-type", _E, "a type is not one of the workflow"),
        ("empty-text", _E, "an item says nothing"),
        ("placeholder", _W, "an item still holds a placeholder"),
        ("weak-wording", _N, "a wording that no test can decide"),
        ("non-atomic", _N, "one item says several things"),
    ),
    Family.LINKS: (
        ("dangling-link", _E, "a link leads to no item"),
        ("unknown-relation", _E, "a relation is not one of the workflow"),
        ("wrong-end", _E, "a relation does not go between these types"),
        ("wrong-level", _E, "a link leads down where it should lead up"),
        ("self-link", _E, "an item links to itself"),
        ("link-cycle", _E, "links lead round in a circle"),
        ("duplicate-link", _W, "an item holds the same link twice"),
        ("link-to-draft", _W, "an agreed item links to a draft"),
        ("link-to-retired", _E, "a link leads to a retired item"),
        ("file-gone", _E, "a file that an item refers to does not exist"),
        ("symbol-gone", _E, "a symbol that an item refers to is not in its file"),
        ("unknown-mark", _E, "a mark in code names no item"),
        ("retired-mark", _W, "a mark in code names a retired item"),
    ),
    Family.COVERAGE: (
        ("no-parent", _E, "an item has no parent and is not derived"),
        ("derived-without-rationale", _W, "a derived item does not say why it is there"),
        ("missing-child", _E, "nothing below answers an item as its type needs"),
        ("not-verified", _E, "nothing verifies an item by its declared method"),
        ("orphan-test", _N, "a test belongs to no item"),
        ("orphan-component", _W, "a component answers no requirement"),
        ("orphan-file", _W, "a changed file belongs to no item"),
        ("untraced-code", _W, "a file of the product belongs to no item"),
        ("deep-coverage", _N, "an item is answered, but something below it is not"),
        ("one-ended-interface", _E, "an interface does not join two components"),
    ),
    Family.CHANGE: (
        ("suspect-upstream", _W, "the parent of an item changed since the link was reviewed"),
        ("suspect-downstream", _W, "an item changed since its link was reviewed"),
        ("unreviewed", _W, "an item has not been reviewed"),
        ("unreviewed-link", _W, "a link has not been reviewed"),
        ("self-reviewed", _W, "an item was reviewed by its author"),
        ("stale-review", _W, "an item changed since its review"),
        ("code-edited", _W, "code that an item refers to changed since the last review"),
        ("code-moved", _W, "code that an item refers to has moved"),
        ("baseline-drift", _N, "an item is not as the baseline has it"),
        ("cleared-without-reason", _W, "a suspect link was cleared with no reason"),
    ),
    Family.RESULTS: (
        ("no-result", _E, "a test of an item has no result"),
        ("failed-result", _E, "a test of an item failed"),
        ("failed-below", _E, "a test of something below failed"),
        ("skipped-result", _W, "a test of an item was skipped"),
        ("flaky-result", _E, "a test of an item failed and passed"),
        ("conflicting-result", _E, "reports disagree about a test of an item"),
        ("stale-result", _E, "results are of other content"),
        ("unknown-test", _W, "results name a test that does not exist"),
        ("untrusted-result", _W, "results are worth less than is asked"),
        ("low-coverage", _W, "the tests reach less of the code than is asked"),
        ("weak-test", _N, "a test of an item passes without the change, too"),
        ("unreadable-report", _E, "a report of results cannot be read"),
        ("nothing-to-evaluate", _E, "there is no item, or no test, to look at"),
    ),
    Family.PROCESS: (
        ("missing-artifact", _E, "a stage was passed whose artifact is not there"),
        ("left-changed", _E, "the left side changed after the right side passed"),
        ("waiver-expired", _E, "a waiver has run out"),
        ("waiver-orphaned", _W, "the criterion or findings of a waiver no longer exist"),
        ("waiver-unapproved", _E, "no person gave a waiver"),
        ("integrity-inversion", _E, "an item has a lower level than its parent"),
        ("unconfirmed-rationale", _W, "a reconstructed rationale is not confirmed by a person"),
        ("planned-but-built", _N, "an item is marked as planned and has a test that passes"),
    ),
}

CHECKS: Mapping[str, Check] = {
    code: Check(code, family, severity, title) for family, rows in _TABLE.items() for code, severity, title in rows
}
"""All of them by their codes, in the order of the page that explains them."""
