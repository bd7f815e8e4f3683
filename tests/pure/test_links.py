"""Links between the project's pages lead somewhere: to a file, and to a heading or an anchor in it.

The site's own check (`make site`) reads links between Markdown pages alone. Images, other files, and the pages outside
of `docs/` are checked here, and without the site's generator.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md")))
OUTSIDE = re.compile(r"[a-z]+:|//", re.IGNORECASE)


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    assert len(PAGES) > 40
    assert [problem for page in PAGES for problem in _problems(page)] == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[a](gone.md)", "gone.md: no such file"),
        ("![a](gone.svg)", "gone.svg: no such file"),
        ("[a]\n\n[a]: gone.md", "gone.md: no such file"),
        ("[a](#gone)", "#gone: no such heading"),
        ("# Two words\n\n[a](#two-words) [b](page.md) [c](https://example.org/gone)", None),
        ("# A\n\n# A\n\n[a](#a-1)", None),
        ("# `memory.stale`\n\n[a](#memorystale)", None),
        ('<a id="row"></a>\n\n[a](#row)', None),
        ("`[a](gone.md)`", None),
    ],
)
def test_a_dead_link_is_reported(text: str, problem: str | None, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")

    assert [each.partition(": ")[2] for each in _problems(page)] == ([problem] if problem else [])


def _problems(page: Path) -> Iterator[str]:
    """Yield each dead link of a page; in `docs/`, also each that leaves the site."""
    for link in _read(page)[0]:
        path, _, anchor = link.partition("#")
        if OUTSIDE.match(link):
            continue
        target = (page.parent / path).resolve() if path else page
        name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page.name
        if not target.exists():
            yield f"{name}: {link}: no such file"
        elif page.is_relative_to(DOCS) and target.is_dir():
            yield f"{name}: {link}: a folder, which the site cannot show"
        elif anchor and target.suffix == ".md" and anchor not in _read(target)[1]:
            yield f"{name}: {link}: no such heading"
        elif page.is_relative_to(DOCS) and not target.is_relative_to(DOCS):
            yield f"{name}: {link}: not in docs/, so the site does not have it; name the path without a link"


@cache
def _read(page: Path) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return where the links and images of a page lead, and the anchors that it has."""
    links: list[str] = []
    anchors: list[str] = []
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    for before, token in zip([None, *tokens], tokens, strict=False):
        for each in (token, *(token.children or ())):
            if goal := each.attrs.get("href") or each.attrs.get("src"):
                links.append(str(goal))
            if "html" in each.type:
                anchors += re.findall(r'\b(?:id|name)="([^"]+)"', each.content)
        if before is not None and before.type == "heading_open":
            words = "".join(each.content for each in token.children or () if each.type in ("text", "code_inline"))
            anchors.append(_unused(_slug(words), anchors))
    return tuple(links), frozenset(anchors)


def _slug(heading: str) -> str:
    """Return the anchor that code hosts give to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _unused(slug: str, taken: list[str]) -> str:
    """Return the slug, with a number where the page has it already."""
    numbered = (f"{slug}-{number}" for number in range(1, len(taken) + 2))
    return slug if slug not in taken else next(each for each in numbered if each not in taken)
