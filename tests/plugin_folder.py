"""Write the plugin for Claude Code, Codex and Copilot CLI, from what `vfcc integrate` writes into a project.

    python -m tests.plugin_folder

Codex and Copilot ignore `args` of hooks, so each command is one string.
"""

import json
from pathlib import Path

from verifflowcc import __version__
from verifflowcc.base.config.tools_file import parse_tools
from verifflowcc.history.rules.client_doors import SERVER, DoorTexts, RoleAgent
from verifflowcc.history.rules.client_entries import doors_of, entries
from verifflowcc.history.use.client_setup import NAMES, description_of, skill_text
from verifflowcc.sprint.store.workflow_load import templates_folder

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "plugin"
ROLES = ("planner", "designer", "coder", "tester", "reviewer")
DESCRIPTION = "Sprints with stages, gates and evidence, and a memory that is committed with the code."
OWN_SERVER = "mcp__plugin_vfcc_vfcc__*"
"""The server's tools where no project names the same server."""
README = f"""\
# vfcc for agents' clients

{DESCRIPTION}

The plugin needs the command `vfcc` on the PATH (`pipx install verifflowcc`) and a project with `.memory/` (made by
`vfcc init`).
It brings the MCP server, five skills, five role agents and the hooks that record what agents do. Claude Code, Codex and
Copilot CLI install it unchanged. In a project that `vfcc integrate` has set up it adds nothing, and an event that both
report is recorded once.
"""


def files() -> dict[str, str]:
    """Return the files of the plugin and the marketplace, by their paths in this repository."""
    texts = DoorTexts({name: skill_text(name) for name in NAMES}, [_role(name) for name in ROLES])
    about = {
        "name": "vfcc",
        "version": __version__,
        "description": DESCRIPTION,
        "author": {"name": "vfcc"},
        "license": "MIT",
        "keywords": ["v-model", "gates", "memory"],
    }
    market = {
        "name": "vfcc",
        "owner": {"name": "vfcc"},
        "description": DESCRIPTION,
        "plugins": [{"name": "vfcc", "source": "./plugin", "description": DESCRIPTION, "version": __version__}],
    }
    hooks = {event: [each] for event, each in entries("claude").items()}
    agents = {
        door.path.replace(".claude/", "plugin/"): door.text.replace("mcp__vfcc__*", f"mcp__vfcc__*, {OWN_SERVER}")
        for door in doors_of("claude", texts)
        if door.path.startswith(".claude/agents/")
    }
    return {
        ".claude-plugin/marketplace.json": _json(market),
        "plugin/.claude-plugin/plugin.json": _json(about),
        "plugin/.mcp.json": _json({"mcpServers": {"vfcc": SERVER}}),
        "plugin/README.md": README,
        "plugin/hooks/hooks.json": _json({"hooks": hooks}),
        **{f"plugin/skills/{name}/SKILL.md": text for name, text in texts.skills.items()},
        **agents,
    }


def _role(name: str) -> RoleAgent:
    folder = templates_folder() / "agents" / name
    tools, _ = parse_tools((folder / "tools.yaml").read_bytes(), "tools.yaml")
    return RoleAgent(name, description_of(name), (folder / "prompt.md").read_text(encoding="utf-8"), tuple(tools))


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path, text in files().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
