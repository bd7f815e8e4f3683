"""Extract from turns by rules, and refine by a model where a person named one; where that fails, the rules go on."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from verifflowcc.base.errors import ModelError, VfccError
from verifflowcc.base.model.config_values import ExtractionMode, MemorySettings, ModelSettings, TokenSettings
from verifflowcc.base.model.ports import Count, Model
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.candidates import Extraction, Signals, StatementCandidate
from verifflowcc.memory.rules.code_names import key_of
from verifflowcc.memory.rules.metric_lines import count_line
from verifflowcc.memory.rules.model_extraction import (
    ExtractionAnswer,
    StatementOf,
    answer_schema,
    question_about,
    read_answer,
)
from verifflowcc.memory.rules.turns import Turn
from verifflowcc.memory.use.access_counts import CALLS, FALLBACK, moment, note_lines
from verifflowcc.memory.use.model_budget import Budget, ModelSpending, Reservation, open_budget

Extract = Callable[[Turn], Extraction]
SURE_CERTAINTY, SURE_CONFIDENCE = 600, 500
"""In thousandths: what the rules are at least so sure of stays, whatever a model says of it."""

FAILURES_IN_A_ROW = 3
"""After so many, the model is not asked again in this run: each may have taken its whole time."""

_RULES = frozenset({"convention", "guideline", "decision", "preference"})
_AGAIN = frozenset({"bad_json", "schema", "unreachable"})
_MANY_SIGNS = 3


@dataclass(slots=True)
class Extractor:
    """Extracts statements from one turn after another, and counts a model's use.

    What a model did is in `calls`, `tokens` and `fallbacks`.

    Where it only looks (`asks` is False) it asks no model, and counts in `unasked` the turns about which it would.
    `notices` are sentences for the person, each once; `refused` counts items of answers that were not taken, by why.
    """

    extract: Extract
    statement_of: StatementOf
    mode: ExtractionMode = ExtractionMode.HEURISTIC
    model: Model | None = None
    budget: Budget | None = None
    count: Count = len
    most_calls: int = 0
    asks: bool = True
    unasked: int = 0
    calls: int = 0
    tokens: int = 0
    fallbacks: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    _notices: dict[str, str] = field(default_factory=dict)
    _failed: int = 0
    _last_why: str = ""

    @property
    def notices(self) -> tuple[str, ...]:
        """What the person should know, in the order in which it came up."""
        return (*self._notices.values(), *([self._would_ask()] if self.unasked else ()))

    def _would_ask(self) -> str:
        turns = "1 turn" if self.unasked == 1 else f"{self.unasked:,} turns"
        most = self.unasked * self.most_calls
        calls = "1 call" if most == 1 else f"{most:,} calls"
        name = self.model.name if self.model else "a model"
        asked = f"{name} would be asked about {turns}, in at most {calls}"
        return f"{asked}, and was not: this is what rules find (--ask-model)"

    def tell(self, about: str, notice: str) -> None:
        """Tell of something once."""
        self._notices.setdefault(about, notice)

    def __call__(self, turn: Turn) -> Extraction:
        """Return what a turn gives: what the rules find, refined where the mode asks a model about such a turn."""
        found = self.extract(turn)
        if not self.asks_about(found):
            return found
        if not self.asks:
            self.unasked += 1
            return found
        try:
            answered = self._ask(turn)
        except ModelError as error:
            self.fallbacks[error.why] += 1
            about = error.message if error.why == "capped" else error.why
            self.tell(about, f"{error.message}; rules extract instead" + (f" ({error.hint})" if error.hint else ""))
            return found
        for each in answered.refused:
            self.refused[each.why] += 1
            self.tell(f"refused: {each.why}", f"an item of a model's answer is not taken: {each.why} ({each.shown})")
        theirs = [_as_rules_say(each, turn, self.extract) for each in answered.candidates]
        return replace(found, candidates=_merged(self.mode, found.candidates, theirs))

    def asks_about(self, found: Extraction) -> bool:
        """Say whether the mode asks a model about a turn of which the rules found this."""
        if self.model is None or not found.signals.worth or self.mode is ExtractionMode.HEURISTIC:
            return False
        return self.mode is ExtractionMode.LLM or found.ambiguous or high_value(found.signals)

    def _ask(self, turn: Turn) -> ExtractionAnswer:
        """Ask about a turn, and again where the answer is no good and the caps allow. Raises ModelError."""
        if self._failed >= FAILURES_IN_A_ROW:
            message = f"the model failed {FAILURES_IN_A_ROW} times in a row and is not asked again in this run"
            self.tell("failing", message)
            raise ModelError(message, why=self._last_why)
        prompt, spent = question_about(turn), ModelSpending()
        while True:
            try:
                answered, _ = self._call(prompt, turn, spent)
            except _FailedCallError as error:
                spent = error.spent
                if error.cause.why not in _AGAIN or spent.calls >= self.most_calls:
                    self._failed, self._last_why = self._failed + 1, error.cause.why
                    raise error.cause from error
            else:
                self._failed = 0
                return answered

    def _call(self, prompt: str, turn: Turn, spent: ModelSpending) -> tuple[ExtractionAnswer, ModelSpending]:
        if self.model is None or self.budget is None:
            raise ModelError("no model is named", why="command")
        reserved = _reserved(self.budget, self.count(prompt), spent, self.most_calls)
        self.calls += 1
        took: int | None = None
        try:
            answer = self.model.ask(prompt, answer_schema(), most_tokens=reserved.most_out)
            took = answer.tokens_in + answer.tokens_out
            return read_answer(answer.text, turn, self.statement_of), self._spent(spent, took)
        except ModelError as error:
            took = error.tokens if took is None else took
            raise _FailedCallError(error, self._spent(spent, reserved.tokens if took is None else took)) from error
        finally:
            self.tokens += self._settled(self.budget, reserved, took)

    def _settled(self, budget: Budget, reserved: Reservation, took: int | None) -> int:
        """Where it cannot be written what a call took, all that was reserved for it stays taken."""
        try:
            return budget.settle(reserved, took)
        except VfccError as error:
            self.tell("settle", f"the tokens of a call are counted as reserved: {error.message}")
            return reserved.tokens

    def _spent(self, before: ModelSpending, tokens: int) -> ModelSpending:
        return ModelSpending(before.calls + 1, before.tokens + tokens)


class _FailedCallError(Exception):
    """A call that cost something and gave nothing."""

    def __init__(self, cause: ModelError, spent: ModelSpending) -> None:
        super().__init__(cause.message)
        self.cause = cause
        self.spent = spent


@contextmanager
def open_extractor(workspace: Workspace | None, settings: MemorySettings, *, asks: bool = True) -> Iterator[Extractor]:
    """Give the extractor that the project's settings and the person's own ask for; no model is asked by that.

    With `asks` False none is asked at all, and it is told how often one would be. What a model did is counted at the
    end. Raises ConfigError or WorkspaceError where the person's settings cannot be read.
    """
    from verifflowcc.memory.rules.turn_statements import extract, statement_of

    extractor = Extractor(extract, statement_of, settings.extraction_mode, asks=asks)
    if not settings.enabled:
        extractor.extract = _nothing
        extractor.tell("enabled", "memory.enabled is false: nothing is extracted")
    elif settings.extraction_mode is not ExtractionMode.HEURISTIC and settings.max_llm_calls_per_turn:
        with_model(extractor, workspace, settings)
    try:
        yield extractor
    finally:
        for notice in _counted(workspace, extractor):
            extractor.tell(notice, notice)


def with_model(
    extractor: Extractor, workspace: Workspace | None, settings: MemorySettings, given: ModelSettings | None = None
) -> None:
    """Give an extractor the model of the person's settings, if they name one. Raises as reading these does."""
    from verifflowcc.base.config.config_load import user_settings
    from verifflowcc.base.tokens.token_counter import open_counter
    from verifflowcc.memory.store.model_opening import open_model

    wanted = user_settings().llm if given is None else given
    count = open_counter(TokenSettings()).count
    extractor.model = open_model(wanted, count)
    if extractor.model is None:
        if settings.extraction_mode is ExtractionMode.LLM:
            extractor.tell("none", "memory.extraction_mode is llm, and your own settings name no model: rules extract")
        return
    extractor.budget = open_budget(workspace, wanted)
    extractor.count, extractor.most_calls = count, settings.max_llm_calls_per_turn


