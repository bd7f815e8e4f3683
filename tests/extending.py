"""The patches of `docs/how-to/extend.md`: each is a `diff` fence, and the `python` fence after it shows that it works.

    python -m tests.extending       # write the patches again after the lines around them changed, or files moved

A patch whose files have new names needs these names in the page first.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import verifflowcc

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "extend.md"
PACKAGE = Path(verifflowcc.__file__).parent
_SECTION = re.compile(
    r"^## (?P<title>.+?)$.*?^```diff\n(?P<patch>.*?)^```$.*?^```python\n(?P<program>.*?)^```$", re.M | re.S
)


@dataclass(frozen=True)
class Change:
    """One section of the page: its title, its patch, and the program that runs after it."""

    title: str
    patch: str
    program: str

    @property
    def files(self) -> list[str]:
        """The files that the patch changes or makes, from the top of the repository."""
        return re.findall(r"^\+\+\+ b/(.+)$", self.patch, re.M)


def changes() -> Iterator[Change]:
    """Yield the sections of the page, in order."""
    for found in _SECTION.finditer(PAGE.read_text(encoding="utf-8")):
        yield Change(found["title"], found["patch"], found["program"])


def copied(folder: Path, files: list[str]) -> None:
    """Put a package into a folder that can be patched: links to all files but those that patches change."""
    (folder / "templates").symlink_to(PACKAGE.parent / "templates")
    for path in PACKAGE.rglob("*"):
        place = folder / "verifflowcc" / path.relative_to(PACKAGE)
        if "__pycache__" in path.parts:
            if path.name == "__pycache__":
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(path)
        elif path.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.relative_to(folder).as_posix() in files:
                place.write_bytes(path.read_bytes())
            else:
                place.symlink_to(path)


def applied(folder: Path, patch: str, *options: str) -> None:
    """Apply a patch to a copy. Raises CalledProcessError where it does not fit."""
    command = ["git", "apply", *options, "-"]
    subprocess.run(command, cwd=folder, input=patch.encode(), check=True)


def refreshed(change: Change) -> str:
    """Return a patch with today's lines around its changes; the changes are found by their nearest line."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copied(folder, change.files)
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
        for command in (["init", "-q"], ["add", *[each for each in change.files if (folder / each).exists()]]):
            subprocess.run([*git, *command], cwd=folder, check=True)
        subprocess.run([*git, "commit", "-q", "-m", "before"], cwd=folder, check=True)
        subprocess.run(["patch", "-p1", "-s", "-F3"], cwd=folder, input=change.patch.encode(), check=True)
        subprocess.run([*git, "add", *change.files], cwd=folder, check=True)
        shown = subprocess.run(
            [*git, "diff", "--cached", "-U1", "--no-renames"], cwd=folder, check=True, capture_output=True, text=True
        )
    return "".join(line for line in shown.stdout.splitlines(keepends=True) if not line.startswith("index "))


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    for each in changes():
        text = text.replace(each.patch, refreshed(each))
    PAGE.write_text(text, encoding="utf-8")
