"""Tests of JavaScript and TypeScript files: calls such as `it("adds", …)`, with their titles and lines."""

import re
from collections.abc import Iterator

from verifflowcc.base.model.testcases import Assertion, Strength, TestCase
from verifflowcc.gates.rules.hunks import TestUnit, words_in

# The tests of a file in a language that is not parsed, by the words on its lines.

_TEXT_TESTS_TEST = re.compile(
    r"^\s*(?:#\[(?:tokio::)?test\]|@(?:Parameterized)?Test\b|(?:x?it|x?test|specify|scenario)\b.*(?:do\b|\{)"
    r"|(?:pub )?(?:async )?(?:fn|func|def|fun|function|public void|void)\s+test\w*|TEST(?:_F|_P)?\()"
)
_FUNCTION = re.compile(r"\b(?:fn|func|def|fun|function|void|proc)\s+\w+")
_NAME = re.compile(r"\b(?:fn|func|def|fun|function|void)\s+(\w+)|TEST(?:_F|_P)?\((\w+,\s*\w+)\)|[\"']([^\"']+)[\"']")
_ASSERTION = re.compile(
    r"\b(?:assert\w*!?|expect\w*|should|must_\w+|verify|refute\w*|REQUIRE|CHECK|ASSERT_\w+|EXPECT_\w+|XCTAssert\w*)\b"
)
_SKIP = re.compile(r"#\[ignore|@Disabled|@Ignore\b|\b(?:xit|xtest|xdescribe|skip|pending|todo|GTEST_SKIP|XCTSkip)\b")
_WEAK = re.compile(
    r"not_?null|not_?nil|is_?some\b|is_?ok\b|be_truthy|assert_?true\(\s*true|assert!\(true\)", re.IGNORECASE
)


def text_tests(content: bytes) -> dict[str, TestCase]:
    """Return the text from one test to the next, each as a test; a file without any is one by the name of ""."""
    found: dict[str, TestCase] = {}
    name, start = "", 1
    asks: list[Assertion] = []
    skips: list[str] = []
    waiting: list[str] = []
    marked = False
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), start=1):
        stripped = line.strip()
        is_mark, is_comment = stripped.startswith(("#[", "@")), stripped.startswith(("//", "*", "/*"))
        marked = marked or (is_mark and bool(_TEXT_TESTS_TEST.match(line)))
        if not is_mark and (_TEXT_TESTS_TEST.match(line) or (marked and _FUNCTION.search(line))):
            _add(found, name, start, asks, skips)
            name, start, marked = _name(stripped, number), number, False
            asks, skips, waiting = [], waiting, []
        if _SKIP.search(line) and not is_comment:
            (waiting if is_mark else skips).append(stripped)
        if _ASSERTION.search(line) and not is_comment and not stripped.startswith(("use ", "import ", "#")):
            asks.append(Assertion(stripped, Strength.EXISTENCE if _WEAK.search(line) else Strength.EXACT, number))
    _add(found, name, start, asks, skips)
    return found


def _add(found: dict[str, TestCase], name: str, line: int, asks: list[Assertion], skips: list[str]) -> None:
    if name or asks:
        found[name] = TestCase(name, line, tuple(asks), 1, tuple(skips))


def _name(line: str, number: int) -> str:
    match = _NAME.search(line)
    return next(filter(None, match.groups()), f"line {number}") if match else f"line {number}"


_MORE = r"(?:\.(?:only|skip|concurrent|failing|sequential|shuffle|fails|todo|each|for|skipIf|runIf))*"
_TEST = re.compile(rf"(?<![\w$.])(?<!function )[xf]?(?:it|test|specify)(?P<more>{_MORE})\s*(?=[(`])")
_BLOCK = re.compile(rf"(?<![\w$.])(?<!function )[xf]?(?:describe|suite|context)(?P<more>{_MORE})\s*(?=[(`])")
_TABLE = re.compile(r"\.(?:each|for|skipIf|runIf)\b")
_LITERAL = re.compile(r"(?P<quote>['\"`])(?P<title>(?:\\.|(?!(?P=quote)).)*)(?P=quote)", re.DOTALL)
_SKIPPED = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`"
    r"|(?<=[=(,:\[!&|?{};])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def title_units(text: str) -> Iterator[TestUnit]:
    """Yield the tests of a file, each with the lines from its call to the parenthesis that closes it.

    A title that is computed is a template of one expression, as any title may come of it.

    >>> [(each.name, each.first, each.last) for each in title_units('it("adds", () => {\\n  f();\\n});\\n')]
    [('adds', 1, 3)]
    >>> [each.name for each in title_units('for (const t of table) test(t.input + " fits", () => {});')]
    ['${t.input + " fits"}']
    """
    bare = _SKIPPED.sub(_blanked, text)
    blocks = tuple((_line(text, each.start()), _line(text, end)) for each, _, end in _calls(_BLOCK, text, bare))
    for found, start, end in _calls(_TEST, text, bare):
        comma = _argument(bare, start, end)
        title = _title(text[start:comma].strip(), alone=comma == end)
        if title is not None:
            first, last = _line(text, found.start()), _line(text, end)
            around = tuple(each for each in blocks if each[0] <= first and last <= each[1])
            words = words_in(text[found.start() : end].split("\n"))
            yield TestUnit(title, title, first, last, True, words, around)


def _calls(head: re.Pattern[str], text: str, bare: str) -> Iterator[tuple[re.Match[str], int, int]]:
    """Yield the calls of a function, each with the places of its first argument and of its closing parenthesis."""
    for found in head.finditer(text):
        if not bare[found.start() : found.start() + 2].strip():
            continue  # it is in a comment or a string
        place = found.end()
        if _TABLE.search(found["more"]) and bare[place] == "(":
            place = _closing(bare, place + 1) + 1
        place += len(bare[place:]) - len(bare[place:].lstrip())  # a table between backticks is blank
        if bare[place : place + 1] == "(":
            yield found, place + 1, _closing(bare, place + 1)


def _title(written: str, *, alone: bool) -> str | None:
    """Return the title that an argument is; None where it is computed and the only one, so that nothing runs."""
    literal = _LITERAL.fullmatch(written)
    if literal:
        return _ESCAPE.sub(r"\1", literal["title"])
    return None if alone or not written else f"${{{re.sub('[{}]', '', ' '.join(written.split()))}}}"


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _argument(bare: str, start: int, end: int) -> int:
    """Return the place of the comma behind the argument at `start`, `end` where there is none."""
    depth = 0
    for place in range(start, end):
        if bare[place] == "," and not depth:
            return place
        depth += (bare[place] in "([{") - (bare[place] in ")]}")
    return end


def _blanked(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _closing(bare: str, start: int) -> int:
    """Return the place of the parenthesis that closes the one before `start`; the text's end where there is none."""
    depth = 1
    for place in range(start, len(bare)):
        if bare[place] == "(":
            depth += 1
        elif bare[place] == ")":
            depth -= 1
            if not depth:
                return place
    return len(bare)
