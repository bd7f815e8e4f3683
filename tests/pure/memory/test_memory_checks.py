"""The checks of a memory, each with a fault that it finds and a near miss that it leaves alone."""

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.memory_checks_page import PAGE, with_checks
from tests.memory_faults import FAULTS, World, facts, item
from verifflowcc.base.model.config_values import CodeStatus
from verifflowcc.base.model.trace_values import RED
from verifflowcc.memory.rules.memory_check import check_memory, one_apart
from verifflowcc.memory.rules.memory_codes import CHECKS


def codes(world: World) -> list[str]:
    return [each.code for each in check_memory(world.sources()).findings]


def test_every_check_has_a_planted_fault() -> None:
    assert list(FAULTS) == list(CHECKS)


@pytest.mark.parametrize("code", FAULTS)
def test_a_planted_fault_is_found_alone_and_with_a_next_step(code: str) -> None:
    found = check_memory(FAULTS[code].planted.sources()).findings

    assert {each.code for each in found} == {code}
    assert all(each.step and each.message and each.path and each.line >= 1 for each in found)
    assert {each.severity for each in found} == {CHECKS[code].severity}


@pytest.mark.parametrize("code", FAULTS)
def test_a_near_miss_stays_silent(code: str) -> None:
    assert codes(FAULTS[code].near) == []


@pytest.mark.parametrize("code", FAULTS)
def test_each_check_says_of_how_many_things_it_was_asked(code: str) -> None:
    asked = {each.code: each for each in check_memory(FAULTS[code].planted.sources()).checks}

    assert list(asked) == list(CHECKS)
    assert 1 <= asked[code].found <= asked[code].examined


def test_a_finding_names_the_line_of_its_key() -> None:
    (found,) = check_memory(FAULTS["near-key"].planted.sources()).findings

    assert (found.line, found.about) == (5, "expirse")


def test_an_unknown_type_is_told_with_the_nearest() -> None:
    (found,) = check_memory(FAULTS["unknown-type"].planted.sources()).findings

    assert "did you mean fact?" in found.message


def test_fields_ids_and_links_of_trace_items_are_left_to_the_trace() -> None:
    broken = ("importance: 9", "links: [{to: gone, relation: refines}]", "refs: [{path: gone.py}]", "titel: x")
    text = item("REQ-a", *broken, kind="requirement")
    folder = ".memory/project/items/requirement"

    assert (
        codes(World({f"{folder}/REQ-a.md": text, f"{folder}/REQ-b.md": text}, spoken_of={"gone.py": CodeStatus(None)}))
        == []
    )


def test_keys_of_different_scopes_and_types_are_different_keys() -> None:
    world = World(
        {
            ".memory/project/items/fact/a.md": item("a", "key: k"),
            ".memory/project/items/insight/b.md": item("b", "key: k", kind="insight"),
            ".memory/sprint/one/items/fact/c.md": item("c", "key: k"),
        }
    )

    assert codes(world) == []


def test_what_is_archived_or_pending_has_no_key_to_share() -> None:
    for status in ("archived", "pending"):
        world = facts(one=item("one", "key: k"), two=item("two", "key: k", f"status: {status}"))
        assert "duplicate-key" not in codes(world)


def test_a_circle_of_three_is_told_of_each_and_what_leads_into_it_is_not() -> None:
    def link(to: str) -> str:
        return f"links: [{{to: {to}, relation: supersedes}}]"

    world = facts(a=item("a", link("b")), b=item("b", link("c")), c=item("c", link("a")), d=item("d", link("a")))

    assert [each.item for each in check_memory(world.sources()).findings] == ["a", "b", "c"]


def test_an_item_that_supersedes_itself_is_a_circle() -> None:
    assert codes(facts(a=item("a", "links: [{to: a, relation: supersedes}]"))) == ["supersession-circle"]


def test_a_user_item_may_link_to_the_project_that_it_came_from() -> None:
    link = "links: [{to: gone, relation: depends_on}]"
    came = item("a", link, "source: {kind: explicit, actor: human, project: shop@0123456789ab}")

    assert codes(World({"user/items/fact/a.md": came})) == []
    assert codes(World({"user/items/fact/a.md": item("a", link)})) == ["dangling-link"]


def test_a_time_to_live_that_is_over_counts_as_expired() -> None:
    old, new = (f"created: {year}-11-20" for year in (2025, 2026))

    assert codes(facts(client=item("client", old))) == ["expired"]
    assert codes(facts(client=item("client", new))) == []


def test_a_word_that_people_use_themselves_is_no_slip() -> None:
    assert codes(facts(client=item("client", "reviewer: You", "owner: me", "aliases: [x]"))) == []


def test_one_letter_is_one_letter() -> None:
    assert [one_apart(word, "tags") for word in ("tag", "tagss", "tgas", "taks", "Tags", "tags", "ta", "rags!")] == [
        True, True, True, True, True, False, False, False,
    ]  # fmt: skip


@given(order=st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=25)
def test_the_report_is_the_same_in_any_order(order: random.Random) -> None:
    world: dict[str, str | bytes] = {}
    for number, fault in enumerate(FAULTS.values()):
        world |= {path.replace(".md", f"-{number}.md"): text for path, text in fault.planted.files.items()}
    whole = World(world).sources()
    items = list(whole.items)
    order.shuffle(items)

    shuffled = replace(whole, items=tuple(items))
    assert check_memory(shuffled) == check_memory(whole)


def test_notes_are_not_red() -> None:
    notes = [code for code, each in CHECKS.items() if each.severity not in RED]

    assert notes == ["contradiction", "ref-changed", "user-type-in-project", "pending"]
    assert not any(check_memory(FAULTS[code].planted.sources()).red for code in notes)


def test_the_reference_explains_every_check_with_a_line_that_it_prints() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page == with_checks(page), "python -m tests.memory_checks_page"
    assert re.findall(r"(?m)^### `([a-z0-9-]+)`$", page) == list(CHECKS)
