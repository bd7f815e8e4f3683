"""What the dialogues of memorycode say that was taught: the instructions of each session, and the rules in force.

How it is decided that an item says what a gold rule says, from the two texts alone, without the extractor's own forms:

- A rule for code: the item names the same kind of thing (a function argument is not a function), makes the same demand
  (to start, to end, to include, a digit, a case, the decorator, the module, the construct), with the same letters.
- Any other instruction: the item has every word by which this wording differs from the others of its topic (`Vim`,
  not `Emacs`; `50`, not `60`), at least half of the words that they share, and says yes where the rule says yes.

Words are compared in lower case without endings; numbers as figures; a few plain synonyms are one word.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_NO = re.compile(
    r"\b(?:never|not|don't|won't|avoid(?:ing)?|stop(?:ping)?|no longer|without|refrain(?:ing)?|no|ditch(?:ing)?|"
    r"disregard(?:ing)?|discontinu(?:e|ing)|(?:steer(?:ing)?|stay(?:ing)?) (?:clear|away)|"
    r"(?:advise|recommend)(?:ing)?(?: you)? against)\b",
    re.IGNORECASE,
)
"""Items are verbatim, so that a rule of what is not to be used has all the verbs by which people say so."""
_NOT_DENIED = re.compile(
    r"even if[^,.;:]*|(?:don't|do not) forget|instead of \S+|rather than \S+|"
    r"\b(?:no|not) (?:more|less|fewer|later|earlier) than\b|\bno matter\b|\bwithout (?:fail|exception)\b",
    re.IGNORECASE,
)
"""Items are sentences as people write them: a concession (`even if you don't need it`) or a limit denies nothing."""
_ARGUMENT = re.compile(r"\b(?:function|method)s?'?s?[ -](?:arguments?|parameters?)\b", re.IGNORECASE)
"""A function's argument is no function; an item of several rules can name both."""
_BEGINS = re.compile(
    r"\b(?:start|begin)(?:s|ing)? (?:to (?=\w)|(?=(?:us|incorporat|includ|add|utiliz|writ|implement)\w*ing\b))", re.I
)
"""To start doing something is to do it: `start including 'chx'` demands no beginning."""
_LETTERS = re.compile(r"['\"`](@?[\w.]+)['\"`]|(?<!\w)(@\w+|\w{1,3}_|_\w{1,3})(?!\w)")
_SAME = dict(
    pair.split(":")
    for pair in (
        "parameter:argument begin:start prefix:start suffix:end finish:end contain:include incorporate:include "
        "incorporat:include annotated:annotation commented:comment task:work workstation:work workspace:work "
        "interaction:communication discussion:communication conversation:communication "
        "assertion:assert hint:annotation annotate:annotation once:1 twice:2 one:1 two:2 three:3 single:1 seven:7 "
        "minimum:least commenting:comment pipeline:pipelines multiple:3 dual:2 macos:macbook mac:macbook "
        "machine:computer"
    ).split()
)
_EMPTY = frozenset(
    "a an the as for to of in on at by with and or is are be it if even not never always alway use using used do does "
    "their your our preferred main when per instead but only don't go time times make set up no".split()
)
_THINGS = ("argument", "function", "method", "attribute", "variable", "class")
_DEMANDS = (
    "start",
    "end",
    "digit",
    "decorator",
    "import",
    "annotation",
    "docstring",
    "comment",
    "try",
    "assert",
    "include",
)


@dataclass(frozen=True)
class Rule:
    """A gold rule: its topic (what updates of it have in common), its text, the texts that the topic can have."""

    topic: int
    text: str
    versions: tuple[str, ...]
    code: bool


@dataclass(frozen=True)
class Session:
    """One session of a dialogue: its text and what was taught in it."""

    text: str
    taught: tuple[Rule, ...]


@dataclass(frozen=True)
class Dialogue:
    """A dialogue of several sessions; `in_force` are the rules that hold after the last."""

    name: str
    sessions: tuple[Session, ...]
    in_force: tuple[Rule, ...]


def dialogues(data: Path, split: str) -> list[Dialogue]:
    """Return the dialogues by number: every second from the first on for `tune`, the others for `report`."""
    files = sorted((data / "dataset").glob("*.json"), key=lambda file: int(re.sub(r"\D", "", file.stem)))
    chosen = {"tune": files[::2], "report": files[1::2], "all": files}[split]
    topics = json.loads((data / "topics.json").read_text(encoding="utf-8"))
    known = {
        text: Rule(each["id"], text, tuple(each["text"]), kind == "instructions")
        for kind in ("instructions", "fillers_instruction")
        for each in topics[kind]
        for text in each["text"]
    }
    return [_dialogue(file, known) for file in chosen]


