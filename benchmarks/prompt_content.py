"""What reaches an agent's prompt: real commits of any git repository as tasks, prompts as whole processes.

    python benchmarks/prompt_content.py --repo PATH [--repo PATH …] [--commits N] [--skip N] [--vfcc PROGRAM]
                                        [--role ROLE …] [--budget N …] [--json]

Of each repository, N commits (see `code_commits`) are tasks: the message is the task, the parent's tree is the code. In
a scratch clone with a fresh `vfcc init`, `vfcc context show` compiles the prompts of a coder, a tester and a reviewer
at 4,000, 8,000 and 16,000 tokens. The figures are read off the text of the prompt, so that any version of vfcc can be
measured: `--vfcc` names the program of another one, which is measured beside. Each is a mean over tasks, in percent,
with a 95 % interval by bootstrap; a line "… over other" has the mean of the differences, task by task:

- source files: the share of changed source files of which at least one whole piece is in the prompt;
- test files: the share of changed test files of which at least one whole function is in the prompt;
- blocks: the share of changed pieces of source files that are whole in the prompt;
- blocks, next budget: how many more percent of them the next larger budget holds;
- overhead: the share of all tokens in lines that are verbatim text of no file of the tree or of the memory, of no role
  prompt and not of the task.

A reviewer's prompt is of a tree in which nothing has changed yet, so the part that a diff would take goes to the rest.

Beside it, plain BM25 over the texts of all code files, which shows whole files until nothing more fits. No figure
counts what a prompt names and does not show.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.code_commits import Task, git, tasks_of
from benchmarks.code_finding import PLAIN, Count, is_source, marks, pieces_in, whole_files
from benchmarks.code_states import History, State
from benchmarks.measure import machine
from benchmarks.recall_figures import Mean, mean_of
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.code.rules.grammars import language_of
from verifflowcc.code.rules.graph import CALLABLE, FILE
from verifflowcc.code.rules.rank_units import by_words, units_of
from verifflowcc.code.rules.task_words import asked
from verifflowcc.code.store.source_listing import marks_by_name

BUDGETS = (4_000, 8_000, 16_000)
_ALL = ("source files", "test files", "blocks")
ROLES = {"coder": _ALL, "tester": ("test files",), "reviewer": _ALL}
"""The figures of each role: a tester is shown no more than the interface of what is tested."""
WHOLE_FILES = "bm25, whole files"
FIGURES = ("source files", "test files", "blocks", "overhead")
_LEAST_TEST_LINES = 2
_LEAST_RUN = 2
_DISTINCT = 20
_TEST = "t"
_ROLE_PROMPTS = Path(__file__).resolve().parents[1] / "templates" / "prompts"
_HEADING = re.compile(r"#{2,6} ([^\s:]+)")
OTHER = "other "


@dataclass(frozen=True)
class Row:
    """One task: way → figure → its value at each budget; a figure that the task has nothing for is absent."""

    commit: str
    figures: Mapping[str, Mapping[str, Sequence[float]]]


@dataclass(frozen=True)
class Wanted:
    """The texts that a commit's prompt should hold: pieces by source file, functions by test file, changed pieces."""

    sources: Mapping[str, Sequence[str]]
    tests: Mapping[str, Sequence[str]]
    blocks: Sequence[str]


class Program:
    """A version of vfcc, with a scratch clone of its own."""

    def __init__(self, name: str, program: str, repository: Path, folder: Path) -> None:
        self.name, self._program, self.root = name, program, folder / f"tree{name}"
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(repository), str(self.root)], check=True)
        self.failed = 0

    def check_out(self, commit: str) -> None:
        """Lay the tree of a commit out; the first time with a memory beside it."""
        git(self.root, "checkout", "-q", "-f", "--detach", commit)
        if not (self.root / ".memory" / "config.yaml").exists():
            subprocess.run([self._program, "init"], cwd=self.root, check=True, capture_output=True)

    def prompt(self, role: str, words: str, budget: int) -> str:
        """Return a prompt; an empty one, and a count, where the program fails."""
        command = [self._program, "context", "show", "--agent", role, "--task", words, "--budget", str(budget)]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        self.failed += bool(done.returncode)
        return done.stdout if done.returncode == 0 else ""


