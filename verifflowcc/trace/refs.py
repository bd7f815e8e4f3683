"""Checks of the code that items speak of: it is there, where they say, and as it was when somebody looked."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from verifflowcc.domain.items import Ref
from verifflowcc.domain.trace import TraceItem
from verifflowcc.trace import steps
from verifflowcc.trace.pointed import symbol_digest
from verifflowcc.trace.telling import Telling
from verifflowcc.trace.view import TraceView


def check_refs(view: TraceView, tell: Telling) -> None:
    """Tell of each ref what became of it. What is elsewhere now, word for word, is moved and not gone."""
    named = symbols = stamped = 0
    places = _Places(view)
    for item in view.live:
        for ref in item.refs:
            if "://" in ref.path:
                continue
            named += 1
            symbols += bool(ref.symbol)
            stamped += bool(ref.digest)
            _look(item, ref, places, tell)
    tell.ask(("file-gone",), named)
    tell.ask(("symbol-gone",), symbols)
    tell.ask(("code-edited", "code-moved"), stamped)


@dataclass(frozen=True)
class _Places:
    """Where code is now."""

    view: TraceView

    @cached_property
    def folders(self) -> frozenset[str]:
        """All folders that hold a file of the project."""
        found: set[str] = set()
        for path in (*self.view.sources.files, *self.view.code):
            while path := path.rpartition("/")[0]:
                if path in found:
                    break
                found.add(path)
        return frozenset(found)

    @cached_property
    def of_symbols(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """Digest → the files and symbols that have it."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for file in self.view.code.values():
            for symbol in file.symbols:
                found[symbol.digest].append((file.path, symbol.name))
        return {digest: tuple(sorted(each)) for digest, each in found.items()}

    @cached_property
    def of_files(self) -> Mapping[str, tuple[str, ...]]:
        """Digest → the files that have it."""
        found: dict[str, list[str]] = defaultdict(list)
        files = {file.path: file.digest for file in self.view.code.values()} | dict(self.view.sources.files)
        for path, digest in files.items():
            found[digest].append(path)
        return {digest: tuple(sorted(each)) for digest, each in found.items()}

    def digest(self, ref: Ref) -> str | None:
        """The digest of what a ref names; None where it is not there."""
        path = _plain(ref.path)
        if ref.symbol:
            return symbol_digest(self.view, path, ref.symbol)
        file = self.view.code.get(path)
        return file.digest if file else self.view.sources.files.get(path)

    def has(self, path: str) -> bool:
        """Whether a file or a folder is there."""
        return path in self.view.code or path in self.view.sources.files or path in self.folders

    def elsewhere(self, ref: Ref) -> str | None:
        """Where what a ref names is now, if one place has the digest that it had; of several one of the same name."""
        if not ref.digest:
            return None
        if not ref.symbol:
            paths = self.of_files.get(ref.digest, ())
            return _single(paths, [path for path in paths if _last(path, "/") == _last(ref.path, "/")])
        found = self.of_symbols.get(ref.digest, ())
        names = [f"{path}::{name}" for path, name in found]
        alike = [f"{path}::{name}" for path, name in found if _last(name, ".") == _last(ref.symbol, ".")]
        return _single(names, alike)


def _single(places: tuple[str, ...] | list[str], alike: list[str]) -> str | None:
    """Return the place, if there is only one, else the only one of the same name."""
    if len(places) == 1:
        return places[0]
    return alike[0] if len(alike) == 1 else None


def _look(item: TraceItem, ref: Ref, places: _Places, tell: Telling) -> None:
    digest, path = places.digest(ref), _plain(ref.path)
    if digest is not None and (ref.digest is None or ref.digest == digest):
        return
    if digest is None and not ref.symbol and path in places.folders:
        return
    line, name = item.line("refs"), f"{path}::{ref.symbol}" if ref.symbol else path
    if digest is not None:
        message = f"{name} changed since the review of {item.id}, which refers to it"
        tell.item("code-edited", item, line, message, steps.review(item.id), name, [path])
        return
    now = places.elsewhere(ref)
    if now is not None:
        message = f"{name}, to which {item.id} refers, is now {now}"
        step = f"write {now} into the refs of {item.path}"
        tell.item("code-moved", item, line, message, step, name, [path, now.partition("::")[0]])
    elif ref.symbol and places.has(path):
        message = f"{item.id} refers to {ref.symbol} in {path}, which has no such symbol"
        tell.item("symbol-gone", item, line, message, steps.edit(item.path, line), name, [path])
    else:
        message = f"{item.id} refers to {path}, which does not exist"
        tell.item("file-gone", item, line, message, steps.edit(item.path, line), name, [path])


def _plain(path: str) -> str:
    return path.removeprefix("./").rstrip("/")


def _last(name: str, separator: str) -> str:
    return name.rpartition(separator)[2]
