"""Files of other tools: which tool wrote them, and the files that a path names."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.files.text_files import read_text
from verifflowcc.base.model.lazy import load
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.items.rules.front_matter import split
from verifflowcc.items.rules.import_values import ForeignItems
from verifflowcc.items.store.front_matter_yaml import plain_yaml
from verifflowcc.trace.rules.import_doorstop import (
    DoorstopDocument,
    DoorstopFile,
    checked_item,
    markdown_values,
    read_document,
    read_doorstop,
    read_mapped,
    read_mapping,
)
from verifflowcc.trace.rules.import_needs import is_export
from verifflowcc.trace.rules.importers import IMPORTERS, Importer

# A folder of doorstop documents, read file by file.

CONFIG = ".doorstop.yml"
_ENDINGS = {".yml": False, ".yaml": False, ".md": True}


def read_doorstop_tree(root: Path, named: Callable[[Path], str]) -> ForeignItems:
    """Return the items of all documents at or below `root`.

    `named` gives a file's name for messages.

    Raises FormatError where a file is not what doorstop would read, or where there is no document.
    """
    skipped: dict[str, str] = {}
    documents, files = doorstop_files(root, named, skipped)
    return _with_skipped(read_doorstop(documents, files), skipped)


def doorstop_files(
    root: Path, named: Callable[[Path], str], skipped: dict[str, str]
) -> tuple[tuple[DoorstopDocument, ...], tuple[DoorstopFile, ...]]:
    """Return the documents at or below `root`, and the files of their items; those that cannot be read are `skipped`.

    Raises as `read_doorstop_tree` does.
    """
    documents: dict[Path, DoorstopDocument] = {}
    files: list[DoorstopFile] = []
    for folder, owner, names in _doorstop_tree_walk(root, None):
        if CONFIG in names:
            path = folder / CONFIG
            documents[folder] = read_document(named(path), plain_yaml(named(path), read_text(path, named(path))))
        if owner is not None:
            paths = (folder / name for name in names if _is_item(name))
            files += _readable(paths, named, partial(_file, document=documents[owner]), skipped)
    if not documents:
        raise FormatError(f"{named(root)}:1: there is no {CONFIG} in this folder or below it")
    return tuple(documents.values()), tuple(files)


def _doorstop_tree_walk(folder: Path, owner: Path | None) -> Iterator[tuple[Path, Path | None, list[str]]]:
    """Yield folders with the document that owns their items.

    Hidden folders and skipped documents are left out.
    """
    found = sorted(os.scandir(folder), key=lambda each: each.name)
    names = [each.name for each in found if each.is_file()]
    if ".doorstop.skip-all" in names or ".doorstop.skip" in names:
        return
    owner = folder if CONFIG in names else owner
    yield folder, owner, names
    for each in found:
        if each.is_dir(follow_symlinks=False) and not each.name.startswith("."):
            yield from _doorstop_tree_walk(Path(each.path), owner)


def _is_item(name: str) -> bool:
    stem, dot, ending = name.rpartition(".")
    return bool(stem) and not name.startswith(".") and f"{dot}{ending}" in _ENDINGS


def _file(path: Path, name: str, document: DoorstopDocument) -> DoorstopFile:
    text = read_text(path, name)
    if not _ENDINGS[path.suffix]:
        return checked_item(DoorstopFile(path.stem, name, document, plain_yaml(name, text)))
    parts = split(text)
    values = plain_yaml(name, parts.block or "", line_shift=1)
    return checked_item(DoorstopFile(path.stem, name, document, {**values, **markdown_values(parts.body)}))


def read_yaml_tree(root: Path, named: Callable[[Path], str], given: Path | None) -> ForeignItems:
    """Return an item for each YAML file at or below `root`, by the mapping in the file `given`.

    Raises UsageError where no mapping is given, FormatError where it, or a file, is not what it should be.
    """
    if given is None:
        raise UsageError("a tree of YAML needs a mapping of its fields", hint="vfcc trace import FOLDER --mapping FILE")
    mapping = read_mapping(named(given), plain_yaml(named(given), read_text(given, named(given))))
    found = (each for each in root.glob(mapping.files) if each.is_file())
    paths = sorted(each for each in found if each.name != given.name or not each.samefile(given))
    skipped: dict[str, str] = {}

    def values(path: Path, name: str) -> tuple[str, str, Mapping[str, object]]:
        return name, path.relative_to(root).as_posix(), plain_yaml(name, read_text(path, name))

    return _with_skipped(read_mapped(mapping, _readable(paths, named, values, skipped)), skipped)


# A file that cannot be read is a malformed part of a tree of many, and refuses an import of that file alone.

Named = Callable[[Path], str]
Read = TypeVar("Read")


def _readable(
    paths: Iterable[Path], named: Named, read: Callable[[Path, str], Read], skipped: dict[str, str]
) -> Iterator[Read]:
    """Yield what `read` makes of each file and its name; where it cannot, the reason goes into `skipped`."""
    for path in paths:
        name = named(path)
        try:
            yield read(path, name)
        except FormatError as error:
            skipped[name] = error.message


def _with_skipped(foreign: ForeignItems, skipped: Mapping[str, str]) -> ForeignItems:
    """Add skipped files to what is malformed; raises FormatError where no other file had an item."""
    every = {**foreign.skipped, **skipped}
    if every and not foreign.items:
        raise FormatError(next(iter(every.values())))
    return replace(foreign, skipped=every, malformed=(*foreign.malformed, *every.values()))


_OFT = re.compile(r"^[ \t]*[`*]*[a-zA-Z]+~[\w.-]+~\d+[`*]*[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ImportSource:
    """The files to import, and how to read them.

    `format` is None where the files decide it.
    """

    paths: tuple[Path, ...]
    format: str | None = None
    pattern: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    mapping: Path | None = None


def read_foreign(given: ImportSource, named: Named) -> ForeignItems:
    """Return the items in the files.

    `named` gives a file's name for messages and for `imported`.

    Raises UsageError where a path is not there or the format is not clear, FormatError where a file is not what its
    format says.
    """
    for path in given.paths:
        if not path.exists():
            raise UsageError(f"there is no file or folder {named(path)}")
    chosen = given.format or _guessed(given, named)
    importer = IMPORTERS[chosen]
    if importer.takes == "folder":
        if len(given.paths) != 1 or not given.paths[0].is_dir():
            raise UsageError(f"{chosen}'s items are read from one folder", hint="vfcc trace import FOLDER")
        more = [getattr(given, importer.option)] if importer.option else []
        tree: ForeignItems = load(importer.read)(given.paths[0], named, *more)
        return tree
    files = _files(given.paths, importer.endings)
    if not files:
        places = ", ".join(map(named, given.paths))
        raise FormatError(f"{places}:1: there is no file that ends in {' or '.join(importer.endings)}")
    return _read(importer, files, given, named)


def joined(parts: Iterable[ForeignItems]) -> ForeignItems:
    """Return several files of one format as one."""
    every = list(parts)
    items = tuple(item for each in every for item in each.items)
    left = tuple(line for each in every for line in each.left)
    malformed = tuple(line for each in every for line in each.malformed)
    tool = every[0].tool if every else ""
    return ForeignItems(items, left, tool, frozenset().union(*(each.tops for each in every)), malformed)


def _read(importer: Importer, files: list[Path], given: ImportSource, named: Named) -> ForeignItems:
    read: Callable[..., ForeignItems] = load(importer.read)
    more = [getattr(given, importer.option)] if importer.option else []
    skipped: dict[str, str] = {}
    if importer.takes == "texts":
        texts = list(_readable(files, named, lambda path, name: (name, read_text(path, name)), skipped))
        return _with_skipped(read(texts, *more), skipped)
    if importer.takes == "file":
        parts = _readable(files, named, read, skipped)
    else:
        parts = _readable(files, named, lambda path, name: read(name, read_text(path, name), *more), skipped)
    return _with_skipped(joined(parts), skipped)


def _guessed(given: ImportSource, named: Named) -> str:
    if given.mapping:
        return "yaml"
    if given.pattern:
        return "markdown"
    if given.columns:
        return "csv"
    if len(given.paths) == 1 and given.paths[0].is_dir() and _has(given.paths[0], CONFIG):
        return "doorstop"
    for name, importer in IMPORTERS.items():
        files = _files(given.paths, importer.endings) if importer.endings else []
        if not files:
            continue
        holds = _HOLDS.get(name)
        if holds is None or any(map(holds, _readable(files, named, read_text, {}))):
            return name
    places = ", ".join(map(named, given.paths))
    raise UsageError(
        f"no format of {', '.join(IMPORTERS)} reads {places}",
        hint=f"vfcc trace import {places} --format {next(iter(IMPORTERS))}",
    )


_HOLDS: Mapping[str, Callable[[str], object]] = {"openfasttrace": _OFT.search, "vfcc": is_export}
"""What a text has of a format that shares its ending with another."""


def _files(paths: Iterable[Path], endings: tuple[str, ...]) -> list[Path]:
    """Return the given files, and those with these endings in given folders, in order."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(each for each in _walk(path) if each.name.lower().endswith(endings)))
        elif path.name.lower().endswith(endings) or not any(path.name.lower().endswith(e) for e in _ALL):
            found[path] = None
    return list(found)


_ALL = tuple(ending for importer in IMPORTERS.values() for ending in importer.endings)


def _walk(folder: Path) -> Iterable[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def _has(folder: Path, name: str) -> bool:
    return any(name in names for _, _, names in os.walk(folder))
