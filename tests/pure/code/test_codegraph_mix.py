"""The sorts of code that a prompt shows: functions with their tests, interfaces, files that are nearly whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pure.code_searched import Searched
from verifflowcc.base.model.config_values import WHOLE, CodeMix
from verifflowcc.code.rules.code_context import choose, named_types
from verifflowcc.code.rules.graph import FILE, Definition, SymbolKind
from verifflowcc.code.rules.rank_units import CodeUnit, RankedUnit, rank_files
from verifflowcc.code.rules.repository_map import graph_of
from verifflowcc.code.rules.snippets import above_floor, interface, mixed, pieces_of_tests, signature, size_of
from verifflowcc.code.rules.task_words import asked

pytestmark = pytest.mark.vfcc("REQ-CODE-IN-PROMPT")

GATE = "def close_gate(level):\n    return level\n\n\ndef open_gate():\n    return 0\n"
CODE = Searched(
    {
        "tide/gate.py": GATE,
        "tide/other.py": "from tide.gate import close_gate\n\n\ndef night():\n    return close_gate(9)\n",
        "tests/test_gate.py": "from tide.gate import close_gate\n\n\ndef test_closes():\n    assert close_gate(1)\n",
        "tests/test_moon.py": "def test_moon():\n    assert True\n",
    },
    {"tests/test_gate.py", "tests/test_moon.py"},
)
TASK = "the gate does not close: close_gate"


def piece(path: str, first: int, lines: tuple[str, ...], score: float = 1.0) -> RankedUnit:
    return RankedUnit(path, CodeUnit(first, first + len(lines) - 1, 0), "", score, lines)


def shown(mix: CodeMix) -> dict[str, str]:
    found = choose(TASK, CODE, 2_000, len, mix=mix).filled.snippets
    return {f"{each.path} {each.name}": each.text for each in found}


def test_tests_of_the_task_stand_beside_its_functions() -> None:
    half = CodeMix(bodies=WHOLE // 2, tests=WHOLE // 2)

    assert "tests/test_gate.py test_closes" in shown(half)
    assert "tests/test_moon.py test_moon" not in shown(half)


def test_an_interface_has_the_signature_and_no_body() -> None:
    found = shown(CodeMix(interfaces=WHOLE))

    assert found["tide/gate.py close_gate"] == "def close_gate(level):"
    assert "return" not in "".join(found.values())


def test_callers_are_named_for_roles_that_design() -> None:
    assert shown(CodeMix(interfaces=WHOLE // 2, callers=WHOLE // 2))["tide/other.py night"].startswith("def night(")


def test_a_signature_of_several_lines_is_shown_whole() -> None:
    lines = ("@cached", "def gate(", "    level,", ") -> int:", "    return level")
    found = signature(piece("a.py", 3, lines), [Definition(SymbolKind.FUNCTION, "gate", 4, 7)])

    assert found is not None
    assert (found.unit.first, found.unit.last) == (4, 6)
    assert found.lines == lines[1:4]
    assert signature(RankedUnit("a.py", CodeUnit(1, 1, FILE), "", 1.0, ("import os",)), []) is None


DOCUMENTED = (
    "# Shuts at flood.",
    "@cached",
    "def gate(level):",
    '    """Close it.',
    "",
    '    Twice."""',
    "    return level",
)


def interface_of(lines: tuple[str, ...], line: int) -> tuple[str, ...]:
    found = interface(piece("a.py", 3, lines), [Definition(SymbolKind.FUNCTION, "gate", line, 2 + len(lines))])
    assert found is not None
    assert found.unit.last - found.unit.first + 1 == len(found.lines)
    return found.lines


def test_an_interface_has_comment_decorators_signature_and_docstring() -> None:
    assert interface_of(DOCUMENTED, 5) == DOCUMENTED[:-1]
    assert interface_of(("def gate(level):", "    '''Close it.'''", "    return level"), 3)[1:] == (
        "    '''Close it.'''",
    )
    assert interface_of(("def gate(level):", "    return level"), 3) == ("def gate(level):",)
    assert interface_of(("def gate(level): return level",), 3) == ("def gate(level): return level",)
    assert interface(RankedUnit("a.py", CodeUnit(1, 1, FILE), "", 1.0, ("import os",)), []) is None


