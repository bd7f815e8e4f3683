"""Rust: what is captured in its trees, and how it imports."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifflowcc.code.rules.engine import type_namer
from verifflowcc.code.rules.engine_forms import Dialect, Forms, Taken

if TYPE_CHECKING:
    from tree_sitter import Node


QUERY = """
(function_item name: (_) @title return_type: (_)? @result body: (_) @body) @function
(function_signature_item name: (_) @title return_type: (_)? @result) @function
(impl_item type: (_) @owner body: (declaration_list
  (function_item name: (_) @title return_type: (_)? @result body: (_) @body) @method))
(impl_item type: (_) @owner body: (declaration_list (const_item name: (_) @title) @field))
(struct_item name: (_) @title body: (_)? @body) @struct
(union_item name: (_) @title body: (_) @body) @struct
(enum_item name: (_) @title body: (_) @body) @enum
(trait_item name: (_) @title body: (_) @body) @interface
(mod_item name: (_) @title body: (_) @body) @module
(type_item name: (_) @title) @type
(associated_type name: (_) @title) @type
(macro_definition name: (_) @title (macro_rule) @body) @macro
(const_item name: (_) @title) @variable
(static_item name: (_) @title) @variable
(field_declaration name: (_) @title) @field
(enum_variant name: (_) @title) @field

(call_expression function: (identifier) @call)
(call_expression function: (field_expression value: (_) @of field: (_) @call))
(call_expression function: (scoped_identifier path: (_)? @of name: (_) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (field_expression value: (_) @of field: (_) @call)))
(call_expression function: (generic_function function: (scoped_identifier path: (_)? @of name: (_) @call)))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier path: (_) @of name: (_) @call))
(token_tree (identifier) @call . (token_tree) @_arguments (#match? @_arguments "^[(]"))
(struct_expression name: (type_identifier) @new)
(struct_expression name: (scoped_type_identifier path: (_) @of name: (_) @new))
(impl_item trait: (_) @implemented type: (_) @implementor)
(trait_item bounds: (trait_bounds (type_identifier) @base))
(trait_item bounds: (trait_bounds (scoped_type_identifier path: (_) @of name: (_) @base)))
(type_identifier) @type
(scoped_type_identifier path: (_) @of name: (_) @type)
(scoped_identifier path: (_) @of name: (_) @part)
(field_expression value: (_) @of field: (_) @member)
(identifier) @use

(parameter pattern: (identifier) @local)
(parameter pattern: (mut_pattern (identifier) @local))
(closure_parameters (identifier) @local)
(let_declaration pattern: (identifier) @local)
(let_declaration pattern: (mut_pattern (identifier) @local))
(for_expression pattern: (identifier) @local)
(tuple_pattern (identifier) @local)
(tuple_struct_pattern (identifier) @local)
(tuple_struct_pattern type: (identifier) @use)
(field_pattern pattern: (identifier) @local)
(ref_pattern (identifier) @local)
(captured_pattern . (identifier) @local)
(type_parameter name: (_) @type_parameter)

(parameter pattern: [(identifier) (mut_pattern (identifier))] @typed type: (_) @as)
(let_declaration pattern: [(identifier) (mut_pattern (identifier))] @typed type: (_) @as)
(let_declaration pattern: [(identifier) (mut_pattern (identifier))] @typed !type value: (_) @value)
(field_declaration name: (_) @typed type: (_) @as)
(static_item name: (_) @typed type: (_) @as)
(const_item name: (_) @typed type: (_) @as)

(use_declaration) @import
(extern_crate_declaration) @import
(mod_item !body) @import
"""

_FORMS = Forms(
    frozenset({"identifier", "self", "field_identifier", "super", "crate"}),
    {"field_expression": ("value", "field")},
    {"call_expression": "function", "generic_function": "function"},
    {},
    {"struct_expression": "name"},
    frozenset(
        {"parenthesized_expression", "await_expression", "try_expression", "reference_expression", "mut_pattern"}
    ),
    frozenset({"scoped_identifier", "type_identifier", "scoped_type_identifier", "generic_type", "metavariable"}),
)
_OWN = frozenset(
    "Some None Ok Err Self String Vec Box Option Result Rc Arc Cell RefCell HashMap HashSet BTreeMap bool char "
    "str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 println print eprintln eprint format "
    "panic assert assert_eq assert_ne debug_assert vec write writeln todo unreachable unimplemented matches "
    "drop Send Sync Copy Clone Debug Default Iterator Into From Fn FnMut FnOnce Sized Drop PartialEq Eq "
    "PartialOrd Ord Hash Display ToString AsRef cfg derive allow test inline all any not env include_str "
    "concat stringify line file _".split()
)


def imports(node: "Node", text: str) -> Iterator[Taken]:
    """Yield what a `use`, an `extern crate` or a `mod` takes."""
    start = node.start_byte
    if node.type == "mod_item":
        named = node.child_by_field_name("name")
        if named is not None:
            name = (named.text or b"").decode("utf-8", "replace")
            yield f"self::{name}", "", name, start
        return
    if node.type == "extern_crate_declaration":
        words = text.rstrip(";").split()
        if "crate" in words:
            at = words.index("crate") + 1
            if at < len(words):
                yield words[at], "", words[-1], start
        return
    body = text.partition("use ")[2].rstrip().rstrip(";")
    for path, alias in _paths("".join(body.replace(" as ", " as\t").split(" ")), 0):
        module, _, name = path.rpartition("::")
        if name == "self":
            module, _, name = module.rpartition("::")
        if name == "*":
            yield module, "*", "", start
        elif name:
            yield module, "" if not module else name, "" if alias == "_" else alias or name, start


def _paths(text: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield each path of a use tree, and what it is called here.

    >>> list(_paths("a::{b::{self,c},d as\\te}", 0))
    [('a::b::self', ''), ('a::b::c', ''), ('a::d', 'e')]
    """
    if depth > 20:
        return
    for part in _parts("".join(text.replace("\n", "").split("\r"))):
        head, brace, rest = part.partition("{")
        if brace:
            for path, alias in _paths(rest.rpartition("}")[0], depth + 1):
                yield head + path, alias
        elif part:
            path, _, alias = part.partition("as\t") if "as\t" in part else (part, "", "")
            yield path.strip().removeprefix("::"), alias.strip()


def _parts(text: str) -> Iterator[str]:
    depth = begin = 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            yield text[begin:place]
            begin = place + 1
    yield text[begin:]


_WRAPPERS = {
    "Box",
    "Rc",
    "Arc",
    "Option",
    "Result",
    "RefCell",
    "Cell",
    "Mutex",
    "RwLock",
    "Cow",
    "Pin",
    "Ref",
    "RefMut",
}
RUST = Dialect("rust", _FORMS, _OWN, type_namer(_WRAPPERS), imports, says_all=True)
