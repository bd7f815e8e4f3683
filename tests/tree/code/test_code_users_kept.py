"""Callers and users that are kept: after any edit they are, and what a change reaches is, as where nothing was kept."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from tests.tree.code_graph_world import project
from tests.trees import write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules import bind_queries
from verifflowcc.code.rules.affected_tests import reached_tests
from verifflowcc.code.rules.bind_queries import callers
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.changed_code import Node, Reach, reach_of
from verifflowcc.code.rules.code_views import AffectedTest
from verifflowcc.code.rules.graph import ReferenceLink
from verifflowcc.code.store import code_graph as code_graph_merging
from verifflowcc.code.store.code_graph import StoredCode
from verifflowcc.code.use.indexing import open_code

pytestmark = pytest.mark.vfcc("REQ-GRAPH-UPDATE")

BASE = ("class Base:\n    def save(self): ...\n    def load(self): ...\n", "class Base:\n    def load(self): ...\n")
TEXTS = {
    "base.py": (*BASE, "from other import Other as Base\n", "limit = 1\n\n\n" + BASE[0], ""),
    "other.py": (
        "class Other:\n    def save(self): helper()\n\n\ndef helper(): ...\n",
        "from base import *\n\n\ndef helper(thing):\n    thing.save()\n",
        "def helper(): ...\n\n\nclass Another:\n    def store(self): helper()\n",
    ),
    "shapes.py": (
        "from base import Base\n\n\nclass Shape(Base):\n    def draw(self):\n        self.save()\n",
        "import base\n\n\nclass Shape(base.Base):\n    def draw(self):\n        self.load()\n        self.store()\n",
        "from other import helper as save\n\n\nclass Shape:\n    def draw(self):\n        save()\n",
        (
            "from base import Base\nfrom other import Other\n\n\nclass Shape(Base, Other):\n"
            "    def draw(self) -> Base:\n        x = Base()\n        x.save()\n        return x\n"
        ),
    ),
    "use.py": (
        "from shapes import Shape\n\n\ndef run():\n    Shape().draw().save()\n\n\ndef go():\n    run()\n",
        "from shapes import *\n\n\ndef run(shape: Shape):\n    shape.draw()\n    shape.save()\n",
        "\n\nfrom shapes import Shape\n\n\ndef run():\n    Shape().draw().save()\n",
        "def run(thing):\n    thing.store()\n    thing.load()\n",
    ),
    "tests/test_use.py": (
        "from use import run\n\n\ndef test_run():\n    run()\n",
        "import use\nfrom shapes import Shape\n\n\ndef test_run():\n    use.run(Shape())\n    Shape().load()\n",
    ),
    "tests/common.py": (
        "class Common:\n    def test_draw(self):\n        save()\n",
        "class Common:\n    def test_save(self):\n        load()\n\n    def test_load(self): ...\n",
    ),
    "tests/test_shapes.py": (
        "from tests.common import Common\nimport shapes\n\n\nclass T(Common):\n    def test_go(self):\n        go()\n",
        "from shapes import Shape\n\n\nclass ShapeTest:\n    def test_go(self):\n        store()\n",
    ),
    "app.ts": (
        "export function draw() { save() }\nexport function save() {}\n",
        "import {draw} from './lib'\ndraw()\n",
    ),
    "lib.ts": ("export {draw} from './app'\n", "export function draw() {}\n"),
    "Run.java": ("class Run { void go() { helper(); } void helper() {} }\n", "class Run { void helper() {} }\n"),
}
EDITS = st.lists(
    st.one_of([st.tuples(st.just(path), st.sampled_from(texts)) for path, texts in TEXTS.items()]), max_size=6
)


def nodes_of(code: StoredCode) -> list[Node]:
    return [(path, place) for path in code.files for place in range(len(code.head(path).definitions))]


Answers = tuple[Reach, list[ReferenceLink], tuple[AffectedTest, ...]]


def reached(code: StoredCode, nodes: Sequence[Node]) -> list[Answers]:
    """Return what each definition reaches, what calls it and its tests, with what is kept; keep what was found."""
    kept = code.answers_kept()
    found = []
    for node in nodes:
        binder = Binder(code)
        binder.names.keep_in(kept)
        found.append(asked(binder, code, node))
    kept.save()
    return found


def asked(binder: Binder, code: StoredCode, node: Node) -> Answers:
    reach = reach_of(binder, [node])
    return reach, list(callers(binder, *node)), reached_tests(binder, code, [node], reach)


@given(EDITS)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_a_change_reaches_what_calls_it_and_its_tests_are_the_same_with_what_was_kept_before_any_edits(
    edits: Sequence[tuple[str, str]],
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(code_graph_merging, "MOST_PARTS", 4)
        patch.setattr(code_graph_merging, "LARGE_PARTS", 1)
        patch.setattr(bind_queries, "HUB", 1)
        root = Path(folder)
        here = project(root, {path: texts[0] for path, texts in TEXTS.items()})
        for edit in [None, *edits]:
            if edit is not None:
                write_tree(root, dict([edit]))
            with open_code(here) as code:
                nodes = nodes_of(code)
                plain = [asked(Binder(code), code, node) for node in nodes]
                assert reached(code, nodes) == plain
            with open_code(here) as code:
                assert reached(code, nodes) == plain


PAIRS = {
    "one.py": "def one(): ...\n",
    "uses_one.py": "from one import one\n\n\ndef two():\n    one()\n",
    "three.py": "def three(): ...\n",
    "uses_three.py": "from three import three\n\n\ndef four():\n    three()\n",
}


def known(here: Workspace, *paths: str) -> list[list[str] | None]:
    """Return the files of the known users of the first definition of some files; None where they are not known."""
    with open_code(here) as code:
        kept = code.answers_kept()
        found = [kept.recall(f"users 0 0 {path}") for path in paths]
        return [None if each is None else each[0][0][0] for each in found]


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    workspace = project(tmp_path, PAIRS)
    with open_code(workspace) as code:
        reached(code, nodes_of(code))
    return workspace


def test_users_are_known_the_next_time(here: Workspace) -> None:
    assert known(here, "one.py", "three.py") == [["uses_one.py"], ["uses_three.py"]]


@pytest.mark.parametrize(
    "edit",
    [
        {"uses_three.py": "from three import three\n\n\ndef four(): ...\n"},
        {"three.py": "def three(): return 1\n"},
        {"uses_three.py": "from three import three as other\n\n\ndef four():\n    other()\n"},
    ],
)
def test_an_edit_costs_the_users_that_rest_on_it_alone(here: Workspace, edit: Mapping[str, str]) -> None:
    write_tree(here.root, edit)

    assert known(here, "one.py", "three.py") == [["uses_one.py"], None]


def test_users_outlive_states_in_which_they_were_asked_for(here: Workspace) -> None:
    for number in range(20):
        write_tree(here.root, {"three.py": f"def three(): return {number}\n"})
        with open_code(here) as code:
            reached(code, [("one.py", 0)])

    assert known(here, "one.py") == [["uses_one.py"]]


def test_a_file_more_or_less_costs_all_users(here: Workspace) -> None:
    write_tree(here.root, {"five.py": "x = 1\n"})

    assert known(here, "one.py", "three.py") == [None, None]


def test_damaged_users_are_sought_again(here: Workspace) -> None:
    with open_code(here) as code:
        code._store.let_go()
        code._store.rows("UPDATE answers SET body = x'00' || body")

    assert known(here, "one.py") == [None]
    with open_code(here) as code:
        assert [each.path for each in reached(code, [("one.py", 0)])[0][0].found] == ["uses_one.py"]
    assert known(here, "one.py") == [["uses_one.py"]]
