"""Write the table that completion reads: each command with its options, arguments and the kinds of their values.

    python -m tests.completion_table

Completion must not build the commands, which takes typer ten times as long as starting Python, so it reads this file.
A test compares it with the commands.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

import verifflowcc.fast
from verifflowcc.base.model.item_values import MEMORY_RELATIONS, TRACE_RELATIONS, TYPES, Status, Trust
from verifflowcc.base.model.trace_codes import METHODS
from verifflowcc.base.model.trace_codes import TYPES as TRACE_TYPES
from verifflowcc.cli.cli.app import PLUMBING, app
from verifflowcc.code.rules.graph import SymbolKind
from verifflowcc.history.rules.client_entries import EVENTS
from verifflowcc.sprint.store.workflow_load import load_shipped, shipped_names

FILE = Path(verifflowcc.fast.__file__).with_name("completion.json")
FILES = {"FILE", "FOLDER", "PATH", "FILE|FOLDER|-", "PATH[:SYMBOL]"}
OF_OPTIONS = {
    "--agent": "agent",
    "--sprint": "sprint",
    "--stage": "stage",
    "--criterion": "criterion",
    "--scope": "scope",
    "--task": "task",
    "--supersedes": "item",
    "--parent": "trace",
    "--item": "trace",
    "--client": "client",
    "--trust": "trust",
    "--command": "command",
    "--verification": "method",
    "--method": "method",
}
"""The kind of an option's values, by the option's name."""
OF_ARGUMENTS = {
    "SPRINT": "sprint",
    "STAGE": "stage",
    "CRITERION": "criterion",
    "CRITERION|COMMAND": "criterion",
    "SYMBOL": "symbol",
    "CLIENT": "client",
    "OTHER": "item",
    "A": "baseline",
    "B": "baseline",
}
"""The kind of an argument's values, by its name in the usage."""
OF_COMMANDS = {
    "context show --task": "",
    "context diff --task": "",
    "memory promote ID": "pending",
    "memory reject ID": "pending",
    "memory restore ID": "archived",
    "memory promote --to": "scope",
    "memory move --to": "scope",
    "memory link RELATION": "memory relation",
    "memory list --status": "status",
    "memory edit --status": "status",
    "code find --kind": "symbol kind",
    "evidence show ID": "evidence",
    "evidence redact ID": "evidence",
    "feedback triage ID": "comment",
    "trace review --to": "trace",
    "trace link TO": "trace",
    "trace unlink TO": "trace",
    "workflow show NAME": "workflow",
    "workflow use NAME": "workflow",
    "sprint start --workflow": "workflow",
    "init --workflow": "workflow",
    "stage advance --from": "stage",
}
"""The kind of one parameter of one command, where its name alone does not decide."""
OF_GROUPS = {
    "memory ID": "item",
    "trace ID": "trace",
    "task ID": "task",
    "memory TYPE": "memory type",
    "memory --type": "memory type",
    "trace TYPE": "trace type",
    "trace --type": "trace type",
    "trace --relation": "trace relation",
}
"""The kind of a parameter of all commands of a group."""


def table() -> dict[str, dict[str, Any]]:
    """Return the values of fixed kinds, and what each command takes by its name."""
    return {"values": _values(), "commands": dict(_commands(get_command(app)))}


def text() -> str:
    """Return the file: one line for each kind and each command, so that two changes rarely meet."""
    parts = []
    for name, entries in table().items():
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items())
        parts.append(f'"{name}": {{\n{lines}\n}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _values() -> dict[str, list[list[str]]]:
    shipped = [load_shipped(name) for name in shipped_names()]
    stages = {stage.id: stage.title for workflow in shipped for stage in workflow.stages}
    roles = sorted({stage.role for workflow in shipped for stage in workflow.stages})
    words: dict[str, Any] = {
        "agent": roles,
        "client": EVENTS,
        "memory type": TYPES,
        "trace type": TRACE_TYPES,
        "memory relation": sorted(MEMORY_RELATIONS),
        "trace relation": sorted(TRACE_RELATIONS),
        "status": Status,
        "trust": Trust,
        "method": METHODS,
        "symbol kind": SymbolKind,
    }
    return {
        "workflow": [[each.name, each.title] for each in shipped],
        "stage": [list(each) for each in stages.items()],
        **{kind: [[str(word), ""] for word in known] for kind, known in words.items()},
    }


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    name = " ".join(path)
    below = getattr(command, "commands", None)
    options = {}
    arguments = []
    for each in command.params:
        if each.param_type_name == "argument":
            arguments.append([_kind(path, each), each.nargs == -1])
        elif not each.hidden:
            kind = None if each.is_flag else _kind(path, each)
            options[max(each.opts, key=len)] = [kind, each.multiple, each.help.split(".")[0], each.opts]
    names = [*command.list_commands(None)] if below is not None else []
    entry = {"help": command.get_short_help_str(100).rstrip("."), "options": options, "arguments": arguments}
    if below is not None:
        entry["commands"] = [each for each in names if not below[each].hidden]
        entry["rarely"] = [each for each in names if below[each].hidden and " ".join((*path, each)) not in PLUMBING]
    yield name, entry
    for each, under in (below or {}).items():
        yield from _commands(under, (*path, each))


def _kind(path: tuple[str, ...], parameter: Any) -> str | list[str]:
    """Return the kind of a parameter's values; the values themselves where typer has them, `file` for a path."""
    choices = getattr(parameter.type, "choices", None)
    if choices:
        return [str(each) for each in choices]
    shown = (parameter.metavar or "").strip("[]…").replace("]", "")
    is_option = parameter.param_type_name == "option"
    own = max(parameter.opts, key=len) if is_option else shown
    keys = [f"{' '.join(path)} {own}", f"{path[0] if path else ''} {own}"]
    kind = next((table[key] for table, key in zip((OF_COMMANDS, OF_GROUPS), keys, strict=True) if key in table), None)
    if kind is None:
        kind = (OF_OPTIONS if is_option else OF_ARGUMENTS).get(own)
    return kind if kind is not None else "file" if shown in FILES else ""


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
