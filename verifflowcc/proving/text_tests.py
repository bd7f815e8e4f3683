"""The tests of a file in a language that is not parsed, by the words on its lines."""

import re

from verifflowcc.domain.testcases import Assertion, Strength, TestCase

_TEST = re.compile(
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
        marked = marked or (is_mark and bool(_TEST.match(line)))
        if not is_mark and (_TEST.match(line) or (marked and _FUNCTION.search(line))):
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
