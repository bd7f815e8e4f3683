"""Everyday words of English: in a few technical texts rare by chance, and still saying little about them."""

from functools import lru_cache

from verifflowcc.text.stems import stems

_WORDS = """
able actually add again almost along already always another anyone anything ask away back bad become begin behind
believe best better big bit bring call care case change choose clear come common complete consider could create
current day deal decide different difficult do easy else end enough ensure even ever every everyone everything example
exist expect explain far feel few find first follow full general get give go good great group hand happen hard have
head hear help hold idea important include instead issue keep kind know large last late later learn least leave less
let like likely line little live long look lose lot low main make matter mean meet mind month move much name near need
never new next nothing number often old open order own people perhaps person place plan point possible probably
problem put question quite rather read real really reason remain rest right room run same say second see seem send set
several should show side simple since small someone something sometimes soon sort speak special stand start stay still
stop sure take talk tell thing think third though thought time today together told too top try turn understand upon
usual usually wait want way week well whether whole why will without wonder word work worth write wrong year yes yet
""".split()


@lru_cache(maxsize=1)
def everyday_terms() -> frozenset[str]:
    """Return the terms of these words."""
    return frozenset(term for word in _WORDS for term in stems(word))
