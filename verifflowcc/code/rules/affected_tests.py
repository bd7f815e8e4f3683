"""The tests among the definitions that a change reaches, as their runners name them."""

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from posixpath import basename
from typing import TYPE_CHECKING

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.bind_queries import imported_by
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.changed_code import Node, Reach, Reached, definitions_at, heirs_of
from verifflowcc.code.rules.code_views import AffectedTest, CommandForTests
from verifflowcc.code.rules.graph import (
    CALLABLE,
    FILE,
    TYPES,
    Definition,
    Mark,
    SearchedCode,
    SourceFile,
    column_of,
    outwards,
)
from verifflowcc.code.rules.rank_units import FileWeights, by_words, idf
from verifflowcc.code.rules.task_words import CountedTexts, TaskTerms, count_texts, words_in

if TYPE_CHECKING:
    from verifflowcc.base.model.testcases import TestCase

_SETUP = frozenset(
    "setUp setUpClass setUpTestData asyncSetUp tearDown tearDownClass setup_method setup_class setup teardown_method"
    " teardown_class set_up tear_down SetUp TearDown before after".split()
)
_FIXTURE = lazy_pattern(r"@[\w.]*fixture\b")
_AUTOUSE = lazy_pattern(r"autouse\s*=\s*True")
_ATTRIBUTE = lazy_pattern(
    r"#\[(?:\w+::)*(?:test|rstest|test_case)\b|@(?:\w+\.)*(?:Test|ParameterizedTest)\b|\[(?:Fact|Theory|Test)\b"
)
_GO_TEST = lazy_pattern(r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])")
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_BY_ATTRIBUTE = frozenset({"rust", "java", "csharp"})


