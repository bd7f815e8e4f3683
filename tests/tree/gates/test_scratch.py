"""A scratch tree that holds one content after another, while Python keeps bytecode in it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from verifflowcc.base.git.git_versions import TreeFile
from verifflowcc.gates.store.scratch_tree import Scratch, scratch_environment, scratch_of


def become(scratch: Scratch, texts: Mapping[str, str]) -> None:
    """Make the tree hold these texts, which no repository has."""
    scratch.become({path: TreeFile("100644", "0" * 40) for path in texts}, {k: v.encode() for k, v in texts.items()})


def printed(scratch: Scratch, code: str) -> str:
    """What Python prints that may keep bytecode, as in a run of tests."""
    env = scratch_environment({"PATH": "/usr/bin:/bin"}, scratch, scratch.tree, [scratch.tree])
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=scratch.tree, env=env, capture_output=True, text=True, check=False
    )
    return (ran.stdout or ran.stderr.splitlines()[-1]).strip()


def test_bytecode_is_kept_and_never_that_of_another_content(tmp_path: Path) -> None:
    with scratch_of(tmp_path, None, {}) as scratch:
        become(scratch, {"price.py": "A = 1\n", "shop/__init__.py": "B = 1\n", "shop/sub/c.py": "C = 1\n"})
        assert printed(scratch, "import price, shop, shop.sub.c; print(price.A)") == "1"
        kept = list(scratch.tree.glob("__pycache__/price.*.pyc"))
        assert len(kept) == 1

        become(scratch, {"price.py": "A = 2\n", "shop/__init__.py": "B = 1\n"})  # as long, and written at once

        assert printed(scratch, "import price; print(price.A)") == "2"
        assert printed(scratch, "import shop.sub") == "ModuleNotFoundError: No module named 'shop.sub'"

        become(scratch, {"price.py": "A = 1\n"})

        assert printed(scratch, "import price; print(price.A)") == "1"
        assert printed(scratch, "import shop") == "ModuleNotFoundError: No module named 'shop'"
        assert sorted(path.name for path in scratch.tree.iterdir()) == ["__pycache__", "price.py"]


def test_files_that_a_run_left_are_gone_in_the_next_content(tmp_path: Path) -> None:
    with scratch_of(tmp_path, None, {}) as scratch:
        become(scratch, {"a/price.py": "A = 1\n"})
        for path in ("a/left.txt", "a/__pycache__/left.txt", "b/price.pyc"):
            (scratch.tree / path).parent.mkdir(exist_ok=True)
            (scratch.tree / path).write_text("left", "utf-8")

        become(scratch, {"a/price.py": "A = 1\n"})

        assert [path.relative_to(scratch.tree).as_posix() for path in scratch.tree.rglob("*")] == ["a", "a/price.py"]
