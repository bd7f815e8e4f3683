"""The tests among the definitions that a change reaches, as their runners name them."""

import re
from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.codegraph.binding import Binder
from verifflowcc.codegraph.call_reach import Node, Reached, definitions_at, heirs_of
from verifflowcc.codegraph.read_testcases import CASES_OF, read_cases
from verifflowcc.domain.code_reach import AffectedTest
from verifflowcc.domain.graph import CALLABLE, FILE, TYPES, Definition, Mark, SearchedCode
from verifflowcc.domain.testcases import TestCase
from verifflowcc.records import dataclass

_SETUP = frozenset(
    "setUp setUpClass setUpTestData asyncSetUp tearDown tearDownClass setup_method setup_class setup teardown_method"
    " teardown_class set_up tear_down SetUp TearDown before after".split()
)
_FIXTURE = re.compile(r"@[\w.]*fixture\b")
_AUTOUSE = re.compile(r"autouse\s*=\s*True")
_ATTRIBUTE = re.compile(
    r"#\[(?:\w+::)*(?:test|rstest|test_case)\b|@(?:\w+\.)*(?:Test|ParameterizedTest)\b|\[(?:Fact|Theory|Test)\b"
)
_GO_TEST = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])")
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_BY_ATTRIBUTE = frozenset({"rust", "java", "csharp"})


@dataclass(frozen=True, slots=True)
class TestText:
    """A test with its text."""

    __test__ = False

    test: AffectedTest
    text: str


class TestFinder:
    """Finds tests in the code of one state. Texts and cases are read once."""

    __test__ = False

    def __init__(self, binder: Binder, code: SearchedCode) -> None:
        self._binder, self._code = binder, code
        self._lines: dict[str, Sequence[str]] = {}
        self._cases: dict[str, tuple[TestCase, ...]] = {}

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

    def texts(self, path: str) -> list[TestText]:
        """Return the tests of a file with their texts."""
        file = self._code.files.get(path)
        if file is None:
            return []
        lines = self._text(path)
        if file.language in _SCRIPTS:
            cases = self._cases_of(path)
            ends = [*(case.line - 1 for case in cases[1:]), len(lines)][: len(cases)]
            return [
                TestText(
                    AffectedTest(path, case.name, file.language, 0, 100, ""), "\n".join(lines[case.line - 1 : end])
                )
                for case, end in zip(cases, ends, strict=True)
            ]
        found = []
        for place, each in enumerate(self._code.head(path).definitions):
            text = "\n".join(lines[(each.start or each.line) - 1 : each.end])
            node = Reached(path, place, 0, 0, 100, (path, place))
            found += [TestText(test, text) for test in self._tests_of(node) if test.path == path]
        return list({each.test.id: each for each in reversed(found)}.values())[::-1]

    def _tests_of(self, each: Reached) -> Iterator[AffectedTest]:
        file = self._code.files.get(each.path)
        if file is None or (Mark.TEST not in file.marks and file.language != "rust"):
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
            if language == "python" and each.distance:
                yield each.path, ""
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

    def _of_type(
        self, path: str, definitions: Sequence[Definition], place: int, language: str
    ) -> Iterator[tuple[str, str]]:
        """Yield a test by its name; of a class that is only inherited from, for each class that inherits it."""
        each = definitions[place]
        separator = "::" if language in ("python", "rust") else "."
        outer = []
        around = each.parent
        while around != FILE:
            outer.append(definitions[around].name)
            around = definitions[around].parent
        parent = each.parent
        if language == "python" and parent != FILE and definitions[parent].kind in TYPES:
            heirs = heirs_of(self._binder, path, parent)
            for other, heir in heirs:
                yield other, f"{self._code.head(other).definitions[heir].name}::{each.name}"
            bare = definitions[parent].signature.rstrip(" :").endswith(definitions[parent].name)
            if heirs and not definitions[parent].name.startswith("Test") and bare:
                return
        yield path, separator.join([*reversed(outer), each.name])

    def _by_fixture(self, each: Reached, definitions: Sequence[Definition]) -> Iterator[tuple[str, str]]:
        """Yield the tests that run a function without calling it: a fixture of pytest, or what sets a class up."""
        definition = definitions[each.place]
        if definition.name in _SETUP and definition.parent != FILE:
            for place, other in enumerate(definitions):
                if other.parent == definition.parent and other.name.startswith("test"):
                    yield from self._of_type(each.path, definitions, place, "python")
            for path, heir in heirs_of(self._binder, each.path, definition.parent):
                named = self._code.head(path).definitions
                for place, other in enumerate(named):
                    if other.parent == heir and other.name.startswith("test"):
                        yield from self._of_type(path, named, place, "python")
            return
        above = self._text(each.path)[(definition.start or definition.line) - 1 : definition.line]
        if definition.kind in CALLABLE and any(_FIXTURE.match(line.strip()) for line in above):
            automatic = any(_AUTOUSE.search(line) for line in above)
            yield from self._with_fixture(each.path, definition.name, automatic, set())

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

    def _cases_of(self, path: str) -> tuple[TestCase, ...]:
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
