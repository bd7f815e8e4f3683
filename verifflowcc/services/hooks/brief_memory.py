"""The project's memory in a brief: the rules that hold, the ones that concern the work first, and what waits."""

from collections.abc import Sequence

from verifflowcc.adapters.files.private import USER
from verifflowcc.context.standing import standing
from verifflowcc.domain.items import Item, awaits_promotion
from verifflowcc.domain.recall import Hit, Sought
from verifflowcc.domain.sprints import SprintState
from verifflowcc.domain.tasks import Task
from verifflowcc.episodes.seen_brief import RULE
from verifflowcc.services.hooks.brief_request import BriefRequest
from verifflowcc.services.hooks.brief_text import BriefPart, Entry, shown
from verifflowcc.services.hooks.settings import Standing
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.scopes import scopes_recalled
from verifflowcc.services.memory.tasks import open_tasks
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import plain_line
from verifflowcc.text.secrets import withhold

TYPES = ("constraint", "decision", "convention", "failure")
"""What limits what may be done: the types of items that a session begins with."""
_IN_FORCE = ("constraint", "convention", "guideline", "decision")
"""What holds for all work, whatever it is called; what went wrong once is of use where its words fit."""
_RULES, _PROPOSALS, _TASKS = 8, 3, 5
_LONGEST_TEXT = 400


def rules(request: BriefRequest) -> BriefPart:
    """Return the rules in force: those that match the open tasks or the goals, then others, the most important first.

    The first has the beginning of its text.
    """
    words = " ".join(task.description for task in tasks_of(request)) or _goal_words(request.standing.sprint)
    hits = recalled(request.workspace, request.standing, words, _RULES, request.reader_role) if words else ()
    matched = {hit.item.id for hit in hits}
    found = [(hit.scope, hit.item, line_of(hit)) for hit in hits]
    found += [(scope, item, _index_line(item)) for scope, item in _in_force(request) if item.id not in matched]
    lines = [Entry(line, f"{RULE}{item.id} {line}") for _, item, line in found]
    if found and (text := _text_of(request.workspace, found[0][0], found[0][1].id)):
        lines[0] = Entry(f"{lines[0].text}\n  > {text}", lines[0].key)
    heading = "Rules in force, those that match the work first" if hits else "Rules in force"
    return BriefPart(heading, tuple(lines[:_RULES]), max(0, len(lines) - _RULES), "rules", "vfcc memory list")


def proposals(request: BriefRequest) -> BriefPart:
    """Return the items that wait for a person."""
    if request.compacted:
        return BriefPart()
    waiting = [item for _, item in request.items() if awaits_promotion(item)]
    waiting.sort(key=lambda item: (item.created or "", item.id), reverse=True)
    lines = [
        Entry(f"{item.type} {item.id}, by {shown(item.source.actor, 40)}: {shown(item.title)}") for item in waiting
    ]
    hidden = max(0, len(waiting) - _PROPOSALS)
    heading = "Proposals that wait for a person, not in force"
    return BriefPart(heading, tuple(lines[:_PROPOSALS]), hidden, "proposals", "vfcc memory inbox")


def open_work(request: BriefRequest) -> BriefPart:
    """Return the tasks that are open, the newest first."""
    found = tasks_of(request)[::-1]
    lines = tuple(Entry(f"{task.id}: {shown(task.description)}") for task in found[:_TASKS])
    return BriefPart("Open tasks", lines, max(0, len(found) - _TASKS), "tasks", "vfcc task list")


def tasks_of(request: BriefRequest) -> Sequence[Task]:
    """Return the open tasks of the role in the sprint, oldest first."""
    sprint = request.standing.sprint
    return open_tasks(request.workspace, request.reader_role, sprint.id if sprint else None)


def recalled(workspace: Workspace, place: Standing, words: str, limit: int, role: str | None = None) -> tuple[Hit, ...]:
    """Return the items that limit what may be done and bear on words, best first; a person's own are not among them."""
    from verifflowcc.services.recall.searching import search

    scopes = [scope for scope in scopes_recalled(workspace, agent=role or place.role) if scope != USER]
    found = search(workspace, scopes, Sought(words[:2000], limit, types=TYPES))
    return tuple(found.hits)


def line_of(hit: Hit) -> str:
    """Return an item in a line."""
    stale = f" (stale: {hit.stale})" if hit.stale else ""
    return f"{_index_line(hit.item)}{stale}"


def ids_in_force(request: BriefRequest) -> frozenset[str]:
    """Return the ids of all items that hold, whether or not a brief lists them."""
    items = [item for _, item in request.items()]
    withdrawn = standing(items).left_out
    return frozenset(item.id for item in items if item.path not in withdrawn)


def _index_line(item: Item) -> str:
    return f"{item.type} {item.id}, trust {item.trust}: {shown(item.title)}"


def _in_force(request: BriefRequest) -> Sequence[tuple[str, Item]]:
    """Return the rules that hold for all work: by their kind, the most important first."""
    withdrawn = standing([item for _, item in request.items()]).left_out
    today = request.workspace.today()
    found = [
        (scope, item)
        for scope, item in request.items()
        if item.type in _IN_FORCE and item.path not in withdrawn and not (item.expires and item.expires[:10] < today)
    ]
    return sorted(found, key=lambda each: (_IN_FORCE.index(each[1].type), -each[1].importance, each[1].id))


def _text_of(workspace: Workspace, scope: str, name: str) -> str:
    """Return the beginning of an item's text, on one line."""
    with open_store(workspace, scope) as store:
        stored = store.get(name)
    text = plain_line(withhold(stored.body), _LONGEST_TEXT + 1) if stored else ""
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT].rstrip()}…"


def _goal_words(sprint: SprintState | None) -> str:
    return " ".join((sprint.title, *sprint.goals)) if sprint else ""
