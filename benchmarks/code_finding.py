"""How well a task finds its code: real commits of real repositories, asked for by what their messages say.

    python benchmarks/code_finding.py --data REPOSITORY [--data REPOSITORY …] [--tasks N] [--skip N]
                                      [--aider PYTHON [--aider-each N]] [--beside CHECKOUT] [--json]

Each repository is a git repository with its history (a bare one will do). Of each, N tasks (see `code_commits`) are
spread over its history; the code is that of the commit's parent, the question is the message. Figures, each a mean over
tasks with a 95 % interval by bootstrap:

- files: the reciprocal rank of the first changed file (MRR), and recall of all changed files at 5, 10 and 20;
- tests: of tasks whose commit changed tests that were there before, the share of them in the first 10 test files;
- blocks: the share of the changed pieces (functions with what belongs to them, and what stands between functions) that
  are whole in the code that fits in 2,000, 4,000 and 8,000 tokens, as `vfcc code context` shows it; and of those that
  are functions.

The commits up to the parent are what earlier ones say. Beside it, BM25 with fields over pieces (see `code_fields`),
plain BM25 over the texts of files, which shows whole files until nothing more fits; and, where a Python that
has aider is given, the order of files of its repository map, for every N-th task (it takes seconds each). With
`--beside` the same tasks are asked of another checkout of vfcc, by its own `benchmarks`, and what this one has more is
shown, paired by task. Tests, vendored and generated files, examples, documentation and set-up scripts are no files that
a task is about. Tuned on 27 histories: attrs, chi, click, cobra, commander.js, django-rest-framework, echo, express,
flask, gin, hono, httpx, jinja, koa, logrus, marshmallow, pluggy, pydantic-settings, quart, repomix, requests, typer,
urfave/cli, viper, virtualenv, werkzeug and yarl; no number was chosen on others.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.code_commits import Task, git, tasks_of
from benchmarks.code_fields import Fields, files_of, pieces_within
from benchmarks.code_states import History, State
from benchmarks.measure import machine
from benchmarks.recall_figures import Mean, mean_of
from verifflowcc.base.git.git_versions import LOG_OPTIONS, LOOKED_BACK, parsed_commits
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.code.rules.code_context import by_messages, choose
from verifflowcc.code.rules.grammars import language_of
from verifflowcc.code.rules.graph import CALLABLE, FILE, Mark
from verifflowcc.code.rules.rank_units import FileWeights, by_words, rank_code, rank_files, units_of
from verifflowcc.code.rules.repository_map import graph_of
from verifflowcc.code.rules.snippets import test_files as tests_among
from verifflowcc.code.rules.task_words import asked
from verifflowcc.code.store.source_listing import marks_by_name, marks_by_text

LETTERS = {"t": Mark.TEST, "v": Mark.VENDORED, "g": Mark.GENERATED, "m": Mark.MINIFIED}
Count = Callable[[str], int]
Given = tuple[Count, Sequence[tuple[str, Sequence[str]]], Fields]
"""How tokens are counted, messages and files of the commits before a task, and the pieces of files by field."""
BUDGETS = (2_000, 4_000, 8_000)
DEPTHS = (5, 10, 20)
MOST_TESTS = 10
_BESIDE = re.compile(r"(?:^|/)(?:docs?|examples?)/|(?:^|/)setup\.py$")
PLAIN = FileWeights(path=0.0, names=0.0, text=1.0, saturation=1.2, length=0.75)


@dataclass(frozen=True)
class Row:
    """What became of one task: reciprocal ranks and recalls by way, shares of blocks by way and budget."""

    commit: str
    ranks: Mapping[str, float]
    recalls: Mapping[str, Sequence[float]]
    blocks: Mapping[str, Sequence[float]]
    functions: Mapping[str, Sequence[float]]
    tests: float | None = None


@dataclass(frozen=True)
class Piece:
    """A changed piece of a file; `function` says whether it is one."""

    path: str
    first: int
    last: int
    function: bool


def marks(path: str, start: bytes) -> frozenset[Mark]:
    letters = marks_by_name(path) + marks_by_text(start)
    return frozenset(LETTERS[letter] for letter in letters)


def is_source(path: str) -> bool:
    """Whether a task may be about a file."""
    return bool(language_of(path)) and not marks_by_name(path) and not _BESIDE.search(path)


class Aider:
    """A process that tells aider's order of the files of a commit; the commit is checked out in a folder of its own."""

    def __init__(self, python: str, repository: Path, folder: Path) -> None:
        self._folder = folder / "tree"
        subprocess.run(["git", "clone", "-q", "--shared", str(repository), str(self._folder)], check=True)
        script = Path(__file__).with_name("code_aider_peer.py")
        self._process = subprocess.Popen(
            [python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def order(self, task: Task, state: State) -> list[str]:
        """Return the files in aider's order."""
        subprocess.run(["git", "checkout", "-q", "-f", "--detach", task.parent], cwd=self._folder, check=True)
        files = [path for path in state.files if (self._folder / path).is_file()]
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"root": str(self._folder), "files": files, "words": task.words}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if isinstance(answer, dict):
            raise SystemExit(f"aider: {answer['error']}")
        return [str(path) for path in answer]

    def end(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def rows_of(repository: Path, wanted: int, skip: int, aider: str | None = None, each: int = 1) -> Iterator[Row]:
    history = History(repository, marks)
    count, fields = open_counter(TokenSettings()).count, Fields()
    with tempfile.TemporaryDirectory() as folder:
        peer = Aider(aider, repository, Path(folder)) if aider else None
        for number, task in enumerate(tasks_of(repository, wanted, is_source, skip=skip)):
            state = history.at(task.parent)
            changed = [path for path in task.changed if path in state.files and not state.files[path].marks]
            if changed:
                other = peer.order(task, state) if peer and number % each == 0 else None
                commits = parsed_commits(git(repository, *LOG_OPTIONS, f"-n{LOOKED_BACK}", task.parent))
                row = _row(task, state, changed, (count, commits, fields), other)
                yield replace(row, tests=_tests_share(repository, task, state))
        if peer:
            peer.end()


def _row(task: Task, state: State, changed: Sequence[str], given: Given, aider: Sequence[str] | None) -> Row:
    count, commits, fields = given
    wanted = asked(task.words)
    by_fields = fields.ranked(wanted, state)
    plain = by_words(wanted, state, PLAIN)
    earlier = by_messages(wanted, commits, state.files)
    orders = {
        "vfcc": [each.path for each in rank_code(wanted, state, graph_of(state), earlier=earlier)[0]],
        "bm25 with fields": files_of(by_fields),
        "bm25": sorted(plain, key=lambda path: (-plain[path], path)),
    }
    if aider is not None:
        orders["aider"] = list(aider)
    places = {way: [order.index(path) + 1 for path in changed if path in order] for way, order in orders.items()}
    pieces = pieces_in(task, state, changed)
    functions = [each for each in pieces if each.function]
    shown = {
        "vfcc": [_shown(task, state, budget, given) for budget in BUDGETS],
        "bm25 with fields": [pieces_within(by_fields, budget, count) for budget in BUDGETS],
        "bm25, whole files": [whole_files(orders["bm25"], state, budget, count) for budget in BUDGETS],
    }
    return Row(
        task.commit,
        {way: 1 / min(found) if found else 0.0 for way, found in places.items()},
        {way: [sum(p <= depth for p in found) / len(changed) for depth in DEPTHS] for way, found in places.items()},
        {way: [_share(pieces, each) for each in found] for way, found in shown.items()} if pieces else {},
        {way: [_share(functions, each) for each in found] for way, found in shown.items()} if functions else {},
    )


def _tests_share(repository: Path, task: Task, state: State) -> float | None:
    """Return which share of the test files that a commit changed is among the first; None where it changed none."""
    between = (task.parent, task.commit)
    names = git(repository, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=M", "--name-only", *between)
    changed = [each for each in names.decode("utf-8", "replace").split("\0") if each in state.files]
    changed = [each for each in changed if state.files[each].marks == {Mark.TEST}]
    if not changed:
        return None
    files = rank_files(asked(task.words), state, graph_of(state), unmarked=True)
    first = [each.path for each in tests_among(state, files)][:MOST_TESTS]
    return sum(each in first for each in changed) / len(changed)


OTHER = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from benchmarks.code_finding import rows_of
print(json.dumps([asdict(each) for each in rows_of(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))]))
"""


def rows_beside(checkout: Path, repository: Path, wanted: int, skip: int) -> list[Row]:
    """Return the rows of another checkout, by its own scripts in a process of its own."""
    command = [sys.executable, "-c", OTHER, str(repository.resolve()), str(wanted), str(skip)]
    answer = subprocess.run(
        command, cwd=checkout, env={**os.environ, "PYTHONPATH": str(checkout)}, check=True, capture_output=True
    ).stdout
    return [Row(**each) for each in json.loads(answer)]


def gains(rows: Sequence[Row], others: Sequence[Row]) -> dict[str, Mean]:
    """Return by how much the rows are better than those of the same commits in another version, in percent."""
    other = {each.commit: each for each in others}
    pairs = [(row, other[row.commit]) for row in rows if row.commit in other]
    found = {"MRR": mean_of([one.ranks["vfcc"] - two.ranks["vfcc"] for one, two in pairs])}
    for place, depth in enumerate(DEPTHS):
        found[f"recall@{depth}"] = mean_of([a.recalls["vfcc"][place] - b.recalls["vfcc"][place] for a, b in pairs])
    both = [(one.blocks["vfcc"], two.blocks["vfcc"]) for one, two in pairs if one.blocks and two.blocks]
    for place, budget in enumerate(BUDGETS):
        found[f"blocks in {budget:,}"] = mean_of([one[place] - two[place] for one, two in both])
    return found


def pieces_in(task: Task, state: State, changed: Sequence[str]) -> list[Piece]:
    found = []
    for path in changed:
        lines = (state.text(path) or b"").decode("utf-8", "replace").splitlines()
        definitions = state.head(path).definitions
        for unit in units_of(definitions, lines):
            ranges = [(first, max(first, last)) for first, last in task.changed[path]]
            if any(unit.first <= last and first <= unit.last for first, last in ranges):
                function = unit.place != FILE and definitions[unit.place].kind in CALLABLE
                found.append(Piece(path, unit.first, unit.last, function))
    return found


Shown = Mapping[str, Sequence[tuple[int, int]]]


def _shown(task: Task, state: State, budget: int, given: Given) -> Shown:
    count, commits, _ = given
    found: dict[str, list[tuple[int, int]]] = {}
    for each in choose(task.words, state, budget, count, commits=commits).filled.snippets:
        if each.whole:
            found.setdefault(each.path, []).append((each.first, each.last))
    return found


def whole_files(order: Sequence[str], state: State, budget: int, count: Count) -> Shown:
    found: dict[str, list[tuple[int, int]]] = {}
    left = budget
    for path in order[:50]:
        text = (state.text(path) or b"").decode("utf-8", "replace")
        tokens = count(text) if len(text) < 12 * left else left + 1
        if tokens <= left:
            left -= tokens
            found[path] = [(1, len(text.splitlines()))]
    return found


def _share(pieces: Sequence[Piece], shown: Shown) -> float:
    inside = sum(
        any(first <= each.first and each.last <= last for first, last in shown.get(each.path, ())) for each in pieces
    )
    return inside / len(pieces)


def summary(rows: Sequence[Row]) -> dict[str, dict[str, Mean]]:
    """Return figure → way → mean, in percent (of MRR too)."""
    found: dict[str, dict[str, Mean]] = {"MRR": {}}
    for way in dict.fromkeys(way for row in rows for way in row.ranks):
        those = [row for row in rows if way in row.ranks]
        found["MRR"][way] = mean_of([row.ranks[way] for row in those])
        for place, depth in enumerate(DEPTHS):
            found.setdefault(f"recall@{depth}", {})[way] = mean_of([row.recalls[way][place] for row in those])
    tests = [row.tests for row in rows if row.tests is not None]
    if tests:
        found[f"changed tests in {MOST_TESTS} files"] = {"vfcc": mean_of(tests)}
    for name, of in (("blocks", [row.blocks for row in rows]), ("functions", [row.functions for row in rows])):
        shares = [each for each in of if each]
        for place, budget in enumerate(BUDGETS):
            for way in shares[0] if shares else ():
                values = [each[way][place] for each in shares]
                found.setdefault(f"{name} in {budget:,}", {})[way] = mean_of(values)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="How well a task finds its code.")
    parser.add_argument("--data", type=Path, action="append", required=True, metavar="REPOSITORY")
    parser.add_argument("--tasks", type=int, default=80)
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of the newest commits")
    parser.add_argument("--aider", metavar="PYTHON", help="a Python that has aider")
    parser.add_argument("--aider-each", type=int, default=4, help="ask aider about every so many-th task")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="another checkout of vfcc")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows: dict[str, list[Row]] = {}
    others: dict[str, list[Row]] = {}
    for repository in given.data:
        begin = time.perf_counter()
        name = repository.name if repository.name != "repo" else repository.parent.name
        rows[name] = list(rows_of(repository, given.tasks, given.skip, given.aider, given.aider_each))
        if given.beside:
            others[name] = rows_beside(given.beside.resolve(), repository, given.tasks, given.skip)
        print(f"{name}: {len(rows[name])} tasks, {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    every = [row for each in rows.values() for row in each]
    paired = {name: gains(each, others[name]) for name, each in rows.items() if name in others}
    if paired:
        paired["all"] = gains(every, [row for each in others.values() for row in each])
    figures = {name: summary(each) for name, each in (*rows.items(), ("all", every)) if each}
    if given.json:
        plain = {
            name: {f: {w: asdict(m) for w, m in of.items()} for f, of in each.items()} for name, each in figures.items()
        }
        more = {name: {figure: asdict(mean) for figure, mean in each.items()} for name, each in paired.items()}
        counted = {name: len(each) for name, each in rows.items()}
        print(json.dumps({"machine": machine(), "tasks": counted, "figures": plain, "paired": more}, indent=2))
        return
    print("; ".join(machine().values()))
    for name, each in figures.items():
        print(f"\n{name}: {len(rows.get(name, every))} tasks")
        for figure, ways in each.items():
            print(f"  {figure:<22}" + "".join(f"  {way}: {mean}" for way, mean in ways.items()))
    for name, gained in paired.items():
        print(f"\n{name}: more than {given.beside.name}, paired")
        for figure, mean in gained.items():
            print(f"  {figure:<22}  {mean}")


if __name__ == "__main__":
    main()
