"""Diffs: which lines are new, whatever the lines and the paths look like."""

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.patch import new_lines


def diff(header: str, *hunks: str) -> str:
    return f"diff --git a/x b/x\nindex 1..2 100644\n{header}" + "".join(hunks)


def changed(path: str, *hunks: str) -> str:
    return diff(f"--- a/{path}\n+++ b/{path}\n", *hunks)


def test_new_lines_are_numbered_as_the_file_is_now() -> None:
    text = changed("src/a.py", "@@ -3 +3,2 @@ def f():\n-old\n+new\n+more\n", "@@ -9,0 +11 @@\n+last\n")

    assert new_lines(text) == {"src/a.py": (3, 4, 11)}


def test_several_files_are_kept_apart() -> None:
    text = changed("a", "@@ -1 +1 @@\n-x\n+y\n") + changed("b", "@@ -0,0 +1,2 @@\n+x\n+y\n")

    assert new_lines(text) == {"a": (1,), "b": (1, 2)}


def test_lines_that_look_like_headers_are_lines() -> None:
    inside = "--- a/other\n+++ b/other\n+@@ -1 +1 @@\n+diff --git a/x b/y\n"
    text = changed("a", f"@@ -1 +1,3 @@\n{inside}", "@@ -5 +7 @@\n-\n+\n")

    assert new_lines(text) == {"a": (1, 2, 3, 7)}


def test_a_missing_newline_is_no_line() -> None:
    mark = "\\ No newline at end of file\n"

    assert new_lines(changed("a", f"@@ -1 +1,2 @@\n-x\n{mark}+x\n+y\n{mark}")) == {"a": (1, 2)}


def test_a_file_that_lost_lines_has_no_new_ones() -> None:
    assert new_lines(changed("a", "@@ -3,2 +2,0 @@\n-x\n-y\n")) == {"a": ()}


def test_what_is_gone_renamed_binary_or_empty_has_none() -> None:
    text = (
        diff("deleted file mode 100644\n--- a/gone\n+++ /dev/null\n", "@@ -1,2 +0,0 @@\n-x\n-y\n")
        + diff("similarity index 100%\nrename from old\nrename to new\n")
        + diff("Binary files a/i.png and b/i.png differ\n")
        + diff("new file mode 100644\n")
        + diff("old mode 100644\nnew mode 100755\n")
    )

    assert new_lines(text) == {}


def test_a_renamed_file_has_its_new_name() -> None:
    text = diff("similarity index 90%\nrename from old\nrename to new\n--- a/old\n+++ b/new\n", "@@ -2 +2 @@\n-x\n+y\n")

    assert new_lines(text) == {"new": (2,)}


@pytest.mark.parametrize(
    ("spelled", "path"),
    [
        ("b/a b.py\t", "a b.py"),
        ('"b/pr\\303\\274fung.py"', "prüfung.py"),
        ('"b/tab\\there\\n\\"quoted\\" \\\\303.py"', 'tab\there\n"quoted" \\303.py'),
        ('"b/\\377.py"', "\udcff.py"),
        ('"b/üx\\001"', "üx\x01"),
        ('"b/\udcff\\t"', "\udcff\t"),
        ("b/b/x", "b/x"),
        ("b//dev/null", "/dev/null"),
    ],
)
def test_a_path_is_read_as_git_spells_it(spelled: str, path: str) -> None:
    assert new_lines(diff(f"--- /dev/null\n+++ {spelled}\n", "@@ -0,0 +1 @@\n+x\n")) == {path: (1,)}


@pytest.mark.parametrize(
    "text",
    [
        changed("a", "@@ -1 +1,3 @@\n-x\n+y\n"),
        changed("a", "@@ -1 +1,999999999 @@\n-x\n+y\n"),
        changed("a", "@@ -1,3 +1,3 @@\n x\n-y\n+z\n x\n"),
        diff("--- x\n+++ x\n", "@@ -0,0 +1 @@\n+x\n"),
        diff("--- a/x\n+++ w/x\n", "@@ -0,0 +1 @@\n+x\n"),
        diff('--- a/x\n+++ "b/x\n', "@@ -0,0 +1 @@\n+x\n"),
        diff("", "@@ -0,0 +1 @@\n+x\n"),
        diff("--- a/x\n+++ b/\n", "@@ -0,0 +1 @@\n+x\n"),
        changed("a") + diff("", "@@ -0,0 +1 @@\n+x\n"),
        "diff --cc a\n",
    ],
)
def test_what_is_no_such_diff_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="diff"):
        new_lines(text)


def test_no_diff_is_no_change() -> None:
    assert new_lines("") == {}


ODD_LINES = ["a", "", "-", "+", "++ b/x", "-- a/x", "@@ -1 +1 @@", "\x0c", "\r", "\u2028"]
LINES = st.lists(st.sampled_from(ODD_LINES), max_size=12)


@given(LINES, LINES)
@settings(deadline=None, max_examples=200)
def test_the_lines_that_are_not_new_stand_in_the_old_file(old: list[str], new: list[str]) -> None:
    pieces = difflib.unified_diff(old, new, "a/f", "b/f", n=0, lineterm="")
    found = new_lines("".join(f"{piece}\n" for piece in pieces)).get("f", ())
    kept = [line for number, line in enumerate(new, start=1) if number not in found]
    rest = iter(old)

    assert all(line in rest for line in kept)
    assert set(found) <= set(range(1, len(new) + 1))


@given(st.text(max_size=100) | st.text('@+-,1 \n"\\b/', max_size=100))
@settings(deadline=None, max_examples=200)
def test_no_text_is_a_traceback(text: str) -> None:
    try:
        assert new_lines(text) is not None
    except FormatError as error:
        assert "diff" in str(error)  # noqa: PT017 - either is right
