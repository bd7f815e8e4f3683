"""The reference of the item types as it should be: from the table of types.

    python -m tests.item_types_page          # writes docs/reference/item-types.md anew

What stands above and below the table is written by hand, and kept.
"""

from collections.abc import Iterator
from pathlib import Path

from verifflowcc.base.formats.front_matter_values import show_thousandths
from verifflowcc.base.model.item_values import TYPES, ItemType, ScopeKind

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "item-types.md"
BEGIN, END = "<!-- types -->\n", "<!-- end of types -->\n"
TIERS = {ScopeKind.TASK: "task", ScopeKind.USER: "global"}


def with_types(page: str) -> str:
    """Return the page with the table made anew."""
    head, _, rest = page.partition(BEGIN)
    return head + BEGIN + "\n".join(_lines()) + "\n" + END + rest.partition(END)[2]


def _lines() -> Iterator[str]:
    yield "| type | scope | tier | importance | time to live |"
    yield "|---|---|---|---|---|"
    for each in TYPES.values():
        tier = TIERS.get(each.scope, "project")
        yield f"| `{each.name}` | {each.scope} | {tier} | {show_thousandths(each.importance)} | {_life(each)} |"


def _life(each: ItemType) -> str:
    if each.ends_with_stage:
        return "ends with its task" + (f", at most {each.ttl_days} days" if each.ttl_days else "")
    return f"{each.ttl_days} days" if each.ttl_days else "–"


if __name__ == "__main__":
    PAGE.write_text(with_types(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
