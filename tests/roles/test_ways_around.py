"""Each way around the roles is refused, or named by the gate of its stage, or listed as one that cannot be closed."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.roles.attempts import Attempt
from tests.roles.attempts_at_files import AT_FILES
from tests.roles.attempts_at_people import AT_PEOPLE
from tests.roles.roles_world import all_files, before_tool, below_client, gate
from tests.trees import write_tree

ATTEMPTS = (*AT_FILES, *AT_PEOPLE)
FEWEST = 30


def those(answer: str) -> pytest.MarkDecorator:
    """Parametrise over the attempts that get an answer of this kind."""
    found = [each for each in ATTEMPTS if getattr(each, answer)]
    return pytest.mark.parametrize("attempt", found, ids=[each.name for each in found])


def made(attempt: Attempt, folder: Path) -> Path:
    """The world of an attempt, with what lies there before."""
    root = attempt.world(folder)
    if attempt.before:
        ran = below_client(root, attempt.before)
        assert ran.code == 0, ran
    return root


def filled(given: object, root: Path) -> object:
    """An input with the project's folder in its place."""
    if isinstance(given, str):
        return given.replace("@ROOT@", str(root))
    if isinstance(given, Mapping):
        return {name: filled(each, root) for name, each in given.items()}
    return [filled(each, root) for each in given] if isinstance(given, Sequence) else given


def performed(attempt: Attempt, root: Path) -> None:
    """Do what the tool would do, with no hook asked."""
    if attempt.command:
        below_client(root, attempt.command)
    else:
        path = str(filled(attempt.given["file_path"], root))
        write_tree(root, {path.removeprefix(f"{root}/"): str(attempt.given["content"])})


def test_every_attempt_has_a_name_of_its_own_and_an_answer() -> None:
    assert len({each.name for each in ATTEMPTS}) == len(ATTEMPTS) >= FEWEST
    assert [each.name for each in ATTEMPTS if not (each.hook or each.program or each.gate or each.listed)] == []


@pytest.mark.points(5)
@those("hook")
def test_the_hook_refuses_it_and_says_why(attempt: Attempt, tmp_path: Path) -> None:
    root = made(attempt, tmp_path)
    files = all_files(root)
    given = filled(attempt.given, root)
    assert isinstance(given, dict)

    why = before_tool(root, attempt.tool, given, attempt.agent_type, **attempt.env)

    assert attempt.hook in why, (attempt.name, why)
    assert all_files(root) == files


@pytest.mark.points(2)
@those("program")
def test_the_program_refuses_it_below_a_client(attempt: Attempt, tmp_path: Path) -> None:
    root = made(attempt, tmp_path)
    files = all_files(root)

    ran = below_client(root, attempt.command)

    assert ran.code != 0, ran
    assert attempt.program in ran.out + ran.err, ran
    assert all_files(root) == files


@pytest.mark.points(2)
@those("gate")
def test_the_gate_names_it_where_it_happens(attempt: Attempt, tmp_path: Path) -> None:
    root = made(attempt, tmp_path)
    assert attempt.gate not in gate(root)

    performed(attempt, root)

    assert attempt.gate in gate(root)


@pytest.mark.sweep
@those("command")
def test_a_command_that_only_the_hook_refuses_would_do_harm(attempt: Attempt, tmp_path: Path) -> None:
    """Else its refusal would prove nothing."""
    if attempt.program:
        return
    root = made(attempt, tmp_path)
    files = all_files(root, local=True)

    performed(attempt, root)

    assert all_files(root, local=True) != files
