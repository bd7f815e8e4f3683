"""The code that a prompt is offered for its task: the best pieces, and the signatures around them as one entry."""

from typing import TYPE_CHECKING

from verifflowcc.codegraph.context import choose
from verifflowcc.codegraph.snippets import shown_text
from verifflowcc.domain.code_views import Snippet
from verifflowcc.records import dataclass
from verifflowcc.services.code.indexing import open_code
from verifflowcc.services.code.linking import graph_kept
from verifflowcc.services.code.states import digest_of
from verifflowcc.services.workspace import Workspace

if TYPE_CHECKING:
    from verifflowcc.codegraph.links import FileGraph
    from verifflowcc.domain.graph import SearchedCode
    from verifflowcc.domain.ports import TokenCounter

OFFERED_TOKENS = 8_000
"""More is not offered, however large the budget is: what comes later matters less and less."""

SIGNATURES = "signatures"


@dataclass(frozen=True, slots=True)
class Offer:
    """Pieces of code, best first, and the state of all code that they were chosen from."""

    pieces: tuple[Snippet, ...]
    state: str


def code_for(workspace: Workspace, task: str, commit: str | None, counter: "TokenCounter") -> Offer:
    """Return pieces of the code as it is, or as a commit has it, best first. Raises as `open_code`."""
    with open_code(workspace, commit=commit) as code:
        state = digest_of(code)
        graph = None if commit else graph_kept(workspace, code, state)
        return Offer(offered(task, code, graph, counter), state)


def offered(
    task: str,
    code: "SearchedCode",
    graph: "FileGraph | None",
    counter: "TokenCounter",
    budget_tokens: int = OFFERED_TOKENS,
) -> tuple[Snippet, ...]:
    """Return the same from code that is open, and within another number of tokens."""
    pieces = choose(task, code, budget_tokens, counter.count, graph).filled.snippets
    whole = [each for each in pieces if each.whole]
    if text := "".join(shown_text(each) for each in pieces if not each.whole):
        whole.append(Snippet(SIGNATURES, 1, 1, "", text, counter.count(text), "what the pieces above speak of"))
    return tuple(whole)


def state_now(workspace: Workspace) -> str:
    """Return the state of the code as it is, as `Offer` has it. Raises as `open_code`."""
    with open_code(workspace) as code:
        return digest_of(code)
