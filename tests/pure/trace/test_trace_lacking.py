"""What is said of an item that nothing below answers: what it lacks, and a command that lacks only the title."""

from dataclasses import replace

from tests.planted_faults import FAULTS, W, linked
from tests.trace_world import World
from verifflowcc.base.model.trace_codes import Need
from verifflowcc.base.model.trace_values import Finding
from verifflowcc.trace.rules.trace_check import check


def lacking(world: World) -> list[Finding]:
    """The findings of this kind."""
    return [each for each in check(world.sources(), world.policy).findings if each.code == "missing-child"]


def test_it_says_what_is_lacking_and_the_command_that_adds_it_below() -> None:
    planted = FAULTS["missing-child"].planted
    need = replace(planted.policy.needs[0], title="what it asks for")

    (one,) = lacking(planted.ask(needs=(need,)))

    assert one.message == "NEED-b lacks what it asks for: a requirement that refines, derives or satisfies it"
    assert one.step == 'vfcc trace add requirement "…" --parent NEED-b --relation refines'


def test_of_several_it_says_how_many_there_are() -> None:
    two = W.ask(needs=(Need("two", ("need",), ("refines", "derives"), ("requirement",), at_least=2),))

    (one,) = lacking(linked("REQ-login", "derives NEED-a", world=two))

    assert one.message == "NEED-a lacks 2 × requirement that refines or derives it, and has 1"
