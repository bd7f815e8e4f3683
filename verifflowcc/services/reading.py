"""Read the files of a selection: what the index knows is not read again; the rest is read, parsed and learned."""

from collections.abc import Iterable, Sequence

from verifflowcc.adapters.clock import observed
from verifflowcc.adapters.files.items import parse_item
from verifflowcc.adapters.files.layout import settled
from verifflowcc.adapters.files.write import Found, Tree
from verifflowcc.adapters.index.index import Index, Known, Learned
from verifflowcc.adapters.index.memory_items import item_from_text, item_to_text
from verifflowcc.domain.items import Item
from verifflowcc.domain.memory import StoredItem
from verifflowcc.domain.ports import TokenCounter
from verifflowcc.domain.recall import Extent, Unit, extent_of
from verifflowcc.errors import ConflictError, VfccError
from verifflowcc.recall.scoring import units_of
from verifflowcc.records import dataclass, field
from verifflowcc.services.data_texts import data_kind, prompt_text
from verifflowcc.text.canonical import digest_text

_THEIRS = "user/"


@dataclass(frozen=True, slots=True)
class Body:
    """A file as memory: its item, the digest of its bytes, the tokens of its body, and how much of it is searched.

    `units` are there where it holds any of the terms asked for.
    """

    item: Item
    digest: str
    tokens: int
    extent: Extent
    units: tuple[Unit, ...] = ()


@dataclass(slots=True)
class Reading:
    """The bodies of files, read at most once each.

    `problems` maps a path to why it cannot be memory, a line first where it has one (`12: not UTF-8`); `notices` are
    what the parser wants the person to know. `theirs` reads the files of the person's own folder, whose paths begin
    with `user/`: their index is there, and no project's.
    """

    tree: Tree
    index: Index
    counter: TokenCounter
    problems: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    theirs: "Reading | None" = None
    _texts: dict[str, tuple[str, str]] = field(default_factory=dict)

    def bodies(self, files: Iterable[Found], terms: Sequence[str] = ()) -> dict[str, Body]:
        """Return path → body for every file that can be read; the others are in `problems`.

        What was just read is matched here and not by the index: that may be locked, or written by others meanwhile.
        """
        readable = []
        for file in files:
            if file.problem is None:
                readable.append(file)
            else:
                self.problems[file.path] = file.problem
        known, matches = self.index.known(readable, terms)
        new = [file for file in readable if file.path not in known]
        learned = [one for file in observed("reading sources", new) if (one := self._learn(file))]
        self.index.learn(learned)
        known |= {one.known.path: one.known for one in learned}
        fresh = {one.known.path: one.units if _holds(one.units, terms) else () for one in learned}
        self.notices.extend(line for path in sorted(known) for line in known[path].notices.splitlines())
        self._prefetch()
        return {path: self._body(one, fresh.get(path, matches.get(path, ()))) for path, one in known.items()}

    def stored(self, items: Iterable[StoredItem], terms: Sequence[str] = ()) -> dict[str, Body]:
        """Return path → body for items that no file holds; their texts are kept here."""
        self._prefetch()
        bodies = {}
        for one in items:
            digest = digest_text(one.text.encode())
            self._texts[one.item.path] = digest, one.body
            units = units_of(one.item, one.body) if terms else ()
            tokens = self._tokens(one.item.path, digest)
            held = units if _holds(units, terms) else ()
            bodies[one.item.path] = Body(one.item, digest, tokens, extent_of(units), held)
        return bodies

    def text(self, path: str, digest: str) -> str:
        """Return the body of a file as prompts show it; ConflictError where it is no longer what was ranked."""
        if self.theirs is not None and path.startswith(_THEIRS):
            return self.theirs.text(path, digest)
        if path not in self._texts:
            self._parse(path, self.tree.read(path))
        found, text = self._texts[path]
        if found != digest:
            raise ConflictError(f"{path} changed while the prompt was compiled", hint="run the command again")
        return prompt_text(path, text)

    def supply(self, path: str, text: str) -> str:
        """Give a derived source its text; returns its digest."""
        digest = digest_text(text)
        self._texts[path] = digest, text
        return digest

    def _learn(self, file: Found) -> Learned | None:
        try:
            data = self.tree.read(file.path)
            item, notices = self._parse(file.path, data)
        except OSError as error:
            self.problems[file.path] = f"cannot be read: {error.strerror}"
        except VfccError as error:
            self.problems[file.path] = error.message.removeprefix(f"{file.path}:").lstrip()
        else:
            digest, text = self._texts[file.path]
            units = units_of(item, text)
            facts = item_to_text(item)
            known = Known(file.path, file.signature, digest, facts, notices, extent_of(units), settled(file.touched_ns))
            return Learned(known, units)
        return None

    def _parse(self, path: str, data: bytes) -> tuple[Item, str]:
        parsed = parse_item(path, data)
        self._texts[path] = digest_text(data), parsed.body
        return parsed.item, "\n".join(parsed.notices)

    def _prefetch(self) -> None:
        self.index.counts.prefetch(self._count_key(""))

    def _body(self, known: Known, units: tuple[Unit, ...]) -> Body:
        tokens = self._tokens(known.path, known.digest)
        return Body(item_from_text(known.facts), known.digest, tokens, known.extent, units)

    def _tokens(self, path: str, digest: str) -> int:
        kind = data_kind(path)
        key = self._count_key(f"{kind}/{digest}" if kind else digest)
        tokens = self.index.counts.get(key)
        if tokens is None:
            tokens = self.counter.count(self.text(path, digest))
            self.index.counts[key] = tokens
        return tokens

    def _count_key(self, digest: str) -> str:
        return f"body/{self.counter.name}/{digest}"


def _holds(units: Iterable[Unit], terms: Iterable[str]) -> bool:
    """Say whether any unit holds any of the terms."""
    wanted = set(terms)
    return any(not wanted.isdisjoint(field.split()) for unit in units for field in unit.terms)
