"""The code that a prompt is offered for its task: the best pieces, and the signatures around them as one entry."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from verifflowcc.codegraph.context import choose
from verifflowcc.codegraph.links import graph_of
from verifflowcc.codegraph.map import map_of
from verifflowcc.codegraph.mix import CodeMix
from verifflowcc.codegraph.snippets import shown_text
from verifflowcc.domain.code_views import Snippet
from verifflowcc.records import dataclass, field
from verifflowcc.services.code.indexing import open_code
from verifflowcc.services.code.linking import graph_kept
from verifflowcc.services.code.states import digest_of
from verifflowcc.services.workspace import Workspace

if TYPE_CHECKING:
    from verifflowcc.codegraph.links import FileGraph
    from verifflowcc.domain.graph import SearchedCode
    from verifflowcc.domain.ports import TokenCounter

OFFERED_TOKENS = 8_000
"""What is offered where no budget is named."""

OFFERED_PERCENT = 150
"""Of a prompt's budget: pieces are counted with a heading each, and in a prompt those of a file share one."""

ORDINARY = CodeMix(tests=10)
_OVERVIEW = CodeMix(bodies=False, map_tokens=1_500)
_INTERFACES = CodeMix(bodies=False, callers=True)
MIXES = {
    **dict.fromkeys(("planner", "analyst", "stakeholder"), _OVERVIEW),
    **dict.fromkeys(("architect", "designer"), _INTERFACES),
    "tester": CodeMix(tests=60, bodies=False),
}
"""The mix of each role that does not have the ordinary one."""

SIGNATURES, MAP = "signatures", "map"


@dataclass(frozen=True, slots=True)
class PieceFile:
    """The lines of a file, and the first and last line of each definition in it."""

    lines: tuple[str, ...]
    definitions: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """Pieces of code, best first, the state of all code that they were chosen from, and their files by path."""

    pieces: tuple[Snippet, ...]
    state: str
    files: Mapping[str, PieceFile] = field(default_factory=dict)


def code_for(
    workspace: Workspace,
    task: str,
    commit: str | None,
    counter: "TokenCounter",
    budget_tokens: int = OFFERED_TOKENS,
    role: str = "",
) -> Offer:
    """Return pieces of the code as it is, or as a commit has it, best first, for a role. Raises as `open_code`."""
    mix = MIXES.get(role, ORDINARY)
    with open_code(workspace, commit=commit) as code:
        state = digest_of(code)
        graph = (None if commit else graph_kept(workspace, code, state)) or graph_of(code)
        most = budget_tokens * OFFERED_PERCENT // 100
        pieces = (*_overview(code, graph, counter, mix), *offered(task, code, graph, counter, most, mix))
        paths = dict.fromkeys(each.path for each in pieces if each.path in code.files)
        return Offer(pieces, state, {path: file_of(code, path) for path in paths})


def _overview(code: "SearchedCode", graph: "FileGraph", counter: "TokenCounter", mix: CodeMix) -> Iterator[Snippet]:
    if mix.map_tokens:
        mapped = map_of(code, graph, mix.map_tokens, counter.count)
        if mapped.text:
            yield Snippet(MAP, 0, 0, "", mapped.text, mapped.tokens, "an overview of all files")


def offered(
    task: str,
    code: "SearchedCode",
    graph: "FileGraph | None",
    counter: "TokenCounter",
    budget_tokens: int = OFFERED_TOKENS,
    mix: CodeMix = ORDINARY,
) -> tuple[Snippet, ...]:
    """Return the same from code that is open, and within another number of tokens."""
    pieces = choose(task, code, budget_tokens, counter.count, graph, mix=mix).filled.snippets
    whole = [each for each in pieces if each.whole]
    if text := "".join(shown_text(each) for each in pieces if not each.whole):
        whole.append(Snippet(SIGNATURES, 0, 0, "", text, counter.count(text), "what the pieces above speak of"))
    return tuple(whole)


def file_of(code: "SearchedCode", path: str) -> PieceFile:
    """Return a file as pieces of it are shown."""
    text = (code.text(path) or b"").decode("utf-8", "replace")
    lines = tuple(line.removesuffix("\r") for line in text.split("\n"))
    return PieceFile(lines, tuple((each.line, each.end) for each in code.head(path).definitions))


def state_now(workspace: Workspace) -> str:
    """Return the state of the code as it is, as `Offer` has it. Raises as `open_code`."""
    with open_code(workspace) as code:
        return digest_of(code)
