"""Write what the reference pages take from the program: commands with their options, JSON, keys, kinds, events.

    python docs/reference.py

A generated part is between two comments of its page, `<!-- commands: sprint -->` and `<!-- end of commands -->`. The
text around the parts is written by hand, and kept.
"""

import inspect
import json
import re
import runpy
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from typer.main import get_command

import verifflowcc
from verifflowcc import errors as raised
from verifflowcc.adapters.config.llm_section import LONGEST_WORD
from verifflowcc.adapters.config.user_section import UserFileSection
from verifflowcc.adapters.workflows import shipped_names
from verifflowcc.adapters.workflows.criterion_rules import RULES
from verifflowcc.adapters.workflows.load import load_shipped
from verifflowcc.cli.app import app
from verifflowcc.cli.examples import EXAMPLES
from verifflowcc.clients.encode import CARRIES
from verifflowcc.clients.entries import EVENTS
from verifflowcc.domain.items import Item
from verifflowcc.domain.sources import LAYER_OF, OFFERS
from verifflowcc.domain.testcases import Loss
from verifflowcc.domain.trace import Family, Severity
from verifflowcc.domain.trace_codes import CHECKS
from verifflowcc.domain.trace_defaults import RELATIONS, TYPES
from verifflowcc.domain.workflows import Stage
from verifflowcc.services.configuration import config_schema
from verifflowcc.services.memory.metrics import METRICS
from verifflowcc.workflow.metrics_table import MEANINGS

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


def settings(of: str) -> Iterator[str]:
    """Yield a table of the keys of a project's `config.yaml`, or of a person's own, as the JSON Schema has them."""
    schema = json.loads(config_schema()) if of == "all" else UserFileSection.model_json_schema()
    yield "| key | allowed | default | meaning |\n|---|---|---|---|"
    for path, key, required in _keys(schema, schema, ()):
        default = "required" if required else _value(key.get("default"))
        yield f"| `{'.'.join(path)}` | {_cell(_allowed(key))} | {default} | {_cell(key.get('description', ''))} |"


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


def api(of: str) -> Iterator[str]:
    """Yield a table of public names, with the first sentence of their docstrings."""
    yield "| name | does |\n|---|---|"
    for name in API[of]:
        found = getattr(verifflowcc, name)
        own = vars(found) if inspect.isclass(found) and name not in BACKENDS else {}
        methods = {each: one for each, one in own.items() if not each.startswith("_") and inspect.isfunction(one)}
        yield f"| {_code(name + _signature(found))} | {_cell(_summary(found))} |"
        yield from (
            f"| {_code(f'.{each}{_signature(one)}')} | {_cell(_summary(one))} |" for each, one in methods.items()
        )


BACKENDS = ("InMemoryBackend", "SqliteBackend", "FilesBackend")
API: Mapping[str, tuple[str, ...]] = {
    "prompts": (
        *("MemoryManager", "build_agent_prompt", "ContextAssembler", "get_user_context", "get_project_blocks"),
        *("format_combined_context", "assemble_thinking_partner_context", "assemble_work_agent_context"),
    ),
    "window": ("ContextWindow",),
    "stores": ("TaskMemoryStore", "ProjectMemoryStore", "GlobalMemoryStore"),
    "items": ("create_item", "open_store", *BACKENDS, "KnowledgeGraph", "EpisodicMemory"),
}
"""The public names by section of the page; of the backends the page has the protocol."""


def _signature(function: Any) -> str:
    """Return the parameters with their defaults; options by name are listed."""
    shown = []
    for name, each in inspect.signature(function).parameters.items():
        if each.kind is each.VAR_KEYWORD:
            options = typing.get_args(each.annotation)
            shown += [f"{option}=…" for option in (typing.get_type_hints(options[0]) if options else ())]
        elif name != "self" and each.kind is not each.VAR_POSITIONAL:
            shown.append(name if each.default is each.empty else f"{name}={each.default!r}")
    return f"({', '.join(shown)})"


def _summary(found: Any) -> str:
    return (inspect.getdoc(found) or "").partition(NEXT)[0]


def fields(of: str) -> Iterator[str]:
    """Yield a table of the keys of a stage in a workflow, or of an item in its front matter."""
    yield "| key | meaning |\n|---|---|"
    docstrings = runpy.run_path(str(Path(__file__).with_name("schemas.py")), run_name="schemas")["field_docstrings"]
    for name, meaning in docstrings({"stage": Stage, "item": Item}[of]).items():
        if name not in COMPUTED:
            yield f"| `{name}` | {_cell(meaning)} |"


COMPUTED = {"decision", "recency"}
"""What an item has beside the keys of its front matter."""


def events(client: str) -> Iterator[str]:
    """Yield a table of a client's events: the name here, and what an answer can carry."""
    yield "| event | name here | answer can carry |\n|---|---|---|"
    for own, name in EVENTS[client].items():
        yield f"| `{own}` | `{name}` | {', '.join(CARRIES[client].get(name, ())) or '-'} |"


def kinds(_: str) -> Iterator[str]:
    """Yield a table of the kinds of criteria: their keys, `*` at those that must be given, and their measures."""
    yield "| kind | default title | keys (* required) | measures |\n|---|---|---|---|"
    for kind, rule in RULES.items():
        keys = ", ".join(f"`{key}`{'*' if key in rule.needs else ''}" for key in rule.keys)
        yield f"| `{kind}` | {rule.title} | {keys} | {_listed(rule.measures or ())} |"


