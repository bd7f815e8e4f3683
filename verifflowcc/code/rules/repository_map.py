"""An overview of a repository in so many tokens: the files that others lean on, each with what it offers them."""

import re
from collections.abc import Callable, Mapping, Sequence
from posixpath import dirname

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.graph import CALLABLE, TYPES, Definition, SearchedCode, outwards

# Which files import which, as far as they are of the repository: the graph of files, and walks in it.

RULES = "5"
"""To be raised with every change of what `graph_of` returns for the same files."""
STEPS, DAMPING = 5, 0.85

_Asked = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class FileGraph:
    """All files, by path. By the places of these: `near` has the files that one imports or that import it, `central`
    how much the others lean on it, 1.0 for the most: of files without a mark, among themselves.
    """

    paths: Sequence[str]
    near: Sequence[Sequence[int]]
    central: Sequence[float]


def graph_of(code: SearchedCode) -> FileGraph:
    """Return the graph of all files."""
    paths = sorted(code.files)
    place = {path: number for number, path in enumerate(paths)}
    found = _links_of(code)
    links = [[place[other] for other in found[path]] for path in paths]
    plain = [not code.files[path].marks for path in paths]
    among = [[other for other in row if plain[other]] if plain[here] else [] for here, row in enumerate(links)]
    central = page_rank([float(each) for each in plain], both_ways(among))
    most = max(central, default=0.0) or 1.0
    return FileGraph(paths, both_ways(links), [value / most for value in central])


def page_rank(seeds: Sequence[float], near: Sequence[Sequence[int]]) -> list[float]:
    """Return how much of the seeds' weight comes by at each place when it walks to what is near, five steps."""
    total = sum(seeds)
    if not total:
        return [0.0] * len(seeds)
    start = [seed / total for seed in seeds]
    rank = start
    for _ in range(STEPS):
        step = [(1.0 - DAMPING) * value for value in start]
        for value, around in zip(rank, near, strict=True):
            if value and around:
                share = DAMPING * value / len(around)
                for other in around:
                    step[other] += share
        rank = step
    return rank


