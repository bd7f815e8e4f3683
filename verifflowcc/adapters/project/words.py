"""Which words the project's files hold: a test that nobody wrote has a name that stands nowhere."""

import os
from collections.abc import Iterable
from pathlib import Path

from verifflowcc.adapters.files.write import on_disk
from verifflowcc.formats.junit_tests import words_of

LARGEST_FILE_BYTES = 2 * 1024 * 1024


def known_words(root: Path, paths: Iterable[str]) -> frozenset[str]:
    """Return the identifiers in the text files at `paths`, relative to `root`.

    Files larger than 2 MiB, with a NUL in them, or not there hold no words; nor does a report of tests, which would
    else vouch for itself once it lies in the tree.
    """
    return words_of(_text(on_disk(root, path)) for path in paths)


def _text(full: bytes) -> str:
    try:
        if not os.path.isfile(full):  # noqa: PTH113 - names are bytes here; a pipe would be waited for
            return ""
        with open(full, "rb") as file:  # noqa: PTH123
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError:
        return ""
    if len(data) > LARGEST_FILE_BYTES or b"\0" in data or _is_report(data):
        return ""
    return data.decode("utf-8", "replace")


def _is_report(data: bytes) -> bool:
    """Say whether this is JUnit's XML; source that has some in a string begins otherwise."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<") and b"<testcase" in data
