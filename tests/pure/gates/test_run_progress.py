"""What a test command's output says while it runs."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.gates.rules.run_outcomes import RunProgress, running_test, without_stacks

pytestmark = pytest.mark.vfcc("REQ-EVIDENCE")
QUIET = "collected 5 items\n\ntests/test_a.py ..F     [ 60%]\ntests/test_b.py .s     [100%]\n\n"
END = "=== short test summary info ===\nFAILED tests/test_a.py::test_c - assert 1 == 2\n= 1 failed, 3 passed in 0.1s ="
LONG = "tests/test_a.py::test_a PASSED  [ 50%]\ntests/test_a.py::test_b FAILED  [100%]\n"
WORKERS = "[gw0] [ 50%] PASSED tests/test_a.py::test_a \n[gw1] [100%] FAILED tests/test_a.py::test_b \n"


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (QUIET + END, "3 passed, 1 failed, 100 %"),
        ("..F.", "3 passed, 1 failed"),
        ("\x1b[32mtests/test_a.py ..\x1b[0m", "2 passed"),
        (LONG + END, "1 passed, 1 failed, 100 %"),
        (WORKERS + END, "1 passed, 1 failed, 100 %"),
        ("FAILED tests/test_a.py::test_c - assert\nERROR: no module\n", ""),
        (f"{QUIET}=== FAILURES ===\nE     \nF\n{END}", "3 passed, 1 failed, 100 %"),
        ("", ""),
    ],
)
def test_ended_tests_are_counted_once(text: str, summary: str) -> None:
    progress = RunProgress()
    progress.feed(text)
    assert progress.summary() == summary
    other = RunProgress(counts=False)
    other.feed(text)
    assert other.summary() == ""


@given(st.lists(st.integers(0, len(QUIET + LONG + END)), max_size=6))
def test_counts_do_not_depend_on_how_the_output_is_split(cuts: list[int]) -> None:
    text = QUIET + LONG + END
    places = [0, *sorted(cuts), len(text)]
    split, whole = RunProgress(), RunProgress()
    whole.feed(text)
    for start, end in itertools.pairwise(places):
        split.feed(text[start:end])
        split.summary()

    assert (split.summary(), split.last, split.percent) == (whole.summary(), whole.last, whole.percent)


def test_the_innermost_test_of_the_project_is_the_running_one() -> None:
    dump = (
        "tests/test_a.py .Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n"
        '  File "/usr/lib/python3.11/test/wait.py", line 1 in test_sleep\n'
        '  File "/p/.venv/lib/site-packages/x.py", line 2 in test_x\n'
        '  File "/p/src/a.py", line 3 in wait\n'
        '  File "/p/tests/test_a.py", line 9 in test_hang\n'
        '  File "/p/conftest.py", line 4 in run\n'
    )
    assert running_test(dump, "/p") == "tests/test_a.py:9 (test_hang)"
    assert running_test(dump.replace("test_hang", "hang"), "/p") == "src/a.py:3 (wait)"
    assert running_test(dump, "/q") == ""
    assert without_stacks(dump) == "tests/test_a.py ."
