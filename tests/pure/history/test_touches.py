"""Which files each tool touches, as clients report them."""

import posixpath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.history.rules.touches import MOST, placed, touches

PATCH = """*** Begin Patch
*** Update File: src/a.py
@@
-one
+two
+three
*** Add File: new.py
+x
*** Delete File: old.py
*** Update File: from.py
*** Move to: to.py
-y
*** End Patch
"""
HUNKS = [
    {"newStart": 3, "newLines": 3, "lines": [" a", "+b", "+c", "-d"]},
    {"newStart": 20, "newLines": 0, "lines": ["-e"]},
]


def touched(tool: str, response: Any = None, **given: object) -> list[dict[str, Any]]:
    return touches(tool, given, response, "/p/src", "/p")


@pytest.mark.vfcc("REQ-EPISODE-FILES")
@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Read", {"file_path": "/p/a.py"}, [{"path": "a.py", "operation": "read"}]),
        (
            "Read",
            {"file_path": "a.py", "offset": 10, "limit": 5},
            [{"path": "src/a.py", "operation": "read", "lines": [10, 14]}],
        ),
        (
            "Edit",
            {"file_path": "a.py", "old_string": "x", "new_string": "y\nz"},
            [{"path": "src/a.py", "operation": "edit", "changes": "+2 -1"}],
        ),
        (
            "MultiEdit",
            {"file_path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}, {"new_string": "z"}]},
            [{"path": "src/a.py", "operation": "edit", "changes": "+2 -1"}],
        ),
        (
            "NotebookEdit",
            {"notebook_path": "a.ipynb", "new_source": "y"},
            [{"path": "src/a.ipynb", "operation": "edit", "changes": "+1 -0"}],
        ),
        (
            "Write",
            {"file_path": "a.py", "content": "1\n2\n"},
            [{"path": "src/a.py", "operation": "write", "changes": "+2"}],
        ),
        ("Grep", {"pattern": "x"}, [{"path": "src", "operation": "search"}]),
        ("Glob", {"pattern": "x", "path": "/p"}, [{"path": ".", "operation": "search"}]),
        ("Bash", {"command": "cat ../a.py /etc/hosts"}, [
            {"path": "a.py", "operation": "read"}, {"path": "/etc/hosts", "operation": "read"}
        ]),
        ("WebFetch", {"url": "https://example.org"}, []),
        ("Edit", {}, []),
        ("Read", {"file_path": 7}, []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_each_tool_touches_what_it_is_given(tool: str, given: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    assert touched(tool, **given) == expected


@pytest.mark.parametrize(("tool", "key"), [("apply_patch", "command"), ("apply_patch", "input"), ("Bash", "command")])
def test_a_patch_tells_of_each_of_its_files(tool: str, key: str) -> None:
    found = touched(tool, **{key: PATCH})

    assert [(each["operation"], each["path"], each.get("changes")) for each in found] == [
        ("edit", "src/src/a.py", "+2 -1"),
        ("write", "src/new.py", "+1 -0"),
        ("edit", "src/old.py", "+0 -0"),
        ("write", "src/to.py", None),
        ("edit", "src/from.py", "+0 -1"),
    ]


def test_what_the_client_says_that_changed_goes_before_what_was_asked_for() -> None:
    (found,) = touched("Edit", {"structuredPatch": HUNKS}, file_path="a.py", old_string="x", new_string="y")

    assert found == {"path": "src/a.py", "operation": "edit", "lines": [4, 20], "changes": "+2 -2"}


@pytest.mark.parametrize(
    ("start", "lines", "expected"),
    [
        (1, [" a", "-b", "+c", " d", " e"], [2, 2]),
        (7, [" a", " b", " c", "+d", " e", "-f", " g"], [10, 12]),
        (7, [" a", " b", "-c", "\\ No newline at end of file"], [8, 8]),
        (0, ["-a"], [1, 1]),
    ],
)
def test_lines_around_a_change_are_not_among_the_changed_ones(
    start: int, lines: list[str], expected: list[int]
) -> None:
    hunk = {"newStart": start, "newLines": len(lines), "lines": lines}
    (found,) = touched("Edit", {"structuredPatch": [hunk]}, file_path="a.py")

    assert found["lines"] == expected


def test_a_file_is_told_of_once_and_no_more_than_so_many_are() -> None:
    assert len(touched("Bash", command="cat a a ./a")) == 1
    assert len(touched("Bash", command="cat " + " ".join(f"f{n}" for n in range(99)))) == MOST


PARTS = st.lists(st.sampled_from(["a", "b.py", "..", ".", "", "p", "src", "pp"]), max_size=8).map("/".join)


@settings(deadline=None, max_examples=300)
@given(PARTS, st.sampled_from(["/p", "/p/src", "/", "/elsewhere"]))
def test_a_path_lies_where_it_leads_by_its_words(path: str, cwd: str) -> None:
    whole = posixpath.normpath(posixpath.join(cwd, path))
    whole = "/" + whole.lstrip("/")
    below = posixpath.relpath(whole, "/p")

    assert placed(path, cwd, "/p") == (whole if below.startswith("..") else below)


def test_nobodys_home_is_taken_for_the_project() -> None:
    assert placed("~/a/../b", "/p", "/p") == "~/b"
    assert placed("~/../a", "/p", "/p") == "/a"
    assert placed("~ann/x", "/p", "/p") == "~ann/x"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
GIVEN = st.dictionaries(st.sampled_from(["file_path", "command", "edits", "offset", "limit", "path", "input"]), JSON)


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(["Edit", "Read", "Write", "Bash", "apply_patch", "Grep", "MultiEdit"]), GIVEN, JSON)
def test_no_call_makes_it_fail(tool: str, given: dict[str, Any], response: Any) -> None:
    assert all(each["path"] and each["operation"] for each in touched(tool, {"structuredPatch": [response]}, **given))
