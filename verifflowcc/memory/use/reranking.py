"""Let the person's own model rank the best hits again, if words do not decide.

Where the model fails, the order by words is kept.

The model, its caps of calls and tokens, and the words for its failures are those of extraction. Naming a model in one's
own settings is the leave to ask it: a project says that it would have hits ordered anew (`memory.rerank.enabled`), and
where a person names no model nothing is asked and nothing leaves the machine.
"""

from collections.abc import Callable, Sequence

from verifflowcc.base.errors import ModelError, VfccError
from verifflowcc.base.model.config_values import ExtractionMode, MemorySettings, ModelSettings, TokenSettings
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.ports import Count, Model
from verifflowcc.base.model.recall_values import Hit, RerankResult
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.markdown import sections
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.guarding import safe_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.metric_lines import count_line
from verifflowcc.memory.rules.reranking_order import (
    order_question,
    order_schema,
    read_order,
    speaks_to_a_model,
    why_rerank,
)
from verifflowcc.memory.use.access_counts import RERANK_CALLS, RERANK_SKIPPED, moment, note_lines
from verifflowcc.memory.use.model_budget import LEAST_ANSWER, ModelSpending, Reservation, open_budget

TextOf = Callable[[Hit], str]
"""The text of a hit's best passage (`passage`)."""

LENGTHS = (600, 300, 150)
"""Characters of a hit that a model is given: the first of these with which all are within the tokens of a turn."""

OFF = "rerank is off (memory.rerank.enabled)"
_CLEAR = "no condition to rerank holds"
_PRIVATE = frozenset({"user", "task"})
_TOKENS_PER_NUMBER = 4

Ordered = tuple[list[Hit], RerankResult, tuple[str, ...]]
"""The hits, whether and why a model ordered them, and sentences for the person."""


def rerank(
    workspace: Workspace | None,
    question: str,
    hits: Sequence[Hit],
    settings: MemorySettings,
    *,
    text_of: TextOf,
    asks: bool = True,
) -> Ordered:
    """Return the direct hits in the order that a model gives the best of them, or as they are.

    They stay as they are where rerank is off, no condition holds, the person names no model, a cap is reached, or the
    model fails; each is in what is returned, and counted. With `asks` False no model is asked: it is told that one
    would be. A model is given the title and the best text of hits, secrets withheld; scores never change. What a
    person keeps for themselves is given to it only where it reads what they say, too (`memory.extraction_mode`). A hit
    that is not given to it keeps its place. Raises ConfigError or WorkspaceError where the person's own settings
    cannot be read.
    """
    if not (settings.enabled and settings.rerank.enabled):
        return [*hits], RerankResult("", OFF), ()
    because = why_rerank(question, hits, settings.rerank)
    if because is None:
        return _as_they_are(workspace, hits, "clear", _CLEAR)
    if not settings.max_llm_calls_per_turn:
        return _as_they_are(workspace, hits, "capped", "memory.max_llm_calls_per_turn is 0")
    asker = _asker(workspace, settings)
    if asker is None:
        return _as_they_are(workspace, hits, "no_model", "your own settings name no model")
    sent = _sent(hits, settings, text_of)
    asker.notices += sent.notices
    if len(sent.places) < 2:
        return _as_they_are(workspace, hits, "withheld", "fewer than two hits may be shown to a model", asker)
    if not asks:
        return [*hits], RerankResult("", f"{asker.model.name} would order the best {len(sent.places)} hits"), ()
    try:
        order = asker.order(safe_text(question), sent.texts)
    except ModelError as error:
        asker.notices.append(
            f"{error.message}; the order by words is kept" + (f" ({error.hint})" if error.hint else "")
        )
        return _as_they_are(workspace, hits, error.why, error.message, asker)
    ordered = [*hits]
    for place, number in zip(sent.places, order, strict=True):
        ordered[place] = hits[sent.places[number]]
    notices = _counted(workspace, asker.calls)
    return ordered, RerankResult(asker.model.name, withhold(because)), (*asker.notices, *notices)


def passage(body: str, heading: str) -> str:
    """Return the section of a text below a heading, with the heading.

    Without a heading, or where the text does not have it, it is the whole text.

    >>> passage("# Cache\\nRedis.\\n# Store\\nPostgres.\\n", "Store")
    '# Store\\nPostgres.\\n'
    """
    found = next((each for each in sections(body) if heading and each.title == heading), None)
    return body[found.start : found.end] if found else body


@dataclass(frozen=True, slots=True)
class _SentHits:
    """What a model is given: the places among the hits and their texts, with notices."""

    places: tuple[int, ...]
    texts: tuple[str, ...]
    notices: tuple[str, ...]


