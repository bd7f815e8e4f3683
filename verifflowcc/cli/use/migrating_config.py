"""What `migrate` makes of `config.yaml`: today's format, without the defaults that an earlier version wrote into it."""

import re
from collections.abc import Iterator, Sequence

from verifflowcc.base.config.config_defaults import ALLOCATIONS, LAYERS, STRATEGIES
from verifflowcc.base.config.config_load import FILE, read_config
from verifflowcc.base.config.config_provenance import Setting, settings_of
from verifflowcc.base.config.yaml_values import Lines, Value, load_yaml
from verifflowcc.base.errors import ConfigError, FormatError
from verifflowcc.base.files.layout import source_of
from verifflowcc.base.formats import front_matter_values as front_matter_read
from verifflowcc.base.formats.front_matter_values import FieldScalar
from verifflowcc.base.model.config_values import DEFAULT_ROLE, FORMAT, MERGED_ROLES
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.store.shorten_config import shorten
from verifflowcc.items.store.item_edits import read_block
from verifflowcc.sprint.store.workflow_load import templates_folder, workflow_names

_BOM = b"\xef\xbb\xbf"
_START = re.compile(rb"(?:%[^\n]*\n)*---[ \t]*\r?\n")
_KEY = re.compile(rb"(?m)^format[ \t]*:[ \t]*(\S+)")
_SHARES = "default: {agent: 0.4, stage: 0.3, sprint: 0.2, project: 0.1}"
"""What a role had in format 1 that `token_allocation` does not name."""
_LISTS = ("always_load", "conditional_load")


@dataclass(frozen=True, slots=True)
class ConfigPlan:
    """The file's new bytes, a sentence for each change, and what a person should know or add by hand."""

    data: bytes
    changes: tuple[str, ...]
    notices: tuple[str, ...]


def plan_config(workspace: Workspace, before: int) -> ConfigPlan:
    """Return the migrated file, without writing.

    `before` is its format, 0 where it names none.

    Raises ConfigError where it is not valid, or cannot be changed by lines.
    """
    data = read_config(workspace.memory / FILE) or b""
    workflows = workflow_names(workspace.memory)
    old = {each.name: each for each in settings_of(with_format(data, max(before, 1)), workflows)}
    folder = templates_folder()
    earlier = [path.read_text(encoding="utf-8") for path in sorted((folder / "earlier-configs").glob("*.yaml"))]
    short = shorten(data.decode("utf-8"), earlier, (folder / FILE).read_text(encoding="utf-8"))
    text, added = _with_default_role(short.text) if before < MERGED_ROLES else (short.text, ())
    new = with_format(text.encode("utf-8"), FORMAT)
    taken = [".".join(map(str, loc)) for loc in short.taken]
    after = settings_of(new, workflows)
    changes = (
        *(f"{each} is taken out: it holds the defaults of an earlier vfcc" for each in taken),
        *added,
        *_changes(old, after, taken),
    )
    return ConfigPlan(new, changes, tuple(_own_lists(new)))


