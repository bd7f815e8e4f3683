"""The shape of a JavaScript or TypeScript file, by its tree: types, comments and layout count for nothing.

What only a type checker reads is left out: annotations, interfaces, aliases, `declare`, overloads, `as`, and imports of
names that no running code uses, which compilers leave out as well.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from verifflowcc.base.model.testcases import ScriptItem, ScriptKind, ScriptShape
from verifflowcc.base.records import replace
from verifflowcc.code.rules.engine import as_utf8, parsed
from verifflowcc.code.rules.grammars import grammar_of, language_of

if TYPE_CHECKING:
    from tree_sitter import Node


SCRIPTS = frozenset(("javascript", "typescript", "tsx"))
_LARGEST = 1 << 20
_ERASED = frozenset(
    "comment type_annotation type_parameters type_arguments interface_declaration type_alias_declaration "
    "ambient_declaration function_signature method_signature abstract_method_signature index_signature "
    "implements_clause type_predicate_annotation asserts_annotation override_modifier hash_bang_line ;".split()
)
_TYPED = frozenset(("as_expression", "satisfies_expression", "non_null_expression"))
_PARAMETERS = frozenset(("required_parameter", "optional_parameter"))
_FIELDS = frozenset(("public_field_definition", "method_definition"))
_MODIFIERS = frozenset(("accessibility_modifier", "readonly", "abstract", "?", "!", "declare"))
_NAMES = frozenset(("identifier", "shorthand_property_identifier"))
_LISTS = frozenset(("arguments", "formal_parameters", "object", "array", "named_imports", "export_clause"))
_FUNCTIONS = frozenset(("function_declaration", "generator_function_declaration"))
_CALLABLE = frozenset(("arrow_function", "function_expression", "generator_function"))
_VARIABLES = frozenset(("lexical_declaration", "variable_declaration"))
_CLASSES = frozenset(("class_declaration", "abstract_class_declaration"))


@lru_cache(maxsize=16)
def script_shape(path: str, content: bytes) -> ScriptShape | None:
    """Return the shape of a script; None for a file in another language, and where it cannot be known.

    That is so where its syntax is not understood, and where it has decorators, which may read types as it runs.
    """
    language = language_of(path)
    if language not in SCRIPTS or len(content) > _LARGEST:
        return None
    if path.removesuffix("ts").endswith((".d.", ".d.m", ".d.c")):
        return ScriptShape("", (), {})  # a declaration file has nothing that runs
    root = parsed(grammar_of(language).language, content)
    if isinstance(root, str) or root.has_error or as_utf8(content) != content:
        return None
    if b"@" in content and any(each.type == "decorator" for each in _walk(root)):
        return None
    used = frozenset(_text(each) for each in _walk(root) if each.type in _NAMES)
    nodes = [each for each in root.named_children if each.type != "import_statement"]
    bound = {name: line for node in root.named_children for name, line in _bindings(node)}
    needed = sorted(line for name, line in bound.items() if name in used)
    bare = [_text(each) for each in root.named_children if each.type == "import_statement" and not _clause(each)]
    code = "\n".join([*bare, *needed, *filter(None, map(_code, nodes))])
    return ScriptShape(code, tuple(item for node in nodes for item in _items(node)), bound)


def _text(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _is_erased(node: "Node") -> bool:
    around = node.parent.type if node.parent else ""
    if node.type in _ERASED:
        return node.type != ";" or around != "for_statement"
    if node.type == "export_statement":
        return any(each.type == "type" for each in node.children[:2]) or (
            (inner := node.child_by_field_name("declaration")) is not None and _is_erased(inner)
        )
    if node.type == "public_field_definition":
        return any(each.type == "declare" for each in node.children)
    if node.type in _MODIFIERS:
        return around in _FIELDS or (around in _PARAMETERS and node.type in "?")
    if node.type == ",":
        after = node.next_sibling
        return around in _LISTS and after is not None and after.type in (")", "}", "]") and _is_named(node.prev_sibling)
    return False


def _code(node: "Node") -> str:
    """Return what a node does at run time, as a text with its structure; an empty one for nothing."""
    if _is_erased(node):
        return ""
    if node.type in _TYPED:
        inner = node.named_children
        return _code(inner[0]) if inner else ""
    if node.type == "string":
        text = _text(node)
        plain = not {"'", '"', "\\"} & set(text[1:-1])
        return f'"{text[1:-1]}"' if plain else text
    if not node.child_count or node.type in ("template_string", "regex", "jsx_text"):
        return _text(node)
    parts = " ".join(filter(None, map(_code, node.children)))
    kind = "parameter" if node.type in _PARAMETERS else node.type
    return f"{kind}({parts})" if node.is_named else parts


def _is_named(node: "Node | None") -> bool:
    return node is not None and node.is_named


def _walk(root: "Node") -> Iterator["Node"]:
    """Yield the nodes of running code, imports left out."""
    pending = [root]
    while pending:
        each = pending.pop()
        if each.type != "import_statement" and not _is_erased(each):
            yield each
            pending += each.named_children[:1] if each.type in _TYPED else each.children


def _clause(node: "Node") -> "Node | None":
    return next((each for each in node.named_children if each.type == "import_clause"), None)


def _bindings(node: "Node") -> Iterator[tuple[str, str]]:
    """Yield the names that an import binds at run time, each with an import of it alone."""
    clause, source = _clause(node), node.child_by_field_name("source")
    if node.type != "import_statement" or clause is None or source is None or _has_type(node):
        return
    origin = _code(source)
    for each in clause.named_children:
        if each.type == "identifier":
            yield _text(each), f"import {_text(each)} from {origin}"
        elif each.type == "namespace_import":
            name = _text(each.named_children[0])
            yield name, f"import * as {name} from {origin}"
        elif each.type == "named_imports":
            for one in each.named_children:
                named, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
                if named is not None and not _has_type(one):
                    local = _text(alias or named)
                    yield local, f"import {{ {_text(named)} as {local} }} from {origin}"


def _has_type(node: "Node") -> bool:
    return any(each.type == "type" for each in node.children)


def _items(node: "Node", *, around: "Node | None" = None) -> Iterator[ScriptItem]:
    """Yield the items of a statement at the top of a file."""
    whole = around or node
    if _is_erased(whole):
        return
    inner = node.child_by_field_name("declaration") if node.type == "export_statement" else None
    if inner is not None:
        yield from _items(inner, around=node)
    elif node.type in _FUNCTIONS:
        yield _function(_name(node), node, whole)
    elif node.type in _CLASSES:
        yield from _class(node, whole)
    elif node.type in _VARIABLES and len(node.named_children) == 1:
        yield _variable(node.named_children[0], whole)
    elif node.type == "export_statement" and (value := node.child_by_field_name("value")) is not None:
        yield _valued("default", value, whole)
    elif node.type == "expression_statement" and (exported := _exported(node)) is not None:
        yield _valued(_code(exported[0]), exported[1], whole)
    else:
        yield _item(ScriptKind.OTHER, "", whole)


def _exported(node: "Node") -> tuple["Node", "Node"] | None:
    """Return the two sides of `exports.name = value`."""
    inner = node.named_children[0]
    left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
    if inner.type != "assignment_expression" or left is None or right is None:
        return None
    return (left, right) if _text(left).startswith(("exports.", "module.exports.")) else None


def _variable(node: "Node", whole: "Node") -> ScriptItem:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or name.type != "identifier" or value is None:
        return _item(ScriptKind.OTHER, "", whole)
    return _valued(_text(name), value, whole)


def _valued(name: str, value: "Node", whole: "Node") -> ScriptItem:
    if value.type in _CALLABLE:
        return _function(name, value, whole)
    found = _item(ScriptKind.VALUE, name, whole)
    return replace(found, body=value.start_byte, end_of_body=value.end_byte)


def _class(node: "Node", whole: "Node") -> Iterator[ScriptItem]:
    """Yield a class, whose code is that of all but its methods, and its methods."""
    body = node.child_by_field_name("body")
    members = body.named_children if body is not None else []
    rest = [each for each in (*whole.children, *node.children, *members) if each not in (body, node)]
    code = " ".join(_code(each) for each in rest if each.type != "method_definition")
    yield replace(_item(ScriptKind.CLASS, _name(node), whole), code=code)
    for each in members:
        if each.type == "method_definition":
            kinds = [part.type for part in each.children if part.type in ("get", "set", "static")]
            made = _function(".".join([_name(node), *kinds, _name(each)]), each, each)
            yield replace(made, kind=ScriptKind.CONSTRUCTOR) if _name(each) == "constructor" else made


def _function(name: str, node: "Node", whole: "Node") -> ScriptItem:
    body = node.child_by_field_name("body")
    if body is None:
        return _item(ScriptKind.OTHER, "", whole)
    found = replace(_item(ScriptKind.FUNCTION, name, whole), body=body.start_byte, end_of_body=body.end_byte)
    return replace(found, brief=body.type != "statement_block")


def _item(kind: ScriptKind, name: str, node: "Node") -> ScriptItem:
    return ScriptItem(kind, name, node.start_byte, node.end_byte, _code(node))


def _name(node: "Node") -> str:
    name = node.child_by_field_name("name")
    return _text(name) if name is not None else ""
