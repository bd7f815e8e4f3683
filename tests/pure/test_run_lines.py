"""The log of runs: what is written is read again, junk costs no other line, and each role keeps its last."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.domain.layers import PRIORITY, Layer
from verifflowcc.domain.runs import LayerRun, Run
from verifflowcc.formats.run_lines import KEPT, latest_runs, read_run, read_runs, run_line

pytestmark = pytest.mark.vfcc("REQ-TUNE")

AT = "2026-11-21T14:00:00Z"
TOKENS = st.integers(0, 10**9)


@st.composite
def layer_runs(draw: st.DrawFn, layer: Layer) -> LayerRun:
    used, wanted, offered = sorted(draw(st.tuples(TOKENS, TOKENS, TOKENS)))
    return LayerRun(layer, draw(st.integers(0, 10**6)), draw(TOKENS), used, wanted, offered)


RUNS = st.builds(
    Run,
    st.just(AT),
    st.sampled_from(["coder", "tester", "ä", 'a"b']),
    st.integers(1, 10**9),
    st.integers(1, 10**9),
    st.tuples(*(layer_runs(layer) for layer in PRIORITY)),
)


def one(agent: str = "coder", number: int = 1) -> Run:
    return Run(AT, agent, number, number, (LayerRun(Layer.AGENT, 10**6, number, 0, 0, 0),))


@settings(deadline=None, max_examples=60)
@given(st.lists(RUNS, max_size=5))
def test_what_is_written_is_read_again(runs: list[Run]) -> None:
    found = read_runs(b"".join(map(run_line, runs)))

    assert (found.runs, found.bad) == (tuple(runs), 0)


@settings(deadline=None, max_examples=60)
@given(st.lists(RUNS, min_size=1, max_size=4), st.binary(max_size=40), st.data())
def test_junk_between_lines_costs_none_of_them(runs: list[Run], junk: bytes, data: st.DataObject) -> None:
    lines = [run_line(run)[:-1] for run in runs]
    place = data.draw(st.integers(0, len(lines)))
    found = read_runs(b"\n".join([*lines[:place], b"\xff" + junk.replace(b"\n", b""), *lines[place:]]))

    assert (found.runs, found.bad) == (tuple(runs), 1)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("at", "soon"),
        ("at", 1),
        ("agent", ""),
        ("agent", "a" * 256),
        ("budget", 0),
        ("room", True),
        ("room", 10**13),
        ("layers", {}),
        ("layers", []),
        ("layers", {"moon": [0, 0, 0, 0, 0]}),
        ("layers", {"agent": [0, 0, 0, 0]}),
        ("layers", {"agent": [1_000_001, 0, 0, 0, 0]}),
        ("layers", {"agent": [0, 0, 2, 1, 3]}),
        ("layers", {"agent": [0, 0, 1, 3, 2]}),
        ("layers", {"agent": [0, 0, -1, 1, 2]}),
        ("layers", {"agent": [0, 0.5, 1, 1, 2]}),
    ],
)
def test_a_line_with_a_foreign_value_says_nothing(key: str, value: object) -> None:
    line = json.loads(run_line(one()))

    assert read_run(json.dumps(line).encode()) == one()
    assert read_run(json.dumps(line | {key: value}).encode()) is None


def test_other_foreign_lines_are_counted() -> None:
    assert read_runs(b'{}\n[]\n1\n{"at":\n' + b"[" * 5_000).bad == 5


def test_a_log_made_smaller_keeps_the_last_of_each_role_in_order_and_some_of_what_it_does_not_know() -> None:
    coder = [one("coder", number) for number in range(1, KEPT + 11)]
    data = b"".join(run_line(run) for pair in zip(coder, [one("tester")] * len(coder), strict=True) for run in pair)
    data = run_line(one("planner")) + b"{later}\n" + data + run_line(coder[0])[:-9]

    smaller = latest_runs(data)
    found = read_runs(smaller)
    assert [run for run in found.runs if run.agent == "coder"] == coder[10:]
    assert sum(run.agent == "tester" for run in found.runs) == KEPT
    assert (found.runs[0].agent, found.bad) == ("planner", 2)
    assert latest_runs(smaller) == smaller
