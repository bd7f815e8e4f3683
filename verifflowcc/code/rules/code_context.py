"""The code that a task needs, within a budget: the best files, the best pieces of them, what is around these."""

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from verifflowcc.base.model.config_values import BODIES, CALLERS, INTERFACES, TESTS, WHOLE, CodeMix
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, replace
from verifflowcc.code.rules.code_views import RelevantFile, Snippet
from verifflowcc.code.rules.graph import (
    CALLABLE,
    CONFIDENT,
    FILE,
    TYPES,
    Definition,
    SearchedCode,
    outwards,
    qualified,
)
from verifflowcc.code.rules.rank_units import (
    FileEvidence,
    FileWeights,
    RankedFile,
    RankedUnit,
    idf,
    rank_code,
    units_of,
)
from verifflowcc.code.rules.repository_map import FileGraph, graph_of
from verifflowcc.code.rules.snippets import (
    NAMESAKES,
    SnippetSelection,
    above_floor,
    fill,
    interface,
    mixed,
    pieces_of_tests,
    signature,
    size_of,
)
from verifflowcc.code.rules.task_words import LONGEST, TaskTerms, WordCounter, asked

# The fixtures that tests use: functions of pytest which a test names as its parameters.

CONFTEST = "conftest.py"
_NAME = lazy_pattern(r"[A-Za-z_]\w*")
_FIXTURE = lazy_pattern(r"@[\w.]*fixture\b")


def with_fixtures(tests: Sequence[RankedUnit], code: SearchedCode) -> Iterator[RankedUnit]:
    """Yield the tests, each followed by those fixtures of its folders' `conftest.py` that no earlier one uses.

    A fixture that another one uses follows it.
    """
    known: dict[str, dict[str, RankedUnit]] = {}
    shown = {(each.path, each.unit.first) for each in tests}
    for test in tests:
        yield test
        waiting = [test]
        while waiting:
            piece = waiting.pop(0)
            for found in _used(piece, code, known):
                if (found.path, found.unit.first) not in shown:
                    shown.add((found.path, found.unit.first))
                    waiting.append(found)
                    yield found


def _used(piece: RankedUnit, code: SearchedCode, known: dict[str, dict[str, RankedUnit]]) -> Iterator[RankedUnit]:
    """Yield the fixtures that a function's signature or decorators name; the nearest folder's go first."""
    shown = signature(piece, code.head(piece.path).definitions)
    if shown is None or piece.unit.place == FILE:
        return
    head = shown.unit.last - piece.unit.first + 1
    names = dict.fromkeys(_NAME.findall("\n".join(piece.lines[:head])))
    for name in names:
        for path in _conftests(piece.path):
            if path in code.files and path not in known:
                known[path] = {each.name: each for each in _fixtures(path, code)}
            if found := known.get(path, {}).get(name):
                yield found
                break


def _conftests(path: str) -> Iterator[str]:
    folders = path.split("/")[:-1]
    while folders:
        yield "/".join([*folders, CONFTEST])
        folders.pop()
    yield CONFTEST


def _fixtures(path: str, code: SearchedCode) -> Iterator[RankedUnit]:
    definitions = code.head(path).definitions
    lines = [line.removesuffix("\r") for line in (code.text(path) or b"").decode("utf-8", "replace").split("\n")]
    for unit in units_of(definitions, lines):
        if unit.place != FILE and _is_fixture(definitions[unit.place], lines):
            name = qualified(definitions, unit.place)
            shown = tuple(lines[unit.first - 1 : unit.last])
            yield RankedUnit(path, unit, name, 0.0, shown, "a fixture of the tests above")


def _is_fixture(each: Definition, lines: Sequence[str]) -> bool:
    above = lines[(each.start or each.line) - 1 : each.line]
    return each.kind in CALLABLE and any(_FIXTURE.match(line.strip()) for line in above)


# The types that a task names: their members, and the signatures of those that have no room.

MOST_TYPES = 3
"""A name that more types have says too little."""

OUTLINE_PERCENT = 10
"""The most that signatures of a type's other members take of the room."""

