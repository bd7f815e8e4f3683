"""A turn as what it says that may be worth keeping. Nothing is carried from one turn to the next."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from verifflowcc.base.model.item_values import item_type
from verifflowcc.base.records import dataclass, replace
from verifflowcc.memory.rules import exchanges
from verifflowcc.memory.rules.candidates import BEFORE, Extraction, StatementCandidate, StreamName, signals_of
from verifflowcc.memory.rules.clauses import asked
from verifflowcc.memory.rules.code_names import NormalForm, is_name, key_of
from verifflowcc.memory.rules.constructs import spoken_decorators
from verifflowcc.memory.rules.exchanges import LEFT_OUT, Opened
from verifflowcc.memory.rules.generic_form import fixes, generic
from verifflowcc.memory.rules.personal_statements import PERSONAL_TYPES, PersonalStatement, personal, personal_form
from verifflowcc.memory.rules.plain_demands import PEOPLE, Plain, corrects, is_private, is_task, is_wanted_once, plainly
from verifflowcc.memory.rules.project_statements import PROJECT_TYPES, project, project_form
from verifflowcc.memory.rules.qualifiers import agrees, keeps, opened, qualifiers, same_words, says_all
from verifflowcc.memory.rules.rule_statements import Focus, code_rules, speaks_of_rules
from verifflowcc.memory.rules.sentence_doubt import SentenceTrust, trigger_detail, verdict
from verifflowcc.memory.rules.sentences import LONGEST, Sentence, follows, is_chatter, quote, sentences, spoken
from verifflowcc.memory.rules.subject_words import (
    ABOUT_ANSWERS,
    ABOUT_THE_USER,
    BINDS,
    COMMANDS,
    EVERYWHERE,
    EXCLAIMED,
    FORBIDS,
    HERE,
    HOW,
    IS_DUE,
    IS_QUESTION,
    NOT_USED,
    OF_IT,
    ONCE,
    ONE_TASK,
    OURS,
    POLITE,
    ROLE,
    STANDARD,
    TECH,
    TO_ME,
    TO_WORK,
    WORK,
    unread_language,
)
from verifflowcc.memory.rules.tool_kinds import details_of, kind_of, refs_of, tags_of, word_for
from verifflowcc.memory.rules.turns import Speaker, Turn, writes_alone
from verifflowcc.memory.rules.wishes import Force, aims, frame, introduced, lasts, wished

# The normal form of a text that is an item already, whoever wrote it, so that new statements can be compared.


def normal_form(text: str, type_name: str) -> tuple[str, str, bool]:
    """Return what a text of a type speaks of, what it says of it, and whether it says that it is not so.

    >>> normal_form("Function names start with `a_`.", "convention")
    ('function-names', 'start:a_', False)
    >>> normal_form("Always use a debugger.", "guideline") == normal_form("use the debugger", "guideline")
    True
    """
    spoken = [opened(each) for each in sentences(text)]
    if not spoken:
        return "", "", False
    ask = ""
    if new := exchanges.short_for(spoken[-2], spoken[-1]) if len(spoken) > 1 else "":
        spoken = [new]
    elif LEFT_OUT in text and (ask := exchanges.promised(spoken[-1])):
        spoken = [ask, *spoken[:-1]]
    if type_name in PERSONAL_TYPES:
        return personal_form(spoken[0], type_name)
    if type_name in PROJECT_TYPES - {"decision"}:
        return project_form(spoken[0], type_name)
    mended = fixes(spoken[:2]) if type_name == "fix" else {}
    rule = next(iter(mended.values()), None) or _ruled([*spoken[1:], spoken[0]] if ask else spoken)
    if rule:
        return rule.subject, rule.value, rule.negated
    request = asked(spoken[0])
    if request:
        return request.stated.subject, request.stated.value, request.stated.negated
    if type_name == "decision":
        return project_form(spoken[0], type_name)
    other = generic(spoken[0])
    return other.subject, other.value, other.negated


def _ruled(spoken: list[str]) -> NormalForm | None:
    focus = Focus()
    for sentence in spoken[:3]:
        found = code_rules(sentence, focus)
        if found:
            return found[0]
        focus.follow(sentence)
    return None


SURE, UNSURE = 600, 500
"""Certainty of the layer below `SURE`, and confidence below `UNSURE`, in thousandths, send an item to the inbox."""
_CODE_CONFIDENCE, _WORDED_CONFIDENCE, _OTHER_CONFIDENCE = 850, 700, 600
_PLAIN_CONFIDENCE, _UNSURE_CONFIDENCE, _CHATTER_CONFIDENCE = 700, 450, 400
_RULES = frozenset({"convention", "guideline"})
_OF_PROJECT = frozenset({"guideline", "decision", "fact"})
_PLACED = frozenset({"preference", "work_pattern"})
_WEAKER = frozenset({"decision", "requirement", "fact", "insight", "assumption"})
"""Statements in general words are less sure than a rule that is known by name: such a rule goes first."""
_READ_BETTER = frozenset({"convention", "fix", "assumption", "question", "insight"})
"""Types that the rules read more closely than plain grammar does."""
_ITS_OWN = ABOUT_THE_USER | _READ_BETTER | {"requirement"}
_TASK_TYPES = frozenset({"convention", "communication_style"})
_KEPT_WORDS, _MOST_WORDS = 3, 30
_MOST_OF_BRIEF, _MOST_BEFORE = 20, 3
"""Words of a brief turn. Sentences before its own that an item may have, so that it is understood."""


@dataclass(frozen=True, slots=True)
class _TypedStatement:
    """A statement with its type, how sure it is that it is one, and the number of its sentence."""

    type: str
    stated: NormalForm
    confidence: int
    certainty: int
    place: int = 0
    plain: bool = False
    corrects: bool = False
    after: Opened | None = None
    """The sentence of an earlier turn by which it is understood: what it points at, what is promised or answered."""
    meant: str = ""
    """The sentence that it is short for, where it is a promise or an answer."""

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
    own = turn.speaker is Speaker.PERSON and writes_alone(turn.name)
    read = own or (turn.speaker is Speaker.PERSON and (_is_brief(turn) or exchanges.question_before(turn)))
    if not (signals.worth or read):
        return Extraction(signals, (), language=unread_language(turn.text))
    if unread := unread_language(turn.text):
        return Extraction(signals, (), ambiguous=True, language=unread)
    written = spoken(turn.text)
    newest: dict[tuple[str, str, bool], StatementCandidate] = {}
    for found in _read(written, turn):
        candidate = _candidate(found, turn, written)
        slot = candidate.type, candidate.key, candidate.rewritten
        before = newest.get(slot)
        if before and candidate.negated and not before.negated and before.value != candidate.value:
            continue
        if (
            before
            and (before.value, before.negated) == (candidate.value, candidate.negated)
            and (len(before.content) > len(candidate.content) or before.content in candidate.content)
        ):
            continue
        newest.pop(slot, None)
        newest[slot] = candidate
    candidates = tuple(newest.values())
    return Extraction(signals, candidates, ambiguous=not all(map(_is_sure, candidates)))


def _is_sure(candidate: StatementCandidate) -> bool:
    return candidate.confidence >= UNSURE and candidate.certainty >= SURE


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
    """Return type and normal form of each statement of a text, for any speaker."""
    written = spoken(text)
    turns = (Turn("", Speaker.PERSON, text, "", name=name) for name in ("", "Somebody"))
    return tuple(dict.fromkeys((found.type, found.form) for turn in turns for found in _read(written, turn)))


def _read(written: Sequence[Sentence], turn: Turn) -> Iterator[_TypedStatement]:
    """Yield the statements of a turn in their normal forms."""
    for found in (*_statements([each.plain for each in written], turn), *_promises(written, turn)):
        stated = found.stated if found.stated.known else _read_back(found)
        if stated.key:
            yield replace(found, stated=stated)


def _statements(written: Sequence[str], turn: Turn) -> Iterator[_TypedStatement]:
    mended = fixes(written)
    focus = Focus()
    for place, sentence in enumerate(written):
        if meant := [each for each in (_answer(written, place, turn),) if each] or _changed(written, place, turn):
            yield from (replace(found, place=place) for found in meant)
        elif place in mended and HOW.search(mended[place].says):
            yield _TypedStatement("fix", mended[place], 700, 900, place)
        else:
            yield from (replace(found, place=place) for found in _in_sentence(sentence, turn, focus))
        focus.follow(sentence)


def _answer(written: Sequence[str], place: int, turn: Turn) -> _TypedStatement | None:
    """Return what a sentence asks for as the answer to the question before it, its own or another person's."""
    question = Opened(written[place - 1], turn.id) if place else exchanges.question_before(turn)
    says = exchanges.answered(question.says, written[place]) if question and turn.speaker is Speaker.PERSON else ""
    request = asked(says) if says else None
    if question is None or request is None or not request.sure:
        return None
    sure = exchanges.for_all(f"{question.says} {written[place]}", request.stated.value) and not qualifiers(
        question.says
    )
    confidence = _WORDED_CONFIDENCE if sure else _UNSURE_CONFIDENCE
    after = None if place else question
    return _TypedStatement("guideline", request.stated, confidence, 800, after=after, meant=says)


