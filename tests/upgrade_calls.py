"""What is tried in the project of version 0.1: calls of an agent's tools, and commands of vfcc."""

from collections.abc import Mapping
from typing import Any

Call = Mapping[str, Any]
OWN, OTHER = ".memory/stage/{sprint}/{stage}/artifacts/notes.md", ".memory/stage/titles/swe2/artifacts/notes.md"


def _edit(path: str) -> Call:
    return {"tool_name": "Edit", "tool_input": {"file_path": path, "old_string": "a", "new_string": "b"}}


def _write(path: str) -> Call:
    return {"tool_name": "Write", "tool_input": {"file_path": path, "content": "text\n"}}


def _bash(command: str) -> Call:
    return {"tool_name": "Bash", "tool_input": {"command": command}}


def _mcp(tool: str, **given: str) -> Call:
    return {"tool_name": tool, "tool_input": given}


def _as(agent: str, call: Call) -> Call:
    return {**call, "agent_id": "a1", "agent_type": agent}


EVENT = ".memory/sprint/{sprint}/events/01M83K0000000000000000000.json"
EVIDENCE = ".memory/stage/{sprint}/{stage}/evidence/01M83K0000000000000000000.json"
CALLS: dict[str, Call] = {
    "read-product": {"tool_name": "Read", "tool_input": {"file_path": "greetings/greet.py"}},
    "read-event": {"tool_name": "Read", "tool_input": {"file_path": ".memory/sprint/titles/goals.md"}},
    "grep": {"tool_name": "Grep", "tool_input": {"pattern": "def", "path": "greetings"}},
    "glob": {"tool_name": "Glob", "tool_input": {"pattern": "**/*.py"}},
    "edit-product": _edit("greetings/greet.py"),
    "write-product": _write("greetings/new.py"),
    "edit-never": _edit("checks.py"),
    "edit-tests": _edit("tests/test_greet.py"),
    "edit-claude-md": _edit("CLAUDE.md"),
    "write-own-artifact": _write(OWN),
    "write-other-artifact": _write(OTHER),
    "edit-item": _edit(".memory/project/items/requirement/REQ-names.md"),
    "edit-decision": _edit(".memory/project/decisions/decision-0002.md"),
    "write-event": _write(EVENT),
    "write-evidence": _write(EVIDENCE),
    "edit-config": _edit(".memory/config.yaml"),
    "edit-tools": _edit(".memory/agent/coder/tools.yaml"),
    "write-tools-missing": _write(".memory/agent/integrator/tools.yaml"),
    "edit-workflow": _edit(".memory/workflow.yaml"),
    "edit-baseline": _edit(".memory/project/baselines/v1.json"),
    "write-local": _write(".memory/local/hook.json"),
    "edit-claude-settings": _edit(".claude/settings.json"),
    "write-claude-local-settings": _write(".claude/settings.local.json"),
    "edit-codex-hooks": _edit(".codex/hooks.json"),
    "edit-git-config": _edit(".git/config"),
    "write-outside": _write("/elsewhere/notes.md"),
    "bash-ls": _bash("ls -l greetings"),
    "bash-cat": _bash("cat README.md"),
    "bash-test": _bash("python3 checks.py test junit.xml coverage.xml"),
    "bash-write-product": _bash("echo x >> greetings/greet.py"),
    "bash-write-config": _bash("echo 'hooks: {tools: off}' >> .memory/config.yaml"),
    "bash-write-event": _bash("echo {} > " + EVENT),
    "bash-cd-write-tools": _bash("cd .memory/agent/coder && rm tools.yaml"),
    "bash-python-config": _bash("python3 -c \"open('.memory/config.yaml', 'a').write('x')\""),
    "git-status": _bash("git status"),
    "git-log": _bash("git log --oneline"),
    "git-diff": _bash("git diff HEAD"),
    "git-diff-output": _bash("git diff --output=patch.txt HEAD"),
    "git-branch-list": _bash("git branch --list"),
    "git-add": _bash("git add greetings"),
    "git-commit": _bash("git commit -m work"),
    "git-apply": _bash("git apply change.patch"),
    "git-reset-hard": _bash("git reset --hard HEAD~1"),
    "git-push-force": _bash("git push --force origin main"),
    "git-alias": _bash("git -c alias.x='!sh' x"),
    "git-config-write": _bash("git config core.hooksPath hooks"),
    "git-checkout-config": _bash("git checkout HEAD~3 -- .memory/config.yaml"),
    "vfcc-status": _bash("vfcc status"),
    "vfcc-check-gate": _bash("vfcc check gate"),
    "vfcc-evidence-run": _bash("vfcc evidence run"),
    "vfcc-feedback-add": _bash("vfcc feedback add note"),
    "vfcc-advance": _bash("vfcc stage advance"),
    "vfcc-reopen": _bash("vfcc stage reopen planning --reason why"),
    "vfcc-sprint-start": _bash("vfcc sprint start Next"),
    "vfcc-approve": _bash("vfcc approve --yes"),
    "vfcc-request": _bash("vfcc approve --request"),
    "vfcc-waive": _bash("vfcc waive tests --reason why --yes"),
    "vfcc-skip": _bash("vfcc stage skip --reason why --yes"),
    "vfcc-promote": _bash("vfcc memory promote fact-0003 --yes"),
    "vfcc-allow": _bash("vfcc allow --yes"),
    "vfcc-workflow-use": _bash("vfcc workflow use light"),
    "vfcc-marker-removed": _bash("env -u CLAUDECODE -u VFCC_AGENT script -qec 'vfcc memory promote fact-0003 --yes'"),
    "python-m-vfcc-approve": _bash("python -m verifflowcc approve --yes"),
    "mcp-read": _mcp("mcp__fs__read_file", path="greetings/greet.py"),
    "mcp-write-product": _mcp("mcp__fs__write_file", path="greetings/greet.py", content="x"),
    "mcp-write-event": _mcp("mcp__fs__write_file", path=EVENT, content="{}"),
    "mcp-write-config": _mcp("mcp__fs__write_file", path=".memory/config.yaml", content="x"),
    "subagent-planner-edit-product": _as("planner", _edit("greetings/greet.py")),
    "subagent-coder-edit-product": _as("coder", _edit("greetings/greet.py")),
    "subagent-explore-read": _as("Explore", {"tool_name": "Read", "tool_input": {"file_path": "README.md"}}),
    "subagent-tester-edit-tests": _as("tester", _edit("tests/test_greet.py")),
}
"""Calls by their names; `{sprint}` and `{stage}` are those that the place names."""

