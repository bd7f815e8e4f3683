"""The tests of a Python file as pytest and unittest collect them, with what each of them asks."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from verifflowcc.base.model.testcases import Assertion, Strength, TestCase

# How much a Python assertion asks: of `assert`, of unittest's and mock's methods, and of pytest's helpers.

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
    if _same(left, right) or any(map(_is_anything, sides)):  # `x == x` and `x == ANY` cannot fail
        return _NOTHING
    if isinstance(operator, ast.NotEq | ast.IsNot | ast.NotIn):
        return _EXISTENCE
    # `len(x) > 0` shows that there is a result, not which one.
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
    # `raises(Exception)` also passes on a typo in the test itself, so it shows little.
    named = node.args[0] if node.args else None
    return _RANGE if named is not None and name_of(named) in _ANY_ERROR else _EXACT


def _is_tolerant(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and name_of(node) == "approx" and (len(node.args) > 1 or bool(node.keywords))


def _is_anything(node: ast.expr) -> bool:
    return name_of(node) in _ANYTHING


def _is_constant(node: ast.expr) -> bool:
    """Return whether a value depends on no code that runs: literals, also in a list or a comparison."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set) and node.elts:
        return True  # `assert (x, "message")` holds whatever x is
    return not any(isinstance(each, ast.Name | ast.Call | ast.Attribute) for each in ast.walk(node))


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)


_Function = ast.FunctionDef | ast.AsyncFunctionDef
_SKIPS = frozenset(("skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure", "skipTest", "importorskip"))
_ENDS = frozenset(("skip", "xfail", "exit", "_exit", "skipTest"))
_SWALLOWED = frozenset(("AssertionError", "Exception", "BaseException"))
_CLOCKS = frozenset(("now", "utcnow", "today", "time", "date", "datetime", "monotonic"))
_SOURCES = frozenset(("getsource", "getsourcelines", "getsourcefile", "read_text", "read_bytes", "open"))


def python_tests(content: bytes, product: Sequence[str] = (), *, helpers: bool = False) -> dict[str, TestCase]:
    """Return the tests of a file by name; `helpers` adds the functions with assertions that are none.

    `product` are the files of the product that a test should run, and not read. Raises SyntaxError, ValueError,
    RecursionError where the file is no Python.
    """
    file = _PythonFile(ast.parse(content), tuple(product))
    found: dict[str, TestCase] = {}
    for name, node, marks in file.functions():
        if node is None:
            found.pop(name, None)
            continue
        is_test = name.rpartition("::")[2].startswith("test")
        if is_test or (helpers and "::" not in name):
            case = file.case(name, node, marks)
            if is_test or case.assertions:
                found[name] = case  # Python keeps the last definition of a name
    return found


