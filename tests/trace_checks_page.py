"""The reference of the trace checks as it should be: from the table of codes, their help, and the planted faults.

    python -m tests.trace_checks_page          # writes docs/reference/trace-checks.md anew

What stands above the first check and below the last is written by hand, and kept.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.planted_faults import FAULTS
from verifflowcc.base.model.trace_codes import CHECKS
from verifflowcc.base.model.trace_help import HELP
from verifflowcc.base.model.trace_values import Family
from verifflowcc.trace.rules.trace_check import check

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "trace-checks.md"
BEGIN, END = "<!-- checks -->\n", "<!-- end of checks -->\n"


def checks_part() -> str:
    """Return what stands between the two marks of the page."""
    return "\n".join(_lines()) + "\n"


def with_checks(page: str) -> str:
    """Return the page with the part on the checks made anew."""
    head, _, rest = page.partition(BEGIN)
    return head + BEGIN + checks_part() + END + rest.partition(END)[2]


def _lines() -> Iterator[str]:
    for family in Family:
        yield f"\n## {family.title()}"
        for code, each in CHECKS.items():
            if each.family is family:
                yield f"\n### `{code}`\n\n*{each.title}* ({each.severity}). {HELP[code].meaning}\n"
                yield f"```text\n{_example(code)}\n```\n\n{HELP[code].remedy}"
    yield ""


def _example(code: str) -> str:
    """The line of the fault that is planted for this check."""
    world = FAULTS[code].planted
    found = next(each for each in check(world.sources(), world.policy).findings if each.code == code)
    return f"{found.path}:{found.line}: {found.severity} {code}: {found.message}\n  → {found.step}"


if __name__ == "__main__":
    PAGE.write_text(with_checks(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
