"""The agent clients that vfcc sets up: a line for each. `history/rules/NAME.py` describes the rest of a client.

It is read inside of hooks, so it imports nothing.
"""

CLIENTS = {
    "claude": (".claude/settings.json", ".mcp.json", "claude", ("CLAUDE.md", ".claude")),
    "codex": (".codex/hooks.json", ".codex/config.toml", "codex", (".codex",)),
    "cursor": (".cursor/hooks.json", ".cursor/mcp.json", "cursor-agent", (".cursor", ".cursorrules")),
    "gemini": (".gemini/settings.json", ".gemini/settings.json", "gemini", ("GEMINI.md", ".gemini")),
    "copilot": (".github/hooks/vfcc.json", ".mcp.json", "copilot", (".github/copilot-instructions.md",)),
    "opencode": ("", "opencode.json", "opencode", ()),
    "vscode": ("", ".vscode/mcp.json", "", ()),
}
"""The file for its hooks, the one for MCP servers, its executable, and files of a project that show its use.

Empty where it has none. `AGENTS.md` shows no client's use, since most read it; `.vscode` may be there without an agent.
"""
LOCAL_FILE = ".claude/settings.local.json"
"""The hooks of one person; only Claude Code has such a file."""
FILES = {name: file for name, (file, _, _, _) in CLIENTS.items() if file}
SERVER_FILES = {name: file for name, (_, file, _, _) in CLIENTS.items()}
PROGRAMS = {name: program for name, (_, _, program, _) in CLIENTS.items() if program}

HOOKS_MANIFEST = "integrations.json"
"""Lists below `.memory/`, and below `.memory/local/`, the hooks that vfcc wrote into clients' files."""
