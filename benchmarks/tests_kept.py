"""Which commits of a repository `tests-kept` names, and why: how often a person would be asked to accept a loss.

    python benchmarks/tests_kept.py REPOSITORY [--commits N] [--show N]

Each of the last commits that touch a file of tests or its settings is compared with its parent. Nothing runs, and
nothing is checked out.
"""

import argparse
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from verifflowcc.adapters.git.versions import commit_files
from verifflowcc.services.tests_kept import compare_tests


def commits(repository: Path) -> list[tuple[str, str, str]]:
    """Return id, parent and subject of the commits with one parent, the newest first."""
    words = ["git", "-C", str(repository), "log", "--no-merges", "--format=%H %P%x09%s", "HEAD"]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    found = []
    for line in lines:
        ids, _, subject = line.partition("\t")
        commit, *parents = ids.split()
        if len(parents) == 1:
            found.append((commit, parents[0], subject))
    return found


def main() -> None:
    """Compare, and print a table of the losses with examples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--show", type=int, default=20)
    asked = parser.parse_args()
    compared, named, took = 0, 0, 0.0
    by_loss: Counter[str] = Counter()
    examples: list[str] = []
    for commit, parent, subject in commits(asked.repository):
        started = time.monotonic()
        both = commit_files(asked.repository, parent), commit_files(asked.repository, commit)
        found = compare_tests(asked.repository, "", *both)
        took += time.monotonic() - started
        if not found.files:
            continue
        compared += 1
        named += bool(found.lost)
        by_loss.update({str(each.loss) for each in found.lost})
        examples += [f"{commit[:9]} {subject[:50]:50} {each}" for each in found.lost[:3]]
        if compared == asked.commits:
            break
    print(f"{compared} commits that touch tests, {named} of them named, {1000 * took / max(compared, 1):.0f} ms each")
    for loss, count in by_loss.most_common():
        print(f"  {loss}: {count}")
    step = max(len(examples) // asked.show, 1)
    print("\n".join(examples[::step][: asked.show]))


if __name__ == "__main__":
    main()
