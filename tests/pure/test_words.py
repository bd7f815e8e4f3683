"""The project's own dialect goes away: words that make a reader stumble become fewer with each change, never more.

The list and its reasons are in `.memory/project/conventions/words.md`. A change that removes some of them lowers the
number here; a change that needs more is worded again.
"""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONVENTION = ROOT / ".memory" / "project" / "conventions" / "words.md"
PLACES = (
    "verifflowcc/**/*.py",
    "templates/**/*.j2",
    "templates/**/*.yaml",
    "templates/**/*.md",
    "docs/**/*.md",
    "README.md",
)
KEPT_AS_SHIPPED = "templates/earlier-configs"
"""Files of earlier versions, which a migration compares byte for byte."""
MOST = 330


def avoided() -> re.Pattern[str]:
    """The words in the convention's first list, each as a whole word or as a part of a name."""
    listed = re.findall(r"^- `([a-z ]+)`", CONVENTION.read_text(encoding="utf-8"), re.MULTILINE)
    words = "|".join(re.escape(word) for word in sorted(listed, key=len, reverse=True))
    return re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE)


def found() -> Iterator[tuple[str, int]]:
    """Each file with how often it has one of the words."""
    words = avoided()
    for pattern in PLACES:
        for path in sorted(ROOT.glob(pattern)):
            count = len(words.findall(path.read_text(encoding="utf-8")))
            if count and not path.is_relative_to(ROOT / KEPT_AS_SHIPPED):
                yield path.relative_to(ROOT).as_posix(), count


def test_words_that_make_a_reader_stumble_become_fewer() -> None:
    counts = sorted(found(), key=lambda each: -each[1])

    total = sum(count for _, count in counts)
    assert total <= MOST, f"{total} words, at most {MOST}; most of them in {counts[:10]}"
    assert total > MOST - 40, f"{total} words are left: lower MOST to that"


def test_the_convention_lists_the_words() -> None:
    words = avoided()

    assert words.search("what was said of it")
    assert words.search("people_said.py")
    assert not words.search("the outstanding aid")