def high_value(signals: Signals) -> bool:
    """Say whether a turn has so many kinds of sign that a model should look at it, however sure the rules are.

    >>> high_value(Signals(decision=1, change=1)), high_value(Signals(code=9))
    (True, False)
    """
    kinds = (signals.code, signals.error, signals.decision, signals.change)
    return bool(signals.decision and signals.change) or sum(map(bool, kinds)) >= _MANY_SIGNS


def _nothing(_: Turn) -> Extraction:
    return Extraction(Signals(), ())


def _reserved(budget: Budget, tokens_in: int, spent: ModelSpending, most_calls: int) -> Reservation:
    """Where the caps cannot be counted, none may be spent."""
    try:
        return budget.reserve(tokens_in, spent, most_calls)
    except ModelError:
        raise
    except VfccError as error:
        raise ModelError(f"the caps cannot be counted: {error.message}", why="capped", tokens=0) from error


def _merged(
    mode: ExtractionMode, ours: Sequence[StatementCandidate], theirs: Sequence[StatementCandidate]
) -> tuple[StatementCandidate, ...]:
    """Return what the model found, and what the rules keep beside it.

    The rules keep what they are sure of. What they are not sure of stays where the model says the same; in the mode
    `llm` the model alone decides.
    """
    same = {_statement(each): each for each in ours}
    refined = [_raised(each, same.get(_statement(each))) for each in theirs]
    if mode is ExtractionMode.LLM:
        return tuple(refined)
    known = {_statement(each) for each in refined}
    return (*(each for each in ours if _is_sure(each) and _statement(each) not in known), *refined)


