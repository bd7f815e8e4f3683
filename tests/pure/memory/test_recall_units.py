"""An item as what is searched: a long text in parts under their headings, a turn beside turns, no word lost."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.config_values import code_path
from verifflowcc.base.model.item_values import DecisionFacts, Item, Ref, Source
from verifflowcc.base.model.recall_values import FIELDS, Unit
from verifflowcc.base.text.stems import stems
from verifflowcc.memory.rules.recall_scoring import LARGEST_TERMS, file_term, question_of, units_of

pytestmark = pytest.mark.vfcc("REQ-READ-LEXICAL")

BODY = FIELDS.index("body")


def item(title: str = "T", path: str = ".memory/project/items/fact/sea-wall.md", **more: object) -> Item:
    return Item("a", "fact", title, path, "project", 500, 800, **more)  # type: ignore[arg-type]


def turn(number: str, session: str | None = "s1", speaker: str | None = "Ann") -> Item:
    return item(source=Source(origin="talk", session=session, turn=number, speaker=speaker))


def field(unit: Unit, name: str) -> list[str]:
    return unit.terms[FIELDS.index(name)].split()


def long_text(*titles: str, words: int = LARGEST_TERMS) -> str:
    return "\n".join(f"# {title}\n\n" + "tide " * words + "\n" for title in titles)


texts = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(["\n\n", "\n# Head\n", "\n## Sub head\n\n", "```\n# no head\n", "\n \t\n", "Under\n---\n"]),
        st.integers(1, 400).map(lambda number: "tide gate " * number),
    ),
    max_size=12,
).map("".join)


@given(texts)
def test_no_word_of_a_text_is_lost_or_told_twice(body: str) -> None:
    units = units_of(item(), body)

    assert Counter(term for unit in units for term in field(unit, "body")) == Counter(stems(body))


@given(texts)
def test_parts_are_no_larger_than_they_must_be_and_stand_beside_each_other(body: str) -> None:
    units = units_of(item(), body)
    largest = max([LARGEST_TERMS, *(len(stems(each)) for each in body.split("\n\n"))])

    assert all(len(field(unit, "body")) <= largest for unit in units)
    if len(units) == 1:
        assert (units[0].thread, units[0].place, units[0].heading) == ("", None, "")
    else:
        assert [(unit.thread, unit.place) for unit in units] == [(item().path, place) for place in range(len(units))]


@given(texts)
def test_every_unit_has_all_fields_and_what_names_the_item(body: str) -> None:
    for unit in units_of(item("Sea wall", key="coast/wall", tags=("harbour",)), body):
        assert len(unit.terms) == len(FIELDS)
        assert field(unit, "key") == ["coast", "wall"]
        assert field(unit, "tags") == ["harbour"]


def test_a_text_that_is_short_enough_is_one_unit() -> None:
    assert len(units_of(item(), "# First\n\n" + "tide " * (LARGEST_TERMS - 1) + "\n\n# Second\n")) == 2
    assert len(units_of(item(), "# First\n\n" + "tide " * (LARGEST_TERMS - 2) + "\n\n# Second\n")) == 1
    assert len(units_of(item(), "")) == 1


def test_each_part_knows_its_heading_and_is_found_by_it() -> None:
    units = units_of(item(), f"Foreword.\n\n{long_text('Sluices', 'Pump house', words=200)}")

    assert [unit.heading for unit in units] == ["", "Sluices", "Pump house"]
    assert [set(field(unit, "title")) for unit in units] == [set(), {"sluic"}, {"pump", "hous"}]


def test_what_looks_like_a_heading_in_code_is_none() -> None:
    body = f"# Real\n\n{'tide ' * LARGEST_TERMS}\n\n```sh\n# a comment\n\n{'tide ' * 50}\n```\n"

    assert {unit.heading for unit in units_of(item(), body)} == {"Real"}


def test_paragraphs_of_one_section_stay_together_while_they_fit() -> None:
    paragraphs = "\n\n".join("tide " * 100 for _ in range(5))

    assert [len(field(unit, "body")) for unit in units_of(item(), f"# A\n\n{paragraphs}")] == [200, 200, 100]
    larger = "\n\n".join("tide " * 130 for _ in range(3))
    assert [len(field(unit, "body")) for unit in units_of(item(), larger)] == [130, 130, 130]


def test_a_title_that_only_begins_the_text_is_not_counted_twice() -> None:
    assert field(units_of(item("We close the gate"), "We close the gate at night.")[0], "title") == []
    assert field(units_of(item("We close the ga…"), "We close the gate at night.")[0], "title") == []
    assert field(units_of(item("Gate"), "We close the gate.")[0], "title") == ["gate"]
    assert field(units_of(item("Gate"), "# Gate\n\nWe close it.")[0], "title") == ["gate"]


def test_an_item_without_a_key_is_known_by_its_file() -> None:
    assert {"sea", "wall"} <= set(field(units_of(item(), "")[0], "key"))


def test_details_and_code_are_words_too_and_each_file_has_a_term() -> None:
    ref = Ref("src/app.py", symbol="RateLimiter")
    found = field(units_of(item(details=(("stage", "coding"),), refs=(ref, ref)), "")[0], "tags")

    assert {"code", "src", "app", "py", "rate", "limit"} <= set(found)
    assert found.count(file_term("src/app.py")) == found.count(file_term("./src//app.py")) == 1


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_file_has_one_term_that_no_word_of_a_text_is_by_chance(one: str, other: str) -> None:
    assert file_term(one).isascii()
    assert file_term(one).isalnum()
    assert (file_term(one) == file_term(other)) == ((code_path(one) or one) == (code_path(other) or other))
    assert question_of("", [file_term(one)]).terms.keys() == {file_term(one)}


def test_a_turn_stands_in_its_conversation_at_its_number() -> None:
    (unit,) = units_of(turn("D3:12"), "x " * 1000)

    assert (unit.thread, unit.place, unit.speaker) == ("talk\ts1", 12, "ann")
    assert units_of(turn("12", session="s2"), "")[0].thread != unit.thread


@pytest.mark.parametrize("odd", [turn("twelve"), turn(""), turn("3", session=None), turn("3", speaker=None)])
def test_what_has_no_place_in_a_conversation_stands_alone(odd: Item) -> None:
    assert [(unit.thread, unit.place) for unit in units_of(odd, "Hello.")] == [("", None)]


def test_a_unit_asks_ends_asking_and_tells_a_time() -> None:
    for text, said in {
        "Is it? Yes.": (True, False, False),
        "Is it?\n": (True, True, False),
        "Yes, on Friday.": (False, False, True),
    }.items():
        (unit,) = units_of(turn("1"), text)
        assert (unit.asks, unit.ends_asking, unit.timed) == said


@pytest.mark.parametrize(
    ("created", "day", "date"),
    [
        ("2026-11-21", "2026-11-21", ["2026", "novemb"]),
        ("2026-11-21T10:00:00+00:00", "2026-11-21", ["2026", "novemb"]),
        ("2026-00-21", "", []),
        ("2026-13-21", "", []),
        (None, "", []),
    ],
)
def test_the_day_that_an_item_is_from(created: str | None, day: str, date: list[str]) -> None:
    (unit,) = units_of(item(created=created), "")

    assert (unit.day, field(unit, "date")) == (day, date)


def test_a_decision_is_from_the_day_that_its_text_says() -> None:
    (unit,) = units_of(item(decision=DecisionFacts(date="2025-06-07")), "")

    assert (unit.day, field(unit, "date")) == ("2025-06-07", ["2025", "june"])


def test_the_parts_of_a_long_turn_have_its_place_and_its_speaker() -> None:
    long = turn("7")
    parts = units_of(long, "\n\n".join(" ".join(f"word{n}x{m}" for m in range(100)) for n in range(6)))

    assert len(parts) > 1
    assert {(each.thread, each.place, each.speaker) for each in parts} == {("talk\ts1", 7, "ann")}
