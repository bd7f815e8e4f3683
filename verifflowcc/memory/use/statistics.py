"""What is remembered, in numbers: by scope, type and status, in bytes and tokens."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from verifflowcc.base.config.config_load import user_settings
from verifflowcc.base.errors import VfccError, WorkspaceError
from verifflowcc.base.index.index import Index
from verifflowcc.base.model.config_values import BackendKind, MemorySettings, TokenSettings
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.base.use.workspace import Workspace, provider
from verifflowcc.memory.rules.metric_lines import Metrics, PromptSummaryLine, RecallLine, read_metrics
from verifflowcc.memory.use.access_counts import (
    CALLS,
    CANDIDATES,
    CONTRADICTION,
    FALLBACK,
    FINAL,
    MISMATCH,
    OVERHEAD,
    RERANK_CALLS,
    RERANK_SKIPPED,
    SUPERSEDED,
    log_folder,
)
from verifflowcc.memory.use.item_scope import identity_of
from verifflowcc.memory.use.memory_listing import rows_among
from verifflowcc.memory.use.stores import backend_of, memory_settings, open_store
from verifflowcc.sprint.use.configuration import effective_config

# What memory did, as the ten counters and the four indicators, from the log that `counting` writes.

MEANINGS: Mapping[str, str] = {
    CALLS: "model calls about turns",
    FALLBACK: "turns where rules replaced a model, by cause: `timeout`, `unreachable`, `refused`, `bad_json`, "
    "`schema`, `command`, `capped`",
    RERANK_CALLS: "model calls that reorder results",
    RERANK_SKIPPED: "searches with rerank on that used no model's order",
    CANDIDATES: "items that `@recall` and `@user` offered to prompts; texts that searches scored",
    FINAL: "such items in a prompt; hits of searches",
    CONTRADICTION: "new items that replace or contradict another",
    SUPERSEDED: "items that an active one replaced",
    MISMATCH: "items left out of a prompt because of its role",
    OVERHEAD: "tokens of typed items in prompts",
}
"""What each of the ten counters counts."""
METRICS = tuple(MEANINGS)
"""The ten counters, in the order in which they are shown."""

_OF_PROMPTS: Mapping[str, str] = {
    CANDIDATES: "candidates",
    FINAL: "final",
    MISMATCH: "filtered",
}
NOT_MEASURED = "not measured yet"


@dataclass(frozen=True, slots=True)
class RepeatedFailures:
    """How many tools were executed, how many of them failed, and of how many failures memory had known by then."""

    executions: int
    failures: int
    known: int


@dataclass(frozen=True, slots=True)
class Indicator:
    """How well memory does in one respect; `value` is None where there is nothing to say yet, and `why` says so."""

    name: str
    value: float | None
    """Null if unknown."""
    why: str


@dataclass(frozen=True, slots=True)
class MemoryMetrics:
    """The ten counters, by cause where they have causes, and the four indicators, since the log began.

    `since` is the day of the first line, None for an empty log.
    """

    counters: Mapping[str, int]
    fallbacks: Mapping[str, int]
    """`extraction.fallback.count` by cause."""
    indicators: tuple[Indicator, ...]
    prompts: int
    """How many prompts were counted."""
    since: str | None
    """The day of the first count, or null."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a model took today (UTC), of this person, in all projects, and the caps on it.

    `name` is the model's, None where the person's settings name none. Tokens are counted in and out together.
    """

    name: str | None
    """The model of your own settings, or null."""
    calls_today: int
    """In UTC."""
    tokens_today: int
    """In UTC, in and out together."""
    max_calls_per_day: int
    max_tokens_per_day: int
    max_calls_per_turn: int
    max_tokens_per_turn: int


def model_use(workspace: Workspace | None, memory: MemorySettings) -> ModelUse:
    """Return what a model took today, and the caps. Raises ConfigError or WorkspaceError for the person's settings."""
    from verifflowcc.memory.store.model_opening import open_model
    from verifflowcc.memory.use.model_budget import spent_today

    settings = user_settings().llm
    model, spent = open_model(settings), spent_today(workspace)
    return ModelUse(
        name=model.name if model else None,
        calls_today=spent.calls,
        tokens_today=spent.tokens,
        max_calls_per_day=settings.max_calls_per_day,
        max_tokens_per_day=settings.max_tokens_per_day,
        max_calls_per_turn=memory.max_llm_calls_per_turn,
        max_tokens_per_turn=settings.max_tokens_per_turn,
    )


