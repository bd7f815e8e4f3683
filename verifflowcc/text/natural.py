"""The order in which people expect names with numbers: REQ-2 before REQ-10."""

import re

_NUMBER = re.compile(r"([0-9]+)")


def natural_key(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """Return a key by which names sort with their numbers as numbers; the name itself decides between equal ones.

    >>> sorted(["R-10", "R-2", "R-1", "R", "R-02"], key=natural_key)
    ['R', 'R-1', 'R-02', 'R-2', 'R-10']
    """
    parts = enumerate(_NUMBER.split(name))
    return tuple(_of_number(each) if place % 2 else (0, each) for place, each in parts), name


def _of_number(digits: str) -> tuple[int, str]:
    plain = digits.lstrip("0") or "0"
    return len(plain), plain
