"""A word from elsewhere as one line that a file, a terminal and a comparison take: printable, short, single spaces."""


def plain_line(text: str, longest: int = 120) -> str:
    """Return a text as one printable line; what is longer is cut.

    >>> plain_line(" a\\tb\\x1b[31m "), plain_line("abc", 2)
    ('a b [31m', 'ab')
    """
    if len(text) <= longest and text.isprintable() and "  " not in text and text == text.strip():
        return text
    words = "".join(letter if letter.isprintable() else " " for letter in text).split()
    return " ".join(words)[:longest].strip()
