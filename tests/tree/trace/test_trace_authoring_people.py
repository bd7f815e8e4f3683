"""Reviews, cleared links and verifications: who may say them, what they stamp, and what they never paper over."""

from pathlib import Path

import pytest

from tests.authored_world import (
    AGENT,
    NEED,
    OTHER,
    REQ,
    SPEC,
    TODAY,
    YOU,
    cleared,
    path_of,
    put,
    replace_in,
    reviewed,
    text_of,
    view,
    written,
)
from tests.cli.trees import everything
from tests.trees import git, repository
from verifflowcc.base.errors import ConflictError, NotAllowed, UsageError
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.trace.rules.fingerprint import LinkState, link_state, stamp_of_item, stamp_of_link
from verifflowcc.trace.use.trace_edits import retire_item
from verifflowcc.trace.use.trace_narrowing import list_items, show_item
from verifflowcc.trace.use.trace_reviews import (
    clear_link,
    plan_clearance,
    plan_review,
    plan_verification,
    review_items,
    verify_item,
)

pytestmark = pytest.mark.vfcc("REQ-TRACE-REVIEWS")


def states(here: Workspace, name: str) -> list[LinkState]:
    """How the links of an item stand."""
    seen = view(here)
    return [link_state(seen, seen.by_id[name], link) for link in seen.by_id[name].links]


@pytest.mark.sweep
def test_a_review_stamps_the_item_and_its_links_and_touches_no_other_line(tmp_path: Path) -> None:
    here = written(tmp_path)
    before = text_of(here, REQ).splitlines()

    done = reviewed(here, REQ)

    item, need = view(here).by_id[REQ], view(here).by_id[NEED]
    assert item.reviewed is not None
    assert (item.reviewed.fingerprint, item.reviewed.by, item.reviewed.on) == (stamp_of_item(item.digest), OTHER, TODAY)
    stamp = item.links[0].stamp
    assert stamp is not None
    assert (stamp.fingerprint, stamp.by, stamp.on) == (stamp_of_link(need.digest, item.digest), OTHER, TODAY)
    assert done.reviewed[0].links == (NEED,)
    gone = [line for line in before if line not in text_of(here, REQ).splitlines()]
    assert gone == [f"  - {{to: {NEED}, relation: refines}}"]
    assert states(here, REQ) == [LinkState.AGREED]


def test_a_second_review_changes_nothing(tmp_path: Path) -> None:
    here = written(tmp_path)
    reviewed(here, REQ)
    before = everything(tmp_path)

    done = reviewed(here, REQ, actor="human:Third")

    assert everything(tmp_path) == before
    assert [each.changed for each in done.reviewed] == [False]


@pytest.mark.parametrize("actor", [AGENT, "ci", "tool:vfcc", "human:unknown"])
def test_nobody_but_a_named_person_reviews_clears_or_verifies(tmp_path: Path, actor: str) -> None:
    here = written(tmp_path)
    before = everything(tmp_path)

    with pytest.raises(NotAllowed):
        plan_review(here, [REQ], actor=actor)
    with pytest.raises(NotAllowed):
        plan_clearance(here, REQ, NEED, "why", actor=actor)
    with pytest.raises(NotAllowed):
        plan_verification(here, REQ, "review", "it", actor=actor)
    assert everything(tmp_path) == before


def test_an_author_does_not_review_the_own_work_unless_it_is_said(tmp_path: Path) -> None:
    here = written(tmp_path)

    with pytest.raises(NotAllowed, match="is your own work"):
        reviewed(here, REQ, actor="human:you")
    reviewed(here, REQ, actor=YOU, own=True)

    stamp = view(here).by_id[REQ].reviewed
    assert stamp is not None
    assert stamp.by == view(here).by_id[REQ].author == YOU


def test_who_wrote_an_item_that_does_not_say_so_is_who_committed_it(tmp_path: Path) -> None:
    here = written(tmp_path)
    replace_in(here, REQ, "source: {kind: explicit, actor: human:You}\n", "")
    repository(tmp_path)
    assert "Ann" in git(tmp_path, "log", "-1", "--format=%an")

    with pytest.raises(NotAllowed, match="is your own work"):
        reviewed(here, REQ, actor="human:Ann")
    assert reviewed(here, REQ).reviewed[0].changed


