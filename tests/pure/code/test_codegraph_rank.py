"""Which files and pieces bear on a task, and that what is chosen fits."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.code_searched import Searched
from verifflowcc.code.rules.code_context import by_messages, choose, listed_files
from verifflowcc.code.rules.code_views import Snippet
from verifflowcc.code.rules.rank_units import (
    CodeUnit,
    FileEvidence,
    FileWeights,
    RankedFile,
    RankedUnit,
    UnitWeights,
    rank_code,
    rank_files,
    rank_units,
)
from verifflowcc.code.rules.repository_map import aside_among, both_ways, graph_of, page_rank
from verifflowcc.code.rules.snippets import BODIES, LARGEST, fill, rendered, shown_text
from verifflowcc.code.rules.task_words import AGAIN, LONGEST, WordCounter, asked, words_in

TEXTS = {
    "tide/gate.py": (
        "from tide.base import clamp\n\n\n"
        "def close_gate(level):\n    # shuts when the tide is high\n    return clamp(level)\n"
    ),
    "tide/base.py": "LIMIT = 3\n\n\ndef clamp(value):\n    return min(value, LIMIT)\n",
    "web/page.js": "export function page(gate) {\n  return gate;\n}\n",
    "tests/test_gate.py": "from tide.gate import close_gate\n\n\ndef test_close_gate():\n    assert close_gate(1)\n",
    "far/away.py": "def noise():\n    return 0\n",
}


@pytest.fixture(scope="module")
def code() -> Searched:
    return Searched(TEXTS, {"tests/test_gate.py"})


def ranked(code: Searched, task: str, *, unmarked: bool = False) -> list[RankedFile]:
    return rank_files(asked(task), code, graph_of(code), unmarked=unmarked)


def paths(code: Searched, task: str, *, unmarked: bool = False) -> list[str]:
    return [each.path for each in ranked(code, task, unmarked=unmarked)]


def test_words_names_and_paths_of_the_task_bring_files_in(code: Searched) -> None:
    assert paths(code, "the tide is high")[0] == "tide/gate.py"
    assert paths(code, "mend `clamp`")[0] == "tide/base.py"
    assert paths(code, "see web/page.js")[0] == "web/page.js"
    assert paths(code, "zebra") == []
    assert paths(code, "") == []


def test_what_imports_or_is_imported_comes_behind_and_what_is_linked_with_nothing_stays_out(code: Searched) -> None:
    found = paths(code, "close_gate")

    assert "tide/base.py" in found
    assert "far/away.py" not in found


def test_tests_count_less_unless_they_are_asked_for(code: Searched) -> None:
    def score(*, unmarked: bool) -> float:
        return {each.path: each.score for each in ranked(code, "close gate", unmarked=unmarked)}["tests/test_gate.py"]

    assert paths(code, "close gate")[0] == "tide/gate.py"
    assert score(unmarked=False) < score(unmarked=True)


@pytest.mark.parametrize(
    ("line", "turned"),
    [
        ("show_default()", "default_show()"),
        ("showDefault()", "defaultShow()"),
        ("# how to show-default values", "# how to default-show values"),
        ("# show default values", "# default show values"),
    ],
)
def test_a_piece_with_two_words_side_by_side_as_the_task_goes_before_one_that_has_them_turned(
    line: str, turned: str
) -> None:
    code = Searched({"one.py": f"def alpha():\n    {turned}\n    run()\n\n\ndef omega():\n    {line}\n    run()\n"})
    pieces = rank_code(asked("show default of an option"), code, graph_of(code))[1]

    assert [each.name for each in pieces] == ["omega", "alpha"]


@pytest.mark.parametrize("between", [", ", ". ", " (", " the "])
def test_words_with_more_than_a_space_between_them_are_not_side_by_side(between: str) -> None:
    assert ("show", "default") in asked("to show-default").pairs
    assert asked(f"show{between}default").pairs == {}


@given(task=st.sampled_from(["close gate", "clamp", "page of the tide", "noise"]), most=st.integers(1, 6))
def test_the_best_files_and_the_tests_among_all_are_those_of_the_whole_order(
    code: Searched, task: str, most: int
) -> None:
    wanted = asked(task)
    evidence = FileEvidence(wanted, code, graph_of(code), FileWeights())

    for unmarked in (False, True):
        assert evidence.ranked(unmarked=unmarked, most=most) == evidence.ranked(unmarked=unmarked)[:most]
    every = evidence.ranked(unmarked=True)
    plain = [each.path for each in every if not code.files[each.path].marks][:most]
    assert [(each.path, each.score) for each in evidence.with_tests(most)] == [
        (each.path, each.score) for each in every if code.files[each.path].marks or each.path in plain
    ]


@given(
    words=st.lists(st.sampled_from(["gate", "ab", "lock", "see", "x1"]), max_size=3),
    texts=st.lists(st.text("abgtelockSEx1/._", max_size=12), max_size=6),
)
def test_all_paths_looked_through_as_one_text_give_those_that_each_gives(words: list[str], texts: list[str]) -> None:
    counter = WordCounter(words)

    assert list(counter.holding(texts)) == [text for text in texts if counter.may_be_in(text)]


@pytest.mark.parametrize(
    ("path", "aside"),
    {
        "docs/a.py": True,
        "a/my-examples/b.go": True,
        "a/Bench/b.py": True,
        "a/types.d.ts": True,
        "a/jest.config.js": True,
        "a/.eslintrc.cjs": True,
        "a/Setup.py": True,
        "magefile.go": True,
        "a/gulpfile.js": True,
        "a/docs.py": False,
        "a/setup_all.py": False,
        "a/v1.2.py": False,
        "redocs/a.py": False,
    }.items(),
)
def test_what_shows_tries_builds_or_declares_a_repository_is_beside_it(path: str, aside: bool) -> None:
    assert aside_among([path, "a/gate.py", path]) == [aside, False, aside]


LONG = "".join(f"def close_gate_{number}():\n    return shut(gate, {number})\n\n\n" for number in range(40))


def test_a_file_of_many_matching_pieces_does_not_hide_those_of_another() -> None:
    both = Searched({"tide/gate.py": LONG, "tide/gate_lock.py": "def close_gate_lock(gate):\n    return close(gate)\n"})
    wanted = asked("the gate does not close")
    files = rank_files(wanted, both, graph_of(both))

    def place(weights: UnitWeights) -> int:
        return [each.path for each in rank_units(wanted, both, files, weights)].index("tide/gate_lock.py")

    assert place(UnitWeights()) < 10 < place(UnitWeights(further=0.0))


SCATTERED = "".join(
    f"def {word}_part(given):\n    value = given\n    return value\n\n\n" for word in "lock sluice gate valve".split()
)
TOGETHER = "def mend(given):\n    # where the lock of a sluice has a gate and a valve\n    return given\n"


def test_a_file_with_the_words_in_one_piece_gains_on_one_that_has_them_in_many() -> None:
    both = Searched({"a/parts.py": SCATTERED, "b/other.py": TOGETHER})
    wanted, graph = asked("the lock, the sluice, the gate and the valve"), graph_of(both)
    before = {each.path: each.score for each in rank_files(wanted, both, graph)}
    files, pieces = rank_code(wanted, both, graph)
    gained = {each.path: each.score - before[each.path] for each in files}

    assert gained["b/other.py"] > gained["a/parts.py"] > 0
    assert [each.score for each in files] == sorted((each.score for each in files), reverse=True)
    assert {each.path for each in pieces} == {"a/parts.py", "b/other.py"}


def test_a_file_called_by_words_of_the_task_gains_by_the_share_of_its_name_that_they_are() -> None:
    text = "def mend(given):\n    return given\n"
    both = Searched({"a/gate_lock.py": text, "b/gate_of_far_sea.py": text, "c/sluice.py": text})
    files, _ = rank_code(asked("mend the lock of the gate"), both, graph_of(both))
    called = {each.path: each.parts.get("called", 0.0) for each in files}

    assert called["a/gate_lock.py"] > called["b/gate_of_far_sea.py"] > called["c/sluice.py"] == 0


def test_words_of_nearly_every_task_weigh_less_and_what_is_repeated_weighs_more() -> None:
    words = asked("Fix the sluice\n\nThe gate, the valve, and the gate again").words

    assert words["fix"] < 0.5 * words["sluic"]
    assert words["valv"] < words["gate"] < 2 * words["valv"]


def test_what_a_file_imports_comes_before_its_other_pieces_that_have_no_word_of_the_task() -> None:
    taken = "".join(f"import {name}\n" for name in ("sea", "moon", "sun", "wind"))
    text = f"def first(given):\n    return given\n\n\n{taken}\n\ndef ebb(tide):\n    return tide\n"
    code = Searched({"tide.py": text, "far.py": "x = 1\n"})
    wanted = asked("mend `ebb`")

    def firsts(weights: UnitWeights) -> list[int]:
        return [each.unit.first for each in rank_units(wanted, code, ranked(code, "mend `ebb`"), weights)]

    assert firsts(UnitWeights()) == [11, 5, 1]
    assert firsts(UnitWeights(imports=0.0)) == [11, 1, 5]


BESIDE = (
    "docs/tide.js Examples/tide.js _examples/tide.js docs_src/tide.js typing-examples/tide.js benches/tide.js "
    "sandbox/tide.js typings/tide.d.ts Gruntfile.js karma.conf.js a.config.mjs .arc.js"
)


@pytest.mark.parametrize("path", BESIDE.split())
def test_what_shows_tries_or_builds_a_program_counts_less(path: str) -> None:
    text = "export function ebb(tide) {\n  return tide;\n}\n"
    for other in ("src/water.js", "lib/config.js", "src/documents/tide.js"):
        found = ranked(Searched({path: text, other: text}), "mend `ebb`")
        assert [each.path for each in found] == [other, path]
        assert found[1].score < 0.6 * found[0].score


def test_each_file_says_what_speaks_for_it(code: Searched) -> None:
    best = listed_files(ranked(code, "`close_gate` of tide/gate.py"))[0]

    assert (best.path, best.score) == ("tide/gate.py", 1000)
    assert "words 1.00" in best.why
    assert "the task names it" in best.why


def test_the_pieces_of_the_best_files_come_in_their_order(code: Searched) -> None:
    wanted = asked("close gate when the tide is high")
    best = rank_units(wanted, code, ranked(code, "close gate when the tide is high"))[0]

    assert (best.path, best.name, best.unit.first, best.unit.last) == ("tide/gate.py", "close_gate", 4, 6)
    assert "words: " in best.why


@given(st.text())
def test_any_text_has_words(text: str) -> None:
    found = words_in(text)

    assert all(word and word == word.lower() for word in found)
    assert words_in(text) == found
    assert {*asked(text).words} <= set(found)


@given(st.text(alphabet="`_./() aAbB1\n", max_size=60))
def test_any_task_can_be_asked(task: str) -> None:
    wanted = asked(task)

    most = 1 + AGAIN * math.log(60)
    assert all(0 < weight <= most for weight in wanted.words.values())
    assert all(len(name) > 1 for name in wanted.names)


@pytest.mark.parametrize("long", ["x", "A", "aB", "a_", "a-", "-", "_", "a.", "a/", "1a", "潮"])
def test_a_task_that_is_one_endless_word_is_looked_at_once(long: str) -> None:
    wanted = asked(long * 200_000)

    assert len(wanted.names | wanted.paths) <= LONGEST
    assert asked(f"{long * 20} `clamp`\n{long * 200_000}").names >= {"clamp"}


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 3.0]), st.lists(st.integers(0, 99), max_size=3)), max_size=12))
def test_a_walk_along_links_adds_no_weight_and_goes_five_links_far(rows: list[tuple[float, list[int]]]) -> None:
    seeds = [seed for seed, _ in rows]
    near = both_ways([[other % len(rows) for other in others] for _, others in rows])
    found = page_rank(seeds, near)
    reached = {place for place, seed in enumerate(seeds) if seed}
    for _ in range(5):
        reached |= {other for place in reached for other in near[place]}

    assert sum(found) <= 1.0 + 1e-9
    assert {place for place, value in enumerate(found) if value} == reached


TASKS = st.lists(st.sampled_from([*"close gate tide clamp value page noise zebra level test".split()]), max_size=6)


def letters(text: str) -> int:
    return len(text)


@settings(max_examples=60, deadline=None)
@given(TASKS, st.integers(1, 1500), st.booleans())
def test_what_is_chosen_never_takes_more_than_the_budget(task: list[str], budget: int, unmarked: bool) -> None:
    code = Searched(TEXTS, {"tests/test_gate.py"})
    filled = choose(" ".join(task), code, budget, letters, unmarked=unmarked).filled

    assert sum(each.tokens for each in filled.snippets) == filled.tokens <= budget
    parts = len({(each.path, each.whole) for each in filled.snippets})
    assert letters(rendered(filled.snippets)) <= filled.tokens + parts, "more than blank lines between the parts"
    assert len({(each.place, each.whole) for each in filled.snippets}) == len(filled.snippets)
    assert choose(" ".join(task), code, budget, letters, unmarked=unmarked).filled == filled


PIECES = st.lists(st.tuples(st.sampled_from(["a.py", "b.py"]), st.integers(1, 400), st.integers(0, 300)), max_size=25)
SIGNATURES = st.lists(st.integers(0, 120), max_size=6)


def piece(path: str, first: int, length: int) -> RankedUnit:
    return RankedUnit(path, CodeUnit(first, first, -1), f"n{first}", 1.0, ("x" * length,))


def signature(number: int, length: int) -> Snippet:
    return Snippet("c.py", number, number, f"s{number}", "y" * length, 0, "why", "python", whole=False)


@given(PIECES, SIGNATURES, st.integers(0, 1200))
def test_a_budget_is_filled_and_never_exceeded(
    given_pieces: list[tuple[str, int, int]], lengths: list[int], budget: int
) -> None:
    pieces = [piece(*each) for each in given_pieces]
    around = [signature(number, length) for number, length in enumerate(lengths)]
    filled = fill(pieces, lambda taken: around if taken else (), budget, letters, lambda path: "python")
    whole = [each for each in filled.snippets if each.whole]

    assert sum(each.tokens for each in filled.snippets) == filled.tokens <= budget
    parts = len({(each.path, each.whole) for each in filled.snippets})
    assert letters(rendered(filled.snippets)) <= filled.tokens + parts, "more than blank lines between the parts"
    assert sum(each.tokens for each in whole) * 100 <= budget * BODIES
    assert all(each.tokens * 100 <= budget * LARGEST for each in whole)
    assert all(each.text in rendered(filled.snippets) for each in filled.snippets)


@given(st.text(alphabet="`~x\n", max_size=40))
def test_nothing_in_a_piece_closes_its_fence(text: str) -> None:
    lines = shown_text(Snippet("a.py", 1, 2, "f", text, 0, "", "python")).splitlines()

    assert lines[-1] == "`" * len(lines[-1])
    assert not any(line.startswith(lines[-1]) for line in lines[2:-1])


def test_a_long_piece_does_not_hide_smaller_ones() -> None:
    filled = fill([piece("a.py", 1, 900), piece("a.py", 2, 10)], lambda taken: (), 300, letters, lambda path: "python")

    assert [each.name for each in filled.snippets] == ["n2"]
    assert [(each.name, each.why) for each in filled.not_shown] == [("n1", "too long")]


@pytest.mark.parametrize("break_", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028", "\r"])
def test_lines_are_those_that_an_editor_counts_whatever_else_breaks_a_line(break_: str) -> None:
    code = Searched({"old.py": f"# one{break_}\nX = 1  # {break_}{break_}\n\n\ndef late():\n    return X\n"})
    (late,) = [each for each in choose("late", code, 900, letters).filled.snippets if each.name == "late"]

    assert (late.first, late.last, late.text) == (5, 6, "def late():\n    return X")


# What earlier commits say.

TWO_PUMPS = {
    "a/pump.py": "def start(rate):\n    return rate\n",
    "b/pump.py": "def start(rate):\n    return rate\n",
    "c/far.py": "def noise():\n    return 0\n",
}
COMMITS = [
    ("Rattle: the pump starts twice\n\nIt did so at night", ("b/pump.py",)),
    ("Rattle and pump everywhere", tuple(f"a/{number}.py" for number in range(40))),
    ("Noise", ("c/far.py", "gone.py")),
]


def test_a_file_that_a_commit_of_like_words_changed_goes_before_its_twin() -> None:
    code = Searched(TWO_PUMPS)
    task = "the pump rattles when it starts"
    plain = choose(task, code, 900, letters).files
    found = choose(task, code, 900, letters, commits=COMMITS).files

    assert [each.path for each in plain[:2]] == ["a/pump.py", "b/pump.py"]
    assert [each.path for each in found[:2]] == ["b/pump.py", "a/pump.py"]
    assert "commits of like words" in found[0].why
    assert "commits of like words" not in found[1].why


def test_a_commit_says_more_of_its_one_file_than_of_many_and_nothing_of_what_is_gone() -> None:
    task = asked("the pump rattles")
    one = by_messages(task, [("pump rattle", ("a/pump.py",))], TWO_PUMPS)
    two = by_messages(task, [("pump rattle", ("a/pump.py", "b/pump.py"))], TWO_PUMPS)

    assert one["a/pump.py"] > two["a/pump.py"] == two["b/pump.py"] > 0
    assert by_messages(task, [("pump rattle", ("gone.py",))], TWO_PUMPS) == {}
    assert by_messages(task, COMMITS[1:2], dict.fromkeys(COMMITS[1][1], "")) == {}, "a sweeping change says nothing"
    assert by_messages(asked(""), COMMITS, TWO_PUMPS) == {} == by_messages(task, [], TWO_PUMPS)


@given(st.lists(st.tuples(st.text(max_size=60), st.lists(st.sampled_from(sorted(TWO_PUMPS)), max_size=3)), max_size=8))
@settings(max_examples=60)
def test_any_commits_weigh_one_at_most_and_bring_in_no_file_of_their_own(commits: list[tuple[str, list[str]]]) -> None:
    found = by_messages(asked("the pump rattles"), commits, TWO_PUMPS)

    assert all(0 < value <= 1 for value in found.values())
    assert found.keys() <= TWO_PUMPS.keys()
