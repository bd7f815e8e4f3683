"""Add a trace item: one new file, with an id that no other branch will draw."""

import re
import shlex
from collections.abc import Iterator

from verifflowcc.adapters.files.item_files import create_item_file, draw_letters, writing_items
from verifflowcc.domain.items import Link, Ref, Source, Status, Trust
from verifflowcc.domain.trace import Severity, TraceItem
from verifflowcc.domain.trace_codes import METHODS, ItemRule, TracePolicy
from verifflowcc.errors import UsageError
from verifflowcc.formats.fingerprint import own_digest
from verifflowcc.formats.trace_render import render_trace_item
from verifflowcc.records import dataclass, replace
from verifflowcc.services.finding import LONGEST_TITLE, one_line, one_of, prose
from verifflowcc.services.loading import reason_here, refuse_scanned
from verifflowcc.services.memory.guarding import refuse_secrets
from verifflowcc.services.trace_finding import find_item
from verifflowcc.services.trace_items import items_view
from verifflowcc.services.trace_linking import chosen_relation
from verifflowcc.services.workspace import MEMORY, Workspace
from verifflowcc.text.normative import normative
from verifflowcc.text.placeholder import has_part
from verifflowcc.text.slug import item_id
from verifflowcc.trace.view import TraceView

ATTEMPTS = 200
_FILE_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,118}[A-Za-z0-9_+-])?")
"""What an id may be made of, whatever the project's pattern says: it names a file."""
_TRUST = {"human": Trust.HUMAN, "agent": Trust.AGENT}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A new item as somebody asked for it; names of parents and words as they were typed."""

    type: str
    title: str
    text: str = ""
    verification: str | None = None
    parents: tuple[str, ...] = ()
    relation: str | None = None
    derived: bool = False
    rationale: str = ""
    planned: str | None = None
    integrity: str | None = None
    id: str | None = None
    tags: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Added:
    """An item that was added, and what it still lacks."""

    item: TraceItem
    lacks: tuple[str, ...]
    """Sentences on missing parts of the item."""


def add_item(workspace: Workspace, wanted: Wanted, *, actor: str) -> Added:
    """Write a new item's file. Its links have no stamp: nobody has looked at them yet.

    Raises UsageError for an unknown type, method, level, parent or relation (with the nearest), for words that say
    nothing, and for an id that is taken or does not fit the project's pattern; WorkspaceError where it cannot be
    written.
    """
    view = items_view(workspace)
    rule = _rule(view.policy, wanted.type)
    item = _item(view, rule, wanted, _TRUST.get(actor.partition(":")[0], Trust.TOOL))
    refuse_secrets(
        ("the title", wanted.title),
        ("the text", wanted.text),
        ("the rationale", wanted.rationale),
        ("the id", wanted.id),
        *(("a tag", tag) for tag in wanted.tags),
    )
    lacks = tuple(_lacking(view.policy, rule, item))
    body = _body(wanted, rule, item)
    item = _with_text(item, normative(body))
    text = render_trace_item(item, body, source=Source(actor=actor), created=workspace.today())
    refuse_scanned(workspace, "", text, "the item")
    with writing_items(workspace.memory):
        create_item_file(workspace.root, item.path, text)
    dead = reason_here(workspace, item.path, traced=True)
    return Added(item, (*lacks, *([dead] if dead else [])))


def _rule(policy: TracePolicy, name: str) -> ItemRule:
    asked = one_of(name.replace("-", "_"), tuple(policy.types), "type", 'vfcc trace add … "Title"')
    return policy.types[asked]


def _item(view: TraceView, rule: ItemRule, wanted: Wanted, trust: Trust) -> TraceItem:
    title = one_line(wanted.title, "the title", LONGEST_TITLE)
    if not title:
        raise UsageError("an item needs a title", hint=f'vfcc trace add {rule.name} "What it says in one line"')
    command = f"vfcc trace add {rule.name} {shlex.quote(title)}"
    _demand_reason(wanted, command)
    text, method = normative(prose(wanted.text, "the text")), wanted.verification
    method = one_of(method, METHODS, "verification method", f"{command} --verification …") if method else None
    level = _level(view.policy, wanted.integrity, command) if wanted.integrity else None
    links = tuple(dict.fromkeys(_link(view, rule, each, wanted.relation, command) for each in wanted.parents))
    name = _given_id(view, wanted.id) if wanted.id is not None else _drawn_id(view, rule, title, command)
    return TraceItem(
        name,
        rule.name,
        title,
        f"{MEMORY}/project/items/{rule.name}/{name}.md",
        text,
        own_digest(title, text, method, level, [(link.to, link.relation) for link in links]),
        verification=method,
        links=links,
        refs=tuple(dict.fromkeys(_ref(each, command) for each in wanted.refs)),
        derived=wanted.derived,
        rationale=prose(wanted.rationale, "the rationale"),
        planned=one_line(wanted.planned or "", "--planned") or None,
        integrity=level,
        author=None,
        trust=trust,
        tags=tuple(dict.fromkeys(filter(None, (one_line(each, "a tag") for each in wanted.tags)))),
    )


def _demand_reason(wanted: Wanted, command: str) -> None:
    if wanted.derived and wanted.parents:
        raise UsageError("a derived item has no parent: say --derived or --parent", hint=f"{command} --parent ID")
    if wanted.derived and not wanted.rationale.strip():
        raise UsageError("a derived item says why it is there", hint=f'{command} --derived --rationale "why"')
    if wanted.relation and not wanted.parents:
        raise UsageError(
            "--relation goes with --parent", hint=f"{command} --parent ID --relation {shlex.quote(wanted.relation)}"
        )


def _level(policy: TracePolicy, level: str, command: str) -> str:
    if not policy.integrity:
        return one_line(level, "--integrity")
    return one_of(level, policy.integrity, "integrity level", f"{command} --integrity …")


def _link(view: TraceView, rule: ItemRule, parent: str, relation: str | None, command: str) -> Link:
    target = find_item(view, parent)
    if target.status is Status.ARCHIVED:
        raise UsageError(f"{target.id} is retired", hint="vfcc trace list")
    return Link(
        target.id, chosen_relation(view.policy, rule.name, target, relation, f"{command} --parent {target.id}"), 1
    )


def _taken(view: TraceView) -> frozenset[str]:
    files = (path.rpartition("/")[2].removesuffix(".md") for path in view.sources.unreadable)
    return frozenset(name.casefold() for name in (*files, *(item.id for item in view.items)))


def _drawn_id(view: TraceView, rule: ItemRule, title: str, command: str) -> str:
    taken = _taken(view)
    for _ in range(ATTEMPTS):
        name = f"{rule.prefix}-{item_id(title, draw_letters()).removeprefix('item-')}"
        if name.casefold() not in taken:
            _demand_pattern(view.policy, name, f"{command} --id ID")
            return name
    raise UsageError("no id was drawn that is free", hint=f"{command} --id ID")


def _given_id(view: TraceView, name: str) -> str:
    if not _FILE_NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be an id: it names a file, with letters, digits and . _ + - alone")
    _demand_pattern(view.policy, name, None)
    if name.casefold() in _taken(view):
        raise UsageError(f"there is an item {name} already", hint=f"vfcc trace show {name}")
    return name


def _demand_pattern(policy: TracePolicy, name: str, hint: str | None) -> None:
    if not re.fullmatch(policy.id_pattern, name):
        raise UsageError(f"the id {name} does not fit the project's pattern {policy.id_pattern}", hint=hint)


def _ref(text: str, command: str) -> Ref:
    """Return the code that `PATH` or `PATH:SYMBOL` names."""
    path, _, symbol = one_line(text, "--ref").partition(":")
    if not path or path.startswith(("/", "../")) or "/../" in path:
        raise UsageError(f"{text!r} is no path in the project", hint=f"{command} --ref src/file.py")
    return Ref(path, symbol or None)


def _body(wanted: Wanted, rule: ItemRule, item: TraceItem) -> str:
    """Return the text, a heading for each part that the type needs and the text lacks, and the rationale."""
    text, why = prose(wanted.text, "the text"), prose(wanted.rationale, "the rationale")
    parts = [f"## {part}" for part in _missing_parts(rule, item)]
    return "\n\n".join(filter(None, [text, *parts, f"## Rationale\n\n{why}" if why else ""]))


def _with_text(item: TraceItem, text: str) -> TraceItem:
    links = [(link.to, link.relation) for link in item.links]
    return replace(item, text=text, digest=own_digest(item.title, text, item.verification, item.integrity, links))


def _missing_parts(rule: ItemRule, item: TraceItem) -> tuple[str, ...]:
    return tuple(part for part in rule.requires if not has_part(item.path, item.text, part))


def _lacking(policy: TracePolicy, rule: ItemRule, item: TraceItem) -> Iterator[str]:
    if not item.text:
        yield "it has no text yet; write it into the file"
    for name in rule.fields:
        if name == "verification" and not item.verification:
            yield f"it needs a verification method in the file; verification: {', '.join(METHODS)}"
        elif name == "integrity" and not item.integrity:
            yield "it needs an integrity level in the file"
        elif name == "refs" and not item.refs:
            yield "it needs the code that it speaks of in the file; refs: [{path: src/file.py}]"
    if parts := _missing_parts(rule, item):
        yield f"it needs a text below {' and '.join(f'## {each}' for each in parts)} in the file"
    needs_parent = not rule.root and rule.level is not None and policy.severities.get("no-parent") is not Severity.OFF
    if needs_parent and not item.links and not item.derived:
        yield f"it has no parent yet: vfcc trace link {item.id} PARENT"
