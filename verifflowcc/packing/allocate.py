"""Split a budget into whole parts in proportion to weights."""

from collections.abc import Mapping
from typing import TypeVar

K = TypeVar("K")


def allocate(budget: int, weights: Mapping[K, int]) -> dict[K, int]:
    """Split `budget` in proportion to `weights`, by largest remainder; the parts add up to it.

    Equal remainders are served in the order of the mapping, so give it in the order of `layers.PRIORITY`. A weight of
    zero or less gets 0; where no weight is above zero, or the budget is not, every part is 0.

    >>> allocate(100, {"agent": 5, "stage": 3, "project": 1})
    {'agent': 56, 'stage': 33, 'project': 11}
    """
    counted = {key: max(0, weight) for key, weight in weights.items()}
    total = sum(counted.values())
    if total == 0 or budget <= 0:
        return dict.fromkeys(counted, 0)
    parts = {key: budget * weight // total for key, weight in counted.items()}
    left = budget - sum(parts.values())
    by_remainder = sorted(counted, key=lambda key: budget * counted[key] % total, reverse=True)
    for key in by_remainder[:left]:
        parts[key] += 1
    return parts
