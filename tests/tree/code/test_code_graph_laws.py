"""After any edits, moves, deletions, switches and changed ignore rules, the graph answers as one built from nothing."""

import os
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.tiers import count
from tests.tree.code_graph_world import BASE, MODELS, answers, clean, said
from tests.trees import git
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.store import code_graph as code_graph_merging
from verifflowcc.code.use.indexing import bring_up

NAMES = ("a.py", "b.py", "shapes/base.py", "shapes/models.py", "shapes/deep/c.py", "tool", "x.kt", "tests/test_a.py")
TEXTS = (
    MODELS,
    BASE,
    "",
    "def one():\n    two()\n",
    "def two():\n    one()\n",
    "#!/usr/bin/env python3\nimport shapes.base\n",
    "class Broken(\n",
    "fun shape() {}\n",
)
PATHS = st.sampled_from(NAMES)
BRANCHES = ("main", "other", "third")
IGNORED = ("", "*.py\n!a.py\n", "shapes/\n", "tool\nx.kt\n")


class Tree(RuleBasedStateMachine):
    """A real repository that people and tools change."""

    def __init__(self) -> None:
        super().__init__()
        self.scratch = Path(tempfile.mkdtemp(prefix="vfcc-code-"))
        self.root = self.scratch / "p"
        (self.root / ".memory" / "local").mkdir(parents=True)
        (self.root / ".git").parent.mkdir(exist_ok=True)
        git(self.root, "init", "--quiet", "--initial-branch", "main")
        (self.root / ".git" / "info").mkdir(exist_ok=True)
        (self.root / ".git" / "info" / "exclude").write_text(".memory/local/\n")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", "none")

    def teardown(self) -> None:
        shutil.rmtree(self.scratch)

    @rule(name=PATHS, text=st.sampled_from(TEXTS))
    def write(self, name: str, text: str) -> None:
        self.make_way(name)
        (self.root / name).write_text(text)

    @rule(name=PATHS)
    def edit_without_a_trace_in_time_and_size(self, name: str) -> None:
        path = self.root / name
        if path.is_file() and not path.is_symlink():
            found = path.stat()
            path.write_bytes(path.read_bytes().swapcase())
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))

    @rule(name=PATHS, to=PATHS)
    def rename(self, name: str, to: str) -> None:
        if (self.root / name).is_file() and name != to:
            self.make_way(to)
            (self.root / name).rename(self.root / to)

    @rule(name=PATHS)
    def delete(self, name: str) -> None:
        if os.path.lexists(self.root / name) and not (self.root / name).is_dir():
            (self.root / name).unlink()

    @rule(name=PATHS)
    def delete_folder(self, name: str) -> None:
        if "/" in name:
            shutil.rmtree((self.root / name).parent, ignore_errors=True)

    @rule(name=PATHS, to=PATHS)
    def link(self, name: str, to: str) -> None:
        self.make_way(name)
        (self.root / name).unlink(missing_ok=True)
        (self.root / name).symlink_to(self.root / to)

    @rule(rules=st.sampled_from(IGNORED))
    def ignore(self, rules: str) -> None:
        (self.root / ".gitignore").write_text(rules)

    @rule(message=st.sampled_from(["one", "two"]))
    def commit(self, message: str) -> None:
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", message)

    @rule(branch=st.sampled_from(BRANCHES), from_start=st.booleans())
    def switch(self, branch: str, from_start: bool) -> None:
        self.commit("before")
        known = git(self.root, "branch", "--format", "%(refname:short)").split()
        root = git(self.root, "rev-list", "--max-parents=0", "HEAD").split()[0]
        create = [] if branch in known else ["-c"]
        git(self.root, "switch", "--quiet", *create, branch, *([root] if create and from_start else []))

    @rule()
    def look(self) -> None:
        self.check()

    @rule()
    @precondition(lambda self: (self.root / ".git" / "refs").exists())
    def look_at_the_commit(self) -> None:
        here = Workspace(self.root)
        assert answers(here, commit="HEAD") == clean(here, self.scratch / "c.db", "HEAD")

    def check(self) -> None:
        here = Workspace(self.root)
        done = bring_up(here)
        with closing(done.code) as code:
            assert done.notices == ()
            assert said(code) == clean(here, self.scratch / "c.db")

    def make_way(self, name: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            path.unlink()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-GRAPH-UPDATE")
@pytest.mark.law
def test_after_any_changes_the_graph_is_that_of_a_clean_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))
    monkeypatch.setattr(code_graph_merging, "MOST_PARTS", 2)
    monkeypatch.setattr(code_graph_merging, "LARGE_PARTS", 0)
    monkeypatch.setattr(code_graph_merging, "MOST_DEAD", 2)
    run_state_machine_as_test(
        Tree,
        settings=settings(
            deadline=None, max_examples=count(40), stateful_step_count=20, suppress_health_check=list(HealthCheck)
        ),
    )