def test_a_review_never_papers_over_a_suspect_link(tmp_path: Path) -> None:
    here = written(tmp_path)
    reviewed(here, NEED, REQ)
    replace_in(here, NEED, "gets in", "gets in at once")
    replace_in(here, REQ, "5 s", "6 s")
    before = everything(tmp_path)

    with pytest.raises(UsageError, match=f"has a suspect link to {NEED}") as caught:
        reviewed(here, REQ)

    assert caught.value.hint == f'vfcc trace review {REQ} --to {NEED} --reason "why it still holds"'
    assert everything(tmp_path) == before


def test_a_link_is_stamped_again_where_only_the_reviewed_item_changed(tmp_path: Path) -> None:
    here = written(tmp_path)
    reviewed(here, NEED, REQ)
    replace_in(here, REQ, "5 s", "6 s")
    assert states(here, REQ) == [LinkState.OUTGROWN]

    reviewed(here, REQ)

    assert states(here, REQ) == [LinkState.AGREED]


def test_a_stamp_of_another_tool_is_suspect_and_stays_until_it_is_cleared(tmp_path: Path) -> None:
    here = written(tmp_path)
    replace_in(here, REQ, "relation: refines}", "relation: refines, fingerprint: 'doorstop:c2Vf='}")

    with pytest.raises(UsageError, match="suspect link"):
        reviewed(here, REQ)
    cleared(here, REQ, NEED, "imported; I read both")

    assert states(here, REQ) == [LinkState.AGREED]


@pytest.mark.sweep
def test_all_reviews_what_needs_it_and_tells_what_it_passed_over(tmp_path: Path) -> None:
    here = written(tmp_path)
    put(here, "NEED-mine", "need", "Mine", "Mine.")
    replace_in(here, "NEED-mine", "actor: human:You", "actor: human:Other")
    put(here, "NEED-note", "need", "Note", "Note.")
    put(here, "REQ-note", "requirement", "Note", "It shall.", "NEED-note", "refines")
    replace_in(
        here, "REQ-note", "  - {to: NEED-note, relation: refines}", "  - to: NEED-note  # why\n    relation: refines"
    )
    put(here, "NEED-old", "need", "Old", "Old.")
    retire_item(here, "NEED-old", actor=YOU)
    reviewed(here, NEED, REQ)
    replace_in(here, NEED, "gets in", "gets in at once")
    replace_in(here, REQ, "5 s", "6 s")

    done = reviewed(here, everything=True)

    assert {each.item for each in done.reviewed} == {NEED, SPEC, "NEED-note"}
    over = {each.item: each for each in done.skipped}
    assert over.keys() == {REQ, "NEED-mine", "REQ-note"}
    assert "comment" in over["REQ-note"].reason
    assert over[REQ].step.startswith("vfcc trace review")
    assert reviewed(here, everything=True).reviewed == ()


def test_what_is_not_as_it_was_shown_is_not_stamped(tmp_path: Path) -> None:
    here = written(tmp_path)
    shown = plan_review(here, [NEED, REQ], actor=OTHER)
    replace_in(here, REQ, "5 s", "6 s")
    before = everything(tmp_path)

    with pytest.raises(ConflictError, match="changed since it was read; nothing was written"):
        review_items(here, shown, actor=OTHER)
    assert everything(tmp_path) == before


def test_the_other_end_changed_between_showing_and_stamping_is_suspect_at_once(tmp_path: Path) -> None:
    here = written(tmp_path)
    shown = plan_review(here, [REQ], actor=OTHER)
    replace_in(here, NEED, "gets in", "gets in at once")

    review_items(here, shown, actor=OTHER)

    assert states(here, REQ) == [LinkState.SUSPECT]


def test_a_link_to_nothing_is_left_and_told(tmp_path: Path) -> None:
    here = written(tmp_path)
    path_of(here, NEED).unlink()

    [done] = reviewed(here, REQ).reviewed

    assert done.links == ()
    assert done.notes == (f"its link to {NEED} is as it was: there is no such item",)


@pytest.mark.sweep
@pytest.mark.parametrize("changed", [NEED, REQ])
def test_clearing_stamps_the_link_with_both_ends_and_the_reason(tmp_path: Path, changed: str) -> None:
    here = written(tmp_path)
    reviewed(here, NEED, REQ)
    replace_in(here, changed, "title: ", "title: New ")
    before = text_of(here, REQ).splitlines()

    cleared(here, REQ, NEED, "it is: the same", actor="human:Third")

    item, need = view(here).by_id[REQ], view(here).by_id[NEED]
    stamp = item.links[0].stamp
    assert stamp is not None
    assert (stamp.fingerprint, stamp.by, stamp.reason) == (
        stamp_of_link(need.digest, item.digest),
        "human:Third",
        "it is: the same",
    )
    assert len([line for line in before if line not in text_of(here, REQ).splitlines()]) == 1