def measured(workspace: Workspace | None) -> tuple[MemoryMetrics, tuple[str, ...]]:
    """Return what the log of the project says, of the person's outside of one, and notices of what it does not say."""
    from verifflowcc.memory.store.access_log import read_metrics_log

    try:
        found = read_metrics(read_metrics_log(log_folder(workspace, of_user=workspace is None)[0]))
    except VfccError as error:
        return measure(Metrics()), (f"metrics are not read: {error.message}",)
    failures, unread = _failures(workspace)
    lines = "line of the log of metrics says" if found.bad == 1 else "lines of the log of metrics say"
    notices = (f"{found.bad} {lines} nothing",) if found.bad else ()
    return measure(found, failures), (*notices, *unread)


def _failures(workspace: Workspace | None) -> tuple[RepeatedFailures | None, tuple[str, ...]]:
    """Return the number of failures, and of those that memory had known.

    Notices say why they cannot be counted.
    """

    try:
        return (provider("repeated failures")(workspace) if workspace else None), ()
    except VfccError as error:
        return None, (f"the history is not read: {error.message}",)


def measure(found: Metrics, failures: RepeatedFailures | None = None) -> MemoryMetrics:
    """Return the counters and indicators of a log, and of the failures in the history.

    >>> measure(Metrics()).counters["token.overhead"]
    0
    """
    counters = Counter(dict.fromkeys(METRICS, 0))
    fallbacks: Counter[str] = Counter()
    for each in found.counted:
        if each.metric in counters:
            counters[each.metric] += each.by
        if each.metric == FALLBACK:
            fallbacks[each.why or "unknown"] += each.by
    prompts = (*found.summed, *map(PromptSummaryLine.of, found.prompts))
    for name, field in _OF_PROMPTS.items():
        counters[name] += sum(getattr(each, field) for each in prompts)
    counters[OVERHEAD] += sum(each.memory_tokens * each.times for each in prompts)
    days = sorted([*(each.at[:10] for each in found.counted), *(each.at[:10] for each in prompts)])
    return MemoryMetrics(
        counters={name: counters[name] for name in METRICS},
        fallbacks=dict(sorted(fallbacks.items())),
        indicators=_indicators(prompts, found.recall, failures),
        prompts=sum(each.times for each in prompts),
        since=days[0] if days else None,
    )


def _indicators(
    prompts: Sequence[PromptSummaryLine], recall: RecallLine | None, failures: RepeatedFailures | None
) -> tuple[Indicator, ...]:
    none = "no prompt was compiled yet"
    many, clashing = sum(each.times for each in prompts), sum(each.clashing for each in prompts)
    rate = round(clashing / many, 4) if many else None
    return (
        _recall(recall),
        Indicator("contradiction rate", rate, f"{clashing} of {many} prompts" if many else none),
        _repeated(failures),
        Indicator("median memory tokens per prompt", _median(prompts, many), f"of {many} prompts" if many else none),
    )


def _repeated(found: RepeatedFailures | None) -> Indicator:
    name = "repeated failure rate"
    if found is None or not found.executions:
        return Indicator(name, None, f"{NOT_MEASURED}: no tool executions are recorded yet")
    if not found.failures:
        return Indicator(name, None, f"none of {found.executions} tool executions failed")
    rate = round(found.known / found.failures, 4)
    return Indicator(name, rate, f"{found.known} of {found.failures} failed tool executions")


def _recall(found: RecallLine | None) -> Indicator:
    if found is None:
        return Indicator("recall@k", None, f"{NOT_MEASURED}: vfcc memory eval FILE measures it")
    questions = f"{found.questions:,} {'question' if found.questions == 1 else 'questions'}"
    return Indicator("recall@k", found.recall_bp / 10_000, f"k = {found.k}, {questions}, on {found.at[:10]}")


