"""What tests lost between two sides of a change: whole tests, cases, and what their assertions ask."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.testcases import Assertion, Loss, LostTest, Strength, TestCase
from verifflowcc.base.records import dataclass
from verifflowcc.gates.rules.hunks import TestUnit, words_in

# Tests of JavaScript and TypeScript files: calls such as `it("adds", …)`, with their titles and lines.

# The tests of a file in a language that is not parsed, by the words on its lines.

_TEXT_TESTS_TEST = lazy_pattern(
    r"^\s*(?:#\[(?:tokio::)?test\]|@(?:Parameterized)?Test\b|(?:x?it|x?test|specify|scenario)\b.*(?:do\b|\{)"
    r"|(?:pub )?(?:async )?(?:fn|func|def|fun|function|public void|void)\s+test\w*|TEST(?:_F|_P)?\()"
)
_FUNCTION = lazy_pattern(r"\b(?:fn|func|def|fun|function|void|proc)\s+\w+")
_NAME = lazy_pattern(r"\b(?:fn|func|def|fun|function|void)\s+(\w+)|TEST(?:_F|_P)?\((\w+,\s*\w+)\)|[\"']([^\"']+)[\"']")
_ASSERTION = lazy_pattern(
    r"\b(?:assert\w*!?|expect\w*|should|must_\w+|verify|refute\w*|REQUIRE|CHECK|ASSERT_\w+|EXPECT_\w+|XCTAssert\w*)\b"
)
_SKIP = lazy_pattern(r"#\[ignore|@Disabled|@Ignore\b|\b(?:xit|xtest|xdescribe|skip|pending|todo|GTEST_SKIP|XCTSkip)\b")
_WEAK = lazy_pattern(
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
_TEST = lazy_pattern(rf"(?<![\w$.])(?<!function )[xf]?(?:it|test|specify)(?P<more>{_MORE})\s*(?=[(`])")
_BLOCK = lazy_pattern(rf"(?<![\w$.])(?<!function )[xf]?(?:describe|suite|context)(?P<more>{_MORE})\s*(?=[(`])")
_TABLE = lazy_pattern(r"\.(?:each|for|skipIf|runIf)\b")
_LITERAL = lazy_pattern(r"(?P<quote>['\"`])(?P<title>(?:\\.|(?!(?P=quote)).)*)(?P=quote)", re.DOTALL)
_SKIPPED = lazy_pattern(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`"
    r"|(?<=[=(,:\[!&|?{};])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/",
    re.DOTALL,
)
_ESCAPE = lazy_pattern(r"\\(.)", re.DOTALL)


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


Tests = Mapping[str, Mapping[str, TestCase]]
"""The tests of each file that changed, by path, then by name."""

_ALIKE = 0.5
_MOST_NAMED = 3
_LONGEST = 60
_COMPARED, _CANDIDATES = 200, 40
"""Characters and assertions that are compared for likeness, whose cost grows with the square of both."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """A test as it was and as it is, each with its file."""

    was: TestCase
    path: str
    now: TestCase


def lost_tests(before: Tests, after: Tests, *, product_changed: bool) -> tuple[LostTest, ...]:
    """Return what tests lost, by file and line.

    A test that moved, was renamed or was merged into another keeps what it asks. An expected value that changed counts
    where no product file did: else the proof that the test fails without the change speaks for it.
    """
    pairs, gone = _paired(before, after)
    found = [each for pair in pairs for each in _of_pair(pair, altered=not product_changed)]
    found += _removed(gone)
    found += _hollow(before, after)
    kept = dict.fromkeys(found)
    return tuple(sorted(kept, key=lambda each: (each.path, each.line, each.test, str(each.loss), each.words)))


def _paired(before: Tests, after: Tests) -> tuple[list[_Pair], list[tuple[str, TestCase]]]:
    pairs: list[_Pair] = []
    missing: list[tuple[str, TestCase]] = []
    for path, tests in before.items():
        for name, was in tests.items():
            now = after.get(path, {}).get(name)
            if now is None:
                missing.append((path, was))
            else:
                pairs.append(_Pair(was, path, now))
    added = [
        (path, now) for path, tests in after.items() for name, now in tests.items() if name not in before.get(path, {})
    ]
    gone = []
    for path, was in missing:
        match = _moved(path, was, added)
        if match:
            added.remove(match)
            pairs.append(_Pair(was, *match))
        elif not _is_asked_elsewhere(was, after):
            gone.append((path, was))
    return pairs, gone


def _moved(path: str, was: TestCase, added: Sequence[tuple[str, TestCase]]) -> tuple[str, TestCase] | None:
    """Return the added test that is this one in another place, or by another name."""
    plain = was.name.rpartition("::")[2]
    same_name = [each for each in added if each[1].name.rpartition("::")[2] == plain]
    if same_name:
        return same_name[0]
    texts = [each.text for each in was.asking]
    alike = [(_likeness(texts, [each.text for each in one.asking]), place, one) for place, (_, one) in enumerate(added)]
    best = max(alike, key=lambda each: (each[0], -each[1]), default=None)
    same_file = best is not None and added[best[1]][0] == path
    if best is None or not texts or best[0] < (_ALIKE if same_file else 1.0):
        return None
    return added[best[1]]


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Return which part of the texts of the first are among those of the second."""
    return sum((Counter(one) & Counter(other)).values()) / len(one) if one else 0.0