def workflows(_: str) -> Iterator[str]:
    """Yield a table of the shipped workflows."""
    yield "| name | title | stages | gates |\n|---|---|---|---|"
    for name in shipped_names():
        flow = load_shipped(name)
        gates = f"{flow.gates}, strict" if flow.strict else str(flow.gates)
        yield f"| `{name}` | {flow.title} | {', '.join(each.id for each in flow.stages)} | {gates} |"


def types(_: str) -> Iterator[str]:
    """Yield a table of the default types of trace items."""
    yield "| type | prefix | level | root | fields | must be verified |\n|---|---|---|---|---|---|"
    for rule in TYPES.values():
        level = "" if rule.level is None else rule.level
        flags = ("yes" if each else "" for each in (rule.root, rule.verified))
        root, verified = flags
        yield f"| `{rule.name}` | `{rule.prefix}` | {level} | {root} | {_listed(rule.fields)} | {verified} |"


def relations(_: str) -> Iterator[str]:
    """Yield a table of the default relations between trace items."""
    yield "| relation | from | to |\n|---|---|---|"
    for rule in RELATIONS.values():
        yield f"| `{rule.name}` | {_listed(rule.from_types)} | {_listed(rule.to_types)} |"


def families(_: str) -> Iterator[str]:
    """Yield a table of the trace checks by family; notes are in parentheses."""
    yield "| family | checks |\n|---|---|"
    for family in Family:
        checks = [each for each in CHECKS.values() if each.family is family]
        names = (f"(`{each.code}`)" if each.severity is Severity.NOTE else f"`{each.code}`" for each in checks)
        yield f"| `{family}` | {', '.join(names)} |"


def errors(_: str) -> Iterator[str]:
    """Yield a table of the codes of errors that vfcc raises on purpose."""
    yield "| `code` | exit code | meaning |\n|---|---|---|"
    kinds = [each for each in vars(raised).values() if isinstance(each, type) and issubclass(each, raised.VfccError)]
    for kind in sorted(kinds, key=lambda each: (each.exit_code, each.code)):
        yield f"| `{kind.code}` | {kind.exit_code} | {_cell((kind.__doc__ or '').partition(NEXT)[0])} |"


def losses(_: str) -> Iterator[str]:
    """Yield a table of the losses that `tests-kept` names."""
    yield "| measure | loss |\n|---|---|"
    yield from (f"| `{loss}` | {loss.means} |" for loss in Loss)


def numbers(of: str) -> Iterator[str]:
    """Yield a table of the numbers of a stage, or of memory."""
    yield "| name | counts |\n|---|---|"
    yield from (f"| `{name}` | {meaning} |" for name, meaning in {"stage": MEANINGS, "memory": METRICS}[of].items())


def sources(_: str) -> Iterator[str]:
    """Yield a table of the virtual sources that a loading strategy can name."""
    yield "| source | layer | offers |\n|---|---|---|"
    yield from (f"| `{name}` | {LAYER_OF[name]} | {offer} |" for name, offer in OFFERS.items())


NEXT = "\n\n"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


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
    (key,) = [each for each in key.get("anyOf", [key]) if each.get("type") != "null"]
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
            yield "\n".join(_plain(line.strip()) for line in text.replace("\b", "").strip().splitlines()) + "\n"


def _options(context: Any) -> Iterator[str]:
    records = [each.get_help_record(context) for each in context.command.params]
    shown = [record for record in records if record]
    if shown:
        yield "| argument or option | meaning |\n|---|---|"
        yield from (f"| {_code(name)} | {_cell(meaning)} |" for name, meaning in shown)
        yield ""


def _examples(name: str) -> Iterator[str]:
    lines = "\n".join(f"vfcc {each}" for each in EXAMPLES[name])
    yield f"```sh\n{lines}\n```\n"


def _cell(text: str) -> str:
    return _plain(" ".join(text.split())).replace("|", "&#124;")


def _plain(text: str) -> str:
    """Return a text in which nothing outside of backticks is read as HTML."""
    parts = text.split("`")
    return "`".join(part if at % 2 else part.replace("<", "&lt;") for at, part in enumerate(parts))


def _code(name: str) -> str:
    """Return a name as code in a table. Code hosts and the site read a bar between backticks differently."""
    return f"<code>{_cell(name)}</code>" if "|" in name else f"`{name}`"


def _part(found: re.Match[str]) -> str:
    name = found["name"]
    lines = "\n".join(PARTS[name](found["of"])).strip("\n")
    return f"<!-- {name}: {found['of']} -->\n\n{lines}\n\n<!-- end of {name} -->\n"


PARTS: dict[str, Callable[[str], Iterator[str]]] = {
    "api": api,
    "commands": commands,
    "errors": errors,
    "events": events,
    "families": families,
    "fields": fields,
    "kinds": kinds,
    "losses": losses,
    "numbers": numbers,
    "relations": relations,
    "settings": settings,
    "shapes": shapes,
    "sources": sources,
    "types": types,
    "workflows": workflows,
}


if __name__ == "__main__":
    for path in sorted(PAGES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (written := with_parts(text)) != text:
            path.write_text(written, encoding="utf-8")
