"""Pack, render and count until the prompt, as rendered, is within its budget.

Token counts do not add up exactly when texts are joined, and a project's own template may print what it likes around an
entry. So the packed entries are rendered and the text is counted; what it has too much is taken from the next attempt,
what it has to spare is offered once more.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.errors import BudgetError
from verifflowcc.base.model.entries import Candidate, Fate, PlacedCandidate
from verifflowcc.base.model.item_values import Trust
from verifflowcc.base.model.layers import CODE, Layer
from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.code_views import DIFF_LANGUAGE
from verifflowcc.prompt.rules.fill import MINIMUM_TRIMMED_TOKENS, LayerQueue, TrimmedBody
from verifflowcc.prompt.rules.pack import Packing, pack

if TYPE_CHECKING:
    from verifflowcc.base.model.ports import Count

REFINEMENTS = 3
"""How often spare tokens are offered again. Two are enough in practice; the bound keeps the work linear."""

CODE_FRAME_TOKENS = 12
_HUMAN = str(Trust.HUMAN)
_CHARS_OF_TEXT = 4
"""A title with so many characters for each token of the text is all of a text of one line."""

BOUNDLESS_TOKENS = 1 << 50
"""More than any layer may take."""


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An entry in the prompt, with its body whole or trimmed."""

    candidate: Candidate
    text: str
    trimmed: bool


@dataclass(frozen=True, slots=True)
class Tools:
    """What compiling needs: a counter, the bodies, and the template."""

    count: "Count"
    text_of: Callable[[Candidate], str]
    render: Callable[[Sequence[ShownEntry]], str]


@dataclass(frozen=True, slots=True)
class CompiledPrompt:
    """A prompt within its budget, and how it was packed. `overhead` is what the template takes with no entry at all."""

    text: str
    tokens: int
    overhead: int
    packing: Packing


def compile_prompt(queues: Sequence[LayerQueue], budget_tokens: int, tools: Tools) -> CompiledPrompt:
    """Return the prompt for these candidates, at most `budget_tokens` as counted on the final text.

    Raises BudgetError, with the smallest budget that would do, where the budget holds none of the agent's entries
    (none at all, where the agent has none that its layer may hold).
    """
    compiling = _Compilation(queues, tools)
    compiled = compiling.fit(budget_tokens)
    if compiled is not None and compiling.holds(compiled):
        return compiled
    needed = compiling.smallest(budget_tokens)
    raise BudgetError(
        f"a budget of {budget_tokens:,} tokens cannot hold this prompt; the smallest that would do is {needed:,}",
        needed=needed,
        hint=f"--budget {needed}",
    )