class TestFinder:
    """Finds tests in the code of one state. Texts and cases are read once."""

    __test__ = False

    def __init__(self, binder: Binder, code: SearchedCode) -> None:
        self._binder, self._code = binder, code
        self._lines: dict[str, Sequence[str]] = {}
        self._cases: dict[str, tuple[TestCase, ...]] = {}
        self._heirs: dict[str, dict[int, tuple[Node, ...]]] = {}
        self._members: dict[str, dict[int, list[int]]] = {}
        self._typed: dict[Node, tuple[tuple[str, str], ...]] = {}
        self._sets_up: dict[Node, Sequence[tuple[str, str]]] = {}

    def among(self, changed: Iterable[Node], reached: Iterable[Reached]) -> tuple[AffectedTest, ...]:
        """Return the tests among what is changed and what is reached, nearest first, then by path and name."""
        every = [Reached(path, place, 0, 0, 100, (path, place)) for path, place in changed]
        found: dict[str, AffectedTest] = {}
        for each in (*every, *reached):
            for test in self._tests_of(each):
                kept = found.get(test.id)
                if kept is None or (test.distance, -test.confidence) < (kept.distance, -kept.confidence):
                    found[test.id] = test
        return tuple(sorted(found.values(), key=lambda each: (each.distance, -each.confidence, each.path, each.name)))

    def inside(self, path: str, lines: Iterable[int] | None = None) -> tuple[AffectedTest, ...]:
        """Return the tests of a file; those alone that hold any of some lines, where these are given."""
        file = self._code.files.get(path)
        if file is None:
            return ()
        if file.language in _SCRIPTS:
            places = lines if lines is not None else [case.line for case in self._cases_of(path)]
            nodes = [Reached(path, FILE, line, 0, 100, (path, FILE)) for line in places]
        else:
            definitions = self._code.head(path).definitions
            held = range(len(definitions)) if lines is None else sorted(definitions_at(definitions, lines))
            nodes = [Reached(path, place, 0, 0, 100, (path, place)) for place in held]
        return self.among((), nodes)

    def counted(self, path: str) -> CountedTexts | None:
        """Return the tests of a file by the words of each, as far as it is kept; None where its text is gone."""

        def count() -> CountedTexts:
            if self._code.text(path) is None:
                raise FileNotFoundError(path)
            return count_texts(TestFinder(self._binder, self._code).texts(path))

        try:
            return self._binder.names.recalled(f"tests {path}", count, CountedTexts.plain, CountedTexts.of)
        except FileNotFoundError:
            return None

    def importing(self, path: str) -> set[str]:
        """Return the files that import a file, as far as it is kept."""
        by, names = self._binder, self._binder.names
        return names.recalled(f"importing {path}", lambda: {each.path for each in imported_by(by, path)}, sorted, set)

    def texts(self, path: str) -> dict[str, str]:
        """Return the lines of each test of a file, by its name."""
        file = self._code.files.get(path)
        if file is None:
            return {}
        self._binder.names.sheet(path)  # which notes that it is read
        lines = self._text(path)
        found: dict[str, str] = {}
        if file.language in _SCRIPTS:
            cases = self._cases_of(path)
            ends = [*(case.line - 1 for case in cases[1:]), len(lines)][: len(cases)]
            for case, end in zip(cases, ends, strict=True):
                found[case.name] = "\n".join(lines[case.line - 1 : end])
            return found
        if not _may_hold_tests(file):
            return {}
        definitions = self._code.head(path).definitions
        kinds, starts, begins, lasts = [column_of(definitions, name) for name in ("kind", "start", "line", "end")]
        for place, kind in enumerate(kinds):
            if kind in CALLABLE and self._is_test(path, definitions[place], file.language):
                text = "\n".join(lines[(starts[place] or begins[place]) - 1 : lasts[place]])
                for other, name in self._of_type(path, definitions, place, file.language):
                    if other == path:
                        found.setdefault(name, text)
        return found

    def _tests_of(self, each: Reached) -> Iterator[AffectedTest]:
        file = self._code.files.get(each.path)
        if file is None or not _may_hold_tests(file):
            return
        why = self._why(each)
        for path, name in self._named(each, file.language):
            yield AffectedTest(path, name, file.language, each.distance, each.confidence, why)

    def _why(self, each: Reached) -> str:
        if not each.distance:
            return "changed"
        path, place = each.through
        name = self._qualified(path, place)
        return f"uses {name}" if each.distance == 1 else f"{each.distance} steps, through {name}"

    def _named(self, each: Reached, language: str) -> Iterator[tuple[str, str]]:
        if language in _SCRIPTS:
            yield from self._script_cases(each)
            return
        definitions = self._code.head(each.path).definitions
        if each.place == FILE:
            if language == "python" and each.distance and self.texts(each.path):
                yield each.path, ""  # pytest would end with an error for a file of helpers
            return
        test = self._test_around(definitions, each, language)
        if test is not None:
            yield from self._of_type(each.path, definitions, test, language)
            return
        if language == "python":
            yield from self._by_fixture(each, definitions)

    def _test_around(self, definitions: Sequence[Definition], each: Reached, language: str) -> int | None:
        place = each.place
        while place != FILE:
            definition = definitions[place]
            if definition.kind in CALLABLE and self._is_test(each.path, definition, language):
                return place
            place = definition.parent
        return None

    def _is_test(self, path: str, each: Definition, language: str) -> bool:
        if language == "go":
            return _GO_TEST.match(each.name) is not None
        if language in _BY_ATTRIBUTE:
            above = self._text(path)[max((each.start or each.line) - 1, 0) : each.line]
            return any(_ATTRIBUTE.search(line) for line in above)
        return each.name.lower().startswith("test")

    def _tests_in(self, path: str, parent: int) -> Sequence[int]:
        """Return the definitions right inside of one that are called as tests of Python are."""
        members = self._members.get(path)
        if members is None:
            members = self._members[path] = {}
            definitions = self._code.head(path).definitions
            both = zip(column_of(definitions, "parent"), column_of(definitions, "name"), strict=True)
            for place, (around, name) in enumerate(both):
                if name.startswith("test"):
                    members.setdefault(around, []).append(place)
        return members.get(parent, ())

    def _of_type(
        self, path: str, definitions: Sequence[Definition], place: int, language: str
    ) -> Sequence[tuple[str, str]]:
        """Return a test by its name; of a class that is only inherited from, for each class that inherits it."""
        found = self._typed.get((path, place))
        if found is None:
            found = self._typed[path, place] = tuple(self._named_by_type(path, definitions, place, language))
        return found

    def _named_by_type(
        self, path: str, definitions: Sequence[Definition], place: int, language: str
    ) -> Iterator[tuple[str, str]]:
        each = definitions[place]
        separator = "::" if language in ("python", "rust") else "."
        outer = []
        around = each.parent
        while around != FILE:
            outer.append(definitions[around].name)
            around = definitions[around].parent
        parent = each.parent
        if language == "python" and parent != FILE and definitions[parent].kind in TYPES:
            heirs = self._heirs_of(path, parent)
            for other, heir in heirs:
                yield other, f"{self._code.head(other).definitions[heir].name}::{each.name}"
            bare = definitions[parent].signature.rstrip(" :").endswith(definitions[parent].name)
            if heirs and not definitions[parent].name.startswith("Test") and bare:
                return
        yield path, separator.join([*reversed(outer), each.name])

    def _heirs_of(self, path: str, place: int) -> Sequence[Node]:
        """Return the types that inherit from a type: each of its tests asks for them, so those of a file are kept."""
        sheet = self._binder.names.sheet(path)
        if not sheet.is_type(place):
            return heirs_of(self._binder, path, place)
        found = self._heirs.get(path)
        if found is None:
            types = [each for each in range(len(sheet.names)) if sheet.is_type(each)]
            found = self._heirs[path] = self._binder.names.recalled(
                f"heirs {path}",
                lambda: {each: heirs for each in types if (heirs := heirs_of(self._binder, path, each))},
                lambda heirs: [*heirs.items()],
                lambda rows: {each: tuple([(other, heir) for other, heir in heirs]) for each, heirs in rows},
            )
        return found.get(place, ())

    def _by_fixture(self, each: Reached, definitions: Sequence[Definition]) -> Iterator[tuple[str, str]]:
        """Yield the tests that run a function without calling it: a fixture of pytest, or what sets a class up."""
        definition = definitions[each.place]
        if definition.name in _SETUP and definition.parent != FILE:
            yield from self._set_up(each.path, definition.parent)
            return
        above = self._text(each.path)[(definition.start or definition.line) - 1 : definition.line]
        if definition.kind in CALLABLE and any(_FIXTURE.match(line.strip()) for line in above):
            automatic = any(_AUTOUSE.search(line) for line in above)
            yield from self._with_fixture(each.path, definition.name, automatic, set())

    def _set_up(self, path: str, place: int) -> Sequence[tuple[str, str]]:
        """Return the tests of a class, and of those that inherit from it."""
        found = self._sets_up.get((path, place))
        if found is None:
            found = self._sets_up[path, place] = [
                named
                for other, around in ((path, place), *self._heirs_of(path, place))
                for test in self._tests_in(other, around)
                for named in self._of_type(other, self._code.head(other).definitions, test, "python")
            ]
        return found

    def _with_fixture(
        self, path: str, name: str, automatic: bool, seen: set[tuple[str, str]]
    ) -> Iterator[tuple[str, str]]:
        """Yield the tests that take a fixture as a parameter, or take one that does."""
        seen.add((path, name))
        folder, _, last = path.rpartition("/")
        scope = [path]
        if last == "conftest.py":
            below = f"{folder}/" if folder else ""
            scope = [
                each
                for each, file in self._code.files.items()
                if each.startswith(below) and Mark.TEST in file.marks and file.language == "python"
            ]
        self._code.heads(scope)
        taking = re.compile(rf"[(,]\s*\*?{re.escape(name)}\s*[,:)=]")
        for each in scope:
            definitions = self._code.head(each).definitions
            for place, other in enumerate(definitions):
                if other.kind not in CALLABLE or not (automatic or taking.search(other.signature)):
                    continue
                if other.name.startswith("test"):
                    yield from self._of_type(each, definitions, place, "python")
                elif not automatic and (each, other.name) not in seen:
                    above = self._text(each)[(other.start or other.line) - 1 : other.line]
                    if any(_FIXTURE.match(line.strip()) for line in above):
                        again = any(_AUTOUSE.search(line) for line in above)
                        yield from self._with_fixture(each, other.name, again, seen)

    def _script_cases(self, each: Reached) -> Iterator[tuple[str, str]]:
        """Yield the case around a line; the whole file for a line before the first one."""
        cases = self._cases_of(each.path)
        if cases and each.place == FILE and each.line:
            before = [case for case in cases if case.line <= each.line]
            yield each.path, before[-1].name if before else ""

    def _cases_of(self, path: str) -> "tuple[TestCase, ...]":
        from verifflowcc.code.rules.source_testcases import CASES_OF, read_cases

        if path not in self._cases:
            language, data = self._code.files[path].language, self._code.text(path) or b""
            read = read_cases(language, data) if language in CASES_OF else {}
            self._cases[path] = tuple(sorted(read.values(), key=lambda case: case.line))
        return self._cases[path]

    def _qualified(self, path: str, place: int) -> str:
        return self._code.head(path).definitions[place].name if place != FILE else path

    def _text(self, path: str) -> Sequence[str]:
        if path not in self._lines:
            self._lines[path] = (self._code.text(path) or b"").decode("utf-8", "replace").split("\n")
        return self._lines[path]


