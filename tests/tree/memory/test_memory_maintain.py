"""Maintenance: uses are merged once, whatever interrupts it; what has ended or is too much is archived; all is told."""

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.trees import write_memory, write_tree
from verifflowcc.base.errors import FormatError, NotAllowed, UsageError, WorkspaceError
from verifflowcc.base.files import lock as log_file
from verifflowcc.base.files.private_files import user_home
from verifflowcc.base.model.item_values import Status, Uses
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.access_log import LOG, PLAN, TAKEN, append_lines, take_lines
from verifflowcc.memory.use.access_counts import note_uses
from verifflowcc.memory.use.consolidating import MaintenanceStep, StepKind
from verifflowcc.memory.use.maintaining import maintain
from verifflowcc.memory.use.stores import memory_settings, open_store

YOU = "human:You"
NOW = FixedClock(datetime(2026, 11, 21, 14, tzinfo=UTC))
FACT = "---\nid: {id}\ntype: fact\ntitle: A fact\ncreated: {created}\nmine: kept  # as it is\n---\n\nIt is so.\n"
FOUND = """\
---
id: {id}
type: insight
title: Found
importance: {importance}
{more}source: {{kind: extracted, actor: agent:coder}}
---
x
"""
ANCHORED = """\
---
id: one
type: fact
created: 2020-01-01
uses: &u {count: 1, last: 2020-01-01}
more: *u
status: &s active
odd: *s
---
x
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return user_home()


@pytest.fixture(params=["files", "sqlite"])
def here(request: pytest.FixtureRequest, tmp_path: Path, home: Path) -> Workspace:
    return project(tmp_path, str(request.param))


@pytest.fixture
def plain(tmp_path: Path, home: Path) -> Workspace:
    return project(tmp_path, "files")


def project(folder: Path, backend: str, most: int = 1_000) -> Workspace:
    memory = f"memory:\n  max_items: {most}\n  backends: {{project: {backend}, task: {backend}}}\n"
    memory += "  consolidation: {enabled: false}\n"
    return Workspace(write_memory(folder / "project", {"config.yaml": f"format: 1\n{memory}"}), NOW)


def put(here: Workspace, *texts: str) -> None:
    from verifflowcc.memory.store.placing import home_path, stored_item

    with open_store(here, "project") as store:
        for text in texts:
            item = stored_item(".memory/project/x.md", text.encode()).item
            store.add(stored_item(home_path(".memory/project", item.type, item.id), text.encode()))


def fact(item_id: str, created: str = "2026-11-01") -> str:
    return FACT.format(id=item_id, created=created)


def found(item_id: str, importance: str = "0.5", more: str = "") -> str:
    return FOUND.format(id=item_id, importance=importance, more=more)


def preference(item_id: str, project: str) -> dict[str, str]:
    said = f"{{kind: explicit, actor: human:You, project: {project}, session: s1, extra: kept}}"
    return {
        f"user/items/preference/{item_id}.md": f"---\nid: {item_id}\ntype: preference\nsource: {said}\n---\nBullets.\n"
    }


def items(here: Workspace | None, scope: str) -> dict[str, StoredItem]:
    with open_store(here, scope) as store:
        return {each.item.id: each for each in store.list_all()}


def run(
    here: Workspace | None, scope: str | None = None, *, dry: bool = False, gone: str | None = None
) -> tuple[MaintenanceStep, ...]:
    return maintain(here, scope, actor=YOU, dry_run=dry, gone_project=gone).steps


def tree(*roots: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for root in roots for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.vfcc("REQ-ACCESS-MERGE", "REQ-ITEM-USES")
def test_uses_are_merged_into_the_items_once(here: Workspace) -> None:
    put(here, fact("one"), fact("two"), fact("three"))
    before = items(here, "project")
    assert before["one"].item.uses == Uses(0, None)
    for _ in range(3):
        assert note_uses(here, {"project": ["one", "two", "one"]}, "context") == ()
    note_uses(here, {"project": ["one"]}, "show")

    steps = run(here)
    again = run(here)

    after = items(here, "project")
    assert [after[name].item.uses for name in ("one", "two", "three")] == [
        Uses(4, "2026-11-21"),
        Uses(3, "2026-11-21"),
        Uses(),
    ]
    assert after["three"].text == before["three"].text
    assert after["one"].text == before["one"].text.replace(
        "mine: kept  # as it is\n", "mine: kept  # as it is\nuses: {count: 4, last: 2026-11-21}\n"
    )
    assert [(step.kind, step.item, step.why) for step in steps] == [
        (StepKind.USES, "one", "4 more uses: 4 now, the last on 2026-11-21"),
        (StepKind.USES, "two", "3 more uses: 3 now, the last on 2026-11-21"),
    ]
    assert again == ()
    note_uses(here, {"project": ["one"]}, "show")
    run(here)
    assert items(here, "project")["one"].item.uses.count == 5


@pytest.mark.vfcc("REQ-ACCESS-MERGE")
def test_each_scope_gets_the_uses_of_its_own_items(plain: Workspace, home: Path) -> None:
    write_memory(plain.root, {"sprint/s/items/fact/one.md": fact("one"), "agent/coder/items/fact/one.md": fact("one")})
    put(plain, fact("one"))
    write_tree(home, preference("one", "null"))
    note_uses(plain, {"project": ["one"], "user": ["one"] * 2, "sprint/s": ["one"], "task/t": ["one"]}, "context")
    note_uses(plain, {"user": ["one"]}, "context")
    note_uses(None, {"user": ["one"], "project": ["one"]}, "show")

    assert {step.kind for step in run(plain)} == {StepKind.USES}, "those of a task end with it"

    counts = {
        scope: items(plain, scope)["one"].item.uses.count for scope in ("project", "user", "sprint/s", "agent/coder")
    }
    assert counts == {"project": 1, "user": 3, "sprint/s": 1, "agent/coder": 0}


def test_one_scope_alone_leaves_the_other(plain: Workspace, home: Path) -> None:
    put(plain, fact("one"))
    write_tree(home, preference("two", "null"))
    note_uses(plain, {"project": ["one"], "user": ["two"]}, "context")

    assert [step.scope for step in run(plain, "user")] == ["user"]
    assert [step.scope for step in run(plain, "project")] == ["project"]
    assert run(None) == (), "user memory needs no project"
    with pytest.raises(WorkspaceError, match="there is no project here"):
        run(None, "project")


def test_what_keeps_no_count_is_told(plain: Workspace) -> None:
    write_memory(plain.root, {"project/items/fact/bare.md": "Just text.\n"})
    note_uses(plain, {"project": [".memory/project/items/fact/bare", "gone"], "sprint/old": ["x"]}, "context")
    append_lines(plain.local, plain.memory, b'{"at": torn\n')

    told = {(step.scope, step.item): step.why for step in run(plain)}

    assert told == {
        ("project", ""): "1 line of the log of uses cannot be read, and is left out",
        ("sprint/old", ""): "of sprint/old, 1 item was used, and there is no such scope any more",
        ("project", ".memory/project/items/fact/bare"): "it has no front matter, so that it keeps no count of its uses",
        ("project", "gone"): "it was used, and is not there any more",
    }
    assert (plain.memory / "project/items/fact/bare.md").read_text() == "Just text.\n"
    assert run(plain) == ()


def test_only_the_line_of_the_uses_changes(plain: Workspace) -> None:
    lines = (
        "\ufeff---",
        "id: one   # ours",
        "uses: {count: 7, last: 2026-01-01} # kept",
        "odd: [1,  2]",
        "---",
        "A",
        "",
        "B",
    )
    text = "\r\n".join(lines)
    write_tree(plain.memory, {"project/items/fact/one.md": text})
    note_uses(plain, {"project": ["one"]}, "show")

    run(plain)

    wanted = text.replace("{count: 7, last: 2026-01-01}", "{count: 8, last: 2026-11-21}")
    assert (plain.memory / "project/items/fact/one.md").read_bytes() == wanted.encode()


@pytest.mark.vfcc("REQ-ITEM-USES")
def test_a_use_is_noted_in_the_log_alone(plain: Workspace, home: Path) -> None:
    put(plain, fact("one"))
    write_tree(home, preference("two", "null"))
    before = tree(plain.root, home)

    note_uses(plain, {"project": ["one"], "user": ["two"]}, "context")

    after = tree(plain.root, home)
    assert {path: after[path] for path in before} == before
    assert set(after) - set(before) == {str(plain.local / LOG), str(home / "user/local" / LOG)}
    line = {"at": "2026-11-21T14:00:00Z", "by": "context", "ids": ["one"]}
    assert json.loads((plain.local / LOG).read_bytes()) == line


@pytest.mark.parametrize("hostile", ["folder", "link", "link out", "fifo", "local is a link"])
def test_a_log_that_cannot_be_written_is_a_notice(plain: Workspace, tmp_path: Path, hostile: str) -> None:
    import os

    outside = tmp_path / "outside"
    outside.mkdir()
    log = plain.local / LOG
    if hostile == "local is a link":
        plain.local.symlink_to(outside)
    else:
        plain.local.mkdir()
        if hostile == "folder":
            log.mkdir()
        elif hostile == "fifo":
            os.mkfifo(log)
        else:
            log.symlink_to(outside / "x" if hostile == "link out" else plain.memory / "config.yaml")
    before = tree(outside), (plain.memory / "config.yaml").read_bytes()

    (notice,) = note_uses(plain, {"project": ["one"]}, "context")

    assert notice.startswith("uses are not counted: ")
    assert (tree(outside), (plain.memory / "config.yaml").read_bytes()) == before


@pytest.mark.vfcc("REQ-ACCESS-MERGE")
def test_no_use_is_lost_or_counted_twice_while_others_note_and_merge(plain: Workspace) -> None:
    put(plain, fact("one"))

    def work(number: int) -> None:
        if number % 20 == 19:
            run(plain, "project")
        assert note_uses(plain, {"project": ["one"]}, "context") == ()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(120)))
    run(plain, "project")

    assert items(plain, "project")["one"].item.uses.count == 120


def test_lines_are_taken_away_whole_while_others_add(tmp_path: Path) -> None:
    taken: list[bytes] = []

    def work(number: int) -> None:
        append_lines(tmp_path, tmp_path, f"{number:04}\n".encode() * 20)
        if number % 10 == 0:
            taken.append(take_lines(tmp_path))
            (tmp_path / TAKEN).unlink(missing_ok=True)

    with ThreadPoolExecutor(1) as taker, ThreadPoolExecutor(4) as adders:
        list(adders.map(lambda number: append_lines(tmp_path, tmp_path, f"{number:04}\n".encode()), range(1, 200)))
        list(taker.map(work, range(0, 30, 10)))
    taken.append(take_lines(tmp_path))

    lines = b"".join(taken).split(b"\n")
    assert sorted(set(lines)) == sorted({b"", *(f"{number:04}".encode() for number in range(200))})


def test_a_line_does_not_follow_a_log_that_was_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_lines(tmp_path, tmp_path, b"first\n")
    real = log_file._locked

    def taken_before(handle: int, *, alone: bool) -> bool:
        """Let somebody take the log away after it was opened, and before it is locked."""
        if not (tmp_path / TAKEN).exists():
            (tmp_path / LOG).rename(tmp_path / TAKEN)
        return real(handle, alone=alone)

    monkeypatch.setattr(log_file, "_locked", taken_before)
    append_lines(tmp_path, tmp_path, b"second\n")

    assert (tmp_path / TAKEN).read_bytes() == b"first\n"
    assert (tmp_path / LOG).read_bytes() == b"second\n"


def test_a_torn_line_costs_no_other(tmp_path: Path) -> None:
    (tmp_path / LOG).write_bytes(b'{"at":"2026')
    append_lines(tmp_path, tmp_path, b"whole\n")

    assert take_lines(tmp_path) == b'{"at":"2026\nwhole\n'


STOPPED = """
import os, signal, sys
from pathlib import Path
from verifflowcc.memory.use.maintaining import maintain
from verifflowcc.base.use.workspace import open_workspace
left = int(sys.argv[2])
here = open_workspace(Path(sys.argv[1]))

