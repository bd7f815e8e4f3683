"""The site's navigation has each page of `docs/` once, and pages load nothing from other servers.

`make check` builds the site itself. Zensical reports neither a page that no navigation names, nor a name without one.
"""

import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]


def test_the_navigation_has_each_page_once() -> None:
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]

    assert sorted(_named(PROJECT["nav"])) == sorted(pages)


def test_no_page_embeds_from_another_server() -> None:
    assert PROJECT["theme"]["font"] is False
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"!\[[^]]*\]\(https?:|<(?:img|script|iframe)\b", text), page


def test_no_table_has_a_bar_in_code() -> None:
    """Code hosts need a backslash before it, which the site would show."""
    for page in (ROOT / "docs").rglob("*.md"):
        assert not re.search(r"(?m)^\|.*`[^`|]*\\\|[^`]*`", page.read_text(encoding="utf-8")), page


def test_each_picture_is_made_by_the_script_and_shown() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "screenshots.py"))
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))

    assert [f"{each.name}.png" for each in made["PICTURES"]] == [path.name for path in made["FOLDER"].iterdir()]
    assert all(f"images/{each.name}.png)" in pages for each in made["PICTURES"])


def _named(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list | dict):
        for each in nav.values() if isinstance(nav, dict) else nav:
            yield from _named(each)
