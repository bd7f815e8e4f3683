"""Whether a test in a report is one of this tree's: its file is there, or its name stands in some file.

Names reach a report in many spellings (`tests.test_a.TestB`, `com.acme.FooTest$Inner`, `github.com/acme/pkg`, a
sentence), some with values that stand nowhere in the source. So the check is lenient: it is there to see a report of
another tree, where next to nothing is known.
"""

import re
from collections.abc import Iterable

from verifflowcc.formats.report_paths import ProjectPaths
from verifflowcc.records import dataclass

_WORD = re.compile(r"\b[^\W\d]\w*")
_NUMBERED = re.compile(r"(.+?)_\d+(?:_.*)?")
_SEPARATORS = re.compile(r"[./\\:$>\s]+")
_ARGUMENTS = re.compile(r"[\[({]")
_BY_THE_RUNNER = frozenset({"runTest"})
"""Names that a test framework gives to tests itself."""
_DEEPEST = 30


@dataclass(frozen=True, slots=True)
class Known:
    """The project's paths, and the identifiers that stand in its files."""

    paths: frozenset[str]
    words: frozenset[str]


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return every identifier in the texts, in any script.

    >>> sorted(words_of(["def prüfe(x1): ...", "it('adds 2')"]))
    ['adds', 'def', 'it', 'prüfe', 'x1']
    """
    found: set[str] = set()
    for text in texts:
        found.update(_WORD.findall(text))
    return frozenset(found)


class KnownTests:
    """Looks up tests by (classname, name, file)."""

    def __init__(self, known: Known) -> None:
        self._paths = ProjectPaths(known.paths)
        self._words = known.words
        self._by_stem: dict[str, set[str]] = {}
        self._folders: dict[str, set[str]] = {}
        self._places: dict[tuple[str, str], bool] = {}
        for path in known.paths:
            self._add(path)

    def has(self, classname: str, name: str, file: str) -> bool:
        """Say whether both the place and the name of a test are of this tree."""
        place = (classname, file)
        if place not in self._places:
            self._places[place] = self._place_is_known(classname, file)
        return self._places[place] and self._name_is_known(name)

    def _add(self, path: str) -> None:
        """Remember a path without its extensions, and its folders, by their last names."""
        folder, _, file = path.rpartition("/")
        before = f"{folder}/" if folder else ""
        for stem in {file, file.rpartition(".")[0], file.partition(".")[0]} - {""}:
            self._by_stem.setdefault(stem, set()).add(before + stem)
        while folder:
            known = self._folders.setdefault(folder.rpartition("/")[2], set())
            if folder in known:
                return
            known.add(folder)
            folder = folder.rpartition("/")[0]

    def _place_is_known(self, classname: str, file: str) -> bool:
        if not classname.strip():
            return not file or self._paths.find(file) is not None
        if (file and self._paths.find(file)) or self._paths.find(classname):
            return True
        words = _WORD.findall(classname)
        if not words or self._word_is_known(words[-1]) or self._path_is_in(classname, whole=False):
            return True
        return re.search(r"\s", classname.strip()) is not None and self._sentence(words)

    def _path_is_in(self, dotted: str, *, whole: bool) -> bool:
        """Say whether the dotted names are a path of the tree, or the end of one, perhaps with more before it; and, if
        not `whole`, with classes behind it.
        """
        names = [name for name in _SEPARATORS.split(dotted) if name][-_DEEPEST:]
        for end in range(len(names), len(names) - 1 if whole else 0, -1):
            way = "/" + "/".join(names[:end])
            stems = self._by_stem.get(names[end - 1], set())
            # A package of Go or Java is a folder; only a whole name is one, else every `tests.x` would be known.
            folders = self._folders.get(names[end - 1], set()) if end == len(names) else set()
            for stem in stems | folders:
                if way.endswith("/" + stem) or ("/" + stem).endswith(way):
                    return True
        return False

    def _name_is_known(self, name: str) -> bool:
        if self._paths.find(name):
            return True
        words = _WORD.findall(_ARGUMENTS.split(name, maxsplit=1)[0])
        if not words:
            return True
        head = _ARGUMENTS.split(name, maxsplit=1)[0].strip()
        if re.search(r"\s", head):
            return self._sentence(words)
        # `TestA/with_b` is a part of TestA; in `pkg.mod.f` and `mod::f` the last is the test.
        first = _WORD.findall(head.partition("/")[0])
        return self._word_is_known((first or words)[-1]) or self._path_is_in(head, whole=True)

    def _sentence(self, words: list[str]) -> bool:
        """At least half of the words: the others may be values that were put into it."""
        return 2 * sum(map(self._word_is_known, words)) >= len(words)

    def _word_is_known(self, word: str) -> bool:
        if word in self._words or word in self._by_stem or word in _BY_THE_RUNNER:
            return True
        numbered = _NUMBERED.fullmatch(word)
        return numbered is not None and numbered[1] in self._words