def _may_hold_tests(file: SourceFile) -> bool:
    return Mark.TEST in file.marks or file.language == "rust"


def with_trace_tests(
    tests: Sequence[AffectedTest], named: Iterable[str], code: SearchedCode
) -> tuple[AffectedTest, ...]:
    """Return the tests with those that trace items name, as `path::name`, which are not among them."""
    known = {each.id for each in tests}
    more = []
    for each in named:
        path, _, name = each.partition("::")
        if each not in known and path in code.files:
            more.append(AffectedTest(path, name, code.files[path].language, 0, 100, "a test of a trace item"))
    return (*tests, *more)


# Tests that probably concern a change, though no reference is seen: those that share most words with it.
#
# Frameworks call by route, event or registration, so that many tests reach a change without naming it.


@dataclass(frozen=True, slots=True)
class LikelyWeights:
    """What each part of the evidence weighs; the best test by words has 1.0, and so has the best file.

    `body` is for a word of a changed body, 1.0 for one of a changed name; `share` is the largest share of the tests in
    the files looked at that is returned, `fewest` what is returned in any case, `least` the least score, as a share of
    the best one, `own` the least share of the best score by words.
    """

    body: float = 0.25
    file: float = 0.6
    names: float = 4.0
    imports: float = 0.5
    share: float = 0.2
    fewest: int = 8
    most: int = 250
    least: float = 0.35
    own: float = 0.15