def _changed(written: Sequence[str], place: int, turn: Turn) -> list[_TypedStatement]:
    """Return what a statement is after a change of its value: `Change that to 60.`"""
    if not exchanges.changes(written[place]):
        return []
    for old, after in exchanges.before_it(written, place, turn):
        new, alone = exchanges.changed(old, written[place]), replace(turn, before=())
        keys = {found.stated.key for found in _in_sentence(old, alone, Focus())} if new else ()
        found = [each for each in _in_sentence(new, alone, Focus()) if each.stated.key in keys] if keys else []
        if found:
            return [replace(each, after=after, meant=new) for each in found]
    return []


def _promises(written: Sequence[Sentence], turn: Turn) -> Iterator[_TypedStatement]:
    """Yield what a person promises to keep to, where another asked for it in words that no rule was read from."""
    for place, sentence in enumerate(written):
        ask = exchanges.promised(sentence.plain) if turn.before and turn.speaker is Speaker.PERSON else ""
        if not ask:
            continue
        focus = Focus()
        for piece in exchanges.decorator_before(turn):
            focus.follow(piece)
        wish = None if (rules := _rules(ask, focus)) else _wished(ask, turn, own=False)
        for found in rules or ([wish] if wish else []):
            subject = found.stated.subject if found.stated.value == "use" else found.stated.value
            if focus.decorator and "@" not in ask and subject.startswith("decorator-"):
                subject = focus.decorator.partition(" ")[0]
            asked_for = exchanges.asked_before(turn, subject)
            if asked_for and not _is_read(asked_for, turn):
                yield replace(found, place=place, after=asked_for, meant=ask)


