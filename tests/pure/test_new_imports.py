"""Test files that cannot be loaded without a change."""

import pytest

from verifflowcc.gates.rules.change_parts import FileChange
from verifflowcc.gates.rules.hunks import TestFile
from verifflowcc.gates.rules.new_imports import cannot_load, none_loads

BEFORE = b"import os\n\n\nclass Shop: ...\n\n\nif os.name:\n    RATE = 1\n"
AFTER = BEFORE + b"\n\ndef tax(): ...\n"


@pytest.mark.parametrize(
    ("test", "lost"),
    [
        (b"from shop import tax", True),
        (b"from shop import Shop, tax as t\n\n\ndef test_a(): ...", True),
        (b"from new import anything", True),
        (b"import new", True),
        (b"from shop import Shop, RATE, os", False),
        (b"import shop", False),
        (b"from shop import sub", False),
        (b"from .shop import tax", False),
        (b"try:\n    from shop import tax\nexcept ImportError:\n    tax = None", False),
        (b"def test_a():\n    from shop import tax", False),
        (b"from other import tax", False),
        (b"from (", False),
    ],
)
def test_a_file_cannot_be_loaded_where_it_imports_what_only_the_change_has(test: bytes, lost: bool) -> None:
    assert cannot_load(test, {"shop": (BEFORE, AFTER), "new": (None, b"anything = 1")}) is lost


@pytest.mark.parametrize("made", [b"def __getattr__(name): ...\n", b"globals()['tax'] = 1\n", b"from os import *\n"])
def test_a_module_that_may_make_names_has_any(made: bytes) -> None:
    assert not cannot_load(b"from shop import tax", {"shop": (made, AFTER)})


def test_a_package_that_gives_way_to_a_module_is_the_same_module() -> None:
    moved = [FileChange("src/shop.py", None, AFTER), FileChange("src/new.py", None, AFTER)]
    texts = {"a.py": b"from new import tax", "b.py": b"from shop import Shop"}

    assert none_loads([TestFile("a.py")], texts, moved, ["src"])
    assert not none_loads(
        [TestFile("a.py"), TestFile("b.py")], texts, [FileChange("src/shop.py", BEFORE, AFTER)], ["src"]
    )
    assert not none_loads([TestFile("b.py")], texts, [FileChange("src/shop/__init__.py", None, AFTER)], ["src"])
