"""How well the tests that a change affects are named: real commits that changed source files and tests.

    python benchmarks/affected_tests.py --data REPOSITORY [--data REPOSITORY …] [--tasks N] [--skip N] [--furthest N]

Of each repository, N commits that changed both are spread over its history. The code is that of the commit's parent;
the question is the source part of the diff alone. Counted are the tests that the commit changed and that are in the
parent: the share of them that is named (function by function, a whole file for what its runner cannot select), and the
share of all tests of the parent that is named. The figures are the mean of the first, over all tests and over commits,
and the median of the second. Tuned on: pallets/click, encode/httpx, pallets/flask, gorilla/mux, fastify/fastify.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.code_commits import Task, tasks_of
from benchmarks.code_finding import is_source, marks
from benchmarks.code_states import History, State
from benchmarks.measure import machine
from verifflowcc.code.rules.affected_tests import TestFinder, likely_tests
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.changed_code import FURTHEST, definitions_at, reach_of
from verifflowcc.code.rules.grammars import language_of
from verifflowcc.code.store.source_listing import marks_by_name


@dataclass(frozen=True)
class Way:
    """How far references are followed, whether words count too, and whether each commit is printed."""

    furthest: int
    sure: bool
    show: bool


@dataclass(frozen=True)
class Row:
    """One commit: how many of its changed tests are named, of how many; how many tests are named, of how many."""

    commit: str
    found: int
    changed: int
    named: int
    suite: int


def counts(path: str) -> bool:
    return is_source(path) or (bool(language_of(path)) and marks_by_name(path) == "t")


def rows_of(repository: Path, wanted: int, skip: int, way: Way) -> Iterator[Row]:
    history = History(repository, marks)
    done = 0
    for task in tasks_of(repository, 8 * wanted, counts, skip=skip):
        if done == wanted:
            return
        paths = [path for path in task.changed if is_source(path)]
        tests = [path for path in task.changed if not is_source(path)]
        if not paths or not tests:
            continue
        state = history.at(task.parent)
        row = _row(task, state, paths, tests, way)
        if row is not None:
            done += 1
            yield row


def _row(task: Task, state: State, paths: Sequence[str], tests: Sequence[str], way: Way) -> Row | None:
    binder = Binder(state)
    finder = TestFinder(binder, state)
    suite = {each.id for path in state.files for each in finder.inside(path)}
    wanted = {each.id for path in tests for each in finder.inside(path, _lines(task, path))} & suite
    if not wanted:
        return None
    changed = [
        (path, place) for path in paths for place in definitions_at(state.head(path).definitions, _lines(task, path))
    ]
    named = {each.id for each in finder.among(changed, reach_of(binder, changed, furthest=way.furthest).found)}
    if not way.sure:
        named |= {each.id for each in likely_tests(finder, state, changed, named)}
    files = {each for each in named if "::" not in each}
    reached = {each for each in suite if each in named or each.partition("::")[0] in files}
    if way.show:
        print(task.commit[:8], task.words.split("\n")[0], len(reached), "of", len(suite))
        print("   changed", [(p, state.head(p).definitions[d].name if d >= 0 else "") for p, d in changed])
        print("   missed", sorted(wanted - reached)[:8], "found", len(wanted & reached))
    return Row(task.commit, len(wanted & reached), len(wanted), len(reached), len(suite))


def _lines(task: Task, path: str) -> list[int]:
    return [line for first, last in task.changed[path] for line in range(first, max(first, last) + 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description="How well the tests that a change affects are named.")
    parser.add_argument("--data", type=Path, action="append", required=True, metavar="REPOSITORY")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--furthest", type=int, default=FURTHEST)
    parser.add_argument("--sure", action="store_true", help="only tests that reach the change by references")
    parser.add_argument("--show", action="store_true", help="print each commit with the tests that are missed")
    given = parser.parse_args()
    print("; ".join(machine().values()))
    every: list[Row] = []
    for repository in given.data:
        name = repository.name if repository.name != "repo" else repository.parent.name
        rows = list(rows_of(repository, given.tasks, given.skip, Way(given.furthest, given.sure, given.show)))
        every += rows
        print(_line(name, rows), flush=True)
    print(_line("all", every))


def _line(name: str, rows: Sequence[Row]) -> str:
    if not rows:
        return f"{name}: no commits"
    tests = sum(each.found for each in rows) / sum(each.changed for each in rows)
    commits = mean(each.found / each.changed for each in rows)
    share = median(each.named / each.suite for each in rows)
    return (
        f"{name}: {len(rows)} commits; changed tests named {tests:.1%} (by commit {commits:.1%});"
        f" named of the suite, median {share:.1%}"
    )


if __name__ == "__main__":
    main()
