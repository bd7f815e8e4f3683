"""Which turns were read, and an ingest that is being written: two local files beside each store.

The log has a line for each session of each ingest. What an ingest writes stands in its plan first, whole: whoever
ingests next carries out a plan that they find, so that nothing is left half written. Both are ignored by git and may be
deleted; the items themselves say from which turns they are.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.errors import ConfigError, FormatError, UsageError, WorkspaceError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.lock import adding_to, append_whole, log_bytes
from verifflowcc.base.files.text_files import read_text
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.records import dataclass
from verifflowcc.memory.rules.recall_evaluation import LabelledQuestion, labelled_queries

# Read a file of questions whose answers are known, which a person names.

_SIZE_BYTES, _VALUES = 8 << 20, 200_000


def read_labelled_file(path: Path, name: str) -> tuple[LabelledQuestion, ...]:
    """Return the questions in a YAML file; `name` is how messages call it.

    Raises UsageError where it cannot be read, FormatError with all problems, each `name:line: …`, where it is not YAML
    or no list of questions with their answers.
    """
    from verifflowcc.base.config.yaml_values import Limits, read_yaml

    if path.is_dir():
        raise UsageError(f"{name} is a folder; questions and their answers are a YAML file")
    plain = read_yaml(read_text(path, name), name, exact=False, limits=Limits(_SIZE_BYTES, _VALUES))
    if plain.problems:
        raise ConfigError(plain.problems)
    return labelled_queries(plain.value, plain.lines, name)


LOG, PLAN = "ingested.jsonl", "ingesting.json"
Turns = Mapping[str, Mapping[str, Sequence[str]]]
"""Turns by session: the id of each, and the ids of the items that said already what it says."""

Kept = Collection[tuple[str | None, str | None]]
"""Turns as (session, turn)."""


@dataclass(frozen=True, slots=True)
class IngestLog:
    """The turns that were read, and those, by session, that count as not read although an item of theirs is kept."""

    read: Turns
    forgotten: Mapping[str, Collection[str]]


@dataclass(frozen=True, slots=True)
class IngestPlan:
    """What an ingest writes: (path, text) of each new item, in order, and the turns that are read then."""

    items: tuple[tuple[str, str], ...]
    turns: Turns
    at: str


def turns_read(folder: Path) -> IngestLog:
    """Return what the log says; a line that is broken is left out, and costs work alone.

    Raises WorkspaceError where the log cannot be read.
    """
    data = log_bytes(folder / LOG)
    read: dict[str, dict[str, Sequence[str]]] = {}
    forgotten: dict[str, set[str]] = {}
    for line in data.split(b"\n"):
        session, turns, dropped = _line(line)
        if session is not None:
            read.setdefault(session, {}).update(turns)
            forgotten.setdefault(session, set()).difference_update(turns)
            forgotten[session] |= dropped
    return IngestLog(read, forgotten)


def note_read(folder: Path, root: Path, turns: Turns, at: str) -> None:
    """Add the turns to the log, in one write. `folder` must not leave `root`. Raises WorkspaceError, ConflictError."""
    lines = b"".join(_bytes(session, ids, at) for session, ids in turns.items() if ids)
    if not lines:
        return
    path = folder / LOG
    with adding_to(path, root, alone=False) as handle:
        append_whole(path, handle, lines)


def forget_read(
    folder: Path,
    root: Path,
    is_gone: Callable[[str, str, Sequence[str]], bool],
    with_item: Kept,
) -> dict[str, int]:
    """Take turns out of the log; return how many those were, by session. Raises WorkspaceError.

    `is_gone` says it of a session, a turn, and the items that said already what it says; `with_item` has the turns
    of which an item is kept, so that the log must say that they are to be read again.
    """
    before, gone = turns_read(folder), dict[str, int]()
    lines: list[bytes] = []
    for session, turns in before.read.items():
        kept = {turn: same for turn, same in turns.items() if not is_gone(session, turn, same)}
        forgotten = {turn for turn in turns if turn not in kept and (session, turn) in with_item}
        if len(kept) < len(turns):
            gone[session] = len(turns) - len(kept)
        lines.append(_bytes(session, kept, None, {*forgotten, *before.forgotten.get(session, ())}))
    if gone:
        check_inside(folder / LOG, root)
        write_atomic(folder / LOG, b"".join(lines))
    return gone


def write_plan(folder: Path, root: Path, plan: IngestPlan) -> None:
    """Write down what is going to be written. Raises WorkspaceError."""
    check_inside(folder / PLAN, root)
    value = {"at": plan.at, "items": plan.items, "turns": plan.turns}
    write_atomic(folder / PLAN, json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def unfinished_plan(folder: Path) -> IngestPlan | None:
    """Return the plan of an ingest that did not come to its end. Raises FormatError, WorkspaceError."""
    path = folder / PLAN
    data = log_bytes(path)
    if not data:
        return None
    try:
        value = json.loads(data)
        items = tuple((str(place), str(text)) for place, text in value["items"])
        turns = {str(session): _turns(ids) for session, ids in value["turns"].items()}
        return IngestPlan(items, turns, str(value["at"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path}:1: this is no plan of an ingest: {error}", hint=f"rm {path}") from error


def drop_plan(folder: Path) -> None:
    """Remove the plan, which is carried out. Raises WorkspaceError."""
    try:
        (folder / PLAN).unlink(missing_ok=True)
    except OSError as error:
        raise WorkspaceError(f"cannot remove {folder / PLAN}: {error.strerror or error}") from error


def _bytes(session: str, turns: Mapping[str, Sequence[str]], at: str | None, forgotten: Collection[str] = ()) -> bytes:
    if not turns and not forgotten:
        return b""
    same = {turn: list(ids) for turn, ids in turns.items() if ids}
    more = {"same": same, "forgotten": sorted(forgotten), "at": at}
    value = {"session": session, "turns": list(turns), **{name: each for name, each in more.items() if each}}
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True).encode("ascii") + b"\n"


def _line(line: bytes) -> tuple[str | None, dict[str, Sequence[str]], set[str]]:
    nothing = None, dict[str, Sequence[str]](), set[str]()
    try:
        value = json.loads(line) if line else None
    except (ValueError, RecursionError):
        return nothing
    if not isinstance(value, dict):
        return nothing
    session, turns, forgotten = value.get("session"), value.get("turns"), value.get("forgotten")
    if not isinstance(session, str) or not isinstance(turns, list):
        return nothing
    read = dict.fromkeys((each for each in turns if isinstance(each, str)), ()) | _turns(value.get("same"))
    return (
        session,
        read,
        {each for each in forgotten if isinstance(each, str)} if isinstance(forgotten, list) else set(),
    )


def _turns(value: object) -> dict[str, Sequence[str]]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(turn): tuple(map(str, ids)) for turn, ids in pairs if isinstance(ids, list)}