def _is_read(sentence: Opened, turn: Turn) -> bool:
    """Say whether a rule was surely read from a sentence of an earlier turn."""
    read = [each for before in turn.before if before.id == sentence.turn for each in extract(before).candidates]
    return any(_is_sure(each) and sentence.says in each.content for each in read)


def _in_sentence(sentence: str, turn: Turn, focus: Focus) -> Iterator[_TypedStatement]:
    sentence = opened(sentence)
    if turn.speaker is Speaker.PERSON and writes_alone(turn.name):
        yield from _in_own_words(sentence, turn, focus)
        return
    found = list(_as_asked(sentence, turn, focus))
    yield from found
    if not found and turn.speaker is Speaker.PERSON:
        brief = _is_brief(turn)
        for other in _in_own_words(sentence, replace(turn, name=""), focus):
            if other.plain and not aims(sentence) and (brief or other.confidence >= UNSURE):
                sure = brief or (BINDS.search(sentence) and not is_chatter(sentence))
                yield replace(other, confidence=other.confidence if sure else _UNSURE_CONFIDENCE)


def _is_brief(turn: Turn) -> bool:
    """Say whether a turn states something and does not talk: in long turns between people, most is talk."""
    return len(turn.text.split()) <= _MOST_OF_BRIEF


def _in_own_words(sentence: str, turn: Turn, focus: Focus) -> Iterator[_TypedStatement]:
    """Yield what the user states; a statement that is not surely meant as it reads is proposed, or left out."""
    how = verdict(sentence)
    if how is SentenceTrust.NOTHING:
        return
    stated = list(_stated(sentence, turn, focus, how))
    yield from stated
    if not stated and (other := corrects(sentence)):
        sure = other.sure and how is SentenceTrust.CLEAR
        yield replace(_plain_found(other, sentence), confidence=_PLAIN_CONFIDENCE if sure else _UNSURE_CONFIDENCE)