def _dialogue(file: Path, known: dict[str, Rule]) -> Dialogue:
    content = json.loads(file.read_text(encoding="utf-8"))
    sessions = []
    holding: dict[int, Rule] = {}
    for each in content["sessions"]:
        taught = tuple(
            known[topic] for topic, kind in zip(each["topic"], each["type"], strict=True) if "instruction" in kind
        )
        holding |= {rule.topic: rule for rule in taught}
        sessions.append(Session(each["text"], taught))
    coding = sum(rule.code for rule in holding.values())
    history = len(content["sessions"][-1]["history_regex"])
    if coding != history:
        raise SystemExit(f"{file}: {coding} rules for code hold by the topics, {history} by history_regex")
    return Dialogue(file.stem, tuple(sessions), tuple(holding.values()))


def _plain(text: str) -> str:
    """Return a gold text that names what to use in the place of something as what to use."""
    return re.sub(r"never use .* but (use .*) instead", r"\1", text)


def _without_when(text: str) -> str:
    """Return a gold text without the work that it is of: the dialogues often leave that to the talk around it."""
    return re.sub(r"\bwhen \w+ing\b.*", "", text)


def says(item: str, rule: Rule) -> bool:
    """Say whether an item's text names the same object and the same demand as a gold rule."""
    same = _same_code(item, rule.text) if rule.code else _same_habit(item, rule)
    return same and _denies(item) == _denies(_plain(rule.text))


@lru_cache(maxsize=100_000)
def _denies(text: str) -> bool:
    return bool(_NO.search(_NOT_DENIED.sub("", text)))


@lru_cache(maxsize=100_000)
def _words(text: str) -> frozenset[str]:
    found = set()
    folded = text.casefold().replace("copilot", "copilot ").replace("vcs", "version control system")
    folded = re.sub(r"\b(?:multiple|at least three)\b", "three or more", folded)
    for word in re.findall(r"[a-z0-9/]+", folded):
        plain = word
        for ending in ("ations", "ing", "s"):
            if len(plain) > len(ending) + 2 and plain.endswith(ending) and not plain.endswith(("ss", "string")):
                plain = plain.removesuffix(ending) + ("ation" if ending == "ations" else "")
                break
        found.add(_SAME.get(plain, plain))
    return frozenset(found)


def _thing(text: str) -> frozenset[str]:
    words = _words(_ARGUMENT.sub("argument", _LETTERS.sub(" ", text)))
    named = [
        thing
        for thing in _THINGS
        if thing in words or f"{thing}es" in words or (thing == "class" and "classe" in words)
    ]
    return frozenset(named)


def _demand(text: str) -> frozenset[str]:
    words = _words(_LETTERS.sub(" ", _BEGINS.sub(" ", text)))
    found = [each for each in _DEMANDS if each in words]
    case = [each for each in ("uppercase", "camelcase", "snake") if each in text.casefold().replace("_case", " ")]
    strong = [each for each in found if each != "include"] + case
    if not (strong or found) and "string" in words:
        return frozenset({"include"})
    return frozenset(strong or found)


@lru_cache(maxsize=100_000)
def _letters(text: str) -> frozenset[str]:
    return frozenset((one or two).strip("@.") for one, two in _LETTERS.findall(text)) - {"pedantic"}


@lru_cache(maxsize=200_000)
def _code_parts(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return _thing(text), _demand(text), _letters(text)


def _same_code(item: str, gold: str) -> bool:
    (things, demand, letters), (gold_things, gold_demand, gold_letters) = _code_parts(item), _code_parts(gold)
    if "include" in _words(item):  # a sentence of two rules starts one name, and includes something in another
        demand |= {"include"}
    return gold_letters <= letters and gold_things <= things and gold_demand <= demand


def _same_habit(item: str, rule: Rule) -> bool:
    words, shared, own = _words(item), _shared(rule.versions), _own(rule)
    return own <= words and len(shared & words) * 2 >= len(shared)


@lru_cache(maxsize=10_000)
def _shared(versions: tuple[str, ...]) -> frozenset[str]:
    return frozenset.intersection(*(_words(_without_when(_plain(each))) for each in versions)) - _EMPTY


@lru_cache(maxsize=10_000)
def _own(rule: Rule) -> frozenset[str]:
    shared = _shared(rule.versions)
    words = _words(_without_when(_plain(rule.text))) - _EMPTY
    if _denies(_plain(rule.text)):
        return frozenset()
    return words - shared - {"week", "most", "take", "day"}


def matching(item: str, rules: Sequence[Rule]) -> list[Rule]:
    """Return the gold rules that an item says."""
    return [rule for rule in rules if says(item, rule)]
