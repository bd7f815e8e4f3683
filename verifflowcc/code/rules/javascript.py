"""JavaScript, TypeScript and TSX: what is captured in their trees, and how they import."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import type_namer
from verifflowcc.code.rules.engine_forms import Dialect, Forms, Taken

if TYPE_CHECKING:
    from tree_sitter import Node


_BOTH = """
(function_declaration name: (_) @title return_type: (_)? @result body: (_) @body) @function
(generator_function_declaration name: (_) @title body: (_) @body) @function
(method_definition name: (_) @title return_type: (_)? @result body: (_) @body) @function
(variable_declarator name: (identifier) @title value:
  (arrow_function return_type: (_)? @result body: (_) @body)) @function
(variable_declarator name: (identifier) @title value:
  (function_expression return_type: (_)? @result body: (_) @body)) @function
(variable_declarator name: (identifier) @title value: (generator_function body: (_) @body)) @function
(variable_declarator name: (identifier) @title value: (class body: (_) @body)) @class
(variable_declarator name: (identifier) @title) @variable
(pair key: (property_identifier) @title value: (arrow_function body: (_) @body)) @function
(pair key: (property_identifier) @title value: (function_expression body: (_) @body)) @function
(assignment_expression left: (member_expression object: (identifier) @_exports property: (property_identifier) @title)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#eq? @_exports "exports")) @function
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @title)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#not-eq? @owner "exports") (#not-eq? @owner "module")) @function
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @_module
  property: (property_identifier) @_exports) property: (property_identifier) @title)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#eq? @_module "module") (#eq? @_exports "exports")) @function
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @owner
  property: (property_identifier) @_prototype) property: (property_identifier) @title)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#eq? @_prototype "prototype")) @function
(export_statement "default" @title value:
  [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
) @function
(export_statement "default" @title value: (class body: (_) @body)) @class
(export_statement declaration: (_) @inner) @whole
(lexical_declaration . (variable_declarator) @inner) @whole
(variable_declaration . (variable_declarator) @inner) @whole
(class_declaration name: (_) @title body: (_) @body) @class

(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @of property: (_) @call))
(new_expression constructor: (identifier) @new)
(new_expression constructor: (member_expression object: (_) @of property: (_) @new))
(decorator (identifier) @use)
(member_expression object: (_) @of property: (_) @member)
(identifier) @use
(shorthand_property_identifier) @use

(arrow_function parameter: (identifier) @local)
(rest_pattern (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(array_pattern (identifier) @local)
(assignment_pattern left: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)

(variable_declarator name: (identifier) @typed value:
  [(call_expression) (new_expression) (await_expression) (identifier)] @value)
(assignment_expression left: [(identifier) (member_expression)] @typed
  right: [(call_expression) (new_expression) (await_expression) (identifier)] @value)
(assignment_expression left: (member_expression object: (this)
  property: [(property_identifier) (private_property_identifier)] @field)) @whole_field

(export_statement !source (export_clause (export_specifier name: (_) @value alias: (_) @exported)))
(export_statement "default" @exported value: (identifier) @value)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @part_of) value:
  [(identifier) (member_expression) (call_expression) (await_expression)] @value)
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @name value: (identifier) @part_of))
  value: [(identifier) (member_expression) (call_expression) (await_expression)] @value)
(variable_declarator name: (identifier) @holder value: (object (shorthand_property_identifier) @held))
(variable_declarator name: (identifier) @holder value:
  (object (pair key: (property_identifier) @held value: (identifier) @value)))
(variable_declarator name: (identifier) @holder value: (object (spread_element (identifier) @spread)))