ENOUGH = 250
"""Where so many tests are known, and not all code was followed, all are to be run: none is sought by words."""
FILES = 60
"""Tests of so many of the best files are looked at."""
SURE = 50
"""The confidence of a test by its words alone: possible, not known."""
_KEYWORDS = frozenset(
    word
    for text in (
        "def return self class else elif while import from none true false func function const let var this new async"
        " await int str bool string None null undefined pub impl struct fn nil err error try except catch raise throw"
        " public private static void final export default package type interface assert test"
    ).split()
    for word in words_in(text)
)
_LINES = 60
"""So many lines of a changed definition give words."""
_STEM = ("test_", "_test", ".test", ".spec", "_spec", "Test", "Tests")


def likely_tests(
    finder: TestFinder,
    code: SearchedCode,
    changed: Sequence[Node],
    known: Collection[str],
    weights: LikelyWeights | None = None,
) -> tuple[AffectedTest, ...]:
    """Return tests that are not `known`, by id, best first: those whose words are most like the changed code's."""
    by = weights or LikelyWeights()
    wanted = _words_of(code, changed, by)
    if not wanted:
        return ()
    files = _files(finder, code, changed, wanted, by)
    counted = {path: texts for path in files if (texts := finder.counted(path)) is not None}
    tests = [(path, name) for path, each in counted.items() for name in each.names]
    if not tests:
        return ()
    scores = _scores(list(counted.values()), wanted, by)
    best = max(scores) or 1.0
    total = [
        (score / best + by.file * files[test[0]], test)
        for test, score in zip(tests, scores, strict=True)
        if score >= by.own * best
    ]
    ordered = sorted(total, key=lambda pair: (-pair[0], pair[1]))
    limit = min(max(int(by.share * len(tests)), by.fewest), by.most)
    top = ordered[0][0] if ordered else 0.0
    found = [
        AffectedTest(path, name, code.files[path].language, 0, SURE, "shares words with the change")
        for score, (path, name) in ordered[:limit]
        if score >= by.least * top
    ]
    return tuple(each for each in found if each.id not in known)


def _words_of(code: SearchedCode, changed: Iterable[Node], by: LikelyWeights) -> dict[str, float]:
    found: dict[str, float] = {}
    for path, place in changed:
        stem = basename(path).partition(".")[0]
        for word in words_in(stem):
            found[word] = max(found.get(word, 0.0), 0.5)
        if place == FILE:
            continue
        definitions = code.head(path).definitions
        each = definitions[place]
        names = [each.name, *(definitions[outer].name for outer in outwards(definitions, place))]
        if each.owner:
            names.append(each.owner)
        for number, name in enumerate(names):
            for word in words_in(name):
                found[word] = max(found.get(word, 0.0), 0.6 if number else 1.0)
        lines = (code.text(path) or b"").decode("utf-8", "replace").split("\n")[each.line - 1 : each.end][:_LINES]
        for word in words_in("\n".join(lines)):
            if word not in _KEYWORDS:
                found.setdefault(word, by.body)
    return found