def test_clearing_needs_a_reason_and_something_suspect(tmp_path: Path) -> None:
    here = written(tmp_path)

    with pytest.raises(UsageError, match="needs a reason"):
        cleared(here, REQ, NEED, " \n")
    with pytest.raises(UsageError, match=r"the link to .* has not been reviewed yet"):
        cleared(here, REQ, NEED)
    reviewed(here, REQ)
    with pytest.raises(UsageError, match="is not suspect: both ends are unchanged"):
        cleared(here, REQ, NEED)
    with pytest.raises(UsageError, match=f"{REQ} does not link to {SPEC}"):
        cleared(here, REQ, SPEC)


def test_an_end_that_changed_after_it_was_shown_is_not_cleared(tmp_path: Path) -> None:
    here = written(tmp_path)
    reviewed(here, NEED, REQ)
    replace_in(here, NEED, "gets in", "gets in at once")
    shown = plan_clearance(here, REQ, NEED, "why", actor=OTHER)
    replace_in(here, NEED, "at once", "never")

    with pytest.raises(ConflictError, match="changed since it was read"):
        clear_link(here, shown, actor=OTHER)


def test_a_persons_word_is_bound_to_what_the_item_says(tmp_path: Path) -> None:
    here = written(tmp_path)
    replace_in(here, REQ, "verification: test", "verification: inspection")

    verify_item(here, plan_verification(here, REQ, None, "It ended: I saw it", actor=OTHER))

    item = view(here).by_id[REQ]
    said = item.verified
    assert said is not None
    assert (said.method, said.by, said.on, said.saw) == ("inspection", OTHER, TODAY, "It ended: I saw it")
    assert said.fingerprint == stamp_of_item(item.digest)
    assert said.content.startswith("sha256:")
    assert item.flaws == ()


@pytest.mark.points(3)
@pytest.mark.parametrize(
    ("method", "saw", "said"),
    [
        ("analysis", "it", "is to be verified by inspection, not by analysis"),
        ("test", "it", "is shown by the results of tests, not by a word"),
        ("inspektion", "it", "did you mean inspection?"),
        (None, " ", "say what you saw"),
    ],
)
def test_a_word_that_shows_nothing_is_refused(tmp_path: Path, method: str | None, saw: str, said: str) -> None:
    here = written(tmp_path)
    replace_in(here, REQ, "verification: test", "verification: inspection")

    with pytest.raises(UsageError) as caught:
        plan_verification(here, REQ, method, saw, actor=OTHER)
    assert said in caught.value.message


def test_a_page_shows_both_directions_and_how_each_link_stands(tmp_path: Path) -> None:
    here = written(tmp_path)
    reviewed(here, NEED, REQ, SPEC)
    replace_in(here, NEED, "gets in", "gets in at once")

    page = show_item(here, REQ)

    assert [(end.id, end.relation, end.state) for end in page.links] == [(NEED, "refines", LinkState.SUSPECT)]
    assert [(end.id, end.relation, end.state) for end in page.linked_by] == [(SPEC, "verifies", LinkState.AGREED)]
    assert page.review == "reviewed"


@pytest.mark.sweep
def test_a_list_is_filtered_by_type_status_and_by_what_is_missing(tmp_path: Path) -> None:
    here = written(tmp_path)
    put(here, "REQ-late", "requirement", "Late", "It shall.")
    replace_in(here, "REQ-late", "status: active", "status: pending")
    put(here, "NEED-old", "need", "Old", "Old.")
    retire_item(here, "NEED-old", actor=YOU)
    reviewed(here, NEED, REQ)
    replace_in(here, NEED, "gets in", "gets in at once")

    def ids(**asked: str) -> list[str]:
        return [row.id for row in list_items(here, **asked).rows]

    assert ids() == [NEED, "REQ-late", REQ, SPEC]
    assert ids(type_="requirement") == ["REQ-late", REQ]
    assert ids(status="draft") == ["REQ-late"]
    assert ids(status="retired") == ["NEED-old"]
    assert ids(without="parent") == ["REQ-late"]
    assert ids(without="review") == [NEED, "REQ-late", SPEC]
    assert ids(without="child") == ["REQ-late", SPEC]
    assert ids(without="verification") == [NEED, "REQ-late", SPEC]
    assert {row.id: row.review for row in list_items(here).rows}[REQ] == "suspect"
    with pytest.raises(UsageError, match="did you mean review"):
        ids(without="reviews")