@dataclass(frozen=True)
class _PythonFile:
    tree: ast.Module
    product: tuple[str, ...]

    @cached_property
    def values(self) -> Mapping[str, ast.expr]:
        """The values of the file's own names, such as tables of cases."""
        return {
            target.id: node.value
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    @cached_property
    def helpers(self) -> Mapping[str, _Function]:
        """The file's own functions and methods that tests may call, by their last name."""
        found: dict[str, _Function] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, _Function) and not node.name.startswith("test"):
                found.setdefault(node.name, node)
        return found

    def functions(self) -> Iterator[tuple[str, _Function | None, tuple[ast.expr, ...]]]:
        """Yield the functions that may be tests with the marks around them; None for a name that is taken away."""
        if self._is_off(self.tree.body):
            return
        yield from self._below(self.tree.body, "", _marks_in(self.tree.body))

    def _below(
        self, body: Sequence[ast.stmt], prefix: str, marks: tuple[ast.expr, ...]
    ) -> Iterator[tuple[str, _Function | None, tuple[ast.expr, ...]]]:
        for node in body:
            if isinstance(node, _Function):
                yield f"{prefix}{node.name}", node, (*marks, *node.decorator_list)
            elif isinstance(node, ast.ClassDef) and _is_collected(node) and not self._is_off(node.body):
                inner = (*marks, *node.decorator_list, *_marks_in(node.body))
                yield from self._below(node.body, f"{prefix}{node.name}::", inner)
            elif isinstance(node, ast.If | ast.Try) and not _is_false(node):
                yield from self._below(node.body, prefix, marks)
            elif isinstance(node, ast.Assign | ast.Delete):
                yield from ((f"{prefix}{each.id}", None, ()) for each in node.targets if isinstance(each, ast.Name))

    @staticmethod
    def _is_off(body: Sequence[ast.stmt]) -> bool:
        return any(
            isinstance(node, ast.Assign)
            and any(isinstance(each, ast.Name) and each.id == "__test__" for each in node.targets)
            and isinstance(node.value, ast.Constant)
            and not node.value.value
            for node in body
        )

    def case(self, name: str, node: _Function, marks: tuple[ast.expr, ...]) -> TestCase:
        reading = _TestReading(self)
        reading.block(node.body)
        skips = [_text(each) for each in marks if name_of(each) in _SKIPS]
        cases = reading.cases
        for each in marks:
            count, skipped = self.parameters(each)
            cases *= count
            skips += skipped
        return TestCase(
            name,
            node.lineno,
            tuple(reading.found),
            cases,
            (*skips, *reading.skips),
            tuple(dict.fromkeys(reading.hollow)),
            tuple(self.constants(node)) if node.name.startswith("test") else None,
        )

    def constants(self, node: _Function) -> Iterator[str]:
        """Yield the texts and numbers that a test holds, those of the file's tables that it names as well."""
        documented = ast.get_docstring(node, clean=False)
        tables = [
            self.values[each.id] for each in ast.walk(node) if isinstance(each, ast.Name) and each.id in self.values
        ]
        for each in (inner for part in (node, *tables) for inner in ast.walk(part)):
            value = each.value if isinstance(each, ast.Constant) else None
            if isinstance(value, str | bytes | int | float) and not isinstance(value, bool) and value != documented:
                yield repr(value)

    def parameters(self, mark: ast.expr) -> tuple[int, list[str]]:
        """Return how many cases a mark makes, and those that it skips."""
        if not isinstance(mark, ast.Call) or name_of(mark) not in ("parametrize", "expand", "settings"):
            return 1, []
        if name_of(mark) == "settings":
            most = next((each.value for each in mark.keywords if each.arg == "max_examples"), None)
            return (int(most.value) if isinstance(most, ast.Constant) and isinstance(most.value, int) else 1), []
        listed = [*mark.args, *(each.value for each in mark.keywords if each.arg == "argvalues")]
        values = self.elements(listed[-1]) if listed else None
        if values is None:
            return 1, []
        return max(len(values), 1), [_text(each) for each in values if not _SKIPS.isdisjoint(_names_in(each))]

    def elements(self, node: ast.expr) -> Sequence[ast.expr] | None:
        """Return the parts of a collection that is written out, here or under a name of the file."""
        if isinstance(node, ast.Name):
            value = self.values.get(node.id)
            return self.elements(value) if value is not None and not isinstance(value, ast.Name) else None
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return node.elts
        if isinstance(node, ast.Dict):
            return node.values
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "items":
            return self.elements(node.func.value)
        if isinstance(node, ast.Call) and name_of(node) == "range" and node.args:
            return _range(node)
        return None


