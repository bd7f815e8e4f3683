"""How well rules alone tell what is about the person from what is about the project, and of which type it is.

    python benchmarks/layer_choice.py [--sentences FILE] [--split tune|report|all] [--json]

The sentences (`layer_sentences.csv`) are labelled by hand; `hard` ones sound like the other layer. Every second, from
the first on, was there to tune on; the others are reported. Each is a turn of its own that a person says, without
anything around it. A sentence of which nothing is extracted counts as wrong; so does one whose first statement has
another layer. `uncertain` are those that would wait in the inbox.
"""

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn

SENTENCES = Path(__file__).with_name("layer_sentences.csv")
SURE, UNSURE = 600, 500


@dataclass(frozen=True)
class Labelled:
    """A sentence with what it should be taken for."""

    sentence: str
    layer: str
    type: str
    hard: bool


@dataclass(frozen=True)
class Answer:
    """A sentence, what it should be, and what it was taken for ("" where nothing was found)."""

    asked: Labelled
    layer: str
    type: str
    uncertain: bool


@dataclass(frozen=True)
class Figures:
    """How many of a group were right."""

    group: str
    sentences: int
    layer_right: float
    type_right: float
    uncertain: int


def main() -> None:
    """Ask about every sentence, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=Path, default=SENTENCES)
    parser.add_argument("--split", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    answers = [answer(each) for each in labelled(options.sentences, options.split)]
    groups = {
        "all": answers,
        "plain": [each for each in answers if not each.asked.hard],
        "hard": [each for each in answers if each.asked.hard],
        "of the person": [each for each in answers if each.asked.layer == "user"],
        "of the project": [each for each in answers if each.asked.layer == "project"],
    }
    _report([_figures(name, each) for name, each in groups.items()], answers, as_json=options.json)


def labelled(file: Path, split: str) -> list[Labelled]:
    """Return the sentences of a file: every second from the first on for `tune`, the others for `report`."""
    with file.open(encoding="utf-8", newline="") as lines:
        found = [
            Labelled(row["sentence"], row["layer"], row["type"], row["hard"] == "yes") for row in csv.DictReader(lines)
        ]
    return {"tune": found[::2], "report": found[1::2], "all": found}[split]


def answer(asked: Labelled) -> Answer:
    """Return what a sentence is taken for."""
    found = extract(Turn("1", Speaker.PERSON, asked.sentence, "sentences")).candidates
    if not found:
        return Answer(asked, "", "", uncertain=False)
    first = found[0]
    return Answer(asked, first.layer, first.type, first.certainty < SURE or first.confidence < UNSURE)


def _figures(group: str, answers: Sequence[Answer]) -> Figures:
    layer = sum(each.layer == each.asked.layer for each in answers)
    kind = sum(each.type == each.asked.type for each in answers)
    number = max(len(answers), 1)
    return Figures(
        group, len(answers), round(layer / number, 3), round(kind / number, 3), sum(each.uncertain for each in answers)
    )


def _report(figures: Sequence[Figures], answers: Sequence[Answer], *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps({"figures": [asdict(each) for each in figures]}, indent=2) + "\n")
        return
    print(f"{'':16}{'sentences':>12}{'layer right':>14}{'type right':>14}{'uncertain':>12}")
    for each in figures:
        print(f"{each.group:16}{each.sentences:12}{each.layer_right:14.3f}{each.type_right:14.3f}{each.uncertain:12}")


if __name__ == "__main__":
    main()
