"""Hooks of the clients whose words are not Claude Code's: Cursor, Gemini CLI and Copilot."""

from collections.abc import Mapping

from verifflowcc.domain.events import Json


def as_claude(client: str, event: str, said: Mapping[str, Json]) -> dict[str, Json]:
    """Return a client's words as Claude Code would say them."""
    raise NotImplementedError(client, event)
