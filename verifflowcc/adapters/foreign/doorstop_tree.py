"""A folder of doorstop documents, read file by file."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from verifflowcc.adapters.files.front_matter_yaml import plain_yaml
from verifflowcc.adapters.files.text_file import read_text
from verifflowcc.domain.trace_import import Foreign
from verifflowcc.errors import FormatError
from verifflowcc.formats.front_matter import split
from verifflowcc.formats.import_doorstop import (
    DoorstopDocument,
    DoorstopFile,
    markdown_values,
    read_document,
    read_doorstop,
)

CONFIG = ".doorstop.yml"
_ENDINGS = {".yml": False, ".yaml": False, ".md": True}


def read_doorstop_tree(root: Path, named: Callable[[Path], str]) -> Foreign:
    """Return the items of all documents at or below `root`; `named` gives a file's name for messages.

    Raises FormatError where a file is not what doorstop would read, or where there is no document.
    """
    return read_doorstop(*doorstop_files(root, named))


def doorstop_files(
    root: Path, named: Callable[[Path], str]
) -> tuple[tuple[DoorstopDocument, ...], tuple[DoorstopFile, ...]]:
    """Return the documents at or below `root` and the files of their items; raises as `read_doorstop_tree` does."""
    documents: dict[Path, DoorstopDocument] = {}
    files: list[DoorstopFile] = []
    for folder, owner, names in _walk(root, None):
        if CONFIG in names:
            path = folder / CONFIG
            documents[folder] = read_document(named(path), plain_yaml(named(path), read_text(path, named(path))))
        if owner is not None:
            files += [_file(folder / name, named, documents[owner]) for name in names if _is_item(name)]
    if not documents:
        raise FormatError(f"{named(root)}:1: there is no {CONFIG} in this folder or below it")
    return tuple(documents.values()), tuple(files)


def _walk(folder: Path, owner: Path | None) -> Iterator[tuple[Path, Path | None, list[str]]]:
    """Yield folders with the document that owns their items; hidden folders and skipped documents are left out."""
    found = sorted(os.scandir(folder), key=lambda each: each.name)
    names = [each.name for each in found if each.is_file()]
    if ".doorstop.skip-all" in names or ".doorstop.skip" in names:
        return
    owner = folder if CONFIG in names else owner
    yield folder, owner, names
    for each in found:
        if each.is_dir(follow_symlinks=False) and not each.name.startswith("."):
            yield from _walk(Path(each.path), owner)


def _is_item(name: str) -> bool:
    stem, dot, ending = name.rpartition(".")
    return bool(stem) and not name.startswith(".") and f"{dot}{ending}" in _ENDINGS


def _file(path: Path, named: Callable[[Path], str], document: DoorstopDocument) -> DoorstopFile:
    name, text = named(path), read_text(path, named(path))
    if not _ENDINGS[path.suffix]:
        return DoorstopFile(path.stem, name, document, plain_yaml(name, text))
    parts = split(text)
    values = plain_yaml(name, parts.block or "", line_shift=1)
    return DoorstopFile(path.stem, name, document, {**values, **markdown_values(parts.body)})
