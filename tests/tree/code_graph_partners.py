"""Partners that end before their work is done."""

from collections.abc import Iterator
from typing import Any

from verifflowcc.code.use.commit_updates import Text, work


def _dies_after(bundles: Iterator[list[Text]], most: int) -> Iterator[Any]:
    for number, answer in enumerate(work(bundles)):
        if number == most:
            return
        yield answer


def dies_after_0(bundles: Iterator[list[Text]]) -> Iterator[Any]:
    return _dies_after(bundles, 0)


def dies_after_1(bundles: Iterator[list[Text]]) -> Iterator[Any]:
    return _dies_after(bundles, 1)


def dies_after_3(bundles: Iterator[list[Text]]) -> Iterator[Any]:
    return _dies_after(bundles, 3)
