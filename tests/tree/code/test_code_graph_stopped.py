"""Index runs that are killed, two at once, and damaged files: time is lost, or nothing is kept; no answer is wrong."""

import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.observed import Recorder
from tests.tree.code_graph_world import answers, clean, project, said
from tests.trees import environment, repository, write_tree
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.index import index_file as store
from verifflowcc.base.process.clock import observed_by
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.use import commit_updates as parsing
from verifflowcc.code.use.indexing import bring_up

ROOT = Path(__file__).parents[3]
FLIPS = 60
INDEXING = """\
import sys
from pathlib import Path
from tests.observed import Recorder
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.process.clock import observed_by
from verifflowcc.code.use import commit_updates as parsing
from verifflowcc.code.use.indexing import bring_up
from verifflowcc.base.use.workspace import Workspace


class Printer(Recorder):
    def advance(self, count):
        print(count, flush=True)


parsing.PART_BYTES = 2_000
parsing.ENOUGH_FOR_TWO = int(sys.argv[2])
with observed_by(Printer()):
    done = bring_up(Workspace(Path(sys.argv[1])))
print("done", done.parsed, done.known, flush=True)
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps are trusted at once, and nobody waits long for a lock."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))
    monkeypatch.setattr(store, "LOCK_WAIT_S", 0.05)


def many(root: Path, count: int = 120) -> Workspace:
    """A project of many files that speak of one another."""
    files = {
        f"m{number % 7}/f{number}.py": f"from m{(number + 1) % 7} import f{number + 1}\n\n\n"
        + "".join(f"def g{number}_{each}(a, b):\n    return f{number + 1}.g{each}(a, b)\n\n\n" for each in range(6))
        for number in range(count)
    }
    here = project(root, files)
    repository(root)
    return here


def indexing(here: Workspace, enough_for_two: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", INDEXING, str(here.root), str(enough_for_two)],
        cwd=ROOT,
        env=environment(here.root, PYTHONPATH=str(ROOT)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-GRAPH-STORE")
@pytest.mark.parametrize("enough_for_two", [1, 10**9])
def test_a_run_that_is_killed_leaves_a_usable_index(tmp_path: Path, enough_for_two: int) -> None:
    here = many(tmp_path / "p")
    expected = clean(here, tmp_path / "c.db")
    draw = random.Random(enough_for_two)
    for _ in range(5):
        with indexing(here, enough_for_two) as process:
            assert process.stdout is not None
            for _ in range(draw.randint(0, 40)):
                process.stdout.readline()
            process.kill()
        assert answers(here) == expected
        lose(here)


def test_what_a_killed_run_wrote_is_not_read_again(tmp_path: Path) -> None:
    here = many(tmp_path / "p")
    with indexing(here, 10**9) as process:
        assert process.stdout is not None
        read = sum(int(process.stdout.readline()) for _ in range(60))
        process.kill()
    done = bring_up(here)
    with closing(done.code):
        assert done.parsed <= 120 - read + 8
        assert done.known >= read - 8


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-GRAPH-STORE")
def test_two_that_index_at_once_lose_nothing(tmp_path: Path) -> None:
    here = many(tmp_path / "p")
    expected = clean(here, tmp_path / "c.db")
    for round_ in range(3):
        both = [indexing(here, enough) for enough in (1, 10**9)]
        for each in both:
            _, told = each.communicate(timeout=60)
            assert each.returncode == 0, told
        done = bring_up(here)
        with closing(done.code) as code:
            assert (done.parsed, done.known) == (0, 120)
            assert said(code) == expected
        if round_ == 0:
            lose(here)
        write_tree(here.root, {f"m{each}/f{each}.py": f"def h{round_}(): pass\n" for each in range(7)})
        expected = clean(here, tmp_path / "c.db")


@pytest.mark.points(2)
@pytest.mark.parametrize("dies_after", [0, 1, 3])
def test_a_partner_that_ends_early_costs_time_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies_after: int
) -> None:
    here = many(tmp_path / "p")
    expected = clean(here, tmp_path / "c.db")
    monkeypatch.setattr(parsing, "ENOUGH_FOR_TWO", 1)
    monkeypatch.setattr(parsing, "PART_BYTES", 2_000)
    monkeypatch.setattr(parsing, "_HANDED_OVER", 1_000)
    monkeypatch.setattr(parsing, "_WORK", f"tests.tree.code_graph_partners:dies_after_{dies_after}")
    assert answers(here) == expected


@pytest.mark.sweep
def test_a_partner_reads_as_one_process_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = many(tmp_path / "p")
    expected = clean(here, tmp_path / "c.db")
    monkeypatch.setattr(parsing, "ENOUGH_FOR_TWO", 1)
    monkeypatch.setattr(parsing, "PART_BYTES", 2_000)
    monkeypatch.setattr(parsing, "_HANDED_OVER", 1_000)
    recorder = Recorder()
    with observed_by(recorder):
        done = bring_up(here)
    with closing(done.code) as code:
        assert said(code) == expected
        assert done.parsed == recorder.steps["reading code"][0] == 120


def lose(here: Workspace) -> None:
    for path in here.local.glob("code.db*"):
        path.unlink() if path.is_file() else shutil.rmtree(path)


def flushed(here: Workspace) -> Path:
    """Return the index with all that is in it in the one file."""
    path = here.local / "code.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def broken(whole: bytes) -> Iterator[bytes]:
    """Break an index in one way after the other."""
    yield from (b"", b"S", whole[:2048], whole[: len(whole) // 2], whole[:-4096], b"x" * len(whole))
    yield whole[:4096] + bytes(len(whole) - 4096)
    yield whole[:4096] + whole[8192:] + whole[4096:8192]
    chance = random.Random(3)
    for _ in range(FLIPS):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 1, 20))):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        yield bytes(damaged)


@pytest.mark.sweep
@pytest.mark.parametrize("changed", [False, True])
def test_damage_costs_time_and_no_answer_is_wrong(tmp_path: Path, changed: bool) -> None:
    here = many(tmp_path / "p", 20)
    answers(here)
    path = flushed(here)
    whole = path.read_bytes()
    if changed:
        write_tree(here.root, {"m1/f1.py": "def new():\n    g1_1()\n"})
    expected = clean(here, tmp_path / "c.db")
    for damaged in broken(whole):
        lose(here)
        path.write_bytes(damaged)
        assert answers(here) == expected


def test_damage_while_it_is_asked_costs_time_alone(tmp_path: Path) -> None:
    here = many(tmp_path / "p", 20)
    expected = clean(here, tmp_path / "c.db")
    answers(here)
    path = flushed(here)
    for table, column in (("lists", "body"), ("facts", "head"), ("facts", "refs"), ("parts", "units")):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE {table} SET {column} = x'00' || substr({column}, 2)")
        assert answers(here) == expected
        with closing(sqlite3.connect(path)) as connection, connection:
            rows = connection.execute("SELECT rowid FROM lists ORDER BY rowid LIMIT 2").fetchall()
            connection.execute("DELETE FROM lists WHERE rowid = ?", rows[0])
        assert answers(here) == expected


def test_what_was_answered_before_an_index_was_lost_is_asked_anew(tmp_path: Path) -> None:
    here = many(tmp_path / "p")
    answers(here)
    path = flushed(here)
    with closing(bring_up(here).code) as code:
        before = code.postings(["return"])
        lengths = dict(code.lengths())
        write_tree(here.root, {"m1/f1.py": "def new(one):\n    return one\n"})
        with path.open("r+b") as file:
            file.write(b"\0" * path.stat().st_size)
        words = ["return", "new", *(f"g{number}_0" for number in range(120))]
        after = code.postings(words)
        with closing(bring_up(here, index=tmp_path / "c.db").code) as other:
            assert after == other.postings(words)
            assert code.lengths() == other.lengths()
        assert after["return"] != before["return"]
        assert code.lengths() != lengths


def test_another_version_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = many(tmp_path / "p", 5)
    expected = answers(here)
    with monkeypatch.context() as patch:
        patch.setattr(store, "__version__", "0.0.1")
        done = bring_up(here)
        with closing(done.code) as code:
            assert done.parsed == 5
            assert said(code) == expected
    assert answers(here) == expected


def test_where_nothing_can_be_kept_the_answers_are_the_same_and_a_notice_says_so(tmp_path: Path) -> None:
    here = many(tmp_path / "p", 5)
    expected = answers(here)
    lose(here)
    (here.local / "code.db").mkdir()
    (here.local / "code.db" / "file").write_text("")
    for _ in range(2):
        done = bring_up(here)
        with closing(done.code) as code:
            assert said(code) == expected
            assert done.parsed == 5
            (notice,) = done.notices
            assert "code.db" in notice


@pytest.mark.sweep
def test_an_index_that_is_held_by_others_for_long_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = many(tmp_path / "p", 5)
    expected = answers(here)
    write_tree(here.root, {"m1/f1.py": "def new():\n    g1_1()\n"})
    with closing(sqlite3.connect(here.local / "code.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = bring_up(here)
        with closing(done.code) as code:
            assert code.defining("new") == ["m1/f1.py"]
            assert "locked" in done.notices[0]
        other.execute("ROLLBACK")
    assert answers(here)["files"].keys() == expected["files"].keys()