def test_an_interface_has_ten_lines_of_a_long_docstring_and_no_comment_longer_than_a_signature() -> None:
    long = ("def gate():", '    """Close it.', *["    And more."] * 20, '    """', "    return 1")

    assert interface_of(long, 3) == long[:11]
    assert interface_of((*["# Why."] * 31, *long), 34) == long[:11]


def test_a_signature_of_twenty_parameters_is_shown_whole() -> None:
    lines = ("def get(", *(f"    option_{number}," for number in range(20)), ") -> int:", "    return 1")

    assert interface_of(lines, 3) == lines[:-1]


MANY_TESTS = Searched(
    {
        "tide/gate.py": GATE,
        "tests/test_gate.py": "".join(
            f"def test_close_gate_{number}():\n" + "    assert close_gate(1)\n" * (30 - number) + "\n\n"
            for number in range(20)
        ),
        "tests/test_close.py": "def test_close_gate_by_hand():\n    assert close_gate(2)\n",
    },
    {"tests/test_gate.py", "tests/test_close.py"},
)


def test_a_short_test_of_each_matching_test_file_comes_before_the_second_one_of_any() -> None:
    wanted = asked(TASK)
    found = pieces_of_tests(wanted, MANY_TESTS, rank_files(wanted, MANY_TESTS, graph_of(MANY_TESTS), unmarked=True))

    assert {each.path for each in found[:2]} == {"tests/test_gate.py", "tests/test_close.py"}
    assert len(next(each for each in found if each.path == "tests/test_gate.py").lines) == 12
    assert len(found) == 21


def test_pieces_far_below_the_best_are_left_out_unless_they_complete_a_file() -> None:
    best, near, rest = (
        piece("a.py", n, ("x" * size,), score) for n, size, score in ((1, 50, 1.0), (2, 40, 0.5), (3, 10, 0.0))
    )
    far = piece("b.py", 1, ("y" * 10,), 0.09)

    assert above_floor([best, near, far, rest]) == [best, near, rest]
    assert above_floor([best, piece("a.py", 2, ("x" * 40,), 0.09), far]) == [best]
    assert above_floor([]) == []


SIZES = st.lists(st.integers(1, 400), max_size=12)


@given(SIZES, SIZES, st.integers(0, 100))
def test_at_any_cut_tests_have_about_their_share_while_there_are_both(
    others: list[int], tests: list[int], percent: int
) -> None:
    plain = [piece("a.py", n, ("x" * size,)) for n, size in enumerate(others)]
    of_tests = [piece("test_a.py", n, ("t" * size,)) for n, size in enumerate(tests)]
    found = list(mixed([(100 - percent, plain), (percent, of_tests)], size_of))

    assert [each for each in found if each.path == "a.py"] == plain
    assert [each for each in found if each.path != "a.py"] == of_tests
    largest, total, tested, left = max([*others, *tests, 0]), 0, 0, len(plain)
    for each in found:
        total += size_of(each)
        tested += size_of(each) * (each.path != "a.py")
        left -= each.path == "a.py"
        if left and tested < sum(tests):
            assert abs(tested - percent * total / 100) <= largest + 1


def test_a_large_test_waits_until_its_part_has_saved_for_it() -> None:
    plain = [piece("a.py", n, ("x" * 100,)) for n in range(30)]
    large = piece("test_a.py", 1, ("t" * 200,))

    order = list(mixed([(95, plain), (5, [large])], size_of))

    assert order.index(large) * 100 >= 1_000


def test_a_dotted_name_means_a_type_of_that_module_alone() -> None:
    code = Searched({"shop/basket.py": "class Path:\n    pass\n"})

    assert named_types("take a `pathlib.Path`", asked("take a `pathlib.Path`"), code) == {}
    assert named_types("a Path.", asked("a Path."), code) == {"shop/basket.py": frozenset({0})}
    assert named_types("basket.Path", asked("basket.Path"), code) == {"shop/basket.py": frozenset({0})}
