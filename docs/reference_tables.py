"""The tables of the reference pages, from what the program knows: `docs/reference.py` puts them into the pages."""

import inspect
import runpy
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import verifflowcc
from verifflowcc.base import errors as raised
from verifflowcc.base.config.tools_file import ALLOWS, KEYS
from verifflowcc.base.model.config_values import MIXES, WHOLE, CodeMix
from verifflowcc.base.model.gate_values import RULES
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.layers import LAYER_OF, OFFERS
from verifflowcc.base.model.protected_paths import CLOSED, PROTECTED
from verifflowcc.base.model.sprint_state import Stage
from verifflowcc.base.model.testcases import Loss
from verifflowcc.base.model.trace_codes import CHECKS, RELATIONS, TYPES
from verifflowcc.base.model.trace_values import Family, Severity
from verifflowcc.history.rules.client import client_of
from verifflowcc.history.rules.client_entries import EVENTS
from verifflowcc.memory.use.statistics import MEANINGS as COUNTERS
from verifflowcc.sprint.rules.stage_numbers import MEANINGS as NUMBERS
from verifflowcc.sprint.store.workflow_load import load_shipped, shipped_names


def api(of: str) -> Iterator[str]:
    """Yield a table of public names, with the first sentence of their docstrings."""
    yield "| name | does |\n|---|---|"
    for name in API[of]:
        found = getattr(verifflowcc, name)
        own = vars(found) if inspect.isclass(found) and name not in BACKENDS else {}
        methods = {each: one for each, one in own.items() if not each.startswith("_") and inspect.isfunction(one)}
        # a record makes its constructor when the first one is made, so its signature would depend on what ran before
        called = "" if hasattr(found, "__record_fields__") else _signature(found)
        yield f"| {code(name + called)} | {cell(_summary(found))} |"
        yield from (f"| {code(f'.{each}{_signature(one)}')} | {cell(_summary(one))} |" for each, one in methods.items())


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
    """Yield a table of the keys of a stage in a workflow, of an item in its front matter, or of a mix of code."""
    yield "| key | meaning |\n|---|---|"
    docstrings = runpy.run_path(str(Path(__file__).with_name("schemas.py")), run_name="schemas")["field_docstrings"]
    for name, meaning in docstrings({"stage": Stage, "item": Item, "mix": CodeMix}[of]).items():
        if name not in COMPUTED:
            yield f"| `{name}` | {cell(meaning)} |"


COMPUTED = {"decision", "recency"}
"""What an item has beside the keys of its front matter."""


def events(client: str) -> Iterator[str]:
    """Yield a table of a client's events: the name here, and what an answer can carry."""
    yield "| event | name here | answer can carry |\n|---|---|---|"
    for own, name in EVENTS[client].items():
        yield f"| `{own}` | `{name}` | {', '.join(client_of(client).carries.get(name, ())) or '-'} |"


def kinds(_: str) -> Iterator[str]:
    """Yield a table of the kinds of criteria: their keys, `*` at those that must be given, and their measures."""
    yield "| kind | default title | keys (* required) | measures |\n|---|---|---|---|"
    for kind, rule in RULES.items():
        keys = ", ".join(f"`{key}`{'*' if key in rule.needs else ''}" for key in rule.keys)
        yield f"| `{kind}` | {rule.title} | {keys} | {_listed(rule.measures or ())} |"


def mixes(_: str) -> Iterator[str]:
    """Yield a table of the shipped mixes of code, by role."""
    yield "| role | mix |\n|---|---|"
    for role, mix in MIXES.items():
        yield f"| `{role}` | {', '.join(f'{part} {share / WHOLE:g}' for part, share in mix.shares().items())} |"


def tools(_: str) -> Iterator[str]:
    """Yield a table of the classes of tools in `tools.yaml`."""
    yield "| tool | allows | narrowed by |\n|---|---|---|"
    yield from (f"| `{name}` | {ALLOWS[name]} | {_listed(keys)} |" for name, keys in KEYS.items())


def files(of: str) -> Iterator[str]:
    """Yield a list of the protected files, or of all that are closed to every agent."""
    yield from (f"- `{pattern}`" for pattern in {"protected": PROTECTED, "closed": CLOSED}[of])


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


def needs(_: str) -> Iterator[str]:
    """Yield a table of the needs in the shipped workflows `standard` and `safety`."""
    yield "| need | of | answered by | meaning |\n|---|---|---|---|"
    shipped = {each.id: each for name in ("standard", "safety") for each in load_shipped(name).trace.needs}
    for name, need in shipped.items():
        ways = [*need.by, *(["a file that names it"] if need.code else []), *(["a test"] if need.or_tests else [])]
        yield f"| `{name}` | {_listed(need.of)} | {', '.join(ways)} | {need.title} |"


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
        yield f"| `{kind.code}` | {kind.exit_code} | {cell((kind.__doc__ or '').partition(NEXT)[0])} |"


def losses(_: str) -> Iterator[str]:
    """Yield a table of the losses that `tests-kept` names."""
    yield "| measure | loss |\n|---|---|"
    yield from (f"| `{loss}` | {loss.means} |" for loss in Loss)


def numbers(of: str) -> Iterator[str]:
    """Yield a table of the numbers of a stage, or of memory."""
    yield "| name | counts |\n|---|---|"
    yield from (f"| `{name}` | {meaning} |" for name, meaning in {"stage": NUMBERS, "memory": COUNTERS}[of].items())


def sources(_: str) -> Iterator[str]:
    """Yield a table of the virtual sources that a loading strategy can name."""
    yield "| source | layer | offers |\n|---|---|---|"
    yield from (f"| `{name}` | {LAYER_OF[name]} | {offer} |" for name, offer in OFFERS.items())


NEXT = "\n\n"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def cell(text: str) -> str:
    return plain(" ".join(text.split())).replace("|", "&#124;")


def plain(text: str) -> str:
    """Return a text in which nothing outside of backticks is read as HTML."""
    parts = text.split("`")
    return "`".join(part if at % 2 else part.replace("<", "&lt;") for at, part in enumerate(parts))


def code(name: str) -> str:
    """Return a name as code in a table. Code hosts and the site read a bar between backticks differently."""
    return f"<code>{cell(name)}</code>" if "|" in name else f"`{name}`"


TABLES: dict[str, Callable[[str], Iterator[str]]] = {
    "api": api,
    "errors": errors,
    "events": events,
    "families": families,
    "fields": fields,
    "files": files,
    "kinds": kinds,
    "losses": losses,
    "mixes": mixes,
    "needs": needs,
    "numbers": numbers,
    "relations": relations,
    "sources": sources,
    "tools": tools,
    "types": types,
    "workflows": workflows,
}
"""Each table by the name of its part."""