def both_ways(links: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return for each place what it links to or is linked from, sorted; nothing is near itself."""
    around: list[set[int]] = [set() for _ in links]
    for here, others in enumerate(links):
        for other in others:
            if other != here:
                around[here].add(other)
                around[other].add(here)
    return [sorted(near) for near in around]


def _links_of(code: SearchedCode) -> dict[str, tuple[str, ...]]:
    """Path → the files that it imports; of a package that is a folder alone, none.

    What an import means is asked once for each folder.
    """
    from verifflowcc.code.rules.bind_names import NameLookup  # where the graph is not kept yet

    names = NameLookup(code)
    known: dict[_Asked, tuple[str, ...]] = {}
    found: dict[str, tuple[str, ...]] = {}
    for path, taken in code.imports().items():
        folder = dirname(path)
        meant: set[str] = set()
        for each in taken:
            key = (folder, code.files[path].language, each.module, each.name, each.alias)
            if key not in known:
                known[key] = tuple([module for module in names.loaded(path, each) if not module.endswith("/")])
            meant.update(known[key])
        found[path] = tuple(sorted(meant))
    return found


_ASIDE_FOLDER = lazy_pattern(
    r"(?:^|/)[_.]?(?:docs?(?:[_-]\w+)?|(?:[\w-]+[_-])?examples?|samples?|demos?|scripts?|tools?|bench(?:es|marks?)?"
    r"|sandbox|playground)/",
    re.IGNORECASE,
)
"""Code in such a folder is beside what a repository is about: what shows, tries or builds it."""
_ASIDE_NAME = lazy_pattern(
    r"\.d\.[cm]?ts$|^(?:setup\.py|mage(?:file)?\.go|(?:grunt|gulp)file\.[cm]?[jt]s|.*\.conf(?:ig)?\.[cm]?[jt]s"
    r"|\..*rc\.[cm]?js)$",
    re.IGNORECASE | re.DOTALL,
)
"""So is a file with such a name: what declares it."""
_ASIDE_STEMS = frozenset({"setup", "mage", "magefile", "gruntfile", "gulpfile"})
"""What such a name begins with, unless it has a dot more than most names have."""


def aside_among(paths: Sequence[str]) -> list[bool]:
    """Say of each path whether it is beside what a repository is about; each folder is looked at once."""
    folders: dict[str, bool] = {}
    found = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        aside = folders.get(folder)
        if aside is None:
            aside = folders[folder] = _ASIDE_FOLDER.search(f"{folder}/") is not None
        stem = name.rpartition(".")[0]
        if not aside and ("." in stem or stem.lower() in _ASIDE_STEMS):
            aside = _ASIDE_NAME.search(name) is not None
        found.append(aside)
    return found


SHOWN_FILES = 400
"""So many of the files that others lean on most are looked into."""

SYMBOLS_EACH = 40
"""No file shows more."""


@dataclass(frozen=True, slots=True)
class MapLine:
    """A symbol that a map may show; `depth` is the number of types around it."""

    path: str
    line: int
    signature: str
    depth: int


@dataclass(frozen=True, slots=True)
class MapText:
    """The text of a map with how many files and symbols are in it, and its tokens."""

    text: str
    tokens: int
    files: int
    symbols: int


def map_of(code: SearchedCode, graph: FileGraph, budget_tokens: int, count: Callable[[str], int]) -> MapText:
    """Return the largest map that fits: the same for the same code and budget.

    Files with a mark (tests, vendored ones) come only after all others.
    """
    order = file_order(code, graph)
    shown = order[:SHOWN_FILES]
    code.heads(shown)
    symbols = {path: _symbols(path, code.head(path).definitions) for path in shown}
    low, high = 0, sum(1 + len(symbols[path]) for path in shown)
    best = MapText("", 0, 0, 0)
    while low <= high:
        middle = (low + high) // 2
        tried = _rendered(shown, symbols, middle)
        tokens = count(tried.text)
        if tokens <= budget_tokens:
            best = MapText(tried.text, tokens, tried.files, tried.symbols)
            low = middle + 1
        else:
            high = middle - 1
    return best


def file_order(code: SearchedCode, graph: FileGraph) -> list[str]:
    """Return every file, those that others lean on first."""
    central = dict(zip(graph.paths, graph.central, strict=True))
    return sorted(code.files, key=lambda path: (bool(code.files[path].marks), -central[path], path))


def _symbols(path: str, definitions: Sequence[Definition]) -> list[MapLine]:
    """Types and what they do, and functions of the file itself; what begins with an underscore comes last."""
    found = []
    for place, each in enumerate(definitions):
        if each.kind in CALLABLE or each.kind in TYPES:
            depth = _depth(definitions, place)
            if depth is not None:
                found.append((each.name.startswith("_"), MapLine(path, each.line, each.signature or each.name, depth)))
    found.sort(key=lambda pair: (pair[0], pair[1].line))
    return [line for _, line in found[:SYMBOLS_EACH]]


def _depth(definitions: Sequence[Definition], place: int) -> int | None:
    """Return the number of types around a definition; None inside of a function."""
    around = [definitions[each].kind for each in outwards(definitions, place)]
    return None if any(kind in CALLABLE for kind in around) else len(around)


def _rendered(order: Sequence[str], symbols: Mapping[str, Sequence[MapLine]], wanted: int) -> MapText:
    """The first `wanted` lines, dealt out in rounds: each file, then its first symbol, its second, and so on."""
    dealt = _dealt(order, symbols, wanted)
    lines: list[str] = []
    number = 0
    for path in sorted(dealt):
        lines.append(path)
        for each in sorted(symbols[path][: dealt[path]], key=lambda each: each.line):
            lines.append(f"{'  ' * (each.depth + 1)}{each.line}: {each.signature}")
            number += 1
    return MapText("\n".join(lines) + "\n" if lines else "", 0, len(dealt), number)


def _dealt(order: Sequence[str], symbols: Mapping[str, Sequence[MapLine]], wanted: int) -> dict[str, int]:
    """Path → how many of its symbols are shown.

    A file's place in the order puts off its symbols: the n-th symbol of the k-th file comes as late as the file at
    k + n * PACE, so that the first files show most.
    """
    queue = [(place, place, -1) for place in range(len(order))]
    for place, path in enumerate(order):
        queue += [(place + number * PACE, place, number) for number in range(len(symbols[path]))]
    queue.sort()
    dealt: dict[str, int] = {}
    for _, place, number in queue[:wanted]:
        path = order[place]
        dealt[path] = max(dealt.get(path, 0), number + 1)
    return dealt


PACE = 2
"""By how many files one more symbol of a file is put off."""
