"""The indefinite article before a word."""


def with_article(word: str) -> str:
    """Return a word behind `a` or `an`, as its first letter asks.

    >>> with_article("component"), with_article("interface")
    ('a component', 'an interface')
    """
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"
