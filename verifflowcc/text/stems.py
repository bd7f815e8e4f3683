"""Words as recall looks for them: identifiers taken apart, common words left out, forms of English words folded."""

import re
from functools import lru_cache
from unicodedata import normalize

from verifflowcc.text.porter2 import stem

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_JOINED = re.compile(r"[\w-]+(?:['’][^\W_]+)*")
_HYPHENED = re.compile(r"(?<![\w-])[A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){1,3}(?![\w-])")
_HUMP = re.compile(r"[A-Z]{2,}(?=s(?![A-Za-z]))|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
"""The parts of an identifier; of `URLs` all but the s of the plural."""
_SUFFIX = re.compile(r"['’](?:s|t|ve|ll|re|d|m)$", re.IGNORECASE)
_COMMON = frozenset(
    "a an the of to in on at for and or but is are was were be been am do does did has have had with as by it its that "
    "this these those he she his her him they them their i you we me my your our us what when where which who whom "
    "whose why how if in so than then there would could should will can may might not no from into about s t ve ll re "
    "d m some any also just very really too more most much many all both each other such only own same out up down "
    "over again after before during while because until between through being having doing don didn isn wasn aren one "
    "here must use used using".split()
)
_FORMS = """went gone goes=go bought=buy made=make took taken=take gave given=give saw seen=see came=come
knew known=know thought=think found=find told=tell became=become left=leave felt=feel brought=bring begun began=begin
kept=keep held=hold wrote written=write stood=stand heard=hear meant=mean met=meet ran=run paid=pay sat=sit
spoke spoken=speak led=lead grew grown=grow lost=lose fell fallen=fall sent=send built=build understood=understand
drew drawn=draw broke broken=break spent=spend rose risen=rise drove driven=drive wore worn=wear chose chosen=choose
ate eaten=eat won=win taught=teach caught=catch sang sung=sing swam swum=swim flew flown=fly rode ridden=ride
slept=sleep sold=sell fought=fight threw thrown=throw forgot forgotten=forget drank drunk=drink stole stolen=steal
hid hidden=hide bit bitten=bite fed=feed shot=shoot dreamt=dream learnt=learn said=say children=child men=man
women=woman people=person feet=foot teeth=tooth mice=mouse wives=wife lives=life knives=knife worse worst=bad
better best=good woke woken=wake blew blown=blow froze frozen=freeze hung=hang sought=seek shown=show shook shaken=shake
swept=sweep tore torn=tear struck=strike stuck=stick dug=dig swung=swing bound=bind bent=bend lent=lend dealt=deal
shrank shrunk=shrink spun=spin got gotten=get overrode overridden=override rebuilt=rebuild reran=rerun
rewrote rewritten=rewrite withdrew withdrawn=withdraw indices=index vertices=vertex matrices=matrix"""
_IRREGULAR = {
    form: base for forms, base in re.findall(r"([a-z ]+)=([a-z]+)", _FORMS.replace("\n", " ")) for form in forms.split()
}


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are written, identifiers and hyphened words whole.

    >>> words_of("Why rate_limits in the set-up?")
    ['Why', 'rate_limits', 'in', 'the', 'set-up']
    """
    return [word for word in _JOINED.findall(_composed(text)) if word.strip("_-")]


def stems(text: str) -> list[str]:
    """Return the terms of a text, repeated as they occur: hyphened words as one first, then all in order.

    A word with capitals or digits in it is there in its parts and as a whole, since people write `SQLite` and `sqlite`.

    >>> stems("Why do we call the SQLite store in rate_limits.py, which wrote the set-up?")
    ['setup', 'call', 'sq', 'lite', 'sqlite', 'store', 'rate', 'limit', 'py', 'write', 'set']
    """
    text = _composed(text)
    found = [_stem(joined.replace("-", "").casefold()) for joined in _HYPHENED.findall(text)]
    for word in _WORD.findall(text):
        found += _stems_of(word)
    return found


def _composed(text: str) -> str:
    """The same text, letters with their marks as one: people's machines write them either way."""
    return text if text.isascii() else normalize("NFC", text)


@lru_cache(maxsize=65_536)
def _stems_of(word: str) -> tuple[str, ...]:
    bare = _SUFFIX.sub("", word)
    if not bare.isascii():
        parts = re.split("['’]", bare)
    elif bare.isalnum() and len(humps := _HUMP.findall(bare)) > 1:
        parts = [*humps, bare]
    else:
        parts = _HUMP.findall(bare)
    return tuple(_stem(part.casefold()) for part in parts if part and part.casefold() not in _COMMON)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if not word.isascii() or word.isdigit():
        return word
    return stem(_IRREGULAR.get(word, word))
