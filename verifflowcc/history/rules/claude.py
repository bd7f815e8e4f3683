"""Claude Code's hooks, whose form all other clients are brought to. It runs inside of hooks."""

from verifflowcc.base.model.agent_clients import FILES, LOCAL_FILE
from verifflowcc.history.rules.client import AGAIN, Client


class Claude(Client):
    """Claude Code.

    At a stop it takes a context for a wish to go on. Its entries are one line, though it takes arguments apart: other
    clients read its file too, and one that ignored them would run `vfcc` alone, whose exit code for a command that is
    none keeps their agents from every tool.
    """

    name = "claude"
    events = {  # noqa: RUF012
        each: each
        for each in (
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "Stop",
            "SessionEnd",
        )
    }
    carries = {  # noqa: RUF012
        "SessionStart": ("context",),
        "UserPromptSubmit": ("context", "block"),
        "PreToolUse": ("context", "deny", "ask"),
        "PostToolUse": ("context", "block"),
        "PostToolUseFailure": ("context",),
        "SubagentStart": ("context",),
        "SubagentStop": ("block",),
        "PreCompact": ("block",),
        "Stop": ("block",),
    }
    steps = (f"Claude Code: {AGAIN}; /hooks lists them",)
    grouped = True
    misplaced = (".claude/hooks.json", ".claude/hooks/hooks.json")
    switches = (FILES["claude"], LOCAL_FILE)


CLIENT = Claude()
