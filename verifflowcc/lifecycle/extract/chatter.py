"""Whether a sentence is rather talk than a statement that somebody wants to be kept: long, hedged, about a mood."""

import re

_MOST_WORDS = 16
_HEDGED = re.compile(
    r"\b(?:I (?:guess|suppose|think|feel|believe|find|realize|hope|wonder)|guess|suppose|maybe|perhaps|might|could|"
    r"definitely|certainly|honestly|overwhelmed|worry|bit of|sort of|kind of|sounds?|looks? like|can't wait|no doubts?|"
    r"excit\w+|impress\w+|wonderful|amazing|great|fantastic|love the|happy|glad|enjoy\w*|proud|feel(?:s|ing)?)\b|!",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"^(?:(?:and|but|so|also|well|oh|yes|now|additionally),? )*(?:it(?:'s)?|this|that(?:'s)?|these|those|they(?:'re)?|"
    r"keep them|one key|the key|you're|your|following|moving on|shifting|understanding|i'm an?|focus on)\b|"
    r"\b(?:in that|about that|of them|with it|like that|these things|keep (?:it|them))\b",
    re.IGNORECASE,
)
_MOOD = re.compile(
    r"\b(?:cultur\w+|journey|growth|impact|mindset|values|lifestyle|inclusi\w+|diversity|wellness|morale|dynamics|"
    r"power of|collaborat\w+|transparen\w+|empower\w*|trust|potential|opportunit\w+|challeng\w+|improvement|feedback|"
    r"satisfaction|confident\w*|comfortabl\w+|role in|errors? in my code|appraisals?|invaluable|"
    r"cornerstone|progressing)\b",
    re.IGNORECASE,
)


def is_chatter(sentence: str) -> bool:
    """Say whether a sentence should wait for a person, though its form is that of a statement.

    >>> is_chatter("I prefer tabs to spaces."), is_chatter("I guess I tend to overthink these things!")
    (False, True)
    """
    return len(sentence.split()) > _MOST_WORDS or is_soft(sentence)


def is_soft(sentence: str) -> bool:
    """Say whether a sentence hedges, points back in its talk, or is about a mood, whatever its length."""
    return any(pattern.search(sentence) for pattern in (_HEDGED, _POINTS_BACK, _MOOD))
