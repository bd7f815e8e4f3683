"""Verdicts of `vfcc prove` on the real commits of any git repository, as whole processes.

    python benchmarks/prove.py --repo PATH [--repo PATH …] --command WORDS [--commits N] [--skip N] [--kept FILE]
                               [--packages FOLDER] [--vfcc PROGRAM] [--runs N] [--whole] [--json]
    python benchmarks/prove.py --kept FILE --sample VERDICT N [--repo PATH …]

Of each repository, the newest N commits count that have one parent and change at least one source file and one test
file, by their paths alone. Each is proven by `vfcc prove COMMIT --json` in a scratch clone. `--command` runs the tests
in an environment that has what they need; it runs the repository's code. `--packages` is a `node_modules` that the
scratch clone gets a link to, as if it had been installed there. `--kept` appends a line of JSON for each
commit, and a commit that the file has is not proven again, so that a run may be cut off and started again.

`--sample` prints commits of a verdict to check by hand, spread evenly: the verdict's reason, its tests, the diff of
the sources and of the tests.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.code_commits import git
from benchmarks.measure import machine

Row = Mapping[str, object]
_SOURCE = re.compile(r".*\.(?:py|go|[cm]?[jt]sx?|rs)")
_TEST = re.compile(
    r"(?:.*/)?(?:tests?|__tests__|spec)/.*|.*_test\.(?:go|py)|(?:.*/)?test_[^/]*\.py|.*\.(?:test|spec)\.\w+"
)
_ASIDE = re.compile(
    r"(?:.*/)?(?:docs?|examples?|benchmarks?|performance|scripts|\.[^/]+)/.*|setup\.py|(?:.*/)?conftest\.py"
)
_LONGEST_DIFF = 12_000


def commits_of(repository: Path, wanted: int, skip: int) -> list[str]:
    """Return the newest commits that change sources and tests, without the first `skip` of them."""
    found: list[str] = []
    for commit in git(repository, "rev-list", "--no-merges", "--min-parents=1", "HEAD").decode("ascii").split():
        if len(found) == wanted + skip:
            break
        shown = git(repository, "diff-tree", "-r", "--no-commit-id", "--name-only", "-z", commit)
        code = [path for path in shown.decode("utf-8", "replace").split("\0") if _SOURCE.fullmatch(path)]
        tests = [path for path in code if _TEST.fullmatch(path)]
        if tests and any(not _TEST.fullmatch(path) and not _ASIDE.fullmatch(path) for path in code):
            found.append(commit)
    return found[skip:]


def prove(clone: Path, commit: str, given: argparse.Namespace) -> Row:
    """Return a row: the proof of a commit as `vfcc prove --json` shows it, and the seconds that it took."""
    program = given.vfcc or str(Path(sys.executable).with_name("vfcc"))
    words = [
        program,
        "prove",
        commit,
        "--command",
        given.command,
        "--yes",
        "--json",
        "--full",
        "--runs",
        str(given.runs),
    ]
    words += ["--whole"] if given.whole else []
    begin = time.perf_counter()
    # The clone is the benchmark's own: it allows the command as a CI job does, and keeps that beside the clone.
    env = {**os.environ, "CI": "true", "XDG_DATA_HOME": str(clone.parent / "allowed")}
    done = subprocess.run(words, cwd=clone, capture_output=True, text=True, check=False, env=env)
    seconds = round(time.perf_counter() - begin, 2)
    try:
        [proof] = json.loads(done.stdout)["data"]["changes"]
    except (ValueError, KeyError):
        proof = {"verdict": "error", "why": done.stderr.strip()[-400:], "subject": "", "tests": [], "unguarded": []}
    return {**proof, "commit": commit, "seconds": seconds}


def rows_of(repository: Path, name: str, given: argparse.Namespace, known: Mapping[str, Row]) -> Iterator[Row]:
    """Yield a row for each commit of a repository; one that is known is taken from there."""
    with tempfile.TemporaryDirectory(prefix="prove-clone-") as folder:
        clone = Path(folder) / "tree"
        subprocess.run(["git", "clone", "-q", "--shared", str(repository), str(clone)], check=True)
        if given.packages:
            (clone / "node_modules").symlink_to(given.packages.resolve(), target_is_directory=True)
        for commit in commits_of(repository, given.commits, given.skip):
            yield known.get(commit) or {"repository": name, **prove(clone, commit, given)}


def read_kept(file: Path | None) -> dict[str, Row]:
    """Return the rows of a file of kept ones, by commit."""
    if file is None or not file.exists():
        return {}
    return {row["commit"]: row for row in map(json.loads, file.read_text("utf-8").splitlines())}


def summary(rows: Sequence[Row]) -> dict[str, object]:
    """Return how many commits have each verdict, the share of inconclusive ones in percent, and the times."""
    counts = Counter(str(row["verdict"]) for row in rows)
    judged = sum(counts[each] for each in ("proven", "not discriminating", "inconclusive"))
    seconds = sorted(float(str(row["seconds"])) for row in rows)
    return {
        "commits": len(rows),
        **dict(counts.most_common()),
        "inconclusive, percent": round(100 * counts["inconclusive"] / judged, 1) if judged else None,
        "seconds, median": statistics.median(seconds) if seconds else None,
        "seconds, longest": seconds[-1] if seconds else None,
    }


def sample(rows: Sequence[Row], verdict: str, count: int, repositories: Mapping[str, Path]) -> Iterator[str]:
    """Yield commits of a verdict with their reasons and, where the repository is given, their diffs."""
    those = [row for row in rows if row["verdict"] == verdict]
    for place in sorted({number * len(those) // max(count, 1) for number in range(count)} & set(range(len(those)))):
        row = those[place]
        yield f"==== {row['repository']} {str(row['commit'])[:9]} {row['subject']}\n{row['verdict']}: {row.get('why')}"
        tests = row["tests"]
        for each in tests if isinstance(tests, list) else []:
            yield f"  {each['verdict']}: {each['test']} {each['why']}"
        if str(row["repository"]) in repositories:
            shown = git(
                repositories[str(row["repository"])], "show", "--format=%b", "--no-ext-diff", str(row["commit"])
            )
            yield shown.decode("utf-8", "replace")[:_LONGEST_DIFF]


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each commit."""
    for row in rows:
        tests = row["tests"] if isinstance(row["tests"], list) else []
        red = sum(each["verdict"] == "proven" for each in tests)
        seen = f"{red}/{len(tests)}" if tests else "-"
        commit, subject = str(row["commit"])[:9], str(row["subject"])[:70]
        yield f"  {commit}  {row['verdict']!s:<18}  {seen:>7}  {row['seconds']!s:>7} s  {subject}"