def format_value(data: bytes) -> FieldScalar | None:
    """Return what a file gives as its format; None where it gives none. Raises ConfigError."""
    try:
        table = read_block(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        raise ConfigError((f"{FILE}:1: not UTF-8 at byte {error.start}",), hint="vfcc check config") from error
    except FormatError as error:
        raise ConfigError((f"{FILE}:{error.message}",), hint="vfcc check config") from error
    value = dict(table.pairs).get("format")
    if value is not None and not isinstance(value, FieldScalar):
        raise ConfigError((f"{FILE}:{value.line}: format is no whole number",), hint="vfcc check config")
    return value


def with_format(data: bytes, number: int) -> bytes:
    """Return a file with its format, every other byte as it was. Raises ConfigError where that cannot be."""
    line_end = b"\r\n" if b"\r\n" in data.split(b"\n", 1)[0] + b"\n" else b"\n"
    wanted = b"format: %d" % number
    if _KEY.search(data):
        new = _KEY.sub(wanted, data, count=1)
    else:
        head = _BOM if data.startswith(_BOM) else b""
        start = _START.match(data, len(head))
        at = start.end() if start else len(head)
        new = data[:at] + wanted + line_end + data[at:]
    _demand_same(data, new, number)
    return new


def _demand_same(before: bytes, after: bytes, number: int) -> None:
    """Raise ConfigError unless both differ in the format alone, and the second has this one."""
    value = None
    try:
        value = format_value(after)
        same = _others(before) == _others(after)
    except ConfigError:
        same = False
    if not same or value is None or value.text != str(number):
        raise ConfigError((f"{FILE}:1: `format: {number}` cannot be added by lines",), hint="add it by hand")


def _others(data: bytes) -> list[tuple[str, object]]:
    pairs = read_block(data.decode("utf-8-sig").replace("\r\n", "\n")).pairs
    return [(key, _without_lines(value)) for key, value in pairs if key != "format"]


def _without_lines(value: front_matter_read.Value) -> object:
    if isinstance(value, FieldScalar):
        return value.text, value.plain
    if isinstance(value, front_matter_read.FieldTable):
        return [(key, _without_lines(each)) for key, each in value.pairs]
    return [_without_lines(each) for each in value.values]


def _with_default_role(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text in which roles that it does not name keep the shares of format 1, and a sentence on it."""
    value, lines = load_yaml(text.encode("utf-8"), FILE)
    roles = value.get("token_allocation") if isinstance(value, dict) else None
    if not isinstance(roles, dict) or not roles or DEFAULT_ROLE in roles or all(map(_has_shares, _shipped(roles))):
        return text, ()
    at = lines["token_allocation",]
    rows = text.splitlines(keepends=True)
    first = lines["token_allocation", next(iter(roles))]
    if first == at:
        raise ConfigError((f"{FILE}:{at}: token_allocation has no role {DEFAULT_ROLE}",), hint=f"add {_SHARES}")
    row = rows[first - 1]
    indent, end = row[: len(row) - len(row.lstrip(" "))], "\r\n" if row.endswith("\r\n") else "\n"
    rows.insert(at, f"{indent}{_SHARES}{end}")
    return "".join(rows), ("token_allocation.default is added: roles without shares keep those that they had",)


def _shipped(roles: dict[str, Value]) -> list[Value]:
    return [roles.get(role) for role in ALLOCATIONS]


def _has_shares(given: Value) -> bool:
    return isinstance(given, str) or (isinstance(given, dict) and any(layer.value in given for layer in LAYERS))


def _changes(old: dict[str, Setting], after: Sequence[Setting], taken: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each setting whose value is another one. Raises ConfigError for one that was not taken."""
    for each in after:
        before = old.get(each.name)
        if each.name == "format" or (before and before.value == each.value):
            continue
        if before and any(each.name == name or each.name.startswith(f"{name}.") for name in taken):
            yield f"{each.name} changes from {_shown(before)} to {_shown(each)}, today's default"
        elif before:
            raise ConfigError((f"{FILE}: {each.name} would change without being a default",), hint="vfcc config show")


def _shown(setting: Setting) -> str:
    value = setting.value
    listed = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()
    return f"({listed})" if isinstance(value, tuple) else listed


def _own_lists(data: bytes) -> Iterator[str]:
    """Yield, for each list of a strategy that the project chose, the lines that add what it lacks of the defaults."""
    value, lines = load_yaml(data, FILE)
    rows = data.decode("utf-8-sig").splitlines()
    strategies = value.get("loading_strategy") if isinstance(value, dict) else None
    for layer, default in STRATEGIES.items():
        given = strategies.get(layer.value) if isinstance(strategies, dict) else None
        if not isinstance(given, dict):
            continue
        named = {source_of(layer, str(name)) for key in _LISTS for name in _listed(given.get(key))}
        for key, names in zip(_LISTS, (default.always_load, default.conditional_load), strict=True):
            missing = [name for name in names if name.startswith("@") and name not in named]
            if isinstance(given.get(key), list) and missing:
                yield _lines_to_add(layer, key, missing, lines, rows)


def _listed(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _lines_to_add(layer: Layer, key: str, missing: Sequence[str], lines: Lines, rows: Sequence[str]) -> str:
    loc = ("loading_strategy", layer.value, key)
    row, first = lines[loc], lines.get((*loc, 0))
    sentence = f"{FILE}:{row}: {'.'.join(loc)} is your own and stays; new projects load more"
    if first is None or first == row:
        quoted = ", ".join(f'"{name}"' for name in missing)
        return f"{sentence}. Add to the list: {quoted}"
    item = rows[first - 1]
    indent = item[: len(item) - len(item.lstrip(" "))]
    return "\n".join((f"{sentence}. Add to the list:", *(f'{indent}- "{name}"' for name in missing)))
