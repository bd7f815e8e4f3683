"""An answer in the form that a client's hook expects: what it prints, and its exit code. It runs inside of hooks."""

from verifflowcc.base.records import dataclass
from verifflowcc.base.text.quick_json import write
from verifflowcc.history.rules.client import client_of

# What vfcc answers a hook, whichever client asked.


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """`context` is what the agent is to know; `decision` is `""`, `deny`, `ask` (before a tool) or `block` (at a stop).

    `reason` says why it was decided so, to the agent.
    """

    context: str = ""
    decision: str = ""
    reason: str = ""


MOST_CHARACTERS = 9_500
"""Above 10,000 Claude Code makes a file of a context, and shows the agent its beginning."""

_CUT = "\n… (cut here)"
_NO_REASON = "vfcc gave no reason"
"""Codex takes no decision without one."""


def carries_context(client: str, event: str) -> bool:
    """Return whether a client passes a context on to its agent at this event, named in Claude Code's words."""
    return "context" in client_of(client).carries.get(event, ())


def encode(client: str, event: str, answer: HookAnswer) -> tuple[str, int]:
    """Return what a hook prints and its exit code, which is 0; nothing where there is nothing to say, or no way to.

    `event` is in Claude Code's words (`PreToolUse`), whichever client asked.
    """
    asked = client_of(client)
    can = asked.carries.get(event, ())
    context = _shortened(_sound(answer.context)) if "context" in can else ""
    decision = "deny" if answer.decision == "ask" and "ask" not in can else answer.decision
    decision = decision if decision in can else ""
    if not context and not decision:
        return "", 0
    reason = _shortened(_sound(answer.reason)).strip() or _NO_REASON
    output = asked.answer(event, context, decision, reason)
    return write(output) + "\n", 0


def _sound(text: str) -> str:
    """Return a text without halves of characters: a client written in Rust throws away all that holds one."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _shortened(text: str) -> str:
    """Return a text of no more than so many characters, cut after a whole line where it has lines, and saying so."""
    if len(text) <= MOST_CHARACTERS:
        return text
    head = text[: MOST_CHARACTERS - len(_CUT)]
    whole = head.rpartition("\n")[0]
    return (whole or head) + _CUT
