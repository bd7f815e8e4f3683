"""The project's source files as the trace sees them: their marks and symbols, read once for each content."""

import os
import stat
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.files.project_content import digest_content, digest_file
from verifflowcc.base.files.write import DerivedFile, on_disk
from verifflowcc.base.index.index_file import DerivedTables, Store, summed, unsummed
from verifflowcc.base.model.trace_values import MARK, CodeFile, CodeMark, CodeSymbol
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.glob import select
from verifflowcc.base.text.record_codec import RecordCodec

# Facts are kept by the digest of the content, so that a file that was moved or copied is not parsed again.

_FEW = 200
SPARE = 1_000

Key = tuple[str, str]
"""The digest of a file's content, and the kind of reading."""


class CodeIndex(DerivedTables):
    """The table `code` of the index; where it cannot be kept, `notices` says so and everything works without."""

    def known(self, keys: Collection[Key]) -> dict[Key, str]:
        """Return the facts that are kept under these keys; what was damaged counts as not there."""
        statement, values = "SELECT digest, kind, facts FROM code", tuple({digest for digest, _ in keys})
        if len(values) <= _FEW:
            statement += f" WHERE digest IN ({','.join('?' * len(values))})"
        wanted = set(keys)
        return {
            (digest, kind): facts
            for digest, kind, kept in self._read(statement, values if len(values) <= _FEW else ())
            if (digest, kind) in wanted and (facts := unsummed(kept)) is not None
        }

    def learn(self, new: Mapping[Key, str], present: Collection[Key] | None, spare: int = SPARE) -> None:
        """Keep what was just read; forget what is not `present` once that is more than the rest and `spare` more.

        Without `present` nothing is forgotten.
        """

        def write(store: Store) -> None:
            values = [(digest, kind, summed(facts)) for (digest, kind), facts in new.items()]
            store.write_all("INSERT OR REPLACE INTO code VALUES (?, ?, ?)", values)
            if present is None:
                return
            ((count,),) = store.rows("SELECT count(*) FROM code")
            if count > 2 * len(present) + spare:
                known = store.rows("SELECT digest, kind FROM code")
                gone = [(digest, kind) for digest, kind in known if (digest, kind) not in present]
                store.write_all("DELETE FROM code WHERE digest = ? AND kind = ?", gone)

        if new:
            self._write(write)


READING = "3"
"""Told apart from readings of other rules; to be raised with every change of what `read_code` returns."""

_SCRIPT = "script"
_WHOLE = 1 << 20
"""What has fewer bytes was read to its end."""
_NOTHING = ""
"""The facts of a text that has no mark in it, and whose symbols nobody asked for."""

_Facts = tuple[tuple[CodeMark, ...], tuple[CodeSymbol, ...]]
_FACTS: RecordCodec[_Facts] = RecordCodec(_Facts)
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class _ReadRequest:
    path: str
    key: Key
    symbols: bool
    test: bool


_SEEN = DerivedFile("trace-code.json", 1, keyed_by="how code is read; patterns of tests", largest_bytes=512 << 20)
_Row = tuple[str, bool, str]
"""The digest of a file, whether it is a test, and its facts."""
_Seen = tuple[Mapping[str, str], Mapping[str, tuple[bool, str]], int]
"""What is kept: digests of all files, what is known of some, and how often that was mended."""


def read_code_files(
    root: Path,
    content: Mapping[str, str],
    index: CodeIndex,
    *,
    tests: Sequence[str],
    wanted: Collection[str],
    spare: int = SPARE,
    local: Path | None = None,
) -> tuple[CodeFile, ...]:
    """Return the files that hold marks, those that the patterns `tests` name, and the `wanted` ones, by path.

    `content` maps the project's paths to their digests; `spare` is how much of other texts stays in the index. Only the
    first mebibyte of a file is looked at; links, binary files, and files that are gone or have changed and cannot
    be read have neither marks nor symbols. In `local` it is kept which files there are, so that a change costs itself.
    """
    if local is None:
        rows = _rows(root, content, index, _of_tests(content, tests), wanted, spare)[0]
    else:
        rows = _tests_and_marked(root, content, index, tests, spare, local / _SEEN.place)
        if more := {path: content[path] for path in wanted if path in content and path not in rows}:
            rows |= _rows(root, more, index, frozenset(), more, None)[0]
    found = []
    for path in sorted(rows):
        digest, test, facts = rows[path]
        marks, symbols = _FACTS.value(facts) if facts else ((), ())
        if marks or test or path in wanted:
            found.append(CodeFile(path, digest, test, marks, symbols))
    return tuple(found)


