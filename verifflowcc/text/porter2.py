"""The stem of an English word, by Porter's second algorithm as its author publishes it ("English", Snowball 3).

https://snowballstem.org/algorithms/english/stemmer.html. Words are lower-case ASCII letters. R1 is what stands behind
the first consonant that follows a vowel, R2 the same within R1; a `y` that is a consonant is written `Y` meanwhile.
"""

_VOWELS = frozenset("aeiouy")
_SHORT_ENDS = frozenset("aeiouyYwx")
_R1_BEGINS = ("arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers")
_WHOLE = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli",
    "singly": "singl",
} | {word: word for word in ("andes", "atlas", "bias", "cosmos", "howe", "news", "sky")}  # fmt: skip
_KEEPS_EED = ("succ", "proc", "exc")
_KEEPS_ING = ("even", "cann", "inn", "earr", "herr", "out")
_DOUBLES = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
_BEFORE_LI = frozenset("cdeghkmnrt")

_STEP_2 = {
    "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent", "izer": "ize", "ization": "ize",
    "ational": "ate", "ation": "ate", "ator": "ate", "alism": "al", "aliti": "al", "alli": "al", "fulness": "ful",
    "ousli": "ous", "ousness": "ous", "iveness": "ive", "iviti": "ive", "biliti": "ble", "bli": "ble", "ogist": "og",
    "ogi": "og", "fulli": "ful", "lessli": "less", "li": "",
}  # fmt: skip
_STEP_3 = {
    "tional": "tion", "ational": "ate", "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic", "ful": "",
    "ness": "", "ative": "",
}  # fmt: skip
_STEP_4 = frozenset("al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion".split())
_LONGEST = 7


def stem(word: str) -> str:
    """Return the stem of a word.

    >>> [stem(word) for word in ("rules", "generalised", "hoping", "hopping", "queries", "yearly")]
    ['rule', 'generalis', 'hope', 'hop', 'queri', 'year']
    """
    whole = _WHOLE.get(word)
    if whole is not None or len(word) < 3:
        return word if whole is None else whole
    marked = _marked(word) if "y" in word else word
    r1 = next((len(begin) for begin in _R1_BEGINS if marked.startswith(begin)), 0) or _region(marked, 0)
    r2 = _region(marked, r1)
    found = _step_1b(_step_1a(marked), r1)
    if found[-1] in "yY" and len(found) > 2 and found[-2] not in _VOWELS:
        found = f"{found[:-1]}i"
    found = _step_3(_step_2(found, r1), r1, r2)
    return _step_5(_step_4(found, r2), r1, r2).replace("Y", "y")


def _marked(word: str) -> str:
    """A word in which each `y` that begins it or follows a vowel is `Y`."""
    letters = list(word)
    for place, letter in enumerate(letters):
        if letter == "y" and (place == 0 or letters[place - 1] in _VOWELS):
            letters[place] = "Y"
    return "".join(letters)


def _region(word: str, begin: int) -> int:
    """Where the region behind the next consonant after a vowel begins; the end of the word where there is none."""
    for place in range(begin + 1, len(word)):
        if word[place] not in _VOWELS and word[place - 1] in _VOWELS:
            return place + 1
    return len(word)


def _has_vowel(text: str) -> bool:
    return not _VOWELS.isdisjoint(text)


def _ends_short(text: str) -> bool:
    """Say whether a text ends with a short syllable."""
    if len(text) == 2:
        return text[0] in _VOWELS and text[1] not in _VOWELS
    if text.endswith("past"):
        return True
    return len(text) > 2 and text[-1] not in _SHORT_ENDS and text[-2] in _VOWELS and text[-3] not in _VOWELS


def _step_1a(word: str) -> str:
    if not word.endswith(("s", "ied")):
        return word
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")):
        return word
    return word[:-1] if _has_vowel(word[:-2]) else word


def _step_1b(word: str, r1: int) -> str:
    for end in ("eedly", "eed"):
        if word.endswith(end):
            before = word[: -len(end)]
            return f"{before}ee" if len(before) >= r1 and before not in _KEEPS_EED else word
    if word.endswith("ing"):
        before = word[:-3]
        if before in _KEEPS_ING:
            return word
        if len(before) == 2 and before[1] == "y" and before[0] not in _VOWELS:
            return f"{before[0]}ie"
        return _mended(before, r1) if _has_vowel(before) else word
    for end in ("edly", "ingly", "ed"):
        if word.endswith(end):
            before = word[: -len(end)]
            return _mended(before, r1) if _has_vowel(before) else word
    return word


def _mended(word: str, r1: int) -> str:
    """A word that lost its ending, with the `e` or without the double letter that it had before it got one."""
    end = word[-2:]
    if end in ("at", "bl", "iz"):
        return f"{word}e"
    if end in _DOUBLES:
        return word if len(word) == 3 and word[0] in "aeo" else word[:-1]
    return f"{word}e" if len(word) == r1 and _ends_short(word) else word


def _step_2(word: str, r1: int) -> str:
    for length in range(min(_LONGEST, len(word)), 1, -1):
        end = word[-length:]
        if end in _STEP_2:
            before = word[:-length]
            if len(before) < r1 or (end == "ogi" and before[-1:] != "l"):
                return word
            if end == "li" and before[-1:] not in _BEFORE_LI:
                return word
            return before + _STEP_2[end]
    return word


def _step_3(word: str, r1: int, r2: int) -> str:
    for length in range(min(_LONGEST, len(word)), 2, -1):
        end = word[-length:]
        if end in _STEP_3:
            before = word[:-length]
            return before + _STEP_3[end] if len(before) >= (r2 if end == "ative" else r1) else word
    return word


def _step_4(word: str, r2: int) -> str:
    for length in range(min(5, len(word)), 1, -1):
        end = word[-length:]
        if end in _STEP_4:
            before = word[:-length]
            return word if len(before) < r2 or (end == "ion" and before[-1:] not in ("s", "t")) else before
    return word


def _step_5(word: str, r1: int, r2: int) -> str:
    before = word[:-1]
    if word.endswith("e"):
        return before if len(before) >= r2 or (len(before) >= r1 and not _ends_short(before)) else word
    return before if word.endswith("ll") and len(before) >= r2 else word
