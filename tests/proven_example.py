"""Make the example of `vfcc init --example` again: `python -m tests.proven_example` writes `templates/example/`.

A person plays the sprint with the real program outside of git, and its tests run. The texts are kept; the ledger, the
evidence and the results are new.
"""

import shutil
import tempfile
from pathlib import Path

from tests.cli.at_terminal import typed
from verifflowcc.sprint.store.workflow_load import templates_folder

SHIPPED = templates_folder() / "example"
MADE = ("sprint/*/events/*", "stage/*/*/evidence/*", "stage/*/*/results/*", "agent/*/tools.yaml", "sprint/*/goals.md")
"""What the moves make; all else is text."""
START = ("sprint", "start", "Prices in cents", "--goal", "Prices are exact to the cent", "--workflow", "example")
MOVES = (START, *[("stage", "advance")] * 3, ("evidence", "run"), ("stage", "advance"))


def play(root: Path) -> None:
    """Play the sprint in `root`, beginning with the shipped texts."""
    for part, target in (("memory", root / ".memory"), ("project", root)):
        for path in sorted((SHIPPED / part).rglob("*")):
            name = path.relative_to(SHIPPED / part)
            if path.is_file() and not any(name.match(pattern) for pattern in MADE):
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target / name.as_posix().removesuffix(".txt"))
    (root / ".memory" / ".gitignore").write_text("local/\n", encoding="utf-8")
    for move in (("allow", "--yes"), *MOVES):
        done = typed(root, *move)
        assert done.code == 0, (move, done)


def main() -> None:
    """Play the sprint in a temporary folder, and put what it made in the place of what is shipped."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "shop")
        root.mkdir()
        play(root)
        for pattern in MADE:
            for old in (SHIPPED / "memory").glob(pattern):
                old.unlink()
            for new in (root / ".memory").glob(pattern):
                target = SHIPPED / "memory" / new.relative_to(root / ".memory")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(new, target)


if __name__ == "__main__":
    main()
