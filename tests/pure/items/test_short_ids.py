"""Ids that are shortened to a beginning or an end, and what an ambiguous one is answered with."""

from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.text.identifiers import ambiguous, fitting_ids, short_ids, shown_ids

IDS = st.lists(st.text("0ABC", min_size=6, max_size=6), min_size=1, max_size=8, unique=True)


@given(IDS, st.data())
def test_a_short_id_means_that_id_alone(ids: list[str], data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from(ids))
    short = short_ids(ids)[chosen]

    assert len(short) >= 4
    assert [each for each in ids if each.endswith(short)] == [chosen]
    begun = [each for each in ids if each.startswith(short)]
    assert set(fitting_ids(short.lower(), ids)) == {chosen, *begun}


@given(IDS)
def test_a_whole_id_means_itself_and_nothing_means_nothing(ids: list[str]) -> None:
    for each in ids:
        assert fitting_ids(f" {each.lower()} ", ids) == (each,)
    assert fitting_ids(" ", ids) == ()


def test_an_ambiguous_id_is_answered_with_the_first_six() -> None:
    ids = [f"01{letter}" for letter in "HGFEDCBA"]

    assert ambiguous("01", ids, "moves") == "01 can be any of 8 moves: 01A, 01B, 01C, 01D, 01E, 01F and 2 more"


def test_only_ulids_are_shortened_and_none_where_they_are_to_be_full() -> None:
    one, two = "01M84NND98A1WQHHME1JSKQW3D", "01M84NND98A1WQHHME1JSZQW3D"
    names = [one, "plan.md", two]

    assert dict(shown_ids(names)) == {one: "KQW3D", "plan.md": "plan.md", two: "ZQW3D"}
    assert list(shown_ids(names, full=True).values()) == names


@given(st.lists(st.text("AB", max_size=8), max_size=12))
def test_all_short_ids_at_once_are_those_of_each(names: list[str]) -> None:
    assert short_ids(names) == {name: _shortest_end(name, names) for name in names}


def _shortest_end(name: str, names: list[str]) -> str:
    others = [other for other in names if other != name]
    ends = (name[-length:] for length in range(4, len(name)))
    return next((end for end in ends if not any(other.endswith(end) for other in others)), name)
