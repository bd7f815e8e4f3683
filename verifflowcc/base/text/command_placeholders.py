"""Placeholders in a word of a command: `--junitxml={junit}`; `{{` and `}}` are the braces themselves."""

from collections.abc import Collection, Mapping

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.text.plain_words import nearest

_BRACES = lazy_pattern(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def placeholders(word: str) -> tuple[str, ...]:
    """Return the names in single braces, in order.

    >>> placeholders("--out={junit}:{{junit}}")
    ('junit',)
    """
    return tuple(found[1] for found in _BRACES.finditer(word) if found[1] is not None)


def placeholder_problem(word: str, known: Collection[str]) -> str | None:
    """Say what is wrong with the braces of a word, as a predicate on it; None where nothing is.

    >>> placeholder_problem("{junitt}", ["junit"])
    'has the unknown placeholder {junitt}; did you mean {junit}?'
    """
    for found in _BRACES.finditer(word):
        name = found[1]
        if name is None and found[0] in "{}":
            return f"has a single {found[0]}; write {found[0] * 2} for the brace itself"
        if name is not None and name not in known:
            near = nearest(name, known)
            listed = ", ".join(f"{{{one}}}" for one in sorted(known))
            ask = f"did you mean {{{near}}}?" if near else f"there is {listed}"
            return f"has the unknown placeholder {{{name}}}; {ask}"
    return None


def fill(word: str, values: Mapping[str, str]) -> str:
    """Return the word with each placeholder replaced and each doubled brace as one. Raises KeyError for an unknown one.

    >>> fill("--out={junit}:{{x}}", {"junit": "a.xml"})
    '--out=a.xml:{x}'
    """
    return _BRACES.sub(lambda found: values[found[1]] if found[1] is not None else found[0][0], word)
