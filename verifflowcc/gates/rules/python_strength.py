"""How much a Python assertion asks: of `assert`, of unittest's and mock's methods, and of pytest's helpers."""

import ast
from collections.abc import Iterator

from verifflowcc.base.model.testcases import Strength

_NOTHING, _EXISTENCE, _RANGE = Strength.NOTHING, Strength.EXISTENCE, Strength.RANGE
_EXACT, _DETAILED = Strength.EXACT, Strength.DETAILED
_METHODS = {
    **dict.fromkeys(
        ("assertIsNotNone", "assertNotEqual", "assertIsInstance", "assertNotIn", "assertIsNot"), _EXISTENCE
    ),
    **dict.fromkeys(("assertIn", "assertGreater", "assertGreaterEqual", "assertLess", "assertLessEqual"), _RANGE),
    **dict.fromkeys(("assertRegex", "assertFalse", "assertNotIsInstance", "assertNotRegex"), _RANGE),
    **dict.fromkeys(("assertRaisesRegex", "assertWarnsRegex"), _DETAILED),
    **dict.fromkeys(("assert_called", "assert_awaited"), _EXISTENCE),
    **dict.fromkeys(("assert_called_once", "assert_awaited_once", "assert_allclose", "assert_almost_equal"), _RANGE),
}
_PREDICATES = {
    **dict.fromkeys(("isinstance", "issubclass", "hasattr", "callable", "bool"), _EXISTENCE),
    **dict.fromkeys(("match", "search", "fullmatch", "startswith", "endswith", "isclose", "allclose"), _RANGE),
    **dict.fromkeys(("issubset", "issuperset", "any"), _RANGE),
    **dict.fromkeys(("array_equal", "equals"), _EXACT),
}
_RAISES = frozenset(("raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "assertWarnsRegex"))
_LIKE_ASSERT = ("assert", "check", "expect", "verify")
_ANYTHING = frozenset(("ANY", "Anything", "any_object"))
_ANY_ERROR = frozenset(("Exception", "BaseException"))


def asserted(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of which each must hold: those of a conjunction by themselves."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        for each in node.values:
            yield from asserted(each)
    else:
        yield node


def strength_of(node: ast.expr) -> Strength:
    """Return how much it asks that an expression is true."""
    if _is_constant(node):
        return _EXACT if isinstance(node, ast.Constant) and not node.value else _NOTHING
    match node:
        case ast.Compare():
            return _compared(node)
        case ast.BoolOp(op=ast.Or()):
            found = min(strength_of(each) for each in node.values)
            return Strength(min(max(found - 1, 0), _RANGE))
        case ast.BoolOp():
            return max(strength_of(each) for each in node.values)
        case ast.UnaryOp(op=ast.Not()):
            return _negated(node.operand)
        case ast.Call():
            return _called(node)
        case ast.IfExp():
            return min(strength_of(node.body), strength_of(node.orelse))
        case ast.NamedExpr() | ast.Await():
            return strength_of(node.value)
    return _EXISTENCE


def strength_of_call(node: ast.Call) -> Strength | None:
    """Return how much a call asks that fails by itself, as `assertEqual` does; None for any other call."""
    name = name_of(node.func)
    if name in _RAISES:
        return _raising(node, name)
    if name in ("assertTrue", "assert_", "assert_true"):
        return strength_of(node.args[0]) if node.args else _EXISTENCE
    if name == "fail" or name.startswith("assert_has_calls"):
        return _EXACT
    if not name.lower().startswith(_LIKE_ASSERT) or name.lower() in ("checkout", "checksum", "expected"):
        return None
    if len(node.args) >= 2 and _same(node.args[0], node.args[1]) and "not" not in name.lower():
        return _NOTHING
    if any(_is_anything(each) for each in node.args[:2]):
        return _NOTHING
    if name in ("assertAlmostEqual", "assertAlmostEquals"):
        return _RANGE if node.keywords else _EXACT
    return _METHODS.get(name, _EXACT if name.startswith("assert") else _RANGE)


def name_of(node: ast.expr) -> str:
    """Return the last name of a called expression: `raises` of `pytest.raises`."""
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _compared(node: ast.Compare) -> Strength:
    sides = (node.left, *node.comparators)
    if len(node.ops) > 1:
        return _EXACT if all(isinstance(each, ast.Eq | ast.Is) for each in node.ops) else _RANGE
    left, right, operator = node.left, node.comparators[0], node.ops[0]
    if _same(left, right) or any(map(_is_anything, sides)):
        return _NOTHING
    if isinstance(operator, ast.NotEq | ast.IsNot | ast.NotIn):
        return _EXISTENCE
    if name_of(left) in ("len", "type") and isinstance(left, ast.Call):
        return _of_size(operator, right)
    if isinstance(operator, ast.Eq | ast.Is):
        return _RANGE if any(map(_is_tolerant, sides)) else _EXACT
    return _RANGE


def _of_size(operator: ast.cmpop, right: ast.expr) -> Strength:
    bound = right.value if isinstance(right, ast.Constant) else None
    if isinstance(operator, ast.Eq) and isinstance(bound, int):
        return _RANGE if bound else _EXACT
    return _EXISTENCE


def _negated(node: ast.expr) -> Strength:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        if isinstance(node.ops[0], ast.NotEq | ast.IsNot):
            return _EXACT
        return _EXISTENCE if isinstance(node.ops[0], ast.Eq | ast.Is) else _RANGE
    return _EXISTENCE if name_of(node) in ("isinstance", "hasattr") else _RANGE


def _called(node: ast.Call) -> Strength:
    name = name_of(node.func)
    if name in ("all", "any") and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
        found = strength_of(node.args[0].elt)
        return found if name == "all" else Strength(min(found, _RANGE))
    return _PREDICATES.get(name, _EXISTENCE)


def _raising(node: ast.Call, name: str) -> Strength:
    if any(each.arg == "match" for each in node.keywords):
        return _DETAILED
    if name in _METHODS:
        return _METHODS[name]
    named = node.args[0] if node.args else None
    return _RANGE if named is not None and name_of(named) in _ANY_ERROR else _EXACT


def _is_tolerant(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and name_of(node) == "approx" and (len(node.args) > 1 or bool(node.keywords))


def _is_anything(node: ast.expr) -> bool:
    return name_of(node) in _ANYTHING


def _is_constant(node: ast.expr) -> bool:
    """Whether the value depends on nothing that runs: a literal, also one of several parts or in a comparison."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set) and node.elts:
        return True  # `assert (x, "message")` holds whatever x is
    return not any(isinstance(each, ast.Name | ast.Call | ast.Attribute) for each in ast.walk(node))


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)
