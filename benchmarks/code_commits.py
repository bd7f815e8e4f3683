"""Tasks from a repository's own history: what a commit says, and which files and lines of its parent it changed.

A commit is a task where it has one parent, changes one to eight source files that were there before and are no tests,
and says something in words of its own: at least four of them, from its message without trailers, links to issues and
the names of people. Merges, reverts, releases and updates of dependencies are none.
"""

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_FILES = 8
FEWEST_WORDS = 4
_TRAILER = re.compile(
    r"^[A-Z][A-Za-z-]+-[Bb]y:.*$|^(?:Refs?|Closes?|Fixes|See)[: ]+#?\d+.*$|^https?://\S+$", re.MULTILINE
)
_ISSUE = re.compile(r"\s*\((?:close[sd]?\s+|fix(?:e[sd])?\s+)?#\d+\)|#\d+")
_NO_TASK = re.compile(
    r"^(?:merge|revert|release|bump|version|update (?:dev )?(?:dependenc|requirements|pre-commit|changelog)|"
    r"start version|"
    r"\[pre-commit|\[automated|build\(deps|chore\(deps|prepare)|pre-commit|dependabot|changelog$",
    re.IGNORECASE,
)
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)


@dataclass(frozen=True)
class Task:
    """A commit as a task: its words, the state before it, and path → line ranges (first, last) that it changed there.

    A range of lines that were only added is empty: (line before, line before - 1) with the line before it as first.
    """

    commit: str
    parent: str
    words: str
    changed: dict[str, tuple[tuple[int, int], ...]]


def tasks_of(repository: Path, wanted: int, counts: Callable[[str], bool], *, skip: int = 0) -> list[Task]:
    """Return so many tasks, spread evenly over the last `20 * wanted` commits, newest first.

    `counts` says of a path whether it is a source file that a task may be about. `skip` leaves out the newest commits.
    """
    said = git(
        repository, "log", "--no-merges", f"--skip={skip}", f"-n{20 * wanted}", "--format=%H%x00%P%x00%B%x01"
    ).decode("utf-8", "replace")
    commits = [each.strip("\n").split("\0") for each in said.split("\1") if each.strip()]
    found = list(_tasks(repository, commits, counts))
    step = max(1, len(found) // wanted)
    return found[::step][:wanted]


def git(repository: Path, *arguments: str) -> bytes:
    """Run git there and return its output. Raises CalledProcessError."""
    return subprocess.run(
        ["git", "-c", "core.quotepath=off", *arguments], cwd=repository, check=True, capture_output=True
    ).stdout


def _tasks(repository: Path, commits: list[list[str]], counts: Callable[[str], bool]) -> Iterator[Task]:
    for commit, parents, message in commits:
        words = words_of(message)
        if len(parents.split()) != 1 or _NO_TASK.search(message.split("\n", 1)[0]) or len(words.split()) < FEWEST_WORDS:
            continue
        names = git(
            repository, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=M", "--name-only", parents, commit
        )
        paths = [path for path in names.decode("utf-8", "replace").split("\0") if path and counts(path)]
        if 1 <= len(paths) <= MOST_FILES:
            yield Task(commit, parents, words, {path: _ranges(repository, parents, commit, path) for path in paths})


def words_of(message: str) -> str:
    """Return what a message says, without trailers and numbers of issues.

    >>> words_of("Fix the parser (#12)\\n\\nCo-authored-by: A <a@b.c>")
    'Fix the parser'
    """
    return _ISSUE.sub("", _TRAILER.sub("", message)).strip()


def _ranges(repository: Path, parent: str, commit: str, path: str) -> tuple[tuple[int, int], ...]:
    shown = git(repository, "diff", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", parent, commit, "--", path)
    found = []
    for begin, length in _HUNK.findall(shown):
        first, lines = int(begin), int(length) if length else 1
        found.append((first, first + lines - 1))
    return tuple(found)
