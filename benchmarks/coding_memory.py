"""A memory set for coding: questions about the decisions, conventions, failures and history of four public projects.

    python benchmarks/coding_memory.py --data FOLDER [--vfcc PROGRAM] [--json]

--data holds a git repository (bare or not) for each project of `coding_memory_items.PROJECTS`, under the project's
name; each is read at a fixed commit. The questions are `coding_memory.jsonl`: project, kind, question, and the graded
items that answer it (2) or help (1), each by a reference. A question about a failure has the task that would repeat it.
A line of kind `replaced` names an older record and the newer one that replaces it (`whole`) or a part of it.

Everything goes through the program, in a project per repository whose items are files below `.memory/`:

- recall at k: the share of the answers among the first k that `vfcc memory search` finds directly; the reciprocal rank
  of the first answer; nDCG at 10 over the grades. Beside it, plain BM25 over the same titles and texts.
- contradictions: prompts (`vfcc context show --agent coder --task`) that hold a record and the one that replaces it.
- repeated failures: tasks of failures with no answer in the prompt.
- token overhead: the share of the project memory's tokens in the prompt that no graded item takes.

All of it for four stores: the records as they were written; linked, with a `supersedes` link for each whole
replacement; linked, with the sections of contributing pages as conventions, which every prompt holds, instead of
guidelines; and linked, in prompts of 16,000 instead of 8,000 tokens, 12,000 instead of 5,000 of them for the project.
Intervals are 95 % of resamples of questions, with a fixed seed.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.coding_memory_items import FOLDERS, PROJECTS, Project, Record, records_of
from benchmarks.measure import machine
from benchmarks.memory_stores import own_home
from benchmarks.recall_figures import Mean, mean_of
from benchmarks.recall_locomo import Said, Talk
from benchmarks.recall_plain import plain

QUESTIONS = Path(__file__).with_name("coding_memory.jsonl")
KINDS = ("decision", "convention", "history", "failure")
DEPTHS = (1, 5, 10)
ANSWER = 2
_WORKERS = 2


@dataclass(frozen=True)
class Store:
    """A way to keep the records, and the prompts that are made of them."""

    name: str
    linked: bool = True
    conventions: bool = False
    budget: int = 8_000
    project_tokens: int = 5_000


STORES = (
    Store("as written", linked=False),
    Store("linked"),
    Store("conventions", conventions=True),
    Store("12,000 tokens", budget=16_000, project_tokens=12_000),
)


@dataclass(frozen=True)
class Question:
    """A question, the grades of the items that answer it, and the task whose prompt should hold them."""

    project: str
    kind: str
    text: str
    relevant: Mapping[str, int]
    task: str

    @property
    def answers(self) -> frozenset[str]:
        """References of the items that answer it."""
        return frozenset(ref for ref, grade in self.relevant.items() if grade == ANSWER)


@dataclass(frozen=True)
class Replacement:
    """An older record, and the newer one that replaces it, or with `whole` unset a part of it."""

    project: str
    older: str
    newer: str
    whole: bool


@dataclass(frozen=True)
class PromptItems:
    """The project items of one prompt: reference → tokens; `tokens` are those of the whole prompt."""

    items: Mapping[str, int]
    tokens: int


@dataclass(frozen=True)
class Outcome:
    """One question: what each way of searching found, and the prompt of its task from each store."""

    question: Question
    found: Mapping[str, Sequence[str]]
    prompts: Mapping[str, PromptItems]


def read_questions(file: Path) -> tuple[list[Question], list[Replacement]]:
    """Read the questions and the replacements of a file."""
    questions: list[Question] = []
    replaced: list[Replacement] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        each = json.loads(line)
        if each["kind"] == "replaced":
            replaced.append(Replacement(each["project"], each["older"], each["newer"], each["whole"]))
        else:
            text = each["question"]
            task = each.get("task", text)
            questions.append(Question(each["project"], each["kind"], text, each["relevant"], task))
    return questions, replaced


def recall_at(question: Question, found: Sequence[str], depth: int) -> float:
    """Return the share of the answers among the first `depth`."""
    return len(question.answers & set(found[:depth])) / len(question.answers)


def reciprocal_rank(question: Question, found: Sequence[str]) -> float:
    """Return 1 / the rank of the first answer, 0 if there is none."""
    return next((1 / rank for rank, ref in enumerate(found, 1) if ref in question.answers), 0.0)


def graded_gain(question: Question, found: Sequence[str], depth: int = 10) -> float:
    """Return nDCG: the gain 2**grade - 1 of each item, halved by log2 of its rank, over the best order's."""
    best = sorted(question.relevant.values(), reverse=True)
    return _gain([question.relevant.get(ref, 0) for ref in found[:depth]]) / _gain(best[:depth])


