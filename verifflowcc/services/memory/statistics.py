"""What is remembered, in numbers: by scope, type and status, in bytes and tokens."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from verifflowcc.adapters.index.index import Index
from verifflowcc.adapters.tokens.counter import open_counter
from verifflowcc.domain.config import BackendKind, TokenSettings
from verifflowcc.domain.memory import StoredItem
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.memory.identity import identity_of
from verifflowcc.services.memory.listing import rows_among
from verifflowcc.services.memory.metrics import Measured, ModelUse, measured, model_use
from verifflowcc.services.memory.opening import backend_of, memory_settings, open_store
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import digest_text

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
    metrics: Measured
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