def rows_of(
    repository: Path,
    wanted: int,
    skip: int,
    programs: Sequence[Program],
    budgets: Sequence[int],
    roles: Sequence[str] = tuple(ROLES),
) -> Iterator[Row]:
    """Yield a row for each task of a repository."""
    history, counter = History(repository, marks), open_counter(TokenSettings())
    for task in tasks_of(repository, wanted, is_source, skip=skip):
        state = history.at(task.parent)
        texts = _wanted(repository, task, state)
        if not texts.sources:
            continue
        plain = by_words(asked(task.words), state, PLAIN)
        order = sorted(plain, key=lambda path: (-plain[path], path))
        figures = {WHOLE_FILES: _of_files(texts, state, order, budgets, counter.count)}
        for program in programs:
            program.check_out(task.parent)
            known = Verbatim(program.root, task.words)
            for role in roles:
                prompts = [program.prompt(role, task.words, budget) for budget in budgets]
                figures[f"{program.name}{role}"] = {
                    **{name: each for name, each in _shares(texts, prompts).items() if name in ROLES[role]},
                    "overhead": [known.overhead(each, counter.count) for each in prompts],
                }
        yield Row(task.commit, figures)


def _wanted(repository: Path, task: Task, state: State) -> Wanted:
    changed = [path for path in task.changed if path in state.files and not state.files[path].marks]
    blocks = [_text(state, each.path, each.first, each.last) for each in pieces_in(task, state, changed)]
    sources = {path: [text for text, _ in _units(state, path)] for path in changed}
    tests = {
        path: [text for text, function in _units(state, path) if function]
        for path in _changed_tests(repository, task)
        if path in state.files
    }
    return Wanted(sources, {path: each for path, each in tests.items() if each}, [each for each in blocks if each])


def _changed_tests(repository: Path, task: Task) -> list[str]:
    names = git(
        repository, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=M", "--name-only", task.parent, task.commit
    )
    paths = names.decode("utf-8", "replace").split("\0")
    return [path for path in paths if path and language_of(path) and _TEST in marks_by_name(path)]


def _units(state: State, path: str) -> Iterator[tuple[str, bool]]:
    """Yield each piece of a file that has more than a line, and whether it is a function."""
    definitions = state.head(path).definitions
    for unit in units_of(definitions, _lines(state, path)):
        text = _text(state, path, unit.first, unit.last)
        if text.count("\n") + 1 >= _LEAST_TEST_LINES:
            yield text, unit.place != FILE and definitions[unit.place].kind in CALLABLE


def _lines(state: State, path: str) -> list[str]:
    return (state.text(path) or b"").decode("utf-8", "replace").splitlines()


def _text(state: State, path: str, first: int, last: int) -> str:
    return "\n".join(_lines(state, path)[first - 1 : last]).strip("\n")


def _of_files(
    texts: Wanted, state: State, order: Sequence[str], budgets: Sequence[int], count: Count
) -> Mapping[str, Sequence[float]]:
    shown = [
        "\n".join("\n".join(_lines(state, path)) for path in whole_files(order, state, budget, count))
        for budget in budgets
    ]
    return _shares(texts, shown)


def _shares(texts: Wanted, prompts: Sequence[str]) -> dict[str, Sequence[float]]:
    padded = [f"\n{each}\n" for each in prompts]
    found = {"source files": [_any(texts.sources, each) for each in padded]}
    if texts.tests:
        found["test files"] = [_any(texts.tests, each) for each in padded]
    if texts.blocks:
        found["blocks"] = [_share(_is_in(block, each) for block in texts.blocks) for each in padded]
    return dict(found)


def _any(files: Mapping[str, Sequence[str]], prompt: str) -> float:
    return _share(any(_is_in(text, prompt) for text in each) for each in files.values())


def _is_in(text: str, prompt: str) -> bool:
    return f"\n{text}\n" in prompt


def _share(found: Iterable[bool]) -> float:
    each = list(found)
    return sum(each) / len(each)


class Verbatim:
    """The lines of a tree's files, of role prompts and of a task: what of a prompt is taken from them as it is."""

    def __init__(self, root: Path, task: str) -> None:
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._lines: list[list[str]] = []
        self._of_file: dict[str, frozenset[str]] = {}
        names = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, names.decode("utf-8", "surrogateescape").split("\0")):
            try:
                text = (root / name).read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError):
                continue
            self._add(text)
            self._of_file[name] = frozenset(text.splitlines())
        for path in sorted(_ROLE_PROMPTS.glob("*.md.j2")):
            self._add(path.read_text("utf-8"))
        self._add(task)

    def overhead(self, prompt: str, count: Count) -> float:
        """Return the share of a prompt's tokens in lines that are no part of a verbatim passage."""
        total = count(prompt)
        return count("\n".join(self.others(prompt))) / total if total else 1.0

    def others(self, prompt: str) -> list[str]:
        """Return the lines of a prompt that are no part of a verbatim passage."""
        lines, place, others, about = prompt.splitlines(), 0, [], ""
        while place < len(lines):
            heading = _HEADING.match(lines[place])
            about = heading[1] if heading else about
            length = self._longest(lines, place) or self._is_of(about, lines[place])
            if not length:
                others.append(lines[place])
            place += length or 1
        return others

    def _is_of(self, path: str, line: str) -> int:
        """Return 1 for a line of a file under a heading that names the file: `class Basket:` between two gaps."""
        return int(any(map(str.isalnum, line)) and not line.startswith("```") and line in self._of_file.get(path, ()))

    def _add(self, text: str) -> None:
        lines = text.splitlines()
        number = len(self._lines)
        self._lines.append(lines)
        for place, line in enumerate(lines):
            if line.strip():
                self._places.setdefault(line, []).append((number, place))

    def _longest(self, lines: Sequence[str], start: int) -> int:
        """Return the lines from `start` that are a passage: two or more that follow each other, or one long line."""
        best = 0
        for number, place in self._places.get(lines[start], ())[:200]:
            there, length = self._lines[number], 0
            while (
                start + length < len(lines)
                and place + length < len(there)
                and lines[start + length] == there[place + length]
            ):
                length += 1
            best = max(best, length)
        full = sum(bool(line.strip()) for line in lines[start : start + best])
        alone = best and len(lines[start]) >= _DISTINCT and not lines[start].startswith("#")
        return best if full >= _LEAST_RUN or alone else 0


