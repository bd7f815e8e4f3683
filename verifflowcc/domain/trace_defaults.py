"""The rules of the trace where a workflow states none of its own: types, relations, and no needs beyond a result."""

from collections.abc import Mapping

from verifflowcc.domain.trace_policy import ItemRule, RelationRule, TracePolicy

_TYPES = (
    ItemRule("need", "NEED", level=0, root=True),
    ItemRule("hazard", "HAZ", level=0, root=True),
    ItemRule("requirement", "REQ", level=1, fields=("verification",), verified=True),
    ItemRule("component", "COMP", level=2),
    ItemRule("interface", "IF", level=2, verified=True),
    ItemRule("unit", "UNIT", level=3, verified=True),
    ItemRule("test_spec", "TEST"),
    ItemRule("information", "INFO", root=True),
)
TYPES: Mapping[str, ItemRule] = {each.name: each for each in _TYPES}

_PRODUCT = ("component", "interface", "unit")
_RELATIONS = (
    RelationRule(
        "refines", ("need", "requirement", *_PRODUCT, "test_spec"), ("need", "requirement", *_PRODUCT, "test_spec")
    ),
    RelationRule("derives", ("requirement",), ("need", "hazard", "requirement", "component")),
    RelationRule("allocates", _PRODUCT, ("requirement",)),
    RelationRule("satisfies", ("requirement", *_PRODUCT), ("need", "hazard", "requirement")),
    RelationRule("implements", ("unit",), ("component", "interface", "requirement")),
    RelationRule("verifies", ("test_spec",), ("need", "hazard", "requirement", *_PRODUCT)),
)
RELATIONS: Mapping[str, RelationRule] = {each.name: each for each in _RELATIONS}

TEST_FILES = (
    *("tests/**", "test/**", "**/tests/**", "**/test/**", "**/__tests__/**", "**/spec/**"),
    *("**/test_*.py", "**/*_test.*", "**/*.test.*", "**/*.spec.*", "**/*Test.*", "**/*Tests.*"),
)

DEFAULT_POLICY = TracePolicy(TYPES, RELATIONS, tests=TEST_FILES)
