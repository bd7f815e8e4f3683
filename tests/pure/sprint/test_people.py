"""What people said, read from events: nothing is lost, and what was said apart on two branches stands side by side."""

from dataclasses import replace
from itertools import permutations

import pytest

from tests.event_samples import ANN, DIGEST, event, root
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.model.people import Decision, Feedback, Opinion
from verifflowcc.base.text.identifiers import short_ids
from verifflowcc.sprint.rules.sprint_people import current_triages, feedback, latest_words, reviews, waivers

BEN = "human:Ben"
FIRST = root()
SHA = "a" * 40
OLD = "01ARYZ6S410000000000000000"


def review(verdict: str, actor: str = BEN, second: int = 1, **more: object) -> Event:
    payload = {"stage": "plan", "criterion": "reviewed", "verdict": verdict, "digest": DIGEST, "reason": "x"}
    whole = payload | {"expires": None, "signed": None} | more
    return event(EventType.REVIEW_RECORDED, whole, FIRST, second=second, actor=actor)  # type: ignore[arg-type]


def comment(words: str, stage: str | None = None, second: int = 1) -> Event:
    return event(EventType.FEEDBACK_ADDED, {"stage": stage, "text": words}, FIRST, second=second)


def triage(of: Event, decision: str, second: int = 2, actor: str = BEN, replaces: list[str] | None = None) -> Event:
    payload = {"stage": None, "text": "x", "triages": of.id, "decision": decision, "reason": "seen"}
    if replaces is not None:
        payload["replaces"] = replaces  # type: ignore[assignment]
    return event(EventType.FEEDBACK_ADDED, payload, of, second=second, actor=actor)


def test_every_field_of_a_review_is_read() -> None:
    said = review("approved", expires="2026-12-31", signed=SHA, seen={"plan.md": DIGEST}, replaces=[OLD])
    [one] = reviews([said])

    assert (one.event, one.stage, one.criterion, one.actor) == (said.id, "plan", "reviewed", BEN)
    assert (one.opinion, one.subject, one.reason, one.time) == (Opinion.APPROVED, DIGEST, "x", said.time)
    assert (one.expires, one.signed, one.file_digests, one.replaces) == ("2026-12-31", SHA, {"plan.md": DIGEST}, (OLD,))


def test_an_acceptance_is_a_review_in_words() -> None:
    payload = {"stage": "check", "criterion": "accepted", "statement": "it logs me in", "digest": DIGEST}
    [one] = reviews([event(EventType.ATTESTED, payload | {"expires": None, "signed": None}, FIRST, actor=BEN)])

    assert (one.opinion, one.statement, one.replaces) == (Opinion.APPROVED, "it logs me in", None)


def test_a_verdict_that_nobody_knows_speaks_neither_for_nor_against() -> None:
    known = review("approved")
    later = [replace(known, payload={**known.payload, "verdict": word}) for word in ("approved-ish", "APPROVED", "")]

    assert reviews(later) == ()


def test_a_waiver_is_read_whole() -> None:
    payload = {"stage": "check", "criterion": "tests", "reason": "later", "digest": DIGEST, "expires": None}
    made = event(EventType.WAIVED, payload, FIRST, actor=BEN)
    [one] = waivers([made, comment("x")])

    assert (one.event, one.stage, one.criterion, one.reason) == (made.id, "check", "tests", "later")
    assert (one.actor, one.subject, one.expires) == (BEN, DIGEST, None)


def test_the_latest_word_of_each_reviewer_stands() -> None:
    first, second, other = review("rejected"), review("approved", second=2), review("rejected", ANN, 3)

    assert [one.event for one in latest_words(reviews([first, second, other]))] == [second.id, other.id]


def test_a_word_replaces_only_its_own_speakers_and_only_for_its_own_criterion() -> None:
    first = review("rejected")
    others = [
        review("approved", ANN, 2, replaces=[first.id]),
        review("approved", BEN, 3, criterion="other", replaces=[first.id]),
        review("approved", BEN, 4, stage="check", replaces=[first.id]),
    ]

    assert first.id in {one.event for one in latest_words(reviews([first, *others]))}


