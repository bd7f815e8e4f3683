"""A turn as what it says that may be worth keeping. Nothing is carried from one turn to the next."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from verifflowcc.base.model.item_values import item_type
from verifflowcc.base.records import dataclass, replace
from verifflowcc.memory.rules.candidates import Extraction, Signals, StatementCandidate, StreamName
from verifflowcc.memory.rules.clauses import asked
from verifflowcc.memory.rules.code_names import NormalForm, key_of
from verifflowcc.memory.rules.constructs import spoken_decorators
from verifflowcc.memory.rules.generic_form import fixes, generic
from verifflowcc.memory.rules.personal_statements import PERSONAL_TYPES, PersonalStatement, personal, personal_form
from verifflowcc.memory.rules.project_statements import PROJECT_TYPES, project, project_form
from verifflowcc.memory.rules.qualifiers import agrees, keeps, same_words
from verifflowcc.memory.rules.rule_statements import Focus, code_rules, speaks_of_rules
from verifflowcc.memory.rules.sentences import LONGEST, Sentence, follows, is_chatter, quote, sentences, spoken
from verifflowcc.memory.rules.tool_kinds import details_of, refs_of, tags_of
from verifflowcc.memory.rules.turns import Speaker, Turn
from verifflowcc.memory.rules.wishes import Force, frame, wished

# Whether a turn is worth a closer look: signs of code, of an error, of a decision or a rule, of a change.

_CODE_MARKS = re.compile(
    r"```|`[^`\n]{1,80}`|\b\w{1,60}\(\)|\b[a-z]{1,40}_[a-z_]{1,40}\b|\b[\w/]{1,80}\.(?:py|js|ts|go|rs|"
    r"java|md|ya?ml|toml|json|sql|sh)\b"
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_KINDS = (
    re.compile(
        r"(?:function|method|class|variable|argument|parameter|attribute|module|decorator|docstring|"
        r"import|annotation|commit|branch|repository|"
        r"database|api|endpoint|deploy|linter|formatter|ide|test)(?:e?s)?"
    ),
    re.compile(
        r"\w*(?:error|exception)s?|traceback|fail(?:s|ed|ing|ures?)?|crash(?:es|ed)?|bugs?|broken|"
        r"segfault|timeout|panic|regression|"
        r"fix(?:ed|es)?|solved|resolved|workaround"
    ),
    re.compile(
        r"all|every|each|decid\w+|decisions?|agreed?|chose|chosen|settled?|always|never|must|should|shall|needs?|"
        r"requires?|prefer\w*|likes?|wants?|avoid\w*|refrain|"
        r"conventions?|standards?|polic(?:y|ies)|rules?|guidelines?|ensure|please|remember|let's|"
        r"important|recommend\w*|suggest\w*|us(?:e|es|ed|ing)|"
        r"assum\w+|deadline|due|goal|usually|typically|audience|clients?|customers?|target|don't|not|no|"
        r"only|focus|aim|questions?|approver|tone|company|"
        r"teams?|i|i'\w+|my|me|we|we'\w+|our|us|works?|working|with|is|are|loves?|hates?|trying|hopes?|"
        r"plans?|rather|keep|make|stop|be|explain|answer|"
        r"reply|show|call|runs?|lives?|written|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    ),
    re.compile(
        r"instead|longer|switch\w*|chang(?:e[ds]?|ing)|updat(?:e[ds]?|ing)|replac\w+|migrat\w+|"
        r"deprecat\w+|forward|now|henceforth|onwards?|renam\w+|moved|moving|"
        r"drop(?:ped|ping)?|anymore|new"
    ),
)


def signals_of(text: str) -> Signals:
    """Return how often a text shows each sign.

    >>> signals_of("We decided to drop `utils.py`."), signals_of("Good morning!").worth
    (Signals(code=1, error=0, decision=2, change=1), False)
    """
    counts = [sum(1 for _ in _CODE_MARKS.finditer(text)), 0, 0, 0]
    for word in _WORD.findall(text.casefold().replace("’", "'")):
        for kind in _signs_of(word):
            counts[kind] += 1
    return Signals(*counts)


@lru_cache(maxsize=20_000)
def _signs_of(word: str) -> tuple[int, ...]:
    return tuple(place for place, pattern in enumerate(_KINDS) if pattern.fullmatch(word))


# The normal form of a text that is an item already, whoever wrote it, so that new statements can be compared.


def normal_form(text: str, type_name: str) -> tuple[str, str, bool]:
    """Return what a text of a type speaks of, what it says of it, and whether it says that it is not so.

    >>> normal_form("Function names start with `a_`.", "convention")
    ('function-names', 'start:a_', False)
    >>> normal_form("Always use a debugger.", "guideline") == normal_form("use the debugger", "guideline")
    True
    """
    said = sentences(text)
    if not said:
        return "", "", False
    if type_name in PERSONAL_TYPES:
        return personal_form(said[0], type_name)
    if type_name in PROJECT_TYPES - {"decision"}:
        return project_form(said[0], type_name)
    mended = fixes(said[:2]) if type_name == "fix" else {}
    rule = next(iter(mended.values()), None) or _ruled(said)
    if rule:
        return rule.subject, rule.value, rule.negated
    request = asked(said[0])
    if request:
        return request.stated.subject, request.stated.value, request.stated.negated
    if type_name == "decision":
        return project_form(said[0], type_name)
    other = generic(said[0])
    return other.subject, other.value, other.negated


def _ruled(said: list[str]) -> NormalForm | None:
    focus = Focus()
    for sentence in said[:3]:
        found = code_rules(sentence, focus)
        if found:
            return found[0]
        focus.follow(sentence)
    return None


SURE, UNSURE = 600, 500
"""Certainty of the layer below `SURE`, and confidence below `UNSURE`, in thousandths, send an item to the inbox."""
_CODE_CONFIDENCE, _WORDED_CONFIDENCE, _OTHER_CONFIDENCE = 850, 700, 600
_TOLD_CONFIDENCE, _UNSURE_CONFIDENCE, _CHATTER_CONFIDENCE = 700, 450, 400
_USER_NAMES = frozenset({"", "user", "human", "me", "you", "person", "developer", "client"})
_TO_ME = re.compile(
    r"\b(?:(?:answer|reply|respond|talk|speak|explain\w*|show|tell|ask|give|call|"
    r"address)(?: \w+)? (?:to )?me(?! before)|for me|my (?:editor|answers?|preference|preferred|own|"
    r"terminal|shell|screen))\b",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b(?:we|our|us|the (?:project|team|repo|codebase|service|app))\b", re.IGNORECASE)
_TECH = re.compile(
    r"`[^`]+`|'[^'\s]{2,30}'|\b\w+\.(?:py|js|ts|go|rs|md|ya?ml|toml|json|sql|sh)\b|\b\w+_\w+\b|"
    r"\b(?-i:[A-Z]{2,6})\b|\b(?:code|tests?|branch\w*|databases?|APIs?|endpoints?|migrations?|queries|"
    r"schema|package|dependenc\w+|version|deploy\w*|production|staging|logs?|config\w*|build|release|"
    r"repo\w*|modules?|functions?|class(?:es)?|types?|errors?|exceptions?|tabs|spaces|indentation|lines?|"
    r"imports?|commits?|library|server|docker|container|cache|queue|file|folder)\b",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\b(?:(?:in|for|of|on|throughout) (?:this|our|the) (?:project|repo(?:sitory)?|codebase|code|package|"
    r"service|app|docs|team|module|library|branch)|around here|in here|that we\b|generated files)",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:(?:in|for|across) (?:all|any|every|each)(?: of)?(?: my)? (?:projects?|repos?|repositor(?:y|"
    r"ies))|whatever the project|every project|across projects|everywhere|in general,? I|personally)\b",
    re.IGNORECASE,
)
_COMMANDS = re.compile(
    r"^(?:(?:please|and|also|but|so|ok(?:ay)?|then|(?-i:[A-Z])\w+(?=,)),? )*(?:always|never|avoid|stop|"
    r"prefer|no|from now on|going forward|moving forward|in (?:the )?future|henceforth|as of today|"
    r"by default)\b|"
    r"\b(?:you|we|I|everyone|nobody|developers|all \w+|every \w+) (?:should|must|shall|always|never|"
    r"have to|need to|are to|no longer|may not|cannot|can't)\b|"
    r"\b(?:must|should|shall) (?:always|never|not)\b|\bwant you to\b|\bwe(?:'ve| have)? (?:decided|agreed|"
    r"switched|moved|adopted)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"^(?:(?:please|and|also|but|so),? )*(?:don't|do not|never|avoid|stop|(?:I|we) (?:don't|"
    r"do not) want (?:you|anyone|anybody|us))\b",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\b(?:yet|for now|this time|right now|today|just this|at the moment|first)\b", re.IGNORECASE)
_STANDARD = re.compile(
    r"^(?:please )?(?:use|follow|stick to|keep to|respect|apply) [^.]*\b(?:guides?|guidelines?|standards?|"
    r"conventions?|style|template|voice|branding|policy|rules|format|terminology)\b",
    re.IGNORECASE,
)
_RULES = frozenset({"convention", "guideline"})
_PLACED = frozenset({"preference", "work_pattern"})
_WEAKER = frozenset({"decision", "requirement", "fact", "insight", "assumption"})
"""What is told less surely than a rule that is known by name: such a rule goes first."""
_KEPT_WORDS, _MOST_WORDS = 3, 30
_MOST_BEFORE = 3
"""Sentences before its own that an item may have, so that it is understood."""
_POLITE = re.compile(
    r"\b(?:hesitate|reach out|feel free|don't worry|do not worry|no worries|be afraid|let me know|(?:have|"
    r"any) (?:any )?(?:questions|concerns)|thank(?:s| you)|appreciate|pleasure|look(?:ing)? forward|happy to|"
    r"glad|excited|door is|here (?:to|for)|keep up|good luck|welcome)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _TypedStatement:
    """A statement with its type, how sure it is that it is one, and the number of its sentence."""

    type: str
    stated: NormalForm
    confidence: int
    certainty: int
    place: int = 0

    @property
    def form(self) -> tuple[str, str, bool]:
        """Its normal form: subject, value, negated."""
        return self.stated.subject, self.stated.value, self.stated.negated


def extract(turn: Turn) -> Extraction:
    """Return what a turn says that may be worth keeping; nothing where the gate sees no sign.

    The content of a candidate is the sentence as it was written, with those before it that it needs to be understood.
    Of two statements of one key, the later one is what the turn says; what is to be used goes before what is not.
    `ambiguous` where the layer or the rule is unsure.
    """
    signals = signals_of(turn.text)
    if not signals.worth:
        return Extraction(signals, ())
    written = spoken(turn.text)
    newest: dict[tuple[str, str, bool], StatementCandidate] = {}
    for found in _read(written, turn):
        candidate = _candidate(found, turn, written)
        slot = candidate.type, candidate.key, candidate.rewritten
        before = newest.get(slot)
        if before and candidate.negated and not before.negated and before.value != candidate.value:
            continue
        newest.pop(slot, None)
        newest[slot] = candidate
    candidates = tuple(newest.values())
    unsure = any(each.confidence < UNSURE or each.certainty < SURE for each in candidates)
    return Extraction(signals, candidates, ambiguous=unsure)


def statement_of(text: str, type_name: str, key: str = "") -> tuple[str, str, bool]:
    """Return what a text of a type speaks of, what it says of it, and whether it says that it is not so.

    A sentence can make several statements; `key` is that of the one that is meant.

    >>> both = "Start function names with 'a_' and end method names with '_b'."
    >>> statement_of(both, "convention", "method-names.end")
    ('method-names', 'end:_b', False)
    """
    normal = normal_form(text, type_name)
    if not key or key_of(normal[0], normal[1]) == key:
        return normal
    meant = (form for kind, form in forms_in(text) if kind == type_name and key_of(form[0], form[1]) == key)
    return next(meant, normal)


def keys_in(text: str, type_name: str) -> frozenset[str]:
    """Return the keys of the statements of a type that a text makes."""
    return frozenset(key_of(form[0], form[1]) for kind, form in forms_in(text) if kind == type_name)


@lru_cache(maxsize=1024)
def forms_in(text: str) -> tuple[tuple[str, tuple[str, str, bool]], ...]:
    """Return the type and the normal form of each statement of a text, whoever says it."""
    written = spoken(text)
    turns = (Turn("", Speaker.PERSON, text, "", name=name) for name in ("", "Somebody"))
    return tuple(dict.fromkeys((found.type, found.form) for turn in turns for found in _read(written, turn)))


def _read(written: Sequence[Sentence], turn: Turn) -> Iterator[_TypedStatement]:
    """Yield the statements of a turn in their normal forms."""
    for found in _statements([each.plain for each in written], turn):
        stated = found.stated if found.stated.known else _read_back(found)
        if stated.key:
            yield replace(found, stated=stated)


def _statements(written: Sequence[str], turn: Turn) -> Iterator[_TypedStatement]:
    mended = fixes(written)
    focus = Focus()
    for place, sentence in enumerate(written):
        if place in mended:
            yield _TypedStatement("fix", mended[place], 700, 900, place)
        else:
            yield from (replace(found, place=place) for found in _in_sentence(sentence, turn, focus))
        focus.follow(sentence)


def _in_sentence(sentence: str, turn: Turn, focus: Focus) -> Iterator[_TypedStatement]:
    own = turn.name.casefold() in _USER_NAMES
    told = _told(sentence) if own else None
    if told and told.type not in _WEAKER and not (told.type == "preference" and _is_for_code(sentence, focus)):
        yield _as_found(told, sentence)
        return
    rules = _rules(sentence, focus) if speaks_of_rules(sentence) else []
    if rules:
        yield from rules
    elif told and not spoken_decorators(sentence):
        yield _as_found(told, sentence)
    elif wish := _wished(focus.named(sentence), turn, own=own):
        yield wish
    elif own and turn.speaker is Speaker.PERSON:
        yield from _in_other_words(sentence)


def _is_for_code(sentence: str, focus: Focus) -> bool:
    """Say whether a wish is a rule for this project's code: it names what code is to have, and not everywhere."""
    return not _EVERYWHERE.search(sentence) and speaks_of_rules(sentence) and bool(code_rules(sentence, focus))


