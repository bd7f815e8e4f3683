"""The shapes of what `check memory`, `migrate`, `memory export` and `memory import` print with `--json`."""

from pathlib import Path

import pytest

from tests.cli.process import Ran, vfcc
from tests.cli.shapes import promised, shape
from tests.memory_faults import item
from tests.trees import write_memory, write_tree

pytestmark = pytest.mark.vfcc("REQ-JSON")
EXCHANGED = {
    "check_memory": ("check memory", 1),
    "memory_export": ("memory export", 1),
    "memory_import": ("memory import rows.jsonl --skip-broken", 1),
    "migrate": ("migrate --dry-run", 0),
}


@pytest.fixture
def project(young: Path) -> Path:
    config = (young / ".memory/config.yaml").read_text(encoding="utf-8").replace("\nformat: 2\n", "\n")
    write_tree(young, {"rows.jsonl": '{"content": "Said."}\n{\n'})
    return write_memory(
        young,
        {
            "config.yaml": config,
            "project/retrospectives/gone.md": "x\n",
            "project/items/fact/a.md": item("a", "importance: 9"),
            "project/items/fact/b.md": b"\xff",
        },
    )


def answer(folder: Path, name: str) -> Ran:
    words, code = EXCHANGED[name]
    done = vfcc(folder, *words.split(), "--json")
    assert done.code == code, done
    return done


@pytest.mark.points(3)
@pytest.mark.parametrize("name", EXCHANGED)
def test_the_shape_is_the_one_that_is_promised(project: Path, name: str) -> None:
    value = answer(project, name).data

    assert shape(value) == promised(name)
