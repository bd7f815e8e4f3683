"""A person's own settings, which hold in all projects: how their items are kept, and the model that may be asked."""

from verifflowcc.domain.backends import BackendKind
from verifflowcc.records import dataclass

USER_FORMAT = 1
"""The format of the file."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The model that a person lets vfcc ask, and the caps on it.

    `command` reads a prompt on stdin and answers on stdout; `api` is `provider:model` for the client library. One of
    the two, or neither: no model. Tokens are counted in and out together.
    """

    command: tuple[str, ...] = ()
    api: str | None = None
    timeout_s: int = 60
    max_calls_per_day: int = 100
    max_tokens_per_turn: int = 8_000
    max_tokens_per_day: int = 200_000


@dataclass(frozen=True, slots=True)
class UserSettings:
    """A person's own settings (`$XDG_CONFIG_HOME/vfcc/config.yaml`): how their items are kept, and where a server is.

    `postgres_url` is a libpq connection string or URL, without a password: that comes from libpq's own places.
    """

    backend: BackendKind = BackendKind.FILES
    postgres_url: str | None = None
    llm: ModelSettings = ModelSettings()
