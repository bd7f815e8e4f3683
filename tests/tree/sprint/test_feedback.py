"""Comments: kept, triaged, carried into the next sprint until somebody decides, and told to the one who works."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.people_world import CODER, ID, OTHER, YOU, asked, later, put, started
from tests.tree.prompt.test_context_cache import see, tick, warm
from tests.trees import example, prompt
from verifflowcc.base.errors import UsageError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.layout import Place
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.formats.event_bytes import encode_pack
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.model.people import Decision
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.prompt_sources import comments_for_prompt
from verifflowcc.sprint.use.feedback import (
    add_feedback,
    list_feedback,
    open_feedback_of_earlier_sprints,
    sprint_feedback,
    triage_feedback,
)
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-FEEDBACK")


def words(here: Workspace, sprint: str = ID) -> list[str]:
    return [one.text for one in list_feedback(here, sprint)]


def finish(here: Workspace, sprint: str) -> None:
    close_sprint(here, sprint, actor=YOU, unfinished_reason="enough")


def begin(here: Workspace, sprint: str) -> None:
    start_sprint(here, sprint, workflow="people", actor=YOU, sprint_id=sprint)


def test_anybody_may_comment_and_it_closes_the_gate_until_it_is_triaged(tmp_path: Path) -> None:
    here = started(tmp_path)
    said = add_feedback(here, ID, " too\n big ", "plan", actor=CODER)

    assert (said.comment.text, said.comment.stage, said.comment.actor) == ("too big", "plan", CODER)
    found = asked(here, "comments")
    assert (found.verdict, found.reason) == (Verdict.FAIL, "a comment is open: 'too big' (agent:coder)")
    assert found.step == f"vfcc feedback triage {said.short} --done"

    triaged = triage_feedback(here, ID, said.short, Decision.DONE, actor=YOU)
    assert (triaged.comment.decision, triaged.comment.decided_by) == (Decision.DONE, YOU)
    assert asked(here, "comments").verdict is Verdict.PASS


def test_a_comment_is_named_by_its_id_or_either_end_of_it(tmp_path: Path) -> None:
    here = started(tmp_path)
    name = add_feedback(here, ID, "one", actor=YOU).comment.event
    for which in (name, name[:24], name[-4:], name[-4:].lower(), f"{ID}/{name}"):
        assert triage_feedback(here, ID, which, Decision.LATER, actor=YOU).comment.event == name
    for which in (name[-3:], "ZZZZ", "", "/"):
        with pytest.raises(UsageError, match="there is no comment"):
            triage_feedback(here, ID, which, Decision.DONE, actor=YOU)


def test_an_id_that_several_comments_have_names_none(tmp_path: Path) -> None:
    here = started(tmp_path)
    for text in ("one", "two"):
        add_feedback(here, ID, text, actor=YOU)
    with pytest.raises(UsageError, match="can be any of 2 comments: "):
        triage_feedback(here, ID, "01", Decision.DONE, actor=YOU)


def test_a_comment_needs_words_and_a_stage_that_there_is(tmp_path: Path) -> None:
    here = started(tmp_path)
    with pytest.raises(UsageError, match="needs words"):
        add_feedback(here, ID, " ", actor=YOU)
    with pytest.raises(UsageError, match="did you mean build"):
        add_feedback(here, ID, "x", "bild", actor=YOU)
    assert show_sprint(here, ID).notes == ()


def test_rejecting_a_comment_needs_a_reason(tmp_path: Path) -> None:
    here = started(tmp_path)
    short = add_feedback(here, ID, "x", actor=YOU).short
    with pytest.raises(UsageError, match="needs a reason"):
        triage_feedback(here, ID, short, Decision.REJECTED, actor=YOU)
    assert triage_feedback(here, ID, short, Decision.REJECTED, "it is not", actor=YOU).comment.reason == "it is not"


def test_open_comments_are_listed_and_all_of_them_when_asked(tmp_path: Path) -> None:
    here = started(tmp_path)
    one = add_feedback(here, ID, "one", "plan", actor=YOU)
    add_feedback(here, ID, "two", "build", actor=OTHER)
    triage_feedback(here, ID, one.short, Decision.DONE, actor=YOU)

    assert words(here) == ["two"]
    assert [each.text for each in list_feedback(here, ID, everything=True)] == ["one", "two"]
    assert [each.text for each in list_feedback(here, ID, "plan", everything=True)] == ["one"]


def test_open_and_put_off_comments_go_on_into_the_next_sprint(tmp_path: Path) -> None:
    here = started(tmp_path)
    done, put_off = (add_feedback(here, ID, text, actor=YOU) for text in ("done", "put off"))
    add_feedback(here, ID, "open", "check", actor=OTHER)
    triage_feedback(here, ID, done.comment.event, Decision.DONE, actor=YOU)
    triage_feedback(here, ID, put_off.comment.event, Decision.LATER, actor=YOU)
    assert open_feedback_of_earlier_sprints(here) == ()
    finish(here, ID)
    assert {one.text for one in open_feedback_of_earlier_sprints(here)} == {"put off", "open"}

    begin(here, "second")
    assert sorted(words(here, "second")) == ["open", "put off"]
    assert {one.sprint for one in list_feedback(here, "second")} == {ID}
    assert open_feedback_of_earlier_sprints(here) == ()


def test_what_one_sprint_decides_on_a_carried_comment_goes_no_further(tmp_path: Path) -> None:
    here = started(tmp_path)
    comments = [add_feedback(here, ID, text, actor=YOU) for text in ("one", "two", "three")]
    finish(here, ID)
    begin(here, "second")
    triage_feedback(here, "second", comments[0].comment.event, Decision.DONE, actor=OTHER)
    triage_feedback(here, "second", comments[1].comment.event, Decision.LATER, actor=OTHER)
    assert words(here, "second") == ["three"]
    finish(here, "second")

    begin(here, "third")
    assert sorted(words(here, "third")) == ["three", "two"]
    finish(here, "third")
    begin(here, "fourth")
    assert sorted(words(here, "fourth")) == ["three", "two"]


def test_comments_survive_a_sprint_that_says_nothing_about_them(tmp_path: Path) -> None:
    here = started(tmp_path)
    add_feedback(here, ID, "one", actor=YOU)
    finish(here, ID)
    for name in ("second", "third", "fourth"):
        begin(here, name)
        assert words(here, name) == ["one"]
        finish(here, name)


def test_a_carried_comment_whose_event_is_gone_is_still_told(tmp_path: Path) -> None:
    here = started(tmp_path)
    name = add_feedback(here, ID, "one", actor=YOU).comment.event
    finish(here, ID)
    begin(here, "second")
    folder, events = here.memory / "sprint" / ID / "events", Ledger(here.memory).load(ID).events
    (closing,) = (event for event in events if event.type is EventType.SPRINT_CLOSED)
    (folder / f"{closing.id}.jsonl").write_bytes(encode_pack(event for event in events if event.id != name))
    for path in folder.glob("*.json"):
        path.unlink()

    [found] = list_feedback(here, "second")
    assert (found.event, found.decision) == (name, Decision.OPEN)
    assert f"{name}.json: cannot be read" in found.text


def test_a_carried_comment_goes_on_though_its_own_sprint_is_gone(tmp_path: Path) -> None:
    here = started(tmp_path)
    name = add_feedback(here, ID, "one", actor=YOU).comment.event
    finish(here, ID)
    begin(later(here, 1), "second")
    finish(later(here, 2), "second")
    shutil.rmtree(here.memory / "sprint" / ID)

    begin(here, "third")
    assert [one.event for one in list_feedback(here, "third")] == [name]


def test_the_first_stage_answers_for_what_is_carried(tmp_path: Path) -> None:
    here = started(tmp_path)
    said = add_feedback(here, ID, "one", "check", actor=YOU)
    assert asked(here, "comments").verdict is Verdict.PASS
    finish(here, ID)
    begin(here, "second")
    comments = sprint_feedback(here, show_sprint(here, "second"))

    assert [one.stage for one in comments] == ["check"]
    assert triage_feedback(here, "second", said.comment.event, Decision.DONE, actor=YOU).comment.sprint == ID


def told(here: Workspace, stage: str = "plan") -> str:
    return prompt(here.root, "--agent", "coder", "--stage", stage).decode()


@pytest.mark.sweep
def test_open_comments_stand_in_the_prompt_until_they_are_dealt_with(tmp_path: Path) -> None:
    here = started(tmp_path)
    add_feedback(here, ID, "the form is too big", "plan", actor=OTHER)
    assert "the form is too big" in told(here)
    assert "human:Other" in told(here)
    assert "the form is too big" not in told(here, "build")
    second = add_feedback(here, ID, "the form is too blue", "plan", actor=OTHER)
    assert "the form is too blue" in told(here)
    triage_feedback(here, ID, second.short, Decision.DONE, actor=YOU)
    assert "the form is too blue" not in told(here)


@pytest.mark.vfcc("REQ-STAGE-FILES")
def test_what_the_file_says_and_what_the_ledger_says_are_told_together(tmp_path: Path) -> None:
    here = started(tmp_path)
    put(here, f".memory/stage/{ID}/plan/feedback.md", "# Feedback\n\nMind the colours.\n")
    assert "Mind the colours." in told(here)
    assert "Open comments" not in told(here)
    add_feedback(here, ID, "the form is too big", "plan", actor=OTHER)

    text = told(here)
    assert text.index("Mind the colours.") < text.index("## Open comments") < text.index("the form is too big")


def test_carried_comments_are_told_in_the_first_stage(tmp_path: Path) -> None:
    here = started(tmp_path)
    add_feedback(here, ID, "the form is too big", "check", actor=OTHER)
    finish(here, ID)
    begin(here, "second")

    assert "the form is too big" in told(here)
    assert "the form is too big" not in told(here, "check")


def test_where_a_layer_does_not_load_feedback_no_comment_is_told(tmp_path: Path) -> None:
    here = started(tmp_path)
    add_feedback(here, ID, "the form is too big", "plan", actor=OTHER)
    stage = {"always_load": ["artifacts/*"], "conditional_load": [], "max_tokens": 1000}
    put(here, ".memory/config.yaml", json.dumps({"format": 1, "loading_strategy": {"stage": stage}}))

    assert "the form is too big" not in told(here)


@pytest.mark.sweep
def test_a_kept_prompt_is_not_served_once_a_comment_or_its_file_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    here = Workspace(example(tmp_path / "project"))
    file = here.memory / "stage/sprint-02/coding/feedback.md"
    text = warm(here)

    def changed() -> str:
        tick(here.root)
        see(here, text)
        return warm(here)

    said = add_feedback(here, "sprint-02", "the tides are late", "coding", actor=OTHER)
    text = changed()
    assert "the tides are late" in text
    file.write_text("Mind the moon.\n", encoding="utf-8")
    text = changed()
    assert "Mind the moon." in text
    file.write_text("Mind the sun.\n", encoding="utf-8")
    text = changed()
    assert "Mind the sun." in text
    file.unlink()
    text = changed()
    assert "Mind the sun." not in text
    triage_feedback(here, "sprint-02", said.short, Decision.DONE, actor=OTHER)
    text = changed()
    assert "the tides are late" not in text
    file.write_text("Mind the moon.\n", encoding="utf-8")
    assert "Mind the moon." in changed()


def test_a_comment_in_a_prompt_is_trusted_as_little_as_the_one_who_made_it(tmp_path: Path) -> None:
    here = started(tmp_path)
    put(here, f".memory/stage/{ID}/plan/feedback.md", "---\ntrust: human\n---\nMind the colours.\n")
    add_feedback(here, ID, "by a person", "plan", actor=OTHER)
    assert trust(here) == "human"
    add_feedback(here, ID, "by an agent", "plan", actor=CODER)
    assert trust(here) == "agent"


def trust(here: Workspace) -> str:
    state = show_sprint(here, ID)
    found = comments_for_prompt(here, Place("coder", ID, "plan"), state)
    assert found is not None
    assert found.text.startswith("Mind the colours.\n\n## Open comments\n\n- by a person (human:Other, 2026-11-21)\n")
    return found.trust


def test_two_at_once_both_comment(tmp_path: Path) -> None:
    here = started(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: add_feedback(here, ID, f"comment {number}", actor=YOU), range(12)))

    assert sorted(words(here)) == sorted(f"comment {number}" for number in range(12))
    assert show_sprint(here, ID).problems == ()
