"""`vfcc stage skip`: a person at a real terminal, shown what is left unmet."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import project, typed
from tests.cli.process import vfcc
from tests.cli.sprint.test_approve import AGENTS, refused_at_terminal
from tests.people_world import ID, WORKFLOW
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

LOOSE = WORKFLOW.replace(", waivable: false", "")
WORDS = ("--reason", "known already")


@pytest.mark.sweep
def test_a_person_sees_what_is_left_unmet_and_is_asked(tmp_path: Path) -> None:
    here = project(tmp_path, LOOSE)
    assert typed(here.root, "stage", "skip", *WORDS, keys="n\n").code == 130
    ran = typed(here.root, "stage", "skip", *WORDS, "--expires", "2999-12-31", keys="y\n")

    assert ran.code == 0, ran
    assert f"{ID}/plan, with 2 criteria not met; next: build" in ran.err
    assert "- reviewed (hard): not approved yet" in ran.err
    assert ran.out.startswith(f"{ID}: plan → build\n")
    told = "skipped: plan by human:Other until 2999-12-31: known already\n"
    assert told in vfcc(here.root, "status").out


@pytest.mark.sweep
@pytest.mark.parametrize("env", AGENTS, ids=lambda env: next(iter(env)))
def test_an_agent_or_a_job_skips_nothing(tmp_path: Path, env: dict[str, str]) -> None:
    here = project(tmp_path, LOOSE)
    refused_at_terminal(
        typed(here.root, "stage", "skip", *WORDS, "--yes", env=env), "vfcc stage skip needs a person at a terminal"
    )
    vfcc(here.root, "stage", "skip", *WORDS, "--yes").refused(3, "vfcc stage skip needs a person at a terminal")
    assert show_sprint(here, ID).current == "plan"


def test_what_cannot_be_waived_is_not_skipped(tmp_path: Path) -> None:
    here = project(tmp_path)
    refused_at_terminal(typed(here.root, "stage", "skip", *WORDS, "--yes"), "frozen cannot be waived")
