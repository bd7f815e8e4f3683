"""The backends without a server: all pass the one conformance suite, and do as a plain dictionary does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tree.backend_conformance import CASES, Case, Opener
from tests.tree.backend_model import does_as_a_dictionary
from tests.tree.backend_openers import Files, InMemory, Sqlite

OPENERS: dict[str, tuple[Callable[[Path], Opener], str]] = {
    "memory": (InMemory, "REQ-BACKEND-MEMORY"),
    "files": (Files, "REQ-BACKEND-FILES"),
    "sqlite": (Sqlite, "REQ-BACKEND-SQLITE"),
}
OF_EACH = [
    pytest.param(case, opener, id=f"{name}-{case.__name__}", marks=pytest.mark.vfcc(*requirements, own))
    for name, (opener, own) in OPENERS.items()
    for case, requirements in CASES.items()
]


@pytest.mark.points(4)
@pytest.mark.parametrize(("case", "opener"), OF_EACH)
def test_a_backend_conforms(case: Case, opener: Callable[[Path], Opener], tmp_path: Path) -> None:
    case(opener(tmp_path))


@pytest.mark.law
@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL")
@pytest.mark.parametrize("opener", [opener for opener, _ in OPENERS.values()], ids=list(OPENERS))
def test_a_backend_does_as_a_dictionary_does(opener: Callable[[Path], Opener], tmp_path: Path) -> None:
    does_as_a_dictionary(opener(tmp_path))
