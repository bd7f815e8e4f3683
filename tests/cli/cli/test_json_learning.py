"""The shapes of the JSON of `vfcc memory ingest|inbox|reject`: what is learned, and what a person says.

As in `test_json.py`, the shapes are in `golden/`, and the schemas in docs/reference/schemas say what the keys mean.
"""

import json
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.cli.test_json_gates import Asked
from tests.cli.process import vfcc
from tests.cli.shapes import promised, shape
from tests.secret_samples import TOKEN
from tests.trees import write_memory, write_tree

pytestmark = pytest.mark.vfcc("REQ-JSON")
TALK = f"""\
# Session 1 (2026-11-02)

You: From now on, always start function names with 'a_'.

# Session 2 (2026-11-09)

You: Please start function names with 'b_' instead. Thanks!

You: The key of the bot is {TOKEN}.
"""
HELD = "---\nid: held\ntype: fact\nkey: client\n---\nThe client is Acme.\n"
ASKED = """---
id: asked
type: fact
key: client
status: pending
links: [{to: held, relation: supersedes}]
source: {kind: extracted, actor: "agent:coder", session: s1, origin: "talk.md@0", turn: "1"}
details: {scope: b}
---
The client is Beta.
"""
INGEST = "memory ingest talk.md"

LEARNED = {
    "memory_ingest": Asked(INGEST, person=True),
    "memory_forget_source": Asked("memory forget --source talk.md --yes", (INGEST,), person=True),
    "memory_inbox": Asked("memory inbox"),
    "memory_reject": Asked("memory reject asked --reason no", person=True),
}


def answer(root: Path, asked: Asked) -> str:
    """Return what the command prints with `--json` where one item waits."""
    write_tree(root, {"talk.md": TALK})
    write_memory(
        root,
        {
            "project/items/fact/held.md": HELD,
            "project/items/fact/asked.md": ASKED,
        },
    )
    for line in (*asked.before, asked.line):
        words = [*line.split(), "--json"]
        done = typed(root, *words) if asked.person else vfcc(root, *words)
        assert done.code == 0, done
    return done.out


@pytest.mark.points(2)
@pytest.mark.parametrize("name", LEARNED)
def test_the_shape_is_the_one_that_is_promised(young: Path, name: str) -> None:
    value = json.loads(answer(young, LEARNED[name]))["data"]

    assert shape(value) == promised(name)