def _median(prompts: Sequence[PromptSummaryLine], many: int) -> int | None:
    """Return the median of the tokens of `many` prompts, the upper one of two in the middle; None where none is."""
    passed = 0
    for each in sorted(prompts, key=lambda one: one.memory_tokens):
        passed += each.times
        if passed > many // 2:
            return each.memory_tokens
    return None


MANY_FILES = 50_000
"""Above so many files, looking at each of them once takes longer than a command should."""


@dataclass(frozen=True, slots=True)
class ScopeNumbers:
    """A scope in numbers; `size` in bytes, `oldest` and `newest` are days of making, None where no item says one."""

    scope: str
    backend: str
    count: int
    types: Mapping[str, int]
    statuses: Mapping[str, int]
    tokens: int
    size: int
    """Bytes of the files."""
    uses: int
    oldest: str | None
    newest: str | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """All scopes in numbers. `identity` is the project's; None outside of one, and where `notices` say why.

    `metrics` is what memory did here, `model` what a model took of its caps.
    """

    identity: str | None
    """The project's identity, or null."""
    scopes: tuple[ScopeNumbers, ...]
    notices: tuple[str, ...]
    metrics: MemoryMetrics
    model: ModelUse


def numbers_of(workspace: Workspace | None, scopes: Sequence[str]) -> Numbers:
    """Return the numbers of scopes. Raises as opening a store does."""
    identity, notices = _identity(workspace)
    with _counting(workspace) as count:
        found = [_scope(workspace, scope, count) for scope in scopes]
    for _, problems in found:
        notices += problems
    notices += [
        f"{each.scope} memory has {each.count:,} files; from {MANY_FILES:,} on, SQLite answers faster: "
        f"vfcc memory copy --from files --to sqlite"
        for each, _ in found
        if each.backend == BackendKind.FILES and each.count > MANY_FILES
    ]
    metrics, unread = measured(workspace)
    model = model_use(workspace, memory_settings(workspace))
    return Numbers(identity, tuple(each for each, _ in found), (*notices, *unread), metrics, model)


def _scope(
    workspace: Workspace | None, scope: str, count: Callable[[StoredItem], int]
) -> tuple[ScopeNumbers, list[str]]:
    with open_store(workspace, scope) as store:
        items, problems = store.list_all(), store.problems
    days = sorted(each.item.created[:10] for each in items if each.item.created)
    return ScopeNumbers(
        scope=scope,
        backend=str(backend_of(workspace, scope)),
        count=len(items),
        types=_counted(each.item.type for each in items),
        statuses=_counted(row.status for row in rows_among([each.item for each in items], scope)),
        tokens=sum(map(count, items)),
        size=sum(len(each.text.encode("utf-8")) for each in items),
        uses=sum(each.item.uses.count for each in items),
        oldest=days[0] if days else None,
        newest=days[-1] if days else None,
    ), list(problems)


def _counted(words: Iterator[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda each: (-each[1], each[0])))


def _identity(workspace: Workspace | None) -> tuple[str | None, list[str]]:
    """A project whose history is cut off has numbers all the same."""
    if workspace is None:
        return None, []
    try:
        return identity_of(workspace).text, []
    except WorkspaceError as error:
        return None, [error.message]


@contextmanager
def _counting(workspace: Workspace | None) -> Iterator[Callable[[StoredItem], int]]:
    """Give a counter of an item's tokens; in a project one that remembers, and shares that with prompts."""
    if workspace is None:
        counter = open_counter(TokenSettings())
        yield lambda stored: counter.count(stored.body)
        return
    with Index(workspace.local / "index.db") as index:
        known = open_counter(effective_config(workspace).config.tokens, index.counts)

        def count(stored: StoredItem) -> int:
            key = f"body/{known.name}/{digest_text(stored.text)}"
            tokens = index.counts.get(key)
            if tokens is None:
                tokens = index.counts[key] = known.count(stored.body)
            return tokens

        yield count