def _stated(sentence: str, turn: Turn, focus: Focus, how: SentenceTrust) -> Iterator[_TypedStatement]:
    """Yield what a sentence states by itself, whatever was so before."""
    plain = plainly(sentence)
    found = [each for each in _as_asked(sentence, turn, focus) if _is_work(each, sentence)]
    if plain and _goes_first(plain, found, sentence):
        found = [_plain_found(plain, sentence)]
    for each in found:
        backed = each.plain or plain is not None or each.type in _ITS_OWN
        if not backed and each.type in _OF_PROJECT and is_private(sentence):
            continue
        if (not backed and not _is_kept(each, sentence, how)) or _is_passing(each, sentence):
            continue
        confidence = _PLAIN_CONFIDENCE if each.type == "business_fact" and ROLE.match(sentence) else each.confidence
        if each.type == "requirement":
            sure = plain.sure if plain else each.stated.subject != "deadline" or bool(IS_DUE.search(sentence))
        elif plain and each.type not in _ITS_OWN:
            sure = plain.sure
        else:
            sure = backed or confidence >= UNSURE
        sure = sure and how is SentenceTrust.CLEAR
        yield replace(each, confidence=confidence if sure else min(confidence, _UNSURE_CONFIDENCE))


def _is_passing(found: _TypedStatement, sentence: str) -> bool:
    """Say whether a statement is of a thing that was spoken of before it, or a task."""
    if found.type == "requirement":
        return bool(OF_IT.match(sentence) or is_wanted_once(sentence))
    return found.type in _TASK_TYPES and bool(ONE_TASK.search(sentence))


def _is_kept(found: _TypedStatement, sentence: str, how: SentenceTrust) -> bool:
    """Say whether a statement is kept that plain grammar does not know: a rule of surely known form, or a "
    "limited one."""
    if found.type == "fact" or is_task(sentence):
        return False
    return found.confidence >= UNSURE or how is SentenceTrust.WAITS or bool(TECH.search(sentence))


def _goes_first(plain: Plain, found: Sequence[_TypedStatement], sentence: str) -> bool:
    """Say whether a statement in plain grammar is meant, and not what the other rules read in its sentence."""
    kinds = {each.type for each in found}
    if "relationship" in kinds and plain.type == "fact" and re.match(r"(?:the|our) ", sentence, re.IGNORECASE):
        return True
    if plain.type == "communication_style":
        return True
    if kinds == {"preference"} and re.match(r"(?:please )?(?:prefer|favou?r) ", sentence, re.IGNORECASE):
        return not ABOUT_ANSWERS.search(sentence)
    if kinds & ABOUT_THE_USER:
        return "communication_style" in kinds and not ABOUT_ANSWERS.search(sentence) and bool(TECH.search(sentence))
    if "requirement" in kinds and found[0].stated.subject == "deadline":
        return sentence.casefold().lstrip("the our").startswith("deadline")
    return not kinds & _READ_BETTER and not spoken_decorators(sentence)


