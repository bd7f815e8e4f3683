"""Whether a value is a secret, or a word, a name, or what holds the place of one in a text that explains."""

import re
from math import log2

FEWEST = 8
"""A value beside a name that has fewer characters is a word as likely as a password."""
_LEAST_BITS = 2.6
"""Entropy per character, below which a value repeats itself."""
_PLACES = (
    "example sample placeholder changeme change_me change-me dummy fake redacted withheld insert replace todo fixme "
    "your_ your- yourtoken yourkey yourpass yoursecret my-secret mysecret mypass my_pass not-a-real notreal not_a_real "
    "notasecret ***** ..... <your xxxxx abcdefgh 12345678 01234567 87654321 qwertyui deadbeef lorem somesecret "
    "supersecret super-secret secretvalue hunter2 correcthorse correct-horse foobar s3cr3t secret123 password1 "
    "passw0rd p@ssw0rd letmein test-token test_token testtoken"
).split()
_REFERENCE = re.compile(
    r"\$[A-Za-z_{(]|\{\{|<[A-Za-z]|%[A-Za-z_({]|\{[A-Za-z_]|#\{|@\{|…|\b(?:os\.environ|process\.env|getenv|secrets?\.)"
)
_ONE_LETTER = re.compile(r"([^\W_]|[*.?#])\1{5,}")
_WORDS = re.compile(r"[A-Za-z_]*\d{0,2}(?:[\s._/:+@=|,;-]+[A-Za-z_]*\d{0,4})*")
"""Words and small numbers: a path, a name with dots, a version, a sentence."""
_SIZES = re.compile(r"[A-Z]+[a-z]+[A-Z]+")
_DIGEST = re.compile(r"(?:sha\d{1,3}|md5)[:-]", re.IGNORECASE)
_PATH = re.compile(r"[~.]{0,2}/[\w./-]*")
_NUMBER = re.compile(r"[\d.,:%_+-]+")
_CALL = re.compile(r"[A-Za-z_][\w.]*\(|\w+\[|[A-Za-z_]\w*\.[A-Za-z_]\w*\.")


def holds_a_place(value: str) -> bool:
    """Say whether a value stands for a secret that somebody is to fill in, or plainly shows what one looks like.

    >>> holds_a_place("AKIAIOSFODNN7" + "EXAMPLE"), holds_a_place("ghp_" + "x" * 36), holds_a_place("${TOKEN}")
    (True, True, True)
    """
    lower = value.lower()
    if any(each in lower for each in _PLACES) or _ONE_LETTER.search(value):
        return True
    return len(set(value)) <= 3 or bool(_REFERENCE.search(value))


def looks_drawn(value: str, *, in_prose: bool = False, surely: bool = False) -> bool:
    """Say whether a value beside a name such as `password` looks as if it had been drawn or thought out as a secret.

    In prose, where any word may follow, it must have letters and digits. `surely` says that nothing but a password can
    stand there; then a word of two kinds of letters is one.
    """
    if len(value) < FEWEST or holds_a_place(value):
        return False
    if surely and value.isalnum():
        return len(_kinds(value)) >= 2
    if (
        _is_words(value)
        or _NUMBER.fullmatch(value)
        or _DIGEST.match(value)
        or _CALL.match(value)
        or _PATH.fullmatch(value)
    ):
        return False
    kinds = _kinds(value)
    if in_prose and ("digit" not in kinds or " " in value):
        return False
    if " " in value and value.count(" ") > 4:
        return False
    return len(kinds) >= 2 and bits_per_character(value) >= _LEAST_BITS


def _is_words(value: str) -> bool:
    """Say whether a value is words with small numbers; letters that change their size over and over are no word."""
    if not _WORDS.fullmatch(value):
        return False
    return len(_SIZES.findall(value)) < 3 or not any(letter.isdigit() for letter in value)


def bits_per_character(value: str) -> float:
    """Return Shannon's entropy of a value's characters, in bits.

    >>> bits_per_character("aaaa"), bits_per_character("abab")
    (0.0, 1.0)
    """
    size = len(value)
    shares = [value.count(letter) / size for letter in set(value)]
    return sum(-share * log2(share) for share in shares) + 0.0


def _kinds(value: str) -> set[str]:
    found = set()
    for letter in value:
        if letter.isdigit():
            found.add("digit")
        elif letter.isalpha():
            found.add("upper" if letter.isupper() else "lower")
        elif not letter.isspace():
            found.add("sign")
    return found