def _files(
    finder: TestFinder, code: SearchedCode, changed: Iterable[Node], wanted: Mapping[str, float], by: LikelyWeights
) -> dict[str, float]:
    """Return the best test files with their scores, the best 1.0: by words, by name, and by what they import."""
    tests = {path for path, file in code.files.items() if Mark.TEST in file.marks and file.language}
    scores = by_words(TaskTerms(wanted, frozenset(), frozenset()), code, FileWeights(names=3.0), tests)
    most = max(scores.values(), default=0.0) or 1.0
    for path in sorted({path for path, _ in changed}):
        importing = finder.importing(path)
        stem = basename(path).partition(".")[0]
        named = {each for each in tests if _plain(basename(each)) == stem}
        for each in sorted((importing | named) & tests):
            scores[each] = scores.get(each, 0.0) + by.imports * most * (2 if each in named else 1)
    ordered = sorted(scores, key=lambda path: (-scores[path], path))[:FILES]
    best = scores[ordered[0]] if ordered else 1.0
    return {path: scores[path] / best for path in ordered}


def _plain(name: str) -> str:
    stem = name.partition(".")[0]
    for mark in _STEM:
        stem = stem.removeprefix(mark) if mark.endswith("_") else stem.removesuffix(mark)
    return stem


def _scores(files: Sequence[CountedTexts], wanted: Mapping[str, float], by: LikelyWeights) -> list[float]:
    """Return the score of each test of some files, in their order."""
    lengths = [length for each in files for length in each.lengths]
    mean = sum(lengths) / len(lengths) or 1.0
    norms = [0.5 + 0.5 * length / mean for length in lengths]
    first = [*accumulate((len(each.lengths) for each in files), initial=0)]
    scores = [0.0] * len(lengths)
    for word in sorted(wanted):
        counts: dict[int, int] = {}
        named: set[int] = set()
        for start, each in zip(first, files, strict=False):
            pairs = each.inside.get(word, ())
            counts.update(zip([start + number for number in pairs[::2]], pairs[1::2], strict=True))
            named.update([start + number for number in each.named.get(word, ())])
        holding = counts.keys() | named
        rarity = wanted[word] * idf(len(holding), len(lengths)) if holding else 0.0
        for place in holding:
            count = counts.get(place, 0) / norms[place] + by.names * (place in named)
            scores[place] += rarity * count / (count + 2.0)
    return scores


def reached_tests(
    binder: Binder, code: SearchedCode, changed: Sequence[Node], reach: Reach, traced: Iterable[str] = ()
) -> tuple[AffectedTest, ...]:
    """Return the tests that a change reaches, those that trace items name, and those that share words with it."""
    finder = TestFinder(binder, code)
    sure = with_trace_tests(finder.among(changed, reach.found), traced, code)
    known = {each.id for each in sure}
    if not reach.whole and len(known) >= ENOUGH:
        return sure
    return (*sure, *likely_tests(finder, code, changed, known))


# Command lines that run some tests and no others, by the runner.

_Selections = Callable[[Sequence[AffectedTest]], list[tuple[Sequence[str], int]]]


def commands_for(tests: Sequence[AffectedTest], wanted: str | None = None) -> tuple[CommandForTests, ...]:
    """Return the commands that run the tests of each language, by its usual runner, or those that `wanted` runs."""
    found = []
    for name in FORMATS if wanted is None else (wanted,):
        if wanted is not None or name in _USUAL:
            start = _RUNNERS[name][0].split()
            for words, number in selections(tests, name):
                found.append(CommandForTests(name, shlex.join([*start, *words]) if start else words[0], number))
    return tuple(found)


def selections(tests: Sequence[AffectedTest], runner: str) -> list[tuple[Sequence[str], int]]:
    """Return the words behind those that start a runner by which it runs its tests of these, and how many that are.

    The runner is one of `FORMATS`. Where it takes several commands, there are several; none without a test of its own.
    """
    _, languages, select = _RUNNERS[runner]
    mine = [each for each in tests if each.language in languages or not languages]
    return select(mine) if mine else []


