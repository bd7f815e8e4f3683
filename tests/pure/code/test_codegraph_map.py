"""A map of a repository: within its tokens, the same for the same code, and more with more tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.code_searched import Searched
from verifflowcc.code.rules.repository_map import MapText, file_order, graph_of, map_of

TEXTS = {
    "core/base.py": (
        "class Base:\n    def run(self):\n        pass\n\n    def _inner(self):\n        pass\n\n\n"
        "def make(x: int) -> Base:\n    return Base()\n"
    ),
    "core/a.py": "from core.base import Base, make\n\n\nclass A(Base):\n    def run(self):\n        make(1)\n",
    "core/b.py": "from core.base import make\n\n\ndef b():\n    make(2)\n",
    "tests/test_a.py": "from core.a import A\n\n\ndef test_a():\n    A().run()\n",
    "alone.go": "package alone\n\nfunc Alone() {}\n",
}


def words(text: str) -> int:
    return len(text.split())


def mapped(code: Searched, budget: int) -> MapText:
    return map_of(code, graph_of(code), budget, words)


@pytest.fixture(scope="module")
def code() -> Searched:
    return Searched(TEXTS, {"tests/test_a.py"})


@pytest.mark.vfcc("REQ-CODE-MAP")
def test_what_others_lean_on_comes_first_and_what_is_marked_last(code: Searched) -> None:
    order = file_order(code, graph_of(code))

    assert order[0] == "core/base.py"
    assert order[-1] == "tests/test_a.py"
    assert mapped(code, 1).text == "core/base.py\n"
    assert mapped(code, 4).text == "core/base.py\n  1: class Base\n"


@pytest.mark.vfcc("REQ-CODE-MAP")
def test_with_room_enough_all_is_on_it_by_path_and_line(code: Searched) -> None:
    found = mapped(code, 10_000)

    assert (found.files, found.symbols) == (5, 9)
    assert [line for line in found.text.splitlines() if line[0] != " "] == sorted(TEXTS)
    assert "core/base.py\n  1: class Base\n    2: def run(self)\n    5: def _inner(self)\n  9: def make" in found.text


@pytest.mark.vfcc("REQ-CODE-MAP")
@given(st.integers(0, 120), st.integers(0, 120))
def test_it_keeps_to_its_tokens_and_shows_no_less_with_more(one: int, other: int) -> None:
    code = Searched(TEXTS, {"tests/test_a.py"})
    small, large = (mapped(code, budget) for budget in sorted((one, other)))

    assert small.tokens == words(small.text) <= min(one, other)
    assert set(small.text.splitlines()) <= set(large.text.splitlines())
    assert small.symbols <= large.symbols
    assert small.files <= large.files


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from([f"m{n}.py" for n in range(6)]), st.sampled_from(list(TEXTS.values()))), st.data()
)
def test_the_order_in_which_files_are_named_is_of_no_consequence(texts: dict[str, str], data: st.DataObject) -> None:
    shuffled = {path: texts[path] for path in data.draw(st.permutations(sorted(texts)))}
    budget = data.draw(st.integers(0, 60))

    assert mapped(Searched(texts), budget) == mapped(Searched(shuffled), budget)


def test_a_repository_without_files_has_an_empty_map() -> None:
    assert mapped(Searched({}), 100) == MapText("", 0, 0, 0)
