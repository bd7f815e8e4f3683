"""Which tests an item's patterns name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.formats.trace_tests import TestNames, fits

A, B, C = "tests/a.py::test_x", "tests/a.py::TestForm.test_y", "tests/deep/b.py::test_x"
JAVA = "com.acme.FormTest.testTimeout"
NAMES = TestNames([A, B, C, JAVA])


@pytest.mark.parametrize(
    ("pattern", "tests"),
    [
        ("tests/a.py", (B, A)),
        ("./tests/a.py", (B, A)),
        ("tests/a.py::test_x", (A,)),
        ("tests/a.py::test_x[chromium]", (A,)),
        ("tests/a.py::TestForm", (B,)),
        ("tests/a.py::TestForm::test_y", (B,)),
        ("tests/a.py::TestForm.test_*", (B,)),
        ("tests/a.py::*", (B, A)),
        ("tests/**::test_?", (A, C)),
        ("tests/", (B, A, C)),
        ("tests/*.py", (B, A)),
        ("com.acme.FormTest", (JAVA,)),
        (JAVA, (JAVA,)),
        ("com.acme.Form", ()),
        ("tests/a.py::test", ()),
        ("tests/a.py::Test", ()),
        ("tests/c.py", ()),
        ("", ()),
    ],
)
def test_a_pattern_names_tests(pattern: str, tests: tuple[str, ...]) -> None:
    assert NAMES.named_by(pattern) == tests


def test_several_patterns_name_each_test_once() -> None:
    assert NAMES.named(["tests/a.py", "tests/a.py::test_x", "tests/deep/**"]) == (B, A, C)


TEXT = st.text(alphabet="ab*?[]:./(\\", max_size=8)


@settings(deadline=None)
@given(st.lists(TEXT, max_size=4), TEXT)
def test_any_text_is_a_pattern(tests: list[str], pattern: str) -> None:
    assert set(TestNames(tests).named_by(pattern)) <= set(tests)


@given(st.text(alphabet="abc._", min_size=1, max_size=8))
def test_a_name_without_wild_letters_fits_itself_and_what_stands_in_it(name: str) -> None:
    assert fits(name, name)
    assert fits(name, f"{name}.more")
    assert not fits(name, f"{name}more")


def test_many_stars_take_no_longer_than_one() -> None:
    assert not fits("*a" * 12, "a" * 200 + "b")
