"""What `vfcc migrate` changes in a project that version 0.1 made: `upgrading-from-0.1.md` lists all of it."""

import re
from pathlib import Path

import pytest

from tests.upgrade_calls import CALLS
from tests.upgrade_matrix import PLACES, Answers, Tried, facts, recorded
from tests.upgrade_page import Row, parts, problems, rows
from tests.upgraded_world import unpacked
from verifflowcc.base.formats.event_bytes import moment
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.migrating import migrate

pytestmark = pytest.mark.vfcc("REQ-MIGRATE")
LATER = FixedClock(moment("2026-12-01T08:00:00.000Z"))


def before_migration() -> Answers:
    """Return what this version answers in the project of 0.1, as the page has it; another test compares."""
    claims = tuple(rows(parts()[0]))

    def now(key: str, answer: str) -> str:
        return next((row.now for row in claims if row.speaks_of(key, answer)), answer)

    return {key: now(key, answer) for key, answer in recorded().items()}


def compared(now: Answers, *, whole: bool = False) -> list[str]:
    before = before_migration()
    tried = before if whole else {key: answer for key, answer in before.items() if key in now}
    return problems(migration_rows(), tried, now, whole=whole)


def migration_rows() -> list[Row]:
    return list(rows(parts()[1]))


def migrated(folder: Path) -> Tried:
    return Tried(folder, prepare=lambda root: migrate(Workspace(root)))


def test_the_page_shows_all_that_a_dry_run_lists(tmp_path: Path) -> None:
    here = Workspace(unpacked(tmp_path), LATER)

    planned = migrate(here, dry_run=True)

    blocks = re.findall(r"^```text\n(.*?)^```$", parts()[1], re.DOTALL | re.MULTILINE)
    listed = [f"would do: {step.action}" for step in planned.steps] + [f"warning: {each}" for each in planned.notices]
    assert blocks == ["".join(f"{line}\n" for line in listed)]
    assert migrate(here).steps == planned.steps


def test_calls_of_a_reviewer_after_a_migration_differ_as_the_page_says(tmp_path: Path) -> None:
    calls = {name: CALLS[name] for name in ("vfcc-advance", "vfcc-approve", "git-add", "edit-product")}

    now = migrated(tmp_path).hooks([("polite-greetings", "reviewer"), ("polite-greetings", "coder")], calls)

    assert compared(now) == []
    assert now["hook polite-greetings reviewer vfcc-advance"] == "allow"


@pytest.mark.sweep
def test_every_difference_after_a_migration_is_on_the_page_and_every_one_there_occurs(tmp_path: Path) -> None:
    tried = migrated(tmp_path)
    commands = {key: answer for key, answer in before_migration().items() if key.startswith("command")}
    read = {key: answer for key, answer in facts(tried).items() if not key.startswith("changed config")}

    assert compared(commands | read | tried.hooks(PLACES), whole=True) == []
