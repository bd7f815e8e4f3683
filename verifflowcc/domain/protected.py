"""The files that hold the rules of a project: which of them a gate shows when they change.

It runs inside of hooks, so it imports nothing.
"""

PROTECTED = (
    ".memory/config.yaml",
    ".memory/workflow.yaml",
    ".memory/agent/*/tools.yaml",
    ".memory/project/baselines/**",
    ".claude/settings.json",
    ".codex/hooks.json",
    ".cursor/hooks.json",
    ".gemini/settings.json",
    ".github/hooks/vfcc.json",
)
"""Patterns of committed files that say what is allowed and what passes a gate."""
