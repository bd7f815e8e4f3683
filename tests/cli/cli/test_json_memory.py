"""The shapes of the JSON of `vfcc memory add|list|show|edit|link|forget|move|promote|stats|copy`.

As in `test_json.py`, the shapes are in `golden/`, and the schemas in docs/reference/schemas say what the keys mean.
"""

import json
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.cli.test_json_gates import Asked
from tests.cli.process import git, vfcc
from tests.cli.shapes import promised, shape
from tests.trees import write_memory

pytestmark = pytest.mark.vfcc("REQ-JSON")
OLD = """---
id: old
type: fact
title: Old
key: client
links: [{to: other, relation: depends_on}]
refs: [{path: a.py, symbol: f}]
source: {kind: explicit, actor: "human:You", project: x@1}
created: 2026-01-01
tags: [a]
details: {scope: b}
uses: {count: 2, last: 2026-01-02}
---
It was so.
"""
OTHER = (
    "---\nid: other\ntype: fact\nlinks: [{to: old, relation: supersedes}, {to: gone, relation: caused_by}]\n---\nNew.\n"
)

REMEMBERED = {
    "memory_add": Asked("memory add fact Said --key said --expires 2999-01-01", person=True),
    "memory_list": Asked("memory list --all"),
    "memory_show": Asked("memory show other"),
    "memory_search": Asked("memory search new --all"),
    "memory_edit": Asked("memory edit other --importance 0.9 --tag b", person=True),
    "memory_link": Asked("memory link other contradicts old", person=True),
    "memory_forget": Asked("memory forget old --yes", person=True),
    "memory_move": Asked("memory move other --to user --type goal", person=True),
    "memory_promote": Asked("memory promote other --to user --type goal", person=True),
    "memory_stats": Asked("memory stats"),
    "memory_copy": Asked("memory copy --scope project --from files --to sqlite", person=True),
}


def answer(root: Path, asked: Asked) -> str:
    """Return what the command prints with `--json` in a repository with two items."""
    write_memory(root, {"project/items/fact/old.md": OLD, "project/items/fact/other.md": OTHER})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    words = [*asked.line.split(), "--json"]
    done = typed(root, *words) if asked.person else vfcc(root, *words)
    assert done.code == asked.code, done
    return done.out


@pytest.mark.points(2)
@pytest.mark.parametrize("name", REMEMBERED)
def test_the_shape_is_the_one_that_is_promised(young: Path, name: str) -> None:
    value = json.loads(answer(young, REMEMBERED[name]))["data"]

    assert shape(value) == promised(name)
