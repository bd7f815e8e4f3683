"""How many searches, listings and reads of recorded sessions the code in their prompts had answered already.

Each prompt's words are asked again for the code that they bring into a prompt, and each call that followed is held
against it. Code and files are judged as they are now, not as they were then.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from verifflowcc.base.files.project_content import project_content, read_project_file
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.use.code_offers import OFFERED_TOKENS, graph_kept, offered
from verifflowcc.code.use.indexing import open_code
from verifflowcc.history.rules.learnt_calls import signature_of
from verifflowcc.history.rules.saved_calls import (
    Counts,
    SavingReport,
    ShownCode,
    World,
    judged,
    looks,
    saved,
    shown_by,
    unasked,
)
from verifflowcc.history.store.history_tables import looking_calls, prompts
from verifflowcc.history.use.history_reading import open_history
from verifflowcc.history.use.prompt_record import project_counter
from verifflowcc.memory.use.statistics import RepeatedFailures
from verifflowcc.memory.use.stores import open_store

# Failures that need not have been: the same error had a `failure` or a `fix` in the project's memory already.

_TYPES = ("failure", "fix")


def repeated_failures(workspace: Workspace) -> RepeatedFailures:
    """Return how many failures memory had known of: an item has the error's signature, and is no younger than it.

    An item has the signatures of all its lines, and the one that it was learnt with. Raises as the store does.
    """
    with open_history(workspace) as history:
        ((executions,),) = history.rows("SELECT COUNT(*) FROM tool_executions")
        failed = history.rows("SELECT signature, timestamp FROM tool_executions WHERE success = 0")
    if not failed:
        return RepeatedFailures(executions, 0, 0)
    known = _signatures(workspace)
    return RepeatedFailures(
        executions, len(failed), sum(known.get(signature or "", "9999") <= time[:10] for signature, time in failed)
    )


def _signatures(workspace: Workspace) -> dict[str, str]:
    """Return each signature that an item has, with the day since which one has it."""
    found: dict[str, str] = {}
    with open_store(workspace, "project") as store:
        for stored in store.query({"type": list(_TYPES)}, limit=10_000):
            created = (stored.item.created or "0000")[:10]
            lines = [stored.item.title, *stored.body.split("\n"), *stored.body.replace("“", "”").split("”")]
            signatures = {signature_of(line) for line in lines}
            signatures |= {value for name, value in stored.item.details if name == "signature"}
            for signature in signatures - {""}:
                found[signature] = min(found.get(signature, created), created)
    return found


_KEPT_TEXTS = 2_000


def calls_saved(workspace: Workspace, session: str | None = None, budget_tokens: int = OFFERED_TOKENS) -> SavingReport:
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
) -> tuple[dict[str, ShownCode], dict[str, ShownCode], frozenset[str]]:
    """Return what each task's prompt shows, with either budget, and the paths of all code."""
    found: tuple[dict[str, ShownCode], dict[str, ShownCode]] = ({}, {})
    with open_code(workspace) as code, project_counter(workspace) as counter:
        graph = graph_kept(workspace, code)
        for place, budget in enumerate(budgets):
            by_words: dict[str, ShownCode] = {}
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
