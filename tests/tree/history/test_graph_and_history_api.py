"""The code graph and the history from Python, by the names of the fifth record."""

import json
from pathlib import Path

import pytest

from tests.trees import write_memory, write_tree
from verifflowcc.base.errors import UsageError, VfccError
from verifflowcc.code.use.graph_questions import KnowledgeGraph
from verifflowcc.history.rules.agent_history import Operation, SnapshotReason, WindowPart, WindowSnapshot
from verifflowcc.history.use.episodic_memory import EpisodicMemory

pytestmark = pytest.mark.vfcc("REQ-GRAPH-API")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write_memory(tmp_path, {"config.yaml": "format: 2\n"})
    return write_tree(
        tmp_path,
        {
            "shop/prices.py": "def vat(cents):\n    return cents\n",
            "shop/basket.py": "from shop.prices import vat\n\n\ndef pay(cents):\n    return vat(cents)\n",
        },
    )


def test_the_graph_answers_by_the_names_of_the_record(shop: Path) -> None:
    graph = KnowledgeGraph(shop)

    assert [each.name for each in graph.get_file_contents("shop/prices.py").symbols] == ["vat"]
    assert [each.symbol for each in graph.get_callers("vat").symbols[0].links] == ["pay"]
    assert [each.files for each in graph.get_dependencies("shop/basket.py").imports] == [("shop/prices.py",)]
    assert graph.find_symbol("pay").found[0].path == "shop/basket.py"
    with pytest.raises(VfccError, match="nothing here is called tax"):
        graph.find_symbol("tax")


def test_what_a_program_records_is_in_the_history(shop: Path) -> None:
    memory = EpisodicMemory(shop)

    memory.record_file_interaction("s-1", "login", "./shop/prices.py", "read", "Lines 1-2", lines=(1, 2))
    memory.record_file_interaction("s-1", None, str(shop / "shop/prices.py"), Operation.EDIT, success=False)
    seen = memory.file_interactions("shop/prices.py")

    assert {(each.operation, each.task, each.lines, each.success, each.context) for each in seen} == {
        (Operation.READ, "login", (1, 2), True, "Lines 1-2"),
        (Operation.EDIT, None, None, False, ""),
    }
    assert memory.find_similar_tasks("login") == ()
    with pytest.raises(UsageError, match="'viewed' is no operation on a file"):
        memory.record_file_interaction("s-1", None, "a.py", "viewed")
    with pytest.raises(UsageError, match="a session has a printable name"):
        memory.record_file_interaction("", None, "a.py", "read")


def test_a_snapshot_is_stored_without_secrets(shop: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    part = WindowPart("i-1", "code_snippet", 120, 400)
    EpisodicMemory(shop).store_snapshot(
        WindowSnapshot("2026-11-24T00:00:00Z", "s-1", SnapshotReason.PRUNING, (), 0, (part,), f"fix {token}")
    )
    lines = [json.loads(line) for file in shop.rglob("*.jsonl") for line in file.read_text().splitlines()]

    assert [(each["kind"], each["pruned"][0]["id"]) for each in lines] == [("window_snapshot", "i-1")]
    assert token not in json.dumps(lines)
