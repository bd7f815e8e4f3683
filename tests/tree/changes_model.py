"""A copy of a store that is kept by the rules of `Changes` alone, and what hypothesis does to a store beside it."""

import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.tiers import count
from tests.tree.backend_conformance import Opener
from tests.tree.backend_items import make
from verifflowcc.base.errors import ConflictError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.memory.store.placing import stored_item

FOLDER = ".memory/project"
NAMES = st.sampled_from(["a", "b", "c"])
TYPES = st.sampled_from(["fact", "decision", "odd type"])
PLACES = st.sampled_from([f"{FOLDER}/{name}.md" for name in ("a", "m", "z", "items/fact/a", "items/fact/b")])
COPIES = st.integers(0, 1)


class OnPurposeError(Exception):
    """What a test raises itself."""


@dataclass
class Copy:
    """Items by path, the mark they were brought up to, and what was told the last time."""

    items: dict[str, StoredItem] = field(default_factory=dict)
    mark: str | None = None
    told: list[str] = field(default_factory=list)
    gone: tuple[str, ...] = ()
    asked: int = 0

    def known(self) -> dict[str, str]:
        self.asked += 1
        return {path: digest_text(each.text.encode()) for path, each in self.items.items()}

    def bring_up(self, store: MemoryBackend) -> "Copy":
        changes = store.changes(self.mark, self.known)
        if changes.complete:
            self.items.clear()
        for path in changes.gone:
            self.items.pop(path, None)
        self.told, self.gone, self.mark = [], changes.gone, changes.mark
        for each in changes.changed:
            self.told.append(each.item.path)
            self.items[each.item.path] = each
        assert len(set(self.told)) == len(self.told), "one path, told twice"
        return self

    def check(self, store: MemoryBackend) -> None:
        """Fail where this is not what the store holds: of several items with one path, the first."""
        expected: dict[str, StoredItem] = {}
        for each in store.list_all():
            expected.setdefault(each.item.path, each)
        assert {path: (each.item, each.body) for path, each in self.items.items()} == {
            path: (each.item, each.body) for path, each in expected.items()
        }
        assert self.known() == {path: digest_text(each.text.encode()) for path, each in expected.items()}


class Followed(RuleBasedStateMachine):
    """A store with two copies that follow it, each at its own pace."""

    open_backend: Opener

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0
        self.store = self.open_backend("project")
        self.copies = [Copy(), Copy()]

    @initialize()
    def begin(self) -> None:
        self.store.clear()

    def body(self) -> str:
        """Return a text that never was, of a length that no other has: no stamp is that of another text."""
        self.turn += 1
        return "x" * self.turn + "\n"

    @rule(name=NAMES, kind=TYPES)
    def add(self, name: str, kind: str) -> None:
        with suppress(ConflictError):
            self.store.add(make(name, type=kind, body=self.body()))

    @rule(name=NAMES, path=PLACES)
    def add_at(self, name: str, path: str) -> None:
        self.store.delete(name)
        with suppress(ConflictError):
            self.store.add(stored_item(path, make(name, body=self.body()).text.encode()))

    @rule(name=NAMES, kind=TYPES)
    def move(self, name: str, kind: str) -> None:
        self.store.delete(name)
        self.add(name, kind)

    @rule(name=NAMES)
    def other_newlines(self, name: str) -> None:
        found = self.store.get(name)
        if found:
            text = found.text.replace("\r\n", "\n").replace("\n", "\r\n")
            self.store.add(stored_item(found.item.path, text.encode()))

    @rule(names=st.lists(NAMES, unique=True))
    def create_all(self, names: list[str]) -> None:
        with suppress(ConflictError):
            self.store.create_all([make(name, body=self.body()) for name in names])

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        self.store.delete(name)

    @rule()
    def clear(self) -> None:
        self.store.clear()

    @rule(name=NAMES, which=COPIES)
    def raise_while_writing(self, name: str, which: int) -> None:
        with suppress(OnPurposeError, ConflictError), self.store.writing():
            self.store.add(make(name, body=self.body()))
            self.copies[which].bring_up(self.store)
            raise OnPurposeError

    @rule(name=NAMES)
    def add_elsewhere(self, name: str) -> None:
        with closing(self.open_backend("user")) as other:
            other.add(make(name, "user", body=self.body()))

    @rule()
    def open_again(self) -> None:
        self.store.close()
        self.store = self.open_backend("project")

    @rule(which=COPIES)
    def bring_up(self, which: int) -> None:
        copy = self.copies[which].bring_up(self.store)
        copy.check(self.store)

    @rule(which=COPIES, mark=st.sampled_from([None, "", "1", "0:", "1:x", "²:x", f"{9**30}:x", "-1:x", "nothing"]))
    def lose_the_mark(self, which: int, mark: str | None) -> None:
        self.copies[which].mark = mark

    @rule(which=COPIES)
    def lose_the_copy(self, which: int) -> None:
        self.copies[which] = Copy()

    @rule(which=COPIES)
    def swap_copies(self, which: int) -> None:
        """A copy that is an older one again, with its older mark."""
        older = self.copies[which]
        self.copies[1 - which] = Copy(dict(older.items), older.mark)

    def teardown(self) -> None:
        for copy in self.copies:
            copy.bring_up(self.store).check(self.store)
        self.store.close()