(import_statement) @import
(export_statement source: (_)) @import
(variable_declarator value: (call_expression function: (identifier) @_require arguments: (arguments . (string)))
  (#eq? @_require "require")) @import
(expression_statement (call_expression function: (identifier) @_require arguments: (arguments . (string)))
  (#eq? @_require "require")) @import
(call_expression function: (import)) @import
"""

JAVASCRIPT_QUERY = (
    _BOTH.replace("return_type: (_)? @result", "")
    + """
(formal_parameters (identifier) @local)
(assignment_pattern left: (identifier) @holder right: (object (shorthand_property_identifier) @held))
(assignment_pattern left: (identifier) @holder right:
  (object (pair key: (property_identifier) @held value: (identifier) @value)))
(assignment_pattern left: (identifier) @holder right: (identifier) @spread)
(class_heritage (identifier) @base)
(class_heritage (member_expression object: (_) @of property: (_) @base))
(field_definition property: (_) @title value: (arrow_function body: (_) @body)) @function
(field_definition property: (_) @title value: (function_expression body: (_) @body)) @function
(field_definition property: (_) @title) @field
(field_definition property: (_) @typed value: (new_expression) @value)
"""
)

TYPESCRIPT_QUERY = (
    _BOTH
    + """
(abstract_class_declaration name: (_) @title body: (_) @body) @class
(interface_declaration name: (_) @title body: (_) @body) @interface
(type_alias_declaration name: (_) @title) @type
(enum_declaration name: (_) @title body: (_) @body) @enum
(enum_body name: (property_identifier) @title @field)
(enum_assignment name: (property_identifier) @title) @field
(internal_module name: (_) @title body: (_) @body) @module
(module name: [(identifier) (nested_identifier)] @title) @module
(function_signature name: (_) @title return_type: (_)? @result) @function
(method_signature name: (_) @title return_type: (_)? @result) @function
(abstract_method_signature name: (_) @title return_type: (_)? @result) @function
(property_signature name: (_) @title) @field
(property_signature name: (_) @typed type: (_) @as)
(public_field_definition name: (_) @title value: (arrow_function return_type: (_)? @result body: (_) @body)) @function
(public_field_definition name: (_) @title value: (function_expression body: (_) @body)) @function
(public_field_definition name: (_) @title) @field
(public_field_definition name: (_) @typed type: (_) @as)
(public_field_definition name: (_) @typed value: (new_expression) @value)
(required_parameter (accessibility_modifier) pattern: (identifier) @field) @whole_field
(required_parameter (accessibility_modifier) pattern: (identifier) @typed_field type: (_) @as)
(extends_clause value: (identifier) @base)
(extends_clause value: (member_expression object: (_) @of property: (_) @base))
(implements_clause [(type_identifier) (nested_type_identifier)] @base)
(implements_clause (generic_type name: (_) @base))
(extends_type_clause type: [(type_identifier) (nested_type_identifier)] @base)
(extends_type_clause type: (generic_type name: (_) @base))
(type_identifier) @type
(nested_type_identifier module: (_) @of name: (_) @type)
(type_parameter name: (_) @type_parameter)
(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(required_parameter pattern: (identifier) @typed_parameter type: (_) @as)
(optional_parameter pattern: (identifier) @typed_parameter type: (_) @as)
(variable_declarator name: (identifier) @typed type: (_) @as)
(required_parameter pattern: (identifier) @holder value: (object (shorthand_property_identifier) @held))
(required_parameter pattern: (identifier) @holder value:
  (object (pair key: (property_identifier) @held value: (identifier) @value)))
(required_parameter pattern: (identifier) @holder value: (identifier) @spread)
"""
)

_FORMS = Forms(
    frozenset(
        {
            "identifier",
            "this",
            "super",
            "property_identifier",
            "private_property_identifier",
            "shorthand_property_identifier",
        }
    ),
    {"member_expression": ("object", "property")},
    {"call_expression": "function"},
    {},
    {"new_expression": "constructor"},
    frozenset({"parenthesized_expression", "await_expression", "non_null_expression"}),
)
_OWN = frozenset(
    "require Array Object String Number Boolean Symbol Promise Map Set WeakMap WeakSet Error TypeError RangeError Date "
    "RegExp JSON Math parseInt parseFloat isNaN isFinite setTimeout setInterval clearTimeout clearInterval console "
    "undefined super Record Partial Readonly Pick Omit Exclude Extract ReadonlyArray Required NonNullable ReturnType "
    "Parameters Iterable Iterator AsyncIterable Function fetch encodeURIComponent decodeURIComponent structuredClone "
    "queueMicrotask arguments globalThis BigInt Uint8Array ArrayBuffer Proxy Reflect".split()
)
_STRING = re.compile(r"""["'`]([^"'`]*)["'`]""")
_NAMED = re.compile(r"([\w$]+|\*)(?:\s+as\s+([\w$]+))?")
_PAIR = re.compile(r"([\w$]+)(?:\s*:\s*([\w$]+))?")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def imports(node: "Node", text: str) -> Iterator[Taken]:
    """Yield what an `import`, an `export … from` or a `require` takes."""
    start = node.start_byte
    strings = _STRING.findall(text)
    if not strings:
        return
    if node.type in ("variable_declarator", "expression_statement", "call_expression"):
        yield from _required(node, text, strings)
        return
    module = strings[-1]
    text = _COMMENT.sub("", text)
    clause = re.sub(
        r"^(import|export)\s+(type\s+|typeof\s+)?", "", text.partition("from")[0] if "from" in text else text
    )
    exports = text.startswith("export")
    braces = clause[clause.find("{") + 1 : clause.rfind("}")] if "{" in clause else ""
    if "require" in text and "=" in text:
        yield module, "", clause.partition("=")[0].strip(), start
        return
    for match in _NAMED.finditer(re.sub(r"\btype\s+(?=[\w$])", "", braces)):
        yield module, match[1], match[2] or match[1], start
    rest = clause.partition("{")[0]
    if "*" in rest:
        named = re.search(r"\*\s+as\s+([\w$]+)", rest)
        if named:
            yield module, "", named[1], start
        elif exports:
            yield module, "*", "", start
        rest = rest.partition("*")[0]
    first = re.match(r"\s*([\w$]+)", rest)
    if first and not exports and "from" in text:
        yield module, "default", first[1], start
    elif not exports and clause.strip()[:1] in ("'", '"'):
        yield module, "", "", start


def _required(node: "Node", text: str, strings: list[str]) -> Iterator[Taken]:
    module, start = strings[0], node.start_byte
    around = _awaited(node) if node.type == "call_expression" else None
    node = around or node
    text = (node.text or b"").decode("utf-8", "replace") if around else text
    named = node.child_by_field_name("name")
    if named is None:
        yield module, "", "", start
    elif named.type == "identifier":
        yield module, "", text.partition("=")[0].strip(), start
    elif named.type == "object_pattern":
        for match in _PAIR.finditer(text[: text.find("}")]):
            yield module, match[1], match[2] or match[1], start


def _awaited(node: "Node") -> "Node | None":
    """Return the variable that is given an imported module: `const m = await import("./m")`."""
    above = node.parent
    if above is not None and above.type == "await_expression":
        above = above.parent
        if above is not None and above.type == "variable_declarator":
            return above
    return None


_type_name = type_namer({"Promise", "Awaited", "Readonly", "Partial", "Required", "Ref", "Observable", "NonNullable"})
JAVASCRIPT = Dialect("javascript", _FORMS, _OWN, _type_name, imports, from_name=True)
TYPESCRIPT = Dialect("typescript", _FORMS, _OWN, _type_name, imports, from_name=True)
TSX = Dialect("tsx", _FORMS, _OWN, _type_name, imports, from_name=True)