SHOUT = ("--sprint", "shout")
POLITE = ("--sprint", "polite-greetings")
COMMANDS: dict[str, tuple[str, ...]] = {
    "status": ("status",),
    "next": ("next",),
    "sprint list": ("sprint", "list"),
    "check gate": ("check", "gate", *SHOUT),
    "check trace": ("check", "trace"),
    "memory list": ("memory", "list"),
    "context show": ("context", "show", "--agent", "coder", *SHOUT),
    "workflow show": ("workflow", "show", "spike"),
    "stage draft": ("stage", "draft", *SHOUT),
    "stage put": ("stage", "put", "changes.md", *SHOUT, "--file", "README.md"),
    "evidence run": ("evidence", "run", *POLITE),
    "feedback add": ("feedback", "add", "A comment", *SHOUT),
    "task start": ("task", "start", "Something", *SHOUT),
    "memory add": ("memory", "add", "fact", "Something new"),
    "memory edit active": ("memory", "edit", "fact-0001", "--importance", "0.9"),
    "memory forget": ("memory", "forget", "fact-0001", "--yes"),
    "memory reject": ("memory", "reject", "fact-0003"),
    "trace add": ("trace", "add", "need", "More", "--id", "NEED-more"),
    "trace retire": ("trace", "retire", "REQ-titles", "--reason", "no"),
    "integrate": ("integrate", "cursor"),
    "sprint start": ("sprint", "start", "Another"),
    "sprint start other workflow": ("sprint", "start", "Another", "--workflow", "agile"),
    "sprint close that owes": ("sprint", "close", "shout"),
    "sprint close unfinished": ("sprint", "close", "shout", "--unfinished", "no time"),
    "stage advance open gate": ("stage", "advance", "--sprint", "languages"),
    "stage advance with gaps": ("stage", "advance", *SHOUT),
    "stage advance closed gate": ("stage", "advance", "--sprint", "titles"),
    "stage reopen": ("stage", "reopen", "planning", "--reason", "again", *SHOUT),
    "allow": ("allow", "--yes"),
    "allow check": ("allow", "--check"),
    "allow withdraw": ("allow", "--withdraw"),
    "migrate": ("migrate",),
    "approve": ("approve", "coding", *POLITE, "--yes"),
    "approve own request": ("approve", "coding", *POLITE, "--request"),
    "approve signed": ("approve", "coding", *POLITE, "--signed", "HEAD"),
    "approve reject": ("approve", "coding", *POLITE, "--reject", "--reason", "no", "--yes"),
    "waive": ("waive", "changes-traced", "--reason", "later", "--stage", "coding", *POLITE, "--yes"),
    "stage skip": ("stage", "skip", "--reason", "no time", *SHOUT, "--yes"),
    "sprint resolve": ("sprint", "resolve", "shout", "--keep", "01M83K0000000000000000000", "--reason", "why"),
    "memory promote": ("memory", "promote", "fact-0003", "--yes"),
    "memory copy": ("memory", "copy", "--scope", "project", "--from", "files", "--to", "sqlite"),
    "memory purge": ("memory", "purge", "--source", "nowhere", "--yes"),
    "memory restore": ("memory", "restore", "question-0001"),
    "memory forget all": ("memory", "forget", "--all", "--scope", "user", "--yes"),
    "memory forget project": ("memory", "maintain", "--forget-project", "nowhere"),
    "history prune": ("history", "prune", "--older-than", "1d", "--yes"),
    "trace review": ("trace", "review", "REQ-titles", "--yes"),
    "trace clear": ("trace", "clear", "REQ-names", "--to", "NEED-names", "--reason", "holds", "--yes"),
    "trace verify": ("trace", "verify", "NEED-greet", "--saw", "a greeting", "--method", "demonstration", "--yes"),
    "trace baseline create": ("trace", "baseline", "create", "v2"),
    "workflow use": ("workflow", "use", "standard"),
    "doctor repair": ("doctor", "--repair"),
    "integrate uninstall": ("integrate", "codex", "--uninstall"),
    "integrate force": ("integrate", "claude", "--force"),
    "stage advance @shout": ("stage", "advance"),
    "sprint close @shout": ("sprint", "close"),
    "sprint start @shout": ("sprint", "start", "Another"),
    "sprint start @none": ("sprint", "start", "Another"),
    "sprint start other workflow @none": ("sprint", "start", "Another", "--workflow", "agile"),
    "feedback add @shout": ("feedback", "add", "A comment"),
}
"""Commands by their names: some of each class, and all that move a sprint or take a person.

All sprints are open, but where a name ends in the open one (`@shout`), or in `@none`. Version 0.1 was asked with the
sprint as the argument of `stage advance`, which is a stage now.
"""
