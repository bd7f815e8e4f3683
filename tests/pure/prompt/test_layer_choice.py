"""The layer is chosen rightly for nine in ten of the labelled sentences that nothing was tuned on."""

import csv
from pathlib import Path

import pytest

from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn

SENTENCES = Path(__file__).parents[3] / "benchmarks" / "layer_sentences.csv"


def rows() -> list[dict[str, str]]:
    with SENTENCES.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.vfcc("REQ-LAYER-CHOICE")
def test_nine_in_ten_layers_are_right() -> None:
    every = rows()
    reported = every[1::2]
    right = 0
    for row in reported:
        found = extract(Turn("1", Speaker.PERSON, row["sentence"], "sentences")).candidates
        right += bool(found) and found[0].layer == row["layer"]

    assert len(every) >= 60
    assert sum(row["hard"] == "yes" for row in every) * 2 >= len(every)
    assert right >= 0.9 * len(reported)
