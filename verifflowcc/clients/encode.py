"""An answer in the form that a client's hook expects: what it prints, and its exit code."""

from verifflowcc.clients.answer import Answer
from verifflowcc.text.quick_json import write

MOST_CHARACTERS = 9_500
"""Above 10,000 Claude Code makes a file of a context, and shows the agent its beginning."""


def encode(client: str, event: str, answer: Answer) -> tuple[str, int]:
    """Return what a hook prints and its exit code; nothing and 0 where there is nothing to say.

    `event` is in Claude Code's words (`PreToolUse`), whichever client asked.
    """
    if answer == Answer():
        return "", 0
    return _claude(event, answer)


def _claude(event: str, answer: Answer) -> tuple[str, int]:
    own: dict[str, object] = {"hookEventName": event}
    if answer.context:
        own["additionalContext"] = answer.context[:MOST_CHARACTERS]
    if event == "PreToolUse" and answer.decision:
        own |= {"permissionDecision": answer.decision, "permissionDecisionReason": answer.reason}
    said: dict[str, object] = {}
    if answer.decision == "block":
        said = {"decision": "block", "reason": answer.reason}
    if len(own) > 1:
        said["hookSpecificOutput"] = own
    return write(said) + "\n", 0