class _TestReading:
    """One function as it is read: what it asks, in which order, and what may keep it from asking."""

    def __init__(self, file: _PythonFile, seen: frozenset[str] = frozenset()) -> None:
        self.file, self.seen = file, seen
        self.found: list[Assertion] = []
        self.skips: list[str] = []
        self.hollow: list[str] = []
        self.cases = 1
        self._guards: list[ast.expr] = []
        self._caught = 0

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Read statements up to one that ends the function; say whether one may."""
        guards = len(self._guards)
        left = False
        for node in body:
            ended = self._statement(node)
            left = left or ended
            if ended and not isinstance(node, ast.If):
                break
            if ended and isinstance(node, ast.If):
                self._guards.append(node.test)  # what follows runs only where it did not return
        del self._guards[guards:]
        return left

    def _statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.If():
                return self._if(node)
            case ast.Try():
                return self._try(node)
            case ast.With() | ast.AsyncWith():
                return self._with(node)
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                if isinstance(node, ast.Raise) and node.exc is not None and name_of(node.exc) == "SkipTest":
                    self._skip(node.exc)
                return True
            case ast.Assert():
                self._sources(node)
                for part in asserted(node.test):
                    self._assertion(part, strength_of(part), node.lineno)
                return False
        if isinstance(node, ast.For | ast.AsyncFor | ast.While | ast.Match | ast.FunctionDef | ast.AsyncFunctionDef):
            return self._inner(node)
        self._sources(node)
        return self._calls(node)

    def _inner(self, node: ast.For | ast.AsyncFor | ast.While | ast.Match | _Function) -> bool:
        """Read the blocks of a statement that does not end the test."""
        if isinstance(node, ast.For | ast.AsyncFor):
            self.cases *= max(len(self.file.elements(node.iter) or ()), 1)
        blocks = [each.body for each in node.cases] if isinstance(node, ast.Match) else [node.body]
        for block in blocks if not _is_false(node) else []:
            self.block(block)
        return False

    def _if(self, node: ast.If) -> bool:
        if _is_false(node):
            self.block(node.orelse)
            return False
        before = len(self.skips)
        self._guards.append(node.test)
        left = self.block(node.body)
        self.block(node.orelse)
        self._guards.pop()
        if len(self.skips) > before:
            self.skips[before:] = [f"{each} if {_text(node.test)}" for each in self.skips[before:]]
        if left and _is_clock(node.test):
            self.hollow.append(f"it ends early where {_text(node.test)}")
        return left and not isinstance(node.body[-1], ast.Raise)

    def _try(self, node: ast.Try) -> bool:
        caught = any(_swallows(each) for each in node.handlers)
        self._caught += caught
        left = self.block(node.body)
        self._caught -= caught
        for each in node.handlers:
            self.block(each.body)
        self.block(node.orelse)
        return self.block(node.finalbody) or (left and not node.handlers)

    def _with(self, node: ast.With | ast.AsyncWith) -> bool:
        caught = False
        for item in node.items:
            call = item.context_expr
            self._sources(call)
            if isinstance(call, ast.Call) and name_of(call) == "suppress":
                caught = caught or any(name_of(each) in _SWALLOWED for each in call.args)
            elif isinstance(call, ast.Call) and (strength := strength_of_call(call)) is not None:
                self._assertion(call, strength, node.lineno)
        self._caught += caught
        left = self.block(node.body)
        self._caught -= caught
        return left and not caught

    def _calls(self, node: ast.stmt) -> bool:
        """Read the calls in a statement; say whether one of them ends the test."""
        ends = False
        for call in _called_in(node):
            name = name_of(call)
            if name in _SKIPS | _ENDS and isinstance(node, ast.Expr):
                self._skip(call)
                ends = ends or name in _ENDS
            elif name in self.file.helpers and name not in self.seen:
                self._helper(name, self.file.helpers[name])
            elif (strength := strength_of_call(call)) is not None:
                self._assertion(call, strength, call.lineno)
        return ends

    def _helper(self, name: str, node: _Function) -> None:
        inner = _TestReading(self.file, self.seen | {name})
        inner.block(node.body)
        for each in inner.found:
            self._add(each.text, each.strength, each.line)

    def _assertion(self, node: ast.expr, strength: Strength, line: int) -> None:
        self._add(_text(node), strength, line)

    def _add(self, text: str, strength: Strength, line: int) -> None:
        if self._caught:
            strength = Strength.NOTHING
        elif self._guards:
            strength = Strength(max(strength - 1, min(strength, 1)))
            if any(map(_is_clock, self._guards)):
                self.hollow.append(f"it asserts only as {_text(self._guards[-1])} has it")
        self.found.append(Assertion(text, strength, line))

    def _skip(self, node: ast.expr) -> None:
        self.skips.append(_text(node))
        if any(map(_is_clock, self._guards)):
            self.hollow.append(f"it is skipped as {_text(self._guards[-1])} has it")

    def _sources(self, node: ast.AST) -> None:
        for call in _called_in(node):
            if name_of(call) in _SOURCES and (path := self._source(call)):
                self.hollow.append(f"it reads {path}")

    def _source(self, call: ast.Call) -> str:
        if name_of(call).startswith("getsource"):
            return f"the source of {_text(call.args[0])}" if call.args else ""
        for each in ast.walk(call):
            if isinstance(each, ast.Attribute) and each.attr == "__file__":
                return _text(each)
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.endswith(".py"):
                name = each.value.rpartition("/")[2]
                return next((path for path in self.file.product if path.rpartition("/")[2] == name), "")
        return ""


def _marks_in(body: Sequence[ast.stmt]) -> tuple[ast.expr, ...]:
    """Return the marks of a module or class: those of `pytestmark`, and a skip of all of it."""
    found: list[ast.expr] = []
    for node in body:
        names = [each.id for each in getattr(node, "targets", ()) if isinstance(each, ast.Name)]
        if isinstance(node, ast.Assign) and "pytestmark" in names:
            found += node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and name_of(node.value) in _SKIPS:
            found.append(node.value)
    return tuple(found)


def _is_collected(node: ast.ClassDef) -> bool:
    named = node.name.startswith("Test") or bool(node.bases)
    return named and not any(isinstance(each, ast.FunctionDef) and each.name == "__init__" for each in node.body)


def _is_false(node: ast.stmt) -> bool:
    test = getattr(node, "test", None)
    return isinstance(test, ast.Constant) and not test.value


def _swallows(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    caught = any(each is None or name_of(each) in _SWALLOWED for each in kinds)
    raised = any(isinstance(each, ast.Raise) for each in ast.walk(handler))
    return caught and not raised and not any(name_of(each) == "fail" for each in _called_in(handler))


def _is_clock(node: ast.expr) -> bool:
    return not _CLOCKS.isdisjoint(_names_in(node))


def _names_in(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute | ast.Name):
            yield each.attr if isinstance(each, ast.Attribute) else each.id


def _called_in(node: ast.AST) -> Iterator[ast.Call]:
    return (each for each in ast.walk(node) if isinstance(each, ast.Call))


def _range(node: ast.Call) -> Sequence[ast.expr] | None:
    numbers = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, int)]
    if len(numbers) != len(node.args) or not all(numbers[2:]):
        return None
    count = len(range(*numbers))
    return [ast.Constant(None)] * min(count, 10_000)


def _text(node: ast.expr) -> str:
    return " ".join(ast.unparse(node).split())
