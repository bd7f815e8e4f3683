"""The code that a prompt is offered for its task: the best pieces, and the signatures around them as one entry."""

from typing import TYPE_CHECKING

from verifflowcc.codegraph.context import choose
from verifflowcc.codegraph.snippets import shown_text
from verifflowcc.domain.code_views import Snippet
from verifflowcc.services.code.indexing import open_code
from verifflowcc.services.code.linking import links_kept
from verifflowcc.services.workspace import Workspace

if TYPE_CHECKING:
    from verifflowcc.domain.ports import TokenCounter

OFFERED_TOKENS = 8_000
"""More is not offered, however large the budget is: what comes later matters less and less."""

SIGNATURES = "signatures"


def code_for(workspace: Workspace, task: str, commit: str | None, counter: "TokenCounter") -> tuple[Snippet, ...]:
    """Return pieces of the code as it is, or as a commit has it, best first. Raises as `open_code`."""
    with open_code(workspace, commit=commit) as code:
        links = None if commit else links_kept(workspace, code)
        pieces = choose(task, code, OFFERED_TOKENS, counter.count, links).filled.snippets
    whole = tuple(each for each in pieces if each.whole)
    around = [each for each in pieces if not each.whole]
    if not around:
        return whole
    text = "".join(shown_text(each) for each in around)
    return (*whole, Snippet(SIGNATURES, 1, 1, "", text, counter.count(text), "what the pieces above speak of"))
