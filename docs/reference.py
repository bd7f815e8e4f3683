"""Write what the reference pages take from the program: commands with their options, JSON, keys, kinds, events.

    python docs/reference.py

A generated part is between two comments of its page, `<!-- commands: sprint -->` and `<!-- end of commands -->`. The
text around the parts is written by hand, and kept.
"""

import json
import re
import runpy
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from typer.main import get_command

from verifflowcc.base.config.config_description import LONGEST_WORD
from verifflowcc.base.config.user_section import UserFileSection
from verifflowcc.cli.cli.app import app
from verifflowcc.cli.cli.examples import EXAMPLES
from verifflowcc.sprint.use.configuration import config_schema

_TABLES = runpy.run_path(str(Path(__file__).with_name("reference_tables.py")))
cell, code, plain = _TABLES["cell"], _TABLES["code"], _TABLES["plain"]
PAGES = Path(__file__).parent / "reference"
SCHEMAS = PAGES / "schemas"
GOLDEN = Path(__file__).parents[1] / "tests" / "cli" / "golden"
PART = re.compile(r"<!-- (?P<name>(?!rows:)[a-z]+): (?P<of>[a-z -]+) -->\n.*?<!-- end of (?P=name) -->\n", re.DOTALL)
"""A generated part. Rows are not from here: `python -m tests.tested_tables` writes them."""


def with_parts(page: str) -> str:
    """Return a page with its generated parts written again. Raises KeyError for the name of an unknown part."""
    return PART.sub(_part, page)


def listed(page: str) -> set[str]:
    """Return the groups and single commands that the parts of a page list."""
    return {part["of"] for part in PART.finditer(page) if part["name"] == "commands"}


def commands(name: str) -> Iterator[str]:
    """Yield the lines on a command, or on all commands of a group, as `--help` has them."""
    root = _root()
    command = root.commands[name]
    parent = root.context_class(root, info_name="vfcc")
    yield from _command(command.context_class(command, info_name=name, parent=parent), heading=False)


def rarely(_: str) -> Iterator[str]:
    """Yield a table of the commands that no help screen lists."""
    yield "| command | meaning |\n|---|---|"
    for path, command in _leaves(_root(), ()):
        if command.hidden:
            about = cell(command.get_short_help_str(100))
            yield f"| [`{' '.join(path)}`](#vfcc-{'-'.join(path)}) | {about} |"


