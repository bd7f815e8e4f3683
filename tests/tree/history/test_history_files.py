"""The history's files, and that the tables made of them say the same whenever they are made."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.history_world import edit, line, project, prompt, read, run, spoken, stop, tell
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.store.history_tables import FILE
from verifflowcc.history.store.partitions import add_fault, add_lines, add_seen, seen_file
from verifflowcc.history.use.history_offers import bad_lines, recent_actions, sessions, similar_tasks
from verifflowcc.history.use.history_reading import open_history
from verifflowcc.history.use.history_sharing import learned_in_sessions, learned_patterns, share_session
from verifflowcc.history.use.questions import edited_together, file_history, files_like, tasks_by_status, tool_use
from verifflowcc.history.use.saving import repeated_failures

DAY = "2026-11-21"


def answers(here: Workspace) -> list[object]:
    """Every question, asked."""
    return [
        [file_history(here, path) for path in ("a.py", "b.py")],
        files_like(here, "PY"),
        tool_use(here),
        tasks_by_status(here),
        edited_together(here),
        learned_patterns(here),
        learned_in_sessions(here),
        similar_tasks(here, "fix the login page"),
        recent_actions(here),
        sessions(here),
        bad_lines(here),
        repeated_failures(here),
    ]


def forgotten(here: Workspace) -> list[object]:
    """Every question, asked of tables that are made anew."""
    for path in here.local.glob(f"{FILE}*"):
        path.unlink()
    return answers(here)


def day_file(here: Workspace, day: str = DAY) -> Path:
    return here.local / "history" / f"{day}.jsonl"


@pytest.mark.vfcc("REQ-EPISODE-STORE")
def test_a_line_that_was_cut_short_costs_no_other(tmp_path: Path) -> None:
    here = project(tmp_path)
    tell(here, edit(1, "a.py"))
    with day_file(here).open("ab") as file:
        file.write(b'{"v":1,"kind":"tool_exec')
    assert len(file_history(here, "a.py")) == 1
    tell(here, edit(2, "a.py"))

    assert len(day_file(here).read_bytes().splitlines()) == 3
    assert len(file_history(here, "a.py")) == 2
    assert bad_lines(here) == 1
    assert answers(here) == forgotten(here)


def test_each_day_has_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    here = project(tmp_path)
    tell(here, edit(-13 * 3600, "a.py"), edit(0, "a.py"))

    files = sorted((here.local / "history").iterdir())
    assert [path.name for path in files] == ["2026-11-20.jsonl", "2026-11-21.jsonl"]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


@pytest.mark.parametrize("linked", ["", "history", f"history/{DAY}.jsonl"])
def test_nothing_is_written_behind_a_link(tmp_path: Path, linked: str) -> None:
    here, elsewhere = project(tmp_path), tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = here.local / linked if linked else here.local
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(elsewhere / "file" if linked.endswith("l") else elsewhere)

    for write in (
        lambda: add_lines(str(here.local), DAY, b"{}\n"),
        *(() if linked else (lambda: add_fault(f"{here.local}/hook-errors.jsonl", b"{}\n", 10),)),
        *(() if linked else (lambda: add_seen(str(here.local), "s", ["a"]),)),
    ):
        with pytest.raises(OSError, match=r"link|symbolic"):
            write()
    assert list(elsewhere.iterdir()) == []


def test_the_log_of_faults_does_not_grow_for_ever(tmp_path: Path) -> None:
    log = tmp_path / "local" / "log"
    for number in range(50):
        add_fault(str(log), b"%09d\n" % number, 100)

    assert log.stat().st_size + log.with_name("log.old").stat().st_size <= 220
    assert log.read_bytes().endswith(b"000000049\n")


def test_what_a_session_was_told_of_has_a_name_that_stays_in_its_folder() -> None:
    assert seen_file("/l", "../../etc/x") == "/l/windows/------etc-x.told"
    assert seen_file("/l", "") == "/l/windows/none.told"


SAID = st.one_of(
    st.builds(prompt, st.just(0), st.sampled_from(["Fix the login", "Add a page", "Fix the page", ""])),
    st.builds(stop, st.just(0), st.sampled_from(["Done.", "Half done."])),
    st.builds(edit, st.just(0), st.sampled_from(["a.py", "b.py", "c.py"])),
    st.builds(read, st.just(0), st.sampled_from(["a.py", "../x.py"])),
    st.builds(lambda: run(0, "pytest", error="KeyError: 'a'")),
    st.builds(lambda: run(0, "pytest")),
    st.builds(lambda: spoken(0, "SessionEnd", reason="other")),
)
EVENTS = st.lists(
    st.tuples(SAID, st.integers(0, 2 * 86_400), st.sampled_from(["s1", "s2"]), st.sampled_from(["p1", "p2", None])),
    max_size=25,
)
OTHERS = st.sampled_from(
    [b"", b"{\n", b"null\n", b'{"v":2}\n', b'{"v":1,"kind":"x","id":"1","time":"never"}\n', b"\xff\n"]
)


def _event(said: Mapping[str, Any], at_s: int, session: str, task: str | None) -> dict[str, Any]:
    return {**said, "at_s": at_s - 2 * 86_400, "session_id": session, "prompt_id": task}


@pytest.mark.vfcc("REQ-EPISODE-STORE")
@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(EVENTS, st.lists(st.integers(1, 400), max_size=6), OTHERS, st.randoms(use_true_random=False))
def test_the_tables_can_be_deleted_at_any_moment(
    events: list[tuple[dict[str, Any], int, str, str | None]], cuts: list[int], other: bytes, rng: Any
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = project(Path(folder))
        streams: dict[str, bytes] = {}
        for each in events:
            day, made = line(here, _event(*each))
            streams[day] = streams.get(day, b"") + made + (other if rng.random() < 0.1 else b"")
        (here.local / "history").mkdir(parents=True)
        for cut in (*cuts, 1 << 30):
            for day, stream in streams.items():
                with day_file(here, day).open("ab") as file:
                    file.write(stream[:cut])
                streams[day] = stream[cut:]
            tool_use(here)
        now = answers(here)

        assert now == answers(here) == forgotten(here)


def _rewritten(path: Path) -> None:
    path.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True)[1:])))


def _shortened(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-60])


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _removed(path: Path) -> None:
    path.unlink()


def _changed_in_place(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"a.py", b"z.py", 2))


@pytest.mark.parametrize("change", [_rewritten, _shortened, _emptied, _removed, _changed_in_place])
def test_a_file_that_was_changed_otherwise_than_by_adding_is_read_anew(tmp_path: Path, change: Any) -> None:
    here = project(tmp_path)
    tell(here, prompt(0, "Fix the login"), *(edit(number, "a.py") for number in range(1, 5)), stop(9, "Done."))
    before = answers(here)
    change(day_file(here))

    now = answers(here)

    assert now != before
    assert now == forgotten(here)
    tell(here, edit(20, "a.py"))
    assert answers(here) == forgotten(here)


def test_what_two_files_tell_counts_once_whichever_goes_or_comes(tmp_path: Path) -> None:
    here = project(tmp_path)
    tell(here, prompt(0, "Fix the login"), edit(1, "a.py"), run(2, "make"), stop(3, "Done."))
    alone = answers(here)
    share_session(here, "s1")
    assert answers(here) == alone == forgotten(here)
    own, away = day_file(here), tmp_path / "away"

    shutil.move(own, away)
    shared = answers(here)
    assert shared == forgotten(here)
    assert len(file_history(here, "a.py")) == 1
    assert [each.subject for each in recent_actions(here)] == ["", "a.py"], "what was run is not shared"

    shutil.move(away, own)
    assert answers(here) == alone == forgotten(here)


@pytest.mark.parametrize("damage", [b"", b"rubbish" * 1000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_file_of_tables_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    here = project(tmp_path)
    tell(here, prompt(0, "Fix the login"), edit(1, "a.py"))
    before = answers(here)
    for path in here.local.glob(f"{FILE}*"):
        path.write_bytes(damage)

    assert answers(here) == before


def test_two_that_bring_the_tables_up_at_once_agree(tmp_path: Path) -> None:
    here = project(tmp_path)
    for number in range(200):
        tell(here, edit(number, "a.py"))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: answers(here), range(4)))

    assert found == [forgotten(here)] * 4


def test_events_of_other_versions_and_kinds_are_kept_and_tell_nothing(tmp_path: Path) -> None:
    here = project(tmp_path)
    strange = {"v": 1, "kind": "dream", "id": "X", "time": "2026-11-21T10:00:00.000Z"}
    add_lines(
        str(here.local), DAY, json.dumps(strange).encode() + b"\n" + json.dumps({**strange, "v": 2}).encode() + b"\n"
    )

    assert bad_lines(here) == 1
    with open_history(here) as history:
        assert history.rows("SELECT COUNT(*) FROM tool_executions") == [(0,)]
