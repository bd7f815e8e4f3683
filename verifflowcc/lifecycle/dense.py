"""Dense groups among many texts, found without comparing each with each.

How near two are follows from the words that both have, and from what else they have in common. Only those are compared
that have a rare word in common: of a text's words, in the order of how rare they are, so many are looked up that
whoever is near has at least one of them too. What is found is what comparing all with all would find.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from verifflowcc.records import dataclass

DENSE = 4
"""Fewer than this are no group."""
MOST = 12
"""More than this do not go into one group."""
NEAR = 450
"""Thousandths from which on two are near."""
SAME_STEM, SAME_FILE = 300, 200


@dataclass(frozen=True, slots=True)
class Profile:
    """What is compared: the words of a text, the stem of its key ("" for none), and the files that it speaks of."""

    words: frozenset[str]
    stem: str = ""
    files: frozenset[str] = frozenset()


def nearness(one: Profile, other: Profile) -> int:
    """Return how near two are in thousandths: 0 where they have no word in common.

    >>> nearness(Profile(frozenset({"cold", "cache"})), Profile(frozenset({"cold", "start"})))
    333
    """
    shared = len(one.words & other.words)
    if not shared:
        return 0
    value = shared * 1000 // (len(one.words) + len(other.words) - shared)
    if one.stem and one.stem == other.stem:
        value += SAME_STEM
    if one.files and not one.files.isdisjoint(other.files):
        value += SAME_FILE
    return value


def dense_groups(profiles: Sequence[Profile]) -> list[tuple[int, ...]]:
    """Return groups of places, each in one at most: the largest first, and of several that around the earliest place.

    A group is a place with those near to it, the nearest first, of which each is near to half of those before it.
    """
    return list(_Choice(profiles).groups())


class _Choice:
    """Groups taken one after the other, each the largest of those that are left.

    Each place waits under the size that its group can have at most; it is looked at when nothing larger can be there,
    and again when one of those near to it was taken meanwhile.
    """

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self._profiles = profiles
        self._pool = _Pool(profiles)
        self._near: dict[int, _Near] = {}
        self._watching: dict[int, set[int]] = {}
        self._looked: dict[int, tuple[int, ...]] = {}
        self._waiting = [(-MOST, place) for place in range(len(profiles))]
        heapify(self._waiting)

    def groups(self) -> Iterator[tuple[int, ...]]:
        """Yield the groups; once."""
        while self._waiting:
            size, seed = heappop(self._waiting)
            if seed not in self._pool.free:
                continue
            new = seed not in self._looked
            chosen = self._look(seed) if new else self._looked[seed]
            if len(chosen) == -size:
                self._take(chosen)
                yield chosen
                continue
            if new and chosen:
                heappush(self._waiting, (-len(chosen), seed))
            if new:
                self._watch(seed)

    def _look(self, seed: int) -> tuple[int, ...]:
        """Return the group around a place as it is now; none where it is too small."""
        if seed not in self._near:
            self._near[seed] = self._pool.near(seed)
        chosen = self._around(seed)
        self._looked[seed] = chosen if len(chosen) >= DENSE else ()
        return self._looked[seed]

    def _around(self, seed: int) -> tuple[int, ...]:
        chosen = [seed]
        for _, place in self._near[seed]:
            if len(chosen) == MOST:
                break
            if place in self._pool.free:
                mine = self._profiles[place]
                if 2 * sum(nearness(mine, self._profiles[each]) >= NEAR for each in chosen) >= len(chosen):
                    chosen.append(place)
        return tuple(chosen)

    def _watch(self, seed: int) -> None:
        """See to it that a place is looked at again once one of those near to it is taken."""
        for _, place in self._near[seed]:
            self._watching.setdefault(place, set()).add(seed)

    def _take(self, chosen: Sequence[int]) -> None:
        for place in chosen:
            self._pool.remove(place)
            self._near.pop(place, None)
        again = set[int]().union(*(self._watching.pop(place, ()) for place in chosen))
        for seed in sorted(again & self._pool.free & self._looked.keys()):
            del self._looked[seed]
            left = 1 + sum(place in self._pool.free for _, place in self._near[seed])
            if left >= DENSE:
                heappush(self._waiting, (-min(MOST, left), seed))


_Near = Sequence[tuple[int, int]]
_Key = tuple[str, str, str]


class _Pool:
    """The profiles that are free, by those of their words under which whoever is near to them finds them.

    Two that share so many of their words that they are near share one of the rarest of each: all but as many as they
    share and one more. How many those are at least follows from what else they have in common, so that a word is kept
    for all, for those of a stem, of a file, and of both.
    """

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self._profiles = profiles
        self.free = set(range(len(profiles)))
        often = Counter(word for each in profiles for word in each.words)
        self._keys = [_keys(each, often) for each in profiles]
        self._places: dict[_Key, set[int]] = {}
        for place, keys in enumerate(self._keys):
            for key in keys:
                self._places.setdefault(key, set()).add(place)

    def near(self, seed: int) -> _Near:
        """Return (less than nothing how near, place) for the free places that are near to one, the nearest first."""
        others = set[int]().union(*(self._places[key] for key in self._keys[seed])) - {seed}
        mine = self._profiles[seed]
        values = ((nearness(mine, self._profiles[place]), place) for place in others)
        return sorted((-value, place) for value, place in values if value >= NEAR)

    def remove(self, place: int) -> None:
        """Take a place out of the pool."""
        self.free.discard(place)
        for key in self._keys[place]:
            self._places[key].discard(place)


def _keys(profile: Profile, often: Mapping[str, int]) -> tuple[_Key, ...]:
    words = sorted(profile.words, key=lambda word: (often[word], word))
    blocks = [("", "", NEAR), *(("", file, NEAR - SAME_FILE) for file in profile.files)]
    if profile.stem:
        both = NEAR - SAME_STEM - SAME_FILE
        blocks += [(profile.stem, "", NEAR - SAME_STEM), *((profile.stem, file, both) for file in profile.files)]
    return tuple(
        (stem, file, word) for stem, file, least in blocks for word in words[: len(words) - _shared(words, least) + 1]
    )


def _shared(words: Sequence[str], least: int) -> int:
    """Return how many words another has in common at the least that is `least` thousandths near by its words."""
    return max(1, -(-least * len(words) // 1000))