_NAMED_TYPES_NAME = lazy_pattern(r"[A-Za-z_]\w*")


def named_types(task: str, asked: TaskTerms, code: SearchedCode) -> Mapping[str, frozenset[int]]:
    """Return path → the places of the types that the task names, as code or as a capitalised word."""
    found: dict[str, set[int]] = {}
    for name, before in sorted(_names(task[:LONGEST], asked)):
        paths = [path for path in code.defining(name) if not before or before in _NAMED_TYPES_NAME.findall(path)]
        places = [(path, place) for path in paths for place in _types(code, path, name)]
        plain = [each for each in places if not code.files[each[0]].marks] or places
        for path, place in plain if len(plain) <= MOST_TYPES else ():
            found.setdefault(path, set()).add(place)
    return {path: frozenset(places) for path, places in found.items()}


def _names(text: str, asked: TaskTerms) -> set[tuple[str, str]]:
    """Return each name with the word before its dot: `pathlib.Path` is no `Path` of another module."""
    found, words = set(), list(_NAMED_TYPES_NAME.finditer(text))
    for before, word in zip([None, *words], words, strict=False):
        if word[0][:1].isupper() or word[0] in asked.names:
            dotted = before is not None and text[before.end() : word.start()] == "."
            found.add((word[0], before[0] if before is not None and dotted else ""))
    return found


def marked(pieces: Sequence[RankedUnit], types: Mapping[str, frozenset[int]], code: SearchedCode) -> list[RankedUnit]:
    """Return the pieces, those of these types marked as named."""
    return [replace(each, named=True) if _is_of(each, types, code) else each for each in pieces]


