"""The callers of random functions: those that the code graph names beside those that the languages' own tools find.

    python benchmarks/callers.py --jedi PYTHON --typescript FILE [--data TREE …] [--functions N] [--seed N] [--json]

Reported on four source trees, named here before the first run on any of them, on which nothing was changed:
scrapy/scrapy and psf/black (Python, beside jedi), vuejs/core (TypeScript; its packages import each other by the aliases
of its tsconfig) and ghostfolio/ghostfolio (TypeScript; aliases, and services injected into constructors). Changes were
made by oraios/serena, pallets/werkzeug, yamadashy/repomix and honojs/hono.

Of each tree, N functions and methods outside of test files are chosen by chance, among those by whose name something is
called. Asked about are the calls of that name, and of the names under which a file imports it; of what makes objects
(`__init__`, `constructor`), the calls of its class too. For Python these are at most 30 of one function, by chance,
since jedi takes its time; for TypeScript all, and the compiler is asked about every call of the tree, so that a call
under another name counts as missed. A call counts where the tool says what is called: a function here, or something
outside. On this one set of pairs of function and line:

- known: the callers that `vfcc code refs` lists as known; listed: those that it lists at all, possible ones too;
- precision: how many of ours the tool agrees with; recall: how many of the tool's are ours.

Intervals of 95 % are by bootstrap over functions. `FILE` is `typescript.js` of the npm package; needs Node.
"""

import argparse
import ast
import json
import random
import re
import subprocess
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.code_mentions import SKIPPED, Function, Mention, is_test, python_files, read_tree
from benchmarks.code_server import Place, ask
from benchmarks.measure import machine
from tests.pure.code_in_memory import CodeInMemory, code_of
from verifflowcc.code.rules.bind_queries import callers
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.grammars import language_of
from verifflowcc.code.rules.graph import CONFIDENT, qualified
from verifflowcc.code.rules.project_manifests import manifest_kind

TYPESCRIPT = Path(__file__).with_name("callers_typescript.cjs")
MAKERS = {"__init__", "constructor"}
RESAMPLED = 1_000
MOST_CALLS = 30
"""Of one Python function."""
_TEST_FILE = re.compile(r"(?:^|/)__tests?__/|[._-](?:spec|test)\.[cm]?[jt]sx?$|(?:^|/)(?:e2e|playground|benchmarks?)/")

Site = tuple[str, int, str]
"""Path, line and name of a call."""


@dataclass(frozen=True)
class Asked:
    """A function, and what the tool says of each call that may mean it: yes, no, or None where it has no answer."""

    function: Function
    sites: Mapping[Site, bool | None]


@dataclass
class Counts:
    """Of one function: calls that the tool, we as known, and we at all take for its callers, and the agreements."""

    theirs: int = 0
    known: int = 0
    known_right: int = 0
    listed: int = 0
    listed_right: int = 0
    beside: int = 0
    differences: list[tuple[str, str]] = field(default_factory=list)


def main() -> None:
    """Measure, and print."""
    wanted = _arguments()
    figures: dict[str, list[Counts]] = {}
    for root in wanted.data:
        is_python = bool(wanted.jedi) and not (root / "package.json").is_file()
        asked = python_asked(root, wanted) if is_python else script_asked(root, wanted)
        binder = Binder(code_below(root))
        figures[root.name] = [counts_of(binder, each) for each in asked]
    every = {**figures, "all": [each for some in figures.values() for each in some]}
    if wanted.json:
        print(json.dumps({"machine": machine(), "trees": {name: _summary(some) for name, some in every.items()}}))
        return
    print("; ".join(machine().values()))
    for name, some in every.items():
        _show(name, _summary(some))
    if wanted.list:
        for some in figures.values():
            for why, where in [one for each in some for one in each.differences if wanted.list in one[0]]:
                print(f"{where}: {why}")


def code_below(root: Path) -> CodeInMemory:
    """Read the source and the manifests of a tree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True).stdout.decode()
    paths = [each for each in listed.split("\0") if each and not SKIPPED & set(each.split("/"))]
    read = [each for each in paths if (language_of(each) or manifest_kind(each)) and (root / each).is_file()]
    return code_of({each: (root / each).read_bytes() for each in read})


def counts_of(binder: Binder, asked: Asked) -> Counts:
    """Compare our callers of a function with the tool's, where it has an answer."""
    function, counts = asked.function, Counts()
    ours: dict[Site, tuple[int, str]] = {}
    place = _place(binder, function)
    for each in callers(binder, function.path, place) if place is not None else ():
        site = (each.path, each.line, each.name)
        if each.candidate is not None and each.confidence > ours.get(site, (0, ""))[0]:
            ours[site] = each.confidence, each.candidate.why
    counts.beside = len([each for each in ours if each not in asked.sites])
    for site, theirs in asked.sites.items():
        if theirs is None:
            continue
        sure, why = ours.get(site, (0, ""))
        counts.theirs += theirs
        counts.known += sure >= CONFIDENT
        counts.known_right += sure >= CONFIDENT and theirs
        counts.listed += sure > 0
        counts.listed_right += sure > 0 and theirs
        where = f"{site[0]}:{site[1]} {site[2]} -> {function.path}:{function.line} {function.name}"
        if theirs and sure < CONFIDENT:
            counts.differences.append((_missed(binder, function, site, place), where))
        elif not theirs and sure >= CONFIDENT:
            counts.differences.append((f"wrong: {why}", where))
    return counts


