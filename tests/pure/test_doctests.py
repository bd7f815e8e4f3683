"""The examples in docstrings are what the functions return."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import verifflowcc

PACKAGE = Path(verifflowcc.__file__).parent
SHOWING = sorted(path for path in PACKAGE.rglob("*.py") if "\n    >>> " in path.read_text(encoding="utf-8"))
CAPABILITIES = sorted({path.relative_to(PACKAGE).parts[0] for path in SHOWING})


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_examples_in_docstrings_are_true(capability: str) -> None:
    ran = 0
    for path in SHOWING:
        name = path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
        if path.relative_to(PACKAGE).parts[0] == capability:
            outcome = doctest.testmod(import_module(name), report=False)
            assert outcome.failed == 0, name
            ran += outcome.attempted

    assert ran
