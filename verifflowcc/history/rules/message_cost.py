"""The event of the history that says what a message of a model took."""

from collections.abc import Mapping

from verifflowcc.base.formats.session_lines import Json, Tokens, TokenSpending
from verifflowcc.history.rules.event_shape import BEGINNING, VERSION, moment

USAGE = "usage"


def spent_event(spent: TokenSpending, client: str, session: str, name: str) -> dict[str, Json]:
    """Return the event of kind `usage`; `name` is a ULID of its time."""
    event: dict[str, Json] = {
        "v": VERSION,
        "kind": USAGE,
        "id": name,
        "time": moment(spent.at),
        "client": client,
        "gen_ai.conversation.id": _plain(session),
    }
    values = {
        "task": spent.task,
        "gen_ai.agent.id": spent.agent,
        "gen_ai.agent.name": spent.agent_type,
        "gen_ai.request.model": spent.model,
        "gen_ai.response.id": spent.message,
    }
    event |= {field: _plain(value) for field, value in values.items() if _plain(value)}
    return event | {
        "gen_ai.usage.input_tokens": spent.tokens.input,
        "gen_ai.usage.output_tokens": spent.tokens.output,
        "vfcc.usage.cache_read_tokens": spent.tokens.cache_read,
        "vfcc.usage.cache_creation_tokens": spent.tokens.cache_creation,
    }


def spent_in(event: Mapping[str, Json]) -> Tokens:
    """Return the tokens that such an event says."""
    found = (event.get(name) for name in _NUMBERS)
    return Tokens(*(each if isinstance(each, int) else 0 for each in found))


_NUMBERS = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "vfcc.usage.cache_read_tokens",
    "vfcc.usage.cache_creation_tokens",
)


def _plain(text: str) -> str:
    return text[:BEGINNING] if text.isprintable() else ""
