"""The code that a task needs, within a budget: the best files, the best pieces of them, what is around these."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from verifflowcc.codegraph.asked import asked
from verifflowcc.codegraph.bind_queries import callees, callers, supertypes
from verifflowcc.codegraph.binding import Binder
from verifflowcc.codegraph.fixtures import with_fixtures
from verifflowcc.codegraph.links import FileGraph, graph_of
from verifflowcc.codegraph.mix import above_floor, interface, mixed, pieces_of_tests, size_of
from verifflowcc.codegraph.named_types import marked, named_types, outlined
from verifflowcc.codegraph.rank_files import RankedFile, rank_files
from verifflowcc.codegraph.rank_units import RankedUnit, rank_units
from verifflowcc.codegraph.snippets import Filled, fill
from verifflowcc.domain.code_views import FileFound, Snippet
from verifflowcc.domain.config import BODIES, CALLERS, INTERFACES, TESTS, WHOLE, CodeMix
from verifflowcc.domain.graph import CALLABLE, FILE, SearchedCode, qualified
from verifflowcc.domain.graph_answers import CONFIDENT
from verifflowcc.records import dataclass, replace

FILES_TOLD = 20
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
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The best files and what of them fits."""

    files: tuple[FileFound, ...]
    filled: Filled


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
) -> Chosen:
    """Return the code that bears on a task, at most so many tokens of it as `shown_text` shows it.

    `graph` is that of the files, where it is known already. With `unmarked`, tests count as other files do. `changed`
    are pieces that go before those that the task's words find.
    """
    wanted, graph = asked(task), graph or graph_of(code)
    files = rank_files(wanted, code, graph, unmarked=unmarked)
    types = named_types(task, wanted, code)
    shares = mix.shares()
    parts = _parts(above_floor(marked(rank_units(wanted, code, files), types, code)), code, changed, shares)
    if TESTS in shares:
        tests = pieces_of_tests(wanted, code, rank_files(wanted, code, graph, unmarked=True))
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
    return Chosen(told(files), filled)


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


def told(files: Sequence[RankedFile]) -> tuple[FileFound, ...]:
    """Return the best files with what speaks for each, most first."""
    best = files[0].score if files else 1.0
    return tuple(FileFound(each.path, round(1000 * each.score / best), _why(each.parts)) for each in files[:FILES_TOLD])


def neighbours(code: SearchedCode, taken: Sequence[RankedUnit]) -> Iterator[Snippet]:
    """Yield signatures of what the best pieces surely call or inherit from, in the order of the pieces."""
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
    binder = Binder(code)
    shown = {(each.path, each.unit.place) for each in taken}
    for piece in taken[:AROUND]:
        if piece.unit.place == FILE:
            continue
        for link in callers(binder, piece.path, piece.unit.place):
            if link.confidence >= CONFIDENT and link.inside != FILE and (link.path, link.inside) not in shown:
                shown.add((link.path, link.inside))
                yield _signature(code, link.path, link.inside, f"it calls {piece.name or piece.path}")


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