def test_words_said_on_two_branches_both_stand() -> None:
    rejected, approved = review("rejected", replaces=[]), review("approved", second=2, replaces=[])
    for order in permutations([rejected, approved]):
        assert {one.event for one in latest_words(reviews(order))} == {rejected.id, approved.id}

    later = review("approved", second=3, replaces=[rejected.id, approved.id])
    assert [one.event for one in latest_words(reviews([rejected, approved, later]))] == [later.id]


def test_a_signed_commit_takes_no_rejection_back() -> None:
    rejected, signed = review("rejected"), review("approved", second=2, signed=SHA)

    assert [one.event for one in latest_words(reviews([rejected, signed]))] == [rejected.id, signed.id]


def test_a_wish_to_be_reviewed_is_no_opinion_and_replaces_none() -> None:
    rejected, asked = review("rejected"), review("requested", second=2)

    assert [one.event for one in latest_words(reviews([rejected, asked]))] == [rejected.id]


def test_a_comment_is_open_until_it_is_triaged() -> None:
    one, two = comment("too big", "plan"), comment("too blue", second=2)
    done = triage(one, "done")

    assert feedback("login", [one, two, done]) == (
        Feedback(one.id, "login", "plan", "too big", ANN, one.time, Decision.DONE, BEN, "seen"),
        Feedback(two.id, "login", None, "too blue", ANN, two.time),
    )


def test_the_last_triage_counts_and_open_is_one_of_them() -> None:
    one = comment("too big")
    notes = [one, triage(one, "done"), triage(one, "later", 3), triage(one, "open", 4)]

    assert [feedback("login", notes[:end])[0].decision for end in (2, 3, 4)] == ["done", "later", "open"]


@pytest.mark.parametrize("first", [0, 1])
def test_triages_that_contradict_each_other_leave_a_comment_open_and_say_so(first: int) -> None:
    one = comment("too big")
    pair = [triage(one, "done", 2, replaces=[]), triage(one, "rejected", 3, ANN, replaces=[])]
    notes = [one, pair[first], pair[1 - first]]
    [found] = feedback("login", notes)

    assert (found.decision, found.decided_by) == (Decision.OPEN, "")
    assert found.reason.startswith("decided twice, apart from each other: ")
    assert "done by human:Ben" in found.reason
    assert "rejected by human:Ann" in found.reason

    settling = triage(one, "done", 4, replaces=list(current_triages(notes, one.id)))
    assert feedback("login", [*notes, settling])[0].decision is Decision.DONE


def test_triages_made_apart_that_agree_are_one_decision() -> None:
    one = comment("too big")
    notes = [one, triage(one, "done", 2, replaces=[]), triage(one, "done", 3, ANN, replaces=[])]

    assert feedback("login", notes)[0].decision is Decision.DONE


def test_a_decision_that_nobody_knows_decides_nothing() -> None:
    one = comment("too big")

    assert feedback("login", [one, triage(one, "maybe")])[0].decision is Decision.OPEN


def test_a_comment_of_an_earlier_sprint_is_open_again_until_this_one_decides() -> None:
    old = Feedback(OLD, "first", "plan", "too big", ANN, "t", Decision.LATER, BEN, "no time")
    made = event(
        EventType.FEEDBACK_ADDED,
        {"stage": None, "text": "x", "triages": OLD, "decision": "done", "reason": None},
        FIRST,
        actor=BEN,
    )

    assert feedback("login", [], [old])[0] == Feedback(OLD, "first", "plan", "too big", ANN, "t")
    assert feedback("login", [made], [old])[0].decision is Decision.DONE
    assert feedback("login", [made], [old])[0].sprint == "first"


def test_a_short_id_means_one_comment() -> None:
    names = ["01AAAAXYZW", "01BAAAXYZW", "01CAAAXYZV"]

    assert [short_ids(names)[name] for name in names] == ["AAAAXYZW", "BAAAXYZW", "XYZV"]
