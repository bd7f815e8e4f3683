"""The output of `git diff-tree` as files and hunks, and what of it a prompt shows."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.pure.code_searched import Searched
from verifflowcc.base.model.patch import (
    ADDED,
    CHANGED,
    DELETED,
    LONG_LINES,
    RENAMED,
    FileDiff,
    Hunk,
    parse_patch,
    parts_of,
)
from verifflowcc.code.rules.changed_code import (
    MOST_FILES,
    ChangedCode,
    changed_units,
    hunk_pieces,
    names_of,
    without_noise,
    words_of,
)
from verifflowcc.code.rules.graph import Mark
from verifflowcc.code.rules.task_words import asked

RAW = b":100644 100644 a b M\0a b.py\0:100644 000000 a 0 D\0gone.py\0:100644 100644 a a R100\0old.py\0new.py\0"
PATCH = (
    b"\0diff --git a/a b.py b/a b.py\nindex 1..2 100644\n--- a/a b.py\t\n+++ b/a b.py\t\n"
    b"@@ -1,3 +1,4 @@ def f():\n one\n-two\n+2\n+diff --git a/x b/x\n three\n"
    b"@@ -9 +10,0 @@\n---- a/nothing\n\\ No newline at end of file\n"
    b"diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    b"diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n"
)
SOURCE = "class Gate:\n    def open(self):\n        a = 1\n        return a\n\n    def close(self):\n        return 2\n"
CODE = Searched({"gate.py": SOURCE, "tests/test_gate.py": "def test_gate():\n    pass\n"}, {"tests/test_gate.py"})


def test_a_patch_is_read_as_files_with_hunks() -> None:
    (changed, gone, renamed) = parse_patch(RAW + PATCH)

    assert [changed[0], gone[0], renamed[:2]] == [b"a b.py", b"gone.py", (b"new.py", b"old.py")]
    assert changed[2].hunks == (
        Hunk(1, 1, (" one", "-two", "+2", "+diff --git a/x b/x", " three")),
        Hunk(9, 11, ("---- a/nothing", "\\ No newline at end of file")),
    )
    assert (changed[2].status, changed[2].added, changed[2].removed) == (CHANGED, 2, 2)
    assert [each.header for each in changed[2].hunks] == ["@@ -1,3 +1,4 @@", "@@ -9,1 +10,0 @@"]
    assert (gone[2].status, gone[2].removed) == (DELETED, 1)
    assert renamed[2] == FileDiff("", RENAMED)


def test_binary_content_has_no_hunks() -> None:
    out = b":1 1 a b M\0a\0\0diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\0\n+y\0\n"

    assert parse_patch(out)[0][2] == FileDiff("", CHANGED, unshown="binary")


STRETCH = st.tuples(st.sampled_from(" +-"), st.sampled_from(["", "x", "  y"]), st.integers(1, 60))
LINES = st.lists(STRETCH, max_size=9).map(
    lambda all_: [f"{side}{text}" for side, text, times in all_ for _ in range(times)]
)


@given(LINES, st.integers(1, 50))
def test_parts_of_a_long_hunk_hold_its_lines_and_go_on_where_the_last_one_ended(lines: list[str], first: int) -> None:
    hunk = Hunk(first, first, tuple(lines))
    parts = parts_of(hunk)

    assert [line for each in parts for line in each.lines] == lines
    assert len(parts) == 1 or len(lines) > LONG_LINES
    for before, after in pairwise(parts):
        assert (before.old_range[1] + 1, before.new_range[1] + 1) == (after.old, after.new)
    assert (sum(each.added for each in parts), sum(each.removed for each in parts)) == (hunk.added, hunk.removed)


def pieces(*files: FileDiff, task: str = "") -> list[str]:
    found = hunk_pieces(ChangedCode("diff", files), asked(task), CODE, lambda path: CODE.files[path].marks, len)
    return [f"{each.place} {each.name}" for each in found]


def changed(path: str, new: int, *lines: str) -> FileDiff:
    hunk = Hunk(new, new, lines)
    return FileDiff(path, CHANGED, (hunk,), hunk.added, hunk.removed)


def test_hunks_come_by_the_words_of_the_task_and_code_comes_before_tests() -> None:
    small, large = (
        changed("gate.py", 7, "+        return 2"),
        changed("gate.py", 3, "+        a = 1", "+        return a"),
    )
    test = changed("tests/test_gate.py", 1, *["+x"] * 9)

    assert pieces(test, small, large) == [
        "gate.py:3-4 (diff) Gate.open",
        "gate.py:7 (diff) Gate.close",
        "tests/test_gate.py:1-9 (diff) test_gate",
    ]
    assert pieces(large, changed("gate.py", 7, "+        closes = 2"), task="close it")[0].startswith("gate.py:7")


def test_the_function_around_a_change_is_a_piece_unless_a_hunk_holds_it_whole() -> None:
    inside = ChangedCode("diff", (changed("gate.py", 4, "+        return a"),))
    whole = ChangedCode("diff", (changed("gate.py", 6, "+    def close(self):", "+        return 2"),))

    assert [each.name for each in changed_units([inside], CODE)] == ["Gate.open"]
    assert changed_units([whole], CODE) == []
    assert words_of(changed_units([inside], CODE), [inside]) == "`open` gate.py"


def test_lines_of_a_committed_diff_move_with_what_is_not_committed() -> None:
    committed = ChangedCode("diff", (changed("gate.py", 3, "+        return 2"),))
    later = ChangedCode("later", (FileDiff("gate.py", CHANGED, (Hunk(1, 1, ("+a", "+b", "+c", "+d")),), 4, 0),))

    assert [each.name for each in changed_units([committed], CODE)] == ["Gate.open"]
    assert "Gate.close" in [each.name for each in changed_units([committed, later], CODE)]


def test_files_made_by_a_program_locked_or_deleted_are_named_without_hunks() -> None:
    files = [changed(path, 1, "+x") for path in ("a_pb2.py", "poetry.lock", "src/a.py")]
    gone = FileDiff("gone.py", DELETED, (Hunk(1, 1, ("-x",)),), 0, 1)
    binary = FileDiff("logo.png", ADDED, unshown="binary")
    moved = FileDiff("new.py", RENAMED, was="old.py")
    diff = without_noise(
        ChangedCode("diff", (*files, gone, binary, moved)), lambda path: {Mark.GENERATED} if "_pb2" in path else set()
    )

    assert [each.path for each in diff.files if each.hunks] == ["src/a.py"]
    assert names_of(diff, {("src/a.py", "@@ -0,0 +1,1")}).splitlines() == [
        "a_pb2.py +1 -0 (generated)",
        "gone.py +0 -1 (deleted)",
        "logo.png (added, binary)",
        "new.py +0 -0 (renamed from old.py)",
        "poetry.lock +1 -0 (generated)",
    ]


def test_of_many_files_the_largest_changes_are_named_and_the_rest_is_a_sum() -> None:
    files = [FileDiff(f"f{number:03}.py", CHANGED, (), number, 1) for number in range(MOST_FILES + 2)]
    lines = names_of(ChangedCode("diff", tuple(files)), set()).splitlines()

    assert len(lines) == MOST_FILES + 1
    assert lines[-1] == "and 2 more files, +1 -2"
    assert "f000.py +0 -1" not in lines
