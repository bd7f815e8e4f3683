"""The matrix's page: nothing breaks out of it, and in a real browser it filters, turns round and opens an item."""

import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.cli.process import PATIENCE_S, vfcc
from tests.trace_project import AUDIT, HOSTILE, LOCK, NEED, TIMEOUT, UNIT, report, traced

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--virtual-time-budget=2000"),
)
Opened = Callable[[str], str]
in_browser = pytest.mark.skipif(BROWSER is None, reason="there is no chromium or google-chrome on PATH")


class Seen(HTMLParser):
    """What a page shows: rows by their id with their state, elements by name, and what runs or is fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: dict[str, bool] = {}
        self.names: list[str] = []
        self.fetched: list[str] = []
        self.handlers: list[str] = []
        self.policy = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.names.append(tag)
        self.handlers += [name for name in said if name.startswith("on")]
        self.fetched += [str(said[name]) for name in ("src", "href") if not str(said.get(name) or "#").startswith("#")]
        if tag == "meta" and said.get("http-equiv") == "Content-Security-Policy":
            self.policy = said["content"] or ""
        if tag == "tr" and str(said.get("id", "")).startswith("item="):
            self.rows[str(said["id"]).removeprefix("item=")] = "hidden" not in said


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("page") / "project"
    root.mkdir()
    assert vfcc(root, "init").code == 0
    traced(root)
    file = root.parent / "matrix.html"
    done = vfcc(root, "trace", "matrix", "-o", str(file), "--junit", str(report(root)))
    assert done.code == 0, done
    return file


@pytest.fixture
def opened(page: Path, tmp_path: Path) -> Opened:
    def load(fragment: str) -> str:
        assert BROWSER
        address = f"{page.as_uri()}{fragment}"
        done = subprocess.run(
            [BROWSER, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", address],
            capture_output=True,
            timeout=PATIENCE_S * 2,
            check=False,
        )
        return done.stdout.decode("utf-8")

    return load


def shown(text: str) -> list[str]:
    return [name for name, there in Seen(text).rows.items() if there]


@pytest.mark.vfcc("REQ-TRACE-MATRIX")
def test_the_page_needs_nothing_else(page: Path) -> None:
    seen = Seen(page.read_text(encoding="utf-8"))

    assert (seen.fetched, seen.handlers) == ([], [])
    assert [seen.names.count(name) for name in ("script", "style", "img", "link", "iframe")] == [1, 1, 0, 0, 0]
    assert seen.policy.startswith("default-src 'none'; style-src 'sha256-")


def test_what_an_item_says_is_text(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert HOSTILE not in text
    assert "&lt;/script&gt;&lt;script&gt;document.title=&#39;broken&#39;&lt;/script&gt; &amp; &#34;quoted&#34;" in text
    assert "[U+202E] turned" in text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", text)


def test_every_row_has_a_heading_and_every_column_too(page: Path) -> None:
    seen = Seen(page.read_text(encoding="utf-8"))
    text = page.read_text(encoding="utf-8")

    assert list(seen.rows) == [NEED, AUDIT, LOCK, TIMEOUT, UNIT]
    assert text.count('<th scope="row"') == 5 + 2
    assert text.count('<th scope="col"') == 8 + 4 + 5
    assert text.count("<caption>") == 2


@pytest.mark.sweep
@in_browser
def test_all_rows_are_there_and_no_text_of_an_item_ran(opened: Opened) -> None:
    text = opened("")

    assert shown(text) == [NEED, AUDIT, LOCK, TIMEOUT, UNIT]
    assert "<title>Trace matrix of project · project</title>" in text
    assert ">5 of 5 items</output>" in text


@pytest.mark.sweep
@in_browser
@pytest.mark.parametrize(
    ("fragment", "rows"),
    [
        ("#q=session", [LOCK, TIMEOUT, UNIT]),
        ("#q=15+session+minutes", [TIMEOUT]),
        ("#state=planned", [AUDIT]),
        ("#state=failed+below", [NEED]),
        ("#type=requirement&state=passed", [TIMEOUT]),
        ("#type=nonsense&state=&q=", [NEED, AUDIT, LOCK, TIMEOUT, UNIT]),
        ("#q=%3Cscript%3E", [LOCK]),
        ("#q=nowhere", []),
    ],
)
def test_the_address_says_which_rows_are_shown(opened: Opened, fragment: str, rows: list[str]) -> None:
    text = opened(fragment)

    assert shown(text) == rows
    assert f">{len(rows)} of 5 items</output>" in text


@pytest.mark.sweep
@in_browser
def test_the_address_of_an_item_hides_nothing(opened: Opened) -> None:
    assert shown(opened(f"#item={LOCK}")) == [NEED, AUDIT, LOCK, TIMEOUT, UNIT]