class FollowedFiles(Followed):
    """Files, which people edit by hand, with an index that goes away and comes back."""

    root: Path

    @initialize(settled=st.booleans())
    def begin_settled(self, settled: bool) -> None:
        """Trust stamps at once or never: the length of a text tells it from each other one."""
        stamps.SETTLED_AFTER_NS = -(10**12) if settled else 2_000_000_000
        for path in self.index():
            path.unlink()
        self.saved: dict[str, bytes] = {}
        for path in (self.root / FOLDER).rglob("*.md"):
            path.unlink()

    @rule(name=NAMES, path=PLACES)
    def write(self, name: str, path: str) -> None:
        self.put(path, make(name, body=self.body()).text.encode())

    @rule(path=PLACES)
    def write_without_id(self, path: str) -> None:
        self.put(path, b"# A title\n" + self.body().encode())

    @rule(path=PLACES)
    def break_it(self, path: str) -> None:
        self.put(path, b"---\nid: a\n---\n\xff" + self.body().encode())

    @rule(path=PLACES)
    def leave_a_conflict(self, path: str) -> None:
        self.put(path, f"---\nid: a\n---\n<<<<<<< a\n{self.body()}=======\nb\n>>>>>>> c\n".encode())

    @rule(path=PLACES)
    def remove(self, path: str) -> None:
        (self.root / path).unlink(missing_ok=True)

    @rule(path=PLACES, to=PLACES)
    def rename(self, path: str, to: str) -> None:
        with suppress(FileNotFoundError):
            (self.root / to).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).rename(self.root / to)

    @rule(path=PLACES)
    def hide_the_folder(self, path: str) -> None:
        folder = (self.root / path).parent
        if folder.exists():
            folder.rename(folder.with_name(f".{folder.name}"))
            self.store.count()
            folder.with_name(f".{folder.name}").rename(folder)

    @rule()
    def look(self) -> None:
        self.store.items()

    @rule()
    def lose_the_index(self) -> None:
        self.store.close()
        for path in self.index():
            path.unlink()
        self.store = self.open_backend("project")

    @rule()
    def save_the_index(self) -> None:
        self.store.close()
        self.saved = {path.name: path.read_bytes() for path in self.index()}
        self.store = self.open_backend("project")

    @rule()
    def bring_back_an_older_index(self) -> None:
        self.lose_the_index()
        self.store.close()
        for name, data in self.saved.items():
            (self.root / ".memory/local" / name).write_bytes(data)
        self.store = self.open_backend("project")

    def put(self, path: str, data: bytes) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(data)

    def index(self) -> list[Path]:
        return list((self.root / ".memory/local").glob("index.db*"))


class FollowedSqlite(Followed):
    """A database of which older copies are put in its place."""

    file: Path

    @rule()
    def save(self) -> None:
        with closing(sqlite3.connect(self.file)) as source, closing(sqlite3.connect(self.copied)) as target:
            source.backup(target)

    @rule()
    def restore(self) -> None:
        if self.copied.exists():
            self.store.close()
            for path in self.file.parent.glob(f"{self.file.name}-[ws]*"):
                path.unlink()
            shutil.copyfile(self.copied, self.file)
            self.store = self.open_backend("project")

    @rule(path=PLACES)
    def move_by_hand(self, path: str) -> None:
        with closing(sqlite3.connect(self.file)) as connection, connection:
            connection.execute("UPDATE items SET path = ? WHERE id = 'a' AND scope = 'project'", (path,))

    @rule(path=PLACES)
    def replace_by_hand(self, path: str) -> None:
        """What no trigger for deleting tells: a row in the place of one with another path."""
        with closing(sqlite3.connect(self.file)) as connection, connection:
            row = list(connection.execute("SELECT * FROM items WHERE id = 'b' AND scope = 'project'").fetchone() or ())
            if row:
                row[1] = path
                connection.execute(f"INSERT OR REPLACE INTO items VALUES ({','.join('?' * len(row))})", row)

    @property
    def copied(self) -> Path:
        return self.file.with_name("copied")


def follows(machine: type[Followed], examples: int = 40, steps: int = 40) -> None:
    """Fail where a copy is not what the store holds."""
    few = settings(
        deadline=None, max_examples=count(examples), stateful_step_count=steps, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(machine, settings=few)


def following(kind: type[Followed], open_backend: Opener, **places: Path) -> type[Followed]:
    """Return a machine for the stores of an opener."""
    return type(f"{kind.__name__}Here", (kind,), {"open_backend": staticmethod(open_backend), **places})