def _tests_and_marked(
    root: Path, content: Mapping[str, str], index: CodeIndex, tests: Sequence[str], spare: int, kept: Path
) -> dict[str, _Row]:
    """Return the tests and the files with marks, by path; those that are as they were last are not asked about."""
    key = [READING, *tests]
    none: _Seen = ({}, {}, 0)
    seen, before, steps = _SEEN.read(kept, key) or none
    changed = {path: digest for path, digest in content.items() if seen.get(path) != _short(digest)}
    same = not changed and len(seen) == len(content)
    if not seen or len(changed) > _FEW or steps > SPARE:
        rows, sure = _rows(root, content, index, _of_tests(content, tests), (), spare)
        seen, steps = {}, 0
    else:
        rows, sure = _rows(root, changed, index, _of_tests(changed, tests), (), None)
        rows |= {
            path: (content[path], test, facts)
            for path, (test, facts) in before.items()
            if path in content and path not in changed
        }
    if not same:
        known = {path: short for path, short in seen.items() if path in content} | {
            path: _short(content[path]) for path in sure
        }
        _SEEN.write(kept, [known, {path: row[1:] for path, row in rows.items() if path in known}, steps + 1], key)
    return rows


def _short(digest: str) -> str:
    return digest[-32:]


def _of_tests(paths: Collection[str], tests: Sequence[str]) -> frozenset[str]:
    return frozenset(select(paths, tests)) if tests and paths else frozenset()


def _rows(
    root: Path,
    content: Mapping[str, str],
    index: CodeIndex,
    of_tests: Collection[str],
    wanted: Collection[str],
    spare: int | None,
) -> tuple[dict[str, _Row], list[str]]:
    """Return the files that hold marks, are tests, or wanted, and the paths of which that is sure.

    With `spare`, these are all files there are, and the index forgets others.
    """
    asked = [
        _ReadRequest(path, (digest, _kind(path)), path in of_tests or path in wanted, path in of_tests)
        for path, digest in sorted(content.items())
    ]
    known = index.known({each.key for each in asked}) if asked else {}
    new: dict[Key, str] = {}
    rows: dict[str, _Row] = {}
    surely = []
    for each in asked:
        facts, sure = known.get(each.key), True
        if facts is None or (facts == _NOTHING and each.symbols):
            facts, sure = _read(root, each, content[each.path])
            if sure:
                known[each.key] = new[each.key] = facts
        if sure:
            surely.append(each.path)
        if facts or each.symbols:
            rows[each.path] = (content[each.path], each.test, facts)
    index.learn(new, None if spare is None else {each.key for each in asked}, spare or SPARE)
    return rows, surely


def _kind(path: str) -> str:
    from verifflowcc.code.rules.comment_syntax import language_of  # where no file changed, none is asked about

    own = next((each for each in (".m", ".feature") if path.lower().endswith(each)), "")
    ending = f"{own[1:]} " if own else ""
    return f"{READING} {ending}{language_of(path) or _SCRIPT}"


def _read(root: Path, each: _ReadRequest, digest: str) -> tuple[str, bool]:
    """Return the facts of a file, and whether they are those of this digest."""
    from verifflowcc.code.rules.marks import read_code  # a project without a change needs no parser

    full = on_disk(root, each.path)
    try:
        probe = 2 if each.key[1].endswith(_SCRIPT) else 0
        data = read_start(full, probe)
        whole = data is not None and not probe and len(data) < _WHOLE
        sure = data is not None and (digest_content(data) if whole else digest_file(full)) == digest
    except OSError:
        return _NOTHING, False
    if data is None:
        return _NOTHING, True
    tagged = (b"->" in data and b"~" in data) or b"@relation(" in data or each.path.lower().endswith(".feature")
    if b"\0" in data[:8000] or not (MARK.encode() in data or tagged or each.symbols):
        return _NOTHING if not each.symbols else "[[],[]]", sure
    return _FACTS.text(read_code(each.path, data.decode("utf-8", "replace"))), sure


def read_start(full: bytes, probe: int = 0) -> bytes | None:
    """Return the first mebibyte of an ordinary file; None for a link or a folder.

    With `probe`, so many bytes are read first, and nothing more unless they are `#!`: a cheap test for files whose name
    does not show their language. Raises OSError.
    """
    try:
        handle = os.open(full, _READ)
    except OSError:
        if os.path.islink(full):  # noqa: PTH114 - names are bytes here
            return None
        raise
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        start = os.read(handle, probe) if probe else b""
        if probe and start != b"#!":
            return b""
        from verifflowcc.code.rules.marks import LARGEST_SCANNED

        parts = [start]
        left = LARGEST_SCANNED
        while left > 0 and (part := os.read(handle, left)):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)
    finally:
        os.close(handle)
