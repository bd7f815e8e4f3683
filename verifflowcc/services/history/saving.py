"""How many searches, listings and reads of recorded sessions the code in their prompts had answered already.

Each prompt's words are asked again for the code that they bring into a prompt, and each call that followed is held
against it. Code and files are judged as they are now, not as they were then.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from verifflowcc.adapters.index.history_looked import looking_calls, prompts
from verifflowcc.adapters.project.content import project_content, read_project_file
from verifflowcc.episodes.answered import Shown, World, shown_by
from verifflowcc.episodes.looks import looks
from verifflowcc.episodes.saved import Counts, Saved, judged, saved, unasked
from verifflowcc.services.code.indexing import open_code
from verifflowcc.services.code.offering import OFFERED_TOKENS, graph_kept, offered
from verifflowcc.services.history.reading import open_history
from verifflowcc.services.token_counter import project_counter
from verifflowcc.services.workspace import Workspace

_KEPT_TEXTS = 2_000


def calls_saved(workspace: Workspace, session: str | None = None, budget_tokens: int = OFFERED_TOKENS) -> Saved:
    """Return what the prompts of all sessions, or of one, had answered, with so many tokens of code in each.

    Raises BackendError, and as `open_code` and `project_counter` do.
    """
    root = str(workspace.root)
    with open_history(workspace) as history:
        words, calls = prompts(history, session), looking_calls(history, session)
    asked = {call.task: words[call.task] for call in calls if call.task in words and looks(call, root)}
    once, twice, code = _shown(workspace, asked, (budget_tokens, 2 * budget_tokens))
    world = _world(workspace, code)
    counts = Counts(budget_tokens, len(asked), len(calls), unasked(calls, once, root))
    return saved(list(judged(calls, once, world, root)), list(judged(calls, twice, world, root)), counts)


def _shown(
    workspace: Workspace, asked: Mapping[str, str], budgets: tuple[int, int]
) -> tuple[dict[str, Shown], dict[str, Shown], frozenset[str]]:
    """Return what each task's prompt shows, with either budget, and the paths of all code."""
    found: tuple[dict[str, Shown], dict[str, Shown]] = ({}, {})
    with open_code(workspace) as code, project_counter(workspace) as counter:
        graph = graph_kept(workspace, code)
        for place, budget in enumerate(budgets):
            by_words: dict[str, Shown] = {}
            for task, words in asked.items():
                if words not in by_words:
                    by_words[words] = shown_by(offered(words, code, graph, counter, budget))
                found[place][task] = by_words[words]
        return *found, frozenset(code.files)


def _world(workspace: Workspace, code: frozenset[str]) -> World:
    paths = tuple(sorted(project_content(workspace.root, workspace.local)))
    return World(paths, code, _lines_of(workspace, frozenset(paths)))


def _lines_of(workspace: Workspace, paths: frozenset[str]) -> Callable[[str], Sequence[str] | None]:
    @lru_cache(maxsize=_KEPT_TEXTS)
    def lines(path: str) -> Sequence[str] | None:
        data = read_project_file(workspace.root, path) if path in paths else None
        return None if data is None or b"\0" in data[:8192] else tuple(data.decode("utf-8", "replace").splitlines())

    return lines
