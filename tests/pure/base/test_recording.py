"""The recording of a terminal session: every word is in it, row by row, and it ends in time."""

import re
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.recorded import SVG, animation, seconds, texts

LINES = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cn", "Co", "Zl", "Zp", "Cc")), max_size=200)
SCENES = st.lists(st.lists(LINES | LINES.map("$ {}".format), min_size=1, max_size=40), min_size=1, max_size=6)


@given(SCENES)
@settings(deadline=None, max_examples=50)
def test_a_recording_holds_every_word_and_lasts_at_most_25_seconds(scenes: list[list[str]]) -> None:
    svg = animation()(scenes)

    assert "".join(texts(svg).split()) == "".join("".join(map("".join, scenes)).split())
    assert seconds(svg) <= 25


def test_a_row_is_seen_after_the_rows_above_it_and_until_its_scene_ends() -> None:
    svg = animation()([["# one", "$ a", "b"], ["# two"]])

    moves = re.findall(r"@keyframes r(\d) .*? ([\d.]+)% \{ visibility: visible; \} ([\d.]+)% ", svg)

    starts, ends = [float(start) for _, start, _ in moves], [float(end) for _, _, end in moves]
    assert starts == sorted(set(starts))
    assert starts[3] == ends[0] == ends[1] == ends[2]
    assert ends[3] == 100
    assert [row.get("class") for row in ElementTree.fromstring(svg).iter(f"{SVG}text")] == [
        *("caption early", "command early", "output early", "caption"),
    ]