def _rules(sentence: str, focus: Focus) -> list[_TypedStatement]:
    """Return the rules for code, where the sentence asks for something."""
    if frame(sentence).force is Force.NONE:
        return []
    return [_TypedStatement("convention", each, _CODE_CONFIDENCE, 900) for each in code_rules(sentence, focus)]


def _told(sentence: str) -> PersonalStatement | None:
    """Return what a sentence tells of the person, or else of the project, whose is what is said to hold here."""
    if _POLITE.search(sentence) or len(sentence.split()) > _MOST_WORDS:
        return None
    told = personal(sentence)
    if told and told.type in _PLACED and _HERE.search(sentence) and not _EVERYWHERE.search(sentence):
        told = None
    return told or project(sentence)


def _wished(sentence: str, turn: Turn, *, own: bool) -> _TypedStatement | None:
    """Return the rule that a sentence makes on any topic, where its grammar says what is asked for, and for good."""
    if _POLITE.search(sentence) or _TO_ME.search(sentence):
        return None
    wish = wished(sentence, turn.text, own=own)
    if wish is None:
        return None
    if wish.passing:
        return _TypedStatement("guideline", wish.stated, _UNSURE_CONFIDENCE, 800)
    sure = not own or ((wish.lasting or bool(_TECH.search(sentence))) and not is_chatter(wish.stated.says))
    return _TypedStatement(
        "guideline", wish.stated, _WORDED_CONFIDENCE if sure else _UNSURE_CONFIDENCE, 800 if sure else 550
    )


