"""The documentation's pictures are taken by a script, in a real browser."""

import runpy
import struct
from pathlib import Path

import pytest

MADE = runpy.run_path(str(Path(__file__).parents[3] / "docs" / "screenshots.py"))


def test_the_report_is_shown_at_three_widths_light_and_dark() -> None:
    names = {
        MADE["report_picture"](page, width, scheme)
        for (page, width), schemes in MADE["PAGES"].items()
        for scheme in schemes
    }

    assert {path.name for path in MADE["SCREENS"].glob("*.png")} == names
    for name in names:
        picture = (MADE["SCREENS"] / name).read_bytes()
        width, height = struct.unpack(">II", picture[16:24])
        assert (f"-{width}-" in name, height) == (True, MADE["HEIGHT"])
        assert len(picture) < 200_000, "too large for the repository"


@pytest.mark.sweep
@pytest.mark.parametrize("picture", MADE["PICTURES"], ids=lambda each: each.name)
def test_a_picture_is_taken_in_its_size(picture: object, tmp_path: Path) -> None:
    browser = MADE["browser_here"]()
    if browser is None:
        pytest.skip("there is no chromium or google-chrome on PATH")

    taken = MADE["take"](picture, browser, tmp_path).read_bytes()

    assert taken[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", taken[16:24]) == getattr(picture, "size", None)
    assert len(taken) > 20_000, "an empty page"