def _leaves(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in group.list_commands(None):
        below = group.commands[name]
        if hasattr(below, "commands"):
            yield from _leaves(below, (*path, name))
        else:
            yield (*path, name), below


def settings(of: str) -> Iterator[str]:
    """Yield a table of the keys of a project's `config.yaml`, or of a person's own, as the JSON Schema has them."""
    schema = json.loads(config_schema()) if of == "all" else UserFileSection.model_json_schema()
    yield "| key | allowed | default | meaning |\n|---|---|---|---|"
    for path, key, required in _keys(schema, schema, ()):
        default = "required" if required else _value(key.get("default"))
        yield f"| `{'.'.join(path)}` | {cell(_allowed(key))} | {default} | {cell(key.get('description', ''))} |"


def shapes(_: str) -> Iterator[str]:
    """Yield what each command prints with `--json`: its schema, and the shape that the tests compare it with."""
    schemas = {path.stem.replace("-", "_") for path in SCHEMAS.glob("*.json")}
    for stem in sorted(schemas | {path.stem for path in GOLDEN.glob("*.json")}):
        names, rest = _parts(stem.split("_"))
        yield f"## {' '.join(('vfcc', *names))}" + (f" ({' '.join(rest)})" if rest else "") + "\n"
        schema = SCHEMAS / f"{'-'.join(names) or stem}.json"
        if schema.exists():
            yield f"[{schema.name}](schemas/{schema.name})\n"
        if (path := GOLDEN / f"{stem}.json").exists():
            shape = json.loads(path.read_text(encoding="utf-8"))
            yield f"```json\n{json.dumps(shape, indent=1, ensure_ascii=False, sort_keys=True)}\n```\n"


def _parts(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the command that words begin with, and the rest: of which form of it."""
    command, count = _root(), 0
    while count < len(words) and words[count] in getattr(command, "commands", {}):
        command = command.commands[words[count]]
        count += 1
    return words[:count], words[count:]


NAMES = {
    "token_allocation": "<role>",
    "code_mix": "<role>",
    "commands": "<name>",
    "modes": "<kind or id>",
    "type_ttl_days": "<type>",
    "speakers": "<name>",
    "factors": "<model>",
}
"""What the keys below a key are, where a project chooses them."""
Key = Mapping[str, Any]


def _keys(
    schema: Key, here: Key, path: tuple[str, ...], *, required: bool = False
) -> Iterator[tuple[tuple[str, ...], Key, bool]]:
    """Yield each key of a schema that holds no others, with its path and whether it must be given."""
    named = next((each for each in here.get("anyOf", ()) if "$ref" in each), here)
    section: Key = schema["$defs"][named["$ref"].rpartition("/")[2]] if "$ref" in named else named
    chosen = [*section.get("patternProperties", {}).values()] or [section.get("additionalProperties")]
    if "properties" in section:
        for name, below in section["properties"].items():
            yield from _keys(schema, below, (*path, name), required=name in section.get("required", ()))
    elif isinstance(chosen[0], dict):
        about = {name: here[name] for name in ("description",) if name in here}
        yield from _keys(schema, about | chosen[0], (*path, NAMES[path[-1]]))
    else:
        yield path, here, required


def _allowed(key: Key) -> str:
    """Return the values of a key in words."""
    if {"type": "null"} in key.get("anyOf", ()) and key.get("default", "") is not None:
        return f"{_allowed({**key, 'default': None})}, `null`"
    parts = [each for each in key.get("anyOf", [key]) if each.get("type") != "null"]
    if len(parts) == 2 and parts[1].keys() == {"pattern"}:
        return f"{_allowed(parts[0])}, or the name of the project's own"
    (key,) = parts
    if "enum" in key:
        return ", ".join(f"`{each}`" for each in key["enum"])
    if key["type"] == "array":
        return f"list of {'patterns' if key['items'].get('maxLength', LONGEST_WORD) < LONGEST_WORD else 'words'}"
    if key["type"] in ("integer", "number"):
        return _range(key)
    return {"boolean": "`true`, `false`", "string": "text"}[key["type"]]


def _range(key: Key) -> str:
    kind = "whole number" if key["type"] == "integer" else "number"
    above = f"above {key['exclusiveMinimum']}" if "exclusiveMinimum" in key else f"from {key['minimum']}"
    # Bounds as high as these only keep out what no machine could hold.
    return f"{kind} {above}" if key["maximum"] >= 1_000_000 else f"{kind} {above} to {key['maximum']:g}"


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(f"`{each}`" for each in value) or "none"
    return "none" if value is None else f"`{value if isinstance(value, str) else json.dumps(value)}`"


@cache
def _root() -> Any:
    return get_command(app)


def _command(context: Any, *, heading: bool) -> Iterator[str]:
    command = context.command
    below = [*getattr(command, "commands", {}).items()]
    if heading:
        yield f"### {context.command_path}\n"
    if not below or command.invoke_without_command:
        yield f"```text\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    yield from _help(command)
    if not below or command.invoke_without_command:
        yield from _options(context)
        yield from _examples(context.command_path.partition(" ")[2])
    for name, each in below:
        yield from _command(each.context_class(each, info_name=name, parent=context), heading=True)


def _help(command: Any) -> Iterator[str]:
    for text in (command.help, command.epilog):
        if text:
            yield "\n".join(plain(line.strip()) for line in text.replace("\b", "").strip().splitlines()) + "\n"


def _options(context: Any) -> Iterator[str]:
    records = [each.get_help_record(context) for each in context.command.params]
    shown = [record for record in records if record]
    if shown:
        yield "| argument or option | meaning |\n|---|---|"
        yield from (f"| {code(name)} | {cell(meaning)} |" for name, meaning in shown)
        yield ""


def _examples(name: str) -> Iterator[str]:
    lines = "\n".join(f"vfcc {each}" for each in EXAMPLES[name])
    yield f"```sh\n{lines}\n```\n"


def _part(found: re.Match[str]) -> str:
    name = found["name"]
    lines = "\n".join(PARTS[name](found["of"])).strip("\n")
    return f"<!-- {name}: {found['of']} -->\n\n{lines}\n\n<!-- end of {name} -->\n"


def mcp(_: str) -> Iterator[str]:
    """Yield what `vfcc mcp` offers."""
    from verifflowcc.mcp.use.mcp_resources import lists

    offered = lists()
    yield "| tool | parameters | does |"
    yield "|---|---|---|"
    for tool in offered["tools"]:
        schema = tool["inputSchema"]
        needed = schema.get("required", ())
        names = ", ".join(f"`{key}`" if key in needed else f"`{key}`?" for key in schema["properties"])
        yield f"| `{tool['name']}` | {names} | {tool['description']} |"
    yield ""
    for each in (*offered["resources"], *offered["resourceTemplates"]):
        yield f"- resource `{each.get('uri') or each['uriTemplate']}`: {each['description']}"
    yield from (f"- prompt `{each['name']}`: {each['description']}" for each in offered["prompts"])


def doors(_: str) -> Iterator[str]:
    """Yield the files that each client gets."""
    from verifflowcc.base.model.agent_clients import FILES
    from verifflowcc.history.rules.client_doors import DoorTexts, RoleAgent
    from verifflowcc.history.rules.client_entries import SETUPS, doors_of

    texts = DoorTexts({"vfcc-NAME": ""}, (RoleAgent("ROLE", "", "", ()),))
    yield "| client | hooks | other files |"
    yield "|---|---|---|"
    for client in SETUPS:
        paths = ", ".join(f"`{door.path}`" for door in doors_of(client, texts))
        yield f"| `{client}` | {f'`{FILES[client]}`' if client in FILES else '–'} | {paths} |"


PARTS: dict[str, Callable[[str], Iterator[str]]] = {
    **_TABLES["TABLES"],
    "commands": commands,
    "doors": doors,
    "mcp": mcp,
    "rarely": rarely,
    "settings": settings,
    "shapes": shapes,
}


if __name__ == "__main__":
    for path in sorted(PAGES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (written := with_parts(text)) != text:
            path.write_text(written, encoding="utf-8")
