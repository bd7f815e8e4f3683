"""C and C++: what is captured in their trees, and what they include. Prototypes outside of types are no definitions."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import type_namer
from verifflowcc.code.rules.engine_forms import Dialect, Forms, Taken

if TYPE_CHECKING:
    from tree_sitter import Node


_BOTH = """
(struct_specifier name: (_) @title body: (_) @body) @struct
(union_specifier name: (_) @title body: (_) @body) @struct
(enum_specifier name: (_) @title body: (_) @body) @enum
(enumerator name: (_) @title) @field
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @title) @struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @title) @struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @title) @enum
(type_definition declarator: (_) @title) @type
(preproc_def name: (_) @title value: (_)) @macro
(preproc_function_def name: (_) @title value: (_)? @body) @macro
(field_declaration declarator: (_) @title) @field
(declaration declarator: (_) @title) @variable

(call_expression function: (identifier) @call)
(call_expression function: (field_expression argument: (_) @of field: (_) @call))
(call_expression function: (parenthesized_expression (pointer_expression argument: (identifier) @call)))
(field_expression argument: (_) @of field: (_) @member)
(type_identifier) @type
(preproc_ifdef name: (identifier) @key)
(preproc_def name: (identifier) @key)
(preproc_params (identifier) @key)
(preproc_defined (identifier) @key)
(identifier) @use

(parameter_declaration declarator: (_) @local)
(parameter_declaration type: (_) @as declarator: (_) @typed_parameter)
(declaration type: (_) @as declarator: (_) @typed)
(declaration type: (_) @as declarator: (init_declarator declarator: (_) @typed value: (_) @value))
(field_declaration type: (_) @as declarator: (_) @typed)

(preproc_include) @import
"""

C_QUERY = (
    _BOTH
    + """
(function_definition type: (_) @result declarator: [(function_declarator) (pointer_declarator)] @title
  body: (_) @body) @function
(function_definition type: (struct_specifier !body) declarator: (identifier) @title body: (_) @body) @struct
"""
)

CPP_QUERY = (
    _BOTH
    + """
(function_definition type: (_)? @result
  declarator: [(function_declarator) (pointer_declarator) (reference_declarator) (operator_cast) (qualified_identifier)]
    @title (field_initializer_list)? @body body: (_) @body) @function
(function_definition type: (struct_specifier !body) declarator: (identifier) @title body: (_) @body) @struct
(function_definition type: (class_specifier !body) declarator: (identifier) @title body: (_) @body) @class
(function_definition declarator: (function_declarator) @title (default_method_clause)) @function
(field_declaration type: (_)? @result
  declarator: [(function_declarator) (pointer_declarator) (reference_declarator)] @title) @method
(field_declaration_list (declaration declarator: (function_declarator) @title) @method)
(class_specifier name: (_) @title body: (_) @body) @class
(namespace_definition name: (_) @title body: (_) @body) @module
(alias_declaration name: (_) @title) @type
(concept_definition name: (_) @title) @type
(template_declaration (_) @inner .) @whole
(call_expression function: (qualified_identifier) @call)
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (field_expression argument: (_) @of field: (template_method name: (_) @call)))
(call_expression function: (qualified_identifier scope: (_) @of name: (template_function name: (_) @call)))
(new_expression type: (_) @new)
(compound_literal_expression type: (type_identifier) @new)
(base_class_clause [(type_identifier) (qualified_identifier)] @base)
(base_class_clause (template_type name: (_) @base))
(qualified_identifier) @part
(destructor_name (identifier) @key)
(optional_parameter_declaration declarator: (_) @local)
(optional_parameter_declaration type: (_) @as declarator: (_) @typed_parameter)
(for_range_loop declarator: (_) @local)
(for_range_loop type: (_) @as declarator: (_) @typed)
(lambda_capture_specifier (identifier) @key)
(type_parameter_declaration (type_identifier) @type_parameter)
(using_declaration) @import
"""
)

_FORMS = Forms(
    frozenset({"identifier", "field_identifier", "this"}),
    {"field_expression": ("argument", "field")},
    {"call_expression": "function"},
    {},
    {"new_expression": "type", "cast_expression": "type", "compound_literal_expression": "type"},
    frozenset({"parenthesized_expression", "pointer_expression"}),
    frozenset(
        {"qualified_identifier", "type_identifier", "namespace_identifier", "template_type", "template_function"}
    ),
)
_OWN = frozenset(
    "NULL nullptr true false stdin stdout stderr errno size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t "
    "uint32_t uint64_t uintptr_t intptr_t ptrdiff_t bool va_list FILE offsetof sizeof assert defined std string vector "
    "static_cast dynamic_cast reinterpret_cast const_cast move forward make_shared make_unique __func__ __FILE__ "
    "__LINE__ memcpy memset memmove strlen strcmp strncmp strcpy printf fprintf snprintf sprintf malloc calloc realloc "
    "free auto".split()
)
_INCLUDED = re.compile(r'[<"][^>"\n]*[>"]')


def imports(node: "Node", text: str) -> Iterator[Taken]:
    """Yield what an `#include` or a `using` takes."""
    if node.type == "preproc_include":
        found = _INCLUDED.search(text)
        if found:
            yield found[0].strip('"'), "*", "", node.start_byte
        return
    words = text.replace(";", " ").split()
    if words[1:2] == ["namespace"] and len(words) > 2:
        yield words[2].replace("::", "."), "*", "", node.start_byte
    elif len(words) > 1:
        module, _, name = words[-1].rpartition("::")
        if module and name:
            yield module.replace("::", "."), name, name, node.start_byte


def title(text: str) -> str:
    """Return a name without arguments of templates, and without what a macro leaves before it.

    >>> title("A<int>::b"), title("operator bool() const"), title("EXPORT\\nf"), title("operator<")
    ('A::b', 'operator bool', 'f', 'operator<')
    """
    if text.isidentifier():
        return text
    before, found, operator = text.partition("operator")
    if found and not (operator[:1].isalnum() or operator[:1] == "_"):
        owner = title_of_type(before) if before.rstrip().endswith("::") else ""
        return owner + found + ("()" if operator.startswith("()") else operator.partition("(")[0].rstrip())
    return title_of_type(text)


def title_of_type(text: str) -> str:
    """Return the last word of a text without arguments of templates."""
    while (bare := _ARGUMENTS.sub("", text)) != text:
        text = bare
    words = text.split()
    return words[-1] if words else ""


_ARGUMENTS = re.compile(r"<[^<>]*>")
_WRAPPERS = {"shared_ptr", "unique_ptr", "weak_ptr", "optional", "reference_wrapper"}
C = Dialect("c", _FORMS, _OWN, type_namer(()), imports, says_all=True, title=title)
CPP = Dialect("cpp", _FORMS, _OWN, type_namer(_WRAPPERS), imports, says_all=True, members_are_bare=True, title=title)