def _their_files(tests: Sequence[AffectedTest]) -> list[str]:
    return sorted({each.path for each in tests})


def _by_file(tests: Sequence[AffectedTest]) -> dict[str, list[str]]:
    """Return path → the names of its tests; none where all of a file is meant."""
    found: dict[str, list[str]] = {}
    for each in sorted(tests, key=lambda each: (each.path, each.name)):
        found.setdefault(each.path, []).append(each.name)
    return {path: [] if "" in names else names for path, names in found.items()}


def _pytest(tests: Sequence[AffectedTest]) -> list[tuple[Sequence[str], int]]:
    ids = [f"{path}::{name}" if name else path for path, names in _by_file(tests).items() for name in names or [""]]
    return [(ids, len(tests))]


def _unittest(tests: Sequence[AffectedTest]) -> list[tuple[Sequence[str], int]]:
    names = []
    for path, inner in _by_file(tests).items():
        module = path.removesuffix(".py").replace("/", ".")
        names += [f"{module}.{each.replace('::', '.')}" for each in inner] or [module]
    return [(names, len(tests))]


def _script(tests: Sequence[AffectedTest]) -> list[tuple[Sequence[str], int]]:
    by_file = _by_file(tests)
    words = [*by_file]
    titles = sorted({name.replace(" > ", " ") for names in by_file.values() for name in names})
    if titles and all(by_file.values()):
        words += ["-t", f"^({'|'.join(map(re.escape, titles))})$".replace("\\ ", " ")]
    return [(words, len(tests))]


def _go(tests: Sequence[AffectedTest]) -> list[tuple[Sequence[str], int]]:
    folders: dict[str, list[str]] = {}
    for each in tests:
        folders.setdefault(each.path.rpartition("/")[0], []).append(each.name.partition("/")[0])
    found: list[tuple[Sequence[str], int]] = []
    for folder, names in sorted(folders.items()):
        pattern = f"^({'|'.join(sorted(set(names)))})$" if all(names) else "."
        found.append(([f"./{folder}" if folder else ".", "-run", pattern], len(names)))
    return found


def _cargo(tests: Sequence[AffectedTest]) -> list[tuple[Sequence[str], int]]:
    return [(["--", *sorted({each.name.rpartition("::")[2] for each in tests if each.name})], len(tests))]


def _maven(tests: Sequence[AffectedTest]) -> list[tuple[Sequence[str], int]]:
    classes: dict[str, list[str]] = {}
    for each in tests:
        kind, _, method = each.name.rpartition(".")
        classes.setdefault(kind or each.path.rpartition("/")[2].partition(".")[0], []).append(method)
    parts = [
        f"{kind}#{'+'.join(sorted(set(names)))}" if all(names) else kind for kind, names in sorted(classes.items())
    ]
    return [([f"-Dtest={','.join(parts)}"], len(tests))]


def _paths(tests: Sequence[AffectedTest]) -> list[tuple[Sequence[str], int]]:
    return [([path], sum(each.path == path for each in tests)) for path in _their_files(tests)]


_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_PYTHON = frozenset({"python"})
_RUNNERS: Mapping[str, tuple[str, frozenset[str], _Selections]] = {
    "pytest": ("pytest", _PYTHON, _pytest),
    "unittest": ("python -m unittest", _PYTHON, _unittest),
    "vitest": ("npx vitest run", _SCRIPTS, _script),
    "jest": ("npx jest", _SCRIPTS, _script),
    "go": ("go test", frozenset({"go"}), _go),
    "cargo": ("cargo test", frozenset({"rust"}), _cargo),
    "maven": ("mvn test", frozenset({"java"}), _maven),
    "rspec": ("rspec", frozenset({"ruby"}), lambda tests: [(_their_files(tests), len(tests))]),
    "phpunit": ("phpunit", frozenset({"php"}), _paths),
    "paths": ("", frozenset(), _paths),
}
"""What starts each, the languages whose tests it runs (all where none is named), and the words that select some."""
FORMATS = tuple(_RUNNERS)
"""The runners for which command lines are written; `paths` is the files alone, a line each."""
_USUAL = frozenset({"pytest", "vitest", "go", "cargo", "maven", "rspec", "phpunit"})