def outlined(pieces: Sequence[RankedUnit], code: SearchedCode, room_chars: int) -> Iterator[RankedUnit]:
    """Yield the pieces, and behind those that fill half of the room the signatures of the named types' other members.

    So whoever reads some bodies of a class also sees what else it has.
    """
    used, waiting = 0, True
    for number, piece in enumerate(pieces):
        if waiting and used * 2 > room_chars:
            waiting = False
            yield from _signatures(pieces[number:], code, room_chars * OUTLINE_PERCENT // 100)
        used += size_of(piece)
        yield piece


def _signatures(pieces: Sequence[RankedUnit], code: SearchedCode, most_chars: int) -> Iterator[RankedUnit]:
    for piece in pieces:
        definitions = code.head(piece.path).definitions
        if not piece.named or definitions[piece.unit.place].kind not in CALLABLE:
            continue
        found = signature(piece, definitions)
        most_chars -= size_of(found) if found else 0
        if most_chars < 0:
            return
        if found:
            yield found


def _types(code: SearchedCode, path: str, name: str) -> Iterator[int]:
    for place, each in enumerate(code.head(path).definitions):
        if each.kind in TYPES and each.name == name:
            yield place


def _is_of(piece: RankedUnit, types: Mapping[str, frozenset[int]], code: SearchedCode) -> bool:
    places = types.get(piece.path)
    if not places or piece.unit.place == FILE:
        return False
    around = outwards(code.head(piece.path).definitions, piece.unit.place)
    return piece.unit.place in places or not places.isdisjoint(around)


# What earlier commits say: a commit of like words changed the files that a task is about.

_LIKE, _MOST_CHANGED, _MOST_READ = 10, 30, 1_000
"""So many of the commits whose words are most like a task's count; none that changed more files; so many characters."""
_SATURATION, _LENGTH, _ORDINARY = 1.2, 0.5, 12
"""BM25's k1 and b, and the words of an ordinary message."""


def by_messages(
    asked: TaskTerms, commits: Sequence[tuple[str, Sequence[str]]], paths: Container[str]
) -> dict[str, float]:
    """Return path → how well commits with words of the task changed it, 1.0 at most.

    A commit that has all words of the task says most, and most of the one file that it changed.
    """
    wanted = WordCounter(asked.words)
    messages = [_message_words(wanted, message) for message, _ in commits]
    holding: dict[str, int] = {}
    for counts, _ in messages:
        for word in counts:
            holding[word] = holding.get(word, 0) + 1
    rarity = {word: weight * idf(holding.get(word, 0), len(messages)) for word, weight in sorted(asked.words.items())}
    whole = sum(rarity.values())
    like = []
    for number, (counts, length) in enumerate(messages):
        norm = _SATURATION * (1.0 - _LENGTH + _LENGTH * length / _ORDINARY)
        held = sum(rarity[w] * min(1.0, n * (_SATURATION + 1.0) / (n + norm)) for w, n in sorted(counts.items()))
        changed = [path for path in commits[number][1] if path in paths] if held else []
        if 1 <= len(changed) <= _MOST_CHANGED:
            like.append((-held / whole, number, changed))
    found: dict[str, float] = {}
    for held, _, changed in sorted(like)[:_LIKE]:
        for path in changed:
            found[path] = found.get(path, 0.0) + held * held / math.sqrt(len(changed))
    return {path: min(1.0, value) for path, value in found.items()}


def _message_words(wanted: WordCounter, message: str) -> tuple[dict[str, int], int]:
    """Return the wanted words of a message and its length; those of its first line count twice."""
    first, _, rest = message[:_MOST_READ].partition("\n")
    counts, length = wanted.counts(first)
    found = {word: 2 * number for word, number in counts.items()}
    more, further = wanted.counts(rest)
    for word, number in more.items():
        found[word] = found.get(word, 0) + number
    return found, 2 * length + further


MAX_LISTED_FILES = 20
FUNCTIONS = CodeMix(bodies=WHOLE)
OFFERED_PERCENT = 150
"""What is offered of the room that there is: pieces are counted with a heading each, and share one in a prompt."""

CHARS_OF_TOKEN = 4
AROUND = 6
"""The signatures around so many of the best pieces are shown."""

_PART_NAMES = {
    "words": "words",
    "exact": "defines a name of the task",
    "spoken": "the task names it",
    "links": "imports",
    "central": "others lean on it",
    "size": "its size",
    "piece": "words together in a piece",
    "called": "its name",
    "earlier": "commits of like words",
}


@dataclass(frozen=True, slots=True)
class CodeSelection:
    """The best files and what of them fits."""

    files: tuple[RelevantFile, ...]
    filled: SnippetSelection


def choose(  # noqa: PLR0913 - what is known of the code already is given beside the task
    task: str,
    code: SearchedCode,
    budget_tokens: int,
    count: Callable[[str], int],
    graph: FileGraph | None = None,
    *,
    unmarked: bool = False,
    mix: CodeMix = FUNCTIONS,
    changed: Sequence[RankedUnit] = (),
    commits: Sequence[tuple[str, Sequence[str]]] = (),
) -> CodeSelection:
    """Return the code that bears on a task, at most so many tokens of it as `rendered` shows it.

    `graph` is that of the files, where it is known already. With `unmarked`, tests count as other files do. `changed`
    are pieces that go before those that the task's words find. `commits` are messages of earlier commits with the files
    that each changed.
    """
    wanted, graph = asked(task), graph or graph_of(code)
    earlier = by_messages(wanted, commits, code.files)
    evidence = FileEvidence(wanted, code, graph, FileWeights())
    files, ranked = rank_code(wanted, code, evidence, unmarked=unmarked, earlier=earlier, most=MAX_LISTED_FILES)
    types = named_types(task, wanted, code)
    shares = mix.shares()
    parts = _parts(above_floor(marked(ranked, types, code)), code, changed, shares)
    if TESTS in shares:
        tests = pieces_of_tests(wanted, code, evidence.with_tests(NAMESAKES))
        parts[TESTS] = list(with_fixtures(tests, code))
        of_test_files = {each.path for each in parts[TESTS]}
        parts |= {name: _others(parts[name], of_test_files) for name in (BODIES, INTERFACES) if name in parts}
    pieces = mixed([(shares[name], _named(name, each)) for name, each in parts.items()], size_of)
    room_chars = budget_tokens * CHARS_OF_TOKEN * 100 // OFFERED_PERCENT
    ordered = list(outlined(list(pieces), code, room_chars))

    def around(taken: Sequence[RankedUnit]) -> Iterator[Snippet]:
        return (calling if CALLERS in shares else neighbours)(code, taken)

    reserved = mix.callers * 100 // WHOLE
    filled = fill(ordered, around, budget_tokens, count, lambda path: code.files[path].language, reserved)
    return CodeSelection(listed_files(files), filled)


def _parts(
    ranked: Sequence[RankedUnit], code: SearchedCode, changed: Sequence[RankedUnit], shares: Mapping[str, int]
) -> dict[str, list[RankedUnit]]:
    """Return the functions whole and by their interface, as far as the mix has them; what changed goes before."""
    known = {(each.path, each.unit.first) for each in changed}
    pieces = [*changed, *(each for each in ranked if (each.path, each.unit.first) not in known)]
    parts = {BODIES: pieces} if BODIES in shares else {}
    if INTERFACES in shares:
        parts[INTERFACES] = [one for each in pieces if (one := interface(each, code.head(each.path).definitions))]
    return parts


def _others(pieces: Sequence[RankedUnit], paths: Container[str]) -> list[RankedUnit]:
    return [each for each in pieces if each.path not in paths]


def _named(part: str, pieces: Sequence[RankedUnit]) -> list[RankedUnit]:
    return [replace(each, part=part) for each in pieces]


def listed_files(files: Sequence[RankedFile]) -> tuple[RelevantFile, ...]:
    """Return the best files with what speaks for each, most first."""
    best = files[0].score if files else 1.0
    return tuple(
        RelevantFile(each.path, round(1000 * each.score / best), _why(each.parts)) for each in files[:MAX_LISTED_FILES]
    )


def neighbours(code: SearchedCode, taken: Sequence[RankedUnit]) -> Iterator[Snippet]:
    """Yield signatures of what the best pieces surely call or inherit from, in the order of the pieces."""
    if not taken:
        return
    from verifflowcc.code.rules.bind_queries import callees, supertypes  # most tasks speak of no code
    from verifflowcc.code.rules.binding import Binder

    binder = Binder(code)
    shown = {(each.path, each.unit.place) for each in taken}
    for piece in taken[:AROUND]:
        place = piece.unit.place
        if place == FILE:
            continue
        called = code.head(piece.path).definitions[place].kind in CALLABLE
        for link in callees(binder, piece.path, place) if called else supertypes(binder, piece.path, place):
            meant = link.candidate
            if meant is None or meant.confidence < CONFIDENT or meant.place == FILE:
                continue
            if (meant.path, meant.place) not in shown:
                shown.add((meant.path, meant.place))
                yield _signature(code, meant.path, meant.place, f"{piece.name or piece.path} speaks of it")


def calling(code: SearchedCode, taken: Sequence[RankedUnit]) -> Iterator[Snippet]:
    """Yield signatures of what surely calls the best pieces, in the order of the pieces."""
    if not taken:
        return
    from verifflowcc.code.rules.bind_queries import callers
    from verifflowcc.code.rules.binding import Binder

    binder = Binder(code)
    shown = {(each.path, each.unit.place) for each in taken}
    for piece in taken[:AROUND]:
        if piece.unit.place == FILE:
            continue
        for link in callers(binder, piece.path, piece.unit.place):
            place = (link.path, link.symbol_number)
            if link.confidence >= CONFIDENT and link.symbol_number != FILE and place not in shown:
                shown.add(place)
                yield _signature(code, link.path, link.symbol_number, f"it calls {piece.name or piece.path}")


def _signature(code: SearchedCode, path: str, place: int, why: str) -> Snippet:
    definitions = code.head(path).definitions
    each = definitions[place]
    name = qualified(definitions, place)
    text = each.signature or each.name
    return Snippet(path, each.line, each.line, name, text, 0, why, code.files[path].language, whole=False)


def _why(parts: Mapping[str, float]) -> str:
    """The parts of a score that matter, the greatest first."""
    order = sorted(parts, key=lambda name: (-parts[name], name))
    return ", ".join(f"{_PART_NAMES[name]} {parts[name]:.2f}" for name in order if parts[name] >= 0.01)
