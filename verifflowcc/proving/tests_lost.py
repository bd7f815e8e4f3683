"""What tests lost between two sides of a change: whole tests, cases, and what their assertions ask."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from verifflowcc.domain.testcases import Assertion, Loss, LostTest, TestCase
from verifflowcc.records import dataclass

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
