"""One name of the text of a type, in languages with braces."""

import re
from collections.abc import Callable, Collection

_WORDS = re.compile(
    r"\b(?:const|mut|dyn|impl|ref|struct|enum|union|class|readonly|typename|unsigned|in|out|final|volatile|static|"
    r"keyof|asserts|async|scoped)\b(?!\s*[.:<\[])|'[a-z_]\w*\b"
)
_NAME = re.compile(r"[^\W\d][\w.]*")
_NOTHING = frozenset({"null", "undefined", "None", "nil", "void", "var", "auto", "let", "any", "unknown", "never"})


def type_namer(wrappers: Collection[str]) -> Callable[[str], str]:
    """Return what takes the one name from a type's text, its parts joined by dots; "" where there are several or none.

    Of a generic type with arguments the name counts, unless it is one of `wrappers`, whose first argument does then.

    >>> namer = type_namer({"Promise"})
    >>> namer(": Promise<a.Foo>"), namer("*Foo"), namer("Foo | null"), namer("Foo[]"), namer("&'a mut m::Foo<u8>")
    ('a.Foo', 'Foo', 'Foo', '', 'm.Foo')
    """
    kept = frozenset(wrappers)

    def type_name(text: str) -> str:
        if len(text) > 400:
            return ""
        text = text.strip()
        text = text if text.startswith("::") else text.removeprefix(":")
        for _ in range(6):
            text = _WORDS.sub("", text).replace("::", ".").replace("\\", ".").strip().lstrip("*&?(.@ ").rstrip("*&?!) ")
            if "|" in text:
                parts = [part.strip() for part in _outside(text, "|")]
                parts = [part for part in parts if part and part not in _NOTHING]
                if len(parts) != 1:
                    return ""
                text = parts[0]
            match = _NAME.match(text)
            if match is None:
                return ""
            head, rest = match[0].rstrip("."), text[match.end() :].strip()
            if not rest:
                return "" if head in _NOTHING else head
            if rest[0] == "<" and rest[-1] == ">":
                if head.rpartition(".")[2] not in kept:
                    return head
                text = _outside(rest[1:-1], ",")[0]
            elif rest[0] == "[" and rest != "[]" and rest[-1] == "]":
                return head
            else:
                return ""
        return ""

    return type_name


def _outside(text: str, at: str) -> list[str]:
    """Return the parts of a text between marks that stand in no brackets."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        if letter in "<[(":
            depth += 1
        elif letter in ">])":
            depth -= 1
        elif letter == at and depth <= 0:
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]