def _plain_found(plain: Plain, sentence: str) -> _TypedStatement:
    says = sentence.strip()
    form = normal_form(says, plain.type)
    stated = NormalForm(*form, says[:1].upper() + says[1:], key_of(form[0], form[1]), known=False)
    return _TypedStatement(plain.type, stated, _WORDED_CONFIDENCE, 800, plain=True, corrects=plain.corrects)


def _is_work(found: _TypedStatement, sentence: str) -> bool:
    """Return whether a personal statement is about work, not about private life."""
    if found.type == "fix" and not HOW.search(sentence):
        return False
    if found.type == "constraint" and EXCLAIMED.search(sentence):
        return False
    if found.type not in {"work_pattern", "preference", "goal"} or sentence.startswith("We "):
        return True
    known = any(kind_of(each.casefold().strip(".,")) for each in sentence.split())
    if PEOPLE.search(sentence) and not (TECH.search(sentence) or ABOUT_ANSWERS.search(sentence)):
        return False
    return known or bool(
        WORK.search(TO_WORK.sub("", sentence)) or TECH.search(sentence) or ABOUT_ANSWERS.search(sentence)
    )


def _as_asked(sentence: str, turn: Turn, focus: Focus) -> Iterator[_TypedStatement]:
    """Yield what the rules for each kind of statement read in a sentence."""
    own = writes_alone(turn.name)
    statement = _personal_or_project(sentence) if own and not IS_QUESTION.match(sentence) else None
    if statement and statement.type == "fact" and plainly(sentence) is None:
        statement = None
    if (
        statement
        and statement.type not in _WEAKER
        and not (statement.type == "preference" and _is_for_code(sentence, focus))
    ):
        yield _as_found(statement, sentence)
        return
    rules = _rules(sentence, focus) if speaks_of_rules(sentence) else []
    if rules:
        yield from rules
    elif statement and not spoken_decorators(sentence):
        yield _as_found(statement, sentence)
    elif wish := _wished(focus.named(sentence), turn, own=own) or _pointing(sentence, turn, own=own):
        yield wish
    elif tool := introduced(sentence):
        yield _TypedStatement("guideline", tool, _WORDED_CONFIDENCE, 800)
    elif own and turn.speaker is Speaker.PERSON:
        yield from _in_other_words(sentence)


def _is_for_code(sentence: str, focus: Focus) -> bool:
    """Say whether a wish is a rule for this project's code: it names what code is to have, and not everywhere."""
    return not EVERYWHERE.search(sentence) and speaks_of_rules(sentence) and bool(code_rules(sentence, focus))


def _rules(sentence: str, focus: Focus) -> list[_TypedStatement]:
    """Return the rules for code, where the sentence asks for something."""
    if frame(sentence).force is Force.NONE:
        return []
    return [_TypedStatement("convention", each, _CODE_CONFIDENCE, 900) for each in code_rules(sentence, focus)]


def _personal_or_project(sentence: str) -> PersonalStatement | None:
    """Return the statement of a sentence about the person, or else about the project."""
    if POLITE.search(sentence) or len(sentence.split()) > _MOST_WORDS:
        return None
    statement = personal(sentence)
    if statement and statement.type in _PLACED and HERE.search(sentence) and not EVERYWHERE.search(sentence):
        statement = None
    return statement or project(sentence)


