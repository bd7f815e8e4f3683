"""`vfcc integrate`: what clients read besides hooks is written once, costs little, and goes without a trace."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.process import by_person, git, vfcc
from tests.cli.trees import everything
from verifflowcc.base.model.agent_clients import CLIENTS
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.client_doors import DoorKind, DoorTexts
from verifflowcc.history.rules.client_entries import doors_of
from verifflowcc.history.use.client_setup import door_texts
from verifflowcc.mcp.use.mcp_resources import lists

SETTINGS = '{"permissions": {"deny": ["Bash(rm)"]},\r\n  "hooks": {}}'


def contents(folder: Path) -> dict[str, str | bytes]:
    """Return all files but what is local."""
    return {path: each for path, each in everything(folder).items() if not path.startswith(".memory/local")}


def tokens(text: str) -> int:
    return open_counter(TokenSettings(), {}).count(text)


def theirs(root: Path) -> None:
    """Write what a team had before."""
    for path, text in {
        "AGENTS.md": "# Ours\n\nUse tabs.",
        "CLAUDE.md": "Be brief.\r\n",
        ".claude/settings.json": SETTINGS,
        ".claude/skills/ours/SKILL.md": "---\nname: ours\n---\n",
        ".codex/config.toml": 'model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n',
        "opencode.json": '{"mcp":{}}',
        ".vscode/mcp.json": '{\n\t"servers": {}\n}\n',
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())


def test_all_clients_are_set_up_once_and_removed_to_the_byte(young: Path) -> None:
    theirs(young)
    before = contents(young)

    assert vfcc(young, "integrate", "--all", "--check").code == 1
    assert contents(young) == before
    assert vfcc(young, "integrate", "--all").code == 0
    written = contents(young)
    assert vfcc(young, "integrate", "--all", "--check").code == 0
    assert vfcc(young, "integrate", "--all").code == 0
    assert contents(young) == written
    assert (young / ".claude/skills/vfcc-stage/SKILL.md").read_text() == (
        young / ".agents/skills/vfcc-stage/SKILL.md"
    ).read_text()
    assert "@AGENTS.md" in (young / "CLAUDE.md").read_text()
    allowed = json.loads((young / ".claude/settings.json").read_text())
    assert allowed["permissions"] == {"deny": ["Bash(rm)"], "allow": ["mcp__vfcc__*"]}

    assert by_person(young, "integrate", "--all", "--uninstall").code == 0
    assert contents(young) == before


def test_a_file_of_two_clients_goes_with_the_last_of_them(young: Path) -> None:
    before = contents(young)
    vfcc(young, "integrate", "claude", "codex")

    assert by_person(young, "integrate", "claude", "--uninstall").code == 0
    assert "MCP tool" in (young / "AGENTS.md").read_text()
    assert not (young / ".mcp.json").exists()
    assert not (young / ".claude").exists()

    assert by_person(young, "integrate", "codex", "--uninstall").code == 0
    assert contents(young) == before


def test_only_a_person_removes_what_was_written_and_an_edited_part_stays(young: Path) -> None:
    vfcc(young, "integrate", "claude")
    vfcc(young, "integrate", "claude", "--uninstall").refused(3, "needs a person")
    (young / "AGENTS.md").write_text((young / "AGENTS.md").read_text().replace("sprints", "weeks"), encoding="utf-8")

    ran = by_person(young, "integrate", "claude", "--uninstall")

    assert ran.code == 1
    assert "AGENTS.md was left as it is" in ran.out
    assert "weeks" in (young / "AGENTS.md").read_text()


def test_a_link_out_of_the_project_is_not_followed(young: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir(exist_ok=True)
    (young / ".agents").symlink_to(tmp_path / "outside")

    vfcc(young, "integrate", "codex").refused(3, ".agents is a link")
    assert not list((tmp_path / "outside").iterdir())


def test_standing_text_is_within_its_budget(young: Path) -> None:
    told = lists()
    texts = door_texts(Workspace(young))
    listed = [re.search(r"description: (.*)\n", text) for text in texts.skills.values()]
    skills = tokens(
        "\n".join(f"- {name}: {found[1] if found else ''}" for name, found in zip(texts.skills, listed, strict=True))
    )
    roles = tokens("\n".join(f"- {each.name}: {each.description}" for each in texts.roles))
    names = tokens("\n".join(f"mcp__vfcc__{tool['name']}" for tool in told["tools"]))
    instructions, block = tokens(told["instructions"]), tokens(block_of(texts))
    schemas = tokens(json.dumps(told["tools"], separators=(",", ":")))

    assert block <= 60
    assert block + instructions + names + skills + roles <= 500, "Claude Code"
    assert block + instructions + skills <= 300, "Codex"
    assert block + instructions + schemas + skills <= 1_200, "OpenCode and Gemini"


def block_of(texts: DoorTexts) -> str:
    """Return the text of the block in AGENTS.md."""
    return next(door.text for door in doors_of("codex", texts) if door.path == "AGENTS.md")


def test_no_sentence_is_in_two_channels(young: Path) -> None:
    told, texts = lists(), door_texts(Workspace(young))
    channels = {
        "AGENTS.md": block_of(texts),
        "instructions": told["instructions"],
        "tools": "\n".join(json.dumps(each) for each in told["tools"]),
        "prompts": "\n".join(json.dumps(each) for each in told["prompts"]),
        **dict(texts.skills),
        **{each.name: each.manual for each in texts.roles},
    }
    seen: dict[str, str] = {}
    for channel, text in channels.items():
        for sentence in {each.strip().casefold() for each in re.split(r"[.:;\n]\s", text) if len(each.split()) > 3}:
            assert sentence not in seen, (sentence, channel, seen[sentence])
            seen[sentence] = channel


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_each_client_gets_instructions_skills_and_the_server(young: Path, client: str) -> None:
    doors = doors_of(client, door_texts(Workspace(young)))

    assert {"AGENTS.md", ".agents/skills/vfcc-stage/SKILL.md"} <= {door.path for door in doors}
    assert any("mcp" in door.text or any("vfcc" in str(each.value) for each in door.members) for door in doors)
    assert len({door.path for door in doors}) == len(doors)
    assert all(door.text or door.members for door in doors)
    assert {door.kind for door in doors} <= set(DoorKind)


def test_the_task_of_vs_code_finds_what_check_prints(young: Path) -> None:
    vfcc(young, "integrate", "vscode")
    (task,) = json.loads((young / ".vscode/tasks.json").read_text())["tasks"]
    matcher = task["problemMatcher"]["pattern"]
    line = '.memory/project/items/requirement/REQ-a.md:14: note weak-wording: "as appropriate" leaves open'

    found = re.match(matcher["regexp"], line)

    assert found
    assert found[matcher["file"]].endswith("REQ-a.md")
    assert (found[matcher["line"]], found[matcher["severity"]]) == ("14", "note")


def test_git_merges_files_that_only_grow(young: Path) -> None:
    git(young, "init", "-q")
    assert vfcc(young, "integrate", "git").code == 0

    asked = git(young, "check-attr", "merge", ".memory/stage/a/b/results/c.jsonl", ".memory/sprint/a/knowledge.md")

    assert asked.count("merge: union") == 2


def test_the_status_line_names_sprint_stage_gate_and_evidence(young: Path) -> None:
    assert vfcc(young, "status", "--line").out == "vfcc: no sprint\n"
    assert vfcc(young, "sprint", "start", "Add it").code == 0
    assert vfcc(young, "status", "--line").out.startswith("add-it · planning · owes ")
