"""An evaluation of recall in a real memory: what names an item, what counts as found, and what cannot be measured."""

import os
import shutil
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from tests.trees import write_memory
from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.memory.rules.recall_evaluation import Expectation, LabelledQuestion
from verifflowcc.memory.store.ingested_turns import read_labelled_file
from verifflowcc.memory.use.recall_evaluating import Evaluation, evaluate

pytestmark = pytest.mark.vfcc("REQ-INDICATOR-RECALL")
ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "eval-decisions.yaml"
DATA = Path(os.environ.get("VFCC_DATA", ROOT.parent / "shared" / "data"))
RECORDS = DATA / "cloud-platform-adrs" / "architecture-decision-record"

ITEMS = {
    "project/items/fact/acme.md": "---\nid: acme-k3f9\nkey: client\ntype: fact\n---\nThe client is Acme, who pays.\n",
    "project/items/fact/old.md": "---\nid: old-1111\ntype: fact\n---\nInvoices go out on paper each quarter.\n",
    "project/items/fact/new.md": (
        "---\nid: new-2222\ntype: fact\nlinks: [{to: old-1111, relation: supersedes}]\n---\n"
        "Invoices go out by mail each month.\n"
    ),
    "project/decisions/001-queue.md": "# Use a queue\n\nStatus: accepted\n\nJobs wait in a queue.\n",
    "project/items/failure/lost.md": (
        "---\nid: lost-3333\ntype: failure\nlinks: [{to: cure-4444, relation: resolved_by}]\n---\nMessages vanished.\n"
    ),
    "project/items/fix/cure.md": "---\nid: cure-4444\ntype: fix\n---\nAcknowledge only at the end.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return write_memory(root, {"config.yaml": "format: 1\n", **ITEMS})


def asked(
    root: Path, *queries: LabelledQuestion, ks: Sequence[int] = (1, 3), least: Fraction | None = None
) -> Evaluation:
    def scopes(name: str | None) -> Sequence[str]:
        if name == "nowhere":
            raise UsageError("there is no scope 'nowhere'")
        return (name or "project",)

    return evaluate(open_workspace(root), queries, scopes, file="q.yaml", ks=ks, at=ks[-1], least=least)


def query(question: str, *names: str, line: int = 1, **more: object) -> LabelledQuestion:
    expect = tuple(Expectation(name, line + place) for place, name in enumerate(names, 1))
    return LabelledQuestion(question, expect, line, **more)  # type: ignore[arg-type]


def ranks(found: Evaluation) -> list[list[int | None]]:
    return [[answer.rank for answer in each.answers] for each in found.questions]


def refusals(root: Path, *queries: LabelledQuestion) -> list[str]:
    with pytest.raises(FormatError) as raised:
        asked(root, *queries)
    return raised.value.message.split("\n")


@pytest.mark.parametrize("name", ["acme-k3f9", "client", ".memory/project/items/fact/acme.md", "acme.md", "acme"])
def test_an_item_is_meant_by_its_id_key_path_or_file(root: Path, name: str) -> None:
    found = asked(root, query("Who is the client?", name))

    assert ranks(found) == [[1]]
    assert [(each.k, each.recall) for each in found.recall] == [(1, 10_000), (3, 10_000)]


def test_a_record_without_front_matter_is_meant_by_its_file(root: Path) -> None:
    assert ranks(asked(root, query("Where do jobs wait?", "001-queue.md"))) == [[1]]


def test_what_is_not_found_is_missed_and_the_worst_stand_first(root: Path) -> None:
    found = asked(
        root,
        query("Where do jobs wait?", "001-queue.md"),
        query("Where do jobs wait?", "001-queue.md", "acme.md", line=9),
        query("Who has the keys of the car?", "acme.md", line=5),
    )
    assert ranks(found) == [[None], [1, None], [1]]
    assert [each.line for each in found.questions] == [5, 9, 1]
    assert found.measured.recall == 5_000
    assert found.reciprocal_rank == 6_666


def test_what_a_link_brings_in_does_not_count(root: Path) -> None:
    found = asked(root, query("Why have messages vanished?", "lost.md", "cure.md"))

    assert ranks(found) == [[1, None]]


def test_what_was_superseded_is_missed_with_the_reason_unless_it_is_asked_for(root: Path) -> None:
    (missed,) = asked(root, query("When do invoices go out?", "old.md")).questions
    (found,) = asked(root, query("When do invoices go out?", "old.md", everything=True)).questions

    assert (missed.answers[0].rank, found.answers[0].invalid_reason) == (None, "")
    assert missed.answers[0].invalid_reason.startswith("superseded by ")
    assert found.answers[0].rank is not None


def test_what_names_no_item_is_refused_with_its_line_and_nothing_is_measured(root: Path) -> None:
    assert refusals(root, query("Who?", "acme", "acmee", line=4), query("What?", "thing", line=8)) == [
        "q.yaml:6: there is no item acmee in project memory; did you mean acme?",
        "q.yaml:9: there is no item thing in project memory",
    ]


def test_an_answer_that_its_question_could_not_find_is_refused(root: Path) -> None:
    assert refusals(root, query("Who is the client?", "acme", types=("decision", "factt"))) == [
        "q.yaml:2: acme is of type fact, and the question asks for others"
    ]


def test_one_item_named_twice_is_refused_since_it_would_count_twice(root: Path) -> None:
    assert refusals(root, query("Who is the client?", "acme.md", "client")) == [
        "q.yaml:3: client and acme.md name the same item"
    ]


def test_a_scope_or_a_day_that_is_none_is_refused_with_the_line(root: Path) -> None:
    wrong = (query("Who?", "acme", line=3, scope="nowhere"), query("Who?", "acme", line=7, as_of="soon"))

    assert refusals(root, *wrong) == [
        "q.yaml:3: there is no scope 'nowhere'",
        "q.yaml:7: 'soon' is no day; write it as 2026-11-21",
    ]


def test_a_threshold_is_compared_exactly(root: Path) -> None:
    three = [query("Who is the client?", "acme", line=each) for each in (1, 4)] + [query("Which car?", "acme", line=7)]

    assert asked(root, *three, least=Fraction(2, 3)).reached
    assert not asked(root, *three, least=Fraction("0.6667")).reached
    assert asked(root, *three, least=Fraction("0.6666")).reached


def test_the_example_can_be_read() -> None:
    queries = read_labelled_file(EXAMPLE, EXAMPLE.name)

    assert len(queries) == len({each.question for each in queries}) == 30


@pytest.mark.sweep
@pytest.mark.skipif(not RECORDS.is_dir(), reason="the data set cloud-platform-adrs is not here")
def test_the_questions_of_the_example_are_answered_among_the_best_three(tmp_path: Path) -> None:
    initialise(tmp_path)
    for record in RECORDS.glob("*.md"):
        shutil.copyfile(record, tmp_path / ".memory" / "project" / "decisions" / record.name)
    queries = read_labelled_file(EXAMPLE, EXAMPLE.name)
    found = evaluate(open_workspace(tmp_path), queries, lambda _: ("project",), file=EXAMPLE.name, ks=(3,), at=3)

    assert found.measured.recall >= 9_000, [each for each in found.questions if each.answers[0].rank not in {1, 2, 3}]
