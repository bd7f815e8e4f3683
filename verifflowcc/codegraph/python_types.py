"""Python's names for types: what an annotation says, what a literal is, and which names are the language's own."""

import re

LITERALS = {
    "string": "str",
    "concatenated_string": "str",
    "integer": "int",
    "float": "float",
    "list": "list",
    "list_comprehension": "list",
    "dictionary": "dict",
    "dictionary_comprehension": "dict",
    "set": "set",
    "set_comprehension": "set",
    "tuple": "tuple",
    "true": "bool",
    "false": "bool",
}
"""The type of what a kind of node is written for."""

OWN_NAMES = frozenset(
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile "
    "complex delattr dict dir divmod enumerate eval exec filter float format frozenset getattr globals "
    "hasattr hash help hex id input int isinstance issubclass iter len list locals map max memoryview min "
    "next object oct open ord pow print property range repr reversed round set setattr slice sorted "
    "staticmethod str sum super tuple type vars zip None True False Any self cls".split()
)
"""Names that mean what the language says, unless a file gives them another meaning."""

_NAME = re.compile(r"[^\W\d][\w.]*")
_WRAPPERS = frozenset({"Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "InitVar"})


def type_name(text: str) -> str:
    """Return the one type that an annotation names, with its module as written; "" where it names none or several.

    >>> type_name("Optional[a.Foo]"), type_name("'Foo' | None"), type_name("Repo[User]"), type_name("int | str")
    ('a.Foo', 'Foo', 'Repo', '')
    """
    text = text.strip()
    for _ in range(5):
        if text[:1] in ("'", '"') and text[-1:] == text[:1]:
            text = text.strip("\"'").strip()
        parts = [part for part in _split(text, "|") if part != "None"]
        if len(parts) != 1:
            return ""
        text = parts[0]
        match = _NAME.match(text)
        if not match:
            if text[:1] in ("'", '"') and text[-1:] == text[:1]:
                continue
            return ""
        head, rest = match[0], text[match.end() :].strip()
        if not rest:
            return "" if head == "None" else head
        if not (rest.startswith("[") and rest.endswith("]")):
            return ""
        last = head.rpartition(".")[2]
        inner = _split(rest[1:-1], ",")
        if last in _WRAPPERS and inner:
            text = inner[0]
        elif last == "Union":
            text = "|".join(inner)
        else:
            return "" if last in ("type", "Type", "Literal", "Callable") else head
    return ""


def _split(text: str, at: str) -> list[str]:
    """Return the parts of a text between marks that stand in no brackets."""
    if at not in text:
        return [text.strip()] if text.strip() else []
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        if letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
        elif letter == at and not depth:
            parts.append(text[begin:place].strip())
            begin = place + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]
