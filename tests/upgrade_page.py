"""The list of differences after an upgrade from version 0.1, as people read it: `docs/reference/upgrading-from-0.1.md`.

A row of its tables names keys by patterns, the answer of 0.1, and the one of now. It claims that each key of the
pattern that 0.1 answered so is answered differently now, in this way and no other.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from verifflowcc.base.records import dataclass

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "upgrading-from-0.1.md"
ABSENT = "–"
"""The answer for a key that one version does not have."""
Answers = Mapping[str, str]


def parts() -> tuple[str, str]:
    """Return the page without its section on migrations, and that section."""
    before, rest = PAGE.read_text(encoding="utf-8").split("## After `vfcc migrate`")
    section, mark, after = rest.partition("\n## ")
    return before + mark + after, section


@dataclass(frozen=True, slots=True)
class Row:
    """One claim of the page."""

    patterns: tuple[str, ...]
    before: str
    now: str

    def speaks_of(self, key: str, before: str) -> bool:
        """Return whether the row claims something of this key."""
        return before == self.before and any(_fits(key, pattern) for pattern in self.patterns)


def rows(text: str) -> Iterator[Row]:
    """Yield the claims of a page, but those in comments: they wait for what makes them true."""
    for line in re.sub(r"(?s)<!--.*?-->", "", text).splitlines():
        if line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            yield Row(tuple(re.findall(r"`([^`]+)`", cells[0])), cells[1], cells[2])


def problems(claims: Iterable[Row], before: Answers, now: Answers, *, whole: bool) -> list[str]:
    """Return what is wrong: rows to add for differences that no row claims, and claims that do not hold.

    With `whole`, a pattern that matches nothing that 0.1 answered so is wrong, too.
    """
    claims = tuple(claims)
    differing = {key: (old, now.get(key, ABSENT)) for key, old in before.items() if now.get(key, ABSENT) != old}
    differing |= {key: (ABSENT, new) for key, new in now.items() if key not in before}
    listed = {
        key for key, (old, new) in differing.items() for row in claims if row.now == new and row.speaks_of(key, old)
    }
    found = [*_rows_to_add({key: pair for key, pair in differing.items() if key not in listed}, before, now)]
    for row in claims:
        found += _untrue(row, {**dict.fromkeys(now, ABSENT), **before}, now, whole=whole)
    return found


def _fits(key: str, pattern: str) -> bool:
    """Return whether a pattern names a key: word by word, `a,b` one of these and `!a,b` none of these."""
    words, wanted = key.split(" "), pattern.split(" ")
    return len(words) == len(wanted) and all(map(_one_of, words, wanted))


def _one_of(word: str, wanted: str) -> bool:
    found = any(fnmatchcase(word, name) for name in wanted.removeprefix("!").split(","))
    return found is not wanted.startswith("!")


def _untrue(row: Row, before: Answers, now: Answers, *, whole: bool) -> Iterator[str]:
    for pattern in row.patterns:
        one = Row((pattern,), row.before, row.now)
        keys = [key for key, old in before.items() if one.speaks_of(key, old)]
        if whole and not keys:
            yield f"untrue: `{pattern}`: 0.1 answered nothing like it with {row.before}"
        for key in keys:
            if now.get(key, ABSENT) != row.now:
                yield f"untrue: `{pattern}`: {key} is {now.get(key, ABSENT)} now, not {row.now}"


def _rows_to_add(unlisted: Mapping[str, tuple[str, str]], before: Answers, now: Answers) -> Iterator[str]:
    left = dict(unlisted)
    while left:
        key, (old, new) = next(iter(left.items()))
        for pattern in (*_wider(key), key):
            same = [each for each, answer in before.items() if answer == old and _fits(each, pattern)]
            if all(now.get(each, ABSENT) == new for each in same):
                break
        yield f"| `{pattern}` | {old} | {new} |  |"
        left = {each: pair for each, pair in left.items() if pair != (old, new) or not _fits(each, pattern)}


def _wider(key: str) -> Iterator[str]:
    """Yield patterns of keys like this one, the widest first."""
    kind, *words = key.split(" ")
    if kind == "hook":
        place, role, call = words
        yield from (f"hook * * {call}", f"hook * {role} {call}", f"hook {place} * {call}")
    elif kind == "command":
        yield f"command * {' '.join(words[1:])}"
