"""A real team's decision records, read where they are present; skipped by name where they are not."""

import os
from collections import Counter
from pathlib import Path

import pytest

from verifflowcc.base.model.item_values import Item
from verifflowcc.items.store.item_edits import parse_item
from verifflowcc.memory.rules.superseded import excluded_items, superseded

DATA = Path(os.environ.get("VFCC_DATA") or Path(__file__).parents[3].parent / "shared" / "data")
RECORDS = DATA / "cloud-platform-adrs" / "architecture-decision-record"
FOLDER = ".memory/project/decisions"

pytestmark = pytest.mark.skipif(not RECORDS.is_dir(), reason="the data cloud-platform-adrs is not here (VFCC_DATA)")


def items() -> dict[str, Item]:
    found = [parse_item(f"{FOLDER}/{path.name}", path.read_bytes()) for path in sorted(RECORDS.glob("*.md"))]
    assert [notice for each in found for notice in each.notices] == []
    return {each.item.path.removeprefix(f"{FOLDER}/"): each.item for each in found}


def test_all_but_the_index_are_decisions_with_a_date_and_a_number() -> None:
    records = items()

    assert Counter(item.type for item in records.values()) == {"decision": 49, "note": 1}
    assert records.pop("README.md").type == "note"
    assert all(item.recency.kind == "date" for item in records.values())
    assert all(item.decision and item.decision.number == int(name[:3]) for name, item in records.items())
    assert not any(item.title[:1].isdigit() for item in records.values())


def test_days_come_first_in_their_dates() -> None:
    records = items()

    dates = {name[:3]: item.recency.value for name, item in records.items()}
    assert (dates["001"], dates["004"], dates["006"]) == ("2018-02-05", "2018-04-10", "2018-04-09")
    assert (dates["021"], dates["049"]) == ("2021-05-11", "2026-06-05")


def test_their_statuses_are_understood() -> None:
    said = Counter(str(item.decision.status) for item in items().values() if item.decision)

    assert said == {"accepted": 34, "proposed": 8, "rejected": 2, "superseded": 1, "None": 4}


def test_the_superseded_and_the_rejected_do_not_stand() -> None:
    records = list(items().values())

    assert excluded_items(records).left_out == {
        f"{FOLDER}/018-Dedicated-Ingress-Controllers.md": "rejected; see 019-Shared-Ingress-Controllers.md",
        f"{FOLDER}/021-Multi-cluster.md": f"superseded by {FOLDER}/036-multi-cluster.md",
        f"{FOLDER}/037-serverless.md": "rejected",
    }
    assert superseded(records).notices == ()