def _wished(sentence: str, turn: Turn, *, own: bool) -> _TypedStatement | None:
    """Return the rule that a sentence makes on any topic, where its grammar says what is asked for, and for good."""
    to_all = sentence if own else sentence[frame(sentence).start :].replace(" my ", " our ")
    if POLITE.search(to_all) or TO_ME.search(to_all):
        return None
    wish = wished(sentence, turn.text, own=own)
    if wish is None:
        return None
    is_deed = wish.stated.value == "do" and not wish.stated.negated and not lasts(sentence)
    if wish.passing or (is_deed and not (own or _is_brief(turn))):
        return _TypedStatement("guideline", wish.stated, _UNSURE_CONFIDENCE, 800)
    plain = not own or ((wish.lasting or bool(TECH.search(sentence))) and not is_chatter(wish.stated.says))
    sure = plain and not (wish.stated.negated and " without " in sentence)  # what it forbids may be what is missing
    return _TypedStatement(
        "guideline", wish.stated, _WORDED_CONFIDENCE if sure else _UNSURE_CONFIDENCE, 800 if sure else 550
    )


def _pointing(sentence: str, turn: Turn, *, own: bool) -> _TypedStatement | None:
    """Return the rule of a sentence whose pronoun points at what the turns before it spoke of."""
    found = exchanges.topic_before(turn) if turn.before and exchanges.points(sentence) else None
    wish = _wished(exchanges.pointed(sentence, found[0]), turn, own=own) if found else None
    return replace(wish, after=found[1]) if wish and found else None


def _in_other_words(sentence: str) -> Iterator[_TypedStatement]:
    """Yield a rule that is made in words that the rules do not know, with less confidence."""
    if (
        not _KEPT_WORDS <= len(sentence.split()) <= _MOST_WORDS
        or sentence.endswith("?")
        or ONCE.search(sentence)
        or POLITE.search(sentence)
    ):
        return
    force = frame(sentence).force
    lasting = force is Force.LASTING and bool(COMMANDS.search(sentence))
    if lasting or FORBIDS.search(sentence) or (force >= Force.WORDED and HERE.search(sentence)):
        mine = bool(TO_ME.search(sentence) or EVERYWHERE.search(sentence)) and not OURS.search(sentence)
        sure = (mine or bool(TECH.search(sentence))) and not is_chatter(sentence)
        kind, confidence = "preference" if mine else "guideline", _OTHER_CONFIDENCE if sure else 450
        yield _TypedStatement(kind, generic(sentence), confidence, 800 if sure else 550)
    elif force is Force.BARE and STANDARD.search(sentence):
        yield _TypedStatement("guideline", generic(sentence), 450, 800)


def _as_found(statement: PersonalStatement, sentence: str) -> _TypedStatement:
    says = sentence.strip()[:1].upper() + sentence.strip()[1:]
    stated = NormalForm(
        statement.subject,
        statement.value,
        statement.negated,
        says,
        key_of(statement.subject, statement.value),
        known=False,
    )
    return _TypedStatement(
        statement.type, stated, _CHATTER_CONFIDENCE if is_chatter(sentence) else _PLAIN_CONFIDENCE, statement.certainty
    )


def _read_back(found: _TypedStatement) -> NormalForm:
    """Return a statement in the form in which its text will be read as an item."""
    subject, value, negated = normal_form(found.stated.says, found.type)
    return replace(found.stated, subject=subject, value=value, negated=negated, key=key_of(subject, value))


def _candidate(found: _TypedStatement, turn: Turn, written: Sequence[Sentence]) -> StatementCandidate:
    stated = found.stated
    kind = item_type(found.type)
    layer: StreamName = "user" if kind.scope == "user" else "project"
    first, alone = (found.place, True) if found.after else _needed(found, turn, written)
    content, details = _with_subject(found, turn, written, first)
    whole = " ".join(each.plain for each in written[first : found.place + 1])
    pointed_at = found.after and not found.meant
    alone = alone and not (pointed_at and statement_of(content, found.type, stated.key) != found.form)
    rewritten = not (alone and _is_certain(found, found.meant or whole, turn))
    own = quote(turn.text, written[first].start, written[found.place].end)
    title = own.rstrip(".")
    return StatementCandidate(
        layer=layer, type=found.type, key=stated.key, title=title if len(title) <= 80 else f"{title[:79].rstrip()}…",
        content=content, importance=kind.importance,
        confidence=min(found.confidence, _UNSURE_CONFIDENCE) if rewritten else found.confidence,
        certainty=found.certainty, subject=stated.subject, value=stated.value, turn=turn.id, negated=stated.negated,
        refs=refs_of(content), tags=tags_of(content), details=(*details_of(content), *trigger_detail(own), *details),
        rewritten=rewritten, corrects=found.corrects,
    )  # fmt: skip


