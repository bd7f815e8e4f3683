"""Which file and symbol of the tree a test of a report is, whatever its tool calls it."""

import re
from collections.abc import Iterable, Iterator

from verifflowcc.domain.trace import CodeFile
from verifflowcc.formats.junit_claims import ProjectPaths
from verifflowcc.records import dataclass

_ARGUMENTS = re.compile(r"[\[({]")
_SEPARATORS = re.compile(r"[./\\:$>#\s]+")
_NOT_LETTERS = re.compile(r"[\W_]+")
_DEEPEST = 30


@dataclass(frozen=True, slots=True)
class Located:
    """A test: its name, its file and symbol as far as they were found ("" where not), and whether the tree has it."""

    test: str
    path: str = ""
    symbol: str = ""
    known: bool = False


class TestPlaces:
    """Looks up tests by (classname, name, file) among files that are read with their symbols."""

    __test__ = False

    def __init__(self, code: Iterable[CodeFile]) -> None:
        self._files = {file.path: file for file in code if file.test or file.symbols}
        self._symbols = {path: {each.name for each in file.symbols} for path, file in self._files.items()}
        self._paths = ProjectPaths(self._files)
        self._by_stem: dict[str, list[tuple[str, ...]]] = {}
        self._path_of: dict[tuple[str, ...], str] = {}
        self._by_last: dict[str, set[tuple[str, str]]] = {}
        self._by_title: dict[str, set[tuple[str, str]]] = {}
        self._in_folder: dict[str, list[str]] = {}
        for path, file in self._files.items():
            self._add(path, file)

    def find(self, classname: str, name: str, file: str) -> Located:
        """Return where a test stands. One that is nowhere is named as the report names it, without its arguments."""
        bare = _ARGUMENTS.split(name, maxsplit=1)[0].strip() or name
        for path, within in self._candidates(classname, file):
            symbol = self._symbol(path, within, bare, name)
            if symbol:
                return Located(f"{path}::{symbol}", path, symbol, known=True)
            if self._inherited(path, within):
                return Located(f"{path}::{'.'.join((*within, bare))}", path, ".".join(within), known=True)
        only = self._by_name(classname, bare, name)
        if only:
            return Located(f"{only[0]}::{only[1]}", *only, known=True)
        return Located(f"{classname}::{bare}" if classname else bare, known=False)

    def _add(self, path: str, file: CodeFile) -> None:
        names = path.split("/")
        self._in_folder.setdefault("/".join(names[:-1]), []).append(path)
        for stem in dict.fromkeys((names[-1], names[-1].rpartition(".")[0], names[-1].partition(".")[0])):
            if stem:
                dotted = (*names[:-1], stem)
                self._path_of.setdefault(dotted, path)
                self._by_stem.setdefault(stem, []).append(dotted)
        for each in file.symbols:
            self._by_last.setdefault(each.name.rpartition(".")[2], set()).add((path, each.name))
            self._by_title.setdefault(_letters(each.name), set()).add((path, each.name))

    def _candidates(self, classname: str, file: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield files that a test may stand in, with the names of the classes around it, the likeliest first."""
        names = tuple(name for name in _SEPARATORS.split(classname) if name)[:_DEEPEST]
        path = self._paths.find(file) if file else None
        if path:
            yield path, self._behind(names, path)
            yield path, ()
        whole = self._paths.find(classname) if classname else None
        if whole:
            yield whole, ()
        found = [
            (len(dotted), self._path_of[dotted], names[end:])
            for end in range(1, len(names) + 1)
            for dotted in self._by_stem.get(names[end - 1], ())
            if _ends_alike(dotted, names[:end])
        ]
        most = max((length for length, _, _ in found), default=0)
        best = [each for each in found if each[0] == most]
        if len({path for _, path, _ in best}) == 1:
            yield from ((path, within) for _, path, within in best)
        for folder in self._folders(classname):
            yield from ((path, ()) for path in self._in_folder[folder])

    def _behind(self, names: tuple[str, ...], path: str) -> tuple[str, ...]:
        stem = path.rpartition("/")[2].partition(".")[0]
        return names[names.index(stem) + 1 :] if stem in names else names

    def _folders(self, classname: str) -> list[str]:
        """Return the folder that a package of Go means: the longest that its name ends with."""
        found = [folder for folder in self._in_folder if folder and f"/{classname}".endswith(f"/{folder}")]
        return [max(found, key=len)] if found else ([""] if classname and "" in self._in_folder and not found else [])

    def _symbol(self, path: str, within: tuple[str, ...], bare: str, name: str) -> str:
        """Return the symbol of a test in a file; "" where it has none such."""
        symbols = self._symbols[path]
        last = _SEPARATORS.split(bare)[-1]
        stem = path.rpartition("/")[2].partition(".")[0]
        for words in ((*within, bare), (*within, last), (stem, *within, bare), (stem, *within, last)):
            if ".".join(words) in symbols:
                return ".".join(words)
        titles = [each for each in symbols if _letters(each) == _letters(" ".join((*within, name)))]
        titles = titles or [each for each in symbols if _letters(each) == _letters(name)]
        if len(titles) == 1:
            return titles[0]
        ends = {full for at, full in self._by_last.get(last, ()) if at == path}
        around = [full for full in ends if not within or within[-1] in full.split(".")[:-1]]
        if len(around) == 1:
            return around[0]
        subtest = bare.partition("/")[0]
        return subtest if subtest in symbols else ""

    def _inherited(self, path: str, within: tuple[str, ...]) -> bool:
        """Whether the class of a test is in the file: its method then stands in another class."""
        return bool(within) and ".".join(within) in self._symbols[path]

    def _by_name(self, classname: str, bare: str, name: str) -> tuple[str, str] | None:
        """Return the only symbol of a test file that has the whole title, or the name and a word of the class."""
        for title in (name, f"{classname} {name}", classname):
            found = self._of_tests(self._by_title.get(_letters(title), ())) if len(_letters(title)) > 3 else []
            if len(found) == 1:
                return found[0]
        words = set(_SEPARATORS.split(f"{classname} {bare}"))
        last = _SEPARATORS.split(bare)[-1]
        near = [
            (path, symbol)
            for path, symbol in self._of_tests(self._by_last.get(last, ()))
            if words & {*symbol.split(".")[:-1], *(part.partition(".")[0] for part in path.split("/"))}
        ]
        return near[0] if len(near) == 1 else None

    def _of_tests(self, found: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        return [each for each in found if self._files[each[0]].test]


def _ends_alike(dotted: tuple[str, ...], names: tuple[str, ...]) -> bool:
    least = min(len(dotted), len(names))
    return dotted[-least:] == names[-least:]


def _letters(title: str) -> str:
    return _NOT_LETTERS.sub(" ", title).strip().lower()
