"""An answer in the form that a client's hook expects: what it prints, and its exit code. It runs inside of hooks."""

from verifflowcc.clients.answer import Answer
from verifflowcc.text.quick_json import write

MOST_CHARACTERS = 9_500
"""Above 10,000 Claude Code makes a file of a context, and shows the agent its beginning."""

_CUT = "\n… (cut here)"
_NO_REASON = "vfcc gave no reason"
"""Codex takes no decision without one."""

CARRIES: dict[str, dict[str, tuple[str, ...]]] = {
    "claude": {
        "SessionStart": ("context",),
        "UserPromptSubmit": ("context", "block"),
        "PreToolUse": ("context", "deny", "ask"),
        "PostToolUse": ("context", "block"),
        "PostToolUseFailure": ("context",),
        "SubagentStart": ("context",),
        "SubagentStop": ("block",),
        "PreCompact": ("block",),
        "Stop": ("block",),
    },
    "codex": {
        "SessionStart": ("context",),
        "UserPromptSubmit": ("context", "block"),
        "PreToolUse": ("context", "deny"),
        "PostToolUse": ("context", "block"),
        "SubagentStart": ("context",),
        "SubagentStop": ("block",),
        "Stop": ("block",),
    },
    "cursor": {
        "SessionStart": ("context",),
        "UserPromptSubmit": ("block",),
        "PreToolUse": ("deny",),
        "PostToolUse": ("context",),
        "SubagentStop": ("block",),
        "Stop": ("block",),
    },
    "gemini": {
        "SessionStart": ("context",),
        "UserPromptSubmit": ("context", "block"),
        "PreToolUse": ("deny",),
        "PostToolUse": ("context", "block"),
        "PostToolUseFailure": ("context", "block"),
        "Stop": ("block",),
    },
    "copilot": {
        "SessionStart": ("context",),
        "PreToolUse": ("deny", "ask"),
        "PostToolUse": ("context",),
        "SubagentStart": ("context",),
        "SubagentStop": ("block",),
        "Stop": ("block",),
    },
}
"""What each event of each client can be answered; an event that is missing is only told.

At a stop Claude Code takes a context for a wish to go on, and Codex refuses it. Copilot drops what it is answered to a
prompt. Cursor takes `ask` before most tools and does not ask, so that it is never told to. Where a client
cannot ask, the call is denied.
"""


def carries_context(client: str, event: str) -> bool:
    """Return whether a client passes a context on to its agent at this event, named in Claude Code's words."""
    return "context" in CARRIES.get(client, {}).get(event, ())


def encode(client: str, event: str, answer: Answer) -> tuple[str, int]:
    """Return what a hook prints and its exit code, which is 0; nothing where there is nothing to say, or no way to.

    `event` is in Claude Code's words (`PreToolUse`), whichever client asked.
    """
    can = CARRIES.get(client, {}).get(event, ())
    context = _shortened(_sound(answer.context)) if "context" in can else ""
    decision = "deny" if answer.decision == "ask" and "ask" not in can else answer.decision
    decision = decision if decision in can else ""
    if not context and not decision:
        return "", 0
    reason = _shortened(_sound(answer.reason)).strip() or _NO_REASON
    said = _FORMS[client](event, context, decision, reason)
    return write(said) + "\n", 0


def _claude(event: str, context: str, decision: str, reason: str) -> dict[str, object]:
    said: dict[str, object] = {"decision": "block", "reason": reason} if decision == "block" else {}
    own: dict[str, object] = {"hookEventName": event}
    if context:
        own["additionalContext"] = context
    if decision in ("deny", "ask"):
        own |= {"permissionDecision": decision, "permissionDecisionReason": reason}
    if len(own) > 1:
        said["hookSpecificOutput"] = own
    return said


def _gemini(event: str, context: str, decision: str, reason: str) -> dict[str, object]:
    said: dict[str, object] = {"decision": "deny", "reason": reason} if decision else {}
    if context:
        said["hookSpecificOutput"] = {"hookEventName": _GEMINI[event], "additionalContext": context}
    return said


def _cursor(event: str, context: str, decision: str, reason: str) -> dict[str, object]:
    if context:
        return {"additional_context": context}
    if event == "UserPromptSubmit":
        return {"continue": False, "user_message": reason}
    if decision == "block":
        return {"followup_message": reason}
    return {"permission": decision, "user_message": reason, "agent_message": reason}


def _copilot(event: str, context: str, decision: str, reason: str) -> dict[str, object]:
    if context:
        return {"additionalContext": context}
    if decision == "block":
        return {"decision": "block", "reason": reason}
    return {"permissionDecision": decision, "permissionDecisionReason": reason}


_GEMINI = {
    "SessionStart": "SessionStart",
    "UserPromptSubmit": "BeforeAgent",
    "PostToolUse": "AfterTool",
    "PostToolUseFailure": "AfterTool",
}
_FORMS = {"claude": _claude, "codex": _claude, "cursor": _cursor, "gemini": _gemini, "copilot": _copilot}


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
