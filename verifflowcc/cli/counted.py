"""Numbers of things, as people write them."""


def counted(number: int, what: str) -> str:
    """Return a number with the word for so many.

    >>> counted(1, "item"), counted(1_200, "item")
    ('1 item', '1,200 items')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