def _place(binder: Binder, function: Function) -> int | None:
    """Return the place of a function in its file: of its name on its line, or around it."""
    definitions = binder.names.sheet(function.path).head.definitions if function.path in binder.code.files else ()
    named = [place for place, each in enumerate(definitions) if each.name == function.last]
    exact = [place for place in named if definitions[place].line == function.line]
    same = [place for place in named if qualified(definitions, place) == function.name]
    around = [place for place in same if definitions[place].line <= function.line <= definitions[place].end]
    return next(iter([*exact, *reversed(around)]), None)


def _missed(binder: Binder, function: Function, site: Site, place: int | None) -> str:
    if place is None:
        return "missed: no definition"
    path, line, name = site
    here = (
        [each for each in binder.code.references(path, name) if each.line == line] if path in binder.code.files else []
    )
    if not here:
        return "missed: no call is kept"
    best = max((binder.bound(path, each) for each in here), key=lambda each: len(each.candidates))
    receiver = here[0].receiver
    shape = ("call" if receiver.endswith(")") else "chain" if "." in receiver else "name") if receiver else "bare"
    if best.external:
        return f"missed: thought outside, {shape}"
    if any((each.path, each.place) == (function.path, place) for each in best.candidates):
        return f"missed: possible, {shape}"
    if best.candidates and best.candidates[0].confidence >= CONFIDENT:
        return f"missed: bound to another, {shape}: {best.candidates[0].why}"
    return f"missed: not a candidate, {shape}"


# Python: the calls as its own parser sees them, and jedi for what they mean.


def python_asked(root: Path, wanted: argparse.Namespace) -> list[Asked]:
    """Choose functions of a Python tree, and ask jedi about the calls that may mean them."""
    tree = read_tree(root)
    called = {name: sorted(each for each in some if each.called) for name, some in tree.mentions.items()}
    classes, aliases, overloads = _classes_and_aliases(root)
    names = {each: _names(each, aliases) for each in tree.functions}
    stubs = {(path, line) for (path, _), lines in overloads.items() for line in lines}
    able = [each for each in tree.functions if not is_test(each.path) and any(called.get(one) for one in names[each])]
    able = [each for each in able if (each.path, each.line) not in stubs]
    chosen = sorted(random.Random(wanted.seed).sample(sorted(able), min(wanted.functions, len(able))))
    mentions: dict[Function, list[Mention]] = {}
    for each in chosen:
        found = sorted({mention for name in names[each] for mention in called.get(name, ())})
        dice = random.Random(f"{wanted.seed} {each.path} {each.line}")
        mentions[each] = sorted(dice.sample(found, min(MOST_CALLS, len(found))))
    flat = [mention for each in chosen for mention in mentions[each]]
    roots = [each for each in (".", "src", "tests") if (root / each).is_dir()]
    answers = dict(zip(flat, ask(wanted.jedi, root, roots, flat, wanted.cache), strict=True))
    asked = []
    for each in chosen:
        targets = {(each.path, line) for line in (each.line, *overloads.get((each.path, each.name), ()))}
        if each.last in MAKERS:
            targets.add((each.path, classes.get((each.path, each.name.rpartition(".")[0]), 0)))
        sites: dict[Site, bool | None] = {}
        for mention in mentions[each]:
            answer = _answer(answers[mention].places, targets, each)
            site = (mention.path, mention.line, mention.name)
            sites[site] = answer if site not in sites else sites[site] or answer
        asked.append(Asked(each, sites))
    return asked


def _answer(places: Sequence[Place], targets: set[tuple[str, int]], function: Function) -> bool | None:
    """Say whether one of jedi's places is a target; of members of enumerations it knows the line, but no file."""
    whole = {
        (function.path if not each.path and each.name == function.last else each.path, each.line) for each in places
    }
    return bool(whole & targets) if places else None


def _names(function: Function, aliases: Mapping[str, set[str]]) -> set[str]:
    own = {function.last}
    if function.last in MAKERS:
        own.add(function.name.split(".")[-2] if "." in function.name else function.last)
    return own | {alias for name in own for alias in aliases.get(name, ())}


Lines = dict[tuple[str, str], list[int]]


def _classes_and_aliases(root: Path) -> tuple[dict[tuple[str, str], int], dict[str, set[str]], Lines]:
    """Return lines of classes by path and name, the other names that names are imported under, lines of overloads."""
    classes: dict[tuple[str, str], int] = {}
    aliases: dict[str, set[str]] = defaultdict(set)
    overloads: Lines = defaultdict(list)
    for path in python_files(root):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse((root / path).read_bytes())
        except (SyntaxError, ValueError):
            continue
        for name, node in _named(tree, ""):
            if isinstance(node, ast.ClassDef):
                classes[path, name] = node.lineno
            elif any(ast.unparse(each).rpartition(".")[2] == "overload" for each in node.decorator_list):
                overloads[path, name].append(node.lineno)
        for each in [one for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for one in node.names]:
            if each.asname and each.asname != each.name:
                aliases[each.name].add(each.asname)
    return classes, aliases, overloads