def _with_subject(
    found: _TypedStatement, turn: Turn, written: Sequence[Sentence], first: int
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a rule's own sentences with the one that names what they are of, or what the thing is that they name."""
    own = quote(turn.text, written[first].start, written[found.place].end)
    if found.after:
        return f"{found.after.says}{LEFT_OUT}{own}", ((BEFORE, found.after.turn),)
    if found.type != "guideline":
        return own, ()
    for content, details in _with_next(found, turn, written, first, own):
        if len(content) <= LONGEST and statement_of(content, found.type, found.stated.key) == found.form:
            return content, details
    return own, ()


def _with_next(
    found: _TypedStatement, turn: Turn, written: Sequence[Sentence], first: int, own: str
) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield a rule's sentences with others that say what it leaves open, best first."""
    after = found.place + 1
    kind = found.stated.subject if kind_of(found.stated.value) and not word_for(found.stated.subject, own) else ""
    if after < len(written) and follows(turn.text, written[found.place], written[after]):
        following, use = written[after].plain, found.stated.value == "use"
        name = (found.stated.subject if use else found.stated.value).capitalize()
        named = not kind_of(found.stated.value) and is_name(name) and name in own
        if set(qualifiers(following)) <= {"permission"} and (
            word_for(kind, following) if kind else named and exchanges.defines(following)
        ):
            yield quote(turn.text, written[first].start, written[after].end), ()
    for subject in (exchanges.kind_before(turn, first, kind) if kind else None, exchanges.subject_of(turn, first)):
        if subject is None or not (kind or exchanges.adds(subject.says, own, found.stated.subject)):
            continue
        if 0 <= subject.place == first - 1 and follows(turn.text, written[first - 1], written[first]):
            yield quote(turn.text, written[first - 1].start, written[found.place].end), ()
        else:
            yield f"{subject.says}{LEFT_OUT}{own}", () if subject.turn == turn.id else ((BEFORE, subject.turn),)


def _is_certain(found: _TypedStatement, written: str, turn: Turn) -> bool:
    """Return whether the form of a statement keeps its qualifiers."""
    stated = found.stated
    own = turn.speaker is Speaker.PERSON and writes_alone(turn.name)
    if found.plain or (own and verdict(written) is not SentenceTrust.CLEAR):
        return verdict(written) is SentenceTrust.CLEAR and (
            found.type not in _RULES or agrees(written, negated=stated.negated)
        )
    if found.type not in _RULES:
        return same_words(written, stated.says) or keeps(written, stated.says)
    if own and NOT_USED.match(written) and says_all(written, negated=stated.negated):
        return True
    if not own and (says_all(written, negated=stated.negated) or _says_at_last(written, negated=stated.negated)):
        return True
    return keeps(written, stated.says) and agrees(written, negated=stated.negated)


def _says_at_last(written: str, *, negated: bool) -> bool:
    """Say whether a statement is certain behind sentences that only name what it is of."""
    found = re.match(r"(?P<before>.+[.!?])\s+(?P<last>[^.!?]+[.!]?)$", written, re.DOTALL)
    if not found or not says_all(found["last"], negated=negated):
        return False
    before = re.sub(r"\bremember (?:when|how|that)\b[^.!?]+\?", "", found["before"], flags=re.IGNORECASE)
    return set(qualifiers(before)) <= ({"negation"} if negated else set())


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
