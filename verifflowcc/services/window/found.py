"""What bears on a message: pieces of the project's code, and what became of the most similar past tasks."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from verifflowcc.domain.episodes import TaskEpisode
from verifflowcc.domain.ports import TokenCounter
from verifflowcc.domain.window import FULL, ItemType, WindowItem
from verifflowcc.episodes.window_prepare import past_work
from verifflowcc.records import replace
from verifflowcc.services.window.items import Given, item_of
from verifflowcc.services.workspace import Workspace

Similar = Callable[[str, int], Sequence[TaskEpisode]]
"""Returns past tasks that are like a text, at most so many, the most similar first."""

SIMILAR_TASKS = 3
_PAST, _STEP, _LOWEST = 800, 10, 500


def similar_in(workspace: Workspace) -> Similar:
    """Return what finds similar tasks in a project's history."""

    def similar(text: str, limit: int) -> Sequence[TaskEpisode]:
        from verifflowcc.services.history.similar import similar_tasks

        return similar_tasks(workspace, text, limit)

    return similar


def code_found(
    workspace: Workspace, text: str, task: str | None, now: datetime, counter: TokenCounter
) -> Iterator[WindowItem]:
    """Yield the code that bears on a text, best first: each piece with its lines, then the signatures around them.

    The better ones are a little more relevant. Nothing where there is no code. Raises as `code_for`.
    """
    from verifflowcc.codegraph.snippets import shown_text
    from verifflowcc.services.code.offering import SIGNATURES, code_for

    for rank, piece in enumerate(code_for(workspace, text, None, counter).pieces):
        relevance = max(FULL - rank * _STEP, _LOWEST)
        if piece.path == SIGNATURES and not piece.name:
            given = Given(piece.text, ItemType.GRAPH_QUERY.value, relevance=relevance)
        else:
            lines = (piece.first, piece.last)
            kind = ItemType.CODE_SNIPPET.value
            given = Given(shown_text(piece), kind, relevance=relevance, path=piece.path, lines=lines)
        if given.content.strip():
            yield item_of(given, task, now, counter.count)


def past_found(
    similar: Similar, text: str, task: str | None, now: datetime, counter: TokenCounter
) -> Iterator[WindowItem]:
    """Yield what is told of the 3 most similar past tasks, as one item; nothing where there are none."""
    told = past_work(similar(text, SIMILAR_TASKS)[:SIMILAR_TASKS])
    if told:
        item = item_of(Given(told, ItemType.ASSISTANT_RESPONSE.value), task, now, counter.count)
        yield replace(item, relevance=_PAST)