class _Compilation:
    """One set of candidates, compiled at one or more budgets; bodies are trimmed once per limit."""

    def __init__(self, queues: Sequence[LayerQueue], tools: Tools) -> None:
        self._queues = queues
        self._tools = tools
        self._trim = trimmer(tools.count, tools.text_of)
        self._overhead = tools.count(tools.render(()))
        self._possible: set[Layer] | None = None

    def fit(self, budget: int) -> CompiledPrompt | None:
        """Return the fullest prompt found within `budget`, or None where not even the empty one is."""
        if self._overhead > budget:
            return None
        available = budget - self._overhead
        compiled = self._attempt(available)
        while compiled.tokens > budget:
            available -= max(1, compiled.tokens - budget)
            compiled = self._attempt(max(0, available))
        for _ in range(REFINEMENTS):
            spare = budget - compiled.tokens
            if spare <= 0 or all(one.outcome is Fate.KEPT for one in compiled.packing.placed):
                break
            fuller = self._attempt(available + spare)
            if not compiled.tokens < fuller.tokens <= budget:
                break
            available, compiled = available + spare, fuller
        return compiled

    def holds(self, compiled: CompiledPrompt) -> bool:
        """Whether something of the agent layer is in the prompt; anything, where the agent layer can have nothing in.

        A layer's `max_tokens` may keep all of its entries out at any budget; then none would do. Beside other layers,
        what is known of the person is never what a budget fails for.
        """
        placed = _layers_in(compiled.packing)
        if Layer.AGENT in placed:
            return True
        if self._possible is None:
            self._possible = _layers_in(pack(self._queues, BOUNDLESS_TOKENS, frame_tokens, self._trim))
            if any(queue.layer is not Layer.USER for queue in self._queues):
                self._possible.discard(Layer.USER)
        return Layer.AGENT not in self._possible and (bool(placed) or not self._possible)

    def smallest(self, budget: int) -> int:
        """Return the smallest budget above `budget` that holds the prompt, by doubling and then halving."""
        failing, step = budget, max(1, self._overhead - budget, self._cheapest() // 2)
        while not self._enough(failing + step):
            failing, step = failing + step, step * 2
        enough = failing + step
        while enough - failing > 1:
            middle = (enough + failing) // 2
            failing, enough = (failing, middle) if self._enough(middle) else (middle, enough)
        return enough

    def _enough(self, budget: int) -> bool:
        compiled = self.fit(budget)
        return compiled is not None and self.holds(compiled)

    def _cheapest(self) -> int:
        sizes = [min(one.tokens, MINIMUM_TRIMMED_TOKENS) for queue in self._queues for one in queue.candidates]
        return min(sizes, default=0)

    def _attempt(self, available: int) -> CompiledPrompt:
        packing = pack(self._queues, available, frame_tokens, self._trim)
        text = self._tools.render(self._shown(packing.placed))
        return CompiledPrompt(text, self._tools.count(text), self._overhead, packing)

    def _shown(self, placed: Sequence[PlacedCandidate]) -> tuple[ShownEntry, ...]:
        return tuple(
            ShownEntry(
                one.candidate,
                self._tools.text_of(one.candidate) if one.text is None else one.text,
                one.outcome is Fate.TRIMMED,
            )
            for one in placed
            if one.outcome is not Fate.DROPPED
        )


def _layers_in(packing: Packing) -> set[Layer]:
    return {one.candidate.layer for one in packing.placed if one.outcome is not Fate.DROPPED}


def trimmer(count: "Count", text_of: Callable[[Candidate], str]) -> Callable[[Candidate, int], TrimmedBody | None]:
    """Return what trims a candidate's body to a number of tokens; once per body and limit."""
    known: dict[tuple[Layer, str, int], TrimmedBody | None] = {}

    def trim(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
        key = (candidate.layer, candidate.path, limit_tokens)
        if key not in known and candidate.kind == DIFF_LANGUAGE:
            known[key] = None  # part of a hunk is no diff
        elif key not in known:
            from verifflowcc.prompt.rules.trim import summarise, trim_text  # most entries are whole or left out

            text, total, path = text_of(candidate), candidate.tokens, candidate.path
            found = trim_text(text, limit_tokens, count, total_tokens=total, rest=path, kind=candidate.kind)
            if found is None and candidate.short_form:
                found = summarise(text, limit_tokens, count, total_tokens=total, rest=path, kind=candidate.kind)
            known[key] = found
        return known[key]

    return trim


def frame_tokens(candidate: Candidate) -> int:
    """Estimate the tokens that are printed around an entry's text.

    These are the marker and title of an item, the heading and fence of a file. An estimate is enough, since the final
    text is counted. Fitted on the shipped templates, where it is within five; of pieces of code, which share a heading
    and a fence with the others of their file, it is a mean. The heading that items of a type share is not in it.
    """
    if candidate.origin == CODE:
        return CODE_FRAME_TOKENS
    marks = sum(4 + _tokens_in(each) for each in (candidate.invalid_reason, candidate.stale) if each)
    marks += 2 + _tokens_in(candidate.conflict) if candidate.conflict else 0
    if candidate.item:
        return 2 + marks + _title_tokens(candidate) + _tokens_in(candidate.error)
    unfenced = candidate.always and candidate.trust == _HUMAN and candidate.kind == "markdown"
    fence = 3 if unfenced and candidate.layer is Layer.PROJECT else 7 + 2 * (candidate.trust != _HUMAN)
    return fence + marks + _tokens_in(candidate.key)


def _title_tokens(candidate: Candidate) -> int:
    """Return about what an item's title takes; nothing where it only repeats the beginning of the text."""
    title = candidate.title
    repeats = title.endswith("…") or len(title) >= _CHARS_OF_TEXT * candidate.tokens
    return 0 if repeats or title in (candidate.item, "") else 3 + len(title) // 5


def _tokens_in(words: str) -> int:
    """Return about how many tokens a path or a clause has."""
    return (len(words) + 3) // 4