def name_of(repository: Path) -> str:
    """Return what a repository is called here; a folder `repo` has the name of the one around it."""
    return repository.name if repository.name != "repo" else repository.parent.name


def main() -> None:
    parser = argparse.ArgumentParser(description="Verdicts of vfcc prove on real commits.")
    parser.add_argument("--repo", type=Path, action="append", default=[], metavar="PATH")
    parser.add_argument("--command", default="python -m pytest -q", help="how the tests run")
    parser.add_argument("--packages", type=Path, metavar="FOLDER", help="a node_modules for the scratch clone")
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of the newest of these commits")
    parser.add_argument("--runs", type=int, default=20, help="runs of the tests for each commit")
    parser.add_argument("--whole", action="store_true", help="verdicts alone: put nothing back by file and hunk")
    parser.add_argument("--kept", type=Path, metavar="FILE", help="append a line of JSON for each commit")
    parser.add_argument("--vfcc", metavar="PROGRAM", help="the program (default: the one beside this Python)")
    parser.add_argument("--sample", nargs=2, metavar=("VERDICT", "N"), help="print commits of --kept to check by hand")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    known = read_kept(given.kept)
    repositories = {name_of(each): each for each in given.repo}
    if given.sample:
        print("\n".join(sample(list(known.values()), given.sample[0], int(given.sample[1]), repositories)))
        return
    rows: list[Row] = []
    for name, repository in repositories.items():
        for row in rows_of(repository, name, given, known):
            rows.append(row)
            if given.kept and row["commit"] not in known:
                with given.kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
    names = [*repositories, *(["all"] if len(repositories) > 1 else [])]
    figures = {name: summary([row for row in rows if name in (row["repository"], "all")]) for name in names}
    if given.json:
        print(json.dumps({"machine": machine(), "figures": figures, "commits": rows}, indent=2))
        return
    print("; ".join(machine().values()))
    for name in repositories:
        print(f"\n{name}: {figures[name]}", *table([row for row in rows if row["repository"] == name]), sep="\n")
    if len(repositories) > 1:
        print(f"\nall: {figures['all']}")


if __name__ == "__main__":
    main()
