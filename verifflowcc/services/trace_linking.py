"""Link two trace items, or take a link away; and retire an item."""

from collections.abc import Sequence

from verifflowcc.domain.items import Link
from verifflowcc.domain.trace import TraceItem
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.errors import UsageError
from verifflowcc.formats.front_matter_list import ListEdit
from verifflowcc.formats.front_matter_read import Value, member
from verifflowcc.formats.trace_render import link_entry
from verifflowcc.records import dataclass
from verifflowcc.services.finding import one_of
from verifflowcc.services.trace_editing import begin_edit, set_list, write_edits
from verifflowcc.services.trace_finding import find_item
from verifflowcc.services.trace_items import items_view
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import with_article
from verifflowcc.trace.relations import REFINES, against, fitting
from verifflowcc.trace.view import TraceView


@dataclass(frozen=True, slots=True)
class Linked:
    """Two items and the relations between them that were made or taken away; `path` is the file that holds them."""

    item: str
    to: str
    relations: tuple[str, ...]
    path: str


def link_items(workspace: Workspace, name: str, to: str, relation: str | None = None) -> Linked:
    """Add a link, which nobody has looked at yet: it gets its stamp with the next review, whoever adds it.

    Raises UsageError for unknown items and relations, and where it would be a second one, lead to a retired item or
    round in a circle; ConflictError where the file changed meanwhile.
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
    return Linked(item.id, target.id, (chosen,), item.path)


def _demand_direction(view: TraceView, item: TraceItem, target: TraceItem) -> None:
    """Tell a link that was given the wrong way round: links lead up, from what stands below."""
    if not fitting(view.policy, item.type, target.type) and fitting(view.policy, target.type, item.type):
        raise UsageError(
            f"no relation leads from a {item.type} to a {target.type}; links lead up, the other way round",
            hint=f"vfcc trace link {target.id} {item.id}",
        )


def unlink_items(workspace: Workspace, name: str, to: str, relation: str | None = None) -> Linked:
    """Take the links from one item to another away: all of them, or that of one relation.

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

    def without(values: tuple[Value, ...]) -> ListEdit:
        return ListEdit(dict.fromkeys(_places(values, target, relations)))

    write_edits(workspace, [set_list(begin_edit(workspace, item), "links", without)])
    return Linked(item.id, target, relations, item.path)


def chosen_relation(policy: TracePolicy, from_type: str, target: TraceItem, relation: str | None, command: str) -> str:
    """Return the relation from an item of a type to another: the one that was named, else the one that fits.

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
            f"{known} does not lead from {this} to {other}; {_either(fit)} does",
            hint=f"{command} --relation {fit[0]}",
        )
    if len(fit) > 1 and REFINES not in fit:
        raise UsageError(
            f"{this} can stand to {other} in several ways: {', '.join(fit)}; say which",
            hint=f"{command} --relation {fit[0]}",
        )
    return REFINES if REFINES in fit else fit[0]


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _linked(item: TraceItem, to: str) -> str | None:
    """Return the target of a link of the item that was meant, whether it is there or not."""
    wanted = to.strip().casefold()
    ids = sorted({link.to for link in item.links})
    exact = [each for each in ids if each.casefold() == wanted]
    begun = [each for each in ids if wanted and each.casefold().startswith(wanted)]
    return exact[0] if exact else begun[0] if len(begun) == 1 else None


def _places(values: tuple[Value, ...], target: str, relations: Sequence[str]) -> list[int]:
    return [
        index
        for index, value in enumerate(values)
        if member(value, "to") == target and member(value, "relation") in relations
    ]