_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _named(node: ast.AST, around: str) -> Iterator[tuple[str, _Named]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Named):
            name = f"{around}.{child.name}" if around else child.name
            yield name, child
            yield from _named(child, name)
        else:
            yield from _named(child, around)


# TypeScript: the compiler says of every call of the tree what it means.


def script_asked(root: Path, wanted: argparse.Namespace) -> list[Asked]:
    """Choose functions of a TypeScript tree, with the compiler's answers about the calls that may mean them."""
    command = ["node", "--max-old-space-size=3000", str(TYPESCRIPT), str(wanted.typescript.resolve()), str(root)]
    tree = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    functions = [Function(path, line, name) for path, line, name in tree["functions"]]
    calls: dict[Site, list[tuple[str, int]] | None] = {}
    for path, line, name, targets in tree["calls"]:
        site = (path, line, name)
        before = calls.get(site)
        some = None if targets is None else [(one[0], one[1]) for one in targets]
        calls[site] = [*before, *(some or ())] if before is not None else some
    by_name: dict[str, list[Site]] = defaultdict(list)
    by_target: dict[tuple[str, int], list[Site]] = defaultdict(list)
    for site, places in calls.items():
        by_name[site[2]].append(site)
        for each in places or ():
            by_target[each].append(site)
    names = {each: _names(each, {}) for each in functions}
    able = [each for each in functions if not _is_script_test(each.path) and any(by_name[one] for one in names[each])]
    asked = []
    for function in sorted(random.Random(wanted.seed).sample(sorted(able), min(wanted.functions, len(able)))):
        target = (function.path, function.line)
        sites = sorted({*by_target[target], *(site for name in names[function] for site in by_name[name])})
        answers = {site: None if (found := calls[site]) is None else target in found for site in sites}
        asked.append(Asked(function, answers))
    return asked


def _is_script_test(path: str) -> bool:
    return is_test(path) or _TEST_FILE.search(path) is not None


# Figures.


def _summary(counts: Sequence[Counts]) -> dict[str, object]:
    differences = Counter(why for each in counts for why, _ in each.differences)
    return {
        "functions": len(counts),
        "with callers": sum(each.theirs > 0 for each in counts),
        "callers": sum(each.theirs for each in counts),
        "known": {
            "precision": _share(counts, "known_right", "known"),
            "recall": _share(counts, "known_right", "theirs"),
        },
        "listed": {
            "precision": _share(counts, "listed_right", "listed"),
            "recall": _share(counts, "listed_right", "theirs"),
        },
        "ours at other places": sum(each.beside for each in counts),
        "differences": dict(differences.most_common()),
    }


def _share(counts: Sequence[Counts], part: str, whole: str) -> dict[str, float]:
    pairs = [(getattr(each, part), getattr(each, whole)) for each in counts]
    dice, shares = random.Random(1), []
    for _ in range(RESAMPLED):
        drawn = dice.choices(pairs, k=len(pairs)) if pairs else []
        shares.append(sum(each[0] for each in drawn) / max(sum(each[1] for each in drawn), 1))
    shares.sort()
    total = sum(each[1] for each in pairs)
    return {
        "share": round(sum(each[0] for each in pairs) / max(total, 1), 4),
        "of": total,
        "low": round(shares[RESAMPLED * 25 // 1000], 4),
        "high": round(shares[RESAMPLED * 975 // 1000 - 1], 4),
    }


def _show(name: str, summary: Mapping[str, object]) -> None:
    print(f"\n{name}: {summary['functions']} functions, {summary['with callers']} with callers: {summary['callers']}")
    for way in ("known", "listed"):
        shares = summary[way]
        assert isinstance(shares, dict)
        for figure, share in shares.items():
            between = f"({share['low']:.3f} to {share['high']:.3f})"
            print(f"  {way:7} {figure:9} {share['share']:.3f} {between} of {share['of']}")
    differences = summary["differences"]
    assert isinstance(differences, dict)
    for why, count in differences.items():
        print(f"  {count:5}  {why}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jedi", default="", metavar="PYTHON", help="a Python that has jedi")
    parser.add_argument("--typescript", type=Path, default=Path("typescript.js"), metavar="FILE")
    parser.add_argument("--data", type=Path, action="append", required=True, help="a git work tree; may be repeated")
    parser.add_argument("--functions", type=int, default=200, help="how many of each source tree")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=Path(".memory/local/jedi"), help="where jedi's answers are kept")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", default="", metavar="PART", help="list the differences whose class has this part")
    given = parser.parse_args()
    given.data = [each.resolve() for each in given.data]
    return given


if __name__ == "__main__":
    main()