def _in_other_words(sentence: str) -> Iterator[_TypedStatement]:
    """Yield a rule that is made in words that the rules do not know, with less confidence."""
    if (
        not _KEPT_WORDS <= len(sentence.split()) <= _MOST_WORDS
        or sentence.endswith("?")
        or _ONCE.search(sentence)
        or _POLITE.search(sentence)
    ):
        return
    force = frame(sentence).force
    lasting = force is Force.LASTING and bool(_COMMANDS.search(sentence))
    if lasting or _FORBIDS.search(sentence) or (force >= Force.SAID and _HERE.search(sentence)):
        mine = bool(_TO_ME.search(sentence) or _EVERYWHERE.search(sentence)) and not _OURS.search(sentence)
        sure = (mine or bool(_TECH.search(sentence))) and not is_chatter(sentence)
        kind, confidence = "preference" if mine else "guideline", _OTHER_CONFIDENCE if sure else 450
        yield _TypedStatement(kind, generic(sentence), confidence, 800 if sure else 550)
    elif force is Force.BARE and _STANDARD.search(sentence):
        yield _TypedStatement("guideline", generic(sentence), 450, 800)


def _as_found(told: PersonalStatement, sentence: str) -> _TypedStatement:
    says = sentence.strip()
    says = says[:1].upper() + says[1:]
    stated = NormalForm(told.subject, told.value, told.negated, says, key_of(told.subject, told.value), known=False)
    return _TypedStatement(
        told.type, stated, _CHATTER_CONFIDENCE if is_chatter(sentence) else _TOLD_CONFIDENCE, told.certainty
    )


