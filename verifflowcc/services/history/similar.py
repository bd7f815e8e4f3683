"""Past tasks that are like a text, with what came of them."""

from verifflowcc.adapters.index.history import History
from verifflowcc.adapters.index.history_asked import task_rows
from verifflowcc.domain.episodes import TaskEpisode
from verifflowcc.domain.tasks import TaskStatus
from verifflowcc.episodes.alike import Posting, ranked
from verifflowcc.records import dataclass
from verifflowcc.services.history.questions import episode, milliseconds_now, status_of
from verifflowcc.services.history.reading import open_history
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.stems import stems

BEST = 3
_LOOKED_AT = 4


@dataclass(frozen=True, slots=True)
class Alike:
    """A past task that is like a text, and how much: a whole number that says nothing but which is more."""

    task: TaskEpisode
    score: int


def similar_tasks(workspace: Workspace, text: str, limit: int = BEST) -> tuple[TaskEpisode, ...]:
    """Return the past tasks that are most like a text, best first; what is still in work is no past task.

    Raises BackendError.
    """
    with open_history(workspace) as history:
        return tuple(each.task for each in alike_in(history, text, milliseconds_now(workspace), limit))


def alike_in(history: History, text: str, now_ms: int | None, limit: int = BEST) -> tuple[Alike, ...]:
    """Return the same from a history that is open, with scores. Of tasks with the same words one stands for all."""
    terms = sorted(set(stems(text)))
    if not terms:
        return ()
    marks = ", ".join("?" * len(terms))
    postings: dict[str, list[Posting]] = {}
    for term, name, count in history.rows(f"SELECT term, id, count FROM task_terms WHERE term IN ({marks})", terms):
        postings.setdefault(term, []).append(Posting(name, count))
    names = sorted({each.task for found in postings.values() for each in found})
    lengths = _lengths(history, names)
    ((tasks,),) = history.rows("SELECT COUNT(*) FROM task_lengths")
    found: list[Alike] = []
    best = ranked(postings, lengths, tasks, len(names))
    for place in range(0, len(best), limit * _LOOKED_AT):
        some = best[place : place + limit * _LOOKED_AT]
        found += _past(history, some, {each.task.description.strip().casefold() for each in found}, now_ms)
        if len(found) >= limit:
            break
    return tuple(found[:limit])


def _past(history: History, best: tuple[tuple[str, int], ...], told: set[str], now_ms: int | None) -> list[Alike]:
    """Return those of the events that begin past tasks, in their order, but for those whose words were told."""
    ids = [name for name, _ in best]
    marks = ", ".join("?" * len(ids))
    both = f"SELECT id, task_id FROM {{}} WHERE id IN ({marks})"
    task_of = dict(history.rows(f"{both.format('prompts')} UNION ALL {both.format('tasks')}", ids * 2))
    rows = {row.id: row for row in task_rows(history, sorted(set(task_of.values())))}
    found = []
    for name, score in best:
        row = rows.get(task_of.get(name, ""))
        if row is None or status_of(row, now_ms) is TaskStatus.ACTIVE or row.description.strip().casefold() in told:
            continue
        told.add(row.description.strip().casefold())
        found.append(Alike(episode(history, row, now_ms), score))
    return found


def _lengths(history: History, names: list[str]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for place in range(0, len(names), 500):
        some = names[place : place + 500]
        marks = ", ".join("?" * len(some))
        query = f"SELECT id, terms FROM task_lengths WHERE id IN ({marks})"
        lengths |= dict(history.rows(query, some))
    return lengths
