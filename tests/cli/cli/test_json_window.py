"""The shapes of the JSON of `vfcc window …`.

As in `test_json.py`, the shapes are in `golden/`, and the schemas in docs/reference/schemas say what the keys mean.
"""

from pathlib import Path

import pytest

from tests.cli.cli.test_json_gates import Asked
from tests.cli.process import vfcc
from tests.cli.shapes import promised, shape

pytestmark = pytest.mark.vfcc("REQ-JSON")
BEGIN = "window add Help --type system_prompt --session s1"
CODE = "window add code --type code_snippet --file a.py --lines 1-2 --task login"
FILLED = (BEGIN, "window add Hello", CODE)

WINDOWED = {
    "window_show": Asked("window show", FILLED),
    "window_add": Asked(CODE, (BEGIN,)),
    "window_prune": Asked("window prune --force", FILLED),
    "window_snapshots": Asked("window snapshots", (*FILLED, "window prune --force")),
    "window_restore": Asked("window restore 0", FILLED),
}


@pytest.mark.points(2)
@pytest.mark.parametrize("name", WINDOWED)
def test_the_shape_is_the_one_that_is_promised(young: Path, name: str) -> None:
    asked = WINDOWED[name]
    for line in (*asked.before, asked.line):
        done = vfcc(young, *line.split(), "--json")
        assert done.code == 0, done

    assert shape(done.data) == promised(name)
