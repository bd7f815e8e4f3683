"""The code for a task, and a map of the repository, within a number of tokens."""

from collections.abc import Callable

from verifflowcc.codegraph.context import choose
from verifflowcc.codegraph.map import map_of
from verifflowcc.codegraph.snippets import rendered
from verifflowcc.domain.code_told import CodeContext, CodeMap
from verifflowcc.records import replace
from verifflowcc.services.code.indexing import open_code
from verifflowcc.services.code.offering import graph_kept
from verifflowcc.services.sent_prompts import project_counter
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.secrets import withhold


def show_context(workspace: Workspace, task: str, budget_tokens: int, *, unmarked: bool = False) -> CodeContext:
    """Return the code that bears on a task. With `unmarked`, tests and vendored files count as the others do.

    Secrets are withheld. Raises as `bring_up`, and ConfigError for settings of the counter that do not hold.
    """
    with open_code(workspace) as code, project_counter(workspace) as counter:
        chosen = choose(task, code, budget_tokens, counter.count, graph_kept(workspace, code), unmarked=unmarked)
        snippets = tuple(replace(each, text=withhold(each.text)) for each in chosen.filled.snippets)
        text = rendered(snippets)
        while (tokens := counter.count(text)) > budget_tokens:
            snippets = snippets[:-1]  # the parts together take a few more tokens than they do apart
            text = rendered(snippets)
        return CodeContext(
            task=withhold(task),
            budget_tokens=budget_tokens,
            tokens=tokens,
            text=text,
            snippets=snippets,
            files=chosen.files,
            not_shown=chosen.filled.not_shown,
            counter=counter.name,
            notices=code.notices,
        )


def show_map(workspace: Workspace, budget_tokens: int) -> CodeMap:
    """Return an overview of the repository, the same for the same files. Raises as `show_context`."""
    with open_code(workspace) as code, project_counter(workspace) as counter:
        count: Callable[[str], int] = counter.count
        mapped = map_of(code, graph_kept(workspace, code), budget_tokens, lambda text: count(withhold(text)))
        return CodeMap(
            budget_tokens,
            mapped.tokens,
            withhold(mapped.text),
            mapped.files,
            len(code.files),
            mapped.symbols,
            counter.name,
            code.notices,
        )
