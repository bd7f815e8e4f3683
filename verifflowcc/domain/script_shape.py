"""The shape of a JavaScript or TypeScript file: what it does as it runs, its functions, values and imports."""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.records import dataclass


class ScriptKind(StrEnum):
    """What a statement at the top of a script, or a member of a class there, is."""

    FUNCTION = "function"
    CONSTRUCTOR = "constructor"
    VALUE = "value"
    CLASS = "class"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ScriptItem:
    """An item of a script, bytes `start` to `end`; its body or value is from `body` to `end_of_body`, both 0 for none.

    `name` is qualified by its class (`Shop.price`), and empty for a loose statement. `code` is what it does as it runs:
    two items with the same are the same but for types and layout. The body of a `brief` function is an expression.
    """

    kind: ScriptKind
    name: str
    start: int
    end: int
    code: str
    body: int = 0
    end_of_body: int = 0
    brief: bool = False


@dataclass(frozen=True, slots=True)
class ScriptShape:
    """A script: what it does as it runs, its items, and its imports as lines by the name that each binds."""

    code: str
    items: tuple[ScriptItem, ...]
    imports: Mapping[str, str]