def _as_rules_say(candidate: StatementCandidate, turn: Turn, extract: Extract) -> StatementCandidate:
    """Return a model's candidate under the key and normal form that the rules give its sentence, where they know it.

    So that what a model found and what the rules found on one subject replace each other.
    """
    found = extract(replace(turn, text=candidate.content, before=())).candidates
    own = [each for each in found if (each.layer, each.type) == (candidate.layer, candidate.type)]
    if len(own) != 1:
        return replace(candidate, key=_known_key(candidate) or candidate.key)
    known = own[0]
    if known.rewritten:
        sure = min(candidate.confidence, known.confidence)
        return replace(candidate, confidence=sure, rewritten=True)
    return replace(
        candidate,
        key=known.key,
        subject=known.subject,
        value=known.value,
        negated=known.negated,
        refs=known.refs,
        tags=known.tags,
        details=(*candidate.details, *known.details),
    )


def _known_key(candidate: StatementCandidate) -> str | None:
    """Return the key that the rules give a rule whose aspect they know (`start:a_`), however worded; else None."""

    knows = candidate.type in _RULES and candidate.subject and re.search("[:=]", candidate.value)
    return key_of(candidate.subject, candidate.value) if knows else None


def _statement(candidate: StatementCandidate) -> tuple[str, str, str, str, bool]:
    return candidate.layer, candidate.type, candidate.subject, candidate.value, candidate.negated


def _raised(theirs: StatementCandidate, ours: StatementCandidate | None) -> StatementCandidate:
    """Return the rules' own candidate where the model says the same, as sure as the surer of both."""
    if ours is None or ours.rewritten:
        return theirs
    sure = max(ours.confidence, theirs.confidence), max(ours.certainty, theirs.certainty)
    return replace(ours, importance=theirs.importance, confidence=sure[0], certainty=sure[1])


def _is_sure(candidate: StatementCandidate) -> bool:
    return candidate.certainty >= SURE_CERTAINTY and candidate.confidence >= SURE_CONFIDENCE


def _counted(workspace: Workspace | None, extractor: Extractor) -> tuple[str, ...]:
    at = moment(workspace)
    lines = [count_line(at, CALLS, extractor.calls)] if extractor.calls else []
    lines += [count_line(at, FALLBACK, by, why) for why, by in sorted(extractor.fallbacks.items())]
    return note_lines(workspace, b"".join(lines))
