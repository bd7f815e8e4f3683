"""The rules that a sentence makes, in their normal forms, with what earlier sentences of its turn spoke of."""

import re

from verifflowcc.lifecycle.extract.constructs import constructs, decorators, imports, spoken_decorators
from verifflowcc.lifecycle.extract.naming import named_kinds, names_ruled
from verifflowcc.lifecycle.extract.phrases import is_concrete
from verifflowcc.lifecycle.extract.spotting import Spotter
from verifflowcc.lifecycle.extract.stated import Stated
from verifflowcc.records import dataclass

_FOCUSES = re.compile(
    r"\b(?:nam(?:e|es|ing)|functions?|methods?|class(?:es)?|variables?|arguments?|parameters?|attributes?)\b",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?:(?:talk|chat|speak|think|know|heard?|tell you|ask|learn)(?:ing)?(?: (?:\w+|to you))? about|"
    r"introduc\w+ (?:you )?to|"
    r"discuss|regarding|(?:importance|benefits?|use|value|power) of|(?:been|are|is) (?:using|relying on))\s+"
    r"(?:(?:the|our|your|using|use of|implementing|a|an|new|concept of|team's|topic of)\s+)*"
    r"(?P<topic>(?:[\w'-]+ ){0,2}?[\w'-]+)(?=[,.;:!?]|\s+(?:for|in|as|and|to|on|at|with|that|which|when|"
    r"is|are|we|you|I|today|again)\b|$)",
    re.IGNORECASE,
)
_STANDS_FOR = re.compile(
    r"\b(?P<verb>(?:us(?:e|ing)|utili[sz]\w+|incorporat\w+|rely(?:ing)? on|adopt\w*|avoid(?:ing)?|stop(?:ping)?|"
    r"start(?:ing)? (?:using|with)|switch\w* to|stick\w* (?:to|with)|implement\w*|integrat\w+)"
    r"(?: using| relying on)?) (?:it|them|this(?: tool| system| platform)?|that(?: tool| system| platform)?|one)\b",
    re.IGNORECASE,
)
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
    """What a turn last spoke of: named things of code, a decorator (`name module`), a topic."""

    kinds: tuple[str, ...] = ()
    decorator: str = ""
    topic: str = ""

    def follow(self, sentence: str) -> None:
        """Take note of what a sentence speaks of."""
        if _FOCUSES.search(sentence):
            self.kinds = named_kinds(sentence) or self.kinds
        if "decorator" in sentence or "@" in sentence:
            spoken = spoken_decorators(sentence)
            self.decorator = spoken[-1][0] if spoken else self.decorator
        topics = (each["topic"] for each in _TOPIC.finditer(sentence))
        self.topic = next((each for each in topics if is_concrete(each) and not each.endswith("ly")), self.topic)

    def named(self, sentence: str) -> str:
        """Return a sentence with what the turn last spoke of in the place of a pronoun that is to be used or not."""
        if not self.topic:
            return sentence
        return _STANDS_FOR.sub(lambda found: f"{found['verb']} {self.topic}", sentence, count=1)


def speaks_of_rules(sentence: str) -> bool:
    """Say whether the known rules can have anything to say of a sentence."""
    if "@" in sentence or _CODE.kinds(sentence):
        return True
    return bool(_QUOTED.search(sentence))


def code_rules(sentence: str, focus: Focus) -> list[Stated]:
    """Return the rules for code that a sentence makes, whatever words it makes them with."""
    found = names_ruled(sentence, focus.kinds)
    found += decorators(sentence, focus.decorator, ())
    module = focus.decorator.partition(" ")[2]
    found += imports(sentence, module)
    return found + constructs(sentence, focus.kinds)
