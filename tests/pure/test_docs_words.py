"""The pages become shorter: words that somebody has to write, and to read, are counted, and the number only falls.

The goal is 30,000. Generated parts and pages do not count, nor do fences: a test replays the sessions in them.

    python -m tests.pure.test_docs_words          # each page with its words
"""

import re
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
GENERATED = re.compile(r"<!-- (?P<name>[a-z]+)(?:: [a-z ]+)? -->\n.*?<!-- end of (?P=name) -->\n", re.DOTALL)
FENCE = re.compile(r"^(?P<mark>`{3,}).*?^(?P=mark)$", re.DOTALL | re.MULTILINE)
WHOLLY_GENERATED = {"capabilities.md"}
MOST = 29_949


def words() -> Iterator[tuple[int, str]]:
    """Yield each page's number of hand-written words, with its path."""
    for page in sorted(DOCS.rglob("*.md")):
        if page.name not in WHOLLY_GENERATED:
            text = FENCE.sub("", GENERATED.sub("", page.read_text(encoding="utf-8")))
            yield len(text.split()), page.relative_to(DOCS).as_posix()


def test_hand_written_pages_become_shorter() -> None:
    total = sum(count for count, _ in words())

    assert total <= MOST, f"{total} words, at most {MOST}; the longest pages: {sorted(words())[-8:]}"


def test_only_words_outside_of_generated_parts_and_fences_count() -> None:
    page = (
        "one two\n<!-- keys -->\nx x\n<!-- end of keys -->\nthree\n````md\nx\n```\nx\n````\nfour <!-- a note --> five\n"
    )

    assert FENCE.sub("", GENERATED.sub("", page)).split()[:3] == ["one", "two", "three"]
    assert "x" not in FENCE.sub("", GENERATED.sub("", page)).split()


if __name__ == "__main__":
    for count, name in sorted(words()):
        print(f"{count:6} {name}")
    print(f"{sum(count for count, _ in words()):6} in all")
