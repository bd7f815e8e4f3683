"""Who acts, as events and items name them, and in words for people."""

UNKNOWN = "agent:unknown"
PROGRAM = "agent:program"
"""A process without a terminal and without a sign of a client: it may do what an agent may, and has no role.

The name begins as an agent's does, so that every rule for agents holds for it, also in versions that do not know it.
"""
NO_ROLE = frozenset((UNKNOWN, PROGRAM))
"""Any number of processes share these names, so an item of one of them belongs to none of them."""


def described(actor: str) -> str:
    """Return an actor in words.

    >>> described("agent:coder"), described("agent:program"), described("ci")
    ('agent:coder', 'a program without a terminal', 'a CI job')
    """
    return {PROGRAM: "a program without a terminal", "ci": "a CI job"}.get(actor, actor)


def needs_person(what: str, actor: str) -> str:
    """Return the sentence that refuses `what` to anybody but a person.

    >>> needs_person("approving", "ci")
    'approving needs a person at a terminal, and this is a CI job'
    """
    return needs("a person at a terminal", what, actor)


def needs(who: str, what: str, actor: str, why: str = "") -> str:
    """Return the sentence that refuses `what` to anybody but `who`; `why` is how the actor was recognised.

    >>> needs("a person at a terminal", "vfcc waive", "agent:unknown", "CLAUDECODE is set")
    'vfcc waive needs a person at a terminal, and this is agent:unknown (CLAUDECODE is set)'
    """
    return f"{what} needs {who}, and this is {described(actor)}{f' ({why})' if why else ''}"
