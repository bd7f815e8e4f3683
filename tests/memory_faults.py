"""One fault for each check of a memory, and beside it a near miss that no check says anything about.

A world is files by their path; text becomes an item as the checks read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from verifflowcc.base.model.config_values import CodeStatus
from verifflowcc.base.model.item_values import TYPES
from verifflowcc.cli.use.memory_checking import look_into
from verifflowcc.memory.rules.memory_findings import CheckedItem, MemorySources, UnreadFile
from verifflowcc.memory.rules.superseded import stale_summaries, superseded

TODAY = "2026-11-21"
_TRACED = frozenset(name for name, each in TYPES.items() if each.trace)
SECRET = "".join(("ghp", "_", "Zk3vQ8rT1nY6wB4mX9cL2pD7sH5jF0gA1eU8"))
"""Nobody's token; put together here, so that no scanner takes it for one."""
_FACT = ".memory/project/items/fact"


@dataclass(frozen=True, slots=True)
class World:
    """Files by path, what could not be read, the ids of the other memory, and the code that is spoken of."""

    files: Mapping[str, str | bytes] = field(default_factory=dict)
    unread: tuple[UnreadFile, ...] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    spoken_of: Mapping[str, CodeStatus] = field(default_factory=dict)

    def sources(self) -> MemorySources:
        """Return the world as the checks get it."""
        read = [look_into(path, text.encode() if isinstance(text, str) else text) for path, text in self.files.items()]
        items = tuple(each for each in read if isinstance(each, CheckedItem))
        every = [each.item for each in items]
        replaced = superseded(every).found
        return MemorySources(
            items,
            (*self.unread, *(each for each in read if isinstance(each, UnreadFile))),
            frozenset(TYPES),
            _TRACED,
            TODAY,
            self.elsewhere,
            self.spoken_of,
            frozenset(replaced),
            {each.path: each.why for each in stale_summaries(every, replaced)},
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """A world with one fault, and one that nearly has it."""

    planted: World
    near: World


def item(item_id: str, *lines: str, kind: str = "fact", text: str = "Said.") -> str:
    """Return the text of an item's file, with further lines of front matter."""
    more = "".join(f"{line}\n" for line in lines)
    return f"---\nid: {item_id}\ntype: {kind}\ntitle: {item_id}\n{more}---\n{text}\n"


def _titled(item_id: str, *lines: str) -> str:
    return item(item_id, *lines).replace(f"title: {item_id}", "title: The client")


def facts(**texts: str) -> World:
    """Return a world of facts, by the name of their file."""
    return World({f"{_FACT}/{name.replace('_', '-')}.md": text for name, text in texts.items()})


def _one(path: str, text: str | bytes, **more: object) -> World:
    return World({path: text}, **more)  # type: ignore[arg-type]


def _said(line: str) -> World:
    return facts(client=item("client", line))


def _pair(first: str, second: str, *more: str) -> World:
    return facts(one=item("one", first), two=item("two", second, *more))


_LINK = "links: [{{to: two, relation: {}}}]".format
_BOTH = "links: [{to: one, relation: supersedes}]"


def _summed_up(newer: str) -> World:
    told = item("one", "status: archived", "archived: {on: 2026-11-20, why: consolidated, into: sum, was: active}")
    summary = item("sum", "links: [{to: one, relation: depends_on}]", kind="summary")
    named = {f"{_FACT}/one.md": told, f"{_FACT}/two.md": newer, ".memory/project/items/summary/sum.md": summary}
    return World(dict(sorted(named.items())))


FAULTS: Mapping[str, Fault] = {
    "unreadable-file": Fault(
        World(unread=(UnreadFile("unreadable-file", f"{_FACT}/client.md", 1, "is a link that leads nowhere"),)),
        facts(client=item("client")),
    ),
    "not-utf8": Fault(_one(f"{_FACT}/client.md", b"Caf\xe9\n"), _one(f"{_FACT}/client.md", "Café\n")),
    "too-large": Fault(
        World(unread=(UnreadFile("too-large", f"{_FACT}/client.md", 1, "has 1.4 MiB; an item may have 1 MiB"),)),
        facts(client=item("client", text="x" * 100_000)),
    ),
    "link-outside": Fault(
        World(unread=(UnreadFile("link-outside", f"{_FACT}/client.md", 1, "is a link that leaves its folder"),)),
        facts(client=item("client", text="[outside](../../../../../elsewhere.md)")),
    ),
    "conflict-markers": Fault(
        facts(client=item("client", text="<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other")),
        facts(client=item("client", text="=======\nb\n>>>>>>> said somebody")),
    ),
    "bad-front-matter": Fault(
        _one(f"{_FACT}/client.md", "---\nid: [client\n---\nSaid.\n"), _one(f"{_FACT}/client.md", "---\n\nSaid.\n")
    ),
    "unknown-type": Fault(
        _one(".memory/sprint/one/client.md", item("client", kind="fcat")),
        _one(".memory/sprint/one/client.md", item("client", kind="fact")),
    ),
    "bad-value": Fault(_said("importance: 1.5"), _said("importance: 1.0")),
    "near-key": Fault(_said("expirse: 2030-01-01"), _said("extras: 2030-01-01")),
    "secret": Fault(
        facts(client=item("client", text=f"The API key of it: {SECRET}")),
        facts(client=item("client", text="The API key of it: ${CLIENT_API_KEY}")),
    ),
    "raised-trust": Fault(
        _said("source: {kind: explicit, actor: agent:coder}\ntrust: human\ndetails: {promoted_by: human:You}"),
        _said("source: {kind: explicit, actor: agent:coder}\ntrust: human\ndetails: {vouched_by: human:You}"),
    ),
    "unpromoted": Fault(
        _said("source: {kind: explicit, actor: agent:coder}\ntrust: agent"),
        _said("source: {kind: explicit, actor: agent:coder}\ntrust: agent\ndetails: {promoted_by: human:You}"),
    ),
    "duplicate-id": Fault(
        facts(one=item("client"), two=item("client")), facts(one=item("client"), two=item("client-2"))
    ),
    "duplicate-key": Fault(_pair("key: k", "key: k"), _pair("key: k", "key: k", _BOTH)),
    "duplicate-item": Fault(
        facts(one=_titled("one"), two=_titled("two")),
        facts(one=_titled("one"), two=_titled("two", "links: [{to: one, relation: supersedes}]")),
    ),
    "alike-names": Fault(
        World({f"{_FACT}/Café.md": item("one"), f"{_FACT}/cafe\u0301.md": item("two")}),
        World({f"{_FACT}/Café.md": item("one"), f"{_FACT}/cafe.md": item("two")}),
    ),
    "dangling-link": Fault(
        _said("links: [{to: gone, relation: depends_on}]"),
        facts(one=item("one", "links: [{to: two.md, relation: depends_on}]"), two=item("second")),
    ),
    "link-to-archived": Fault(
        _pair(_LINK("depends_on"), "status: archived"), _pair(_LINK("supersedes"), "status: archived")
    ),
    "supersession-circle": Fault(_pair(_LINK("supersedes"), _BOTH), _pair(_LINK("supersedes"), "key: k")),
    "contradiction": Fault(_pair(_LINK("contradicts"), "key: k"), _pair(_LINK("contradicts"), "status: archived")),
    "ref-gone": Fault(
        _one(
            f"{_FACT}/client.md", item("client", "refs: [{path: src/a.py}]"), spoken_of={"src/a.py": CodeStatus(None)}
        ),
        _one(f"{_FACT}/client.md", item("client", "refs: [{path: src/a.py}]"), spoken_of={"src/a.py": CodeStatus("")}),
    ),
    "ref-changed": Fault(
        _one(
            f"{_FACT}/client.md",
            item("client", "refs: [{path: a.py, digest: sha256:1}]"),
            spoken_of={"a.py": CodeStatus("sha256:2")},
        ),
        _one(
            f"{_FACT}/client.md",
            item("client", "refs: [{path: a.py, digest: sha256:1}]"),
            spoken_of={"a.py": CodeStatus("sha256:1")},
        ),
    ),
    "ref-symbol-gone": Fault(
        _one(
            f"{_FACT}/client.md",
            item("client", "refs: [{path: a.py, symbol: Index.query}]"),
            spoken_of={"a.py": CodeStatus("sha256:2", {})},
        ),
        _one(
            f"{_FACT}/client.md",
            item("client", "refs: [{path: a.py, symbol: Index.query}]"),
            spoken_of={"a.py": CodeStatus("sha256:2", {"Index.query": "sha256:3"})},
        ),
    ),
    "wrong-folder": Fault(
        _one(".memory/project/decisions/client.md", item("client")),
        _one(".memory/project/notes/client.md", item("client")),
    ),
    "user-type-in-project": Fault(
        _one(".memory/project/items/goal/ship.md", item("ship", kind="goal")),
        _one(".memory/agent/coder/items/goal/ship.md", item("ship", kind="goal")),
    ),
    "project-type-in-user": Fault(
        _one("user/items/failure/disk.md", item("disk", kind="failure")),
        _one("user/items/fact/disk.md", item("disk", kind="fact")),
    ),
    "in-both": Fault(
        _one(f"{_FACT}/client.md", item("client"), elsewhere={"client": "user/items/fact/client.md"}),
        _one(f"{_FACT}/client.md", item("client"), elsewhere={"client-2": "user/items/fact/client-2.md"}),
    ),
    "expired": Fault(_said("expires: 2026-11-20"), _said(f"expires: {TODAY}")),
    "pending": Fault(
        facts(client=item("client", "status: pending", "source: {kind: explicit, actor: agent:coder}")),
        _said("status: archived"),
    ),
    "stale-summary": Fault(
        _summed_up(item("two", _BOTH)),
        _summed_up(item("two", _BOTH, "status: archived", "archived: {on: 2026-11-20, why: ended, was: pending}")),
    ),
    "future-use": Fault(_said("uses: {count: 1, last: 2026-11-22}"), _said(f"uses: {{count: 1, last: {TODAY}}}")),
}
