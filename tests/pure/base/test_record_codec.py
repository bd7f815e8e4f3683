"""Records come back from a derived store as they went in."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import verifflowcc
from verifflowcc.base.model.item_values import Link, Relation, Status
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.record_codec import RecordCodec


class Place(NamedTuple):
    path: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Whole:
    name: str
    status: Status = Status.ACTIVE
    link: Link | None = None
    pairs: tuple[tuple[str, Relation], ...] = ()
    places: Mapping[str, tuple[Place, ...]] | None = None
    marks: frozenset[str] = frozenset()
    either: str | int | None = None


CODEC = RecordCodec[Whole](Whole)
FULL = Whole(
    name="a",
    status=Status.PENDING,
    link=Link("b", Relation.REFINES),
    pairs=(("c", Relation.DERIVES),),
    places={"d": (Place("e", (1, 2)), Place("f"))},
    marks=frozenset({"z", "y"}),
    either=7,
)


@pytest.mark.parametrize("each", [FULL, Whole("a"), Whole("a", either="8")])
def test_a_record_is_read_as_it_was_written(each: Whole) -> None:
    assert CODEC.value(CODEC.text(each)) == each
    many = RecordCodec[tuple[Whole, ...]](tuple[Whole, ...])
    assert many.value(many.text((each, FULL))) == (each, FULL)


def test_only_fields_that_differ_from_their_default_are_written() -> None:
    assert CODEC.text(Whole("a", marks=frozenset({"c", "b"}))) == '{"name":"a","marks":["b","c"]}'


def test_an_inner_record_from_before_fields_were_added_is_read() -> None:
    assert CODEC.value('{"name":"a","link":["b","refines"]}').link == Link("b", Relation.REFINES)


def test_a_class_may_have_rows_of_its_own() -> None:
    codec = RecordCodec[Whole](Whole, {Link: (lambda link: link.to, lambda to: Link(to, Relation.REFINES))})
    assert '"link":"b"' in codec.text(FULL)
    assert codec.value(codec.text(FULL)) == FULL


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name":"a","status":"lost"}', '{"name":"a","more":1}'])
def test_text_of_another_form_raises(text: str) -> None:
    with pytest.raises((ValueError, LookupError, TypeError, AttributeError)):
        CODEC.value(text)


def test_only_sentences_and_quoted_source_use_repr() -> None:
    package = Path(verifflowcc.__file__).parent
    calling = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"(?<![\w.])repr\(", path.read_text(encoding="utf-8"))
    }
    assert calling == {"memory/rules/recall_evaluation.py", "gates/rules/python_tests.py"}
