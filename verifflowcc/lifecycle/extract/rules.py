"""The rules that a sentence makes, in their normal forms, with what earlier sentences of its turn spoke of."""

import re
from dataclasses import dataclass

from verifflowcc.lifecycle.extract.constructs import constructs, decorators, imports, spoken_decorators
from verifflowcc.lifecycle.extract.naming import named_kinds, names_ruled
from verifflowcc.lifecycle.extract.practices import (
    mentioned,
    practices,
    speaks_of_practice,
    stands_for_one,
    with_mention,
)
from verifflowcc.lifecycle.extract.spotting import Spotter
from verifflowcc.lifecycle.extract.stated import Stated

_FOCUSES = re.compile(
    r"\b(?:nam(?:e|es|ing)|functions?|methods?|class(?:es)?|variables?|arguments?|parameters?|attributes?)\b",
    re.IGNORECASE,
)
_SENTENCES_BACK = 6
_QUOTED = re.compile(r"['\"`]\w{1,24}['\"`]")
_CODE = Spotter(
    {
        "code": r"nam(?:e|es|ing|ed)|identifiers?|prefix\w*|suffix\w*|functions?|methods?|class(?:es)?|variables?|"
        r"vars?|arguments?|parameters?|args?|params?|attributes?|"
        r"propert(?:y|ies)|fields?|constants?|enums?|interfaces?|decorators?|import\w*|modules?|packages?|"
        r"doc|docstrings?|documentation|annotat\w+|hint\w*|type|try|"
        r"asser\w+|comment\w*|log\w*|print|checks?|strings?|globals?|wildcard|star|relative|absolute|"
        r"magic|ignores?|comprehensions?|lambdas?|mock\w*|exports?|excepts?|"
        r"semi|semicolons?|commas?|returns?|tests?|files?|branch(?:es)?|tables?|columns?|endpoints?|"
        r"routes?|snake|camel\w*|pascal\w*|kebab|"
        r"upper\w*|lower\w*|capital\w*|caps|digits?|numbers?"
    }
)


@dataclass(slots=True)
class Focus:
    """What a turn last spoke of: named things of code, a decorator (`name module`); the last sentences."""

    kinds: tuple[str, ...] = ()
    decorator: str = ""
    before: tuple[str, ...] = ()

    def follow(self, sentence: str) -> None:
        """Take note of what a sentence speaks of."""
        if _FOCUSES.search(sentence):
            self.kinds = named_kinds(sentence) or self.kinds
        if "decorator" in sentence or "@" in sentence:
            spoken = spoken_decorators(sentence)
            self.decorator = spoken[-1][0] if spoken else self.decorator
        self.before = (sentence, *self.before[: _SENTENCES_BACK - 1])


def speaks_of_rules(sentence: str) -> bool:
    """Say whether the known rules can have anything to say of a sentence."""
    if "@" in sentence or _CODE.kinds(sentence) or speaks_of_practice(sentence):
        return True
    return bool(_QUOTED.search(sentence)) or stands_for_one(sentence)


def code_rules(sentence: str, focus: Focus) -> list[Stated]:
    """Return the rules for code that a sentence makes, whatever words it makes them with."""
    found = names_ruled(sentence, focus.kinds)
    found += decorators(sentence, focus.decorator, ())
    module = focus.decorator.partition(" ")[2]
    found += imports(sentence, module)
    return found + constructs(sentence, focus.kinds)


def habit_rules(sentence: str, start: int, focus: Focus) -> list[Stated]:
    """Return the rules for known tools and habits in a sentence that asks for something from `start` on."""
    found = practices(sentence, start)
    if found or not stands_for_one(sentence):
        return found
    habit = next(filter(None, map(mentioned, focus.before)), "")
    return practices(with_mention(sentence, habit), start) if habit else []
