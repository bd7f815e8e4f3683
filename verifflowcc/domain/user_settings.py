"""A person's own settings, which hold in all projects: how their items are kept, and the model that may be asked."""

from verifflowcc.domain.backends import BackendKind
from verifflowcc.domain.settings import key
from verifflowcc.records import dataclass

USER_FORMAT = 1
"""The format of the file."""
MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The model that may be asked, and the caps on it. Without a command and an api there is none."""

    command: tuple[str, ...] = key((), "A program that reads a prompt on stdin and answers on stdout.", "words")
    api: str | None = key(None, "`provider:model`, with verifflowcc[llm]; not together with a command.", "model")
    timeout_s: int = key(60, "Seconds until a call is given up.", least=1, most=3_600, unit="seconds")
    max_calls_per_day: int = key(100, "The most calls per UTC day.", most=1_000_000)
    max_tokens_per_turn: int = key(8_000, "The most tokens per turn, in and out together.", least=1, most=MOST_TOKENS)
    max_tokens_per_day: int = key(
        200_000, "The most tokens per UTC day, in and out together.", least=1, most=MOST_TOKENS
    )


@dataclass(frozen=True, slots=True)
class UserSettings:
    """How a person's own items are kept, and where a server is."""

    backend: BackendKind = key(
        BackendKind.FILES, "The store of the person's own items.", choices=("files", "sqlite", "postgres")
    )
    postgres_url: str | None = key(None, "A connection string or URL, without a password.", "server")
    llm: ModelSettings = ModelSettings()
