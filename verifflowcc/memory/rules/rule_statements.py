"""The rules that a sentence makes, in their normal forms, with what earlier sentences of its turn spoke of."""

import re
from collections.abc import Iterator

from verifflowcc.base.records import dataclass, field
from verifflowcc.memory.rules.code_names import NormalForm, groups_in, key_of
from verifflowcc.memory.rules.constructs import constructs, decorators, imports, spoken_decorators
from verifflowcc.memory.rules.exchanges import pointed, points, topic_in
from verifflowcc.memory.rules.personal_statements import Spotter

# Rules for names in code: how they start and end, what they include, and their case.

_CASES = {
    "snake_case": r"(?:lower[ -]?)?snake[ _-]?case",
    "SCREAMING_SNAKE_CASE": r"(?:screaming|upper(?:case)?)[ _-]snake[ _-]?case",
    "kebab-case": r"kebab[ _-]?case",
    "lower camelCase": r"lower camel[ _-]?case|(?-i:camelCase)",
    "CamelCase": r"(?:upper )?camel[ _-]?cas(?:e|ing)|pascal[ _-]?case",
    "all UPPERCASE": r"(?:all )?(?:upper[ -]?case(?:d)?|capital letters|(?:all[ -])caps|capitali[sz]ed letters)",
    "all lowercase": r"(?:all )?lower[ -]?case(?:d)?",
}
_CASE = "|".join(f"(?P<case{place}>{pattern})" for place, pattern in enumerate(_CASES.values()))
_CASE_NAMES = tuple(_CASES)
_SHAPE = r"[A-Za-z0-9_$@#.-]"
_LITERAL = rf"""'(?P<q1>{_SHAPE}{{1,24}}?)[.,]?'|"(?P<q2>{_SHAPE}{{1,24}}?)[.,]?"|`(?P<q3>{_SHAPE}{{1,24}})`"""
_BARE = r"(?<![\w'\"`])(?P<bare>[a-zA-Z]{1,6}_|_[a-zA-Z]{1,6})(?![\w'\"`])"
_DIGIT = (
    r"(?P<digit>\b(?:single|one|a|an|at least one|exactly one)\s+(?:(?:single|numeric(?:al)?|random|"
    r"unique)\s+)*(?:digits?|number|numeral)\b)"
)
_START = (
    r"(?P<start>\b(?:start(?:s|ing|ed)?|begin(?:s|ning)?|prefix(?:es|ed|ing)?|preced(?:e|ed|ing)|"
    r"prepend(?:s|ed|ing)?|lead(?:s|ing)?)\b)"
)
_FINISH = (
    r"(?P<end>\b(?:end(?:s|ing|ed)?|suffix(?:es|ed|ing)?|finish(?:es|ing)?|conclud(?:e|es|ing)|terminat(?:e|"
    r"es|ing)|append(?:s|ed|ing)?|trailing)\b)"
)
_HOLD = (
    r"(?P<include>\b(?:includ(?:e|es|ing|ed)|contain(?:s|ing|ed)?|incorporat(?:e|es|ing)|insert(?:s|ing)?|"
    r"add(?:s|ing)?|have|has|having|feature|embed(?:ding)?|put)\b)"
)
_EVENT = re.compile("|".join((_LITERAL, _BARE, _DIGIT, _CASE, _START, _FINISH, _HOLD)), re.IGNORECASE)
_CUE = re.compile(
    r"start|begin|prefix|preced|prepend|\blead|\bend|suffix|finish|conclud|terminat|append|trailing|"
    r"includ|contain|incorporat|insert|digit|\bnumber|string|case|capital|caps",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"(?:(?:instead of|rather than|and not|not|no longer|replac(?:e|es|ing)|previous(?:ly)?|formerly|the old|over)"
    rf"(?:\s+(?:using|with|the|starting|ending|prefix|suffix|string|them|in|as|our))*\s*"
    rf"|\bfrom(?:\s+(?:using|the|prefix|suffix|starting|ending|"
    rf"with))*\s+(?={_LITERAL.replace('?P<q', '?P<f')}[^.]*?\bto\b))"
    rf"(?:{_LITERAL.replace('?P<q', '?P<o')}|[a-z]{{1,3}}_(?!\w))",
    re.IGNORECASE,
)
_THEN_LINE = re.compile(
    r"(?P<quote>['\"`])(?P<letters>[A-Za-z0-9]{1,8})(?P=quote),? followed by an underscore", re.IGNORECASE
)
_LINE_THEN = re.compile(
    r"an underscore(?: character)?,?(?: and| followed by)(?: the)?(?: letters?|"
    r" string)? (?P<quote>['\"`])(?P<letters>[A-Za-z0-9]{1,8})(?P=quote)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:for (?:example|instance)|e\.g\.|such as|so,? if you|if you have|would be (?:named|called|'|\"|"
    r"`)|instead of just|would become|could be|as in)\b|\blike (?=['\"`])",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"[;:,]\s+|\s+-+\s+|\s+(?:and|while|whereas|but|as well as|plus|followed by|with)\s+", re.IGNORECASE
)
_NAMING_TOPIC = re.compile(
    r"\b(?:when (?:you're |you are |you )?(?:naming|declaring|defining|creating|writing|"
    r"it comes to(?: naming)?)|as for|regarding|concerning|for|with regard to|in terms of)\s+"
    r"(?:(?:all|any|your|our|the|new|naming)\s+)*$",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\bnam(?:e|es|ed|ing)\b|\b(?:them|they|it|these|those|each)\b", re.IGNORECASE)
_CALLED = re.compile(r"\s*(?:nam(?:e|es|ing)\b|identifiers)", re.IGNORECASE)
_ABOUT_NAMES = re.compile(r"\b(?:naming|as for|regarding|concerning)\b", re.IGNORECASE)
_SAYS_NAME = re.compile(r"\bnam(?:e|es|ed|ing)\b", re.IGNORECASE)
_GIVES = re.compile(
    r"\b(?:includ|contain|incorporat|insert|add|have|has|start|begin|end|use|using|followed|with|put|feature|append)",
    re.IGNORECASE,
)
_LONGEST_AFFIX = 8
_AS_THEY_ARE = frozenset(
    {"function", "method", "class", "variable", "attribute", "constant", "function-argument", "enum", "interface"}
)


@dataclass(slots=True)
class _ValueSpan:
    """A stretch of a sentence that gives one value: where, of which aspect, and what."""

    start: int
    end: int
    aspect: str
    value: str
    at: int


def names_ruled(sentence: str, focus: tuple[str, ...] = ()) -> list[NormalForm]:
    """Return the rules for names that a sentence gives; `focus` are the kinds that were last spoken of before it.

    >>> [each.says for each in names_ruled("Start function names with 'a_' and end method names with '_b'.")]
    ["Start function names with 'a_'.", "End method names with '_b'."]
    """
    if not _CUE.search(sentence):
        return []
    text = _cleared(sentence)
    values = list(_values(text))
    if not values:
        return []
    groups = groups_in(text)
    called = [each for each in groups if _CALLED.match(text[each[2] :])]
    naming = bool(_SAYS_NAME.search(text))
    lead = next((kinds for kinds, start, _ in called or groups if _NAMING_TOPIC.search(text[:start])), ())
    lead = lead or next((kinds for kinds, start, _ in groups if _NAMING_TOPIC.search(text[:start])), ())
    if called and lead not in [each[0] for each in called] and not _ABOUT_NAMES.search(text):
        lead = ()
    found: list[NormalForm] = []
    kinds, spoken = (lead or focus), bool(focus)
    for part in _parts(text, values):
        inside = [group for group in groups if part.start <= group[1] < part.end]
        own = _nearest(inside, part, text)
        if lead and inside and inside[0][0] == lead:
            own = lead
        kinds = own or kinds
        if not kinds or not (own or lead or spoken or _NAMED.search(text)):
            continue
        spoken = True
        found += [
            _rule(kind, part.aspect, part.value) for kind in kinds if naming or not own or _speaks(kind, part.aspect)
        ]
    return list({(each.key, each.value): each for each in found}.values())


def _speaks(kind: str, aspect: str) -> bool:
    """Say whether names can be meant where a sentence has no word for them: `start functions with 'a_'`."""
    return kind in _AS_THEY_ARE and aspect in {"start", "end", "case"}


def _cleared(sentence: str) -> str:
    """Return a sentence without what holds no longer, and with an affix that is spelt out written as one."""
    example = _EXAMPLE.search(sentence)
    text = sentence[: example.start()] if example else sentence
    text = _THEN_LINE.sub(r"'\g<letters>_'", text)
    text = _LINE_THEN.sub(r"'_\g<letters>'", text)
    return _OVER.sub(" ", text)


def _values(text: str) -> Iterator[_ValueSpan]:
    """Yield what the names must have, each with the aspect of the verb beside it."""
    events = [(match, match.lastgroup or "") for match in _EVENT.finditer(text)]
    verb = ""
    for place, (match, kind) in enumerate(events):
        if kind in {"start", "end", "include"}:
            verb = kind
        elif kind == "digit" and not _GIVES.search(text[: match.start()]):
            continue
        elif kind == "digit":
            yield _ValueSpan(match.start(), match.end(), "digit", "one", match.start())
        elif kind.startswith("case"):
            if re.match(r"\s*['\"`]|\s*letters?\s*['\"`]", text[match.end() :]):
                continue
            yield _ValueSpan(match.start(), match.end(), "case", _CASE_NAMES[int(kind[4:])], match.start())
        else:
            literal = match[kind]
            aspect = _aspect(text, match, verb, _verb_after(text, events[place + 1 :], match.end()))
            if aspect and _fits(aspect, literal):
                yield _ValueSpan(match.start(), match.end(), aspect, literal, match.start())


def _verb_after(text: str, events: list[tuple[re.Match[str], str]], end: int) -> str:
    """Return the aspect that a word behind a literal gives it: `'a_' as the prefix`, `'a_' at the beginning`."""
    for match, kind in events:
        if kind in {"start", "end"} and re.fullmatch(
            r"\s*(?:,?\s*(?:as|at|to|in|for|is|should be|be|a|an|the|our|your|their|very|new)\s+)*",
            text[end : match.start()],
            re.I,
        ):
            return kind
        return ""
    return ""


def _aspect(text: str, match: re.Match[str], before: str, after: str) -> str:
    if after and before in {"", "include"}:
        return after
    if before:
        return before
    literal = match[match.lastgroup or 0]
    if re.search(r"\b(?:string|substring|characters|sequence|letters)\s*$", text[: match.start()], re.I):
        return "include"
    return "start" if literal.endswith("_") else "end" if literal.startswith("_") else after


def _fits(aspect: str, literal: str) -> bool:
    if literal.startswith("@") or not re.search(r"[A-Za-z0-9]", literal):
        return False
    bare = literal.strip("_-")
    if aspect == "include":
        return "." not in literal
    return len(bare) <= _LONGEST_AFFIX and "_" not in bare and "." not in bare


def _parts(text: str, values: list[_ValueSpan]) -> list[_ValueSpan]:
    """Share a sentence out among its values: between two of them, the last break goes before the later one."""
    start = 0
    for part, following in zip(values, [*values[1:], None], strict=True):
        part.start = start
        if following is None:
            part.end = len(text)
        else:
            breaks = list(_BREAK.finditer(text, part.end, following.at))
            cut = breaks[0] if breaks else None
            part.end = cut.start() if cut else following.at
        start = part.end
    return values


def _nearest(groups: list[tuple[tuple[str, ...], int, int]], part: _ValueSpan, text: str) -> tuple[str, ...]:
    """Return the kinds that a value belongs to: those named explicitly, else the nearest."""
    if not groups:
        return ()
    called = [each for each in groups if _CALLED.match(text[each[2] :])]
    return min(called or groups, key=lambda each: (abs(each[1] - part.at), each[1]))[0]


def _rule(kind: str, aspect: str, value: str) -> NormalForm:
    subject, of = f"{kind}-names", f"{kind.replace('-', ' ')} names"
    if aspect == "start":
        normal, says = f"start:{value}", f"Start {of} with '{value}'."
    elif aspect == "end":
        normal, says = f"end:{value}", f"End {of} with '{value}'."
    elif aspect == "digit":
        normal, says = "digit:one", f"Include a single digit in {of}."
    elif aspect == "case":
        normal, says = f"case:{value}", f"Use {value} for {of}."
    else:
        normal, says = f"include={value}", f"Include the string '{value}' in {of}."
    return NormalForm(subject, normal, False, says, key_of(subject, normal))


def named_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds that a sentence last spoke of, for the next that says only `them`."""
    groups = groups_in(text)
    called = [each for each in groups if re.match(r"\s*nam(?:e|es|ing)\b", text[each[2] :], re.I)]
    chosen = (called or groups)[-1:] if groups else []
    return chosen[0][0] if chosen else ()


_FOCUSES = re.compile(
    r"\b(?:nam(?:e|es|ing)|functions?|methods?|class(?:es)?|variables?|arguments?|parameters?|attributes?)\b",
    re.IGNORECASE,
)
_PUT_IT = re.compile(
    r"\b(?P<verb>(?:add|includ|incorporat|appl|us|put)\w*) (?:it|that|this|them)"
    r"(?= (?:to|in|for|into|on|with|above|whenever|when)\b)",
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
    """What a turn last spoke of: named things of code, a decorator (`name module`), and its sentences."""

    kinds: tuple[str, ...] = ()
    decorator: str = ""
    heard: list[str] = field(default_factory=list)

    def follow(self, sentence: str) -> None:
        """Take note of what a sentence speaks of."""
        if _FOCUSES.search(sentence):
            self.kinds = named_kinds(sentence) or self.kinds
        if "decorator" in sentence or "@" in sentence:
            spoken = spoken_decorators(sentence)
            self.decorator = spoken[-1][0] if spoken else self.decorator
        self.heard.append(sentence)

    def named(self, sentence: str) -> str:
        """Return a sentence with what the turn last spoke of in the place of a pronoun that is to be used or not."""
        topics = map(topic_in, reversed(self.heard)) if self.heard and points(sentence) else ()
        return pointed(sentence, next(filter(None, topics), ""))

    def decorated(self, sentence: str) -> str:
        """Return a sentence with `the decorator` in the place of a pronoun for it: `add it to all functions`."""
        if not self.decorator or "decorator" in sentence:
            return sentence
        return _PUT_IT.sub(r"\g<verb> the decorator", sentence, count=1)


def speaks_of_rules(sentence: str) -> bool:
    """Say whether the known rules can have anything to say of a sentence."""
    if "@" in sentence or _CODE.kinds(sentence):
        return True
    return bool(_QUOTED.search(sentence))


def code_rules(sentence: str, focus: Focus) -> list[NormalForm]:
    """Return the rules for code that a sentence makes, whatever words it makes them with."""
    sentence = focus.decorated(sentence)
    found = names_ruled(sentence, focus.kinds)
    found += decorators(sentence, focus.decorator, ())
    module = focus.decorator.partition(" ")[2]
    found += imports(sentence, module)
    return found + constructs(sentence, focus.kinds)
