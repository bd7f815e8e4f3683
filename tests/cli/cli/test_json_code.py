"""The shapes of the JSON of `vfcc code …`, in a project with code, a trace and a memory that speak of it.

As in `test_json.py`, the shapes are in `golden/`, and the schemas in docs/reference/schemas say what the keys mean.
"""

import json
from pathlib import Path

import pytest

from tests.cli.cli.test_json_gates import Asked
from tests.cli.code_world import touched
from tests.cli.process import vfcc
from tests.cli.shapes import promised, shape

pytestmark = pytest.mark.vfcc("REQ-JSON")

CODED = {
    "code_index": Asked("code index"),
    "code_status": Asked("code status"),
    "code_find": Asked("code find summary"),
    "code_file": Asked("code file gauges/station.py"),
    "code_refs": Asked("code refs alarm"),
    "code_map": Asked("code map --budget 60"),
    "code_context": Asked("code context alarm --budget 45"),
    "code_impact": Asked("code impact gauges/station.py"),
}


def answer(root: Path, asked: Asked) -> str:
    """Return what the command prints with `--json` in the project at `root`."""
    done = vfcc(root, *asked.line.split(), "--json")
    assert done.code == 0, done
    return done.out


@pytest.mark.points(4)
@pytest.mark.parametrize("name", CODED)
def test_the_shape_is_the_one_that_is_promised(code: Path, name: str) -> None:
    value = json.loads(answer(touched(code), CODED[name]))["data"]

    assert shape(value) == promised(name)


@pytest.mark.parametrize("kind", ["callees", "imports", "imported-by", "inherits", "uses"])
def test_each_kind_of_reference_has_the_same_keys(code: Path, kind: str) -> None:
    symbol = "gauges/station.py" if kind.startswith("import") else "Station"
    value = json.loads(answer(code, Asked(f"code refs {symbol} --kind {kind} --full")))["data"]

    assert set(value) == set(promised("code_refs")) | {"more"}
    keys = {"path", "line", "module", "name", "alias", "files", "symbol_number", "symbol"}
    assert all(set(each) == keys for each in value["imports"])
