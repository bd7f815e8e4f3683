"""The words by which sources say what kind of voice speaks."""

from collections.abc import Collection

from verifflowcc.domain.turns import Speaker

_PERSON = frozenset({"person", "user", "human", "me"})
_AGENT = frozenset({"agent", "assistant", "model", "ai", "bot", "chatbot", "llm"})
_TOOL = frozenset({"tool", "function", "tool_result", "tool_output"})
_OUTSIDE = frozenset({"outside", "external", "web", "page"})
SILENT = frozenset({"system", "developer"})
"""Roles whose words are a program's settings, and nobody's statement."""


def speaker_of(word: str) -> Speaker | None:
    """Return the kind of voice that a word such as `assistant` names; None where it is a name of somebody.

    >>> speaker_of("User"), speaker_of("assistant"), speaker_of("Other")
    (<Speaker.PERSON: 'person'>, <Speaker.AGENT: 'agent'>, None)
    """
    plain = word.strip().casefold()
    kinds = ((_PERSON, Speaker.PERSON), (_AGENT, Speaker.AGENT), (_TOOL, Speaker.TOOL), (_OUTSIDE, Speaker.OUTSIDE))
    return next((kind for words, kind in kinds if plain in words), None)


def speaker_named(name: str, agents: Collection[str]) -> Speaker:
    """Return the voice of somebody by name: a person, unless `agents` (case folded) or the word itself says otherwise.

    >>> speaker_named("Other", ()), speaker_named("Coder", ("coder",))
    (<Speaker.PERSON: 'person'>, <Speaker.AGENT: 'agent'>)
    """
    if name.strip().casefold() in agents:
        return Speaker.AGENT
    return speaker_of(name) or Speaker.PERSON
