"""Front matter beyond the simple subset, read by the YAML library.

The tree of nodes is taken, not the objects that YAML makes of it: a text that looks like a boolean, an octal number or
a date stays the text that was written, and every value knows its line.
"""

from collections.abc import Mapping

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import FieldList, FieldScalar, FieldTable, Value

TYPE_CHECKING = False

if TYPE_CHECKING:
    import yaml


DEEPEST = 100
_NO_TEXT = "a key is no plain text"
_TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"


def read_yaml(block: str) -> FieldTable:
    """Return what a block says; an empty one is an empty table.

    Raises FormatError, whose message begins with the line of the block and a colon, where it is not YAML, is no mapping
    or holds itself.
    """
    node, _ = _composed(block)
    if node is None:
        return FieldTable((), 1)
    table = _value(node, {}, set())
    assert isinstance(table, FieldTable)
    return table


def _composed(block: str) -> "tuple[yaml.MappingNode | None, yaml.SafeLoader | yaml.CSafeLoader]":
    """Return the mapping that a block is as nodes (None where it is empty), and who read it; raises as `read_yaml`."""
    import yaml

    kind = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _demand_depth(block, kind)
        loader = kind(block)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        if "nesting depth" in (error.problem or ""):  # libyaml 0.2.6 has a limit of its own, far above ours
            raise FormatError(f"{line}: {_TOO_DEEP}") from error
        raise FormatError(f"{line}: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise FormatError("1: it holds a character that YAML does not allow") from error
    if node is not None and not isinstance(node, yaml.MappingNode):
        raise FormatError(f"{node.start_mark.line + 1}: it is no mapping of keys")
    return node, loader


def _demand_depth(block: str, loader: "type[yaml.SafeLoader | yaml.CSafeLoader]") -> None:
    """Refuse a block nested deeper than `DEEPEST`.

    libyaml's composer recurses, and ends the process at some depth.
    """
    import yaml

    # Each level needs one of these characters, so that most blocks need no parse of their own.
    if sum(map(block.count, "[{-?:")) <= DEEPEST:
        return
    depth = 0
    for event in yaml.parse(block, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise FormatError(f"{line}: {_TOO_DEEP}")


def _value(node: "yaml.Node", done: dict[int, Value], open_nodes: set[int]) -> Value:
    """Return the node as a value; an alias gives the same value again.

    So aliases cannot make it grow.
    """
    import yaml

    line = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        return FieldScalar(node.value, not node.style, line)
    if id(node) in done:
        return done[id(node)]
    if id(node) in open_nodes:
        raise FormatError(f"{line}: a value holds itself")
    open_nodes.add(id(node))
    result: Value
    if isinstance(node, yaml.MappingNode):
        result = FieldTable(tuple((_key(key), _value(value, done, open_nodes)) for key, value in node.value), line)
    else:
        result = FieldList(tuple(_value(each, done, open_nodes) for each in node.value), line)
    open_nodes.discard(id(node))
    done[id(node)] = result
    return result


def _key(node: "yaml.Node") -> str:
    import yaml

    if not isinstance(node, yaml.ScalarNode):
        raise FormatError(f"{node.start_mark.line + 1}: {_NO_TEXT}")
    return str(node.value)


# YAML as plain values, as the tools that wrote it read it: `true` is true, `1.0` a number.

MOST_ALIASES = 20
"""Values that stand for others may stand for so many that a small file fills the memory."""


def plain_yaml(path: str, text: str, line_shift: int = 0) -> Mapping[str, object]:
    """Return the mapping that a text holds; an empty one is empty.

    Raises FormatError, with `path` and line, where it is not YAML or no mapping.
    """
    import yaml

    try:
        node, loader = _composed(text)
        if node is None:
            return {}
        if "*" in text:
            _value(node, {}, set())  # refuses values that hold themselves, before anything is built
            _demand_few_aliases(text)
        value = loader.construct_document(node)
    except FormatError as error:
        line, _, reason = error.message.partition(": ")
        raise FormatError(f"{path}:{int(line) + line_shift}: {reason}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line_number = mark.line + 1 if mark else 1
        why = _NO_TEXT if error.problem == "found unhashable key" else error.problem or error.context
        raise FormatError(f"{path}:{line_number + line_shift}: {why}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise FormatError(f"{path}:{1 + line_shift}: a value in it cannot be read: {error}") from error
    return {str(key): each for key, each in value.items()}  # YAML reads `1:` and `on:` as no texts


def _demand_few_aliases(text: str) -> None:
    import yaml

    if "&" not in text or "*" not in text:
        return
    events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    if sum(isinstance(event, yaml.AliasEvent) for event in events) > MOST_ALIASES:
        raise FormatError(f"1: it has more than {MOST_ALIASES} aliases")
