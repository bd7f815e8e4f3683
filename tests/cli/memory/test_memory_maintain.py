"""Uses are counted without changing what git tracks; `vfcc memory maintain` then says them in the items."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.process import git, vfcc
from tests.life_world import cache, found
from tests.trees import write_memory, write_tree

FACT = "---\nid: tide-tables-k3f9\ntype: fact\ntitle: Tides\ncreated: 2026-11-01\n---\n\nTides come from the table.\n"
SOURCE = "{kind: explicit, actor: human:You, project: shop@1a2b3c4d5e6f}"
OURS = f"---\nid: bullets-7q2m\ntype: preference\nsource: {SOURCE}\n---\nBullets.\n"
READS = (
    "memory list",
    "memory show tide-tables",
    "memory show bullets --scope user",
    "memory stats",
    "context show --agent coder",
    "context show --agent planner --task tides --json",
    "task list --all",
    "memory maintain --dry-run",
    "status",
    "check memory",
)


@pytest.fixture
def project(example: Path) -> Path:
    """The worked example, committed, with a fact of its own and a preference of the user's."""
    write_memory(example, {"project/items/fact/tide-tables-k3f9.md": FACT})
    write_tree(example.parent / ".local/share/vfcc", {"user/items/preference/bullets-7q2m.md": OURS})
    git(example, "init", "-q")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    return person(example, "You")


def tracked(root: Path) -> dict[str, bytes]:
    """All of the project that git does not ignore, and all items of the user's."""
    names = git(root, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    user = root.parent / ".local/share/vfcc/user"
    return {name: (root / name).read_bytes() for name in names} | {str(p): p.read_bytes() for p in user.rglob("*.md")}


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-ITEM-USES")
def test_reading_changes_no_byte_that_git_tracks(project: Path) -> None:
    before = tracked(project)

    for line in READS:
        done = vfcc(project, *line.split())
        assert done.code in (0, 1), (line, done)
        assert typed(project, *line.split()).code in (0, 1)

    assert tracked(project) == before
    assert git(project, "status", "--porcelain") == ""


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-ITEM-USES", "REQ-ACCESS-MERGE")
def test_what_was_shown_is_counted_once_by_maintenance(project: Path) -> None:
    for _ in range(2):
        assert vfcc(project, "memory", "show", "tide-tables").code == 0
    assert vfcc(project, "memory", "show", "bullets", "--scope", "user").code == 0

    done = vfcc(project, "memory", "maintain")
    again = vfcc(project, "memory", "maintain")

    assert "count tide-tables-k3f9: 2 more uses: 2 now, the last on " in done.out
    assert "count bullets-7q2m: 1 more use: 1 now, the last on " in done.out
    assert (again.code, again.out) == (0, "nothing to do\n")
    (change,) = git(project, "status", "--porcelain").splitlines()
    assert change == " M .memory/project/items/fact/tide-tables-k3f9.md"
    added = [
        line for line in git(project, "diff").splitlines() if line.startswith(("+", "-")) and line[1:2] not in "+-"
    ]
    assert [line.partition(" last")[0] for line in added] == ["+uses: {count: 2,"]


@pytest.mark.vfcc("REQ-SOURCE-PROJECT-GONE")
def test_only_a_person_takes_a_project_off(project: Path) -> None:
    file = project.parent / ".local/share/vfcc/user/items/preference/bullets-7q2m.md"
    line = ("memory", "maintain", "--scope", "user", "--forget-project", "shop")

    vfcc(project, *line).refused(3, "needs a person at a terminal")
    assert file.read_text(encoding="utf-8") == OURS
    outside = project.parent / "elsewhere"
    outside.mkdir()
    git(outside, "init", "-q")
    person(outside, "You")
    done = typed(outside, *line)

    assert (done.code, done.out) == (0, "edit bullets-7q2m: shop@1a2b3c4d5e6f is not its source any more\n")
    assert file.read_text(encoding="utf-8") == OURS.replace(", project: shop@1a2b3c4d5e6f", "")


def test_the_scope_of_a_project_needs_one(tmp_path: Path) -> None:
    vfcc(tmp_path, "memory", "maintain", "--scope", "project").refused(3, "there is no project here")
    assert vfcc(tmp_path, "memory", "maintain").out == "nothing to do\n"


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-MAINTAIN", "REQ-EXPIRES", "REQ-DECAY")
def test_nothing_grows_old_on_the_way_to_a_prompt_and_maintenance_tells_each_step_and_why(young: Path) -> None:
    lately, long_ago = (f"{datetime.now(UTC) - timedelta(days=days):%Y-%m-%d}" for days in (20, 300))
    facts = {
        "ended": found("ended", "It is over", created=lately, more="expires: 2020-02-01\n"),
        "lasts": found("lasts", "It lasts", created=lately, more="expires: 2999-01-01\n"),
        "faded": found("faded", "Hardly so", created=long_ago, more="importance: 0.2\n"),
        **{f"c{place}": text for place, text in enumerate(cache(created=lately), 1)},
    }
    write_memory(young, {f"project/items/fact/{name}.md": text for name, text in facts.items()})
    git(young, "init", "-q")
    before = tracked(person(young, "You"))

    prompt = vfcc(young, "context", "show", "--agent", "coder").out
    for words in (*READS[:1], *READS[3:5], "memory inbox", "check memory"):
        vfcc(young, *words.split())
    assert tracked(young) == before
    assert "It is over." in prompt
    (young / ".memory/local/access.jsonl").unlink()  # what prompts held was used, and would not fade
    would = vfcc(young, "memory", "maintain", "--dry-run")
    assert tracked(young) == before
    done = vfcc(young, "memory", "maintain")

    lines = done.out.splitlines()
    assert would.out.splitlines() == [*lines[: len(would.out.splitlines()) - 1], "nothing was written (--dry-run)"]
    told = {line.partition(": ")[0]: line.partition(": ")[2] for line in lines}
    assert told["archive ended"] == "it holds until 2020-02-01, as it says"
    assert told["archive faded"].startswith("it counts for ")
    assert [why for what, why in told.items() if what.startswith("make ")] == [
        "4 items on cache, cold, parser say much the same: c1, c2, c3, c4"
    ]
    after = vfcc(young, "context", "show", "--agent", "coder").out
    assert "It lasts." in after
    assert "It is over." not in after
    assert "Hardly so." not in after
