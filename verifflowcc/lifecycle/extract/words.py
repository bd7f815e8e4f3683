"""Words of a sentence for comparison: without endings, and without those that carry no meaning."""

import re
from functools import lru_cache

_EMPTY = frozenset(
    "a an the our your my their its his her this that these those of in on at to by with and or for from as be is are "
    "was were am been being it we you i they he she us them do does did has have had will shall should must can "
    "may now "
    "always please also so just actually correction currently already still then than there here from-now-on".split()
)
_IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "kept:keep held:hold written:write built:build sent:send run:run ran:run taken:take made:make shown:show "
        "stored:store using:use uses:use used:use databases:database caches:cache caching:cache running:run "
        "driven:drive "
        "hosting:host stopped:stop dropped:drop lives:live living:live cut:cut cuts:cut setting:set lay:lie met:meet"
    ).split()
)


@lru_cache(maxsize=20_000)
def root(word: str) -> str:
    """Return a word without the endings of number and time; a possessive stays one.

    >>> root("tokens"), root("stored"), root("client's"), root("branches")
    ('token', 'store', "client's", 'branch')
    """
    plain = word.casefold()
    if plain in _IRREGULAR:
        return _IRREGULAR[plain]
    if not plain.isalpha() or len(plain) < 4:
        return plain
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if plain.endswith(ending) and len(plain) > 5:
            return plain.removesuffix(ending) + rest
    if plain.endswith("s") and not plain.endswith(("ss", "us", "is")):
        return plain[:-1]
    for ending in ("ing", "ed"):
        if plain.endswith(ending) and len(plain) > len(ending) + 3:
            base = plain.removesuffix(ending)
            if base[-1] == base[-2] and base[-1] not in "lsz":
                return base[:-1]
            return base + "e" if base[-1] in "cvgzu" or base.endswith(("or", "as", "ir", "at", "is")) else base
    return plain


def roots(text: str) -> tuple[str, ...]:
    """Return the meaningful words of a text in order, each without its ending.

    >>> roots("The session's tokens are stored in Redis.")
    ("session's", 'token', 'store', 'redis')
    """
    found = re.findall(r"[\w@][\w@.+#/*'-]*[\w+#*']|\w", text)
    return tuple(root(each.strip("'.-")) for each in found if each.casefold().strip("'.-") not in _EMPTY)
