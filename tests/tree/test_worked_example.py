"""The worked example is what the program writes."""

from pathlib import Path

import pytest

from tests.example_history import committed, made_again


@pytest.mark.sweep
def test_the_examples_ledger_is_what_the_program_writes(tmp_path: Path) -> None:
    assert made_again(tmp_path) == committed()