def _sent(hits: Sequence[Hit], settings: MemorySettings, text_of: TextOf) -> _SentHits:
    reads_private = settings.extraction_mode is not ExtractionMode.HEURISTIC
    places: list[int] = []
    texts: list[str] = []
    notices: list[str] = []
    for place, hit in enumerate(hits[: settings.rerank.max_candidates]):
        if hit.scope.partition("/")[0] in _PRIVATE and not reads_private:
            continue
        text = safe_text(_shown(hit.item, text_of(hit)))
        if speaks_to_a_model(text):
            name = withhold(hit.item.id)
            notices.append(f"{name} reads like orders to a model: it is not shown to one, and keeps its place")
            continue
        places.append(place)
        texts.append(text)
    return _SentHits(tuple(places), tuple(texts), tuple(notices))


def _shown(item: Item, text: str) -> str:
    """Together, so that a title that names what the text gives away withholds it."""
    body = text.strip()
    return body if body.startswith(item.title) else f"{item.title}\n{body}".strip()


@dataclass(slots=True)
class _Asker:
    """Asks a model once, within a person's caps. `calls` says whether it did; `notices` are for the person."""

    model: Model
    count: Count
    workspace: Workspace | None
    wanted: ModelSettings
    most_calls: int
    calls: int = 0
    notices: list[str] = field(default_factory=list)

    def order(self, question: str, texts: Sequence[str]) -> tuple[int, ...]:
        """Return the new order of texts, as numbers from 0. Raises ModelError."""
        prompt, tokens_in = self._prompt(question, texts)
        reserved = self._reserved(tokens_in)
        self.calls += 1
        took: int | None = None
        try:
            answer = self.model.ask(prompt, order_schema(len(texts)), most_tokens=reserved.most_out)
            took = answer.tokens_in + answer.tokens_out
            return read_order(answer.text, len(texts))
        except ModelError as error:
            took = error.tokens if took is None else took
            raise
        finally:
            self._settle(reserved, took)

    def _prompt(self, question: str, texts: Sequence[str]) -> tuple[str, int]:
        """Return the prompt and its tokens; texts are cut shorter where it would else be too long for a turn."""
        room = self.wanted.max_tokens_per_turn - max(LEAST_ANSWER, _TOKENS_PER_NUMBER * len(texts))
        prompt, tokens_in = "", 0
        for longest in LENGTHS:
            prompt = order_question(question, texts, longest)
            tokens_in = self.count(prompt)
            if tokens_in <= room:
                break
        return prompt, tokens_in

    def _reserved(self, tokens_in: int) -> Reservation:
        """Where the caps cannot be counted, none may be spent."""
        try:
            return open_budget(self.workspace, self.wanted).reserve(tokens_in, ModelSpending(), self.most_calls)
        except ModelError:
            raise
        except VfccError as error:
            raise ModelError(f"the caps cannot be counted: {error.message}", why="capped", tokens=0) from error

    def _settle(self, reserved: Reservation, took: int | None) -> None:
        try:
            open_budget(self.workspace, self.wanted).settle(reserved, took)
        except VfccError as error:
            self.notices.append(f"the tokens of a call are counted as reserved: {error.message}")


def _asker(workspace: Workspace | None, settings: MemorySettings) -> _Asker | None:
    """Return who asks the model of the person's own settings; None where they name none."""
    from verifflowcc.base.config.config_load import user_settings
    from verifflowcc.base.tokens.token_counter import open_counter
    from verifflowcc.memory.store.model_opening import open_model

    wanted = user_settings().llm
    if not (wanted.command or wanted.api):
        return None
    count = open_counter(TokenSettings()).count
    model = open_model(wanted, count)
    return _Asker(model, count, workspace, wanted, settings.max_llm_calls_per_turn) if model else None


def _as_they_are(
    workspace: Workspace | None, hits: Sequence[Hit], why: str, reason: str, asker: _Asker | None = None
) -> Ordered:
    """Return the hits in the order by words, which is counted under `why`."""
    calls, notices = (asker.calls, asker.notices) if asker else (0, [])
    return [*hits], RerankResult("", reason), (*notices, *_counted(workspace, calls, why))


def _counted(workspace: Workspace | None, calls: int, why: str = "") -> tuple[str, ...]:
    at = moment(workspace)
    lines = [count_line(at, RERANK_CALLS, calls)] if calls else []
    lines += [count_line(at, RERANK_SKIPPED, 1, why)] if why else []
    return note_lines(workspace, b"".join(lines))
