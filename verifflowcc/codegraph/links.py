"""Which files import which, as far as they are of the repository: the graph of files, and walks in it."""

from collections.abc import Sequence
from posixpath import dirname

from verifflowcc.codegraph.bind_names import Names
from verifflowcc.domain.graph import SearchedCode
from verifflowcc.records import dataclass

RULES = "4"
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
    names = Names(code)
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
