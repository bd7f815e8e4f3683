"""A small project in the middle of a sprint, of which the pages on prompts show what each role gets.

It has rules, decisions, limits, requirements, a failure with a lesson, artifacts of two stages, a change that the coder
committed, and one test. Nothing that a prompt prints depends on the day on which it is made.
"""

from collections.abc import Callable
from pathlib import Path

from tests.trees import write_tree

SPRINT = "whole-cents"
_STAGES = f".memory/stage/{SPRINT}"
BEFORE = {
    "CLAUDE.md": """\
# Invoices

Totals of invoices for a bicycle shop. Python 3.11, no dependencies.

- `invoices/totals.py` computes, `tests/` checks. Nothing here reads files.
- Amounts are `Decimal`, in euro. Never use `float` for money.
""",
    ".gitignore": "__pycache__/\n",
    "invoices/__init__.py": "",
    "invoices/totals.py": '''\
"""Totals of an invoice."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Line:
    """So many of a thing, and the price of one in euro."""

    quantity: Decimal
    price: Decimal


def line_total(line: Line) -> Decimal:
    """Return what a line costs."""
    return line.quantity * line.price


def invoice_total(lines: Sequence[Line], tax_percent: int) -> Decimal:
    """Return what all lines cost, with tax."""
    net = sum((line_total(line) for line in lines), Decimal(0))
    return net + net * tax_percent / 100
''',
    "tests/test_totals.py": """\
from decimal import Decimal

import pytest

from invoices.totals import Line, invoice_total, line_total


@pytest.fixture
def tyre() -> Line:
    return Line(Decimal(2), Decimal("24.95"))


def test_a_line_costs_its_quantity_times_its_price(tyre: Line) -> None:
    assert line_total(tyre) == Decimal("49.90")


def test_tax_is_added_to_all_lines(tyre: Line) -> None:
    assert invoice_total([tyre, tyre], tax_percent=10) == Decimal("109.78")
""",
    "tests/conftest.py": "",
}
MEMORY = {
    ".memory/project/conventions/tests.md": "# Tests\n\nOne test for each sentence of the specification; "
    'amounts are written as text: `Decimal("0.10")`.\n',
    ".memory/project/decisions/round-half-even.md": """\
---
id: round-half-even
type: decision
title: Round half to even
status: accepted
---
Amounts are rounded to cents with `ROUND_HALF_EVEN`, as the tax office does.
""",
    ".memory/project/items/constraint/no-dependencies.md": """\
---
id: no-dependencies
type: constraint
---
The package runs on the standard library alone.
""",
    ".memory/project/items/guideline/name-the-unit.md": """\
---
id: name-the-unit
type: guideline
---
A name says its unit where it is not euro: `tax_percent`, `price_cents`.
""",
    ".memory/project/items/failure/sum-of-rounded.md": """\
---
id: sum-of-rounded
type: failure
title: The total was one cent off the sum of its lines
details: {code: E-CENT}
refs: [{path: invoices/totals.py, symbol: invoice_total}]
---
Lines were shown rounded and added up unrounded. Round each line first, then add.
""",
    ".memory/project/items/requirement/REQ-ROUNDING.md": """\
---
id: REQ-ROUNDING
type: requirement
title: Each line of an invoice shall be rounded to whole cents before it is added up.
---
""",
    ".memory/project/items/requirement/REQ-TAX.md": """\
---
id: REQ-TAX
type: requirement
title: Tax shall be computed from the sum of the rounded lines, and rounded to whole cents.
---
""",
    ".memory/project/items/requirement/REQ-PDF.md": """\
---
id: REQ-PDF
type: requirement
title: An invoice shall be printed as PDF/A.
---
""",
}
PLAN = """\
# Plan

1. Round lines (REQ-ROUNDING).
2. Compute tax from rounded lines (REQ-TAX).

Accepted when the shop's ten invoices of October come out as the tax office has them.
"""
DESIGN = """\
# Design

`cents(amount: Decimal) -> Decimal` in `invoices/totals.py` rounds an amount to two places. `line_total` and
`invoice_total` return what it returns. A quantity below zero is a return of goods and is rounded like any other.

## Cases

| lines | tax | total |
|---|---|---|
| 3 × 0.335 | 0 % | 1.00 |
| 0.5 × 0.25 | 0 % | 0.12 |
| 1 × 0.05, 1 × 0.05 | 19 % | 0.12 |
"""
CODED = '''\
def cents(amount: Decimal) -> Decimal:
    """Round an amount to whole cents, half to even."""
    return amount.quantize(Decimal("0.01"), ROUND_HALF_EVEN)


def line_total(line: Line) -> Decimal:
    """Return what a line costs, in whole cents."""
    return cents(line.quantity * line.price)
'''


def write_role_project(root: Path, run: Callable[[str, Path], str]) -> None:
    """Make the project in a folder with a commit; `run` runs a line of shell there."""
    write_tree(root, BEFORE)
    run("vfcc init && git add -A && git commit -qm invoices", root)
    write_tree(root, MEMORY)
    run(f"vfcc sprint start 'Whole cents' --id {SPRINT} --goal 'Every amount on an invoice is in whole cents'", root)
    for stage, name, text in (("planning", "plan.md", PLAN), ("design", "design.md", DESIGN)):
        write_tree(root, {f"{_STAGES}/{stage}/artifacts/{name}": text})
        run("git add -A && git commit -qm memory && vfcc stage advance && git add -A && git commit -qm memory", root)
    before = BEFORE["invoices/totals.py"]
    start, end = before.index("def line_total"), before.index("\n\ndef invoice_total")
    changed = before[:start] + CODED + before[end:]
    changed = changed.replace("from decimal import Decimal\n", "from decimal import ROUND_HALF_EVEN, Decimal\n")
    write_tree(root, {"invoices/totals.py": changed})
    run("git commit -qam 'Round each line (REQ-ROUNDING)'", root)
