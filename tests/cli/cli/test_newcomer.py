"""The first five minutes, counted: two commands and sixty typed characters lead to a prompt."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.process import git
from tests.trees import write_tree

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.sweep
def test_a_newcomer_types_at_most_sixty_characters_until_the_first_prompt(tmp_path: Path) -> None:
    source = tmp_path / "shop"
    write_tree(source, {"shop.py": "def price(): ...\n", "tests/test_shop.py": "def test_price(): ...\n"})
    git(source, "init", "-q")
    git(source, "add", ".")
    git(source, "commit", "-q", "-m", "shop")

    counted = subprocess.run(
        [sys.executable, "benchmarks/newcomer.py", "--json", "--data", str(source)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    (found,) = json.loads(counted.stdout)
    assert found["commands"] <= 5
    assert found["typed"] <= 60
    assert found["answers"] == 4
    assert "## Current Sprint" in found["prompt_sections"]