def summary(rows: Sequence[Row], budgets: Sequence[int]) -> dict[str, dict[str, Mean]]:
    """Return figure and budget → way → mean, in percent."""
    found: dict[str, dict[str, Mean]] = {}
    for figure in FIGURES:
        for way in dict.fromkeys(way for row in rows for way in row.figures):
            those = [row.figures[way][figure] for row in rows if figure in row.figures.get(way, {})]
            for place, budget in enumerate(budgets if those else ()):
                name = f"{figure}, {budget:,}"
                found.setdefault(name, {})[way] = mean_of([each[place] for each in those])
                if figure == "blocks" and place:
                    more = mean_of([each[place] - each[place - 1] for each in those])
                    found.setdefault(f"blocks, {budget:,} over {budgets[place - 1]:,}", {})[way] = more
                if both := _with_other(rows, way, figure):
                    more = mean_of([here[place] - there[place] for here, there in both])
                    found.setdefault(f"{name} over other", {})[way] = more
    return found


def _with_other(rows: Sequence[Row], way: str, figure: str) -> list[tuple[Sequence[float], Sequence[float]]]:
    """Return the values of a role beside those of the same role in the other version, for each task that has both."""
    pairs = [(row.figures.get(way, {}), row.figures.get(OTHER + way, {})) for row in rows]
    return [(here[figure], there[figure]) for here, there in pairs if figure in here and figure in there]


def main() -> None:
    parser = argparse.ArgumentParser(description="What reaches an agent's prompt.")
    parser.add_argument("--repo", "--data", type=Path, action="append", required=True, metavar="PATH", dest="repo")
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of the newest commits")
    parser.add_argument("--vfcc", metavar="PROGRAM", help="another version of vfcc, measured beside")
    parser.add_argument("--budget", type=int, action="append", help="tokens; default: 4000, 8000 and 16000")
    parser.add_argument("--role", choices=list(ROLES), action="append", help="default: all of them")
    parser.add_argument("--json", action="store_true", help="the figures of each task, too")
    given = parser.parse_args()
    budgets, rows = tuple(given.budget or BUDGETS), dict[str, list[Row]]()
    here = str(Path(sys.executable).with_name("vfcc"))
    for repository in given.repo:
        begin = time.perf_counter()
        name = repository.name if repository.name != "repo" else repository.parent.name
        with tempfile.TemporaryDirectory() as folder:
            programs = [Program("", here, repository, Path(folder))]
            if given.vfcc:
                programs.append(Program(OTHER, given.vfcc, repository, Path(folder)))
            rows[name] = list(
                rows_of(repository, given.commits, given.skip, programs, budgets, given.role or tuple(ROLES))
            )
            failed = ", ".join(f"{each.failed} {each.name}prompts failed" for each in programs)
        print(f"{name}: {len(rows[name])} tasks, {time.perf_counter() - begin:.0f} s; {failed}", file=sys.stderr)
    every = [row for each in rows.values() for row in each]
    figures = {name: summary(each, budgets) for name, each in (*rows.items(), ("all", every)) if each}
    if given.json:
        plain = {
            name: {f: {w: asdict(m) for w, m in of.items()} for f, of in each.items()} for name, each in figures.items()
        }
        print(
            json.dumps(
                {
                    "machine": machine(),
                    "tasks": {n: len(r) for n, r in rows.items()},
                    "figures": plain,
                    "rows": {n: [asdict(each) for each in r] for n, r in rows.items()},
                },
                indent=2,
            )
        )
        return
    print("; ".join(machine().values()))
    for name, each in figures.items():
        print(f"\n{name}: {len(rows.get(name, every))} tasks")
        for figure, ways in each.items():
            print(f"  {figure:<26}" + "".join(f"  {way}: {mean}" for way, mean in ways.items()))


if __name__ == "__main__":
    main()
