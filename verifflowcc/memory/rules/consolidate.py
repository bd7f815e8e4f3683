"""Dense clusters of what was found out on the way, and the summary that takes their place.

Pure and without a model. Two items of one type are near where their words are: in thousandths, the words that both have
of those that either has, and more where they have the stem of their keys or a file that they speak of in common. A
cluster is an item with those near to it, of which each is near to half of those before it at least.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from heapq import heapify, heappop, heappush

from verifflowcc.base.model.item_values import (
    Item,
    Link,
    Relation,
    Source,
    SourceKind,
    Status,
    Uses,
    awaits_promotion,
    least_trust,
    trust_held,
)
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.identifiers import ALPHABET, LETTERS, item_id
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.text.stems import terms
from verifflowcc.memory.rules.access_lines import merged
from verifflowcc.memory.rules.lifetimes import (
    NO_LIFETIMES,
    Lifetimes,
    evictable,
    last_day,
    statement,
    without_repeats,
)
from verifflowcc.memory.rules.superseded import status_before

# Dense groups among many texts, found without comparing each with each.
#
# How near two are follows from the words that both have, and from what else they have in common. Only those are
# compared that have a rare word in common: of a text's words, in the order of how rare they are, so many are looked up
# that whoever is near has at least one of them too. What is found is what comparing all with all would find.

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
    """The profiles without a group, indexed by words that similar ones must share.

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


EPISODIC = frozenset({"fact", "insight", "fix", "failure", "tool_output", "reasoning"})
SUMMARY = "summary"
ACTOR = "tool:vfcc"
ORIGINALS, OF, DOING = "originals", "of", "doing"
"""Details of a summary: how many items it tells, of which scope, and what is being done until that is at its end."""

Refine = Callable[[tuple[str, ...]], str | None]
"""Makes one text of the statements of a summary; None where it cannot. What is made without it stands then."""


