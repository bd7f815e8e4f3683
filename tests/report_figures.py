"""The figures and verdicts of a report's pages, joined with what the commands that they name print with `--json`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tests.cli.process import vfcc


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: what the page shows, and the command and the place in its document that it is from."""

    page: str
    shown: str
    command: str
    at: str


class _Reader(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.found: list[Figure] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "data-command" in given:
            shown = given.get("value", given.get("data-verdict", ""))
            self.found.append(Figure(self.page, shown, given["data-command"], given["data-at"]))


def figures_of(folder: Path) -> list[Figure]:
    """Return all figures of the pages in a folder."""
    found = []
    for path in sorted(folder.glob("*.html")):
        reader = _Reader(path.name)
        reader.feed(path.read_text(encoding="utf-8"))
        found += reader.found
    return found


def wrong_figures(root: Path, figures: list[Figure]) -> Iterator[str]:
    """Yield each figure that differs from what its command prints; each command is run once."""
    documents: dict[str, Any] = {}
    for each in figures:
        if each.command not in documents:
            documents[each.command] = _data(root, each.command)
        there = value_at(documents[each.command], each.at)
        if str(there) != each.shown:
            yield f"{each.page}: {each.shown!r}, and vfcc {each.command} has {there!r} at {each.at}"


def _data(root: Path, command: str) -> Any:
    return vfcc(root, *command.split(), "--json", "--full").document["data"]


def value_at(data: Any, at: str) -> Any:
    """Return what lies at a path such as `/stages/0/passes`; with `#` behind it, how many there are."""
    counts: Callable[[Any], Any] = len if at.endswith("#") else lambda value: value
    for part in at.removesuffix("#").strip("/").split("/"):
        if not part:
            continue
        data = data[int(part)] if isinstance(data, list) else data.get(part, 0)
    return counts(data)
