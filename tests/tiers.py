"""Two tiers of the suite: `make test` while working, `make sweep` for the rest.

A test marked `sweep` runs in the second tier alone. Of a parametrised test marked `points(n)`, n cases spread evenly
over all of them stay in the first tier, with the first of each requirement that only some cases name; the others are
marked `sweep`. A law, that is a test under hypothesis or one marked `law`, runs in both: in the first tier with a part
of the examples that it states, in the second with all.
"""

from collections import defaultdict
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

FEWEST = 5
"""No tier tries fewer examples, unless a law states fewer."""
_SETTINGS = "_hypothesis_internal_use_settings"
_percent = 100
_SCALED: list[settings] = []


def set_percent(percent: int) -> None:
    """Set which part of the stated counts runs."""
    global _percent  # noqa: PLW0603 - an option of the whole run
    _percent = percent


def percent() -> int:
    """Return which part of the stated counts runs."""
    return _percent


def count(stated: int) -> int:
    """Return how many of `stated` examples to try in this run.

    >>> count(200)
    200
    """
    return max(stated * _percent // 100, min(stated, FEWEST))


def mark(items: Sequence[pytest.Item]) -> None:
    """Mark sweeps and laws, and give each law its count."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("points"):
            cases[item.nodeid.partition("[")[0]].append(item)
        function = getattr(item, "function", None)
        if is_hypothesis_test(function):
            item.add_marker("law")
            scale(function)
    for each in cases.values():
        _mark_points(each)


def scale(law: object) -> None:
    """Give a law its count; a second time changes nothing."""
    stated: settings = getattr(law, _SETTINGS)
    if any(stated is each for each in _SCALED):  # a parametrised law is one function of many items
        return
    examples = count(stated.max_examples)
    checks = set(stated.suppress_health_check)
    if examples < stated.max_examples:
        checks.add(HealthCheck.filter_too_much)  # it counts on more small examples than a quick run begins with
    # there is no public way to change the count that a law states with @settings
    scaled = settings(stated, max_examples=examples, suppress_health_check=checks)
    setattr(law, _SETTINGS, scaled)
    _SCALED.append(scaled)


def _mark_points(cases: Sequence[pytest.Item]) -> None:
    marker = cases[0].get_closest_marker("points")
    assert marker is not None
    kept = chosen([_requirements(item) for item in cases], marker.args[0])
    for place, item in enumerate(cases):
        if place not in kept:
            item.add_marker("sweep")


def only_swept(items: Sequence[pytest.Item]) -> tuple[str, ...]:
    """Return the requirements whose tests are all marked `sweep`, sorted."""
    quick = {name for item in items if not item.get_closest_marker("sweep") for name in _requirements(item)}
    return tuple(sorted({name for item in items for name in _requirements(item)} - quick))


def _requirements(item: pytest.Item) -> frozenset[str]:
    return frozenset(name for mark in item.iter_markers("vfcc") for name in mark.args)


def chosen(named: Sequence[frozenset[str]], points: int) -> frozenset[int]:
    """Return the places of the cases that stay, from the requirements that each names: each is named by one of them.

    >>> sorted(chosen([frozenset("a"), frozenset("ab"), frozenset("ab"), frozenset("a")], 2))
    [0, 1, 3]
    """
    kept = set(spread(len(named), points))
    shown = {name for place in kept for name in named[place]}
    for place, names in enumerate(named):
        if not names <= shown:
            kept.add(place)
            shown |= names
    return frozenset(kept)


def spread(length: int, points: int) -> frozenset[int]:
    """Return places spread evenly over `length` of them, the first and the last among them.

    >>> sorted(spread(10, 4)), sorted(spread(3, 5)), sorted(spread(7, 1))
    ([0, 3, 6, 9], [0, 1, 2], [0])
    """
    if points >= length:
        return frozenset(range(length))
    steps = max(points - 1, 1)
    return frozenset(place * (length - 1) // steps for place in range(points))