def _gain(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def overhead(question: Question, prompt: PromptItems) -> float:
    """Return the share of the items' tokens that no graded item takes; 0 for a prompt without items."""
    used = sum(prompt.items.values())
    return 1 - sum(tokens for ref, tokens in prompt.items.items() if ref in question.relevant) / used if used else 0.0


def contradictions(prompt: PromptItems, replaced: Sequence[Replacement]) -> list[Replacement]:
    """Return the replacements of which the prompt holds both sides."""
    return [each for each in replaced if {each.older, each.newer} <= prompt.items.keys()]


class Memory:
    """A project in a folder whose memory holds the records; asked through the program."""

    def __init__(
        self, folder: Path, records: Sequence[Record], replaced: Sequence[Replacement], store: Store, program: str
    ) -> None:
        self.folder = folder
        self._budget = str(store.budget)
        self._program = program
        folders = FOLDERS | {"convention": "conventions"} if store.conventions else FOLDERS
        links = [each for each in replaced if each.whole and store.linked]
        paths = {each.ref: f".memory/project/{folders[each.kind]}/r{n:04}.md" for n, each in enumerate(records)}
        self._refs = {path: ref for ref, path in paths.items()}
        (folder / ".memory").mkdir(parents=True)
        (folder / ".memory" / "config.yaml").write_text(
            f"format: 1\nloading_strategy: {{project: {{max_tokens: {store.project_tokens}}}}}\n", encoding="utf-8"
        )
        for each in records:
            older = [paths[link.older].removesuffix(".md") for link in links if link.newer == each.ref]
            front = [f"title: {json.dumps(each.title, ensure_ascii=False)}"]
            front += [f"created: {each.day}"] if each.day else []
            front += ["links:", *(f"- {{to: {name}, relation: supersedes}}" for name in older)] if older else []
            file = folder / paths[each.ref]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(["---", *front, "---", each.text, ""]), encoding="utf-8")

    def search(self, question: str) -> list[str]:
        """Return references, best first: the direct hits, at most ten."""
        depth = str(max(DEPTHS))
        data = self._run("memory", "search", question, "--scope", "project", "--limit", depth, "--json", "--full")
        return [self._refs[hit["item"]["path"]] for hit in data["hits"] if not hit.get("via")]

    def prompt(self, task: str) -> PromptItems:
        """Return the project items in a coder's prompt."""
        words = ("--agent", "coder", "--task", task, "--budget", self._budget, "--json", "--full")
        data = self._run("context", "show", *words)
        placed = [each for each in data["placed"] if each["tokens"] and each["candidate"]["path"] in self._refs]
        items = {self._refs[each["candidate"]["path"]]: each["tokens"] for each in placed}
        return PromptItems(items, data["prompt"]["tokens"])

    def _run(self, *words: str) -> dict[str, Any]:
        environment = {**os.environ, **own_home(self.folder.parent / "home")}
        environment.pop("VFCC_PROJECT", None)
        command = [self._program, *words]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")
        data: dict[str, Any] = json.loads(done.stdout)["data"]
        return data


def outcomes(
    repository: Path,
    project: Project,
    questions: Sequence[Question],
    replaced: Sequence[Replacement],
    program: str,
) -> list[Outcome]:
    """Ask the questions of one project. Raises SystemExit if a reference names no item."""
    records = records_of(repository, project)
    names = {each.ref for each in records}
    unknown = {ref for each in questions for ref in each.relevant.keys() - names}
    unknown |= {ref for each in replaced for ref in (each.older, each.newer)} - names
    if unknown:
        raise SystemExit(f"{project.name}: no such items: {', '.join(sorted(unknown))}")
    turns = tuple(Said(each.ref, "", n, "", f"{each.title}\n{each.text}", "") for n, each in enumerate(records))
    bm25 = plain(Talk(project.name, turns, (), 0, 0))
    with tempfile.TemporaryDirectory() as scratch:
        memories = {
            store.name: Memory(Path(scratch) / str(number) / "project", records, replaced, store, program)
            for number, store in enumerate(STORES)
        }

        def ask(question: Question) -> Outcome:
            found = {f"vfcc, {name}": memories[name].search(question.text) for name in ("as written", "linked")}
            prompts = {name: memory.prompt(question.task) for name, memory in memories.items()}
            return Outcome(question, {**found, "plain BM25": bm25(question.text)}, prompts)

        first = [ask(questions[0])]
        with ThreadPoolExecutor(_WORKERS) as pool:
            return [*first, *pool.map(ask, questions[1:])]