def _is_asked_elsewhere(was: TestCase, after: Tests) -> bool:
    asked = {each.text: each.strength for tests in after.values() for one in tests.values() for each in one.asking}
    return bool(was.asking) and all(asked.get(each.text, 0) >= each.strength for each in was.asking)


def _of_pair(pair: _Pair, *, altered: bool) -> Iterator[LostTest]:
    was, now = pair.was, pair.now

    def lost(loss: Loss, words: str, line: int = 0) -> LostTest:
        return LostTest(loss, pair.path, line or now.line, words, now.name)

    found = [lost(Loss.SKIPPED, f"`{_short(skip)}` is new") for skip in _more(now.skips, was.skips)]
    if now.cases < was.cases:
        found.append(lost(Loss.NARROWED, f"{was.cases} cases before, {now.cases} now"))
    for before, after in _weaker(was, now):
        if after is None:
            found.append(lost(Loss.WEAKENED, f"`{_short(before.text)}` is gone"))
        elif before.text == after.text:
            words = f"`{_short(before.text)}` is caught, or not always reached"
            found.append(lost(Loss.WEAKENED, words, after.line))
        else:
            words = f"`{_short(before.text)}` is now `{_short(after.text)}`"
            found.append(lost(Loss.WEAKENED, words, after.line))
    gone = dict.fromkeys(_more(was.values or (), now.values or ()))
    if altered and gone and not found:
        found.append(lost(Loss.ALTERED, f"it has {_short(', '.join(gone))} no more"))
    return iter(found)


def _more(one: Sequence[str], other: Sequence[str]) -> list[str]:
    return sorted((Counter(one) - Counter(other)).elements())


def _weaker(was: TestCase, now: TestCase) -> Iterator[tuple[Assertion, Assertion | None]]:
    """Yield each assertion that is gone or asks for less now, with the one in its place."""
    old, new = _without_common(was.asking, now.assertions)
    open_new = list(new)
    left = []
    for before in old:
        after = _best(before, open_new)
        if after is None:
            left.append(before)
            continue
        open_new.remove(after)
        if after.strength < before.strength:
            yield before, after
    strong = sorted((each for each in open_new if each.strength), key=lambda each: -each.strength)
    for place, before in enumerate(sorted(left, key=lambda each: -each.strength)):
        other = strong[place] if place < len(strong) else None
        if other is None or other.strength < before.strength:
            yield before, other


def _without_common(old: Sequence[Assertion], new: Sequence[Assertion]) -> tuple[list[Assertion], list[Assertion]]:
    """Return the assertions that only one side has; those of both sides that ask as much fall away."""
    rest = list(new)
    left = []
    for each in old:
        same = next((one for one in rest if one.text == each.text and one.strength >= each.strength), None)
        if same is None:
            left.append(each)
        else:
            rest.remove(same)
    return left, rest


def _best(before: Assertion, among: Sequence[Assertion]) -> Assertion | None:
    text = before.text[:_COMPARED]
    scored = [
        (SequenceMatcher(None, text, each.text[:_COMPARED]).ratio(), -place)
        for place, each in enumerate(among[:_CANDIDATES])
    ]
    best = max(scored, default=None)
    return among[-best[1]] if best is not None and best[0] >= _ALIKE else None


def _removed(gone: Sequence[tuple[str, TestCase]]) -> Iterator[LostTest]:
    by_file: dict[str, list[TestCase]] = {}
    for path, was in gone:
        by_file.setdefault(path, []).append(was)
    for path, tests in by_file.items():
        if len(tests) <= _MOST_NAMED:
            yield from (LostTest(Loss.REMOVED, path, each.line, "the test is gone", each.name) for each in tests)
            continue
        names = ", ".join(each.name for each in tests[:_MOST_NAMED])
        yield LostTest(Loss.REMOVED, path, tests[0].line, f"{len(tests)} tests are gone: {names} and more")


def _hollow(before: Tests, after: Tests) -> Iterator[LostTest]:
    for path, tests in after.items():
        for name, now in tests.items():
            was = before.get(path, {}).get(name)
            for words in now.hollow:
                if was is None or words not in was.hollow:
                    yield LostTest(Loss.HOLLOW, path, now.line, _short(words, 100), name)


def _short(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
