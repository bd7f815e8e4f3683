"""Go: what is captured in its trees, and how it imports."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import type_namer
from verifflowcc.code.rules.engine_forms import Dialect, Forms, Taken

if TYPE_CHECKING:
    from tree_sitter import Node


QUERY = """
(function_declaration name: (_) @title result: (_)? @result body: (_)? @body) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @title
  result: (_)? @result body: (_)? @body) @method
(type_spec name: (_) @title type: (struct_type (field_declaration_list) @body)) @struct
(type_spec name: (_) @title type: (interface_type) @body) @interface
(type_spec name: (_) @title) @type
(type_alias name: (_) @title) @type
(type_declaration . (type_spec) @inner) @whole
(const_declaration . (const_spec) @inner) @whole
(var_declaration . (var_spec) @inner) @whole
(method_elem name: (_) @title result: (_)? @result) @method
(field_declaration name: (_) @title) @field
(const_spec (identifier) @title) @variable
(var_spec name: (_) @title) @variable

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @of field: (_) @call))
(call_expression function: (index_expression operand: (identifier) @call))
(type_conversion_expression type: (generic_type type: (type_identifier) @call))
(composite_literal type: (type_identifier) @new)
(composite_literal type: (qualified_type package: (_) @of name: (_) @new))
(composite_literal type: (generic_type type: (type_identifier) @new))
(field_declaration !name type: (type_identifier) @base)
(field_declaration !name type: (qualified_type package: (_) @of name: (_) @base))
(field_declaration !name type: (generic_type type: (type_identifier) @base))
(interface_type (type_elem . (type_identifier) @base .))
(interface_type (type_elem . (qualified_type package: (_) @of name: (_) @base) .))
(type_identifier) @type
(qualified_type package: (_) @of name: (_) @type)
(selector_expression operand: (_) @of field: (_) @member)
(identifier) @use

(parameter_declaration name: (_) @local)
(variadic_parameter_declaration name: (_) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))
(type_parameter_declaration name: (_) @type_parameter)
(keyed_element key: (literal_element (identifier) @key))

(parameter_declaration name: (identifier) @typed_parameter type: (_) @as)
(field_declaration name: (_) @typed type: (_) @as)
(var_spec name: (identifier) @typed type: (_) @as)
(var_spec . name: (identifier) @typed . value: (expression_list . (_) @value))
(short_var_declaration left: (expression_list . (identifier) @typed) right: (expression_list . (_) @value))

(import_spec) @import
"""

_FORMS = Forms(
    frozenset({"identifier", "field_identifier", "package_identifier", "type_identifier"}),
    {"selector_expression": ("operand", "field")},
    {"call_expression": "function"},
    {},
    {"composite_literal": "type", "type_assertion_expression": "type"},
    frozenset({"parenthesized_expression", "unary_expression"}),
)
_OWN = frozenset(
    "append cap clear close complex copy delete imag len make max min new panic print println real recover true false "
    "nil iota bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 "
    "uint16 uint32 uint64 uintptr any comparable _".split()
)


def imports(node: "Node", text: str) -> Iterator[Taken]:
    """Yield what one line of an import takes: a package, called by its last part unless a name is given."""
    path, named = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None:
        return
    module = (path.text or b"").decode("utf-8", "replace").strip('"`')
    alias = (named.text or b"").decode("utf-8", "replace") if named is not None else _last(module)
    if alias == ".":
        yield module, "*", "", node.start_byte
    else:
        yield module, "", "" if alias == "_" else alias, node.start_byte


def _last(module: str) -> str:
    """Return how a package is most likely called: the last part of its path that is no version.

    >>> _last("a/b/v2"), _last("gopkg.in/yaml.v3"), _last("a/go-cmp")
    ('b', 'yaml', 'cmp')
    """
    parts = [part for part in module.split("/") if not (part[:1] == "v" and part[1:].isdigit())] or [module]
    last = parts[-1].partition(".v")[0]
    return last.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "_")


GO = Dialect("go", _FORMS, _OWN, type_namer(()), imports, says_all=True)