def recall_table(found: Sequence[Outcome]) -> dict[str, dict[str, Mean]]:
    """Return for each way of searching the means over the questions, and recall at 5 by kind and project."""
    table: dict[str, dict[str, Mean]] = {}
    for way in found[0].found:
        pairs = [(each.question, each.found[way]) for each in found]
        row = {f"recall at {k}": mean_of([recall_at(*pair, k) for pair in pairs]) for k in DEPTHS}
        row["reciprocal rank"] = mean_of([reciprocal_rank(*pair) for pair in pairs])
        row["nDCG at 10"] = mean_of([graded_gain(*pair) for pair in pairs])
        for name in (*KINDS, *sorted({each.question.project for each in found})):
            some = [recall_at(*pair, 5) for pair in pairs if name in (pair[0].kind, pair[0].project)]
            if some:
                row[f"at 5, {name}"] = mean_of(some)
        table[way] = row
    base = "plain BM25"
    table["linked − BM25"] = {
        f"recall at {k}": mean_of(
            [
                recall_at(each.question, each.found["vfcc, linked"], k) - recall_at(each.question, each.found[base], k)
                for each in found
            ]
        )
        for k in DEPTHS
    }
    return table


def prompt_table(found: Sequence[Outcome], replaced: Sequence[Replacement]) -> dict[str, dict[str, Mean]]:
    """Return for each store the means over prompts: contradictions, repeated failures, overhead."""
    whole = [each for each in replaced if each.whole]
    names = sorted({each.question.project for each in found})
    of = {name: [each for each in whole if each.project == name] for name in names}
    partly = [each for each in replaced if not each.whole]
    table: dict[str, dict[str, Mean]] = {}
    for store in found[0].prompts:
        prompts = [(each.question, each.prompts[store]) for each in found]
        failures = [(question, prompt) for question, prompt in prompts if question.kind == "failure"]
        near = [
            (question, prompt)
            for question, prompt in prompts
            if any({each.older, each.newer} & prompt.items.keys() for each in of[question.project])
        ]
        table[store] = {
            "prompts with a contradiction": mean_of([bool(contradictions(p, of[q.project])) for q, p in prompts]),
            "of those with either record": mean_of([bool(contradictions(p, of[q.project])) for q, p in near]),
            "both sides, partly replaced": mean_of([bool(contradictions(p, partly)) for _, p in prompts]),
            "repeated failures": mean_of([not q.answers & p.items.keys() for q, p in failures]),
            "answers in the prompt": mean_of([len(q.answers & p.items.keys()) / len(q.answers) for q, p in prompts]),
            "token overhead": mean_of([overhead(q, p) for q, p in prompts]),
        } | {
            f"repeated failures, {name}": mean_of(
                [not q.answers & p.items.keys() for q, p in failures if q.project == name]
            )
            for name in names
        }
    return table


def main() -> None:
    """Measure all projects, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vfcc", default=str(Path(sys.executable).with_name("vfcc")), metavar="PROGRAM")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    questions, replaced = read_questions(QUESTIONS)

    def ask(project: Project) -> list[Outcome]:
        return outcomes(
            options.data / project.name,
            project,
            [each for each in questions if each.project == project.name],
            [each for each in replaced if each.project == project.name],
            options.vfcc,
        )

    with ThreadPoolExecutor() as pool:
        found = [each for some in pool.map(ask, PROJECTS) for each in some]
    tables = {"recall": recall_table(found), "prompts": prompt_table(found, replaced)}
    if options.json:
        content: dict[str, object] = {"machine": machine(), "questions": len(questions)}
        for name, table in tables.items():
            content[name] = {way: {figure: str(mean) for figure, mean in row.items()} for way, row in table.items()}
        content["sources"] = {each.source: each.commit for each in PROJECTS}
        content["missed"] = _missed(found)
        print(json.dumps(content, indent=2, ensure_ascii=False))
        return
    print("; ".join(machine().values()))
    for each in PROJECTS:
        print(f"{each.source} at {each.commit}")
    counts = [f"{sum(each.kind == kind for each in questions)} {kind}" for kind in KINDS]
    print(f"{len(questions)} questions ({', '.join(counts)}), {sum(each.whole for each in replaced)} replaced records")
    for name, table in tables.items():
        print(f"\n{name}, in percent")
        ways = list(table)
        print(f"  {'':40}" + "".join(f"{way:24}" for way in ways))
        for figure in table[ways[0]]:
            print(f"  {figure:40}" + "".join(f"{table[way].get(figure, '')!s:24}" for way in ways).rstrip())


def _missed(found: Sequence[Outcome]) -> list[str]:
    """Return the questions with no answer among the first ten of the first way."""
    way = next(iter(found[0].found))
    return [each.question.text for each in found if not recall_at(each.question, each.found[way], max(DEPTHS))]


if __name__ == "__main__":
    main()