def _read_back(found: _TypedStatement) -> NormalForm:
    """Return a statement in the form in which its text will be read as an item."""
    subject, value, negated = normal_form(found.stated.says, found.type)
    return replace(found.stated, subject=subject, value=value, negated=negated, key=key_of(subject, value))


def _candidate(found: _TypedStatement, turn: Turn, written: Sequence[Sentence]) -> StatementCandidate:
    stated = found.stated
    kind = item_type(found.type)
    layer: StreamName = "user" if kind.scope == "user" else "project"
    first, alone = _needed(found, turn, written)
    content = quote(turn.text, written[first].start, written[found.place].end)
    whole = " ".join(each.plain for each in written[first : found.place + 1])
    rewritten = not (alone and _is_certain(found, whole))
    title = content.rstrip(".")
    return StatementCandidate(
        layer=layer, type=found.type, key=stated.key, title=title if len(title) <= 80 else f"{title[:79].rstrip()}…",
        content=content, importance=kind.importance,
        confidence=min(found.confidence, _UNSURE_CONFIDENCE) if rewritten else found.confidence,
        certainty=found.certainty, subject=stated.subject, value=stated.value, turn=turn.id, negated=stated.negated,
        refs=refs_of(content), tags=tags_of(content), details=details_of(content), rewritten=rewritten,
    )  # fmt: skip


def _is_certain(found: _TypedStatement, written: str) -> bool:
    """Say whether the form of a statement has the qualifiers of what was said; what is told is kept as it is."""
    stated = found.stated
    if found.type not in _RULES:
        return same_words(written, stated.says) or keeps(written, stated.says)
    return keeps(written, stated.says) and agrees(written, negated=stated.negated)


def _needed(found: _TypedStatement, turn: Turn, written: Sequence[Sentence]) -> tuple[int, bool]:
    """Return the number of the first sentence from which on a statement is understood, and whether there is one.

    `Start them with 'a_'.` needs the sentence that says what they are.
    """
    for first in range(found.place, max(found.place - _MOST_BEFORE, 0) - 1, -1):
        text = turn.text[written[first].start : written[found.place].end]
        if len(text) > LONGEST or (first < found.place and not follows(turn.text, written[first], written[first + 1])):
            break
        if statement_of(text, found.type, found.stated.key) == found.form:
            return first, True
    return found.place, False
