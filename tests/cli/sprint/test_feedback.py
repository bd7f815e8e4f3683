"""`vfcc feedback`: anybody comments and triages; what is open is listed and counted."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import project
from tests.cli.process import vfcc
from tests.people_world import ID

pytestmark = pytest.mark.vfcc("REQ-FEEDBACK")


@pytest.mark.sweep
def test_a_comment_is_added_listed_and_triaged(tmp_path: Path) -> None:
    here = project(tmp_path)
    added = vfcc(here.root, "feedback", "add", "too big", "--stage", "plan")
    assert added.code == 0, added
    words = added.out.split()
    assert words[:2] == [f"{ID}:", "comment"]
    assert added.out.splitlines()[0].endswith(" on plan")

    listed = vfcc(here.root, "feedback", "list").out
    assert all(word in listed for word in (words[2], ID, "plan", "open", "agent:program", "too big"))
    assert "1 comment is open: vfcc feedback list --sprint log-in" in vfcc(here.root, "status").out

    done = vfcc(here.root, "feedback", "triage", words[2], "--later", "--reason", "no time")
    assert done.out.startswith(f"{ID}: comment {words[2]} is later (no time)\n")
    assert vfcc(here.root, "feedback", "list").out == "no comment is open\n"
    assert "no time" in vfcc(here.root, "feedback", "list", "--all").out
    assert "comment is open" not in vfcc(here.root, "status").out


@pytest.mark.sweep
def test_a_list_as_json_has_the_whole_comment(tmp_path: Path) -> None:
    here = project(tmp_path)
    vfcc(here.root, "feedback", "add", "too big")
    [one] = vfcc(here.root, "feedback", "list", "--json", "--full").data

    assert (one["text"], one["stage"], one["decision"], one["sprint"]) == ("too big", None, "open", ID)


@pytest.mark.sweep
def test_slips_are_told(tmp_path: Path) -> None:
    here = project(tmp_path)
    vfcc(here.root, "feedback", "triage", "ABCD").refused(2, "say one of --done, --reject and --later")
    vfcc(here.root, "feedback", "triage", "ABCD", "--done", "--later").refused(2, "say one of")
    vfcc(here.root, "feedback", "triage", "ABCD", "--done").refused(2, "there is no comment ABCD")
    vfcc(here.root, "feedback", "add", "x", "--stage", "plam").refused(2, "did you mean plan?")
    vfcc(here.root, "feedback", "add", "\x1b[31m").refused(2, "U+001B")
