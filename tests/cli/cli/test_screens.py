"""The pictures in `docs/screens/` show what the program shows now; `python -m tests.screens` writes them again."""

from pathlib import Path

import pytest

from tests import screens
from tests.made_once import copied


@pytest.mark.points(2)
@pytest.mark.parametrize("name", screens.SCREENS)
def test_a_picture_is_what_a_person_sees(name: str, tmp_path: Path) -> None:
    root = copied(tmp_path, screens.made)

    for columns in screens.WIDTHS:
        for colored in (True, False):
            file = screens.FOLDER / screens.file_of(name, columns, colored=colored)
            assert file.read_text(encoding="utf-8") == screens.svg(root, name, columns, colored=colored), file.name


def test_every_picture_is_of_a_screen() -> None:
    names = {
        screens.file_of(name, columns, colored=colored)
        for name in screens.SCREENS
        for columns in screens.WIDTHS
        for colored in (True, False)
    }

    assert {each.name for each in screens.FOLDER.iterdir() if each.suffix != ".png"} == names
