"""PHP: what is captured in its trees, and what its `use` and `require` take."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import type_namer
from verifflowcc.code.rules.engine_forms import Dialect, Forms, Taken

if TYPE_CHECKING:
    from tree_sitter import Node


QUERY = """
(function_definition name: (_) @title return_type: (_)? @result body: (_) @body) @function
(method_declaration name: (_) @title return_type: (_)? @result body: (_)? @body) @method
(class_declaration name: (_) @title body: (_) @body) @class
(interface_declaration name: (_) @title body: (_) @body) @interface
(trait_declaration name: (_) @title body: (_) @body) @class
(enum_declaration name: (_) @title body: (_) @body) @enum
(enum_case name: (_) @title) @field
(property_declaration (property_element name: (_) @title)) @field
(const_declaration (const_element . (name) @title)) @variable
(property_promotion_parameter name: (_) @field) @whole_field
(program (expression_statement (assignment_expression left: (variable_name) @title) @variable))
(function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @title)))
  (#eq? @_define "define")) @variable

(function_call_expression function: [(name) (qualified_name)] @call)
(function_call_expression function: (variable_name) @key)
(member_call_expression object: (_) @of name: (name) @call)
(nullsafe_member_call_expression object: (_) @of name: (name) @call)
(scoped_call_expression scope: (_) @of name: (name) @call)
(object_creation_expression [(name) (qualified_name)] @new)
(attribute [(name) (qualified_name)] @type)
(base_clause [(name) (qualified_name)] @base)
(class_interface_clause [(name) (qualified_name)] @base)
(use_declaration [(name) (qualified_name)] @base)
(named_type [(name) (qualified_name)] @type)
(binary_expression operator: "instanceof" right: [(name) (qualified_name)] @type)
(class_constant_access_expression . (_) @of (name) @member .)
(class_constant_access_expression (name) @key . (#eq? @key "class"))
(scoped_property_access_expression scope: (_) @of name: (_) @member)
(member_access_expression object: (_) @of name: (name) @member)
(nullsafe_member_access_expression object: (_) @of name: (name) @member)
(variable_name (name) @key)
(namespace_name (name) @key)
(qualified_name) @part
(name) @use
(argument name: (name) @key)

(simple_parameter name: (_) @local)
(variadic_parameter name: (_) @local)
(assignment_expression left: (variable_name) @local)

(simple_parameter type: (_) @as name: (_) @typed_parameter)
(property_promotion_parameter type: (_) @as name: (_) @typed_parameter)
(property_promotion_parameter type: (_) @as name: (_) @typed_field)
(property_declaration type: (_) @as (property_element name: (_) @typed))
(assignment_expression left: [(variable_name) (member_access_expression)] @typed
  right: [(object_creation_expression) (function_call_expression) (member_call_expression) (scoped_call_expression)
    (variable_name)] @value)
(catch_clause type: (type_list . (_) @as .) name: (_) @typed)

(namespace_use_declaration) @import
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
(include_once_expression) @import
"""

_FORMS = Forms(
    frozenset({"name", "variable_name", "relative_scope"}),
    {
        "member_access_expression": ("object", "name"),
        "nullsafe_member_access_expression": ("object", "name"),
        "scoped_property_access_expression": ("scope", "name"),
    },
    {"function_call_expression": "function"},
    {
        "member_call_expression": ("object", "name"),
        "nullsafe_member_call_expression": ("object", "name"),
        "scoped_call_expression": ("scope", "name"),
    },
    {"object_creation_expression": ""},
    frozenset({"parenthesized_expression"}),
    frozenset({"qualified_name", "named_type"}),
)
_OWN = frozenset(
    "self static parent true false null TRUE FALSE NULL array string int isset empty define defined count "
    "is_array is_string is_null in_array array_map array_filter array_merge array_keys array_values implode "
    "explode sprintf printf strlen str_replace strpos substr trim json_encode json_decode var_dump preg_match "
    "preg_replace function_exists class_exists method_exists Exception Throwable RuntimeException "
    "InvalidArgumentException Closure Traversable Iterator IteratorAggregate ArrayAccess Countable stdClass "
    "DateTime Override class __DIR__ __FILE__ __CLASS__".split()
)
_STRING = re.compile(r"""["']([^"']+)["']""")
_USED = re.compile(r"([\w\\]+)(?:\s+as\s+(\w+))?", re.IGNORECASE)


def imports(node: "Node", text: str) -> Iterator[Taken]:
    """Yield what a `use` takes from a namespace, or all of a file that is required."""
    if node.type != "namespace_use_declaration":
        found = _STRING.search(text)
        if found:
            path = found[1]
            yield f".{path}" if path.startswith("/") and "__DIR__" in text else path, "*", "", node.start_byte
        return
    body = re.sub(r"^use\s+(?:function\s+|const\s+)?", "", text.rstrip("; \n"))
    head, brace, rest = body.partition("{")
    for match in _USED.finditer(re.sub(r"\b(?:function|const)\s+", "", rest if brace else body)):
        path = (head.strip() if brace else "") + match[1]
        module, _, name = path.strip("\\").rpartition("\\")
        yield module, name, match[2] or name, node.start_byte


def title(text: str) -> str:
    """Return a name without the mark of variables."""
    return text.lstrip("$")


PHP = Dialect("php", _FORMS, _OWN, type_namer(()), imports, says_all=True, from_name=True, title=title)
