"""Add a trace item: one new file, with an id that no other branch will draw."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping

from verifflowcc.base.errors import ConflictError, UsageError
from verifflowcc.base.files.item_files import (
    create_item_file,
    draw_letters,
    read_item_file,
    replace_item_file,
    writing_items,
)
from verifflowcc.base.files.write import sweep
from verifflowcc.base.formats.front_matter_values import Value
from verifflowcc.base.model.item_values import Link, Ref, Source, Status, Trust
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_codes import METHODS, ItemRule, TracePolicy
from verifflowcc.base.model.trace_values import Severity, TraceItem
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.identifiers import item_id
from verifflowcc.base.text.placeholders import has_part
from verifflowcc.base.text.plain_words import either, with_article
from verifflowcc.base.use.guarding import refuse_new_secret, refuse_secrets
from verifflowcc.base.use.stage_words import LONGEST_TITLE, one_line, one_of, prose
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.items.rules.front_matter_list import ListEdit, link_entry, without_links
from verifflowcc.items.store.item_edits import edit_item, edit_item_list
from verifflowcc.sprint.use.item_loading import reason_here, refuse_scanned
from verifflowcc.trace.rules.fingerprint import fingerprinted
from verifflowcc.trace.rules.item_wording import normative
from verifflowcc.trace.rules.trace_render import REFINES, against, fitting, render_trace_item
from verifflowcc.trace.rules.trace_view import TraceView, find_item
from verifflowcc.trace.use.trace_sources import full_view, items_view, read_one

# Changes of items that are there already: made to their bytes, then written under the lock, each file whole.


@dataclass(frozen=True, slots=True)
class ItemFileEdit:
    """A file to be changed: its path in the project, and its bytes before and after."""

    path: str
    before: bytes
    after: bytes

    @property
    def changes(self) -> bool:
        """Whether anything does change."""
        return self.before != self.after


def begin_edit(workspace: Workspace, item: TraceItem) -> ItemFileEdit:
    """Return the item's file as it is, with nothing changed yet.

    Raises ConflictError where the file is not the item any more, or a merge has left its marks in it.
    """

    data = read_item_file(workspace.root, item.path)
    now = read_one(workspace, item.path, data)
    if now is None or (now.id, now.digest) != (item.id, item.digest):
        raise ConflictError(f"{item.path} changed since it was read; nothing was written", hint="run the command again")
    return ItemFileEdit(item.path, data, data)


def set_keys(edit: ItemFileEdit, changes: Mapping[str, str | None]) -> ItemFileEdit:
    """Return the edit with keys set to one line of YAML each, or removed where None."""
    return ItemFileEdit(edit.path, edit.before, edit_item(edit.path, edit.after, changes))


def set_list(edit: ItemFileEdit, key: str, decide: Callable[[tuple[Value, ...]], ListEdit]) -> ItemFileEdit:
    """Return the edit with the list under `key` changed entry by entry."""
    return ItemFileEdit(edit.path, edit.before, edit_item_list(edit.path, edit.after, key, decide))


def write_edits(workspace: Workspace, edits: Iterable[ItemFileEdit]) -> tuple[str, ...]:
    """Write the changed files and return their paths; each is written whole or not.

    Raises ConflictError where a file is not as it was read and SecretError where a change would bring a secret in,
    before anything is written; WorkspaceError where one cannot be written, and then those before it are.
    """
    wanted = [edit for edit in edits if edit.changes]
    if not wanted:
        return ()
    with writing_items(workspace.memory):
        # Every file is compared and scanned before the first is written, so that a refusal changes none.
        sweep({(workspace.root / edit.path).parent for edit in wanted}, deep=False)
        for edit in wanted:
            if read_item_file(workspace.root, edit.path) != edit.before:
                raise ConflictError(
                    f"{edit.path} changed since it was read; nothing was written", hint="run the command again"
                )
        for edit in wanted:
            before, after = (data.decode("utf-8", "replace") for data in (edit.before, edit.after))
            refuse_new_secret(before, after, edit.path)
            refuse_scanned(workspace, before, after, edit.path)
        for edit in wanted:
            replace_item_file(workspace.root, edit.path, edit.before, edit.after)
    return tuple(edit.path for edit in wanted)


# Link two trace items, or take a link away; and retire an item.


@dataclass(frozen=True, slots=True)
class LinkChange:
    """The relations that were added or removed between two items.

    `path` is the file that holds them.
    """

    item: str
    to: str
    relations: tuple[str, ...]
    path: str


def link_items(workspace: Workspace, name: str, to: str, relation: str | None = None) -> LinkChange:
    """Add a link without a stamp: the next review stamps it.

    Raises UsageError for unknown items and relations, and where it would be a second one, lead to a retired item or
    round in a circle; ConflictError where the file changed since it was read.
    """
    view = items_view(workspace)
    item, target = find_item(view, name), find_item(view, to)
    if item.id == target.id:
        raise UsageError(f"{item.id} cannot link to itself", hint=f"vfcc trace show {item.id}")
    if relation is None:
        _demand_direction(view, item, target)
    chosen = chosen_relation(view.policy, item.type, target, relation, f"vfcc trace link {item.id} {target.id}")
    if reason := against(view, item, target, chosen):
        raise UsageError(reason, hint=f"vfcc trace show {item.id}")
    link = link_entry(Link(target.id, chosen, 1))
    edit = set_list(begin_edit(workspace, item), "links", lambda _: ListEdit({}, (link,)))
    write_edits(workspace, [edit])
    return LinkChange(item.id, target.id, (chosen,), item.path)


def _demand_direction(view: TraceView, item: TraceItem, target: TraceItem) -> None:
    """Refuse a link that was given the wrong way round: links lead up."""
    if not fitting(view.policy, item.type, target.type) and fitting(view.policy, target.type, item.type):
        raise UsageError(
            f"no relation leads from a {item.type} to a {target.type}; links lead up, the other way round",
            hint=f"vfcc trace link {target.id} {item.id}",
        )


def unlink_items(workspace: Workspace, name: str, to: str, relation: str | None = None) -> LinkChange:
    """Remove the links from one item to another, or only that of one relation.

    The other end may be gone. Raises UsageError where there is no such link.
    """
    view = items_view(workspace)
    item = find_item(view, name)
    target = _linked(item, to) or find_item(view, to).id
    meant = [link for link in item.links if link.to == target and relation in {None, link.relation}]
    if not meant:
        there = ", ".join(dict.fromkeys(link.to for link in item.links)) or "nothing"
        by = f" by {relation}" if relation else ""
        raise UsageError(
            f"{item.id} does not link to {target}{by}; it links to {there}", hint=f"vfcc trace show {item.id}"
        )
    relations = tuple(dict.fromkeys(link.relation for link in meant))
    edit = set_list(begin_edit(workspace, item), "links", lambda values: without_links(values, target, relations))
    write_edits(workspace, [edit])
    return LinkChange(item.id, target, relations, item.path)


def chosen_relation(policy: TracePolicy, from_type: str, target: TraceItem, relation: str | None, command: str) -> str:
    """Return the relation between two items: the named one, else the one that fits.

    Where several fit it is `refines`, the plainest of them. `command` is what was typed, without `--relation`. Raises
    UsageError where none fits, several do and `refines` is none of them, or the one that was named does not.
    """
    fit = fitting(policy, from_type, target.type)
    this, other = with_article(from_type), with_article(target.type)
    if relation is not None:
        known = one_of(relation, tuple(policy.relations), "relation", f"{command} --relation …")
        if known in fit:
            return known
    if not fit:
        raise UsageError(
            f"no relation leads from {this} to {other} ({target.id})",
            hint="vfcc workflow show",
        )
    if relation is not None:
        raise UsageError(
            f"{known} does not lead from {this} to {other}; {either(fit)} does",
            hint=f"{command} --relation {fit[0]}",
        )
    if len(fit) > 1 and REFINES not in fit:
        raise UsageError(
            f"{this} can stand to {other} in several ways: {', '.join(fit)}; say which",
            hint=f"{command} --relation {fit[0]}",
        )
    return REFINES if REFINES in fit else fit[0]


def _linked(item: TraceItem, to: str) -> str | None:
    """Return the target of the link that is meant, existing or not."""
    wanted = to.strip().casefold()
    ids = sorted({link.to for link in item.links})
    exact = [each for each in ids if each.casefold() == wanted]
    begun = [each for each in ids if wanted and each.casefold().startswith(wanted)]
    return exact[0] if exact else begun[0] if len(begun) == 1 else None


ATTEMPTS = 200
_FILE_NAME = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,118}[A-Za-z0-9_+-])?")
"""What an id may be made of, whatever the project's pattern says: it names a file."""
_TRUST = {"human": Trust.HUMAN, "agent": Trust.AGENT}


