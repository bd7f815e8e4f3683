"""The ledger's cache: it changes no answer, whatever became of it or of the files, and spares what did not change."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.derived_files import forge, forge_in, kept_in
from tests.event_samples import DIGEST, event, evidence, feedback, passed, root
from verifflowcc.base.files import ledger as event_files
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.formats.event_bytes import encode_event
from verifflowcc.base.formats.event_bytes import parse_event as really_parse
from verifflowcc.base.model.events import Event, EventType, LedgerRead

pytestmark = pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")

SPRINT = "login"
MANY = 200


@pytest.fixture(scope="module")
def events() -> tuple[Event, ...]:
    made = [root()]
    for number in range(MANY):
        made.append(evidence(number, made[-1]) if number % 2 else feedback(f"é {number}", made[-1]))
    return (*made, passed("plan", "build", made[-1]))


@pytest.fixture
def memory(tmp_path: Path, events: Sequence[Event], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose event files count as settled: ctime cannot be set, so the time that they need is taken away."""
    monkeypatch.setattr("verifflowcc.base.files.layout.SETTLED_AFTER_NS", -(10**12))
    folder = tmp_path / ".memory" / "sprint" / SPRINT / "events"
    folder.mkdir(parents=True)
    for each in events:
        (folder / f"{each.id}.json").write_bytes(encode_event(each))
    return tmp_path / ".memory"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the events that are parsed from now on."""
    names: list[str] = []

    def parse(data: bytes, name: str) -> Event:
        names.append(name)
        return really_parse(data, name)

    monkeypatch.setattr(event_files, "_event_in", parse)
    return names


def cache(memory: Path) -> Path:
    return memory / "local" / "ledger" / f"{SPRINT}.json"


def files(memory: Path) -> list[Path]:
    return sorted((memory / "sprint" / SPRINT / "events").iterdir())


def anew(memory: Path) -> LedgerRead:
    return Ledger(memory, cached=False).load(SPRINT)


def test_what_is_read_warm_is_what_is_read_cold_and_nothing_is_parsed(
    memory: Path, parsed: list[str], events: Sequence[Event]
) -> None:
    cold = Ledger(memory).load(SPRINT)
    assert len(parsed) == len(events)
    parsed.clear()
    warm = Ledger(memory).load(SPRINT)

    assert warm == cold == anew(memory)
    assert {each.id for each in warm.events} == {each.id for each in events}
    assert len(parsed) == len(events), "only the reading anew parsed"


def test_a_new_event_is_parsed_alone(memory: Path, parsed: list[str], events: Sequence[Event]) -> None:
    Ledger(memory).load(SPRINT)
    parsed.clear()
    new = feedback("later", events[-1])
    (memory / "sprint" / SPRINT / "events" / f"{new.id}.json").write_bytes(encode_event(new))

    assert new in Ledger(memory).load(SPRINT).events
    assert parsed == [new.id]


def test_one_reading_serves_a_whole_command_until_a_file_changes(memory: Path, parsed: list[str]) -> None:
    ledger = Ledger(memory)
    first = ledger.load(SPRINT)

    assert ledger.load(SPRINT) is first
    files(memory)[5].unlink()
    again = ledger.load(SPRINT)
    assert again == anew(memory)
    assert len(again.events) == len(first.events) - 1


def _same_size_same_mtime(path: Path) -> None:
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b'"human:Ann"', b'"human:Ben"'))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)


def _put_in_its_place(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes().replace(b'"human:Ann"', b'"human:Ben"'))
    shutil.copystat(path, other)
    other.replace(path)


def _a_link(path: Path) -> None:
    path.rename(path.parent.parent / "kept.json")
    path.symlink_to(path.parent.parent / "kept.json")
    target = path.parent.parent / "kept.json"
    target.write_bytes(target.read_bytes()[:-2] + b"]\n")


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "tamper", [_same_size_same_mtime, _put_in_its_place, _a_link, lambda path: path.write_bytes(b"")]
)
def test_tampering_is_found_through_the_cache(memory: Path, tamper: Callable[[Path], None]) -> None:
    assert not Ledger(memory).load(SPRINT).problems
    victim = next(path for path in files(memory) if b"human:Ann" in path.read_bytes())
    tamper(victim)

    warm = Ledger(memory).load(SPRINT)
    assert [problem.file.rpartition("/")[2] for problem in warm.problems] == [victim.name]
    assert warm == anew(memory)


def _forged(path: Path) -> None:
    """A cache with another event, and a right digest of its own."""
    forge_in(path, b'"human:Ann"', b'"human:Ben"')


def _of_another_version(path: Path) -> None:
    document = kept_in(path)
    document["key"][1] = "0.0.0"
    next(iter(document["value"][1].values()))[0][2] = "human:Ben"
    forge(path, json.dumps(document).encode())


def _with(body: bytes) -> Callable[[Path], object]:
    return lambda path: forge(path, body)


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _a_link_outside(path: Path) -> None:
    path.rename(path.parents[3] / "outside.json")
    path.symlink_to(path.parents[3] / "outside.json")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: os.truncate(path, 5000),
    "empty": lambda path: os.truncate(path, 0),
    "no text": lambda path: path.write_bytes(b"\xff" * 100),
    "one byte": lambda path: path.write_bytes(path.read_bytes().replace(b"human:Ann", b"human:Ben", 1)),
    "another version": _of_another_version,
    "a list": _with(b"[]"),
    "no names": _with(b'{"key":[1,"x"]}'),
    "very deep": _with(b"[" * 100_000),
    "folder": _a_folder,
    "pipe": _a_pipe,
    "link": _a_link_outside,
    "gone": lambda path: path.unlink(),
}


@pytest.mark.points(3)
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_cache_counts_as_none(memory: Path, name: str) -> None:
    before = Ledger(memory).load(SPRINT)
    assert cache(memory).is_file()
    DAMAGES[name](cache(memory))

    assert Ledger(memory).load(SPRINT) == before


def test_a_cache_that_came_with_a_copy_is_not_believed(memory: Path, tmp_path: Path) -> None:
    before = Ledger(memory).load(SPRINT)
    _forged(cache(memory))
    shutil.copytree(tmp_path / ".memory", tmp_path / "clone" / ".memory", copy_function=shutil.copy2)

    assert Ledger(tmp_path / "clone" / ".memory").load(SPRINT) == before


def test_a_local_folder_that_leads_out_of_the_tree_is_neither_read_nor_written(memory: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (memory / "local").mkdir()
    (memory / "local" / "ledger").symlink_to(outside)

    assert Ledger(memory).load(SPRINT) == anew(memory)
    assert list(outside.iterdir()) == []


def test_a_cache_out_of_the_tree_is_not_believed(memory: Path, tmp_path: Path) -> None:
    before = Ledger(memory).load(SPRINT)
    _forged(cache(memory))
    assert Ledger(memory).load(SPRINT) != before, "this cache would be believed where it belongs"
    (memory / "local" / "ledger").rename(tmp_path / "outside")
    (memory / "local" / "ledger").symlink_to(tmp_path / "outside")

    assert Ledger(memory).load(SPRINT) == before


def test_an_event_behind_a_link_is_read_each_time(memory: Path) -> None:
    victim = next(path for path in files(memory) if b"human:Ann" in path.read_bytes())
    target = victim.parent.parent / "kept.json"
    victim.rename(target)
    victim.symlink_to(target)
    assert not Ledger(memory).load(SPRINT).problems
    assert victim.name not in kept_in(cache(memory))["value"][0]
    target.write_bytes(target.read_bytes().replace(b'"human:Ann"', b'"human:Ben"'))

    assert [problem.file.rpartition("/")[2] for problem in Ledger(memory).load(SPRINT).problems] == [victim.name]


def test_what_may_still_change_under_its_stamp_is_not_remembered(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifflowcc.base.files.layout.SETTLED_AFTER_NS", 10**12)
    Ledger(memory).load(SPRINT)

    assert not cache(memory).exists()


def test_a_small_ledger_has_no_cache_and_a_broken_event_is_never_in_it(memory: Path, events: Sequence[Event]) -> None:
    files(memory)[3].write_bytes(b"{}\n")
    problems = Ledger(memory).load(SPRINT).problems

    assert Ledger(memory).load(SPRINT).problems == problems
    assert len(kept_in(cache(memory))["value"][0]) == len(events) - 1
    for path in files(memory)[10:]:
        path.unlink()
    cache(memory).unlink()
    Ledger(memory).load(SPRINT)
    assert not cache(memory).exists()


def test_every_type_of_event_comes_back_as_it_was(memory: Path) -> None:
    golden = Path(__file__).parents[2] / "golden" / "events"
    added = [path for path in golden.glob("*.json") if path.stem in set(EventType) and path.stem != "sprint_started"]
    for path in added:
        made = json.loads(path.read_text(encoding="utf-8"))
        shutil.copy(path, memory / "sprint" / SPRINT / "events" / f"{made['id']}.json")
    extra = event(
        EventType.WAIVED,
        {
            "stage": "check",
            "criterion": "tests",
            "reason": "x",
            "digest": DIGEST,
            "expires": None,
            "more": {"a": [1, True, None, "é\u2028"]},
        },
    )
    (memory / "sprint" / SPRINT / "events" / f"{extra.id}.json").write_bytes(encode_event(extra))
    Ledger(memory).load(SPRINT)

    warm = Ledger(memory).load(SPRINT)
    assert warm == anew(memory)
    assert {encode_event(each) for each in warm.events} == {path.read_bytes() for path in files(memory)}
