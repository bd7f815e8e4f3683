"""How prompts of a project that 0.1 made differ now: `docs/explanation/upgrade-prompts.md` lists each difference."""

import re
from pathlib import Path

import pytest

from tests.prompt_upgrade import ROLES, differences, new_prompts, old_prompts
from tests.upgraded_world import OPEN
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.migrating import migrate

PAGE = (Path(__file__).parents[3] / "docs" / "explanation" / "upgrade-prompts.md").read_text(encoding="utf-8")
SHOWN = "shout/coder"


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        now = new_prompts(tmp_path_factory.mktemp("upgraded"), patch)
    old = old_prompts()
    return {name: (old[name], text) for name, text in now.items()}


def listed() -> dict[str, set[str]]:
    """Return the roles that the page names for each kind of difference."""
    rows = re.findall(r"^\| `([^`]+)` \| [^|]+ \| [^|]+ \| ([^|]+) \|$", PAGE, re.MULTILINE)
    return {kind: set(ROLES) if roles == "all" else set(roles.split(", ")) for kind, roles in rows}


def test_each_line_that_went_or_came_is_of_a_kind_that_is_intended(prompts: dict[str, tuple[str, str]]) -> None:
    found = {name: differences(*pair).unexplained for name, pair in prompts.items()}

    assert len(found) == len(OPEN) * len(ROLES)
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_the_page_lists_the_kinds_of_differences_and_the_roles_that_have_them(
    prompts: dict[str, tuple[str, str]],
) -> None:
    found: dict[str, set[str]] = {}
    for name, pair in prompts.items():
        for kind in differences(*pair).kinds:
            found.setdefault(kind, set()).add(name.rpartition("/")[2])

    assert listed() == found


def test_the_page_shows_a_prompt_as_it_was_and_as_it_is(prompts: dict[str, tuple[str, str]]) -> None:
    shown = re.findall(r"^`````markdown\n(.*?)^`````$", PAGE, re.DOTALL | re.MULTILINE)

    assert shown == list(prompts[SHOWN])


@pytest.mark.sweep
def test_a_migration_changes_in_prompts_only_what_roles_may_do_where_the_project_has_lists_of_its_own(
    prompts: dict[str, tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrated: list[str] = []
    now = new_prompts(tmp_path, monkeypatch, lambda root: migrated.extend(migrate(Workspace(root)).notices))

    assert all(f'- "{name}"' in " ".join(migrated) for name in ("@trace", "@code", "@history"))
    differing = {name: set(now[name].splitlines()) ^ set(text.splitlines()) for name, (_, text) in prompts.items()}
    assert {name.partition("/")[2] for name, lines in differing.items() if lines} == set(listed_after_migration())
    assert all(line.startswith("- You may ") for lines in differing.values() for line in lines)


def listed_after_migration() -> list[str]:
    """Return the roles that the page names for a migration."""
    (roles,) = re.findall(r"A migration changes what the roles (.+?) may do", " ".join(PAGE.split()))
    return re.split(r", | and ", roles)
