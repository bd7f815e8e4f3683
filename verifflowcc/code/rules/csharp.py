"""C#: what is captured in its trees, and what its `using` takes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import type_namer
from verifflowcc.code.rules.engine_forms import Dialect, Forms, Taken

if TYPE_CHECKING:
    from tree_sitter import Node


QUERY = """
(class_declaration name: (_) @title body: (_) @body) @class
(struct_declaration name: (_) @title body: (_)? @body) @struct
(record_declaration name: (_) @title body: (_)? @body) @class
(interface_declaration name: (_) @title body: (_) @body) @interface
(enum_declaration name: (_) @title body: (_) @body) @enum
(delegate_declaration name: (_) @title) @type
(namespace_declaration name: (_) @title body: (_) @body) @module
(file_scoped_namespace_declaration name: (_) @title) @module
(enum_member_declaration name: (_) @title) @field
(method_declaration returns: (_)? @result name: (_) @title body: (_)? @body) @method
(constructor_declaration name: (_) @title body: (_)? @body) @method
(destructor_declaration name: (_) @title body: (_)? @body) @method
(local_function_statement type: (_) @result name: (_) @title body: (_)? @body) @function
(property_declaration type: (_) @result name: (_) @title accessors: (accessor_list)? @body) @field
(field_declaration (variable_declaration (variable_declarator name: (_) @title))) @field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @title))) @field
(record_declaration (parameter_list (parameter name: (_) @title) @field))

(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name . (identifier) @call))
(invocation_expression function: (member_access_expression expression: _ @of name: (identifier) @call))
(invocation_expression function: (member_access_expression expression: _ @of name: (generic_name . (identifier) @call)))
(invocation_expression function: (conditional_access_expression condition: _ @of
  (member_binding_expression name: (identifier) @call)))
(object_creation_expression type: [(identifier) (qualified_name)] @new)
(object_creation_expression type: (generic_name . (identifier) @new))
(base_list [(identifier) (qualified_name)] @base)
(base_list (generic_name . (identifier) @base))
(base_list (primary_constructor_base_type type: (_) @base))
(member_access_expression expression: _ @of name: (identifier) @member)
(attribute name: (_) @type)
(_ type: [(identifier) (qualified_name)] @type)
(_ returns: [(identifier) (qualified_name)] @type)
(generic_name . (identifier) @type)
(type_argument_list (identifier) @type)
(array_type type: (identifier) @type)
(nullable_type type: (identifier) @type)
(identifier) @use

(parameter name: (_) @local)
(parameter_list name: (identifier) @local)
(lambda_expression parameters: (implicit_parameter) @local)
(variable_declaration (variable_declarator name: (_) @local))
(foreach_statement left: (identifier) @local)
(catch_declaration name: (_) @local)
(declaration_pattern name: (_) @local)
(declaration_expression name: (_) @local)
(type_parameter name: (_) @type_parameter)
(argument name: (identifier) @key)
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)

(parameter type: (_) @as name: (_) @typed_parameter)
(record_declaration (parameter_list (parameter type: (_) @as name: (_) @typed_field)))
(property_declaration type: (_) @as name: (_) @typed)
(variable_declaration type: (_) @as (variable_declarator name: (_) @typed))
(variable_declaration type: (implicit_type) (variable_declarator name: (_) @typed (_) @value .))
(foreach_statement type: (_) @as left: (identifier) @typed)
(catch_declaration type: (_) @as name: (_) @typed)
(declaration_pattern type: (_) @as name: (_) @typed)

(using_directive) @import
"""

_FORMS = Forms(
    frozenset({"identifier", "this", "base", "predefined_type"}),
    {"member_access_expression": ("expression", "name")},
    {"invocation_expression": "function"},
    {},
    {"object_creation_expression": "type", "cast_expression": "type"},
    frozenset({"parenthesized_expression", "await_expression", "postfix_unary_expression"}),
    frozenset({"qualified_name", "generic_name", "alias_qualified_name"}),
)
_OWN = frozenset(
    "nameof var dynamic String Object Int32 Int64 Boolean Task ValueTask List Dictionary IEnumerable IList IDictionary "
    "Func Action Exception Console Math Convert Guid DateTime TimeSpan Nullable Type Attribute EventArgs IDisposable "
    "CancellationToken ArgumentException ArgumentNullException InvalidOperationException NotImplementedException "
    "value Array Enum HashSet Tuple KeyValuePair StringBuilder Expression Serializable Obsolete _".split()
)


def imports(node: "Node", text: str) -> Iterator[Taken]:
    """Yield what a `using` takes: all of a namespace, or one name under another."""
    words = text.replace(";", " ").replace("=", " = ").split()
    words = [word for word in words if word not in ("global", "using", "static", "unsafe")]
    if len(words) > 2 and words[1] == "=":
        yield "".join(words[2:]), "", words[0], node.start_byte
    elif words:
        yield "".join(words), "*", "", node.start_byte


_WRAPPERS = {"Task", "ValueTask", "Nullable", "Lazy", "Func"}
CSHARP = Dialect(
    "csharp", _FORMS, _OWN, type_namer(_WRAPPERS), imports, says_all=True, from_name=True, members_are_bare=True
)
