"""What the README and the pages of `docs/` show is what the commands print."""

from pathlib import Path

import pytest

from tests.transcript.replay import matches, replay, sessions

ROOT = Path(__file__).resolve().parents[2]
FETCHED = ROOT / "docs" / "how-to" / "a-whole-sprint.md"
"""It needs a package from the index, and is replayed in `test_whole_sprint.py`."""
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page != FETCHED and any(True for _ in sessions(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_what_the_commands_print(page: Path, tmp_path: Path) -> None:
    wrong = replay(page.read_text(encoding="utf-8"), tmp_path)
    assert not wrong, "\n".join(wrong)


def test_the_readme_has_sessions() -> None:
    assert PAGES[0].name == "README.md"


def test_dots_stand_for_anything_but_the_rest_counts() -> None:
    assert matches("a … c\n…\nend", "a b c\nx\ny\nend")
    assert not matches("a … c", "a b d")
    assert not matches("a", "a\nb")
