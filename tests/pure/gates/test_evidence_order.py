"""What came after what is told by the events' parents alone; a cheap way and the plain one agree."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.event_samples import DIGEST, event, feedback, passed, root
from verifflowcc.base.model.events import Event, EventType
from verifflowcc.base.text.identifiers import ulid
from verifflowcc.sprint.rules.evidence_files import EvidenceEvent, added_evidence
from verifflowcc.sprint.rules.sprint_fold import arrange

FIRST = root()


def named(number: int) -> str:
    return ulid(number, bytes(10))


def added(number: int, *parents: Event, criterion: str = "tests", stage: str = "check", second: int = 0) -> Event:
    payload = {"stage": stage, "kind": "junit", "criterion": criterion, "evidence": named(number), "digest": DIGEST}
    return event(EventType.EVIDENCE_ADDED, payload, *parents, second=second)


def order(*events: Event) -> dict[str, EvidenceEvent]:
    """The evidence by its id, of events in any order."""
    ordered = arrange(events).ordered
    parents = {one.id: one.parents for one in ordered}
    return {one.evidence: one for one in added_evidence([one for one in ordered if not one.moves], parents)}


def test_the_later_replaces_the_earlier_whatever_their_clocks_say() -> None:
    first = added(1, FIRST, second=100)
    second = added(2, first, second=1)

    found = order(FIRST, first, second)

    assert (found[named(1)].latest, found[named(2)].latest) == (False, True)
    assert found[named(2)].concurrent == ()


def test_evidence_is_after_what_lies_behind_a_transition() -> None:
    first = added(1, FIRST)
    moved = passed("plan", "build", first)
    second = added(2, moved)

    assert [one.latest for one in order(FIRST, first, moved, second).values()] == [False, True]


def test_two_on_branches_apart_are_both_the_latest_until_one_knows_both() -> None:
    left, right = added(1, FIRST), added(2, FIRST)
    joined = feedback("merged", left, right)

    found = order(FIRST, left, right, joined)
    assert found[named(1)].concurrent == (named(2),)
    assert found[named(2)].concurrent == (named(1),)

    found = order(FIRST, left, right, joined, added(3, joined))
    assert [one.evidence for one in found.values() if one.latest] == [named(3)]


def test_what_one_branch_replaced_does_not_come_back_by_a_merge() -> None:
    old, other = added(1, FIRST), added(2, FIRST)
    new = added(3, old)

    found = order(FIRST, old, other, new)

    assert {one.evidence for one in found.values() if one.latest} == {named(2), named(3)}
    assert found[named(2)].concurrent == (named(3),)


def test_other_criteria_and_stages_do_not_replace_each_other() -> None:
    first = added(1, FIRST)
    second = added(2, first, criterion="coverage")
    third = added(3, second, stage="build")

    assert all(one.latest and not one.concurrent for one in order(FIRST, first, second, third).values())


def test_an_event_that_names_no_file_is_passed_over() -> None:
    older = Event("x", (FIRST.id,), "ci", "2026-11-21T03:31:00.123Z", EventType.EVIDENCE_ADDED, {"stage": "check"})

    assert added_evidence([older], {"x": (FIRST.id,), FIRST.id: ()}) == ()


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_the_latest_are_those_that_no_other_has_in_its_past(data: st.DataObject) -> None:
    events: list[Event] = [FIRST]
    for number in range(data.draw(st.integers(1, 14))):
        parents = data.draw(st.lists(st.sampled_from(events), min_size=1, max_size=3, unique_by=lambda one: one.id))
        if data.draw(st.booleans()):
            events.append(added(number, *parents, criterion=data.draw(st.sampled_from("ab")), second=number))
        else:
            events.append(feedback(f"note {number}", *parents, second=number))

    found = order(*events)

    ids = {one.id: one for one in events}
    for one in found.values():
        rivals = [other for other in found.values() if other.criterion == one.criterion and other is not one]
        after = [other for other in rivals if one.event.id in _past(other.event, ids)]
        assert one.latest == (not after)
        heads = {other.evidence for other in rivals if other.latest}
        assert set(one.concurrent) == (heads if one.latest else set())


def _past(one: Event, ids: Mapping[str, Event]) -> set[str]:
    found: set[str] = set()
    waiting = list(one.parents)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += ids[name].parents
    return found