@dataclass(frozen=True, slots=True)
class TraceItemRequest:
    """The request for a new item; names of parents and words as they were typed."""

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
class NewTraceItem:
    """An item that was added, and what it still lacks."""

    item: TraceItem
    missing: tuple[str, ...]
    """Sentences on missing parts of the item."""


def add_item(workspace: Workspace, wanted: TraceItemRequest, *, actor: str) -> NewTraceItem:
    """Write a new item's file; its links are unreviewed, so they have no stamp.

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
    item = fingerprinted(replace(item, text=normative(body)))
    text = render_trace_item(item, body, source=Source(actor=actor), created=workspace.today())
    refuse_scanned(workspace, "", text, "the item")
    with writing_items(workspace.memory):
        create_item_file(workspace.root, item.path, text)
    dead = reason_here(workspace, item.path, traced=True)
    return NewTraceItem(item, (*lacks, *([dead] if dead else [])))


def _rule(policy: TracePolicy, name: str) -> ItemRule:
    asked = one_of(name.replace("-", "_"), tuple(policy.types), "type", 'vfcc trace add … "Title"')
    return policy.types[asked]


def _item(view: TraceView, rule: ItemRule, wanted: TraceItemRequest, trust: Trust) -> TraceItem:
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
        "",
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


def _demand_reason(wanted: TraceItemRequest, command: str) -> None:
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


def _body(wanted: TraceItemRequest, rule: ItemRule, item: TraceItem) -> str:
    """Return the text, a heading for each part that the type needs and the text lacks, and the rationale."""
    text, why = prose(wanted.text, "the text"), prose(wanted.rationale, "the rationale")
    parts = [f"## {part}" for part in _missing_parts(rule, item)]
    return "\n\n".join(filter(None, [text, *parts, f"## Rationale\n\n{why}" if why else ""]))


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


# Retire an item: it no longer counts, its id is never reused, its file stays.

HISTORY = "## History"


@dataclass(frozen=True, slots=True)
class Retirement:
    """A retired item, and what still names it: items by id, code as `path:line`."""

    item: str
    path: str
    reason: str
    linked_by: tuple[str, ...]
    """Items that still link to it."""
    marked_in: tuple[str, ...]
    """Places that still name it."""


def retire_item(workspace: Workspace, name: str, reason: str = "", *, actor: str) -> Retirement:
    """Set an item's status to archived, and note the reason in its text.

    The reason goes below `## History` at the end.

    Raises UsageError where it is unknown or retired already.
    """
    view = full_view(workspace)
    item = find_item(view, name)
    why = one_line(reason, "the reason")
    if item.status is Status.ARCHIVED:
        raise UsageError(f"{item.id} is retired already", hint=f"vfcc trace show {item.id}")
    edit = set_keys(begin_edit(workspace, item), {"status": str(Status.ARCHIVED)})
    if why:
        edit = _with_history(edit, f"- {workspace.today()}, {actor}: retired: {why}")
    write_edits(workspace, [edit])
    children = tuple(dict.fromkeys(child.id for child, _ in view.below.get(item.id, ())))
    marks = tuple(f"{file.path}:{mark.line}" for file, mark in view.marks.get(item.id, ()))
    return Retirement(item.id, item.path, why, children, marks)


def _with_history(edit: ItemFileEdit, line: str) -> ItemFileEdit:
    """Add a line below the heading `## History` at the end of a file.

    The heading is added where the last one is another.
    """
    text = edit.after.decode("utf-8")
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines()
    headings = [each.strip() for each in lines if each.startswith("#")]
    gap = "" if text.endswith("\n") or not text else newline
    if headings and headings[-1] == HISTORY:
        blank = newline if lines[-1].strip() == HISTORY else ""
        added = f"{gap}{blank}{line}{newline}"
    else:
        added = f"{gap}{newline}{HISTORY}{newline}{newline}{line}{newline}"
    return ItemFileEdit(edit.path, edit.before, (text + added).encode("utf-8"))