@dataclass(frozen=True, slots=True)
class RememberedItem:
    """An item and its text, without front matter."""

    item: Item
    body: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Items that say much the same, oldest first, and the words that most of them have."""

    members: tuple[RememberedItem, ...]
    words: tuple[str, ...]


def may_join(item: Item) -> bool:
    """Say whether an item may go into a summary.

    It was found out on the way and holds: what waits for a person stays, so that nothing rises by being summed up. What
    contradicts another stays too, so that somebody settles it.
    """
    contradicts = any(link.relation == Relation.CONTRADICTS for link in item.links)
    return evictable(item) and item.type in EPISODIC and not contradicts and not awaits_promotion(item)


def is_consolidation(item: Item) -> bool:
    """Say whether an item is a summary that takes the place of others.

    One that was promoted out of their scope is an item of its own from then on.
    """
    return (
        item.type == SUMMARY
        and item.source.kind is SourceKind.INFERRED
        and item.source.actor == ACTOR
        and ORIGINALS in dict(item.details)
        and dict(item.details).get(OF) == item.scope
    )


def holds_in_summary(original: Item, summary: Item | None) -> bool:
    """Say whether an archived item still holds, since its summary contains it.

    `summary` is the item that it names (`archived.into`); None where that is not there.
    """
    archived = original.archived
    if summary is None or archived is None or archived.into != summary.id or original.status is not Status.ARCHIVED:
        return False
    held = status_before(original) is Status.ACTIVE
    return held and summary.status is Status.ACTIVE and is_consolidation(summary)


def made_of(item: Item) -> tuple[str, tuple[str, ...]]:
    """Return the scope and the ids of the items that one was made of; "" and none where it was made of none.

    Wherever it lies by now, whatever type it has, and whoever wrote in it since.
    """
    scope = dict(item.details).get(OF, "")
    return (scope, found) if scope and (found := originals_of(item)) else ("", ())


def originals_of(summary: Item) -> tuple[str, ...]:
    """Return the ids of the items that a summary takes the place of."""
    number = dict(summary.details).get(ORIGINALS, "0")
    links = [link.to for link in summary.links if link.relation == Relation.DEPENDS_ON]
    return tuple(links[: int(number)]) if number.isascii() and number.isdecimal() else ()


def clusters(items: Iterable[RememberedItem]) -> tuple[Cluster, ...]:
    """Return the dense clusters among items of one scope, each item in one at most; the same in whatever order.

    Who may join is for the caller to say (`may_join`, and that nothing newer stands in its place).
    """
    found: list[Cluster] = []
    for name in sorted(EPISODIC):
        left = sorted((each for each in items_of(items, name)), key=_age)
        for chosen in dense_groups([_profile(each) for each in left]):
            members = tuple(left[place] for place in sorted(chosen))
            found.append(Cluster(members, _words(members)))
    return tuple(sorted(found, key=lambda each: _age(each.members[0])))


def items_of(items: Iterable[RememberedItem], type_name: str) -> list[RememberedItem]:
    """Return those of one type."""
    return [each for each in items if each.item.type == type_name]


def summary_of(
    cluster: Cluster, *, today: str, ttl_days: Lifetimes = NO_LIFETIMES, salt: int = 0, refine: Refine | None = None
) -> RememberedItem:
    """Return the summary of a cluster: what its members say, each thing once, with links back to them.

    It is trusted as the least of them, as sure as the least sure, as important as the most important, and ends with the
    last of them. Its id follows from theirs (and from `salt`, where that id is taken); its path is the caller's to set.
    """
    members = [each.item for each in cluster.members]
    statements = without_repeats([withhold(statement(each.item, each.body)) for each in cluster.members])
    text = (refine(statements) if refine else None) or "".join(f"- {each}\n" for each in statements)
    title = _title(cluster)
    ends = [last_day(item, ttl_days) for item in members]
    last = [each for each in ends if each is not None]
    item = Item(
        id=item_id(title, _letters(members, salt)),
        type=SUMMARY,
        title=title,
        path="",
        scope=members[0].scope,
        importance=max(item.importance for item in members),
        confidence=min(item.confidence for item in members),
        status=Status.ACTIVE,
        links=_links(members),
        source=Source(SourceKind.INFERRED, ACTOR),
        trust=least_trust(*(trust_held(item) for item in members)),
        refs=tuple({(ref.path, ref.symbol): ref for item in members for ref in item.refs}.values()),
        created=today,
        expires=max(last) if len(last) == len(ends) else None,
        tags=tuple(tag for tag in members[0].tags if all(tag in item.tags for item in members)),
        uses=reduce(merged, (item.uses for item in members), Uses()),
        details=((ORIGINALS, str(len(members))), (OF, members[0].scope)),
    )
    return RememberedItem(item, text)


def why_consolidated(cluster: Cluster) -> str:
    """Return why a cluster becomes a summary, as a clause."""
    about = f" on {', '.join(cluster.words)}" if cluster.words else ""
    ids = ", ".join(each.item.id for each in cluster.members)
    return f"{len(cluster.members)} items{about} say much the same: {ids}"


def stem_of(key: str | None) -> str:
    """Return what a key has in common with those of the same subject: all before its aspect; "" where it has none.

    >>> stem_of("function-names/start"), stem_of("search-index"), stem_of(None)
    ('function-names', '', '')
    """
    for mark in ("/", ":", "."):
        if key and mark in key:
            return key.partition(mark)[0].strip()
    return ""


def _age(each: RememberedItem) -> tuple[str, str, str]:
    return (each.item.created or "")[:10], each.item.created or "", each.item.id


def _profile(each: RememberedItem) -> Profile:
    words = frozenset(terms(f"{each.item.title}\n{each.body}"))
    return Profile(words, stem_of(each.item.key), frozenset(ref.path for ref in each.item.refs))


def _words(members: Sequence[RememberedItem]) -> tuple[str, ...]:
    """Return the three words that most of the members have, half of them at least."""
    held = Counter(term for each in members for term in set(terms(f"{each.item.title}\n{each.body}")))
    often = [(-count, term) for term, count in held.items() if 2 * count >= len(members) and term.isalpha()]
    return tuple(term for _, term in sorted(often)[:3])


def _title(cluster: Cluster) -> str:
    kind = cluster.members[0].item.type.replace("_", " ")
    plural = {"reasoning": "thoughts", "fix": "fixes"}.get(kind, f"{kind}s")
    about = f" on {', '.join(cluster.words)}" if cluster.words else ""
    return f"{len(cluster.members)} {plural}{about}"[:80]


def _letters(members: Sequence[Item], salt: int) -> str:
    seed = "\n".join((*sorted(item.id for item in members), str(salt)))
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:LETTERS])


def _links(members: Sequence[Item]) -> tuple[Link, ...]:
    """Return links back to the members first, then theirs to others; what they replaced stays theirs to say."""
    ids = {item.id for item in members}
    own = [Link(item.id, Relation.DEPENDS_ON) for item in members]
    kept = [
        Link(link.to, link.relation)
        for item in members
        for link in item.links
        if link.to not in ids and link.relation != Relation.SUPERSEDES
    ]
    return tuple(dict.fromkeys((*own, *kept)))
