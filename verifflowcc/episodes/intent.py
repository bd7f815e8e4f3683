"""What a task is for, by its words, and by whether files were changed in it where its words do not say."""

import re

from verifflowcc.domain.episodes import Intent

_WORDS = {
    Intent.PROJECT_FIXING: """fix fixes fixed fixing bug bugs broken crash crashes crashed crashing fail fails failed
        failing failure failures error errors regression debug repair doesn't wrong traceback exception flaky""",
    Intent.CODE_WRITING: """add adding implement write writing create creating build refactor rename move replace remove
        delete change update make support extend extract port migrate bump upgrade document rewrite""",
    Intent.PROJECT_EXPLORATION: """explore exploring overview structure architecture where find search list which tour
        look around""",
    Intent.CODE_READING: """explain read review understand what how why describe summarise summarize show tell check
        analyse analyze trace""",
}
_PATTERNS = tuple((intent, re.compile(rf"(?i)\b(?:{'|'.join(words.split())})\b")) for intent, words in _WORDS.items())


def intent_of(description: str, *, edited: bool) -> Intent:
    """Return what a task is for. What is broken goes first; else the word that comes first in the text decides.

    >>> [intent_of(text, edited=False).value for text in ("Explain how to add one", "Why does it crash?", "go on")]
    ['code_reading', 'project_fixing', 'code_reading']
    """
    found = [(match.start(), intent) for intent, pattern in _PATTERNS if (match := pattern.search(description))]
    if any(intent is Intent.PROJECT_FIXING for _, intent in found):
        return Intent.PROJECT_FIXING
    if found:
        return min(found, key=lambda each: each[0])[1]
    return Intent.CODE_WRITING if edited else Intent.CODE_READING
