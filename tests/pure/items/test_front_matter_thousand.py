"""One key edited in 1,000 Markdown files of many styles: a diff of one line, and nothing else says anything new."""

import difflib
import random
from collections.abc import Iterator

import pytest
import yaml

from verifflowcc.items.rules.front_matter import split
from verifflowcc.items.store.item_edits import edit_item

pytestmark = pytest.mark.vfcc("REQ-ITEM-LOSSLESS")

KEY, VALUE = "importance", "0.7"
OLD_VALUES = (
    "0.9",
    '"0.9"',
    "'a # b'",
    "0.5   # why so",
    "[a, 'b, c']",
    "{x: 1, y: [2]}",
    "2026-11-21",
    "no",
    "",
    "~ # ~",
    "é ü",
)
ENTRIES = (
    "title: Plain words\n",
    'title: "Quoted: \\"with\\" a colon"\n',
    "title: 'It''s # not a comment'\n",
    "layout:   post   \n",
    "permalink: /:year/:title.html\n",
    "date: 2021-05-11 10:00:00 +0100\n",
    "draft: false\nweight: 010\n",
    "tags: [a, b-c, 'd e']\n",
    "tags:\n- one\n- two # why\n",
    "categories:\n    - deep\n    # between\n    - deeper\n",
    'aliases:\n  - /old/path\n  - "[[note]]"\n\n',
    "cssclasses: []\n",
    "description: >-\n  folded over\n  several # lines\n\n  of text\n",
    "summary: |+\n    kept: not a key\n    # not a comment\n\n",
    'menu:\n  main:\n    name: Docs\n    params: {icon: "x", list: [1,\n      2]}\n',
    "sidebar_label: 🚀 Start\nsidebar_position: 3\n",
    "head:\n  - - meta\n    - name: a\n      content: 'two\n        lines'\n",
    "# a comment of its own\n",
    "\n",
    "slug : spaced\n",
    '"quoted key": yes\n',
    "plain: goes on\n  in the next line\n",
    "base: &base {a: 1}\ncopy: *base\n",
)
BODIES = ("# Title\n\nText.\n", "", "no newline at the end", "\n\n---\n\na rule above\n", "trailing   \n\ttabs\n")


def files() -> Iterator[bytes]:
    chance = random.Random(1_000)
    for number in range(1_000):
        entries = chance.sample(ENTRIES, chance.randint(0, 7))
        names = [entry.partition(":")[0] for entry in entries]
        entries = [entry for place, entry in enumerate(entries) if names[place] not in names[:place]]
        entries.insert(chance.randint(0, len(entries)), f"{KEY}: {OLD_VALUES[number % len(OLD_VALUES)]}\n")
        text = "---\n" + "".join(entries) + chance.choice(("---\n", "...\n", "---  \n")) + chance.choice(BODIES)
        text = chance.choice(("", "\ufeff")) + text
        yield (text.replace("\n", "\r\n") if chance.random() < 0.3 else text).encode()


def read(data: bytes) -> dict[object, object]:
    found = yaml.safe_load(split(data.decode().replace("\r\n", "\n")).block or "")
    assert isinstance(found, dict)
    return found


@pytest.mark.sweep
def test_one_key_edited_in_a_thousand_files_gives_diffs_of_one_line() -> None:
    for data in files():
        after = edit_item("x.md", data, {KEY: VALUE})

        diff = list(difflib.ndiff(data.decode().split("\n"), after.decode().split("\n")))
        assert [line[0] for line in diff if line[0] in "+-"] == ["-", "+"]
        assert read(after) == {**read(data), KEY: 0.7}


@pytest.mark.sweep
def test_a_key_added_to_a_thousand_files_gives_one_new_line() -> None:
    for data in files():
        after = edit_item("x.md", data, {"reviewed": "2026-11-21"})

        diff = list(difflib.ndiff(data.decode().split("\n"), after.decode().split("\n")))
        assert [line[0] for line in diff if line[0] in "+-"] == ["+"]
        assert edit_item("x.md", after, {"reviewed": None}) == data


@pytest.mark.sweep
def test_nothing_to_change_changes_no_byte_of_a_thousand_files() -> None:
    for data in files():
        assert edit_item("x.md", data, {}) == data
        assert edit_item("x.md", data, {"missing": None}) == data
