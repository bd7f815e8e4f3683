"""Figures of recall: means over questions with a 95 % interval by bootstrap, and what one way brings over another."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

RESAMPLES, SEED = 2_000, 7
Row = tuple[float, ...]
"""A question's recall at each depth."""


@dataclass(frozen=True)
class Mean:
    """A mean in percent, and the interval that holds it in 95 of 100 draws of as many questions."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1f} ({self.low:.1f} to {self.high:.1f})"


def mean_of(values: Sequence[float]) -> Mean:
    """Return the mean of shares (or of their differences) in percent; the same on every machine."""
    if not values:
        return Mean(0.0, 0.0, 0.0)
    dice = random.Random(SEED)
    number = len(values)
    drawn = sorted(sum(dice.choices(values, k=number)) / number for _ in range(RESAMPLES))
    low, high = drawn[RESAMPLES * 25 // 1000], drawn[RESAMPLES * 975 // 1000 - 1]
    return Mean(_percent(sum(values) / number), _percent(low), _percent(high))


def gain_of(whole: Sequence[Row], without: Sequence[Row], depth: int) -> Mean:
    """Return by how much the whole is better than without a part, on the same questions, at the place of a depth."""
    return mean_of([one[depth] - other[depth] for one, other in zip(whole, without, strict=True)])


def _percent(share: float) -> float:
    return round(100 * share, 1)
