"""The agent clients that vfcc sets up: a line for each. `clients/NAME.py` describes the rest of a client.

It is read inside of hooks, so it imports nothing.
"""

CLIENTS = {
    "claude": (".claude/settings.json", "claude", ("CLAUDE.md", ".claude")),
    "codex": (".codex/hooks.json", "codex", (".codex",)),
    "cursor": (".cursor/hooks.json", "cursor-agent", (".cursor", ".cursorrules")),
    "gemini": (".gemini/settings.json", "gemini", ("GEMINI.md", ".gemini")),
    "copilot": (".github/hooks/vfcc.json", "copilot", (".github/copilot-instructions.md",)),
}
"""The file for its hooks, its executable, and files of a project that show its use.

`AGENTS.md` shows none, since most clients read it.
"""
LOCAL_FILE = ".claude/settings.local.json"
"""The hooks of one person; only Claude Code has such a file."""
FILES = {name: file for name, (file, _, _) in CLIENTS.items()}
PROGRAMS = {name: program for name, (_, program, _) in CLIENTS.items()}
