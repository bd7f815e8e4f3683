"""The reference of the memory checks as it should be: from the table of codes and the planted faults.

    python -m tests.memory_checks_page          # writes docs/reference/memory-checks.md anew

What stands above the first check and below the last is written by hand, and kept.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.memory_faults import FAULTS
from verifflowcc.memory.rules.memory_check import check_memory
from verifflowcc.memory.rules.memory_codes import CHECKS, HELP, MemoryFamily

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "memory-checks.md"
BEGIN, END = "<!-- checks -->\n", "<!-- end of checks -->\n"


def with_checks(page: str) -> str:
    """Return the page with the part on the checks made anew."""
    head, _, rest = page.partition(BEGIN)
    return head + BEGIN + "\n".join(_lines()) + "\n" + END + rest.partition(END)[2]


def _lines() -> Iterator[str]:
    for family in MemoryFamily:
        yield f"\n## {family.title()}"
        for code, each in CHECKS.items():
            if each.family is family:
                yield f"\n### `{code}`\n\n*{each.title}* ({each.severity}). {HELP[code].meaning}\n"
                yield f"```text\n{_example(code)}\n```\n\n{HELP[code].remedy}"
    yield ""


def _example(code: str) -> str:
    """The line of the fault that is planted for this check."""
    found = next(each for each in check_memory(FAULTS[code].planted.sources()).findings if each.code == code)
    return f"{found.path}:{found.line}: {found.severity} {code}: {found.message}\n  → {found.step}"


if __name__ == "__main__":
    PAGE.write_text(with_checks(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
