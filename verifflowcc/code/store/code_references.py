"""The places in the code that items speak of, as they are now: each file is read once, and again when it changes.

Nothing outside of the project is read, and no link is followed: a link counts by where it leads.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.files.project_content import KnownDigests
from verifflowcc.base.files.write import on_disk
from verifflowcc.base.model.config_values import CodeStatus
from verifflowcc.base.model.trace_values import CodeSymbol
from verifflowcc.base.text.canonical import digest_of_named
from verifflowcc.code.store.code_files import CodeIndex, read_code_files, read_start

DIGESTS, INDEX = "refs.json", "index.db"
_MOST_KEPT = 20_000
_SPARE = 20_000
"""Facts of other files that stay in the index although no item speaks of them: they are the trace's."""
_LARGEST_BYTES = 2**20
"""Of a larger file not all symbols are known."""


def read_spoken_of(
    root: Path, wanted: Mapping[str, Collection[str]], local: Path, *, kept: bool = True
) -> dict[str, CodeStatus]:
    """Return what is at each path now; links are not followed.

    `wanted` maps plain paths (`domain.code.code_path`) to the symbols that are asked for. `local` has the index; with
    `kept` also the digests of the last time, by the stamps of the files.
    """
    known = KnownDigests(local / DIGESTS if kept else None)
    links: dict[str, bool] = {}
    found = {path: _digest(root, path, known) for path in sorted(wanted) if not _behind_a_link(root, path, links)}
    _keep(known, found)
    asked = {path: digest for path, digest in found.items() if digest and wanted[path]}
    symbols = _symbols(root, asked, wanted, local) if asked else {}
    return {path: CodeStatus(digest, symbols.get(path)) for path, digest in found.items()}


def _digest(root: Path, path: str, known: KnownDigests) -> str | None:
    """Return the digest of a file, None where there is nothing, and "" for a folder and what cannot be read."""
    full = on_disk(root, path)
    try:
        digest = known.digest(path, full)
        return "" if digest is None and os.path.lexists(full) else digest
    except OSError:
        return "" if os.path.lexists(full) else None


def _behind_a_link(root: Path, path: str, known: dict[str, bool]) -> bool:
    """Say whether a folder around a path is a link; `known` has what was found of folders, each looked at once."""
    parts = path.split("/")
    for number in range(1, len(parts)):
        folder = "/".join(parts[:number])
        if folder not in known:
            known[folder] = os.path.islink(on_disk(root, folder))  # noqa: PTH114 - names are bytes here
        if known[folder]:
            return True
    return False


def _keep(known: KnownDigests, found: Mapping[str, str | None]) -> None:
    """Keep the digests, those of files that were not asked for this time too."""
    others = {path: kept for path, kept in known.known.items() if path not in found}
    if len(others) + len(known.now) <= _MOST_KEPT:
        known.now = {**others, **known.now}
    known.save()


def _symbols(
    root: Path, asked: Mapping[str, str], wanted: Mapping[str, Collection[str]], local: Path
) -> dict[str, dict[str, str]]:
    with CodeIndex(local / INDEX) as index:
        files = read_code_files(root, asked, index, tests=(), wanted=asked, spare=_SPARE)
    found = {}
    for file in files:
        text = _Text(on_disk(root, file.path))
        symbols = {name: _found(name, file.symbols, text) for name in wanted[file.path]}
        if not text.unknown:
            found[file.path] = {name: digest for name, digest in symbols.items() if digest is not None}
    return found


def _found(name: str, symbols: Sequence[CodeSymbol], text: "_Text") -> str | None:
    """Return the digest of a symbol, by its whole name or by the end of it; "" for a mere word, None for neither."""
    digests = [each.digest for each in symbols if each.name == name]
    digests = digests or [each.digest for each in symbols if each.name.endswith((f".{name}", f"::{name}"))]
    if digests:
        return digest_of_named(digests)
    return "" if text.has(re.split(r"\W+", name)[-1]) else None


class _Text:
    """A file's text, read where a symbol of it is not known: a constant, or a key of a file in no known language."""

    def __init__(self, full: bytes) -> None:
        self._full = full
        self._text: str | None = None
        try:
            found = os.lstat(full)
            self.unknown = os.path.islink(full) or found.st_size > _LARGEST_BYTES  # noqa: PTH114
        except OSError:
            self.unknown = True

    def has(self, word: str) -> bool:
        """Return whether the text contains a word."""
        if self._text is None:
            data = self._read()
            self.unknown = self.unknown or data is None or b"\0" in data[:8000]
            self._text = (data or b"").decode("utf-8", "replace")
        return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", self._text) is not None

    def _read(self) -> bytes | None:
        try:
            return read_start(self._full)
        except OSError:
            return None
