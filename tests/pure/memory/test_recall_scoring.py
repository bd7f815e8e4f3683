"""How well units match: whole numbers, alike in any order, above zero only where a word matches."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.recall_values import FIELDS, Corpus, KeptUnit, Parts, Unit
from verifflowcc.memory.rules.recall_scoring import MOST_TERMS, WEIGHTS, ScoredUnit, log2, question_of, score, wanted

pytestmark = pytest.mark.vfcc("REQ-READ-LEXICAL")

WORDS = ("tide", "gate", "sluic", "lock", "filler")
ASKED = "tide gate sluice"
FIELD = {name: place for place, name in enumerate(FIELDS)}


def unit(body: str = "", *, thread: str = "", place: int | None = None, asks: bool = False, **fields: str) -> Unit:
    """A unit whose other fields are empty, but for those given; somebody says what stands in a conversation."""
    said = {"speaker": "bob"} if place is not None else {}
    terms = tuple({**dict.fromkeys(FIELDS, ""), **said, **fields, "body": body}.values())
    return Unit(terms, thread, place, asks=asks)


def kept(*units: Unit) -> list[KeptUnit]:
    """Units as the index gives them: of items of their own, numbered in order."""
    return [KeptUnit(number, f"{number:03}.md", 0, each) for number, each in enumerate(units, start=1)]


def corpus(units: list[KeptUnit]) -> Corpus:
    """The statistics of exactly these units, as the index has them."""
    lengths = tuple(sum(len(each.unit.terms[place].split()) for each in units) for place in range(len(FIELDS)))
    held = {
        word: max(sum(word in each.unit.terms[place].split() for each in units) for place in range(len(FIELDS)))
        for word in (*WORDS, "ann")
    }
    return Corpus(len(units), lengths, held)


def scored(units: list[KeptUnit], text: str = ASKED, speakers: frozenset[str] = frozenset()) -> list[ScoredUnit]:
    return score(question_of(text), corpus(units), units, speakers=speakers)


def scores(*units: Unit, text: str = ASKED) -> dict[int, int]:
    """Return number → score of those that match."""
    return {each.kept.number: each.score for each in scored(kept(*units), text)}


TEXTS = ["", "tide", "tide gate filler", "filler filler", "sluic sluic lock", "ann filler gate tide gate"]
PLACED = [("", None), *((thread, place) for thread in "ab" for place in range(4))]


def a_unit(texts: list[str], placed: tuple[str, int | None], flags: int) -> Unit:
    day = ("", "2023-05-07", "2024-01-31")[flags % 3]
    asks, ends_asking, timed = (bool(flags & bit) for bit in (1, 2, 4))
    return Unit((*texts, "ann" if flags & 8 else "", ""), *placed, day, asks, ends_asking, timed)


def kept_units() -> st.SearchStrategy[list[KeptUnit]]:
    """Units with words in any field, some of them turns of two conversations, also several of one turn."""
    texts = st.lists(st.sampled_from(TEXTS), min_size=4, max_size=4)
    units = st.builds(a_unit, texts, st.sampled_from(PLACED), st.integers(0, 15))
    return st.lists(units, min_size=1, max_size=8).map(lambda found: kept(*found))


questions = st.sampled_from([ASKED, "tide", "When did the gate lock in May 2023?", "Ann, the sluice", "nothing"])


@given(kept_units(), questions, st.randoms())
def test_a_score_is_a_whole_number_and_the_same_in_any_order(units: list[KeptUnit], text: str, chance: object) -> None:
    first = scored(units, text)
    shuffled = list(units)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]

    assert scored(shuffled, text) == first
    assert all(type(each.score) is int for each in first)
    assert [(-each.score, each.kept.path, each.kept.part) for each in first] == sorted(
        (-each.score, each.kept.path, each.kept.part) for each in first
    )


@given(kept_units(), questions, st.permutations(range(8)))
def test_the_numbers_that_an_index_gave_its_units_say_nothing(
    units: list[KeptUnit], text: str, numbers: list[int]
) -> None:
    """An index that grew has other numbers than one built anew: two units of one turn stand in the same order."""
    again = [KeptUnit(number, each.path, each.part, each.unit) for each, number in zip(units, numbers, strict=False)]
    again.sort(key=lambda each: each.number)

    def said(found: list[ScoredUnit]) -> list[tuple[str, int]]:
        return [(each.kept.path, each.score) for each in found]

    assert said(scored(again, text)) == said(scored(units, text))


@given(kept_units(), questions)
def test_what_has_a_score_holds_a_word_or_stands_beside_one_that_does(units: list[KeptUnit], text: str) -> None:
    asked = set(question_of(text).terms)
    holding = {each.number for each in units if asked & set(" ".join(each.unit.terms).split())}
    near = {
        each.number
        for each in units
        for other in units
        if other.number in holding
        and each.unit.place is not None
        and other.unit.place is not None
        and each.unit.thread == other.unit.thread
        and abs(each.unit.place - other.unit.place) <= 2
    }
    found = {each.kept.number: each for each in scored(units, text)}

    assert found.keys() <= holding | near
    assert all(each.score > 0 and each.matched for each in found.values())
    for number in found.keys() - holding:
        assert set(found[number].matched.values()) == {("beside",)}


@given(kept_units(), questions)
def test_what_holds_a_word_has_a_score(units: list[KeptUnit], text: str) -> None:
    asked = set(question_of(text).terms)
    holding = {each.number for each in units if asked & set(" ".join(each.unit.terms[: FIELD["speaker"]]).split())}

    assert holding <= {each.kept.number for each in scored(units, text)}


@pytest.mark.parametrize("number", [1, 2, 740, 5_000, 10_000_000])
def test_a_word_that_stands_everywhere_still_finds(number: int) -> None:
    everywhere = Corpus(number, (0, 0, 0, 5 * number, 0, 0), {"tide": number})
    one = kept(unit("tide filler filler filler filler"))

    assert [each.score > 0 for each in score(question_of("tide"), everywhere, one)] == [True]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), st.integers(0, 7), st.sampled_from(FIELDS[:4]))
def test_one_more_occurrence_in_the_place_of_another_word_never_scores_less(
    words: list[str], at: int, name: str
) -> None:
    """The corpus stays as it is, and the unit as long as it was."""
    before, after = list(words), list(words)
    before[at % len(words)], after[at % len(words)] = "filler", "tide"
    fixed = Corpus(50, (50, 50, 50, 400, 50, 50), dict.fromkeys(WORDS, 10))

    def one(said: list[str]) -> int:
        found = score(question_of(ASKED), fixed, kept(unit(**{name: " ".join(said)})))  # type: ignore[arg-type]
        return found[0].score if found else 0

    assert one(after) > one(before)


@given(st.integers(-2, 2), st.booleans())
def test_what_stands_beside_counts_less_than_what_stands_in_it(step: int, asks: bool) -> None:
    turns = [unit("filler filler", thread="a", place=place, asks=asks) for place in range(6)]
    turns[3] = unit("tide filler", thread="a", place=3, asks=asks)
    found = scores(*turns)

    assert set(found) == {2, 3, 4, 5, 6}
    assert step == 0 or found[4 + step] < found[4]


def test_the_nearer_the_more_and_an_answer_more_than_what_came_before() -> None:
    turns = [unit("filler", thread="a", place=place) for place in range(8)]
    turns[4] = unit("tide", thread="a", place=4)
    plain = scores(*turns)
    turns[4] = unit("tide", thread="a", place=4, asks=True)
    asked = scores(*turns)

    assert plain[6] == plain[4] > plain[7] == plain[3]
    assert set(plain) == {3, 4, 5, 6, 7}
    assert asked[6] > plain[6]
    assert asked[4] == plain[4]


def test_the_parts_of_a_text_lend_each_other_less_than_turns_do() -> None:
    turns = [unit("filler", thread="a", place=place) for place in range(3)]
    parts = [unit("filler", thread="a", place=place, speaker="") for place in range(3)]
    turns[1] = unit("tide", thread="a", place=1)
    parts[1] = unit("tide", thread="a", place=1, speaker="")
    turn, part = scores(*turns), scores(*parts)

    assert set(part) == set(turn) == {1, 2, 3}
    assert part[1] * turn[2] < turn[1] * part[2]


def test_a_word_in_the_title_or_the_key_counts_more_than_one_in_the_text() -> None:
    found = {
        name: scores(unit(**{name: "tide", **({} if name == "body" else {"body": "filler"})}), unit("filler"))[1]  # type: ignore[arg-type]
        for name in FIELDS
    }

    assert found["title"] == found["key"] > found["tags"] > found["body"] > found["date"] > 0


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    found = scores(unit("tide filler"), unit("gate filler"), unit("gate filler"))

    assert found[1] > found[2] == found[3]


def test_the_one_who_is_named_goes_first_and_who_speaks_is_no_word_to_look_for() -> None:
    units = kept(unit("tide", speaker="ann"), unit("tide", speaker="bob"), unit("ann sluic"))
    found = scored(units, "What did Ann say of the tide?", frozenset({"ann"}))

    assert [each.kept.number for each in found] == [1, 2]
    assert [each.kept.number for each in scored(units, "Ann?", frozenset({"ann"}))] == [1, 3]


def test_where_a_time_is_asked_for_what_tells_one_goes_first() -> None:
    timed = Unit(("", "", "", "tide", "", ""), timed=True)
    units = kept(unit("tide"), timed)

    assert [each.kept.number for each in scored(units, "When was the tide?")] == [2, 1]
    assert [each.kept.number for each in scored(units, "Where was the tide?")] == [1, 2]


def test_of_many_words_the_rarest_are_looked_for() -> None:
    text = " ".join(f"q{number}z" for number in range(100))
    question = question_of(text)
    some = Corpus(1000, (0,) * 6, {term: place for place, term in enumerate(question.terms)})

    found = wanted(question, some, frozenset())
    assert len(found) == MOST_TERMS
    assert max(some.containing[term] for term in found) < min(
        number for term, number in some.containing.items() if number and term not in found
    )
    assert sorted(found.values(), reverse=True) == list(found.values())


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_the_logarithm_is_that_of_the_fraction(one: int, other: int) -> None:
    numerator, denominator = max(one, other), min(one, other)

    assert abs(log2(numerator, denominator) - 1024 * math.log2(numerator / denominator)) <= 1.01
    assert log2(numerator + 1, denominator) >= log2(numerator, denominator)


@given(st.one_of(st.integers(0, 3), st.integers(0, 10**6)), st.integers(-120, 150), st.sampled_from([0, -500]))
def test_whatever_speaks_against_it_what_matches_has_a_score_and_nothing_else(
    words: int, others: int, validity: int
) -> None:
    total = Parts(words, importance=others, validity=validity).total

    assert (total > 0) == (words > 0)
    assert total <= words * 1150 // 1000 or total == words == 1


def test_the_weights_are_of_the_fields() -> None:
    assert len(WEIGHTS) == len(FIELDS)


def test_a_question_about_the_one_who_asks_finds_what_they_wrote() -> None:
    said = [
        unit("tide gate", thread="t", place=1, speaker="person"),
        unit("tide gate", thread="u", place=1, speaker="agent"),
    ]

    def by_speaker(text: str) -> list[int]:
        return [scores(*said, text=text)[number] for number in (1, 2)]

    mine, theirs = by_speaker("Where did I put the tide gate?")
    assert mine > 2 * theirs
    assert len(set(by_speaker("Where is the tide gate?"))) == 1
    assert len(set(by_speaker("What did you tell me about the tide gate?"))) == 1
    assert by_speaker("Can you list where I saw the tide gate?")[0] > by_speaker("Where is the tide gate?")[0]


def test_a_long_neighbour_counts_less_than_a_short_one() -> None:
    def beside(words: int) -> int:
        neighbour = unit(" ".join(["tide", *["filler"] * words]), thread="t", place=2)
        found = scored(kept(unit("gate", thread="t", place=1), neighbour), "tide gate")
        return next(each for each in found if each.kept.number == 1).score

    assert beside(25) > beside(400)


@pytest.mark.parametrize(("speaker", "share"), [("bob", 80), ("person", 100)])
def test_a_question_counts_less_only_between_people(speaker: str, share: int) -> None:
    asks = unit("tide gate", thread="t", place=1, speaker=speaker)._replace(asks=True, ends_asking=True)
    states = asks._replace(asks=False, ends_asking=False)

    assert scores(asks)[1] == scores(states)[1] * share // 100


def in_talk(*said: tuple[str, str], text: str, alike: dict[str, list[str]]) -> dict[int, ScoredUnit]:
    """Return number → unit of turns of their own, each by its speaker and text, with words alike."""
    turns = kept(*(unit(body, thread=str(place), place=0, speaker=who) for place, (who, body) in enumerate(said)))
    counts = {term: sum(term in each.unit.terms[FIELD["body"]].split() for each in turns) for term in (*WORDS, "dam")}
    found = score(question_of(text), Corpus(len(turns), corpus(turns).lengths, counts), turns, alike=alike)
    return {each.kept.number: each for each in found}


def test_a_word_alike_counts_less_than_the_word_and_in_talk_between_people_alone() -> None:
    said = [("bob", "tide dam"), ("bob", "tide gate"), ("bob", "tide filler"), ("assist", "tide dam")]
    without = in_talk(*said, text="tide gate", alike={})
    found = in_talk(*said, text="tide gate", alike={"gate": ["dam"]})

    assert without[2].score > without[1].score == without[3].score
    assert found[2].score > found[1].score > found[3].score
    assert found[4].score == without[4].score
    assert dict(found[1].matched) == {"tide": ("body",), "gate": ("alike",)}
    assert dict(found[4].matched) == {"tide": ("body",)}


def test_a_word_that_nobody_says_is_found_by_those_alike() -> None:
    found = in_talk(("bob", "the dam"), ("ann", "filler"), text="gate", alike={"gate": ["dam"]})

    assert list(found) == [1]
    assert dict(found[1].matched) == {"gate": ("alike",)}