def watch(event, arguments):
    global left
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        left -= 1
    elif event in ("os.rename", "os.chmod", "os.remove", "os.truncate", "sqlite3.connect"):
        left -= 1
    if left == 0:
        left = -1
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
maintain(here, "project", actor="human:You")
"""


def _killed(here: Workspace, point: int, home: Path) -> int:
    program = [sys.executable, "-B", "-c", STOPPED, str(here.root), str(point)]
    env = {"XDG_DATA_HOME": str(home.parent), "HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(program, env=env, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-ACCESS-MERGE")
@pytest.mark.parametrize("first", range(1, 30, 2))
def test_a_merge_that_is_killed_anywhere_counts_each_use_once(plain: Workspace, home: Path, first: int) -> None:
    put(plain, fact("one"), fact("two"))
    for _ in range(3):
        note_uses(plain, {"project": ["one", "two"]}, "context")

    assert _killed(plain, first, home) in (0, -signal.SIGKILL)
    note_uses(plain, {"project": ["one"]}, "show")
    assert _killed(plain, first + 1, home) in (0, -signal.SIGKILL)
    run(plain, "project")

    after = items(plain, "project")
    assert (after["one"].item.uses.count, after["two"].item.uses.count) == (4, 3)
    assert not [name for name in (LOG, TAKEN, PLAN) if (plain.local / name).exists()]


def test_the_points_reach_from_the_first_step_to_the_end(plain: Workspace, home: Path) -> None:
    put(plain, fact("one"), fact("two"))
    note_uses(plain, {"project": ["one", "two"]}, "context")

    assert _killed(plain, 1, home) == -signal.SIGKILL
    assert not (plain.local / TAKEN).exists()
    assert _killed(plain, 29, home) == -signal.SIGKILL
    assert not (plain.local / TAKEN).exists()
    assert _killed(plain, 60, home) == 0
    assert items(plain, "project")["one"].item.uses.count == 1


def test_a_plan_that_is_none_is_told_and_nothing_is_counted(plain: Workspace) -> None:
    put(plain, fact("one"))
    note_uses(plain, {"project": ["one"]}, "show")
    (plain.local / PLAN).write_text("{}")

    with pytest.raises(FormatError, match=r"access\.plan\.json:1: it is no plan") as slip:
        run(plain)
    assert slip.value.hint == f"rm {plain.local / PLAN}"
    assert items(plain, "project")["one"].item.uses.count == 0


def test_what_has_ended_is_archived_with_its_reason(here: Workspace) -> None:
    put(
        here,
        fact("young"),
        fact("old", "2025-11-20"),
        "---\nid: said\ntype: decision\nstatus: active\nexpires: 2026-11-20\n---\nx\n",
        "---\nid: today\ntype: fact\nexpires: 2026-11-21\n---\nx\n",
        "---\nid: goal\ntype: goal\ncreated: 1990-01-01\n---\nx\n",
    )

    steps = run(here)

    assert [(step.kind, step.item, step.why) for step in steps] == [
        (StepKind.ENDED, "old", "a fact holds for 365 days, and this one was made on 2025-11-20"),
        (StepKind.ENDED, "said", "it holds until 2026-11-20, as it says"),
    ]
    after = items(here, "project")
    assert {name for name, each in after.items() if each.item.status is Status.ARCHIVED} == {"old", "said"}
    assert after["old"].text == fact("old", "2025-11-20").replace(
        "# as it is\n", "# as it is\nstatus: archived\narchived: {on: 2026-11-21, why: ended}\n"
    )
    assert run(here) == ()


@pytest.mark.vfcc("REQ-USER-NO-EXPIRY")
def test_what_is_known_of_a_person_stays(plain: Workspace, home: Path) -> None:
    write_tree(home, {"user/items/goal/a.md": "---\nid: a\ntype: goal\ncreated: 1990-01-01\n---\nx\n"})

    assert run(plain) == ()


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EVICTION", "REQ-EVICTION-SPARES")
@pytest.mark.parametrize("backend", ["files", "sqlite"])
def test_above_the_limit_the_lowest_tenth_is_archived(tmp_path: Path, home: Path, backend: str) -> None:
    here = project(tmp_path, backend, most=20)
    low = [found(f"low-{number:02}", "0.1") for number in range(30)]
    put(here, *low, *(fact(f"mine-{number:02}") for number in range(30)))

    steps = run(here)

    gone = [f"low-{number:02}" for number in range(3 + 2 + 2 + 2 + 2)]  # a tenth of 30, of 27, of 25, of 23, of 21
    assert [(step.kind, step.item) for step in steps] == [(StepKind.EVICTED, name) for name in gone]
    after = items(here, "project")
    assert {name for name, each in after.items() if each.item.status is Status.ARCHIVED} == {*gone}
    assert len(after) == 60
    assert run(here) == ()


def test_what_has_ended_makes_room_first(tmp_path: Path, home: Path) -> None:
    here = project(tmp_path, "files", most=2)
    put(here, found("a"), found("b"), found("c", more="expires: 2020-01-01\n"))

    assert [(step.kind, step.item) for step in run(here)] == [(StepKind.ENDED, "c")]


@pytest.mark.vfcc("REQ-SOURCE-PROJECT-GONE")
def test_a_project_that_is_gone_is_taken_off_and_the_items_stay(plain: Workspace, home: Path) -> None:
    gone, other = "shop@1a2b3c4d5e6f", "bank@000000000000"
    write_tree(home, {**preference("one", gone), **preference("two", gone), **preference("three", other)})
    before = items(None, "user")

    steps = run(None, gone="shop")

    after = items(None, "user")
    assert {name: each.item.source.project for name, each in after.items()} == {
        "one": None,
        "two": None,
        "three": other,
    }
    assert after["one"].text == before["one"].text.replace(f"project: {gone}, ", "")
    assert after["three"].text == before["three"].text
    assert [(step.kind, step.item) for step in steps] == [(StepKind.FORGOTTEN, "one"), (StepKind.FORGOTTEN, "two")]


def test_forgetting_a_project_takes_a_person_and_a_name_that_is_known(plain: Workspace, home: Path) -> None:
    write_tree(home, {**preference("one", "shop@1a2b3c4d5e6f"), **preference("two", "shop@ffffffffffff")})
    before = tree(home)

    with pytest.raises(NotAllowed, match="needs a person at a terminal"):
        maintain(None, actor="agent:coder", gone_project="shop@1a2b3c4d5e6f")
    with pytest.raises(UsageError, match="shop can be any of 2 projects"):
        run(None, gone="shop")
    with pytest.raises(UsageError, match="no user item is from the project ship; did you mean shop"):
        run(None, gone="ship")
    assert {path: data for path, data in tree(home).items() if path.endswith(".md")} == {
        path: data for path, data in before.items() if path.endswith(".md")
    }


def test_an_interrupted_end_of_a_task_is_completed(here: Workspace) -> None:
    from dataclasses import replace

    from verifflowcc.memory.rules.tasks import TaskStatus
    from verifflowcc.memory.store.task_files import save_task
    from verifflowcc.memory.use.task_filling import Note, note_in_task, start_task

    task = start_task(here, "Fix", actor=YOU)
    note_in_task(here, Note("x"), actor=YOU)
    save_task(here.local / "tasks", here.memory, replace(task, status=TaskStatus.FAILED, ended=task.started))

    (step,) = run(here)

    assert (step.kind, step.scope) == (StepKind.TASK, f"task/{task.id}")
    assert items(here, f"task/{task.id}") == {}
    assert run(here) == ()


def _everything(here: Workspace, home: Path) -> None:
    put(here, fact("one"), fact("old", "2020-01-01"), *(found(f"low-{number}", "0.1") for number in range(5)))
    write_tree(home, {**preference("two", "shop@1a2b3c4d5e6f"), "user/items/goal/bare.md": "No front matter.\n"})
    note_uses(here, {"project": ["one", "old"], "user": ["two", "user/items/goal/bare"]}, "context")


@pytest.mark.parametrize("backend", ["files", "sqlite"])
def test_a_dry_run_says_what_would_be_done_and_writes_nothing_at_all(tmp_path: Path, home: Path, backend: str) -> None:
    here = project(tmp_path, backend, most=2)
    _everything(here, home)
    before = _looked_at(tmp_path)

    would = run(here, dry=True, gone="shop")

    assert _looked_at(tmp_path) == before
    assert run(here, gone="shop") == would
    assert {step.kind for step in would} >= {StepKind.USES, StepKind.ENDED, StepKind.EVICTED, StepKind.FORGOTTEN}


def test_a_dry_run_where_nothing_is_makes_nothing(plain: Workspace, tmp_path: Path, home: Path) -> None:
    memory_settings(plain)  # what is known of the configuration is kept by whoever reads it
    before = _looked_at(tmp_path)

    assert run(plain, dry=True) == ()
    assert _looked_at(tmp_path) == before


def _looked_at(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every folder and file with its bytes and, beside what a database makes and removes, its time."""
    return {
        str(path): (0 if any(path.glob("*.db")) else path.lstat().st_mtime_ns, _bytes(path))
        for path in [folder, *sorted(folder.rglob("*"))]
    }


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def test_a_dry_run_shows_what_an_interrupted_merge_has_left(plain: Workspace) -> None:
    put(plain, fact("one"))
    note_uses(plain, {"project": ["one"]}, "show")
    take_lines(plain.local)
    note_uses(plain, {"project": ["one"]}, "show")

    assert [step.why for step in run(plain, dry=True)] == ["2 more uses: 2 now, the last on 2026-11-21"]
    run(plain)
    assert items(plain, "project")["one"].item.uses.count == 2


def test_a_front_matter_that_cannot_be_edited_is_told_and_left(plain: Workspace) -> None:
    write_tree(plain.memory, {"project/items/fact/one.md": ANCHORED})
    note_uses(plain, {"project": ["one"]}, "show")

    told = [each.why for each in run(plain) if each.kind is StepKind.NOT_DONE]

    assert len(told) == 2
    assert all("cannot be edited" in why for why in told)
    assert (plain.memory / "project/items/fact/one.md").read_text() == ANCHORED
