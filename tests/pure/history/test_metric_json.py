"""Metric files: numbers, exactly, in millionths."""

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.gates.test_evidence_file import made
from verifflowcc.base.model.evidence_values import LARGEST_EVIDENCE_BYTES
from verifflowcc.sprint.rules.evidence_files import encode_evidence
from verifflowcc.sprint.rules.metric_json import measure_metrics


def test_numbers_get_dotted_names() -> None:
    data = b'{"size": {"wheel_kb": 12.5, "files": 3}, "time": -0.25, "name": "x", "ok": true, "list": [1], "no": null}'
    found = measure_metrics(data)

    assert found.problem == ""
    assert found.measures == {"size.wheel_kb": 12_500_000, "size.files": 3_000_000, "time": -250_000}


@pytest.mark.parametrize(
    ("number", "millionths"),
    [
        ("0.1", 100_000),
        ("0.0000005", 0),
        ("0.0000015", 2),
        ("0.0000025", 2),
        ("0.00000250000000000000000000000000000000000000000000001", 3),
        ("-0.0000015", -2),
        ("-0.0", 0),
        ("1e3", 1_000_000_000),
        ("1E-6", 1),
        ("1e-400", 0),
        ("1e-999999999", 0),
        ("9007199254", 9_007_199_254_000_000),
        ("0." + "3" * 100_000, 333_333),
    ],
)
def test_fractions_are_exact_and_rounded_half_to_even(number: str, millionths: int) -> None:
    assert measure_metrics(f'{{"n": {number}}}'.encode()).measures == {"n": millionths}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"12", "the file is no object"),
        (b"[1]", "the file is no object"),
        (b"{}", "no number"),
        (b'{"a": "12", "b": NaN, "c": Infinity, "d": true}', "no number"),
        (b'{"a": 1e99999999999999999999}', "no number"),
        (b'{"a": 1e999999999}', "too large"),
        (b'{"a": 9007199255}', "too large"),
        (b'{"a": -9007199255}', "too large"),
        (b'{"a": ' + b"9" * 10**6 + b"}", "too large"),
        (b'{"a": 1, "a": 2}', "is there twice"),
        (b'{"a.b": 1, "a": {"b": 2}}', "is there twice"),
        (b'{"\\ud800": 1}', "surrogate"),
        (b"\xff", "not UTF-8"),
        (b'{"a": 1', "not JSON"),
        (b'{"a":' * 50_000, "not JSON"),
        (json.dumps({f"n{each}": each for each in range(51)}).encode(), "more than 50"),
        (json.dumps({"n" * 1501: 1}).encode(), "longer than 1500 bytes"),
        (json.dumps({"n" * 10**6: {f"x{each}": {"y": 1} for each in range(5000)}}).encode(), "longer than 1500 bytes"),
    ],
)
def test_what_measures_nothing_is_a_problem(data: bytes, reason: str) -> None:
    found = measure_metrics(data)

    assert reason in found.problem
    assert (found.measures, found.outcome) == ({}, "")


NUMBERS = st.decimals(-9_000_000_000, 9_000_000_000, places=6)


@given(st.dictionaries(st.text(max_size=40), NUMBERS, min_size=1, max_size=60))
@settings(deadline=None, max_examples=100)
def test_six_decimals_are_kept_and_what_was_measured_fits_into_evidence(numbers: dict[str, Decimal]) -> None:
    data = json.dumps({name: "@" + str(number) for name, number in numbers.items()})
    for number in set(map(str, numbers.values())):
        data = data.replace(f'"@{number}"', number)
    found = measure_metrics(data.encode())

    if not found.problem:
        assert found.measures == {name: int(number * 10**6) for name, number in numbers.items()}
        assert len(encode_evidence(made(measures=found.measures, outcome=found.outcome))) <= LARGEST_EVIDENCE_BYTES


@given(st.binary(max_size=200))
@settings(deadline=None, max_examples=100)
def test_no_bytes_are_a_traceback(data: bytes) -> None:
    found = measure_metrics(data)
    assert found.problem or found.measures


def test_the_outcome_is_that_of_the_numbers() -> None:
    assert measure_metrics(b'{"a": 1, "b": 2.0}').outcome == measure_metrics(b'{"b": 2, "a": 1.0}').outcome
    assert measure_metrics(b'{"a": 1}').outcome != measure_metrics(b'{"a": 2}').outcome
