"""Small repositories for the code graph, and all that the graph says of one."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.trees import write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.store.code_graph import StoredCode
from verifflowcc.code.use.indexing import bring_up

MODELS = """\
import os
from .base import Base, limit as most


class Shape(Base):
    area: int = 0

    def scaled(self, factor: float) -> "Shape":
        return Shape(self.area * factor)


def all_shapes(folder):
    return [Shape(name) for name in os.listdir(folder)][:most]
"""
BASE = """\
limit = 7


class Base:
    def save(self):
        write(self)


def write(thing):
    print(thing, limit)
"""
FILES = {
    "shapes/__init__.py": "",
    "shapes/base.py": BASE,
    "shapes/models.py": MODELS,
    "tests/test_shapes.py": "from shapes.models import Shape\n\n\n"
    "def test_it():\n    assert Shape(1).scaled(2).area == 2\n",
    "tool": "#!/usr/bin/env python3\nfrom shapes.models import all_shapes\n\nprint(all_shapes('.'))\n",
    "notes.md": "# Shapes\n",
    "main.kt": "fun main() { println(shape) }\n",
}


def project(root: Path, files: Mapping[str, str | bytes] = FILES) -> Workspace:
    """Make a project of some files, without git."""
    (root / ".memory").mkdir(parents=True)
    write_tree(root, files)
    return Workspace(root)


def said(code: StoredCode) -> dict[str, Any]:
    """Return everything that the graph answers."""
    files = dict(code.files)
    heads = {path: code.head(path) for path in files}
    references = {path: code.references(path) for path in files}
    names = {each.name for head in heads.values() for each in head.definitions}
    names |= {each.name for head in heads.values() for each in head.imports}
    names |= {each.name for listed in references.values() for each in listed}
    modules = {each.module.strip(".").rpartition(".")[2] for head in heads.values() for each in head.imports}
    words = ["shape", "area", "factor", "limit", "write", "println", "shape", "thing", *sorted(names)]
    return {
        "files": files,
        "heads": heads,
        "references": references,
        "defining": {name: code.defining(name) for name in names},
        "referring": {name: code.referring(name) for name in names},
        "importing": {name: code.importing(name) for name in names | modules},
        "postings": code.postings(words),
        "lengths": code.lengths(),
        "imports": code.imports(),
        "names": code.names_like(""),
    }


def answers(workspace: Workspace, index: Path | None = None, commit: str | None = None) -> dict[str, Any]:
    """Bring the graph up, and return everything that it answers."""
    with closing(bring_up(workspace, index=index, commit=commit).code) as code:
        return said(code)


def clean(workspace: Workspace, scratch: Path, commit: str | None = None) -> dict[str, Any]:
    """Return what a graph that is built from nothing answers."""
    for path in scratch.parent.glob(f"{scratch.name}*"):
        path.unlink()
    return answers(workspace, scratch, commit)
