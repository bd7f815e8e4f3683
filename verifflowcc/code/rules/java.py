"""Java: what is captured in its trees, and how it imports."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import type_namer
from verifflowcc.code.rules.engine_forms import Dialect, Forms, Taken

if TYPE_CHECKING:
    from tree_sitter import Node


QUERY = """
(class_declaration name: (_) @title body: (_) @body) @class
(record_declaration name: (_) @title body: (_) @body) @class
(interface_declaration name: (_) @title body: (_) @body) @interface
(annotation_type_declaration name: (_) @title body: (_) @body) @interface
(enum_declaration name: (_) @title body: (_) @body) @enum
(enum_constant name: (_) @title) @field
(method_declaration type: (_) @result name: (_) @title body: (_)? @body) @method
(constructor_declaration name: (_) @title body: (_) @body) @method
(compact_constructor_declaration name: (_) @title body: (_) @body) @method
(annotation_type_element_declaration type: (_) @result name: (_) @title) @method
(field_declaration declarator: (variable_declarator name: (_) @title)) @field
(constant_declaration declarator: (variable_declarator name: (_) @title)) @field
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @title) @field))

(method_invocation object: (_)? @of name: (_) @call)
(object_creation_expression type: [(type_identifier) (scoped_type_identifier)] @new)
(object_creation_expression type: (generic_type . [(type_identifier) (scoped_type_identifier)] @new))
(method_reference . (_) @of (identifier) @part .)
(superclass [(type_identifier) (scoped_type_identifier)] @base)
(superclass (generic_type . [(type_identifier) (scoped_type_identifier)] @base))
(super_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @base))
(super_interfaces (type_list (generic_type . [(type_identifier) (scoped_type_identifier)] @base)))
(extends_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @base))
(extends_interfaces (type_list (generic_type . [(type_identifier) (scoped_type_identifier)] @base)))
(marker_annotation name: (_) @type)
(annotation name: (_) @type)
(scoped_type_identifier) @type
(type_identifier) @type
(field_access object: (_) @of field: (_) @member)
(identifier) @use

(formal_parameter name: (_) @local)
(spread_parameter (variable_declarator name: (_) @local))
(inferred_parameters (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(local_variable_declaration declarator: (variable_declarator name: (_) @local))
(enhanced_for_statement name: (_) @local)
(catch_formal_parameter name: (_) @local)
(resource name: (_) @local)
(instanceof_expression name: (_) @local)
(labeled_statement (identifier) @local)
(element_value_pair key: (_) @local)
(package_declaration (_) @package)
(package_declaration (scoped_identifier name: (_) @package))
(scoped_identifier scope: (_) @package)
(type_parameter (type_identifier) @type_parameter)

(formal_parameter type: (_) @as name: (_) @typed_parameter)
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @as name: (_) @typed_field)))
(field_declaration type: (_) @as declarator: (variable_declarator name: (_) @typed))
(local_variable_declaration type: (_) @as declarator: (variable_declarator name: (_) @typed value: (_)? @value))
(enhanced_for_statement type: (_) @as name: (_) @typed)
(catch_formal_parameter (catch_type) @as name: (_) @typed)
(resource type: (_) @as name: (_) @typed value: (_)? @value)
(instanceof_expression right: (_) @as name: (_) @typed)

(import_declaration) @import
"""

_FORMS = Forms(
    frozenset({"identifier", "this", "super"}),
    {"field_access": ("object", "field")},
    {},
    {"method_invocation": ("object", "name")},
    {"object_creation_expression": "type", "cast_expression": "type"},
    frozenset({"parenthesized_expression"}),
    frozenset({"scoped_type_identifier", "type_identifier", "scoped_identifier"}),
)
_OWN = frozenset(
    "String Object Integer Long Double Float Boolean Byte Short Character Number Void List Map Set Collection Iterable "
    "Iterator Optional Override Deprecated SuppressWarnings FunctionalInterface SafeVarargs Exception RuntimeException "
    "Error Throwable Class Math System var Runnable Comparable Enum Record ArrayList HashMap HashSet Arrays "
    "Collections Objects StringBuilder Thread length".split()
)


def imports(node: "Node", text: str) -> Iterator[Taken]:
    """Yield what an import takes."""
    words = text.replace(";", " ").split()
    path = "".join(word for word in words[1:] if word != "static")
    module, _, name = path.rpartition(".")
    if name:
        yield module, name, "" if name == "*" else name, node.start_byte


_WRAPPERS = {"Optional", "CompletableFuture", "Future", "Supplier", "AtomicReference", "WeakReference", "ThreadLocal"}
JAVA = Dialect(
    "java", _FORMS, _OWN, type_namer(_WRAPPERS), imports, says_all=True, from_name=True, members_are_bare=True
)
