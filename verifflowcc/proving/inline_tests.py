"""Tests inside a product file, as Rust has them in a module marked `#[cfg(test)]`."""

import re

from verifflowcc.proving.hunks import lines_of

_MARK = re.compile(r"#\[cfg\((?:all\()?test\b")
_ITEM = re.compile(r"(?:pub(?:\([^)]*\))? )?mod \w+ *\{")


def inline_lines(path: str, content: bytes | None) -> range:
    """Return the places of the lines that a test module of a Rust file has, from 0; an empty range for none.

    >>> inline_lines("a.rs", b"fn a() {}\\n#[cfg(test)]\\nmod tests {\\n}\\n")
    range(1, 4)
    """
    lines = lines_of(content) if path.endswith(".rs") else None
    for start, line in enumerate(lines or ()):
        if _MARK.match(line):
            begin = next((place for place in range(start, len(lines or ())) if _ITEM.match((lines or ())[place])), None)
            if begin is not None and all(each.startswith(("#", "//")) for each in (lines or ())[start:begin]):
                ends = (place for place in range(begin, len(lines or ())) if (lines or ())[place].startswith("}"))
                return range(start, next(ends, len(lines or ()) - 1) + 1)
    return range(0)


def with_tests_of(path: str, before: bytes | None, after: bytes) -> bytes | None:
    """Return the content before a change with the test module of after, where that has one; else as it was."""
    kept = inline_lines(path, after)
    if not kept:
        return before
    old, new = lines_of(before) or [], lines_of(after) or []
    replaced = inline_lines(path, before) or range(len(old), len(old))
    if old and not old[-1].endswith("\n"):
        old[-1] += "\n"
    return "".join([*old[: replaced.start], *new[kept.start : kept.stop], *old[replaced.stop :]]).encode("latin-1")
