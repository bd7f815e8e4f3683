"""What a sentence takes back: `we moved from X to Y`, `we dropped X`, `Y instead of X`, `actually, it is Y`.

Such a sentence has another subject than the statement that it ends. It is found by what both speak of: by its object,
or because it denies the same words. Where that
is certain, the new statement replaces the old one; else a person is asked.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from verifflowcc.base.records import dataclass, replace
from verifflowcc.memory.rules.fact_statements import NUMBER_WORDS, PLURAL_VERBS, VERBS, declared
from verifflowcc.memory.rules.qualifiers import AFTER_NO_VERB, addressed, opened, root, roots
from verifflowcc.memory.rules.subject_words import ADDITIVE

_GONE = (
    r"dropp?(?:ed|ing)?|retir(?:ed|ing)|ditch(?:ed|ing)?|abandon(?:ed|ing)|deprecat(?:ed|ing)|discontinu(?:ed|ing)|"
    r"phas(?:ed|ing) out|(?:got|gotten) rid of|removed|decommissioned|sunset|quit|outgrew|(?:are|am|'re) done with|"
    r"(?:threw|thrown) (?:out|away)|scrapp(?:ed|ing)|axed|killed(?: off)?|moved (?:off|away from)|(?:'re|are) off|"
    r"stopped using|cancelled|canceled|shut down|turned off|left(?! (?:for|to|a|it)\b)|got off|parted with|"
    r"said goodbye to|pulled the plug on|are no longer (?:on|using)"
)
_MOVED = re.compile(
    r"\b(?:mov(?:ed|ing)|migrat(?:ed|ing)|switch(?:ed|ing)|chang(?:ed|ing)|transition(?:ed|ing)|went|ported|upgraded)"
    r"(?: (?P<topic>(?!from\b|away\b|over\b)[^,.;]+?))?(?: away| over)? from (?P<old>.+?) (?:in)?to (?P<new>[^,;]+)|"
    r"\b(?:replac(?:ed|ing)|swap(?:ped|ping)|trad(?:ed|ing)|exchang(?:ed|ing)) (?P<old2>.+?) (?:with|by|for) "
    r"(?P<new2>[^,;]+)|"
    rf"\b(?:{_GONE}) (?P<old3>(?!support\b)[^,.;]+?) (?:in favou?r of|for) (?P<new3>[^,;]+)|"
    r"^(?P<new4>(?!we\b|I\b|the team\b)[^,.;]+?) (?:now |has |have )*(?<!been )(?<!was )(?<!is )(?:replaces|replaced|"
    r"supersedes|superseded|supplants|supplanted|succeeds|succeeded|displaces|displaced|(?:takes?|took|taken) over "
    r"from|(?:takes|took|taken) the place of) (?P<old4>[^,;]+)|^(?P<old5>[^,.;]+?) (?:was|is|has been|were|are|have "
    r"been) (?:now )?(?:replaced|superseded) (?:by|with) (?P<new5>[^,;]+)|^(?P<old6>[^,.;]+?) (?:was|is|has been|were|"
    r"are|have been)(?: now)? renamed(?: to| as)? (?P<new6>[^,;]+)|^(?P<old7>[^,.;]+?) is (?:now called "
    r"(?P<new7>[^,;]+)|called (?P<new8>[^,;]+) now$)|\brenam(?:ed|ing) (?P<old8>[^,.;]+?) (?:in)?to (?P<new9>[^,;]+)|"
    r"^(?P<old10>[^,.;]+?) (?:makes?|made|gives?|gave) way (?:for|to) (?P<new11>[^,;]+)|^(?P<old9>[^,.;]+?) is "
    r"out[,;]? (?:and )?(?P<new10>[^,;]+?) is (?:in|our\b[^,;]+)$",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"{AFTER_NO_VERB}(?:,| and| -+)? (?:(?:instead of|rather than|in place of)(?: using)?|no longer|not(?! only\b|"
    rf" just\b)) "
    r"(?:(?:in|on|at|with|by|to|from|via|through|under|the|an?|our) )*(?P<old>[^,;.]*[^,;.\s][^,;]*?)(?:[,;]| "
    r"from now on| any ?more|\.?$)",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    rf"\b(?:we|the team|our team|I)(?:'ve| have| all| finally| now| just| recently| fully)*(?: |(?='re ))(?:{_GONE}|"
    rf"(?:stopp?(?:ed|ing)|"
    r"no longer|don't|do not|never) (?:us(?:e|ing)|rely(?:ing)? on|need(?:ing)?|run(?:ning)?|depend(?:ing)? on)) "
    r"(?P<old>[^,;]+)|^(?:please )?(?:stop using|don't use|do not use|never use|avoid|avoid using) (?P<old2>[^,;]+)|"
    r"^(?P<old4>[^,;]+?) (?:isn't|aren't) (?:used|supported|needed|required|necessary|allowed|permitted) any ?(?:more|"
    r"longer)$|(?:^|[,;] (?:so |and )?)(?:support for )?(?P<old3>[^,;]+?) (?:is|are|was|were|has been|have been)(?: "
    r"now)? (?:gone|history|dead|deprecated|retired|dropped|(?:no longer|not) (?:used|in use|supported|needed|required|"
    r"necessary|allowed|permitted)|discontinued|replaced(?=[,;]|$)|forbidden|prohibited|banned|out(?=[,;]|$)|"
    r"off[- ]limits|decommissioned|phased out|removed|scrapped|axed|abandoned|cancell?ed|shut down|switched off|"
    r"turned off)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r",? (?:and (?:on|in)?to .*|any ?more|altogether|completely|entirely|at all|now|from now on|going forward|as well|"
    r"too|for good|everywhere|last \w+|this \w+|(?:because|since|so|as|after) .*)$",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^(?:(?:actually|correction|sorry|wait|no|oops|scratch that|my mistake|I was wrong|update|I meant|i "
    r"misspoke)[,:;.!]* )+(?P<what>it|that|this|they|those)(?:'s| is| are|'re| should be| must be| was)(?: now| "
    r"actually)? (?P<new>.+)$|^(?P<what2>it|that|this|they)(?:'s| is| are|'re)(?: actually| now) (?P<new2>.+)$|"
    r"^(?P<what4>it|that|this|they)(?:'s| is| are|'re) (?P<new4>[\w .-]+ now)(?:, not .+)?$|^(?:correction|i "
    r"meant)[,:] (?P<new3>[\w.-]+(?: [\w.-]+)?), not .+$|^(?:(?:actually|correction|sorry|wait|no|oops|or rather|"
    r"please|better)[,:;.!]* )*(?:let's )?make (?:it|that|this|"
    rf"them) (?P<new5>(?:(?:at )?(?:least|most) )?(?:\d|(?:one|{NUMBER_WORDS})\b)[\w .%-]*)$",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:never|not|no longer|don't|do not|doesn't|does not|isn't|aren't|stop(?:ped)?|avoid|any ?more|no more|quit)\b",
    re.IGNORECASE,
)
_FILL = frozenset(
    "no longer never not don't doesn't isn't aren't stop avoid any anymore more always use every each all".split()
)
_BEFORE_OBJECT = (
    r"(?:use|uses|using|used|in|on|with|by|through|via|under|to|from|is|are|called|named|as|run|runs|at|adopt|prefer|"
    r"support|include|includes|contain|contains|have|has|carry|supports|it's|be|into|chose|picked|decided to use|"
    r"settled on|went with|require|requires|need|needs|rely on|log|write|keep|decided on|agreed on|for|over|against)"
)
_AFTER_OBJECT = (
    r"(?=$|[.,;:!)]| (?:for|as|in|on|at|to|with|by|when|while|instead|rather"
    r"|and|or|before|after|from|everywhere|now|v?\d))"
)


_CHANGES = (
    r"(?:mov(?:e|ed|ing)|migrat(?:e|ed|ing)|switch(?:ed|ing)?|relocat(?:e|ed|ing)|transferr?(?:ed|ing)?|"
    r"shift(?:ed|ing)?|port(?:ed|ing)|transition(?:ed|ing)|convert(?:ed|ing)|chang(?:ed|ing))"
)
_RAISES = (
    r"(?:rais(?:ed|ing)|lower(?:ed|ing)|increas(?:ed|ing)|reduc(?:ed|ing)|decreas(?:ed|ing)|bump(?:ed|ing)|extend(?:ed|"
    r"ing)|shorten(?:ed|ing)|cut|doubled|halved|tighten(?:ed|ing)|relax(?:ed|ing)|loosen(?:ed|ing)|trimm(?:ed|ing)|"
    r"upped|shr(?:a|u)nk|set|renamed|renaming|updated|adjusted)"
)
_WE_DO = r"(?:(?:we|the team|our team|I)(?:'ve|'re| have| are| all| finally| now| just| recently)* )"
_THING = r"(?!we\b|I\b|the team\b)[^,.;:]+?"
_TURNED = re.compile(
    rf"^{_WE_DO}(?P<change>{_CHANGES}) (?P<what1>(?!from\b|to\b|away\b|over\b|off\b)[^,.;:]+?)(?: over| across)? "
    rf"(?:in)?to .+$|^{_WE_DO}(?P<raised>{_RAISES}) (?P<what2>[^,.;:]+?)(?: up| down)?(?: from .+?)? to .+$|"
    rf"^(?P<what3>{_THING}) (?:(?:has|have|was|were|is|are)(?: been| being| now)* )?(?:(?P<change2>{_CHANGES})|"
    rf"(?P<raised2>{_RAISES}))(?: over| across| up| down)?(?: from .+?)? (?:in)?to .+$|^(?P<what4>{_THING}) (?:(?:has|"
    rf"have) )?(?P<went>went|gone|goes|is going|is|are) (?:up|down) (?:from .+? )?to .+$|^(?:{_WE_DO})?(?:switching|"
    rf"switched|moving|moved|migrating|migrated) (?:over )?to .+? for (?P<what5>[^,.;:]+)$|"
    r"^(?:we're|we are) (?:now )?on (?-i:[A-Z`])\S*(?: (?-i:[A-Z\d])\S*)* (?:now )?for (?P<what6>[^,.;:]+?)(?: now)?$|"
    r"^(?:we're|we are) now using .+? for (?P<what7>[^,.;:]+)$|^(?:we're|we are) using .+? for (?P<what8>[^,.;:]+?) "
    r"now$|"
    rf"^(?P<what9>{_THING}) (?:is|are|lives?|goes?|go|sits?|runs?|run|happens?) (?:now )?(?:in|on|at|to|under|"
    r"over|through|via|with) (?:the |our )?(?=[`'\"]?(?:(?-i:[A-Z\d])|[\w-]*[./]\S))[^,;]+?(?: now| these days| from "
    r"now on)?(?:, not .+)?$|"
    rf"^{_WE_DO}(?P<redone>rewrote|rewritten|reimplemented|rebuilt|redid|redone) (?P<what10>[^,.;:]+?) "
    r"(?:in|with|on|using) .+$|"
    rf"^(?P<what11>{_THING}) (?:has been|have been|was|were|got|is being|is|are)(?: now)? "
    r"(?P<redone2>rewritten|reimplemented|rebuilt|redone) (?:in|with|on|using) .+$",
    re.IGNORECASE,
)
"""What has another place, tool or value: `we moved the docs to X`, `the limit went up to 5`, `secrets are in X now`."""
_SINCE_NOW = re.compile(
    r"\b(?:now(?:adays)?|these days|from (?:now|today)(?: on(?:wards)?)?|starting (?:now|today)|as of (?:now|today|"
    r"this \w+|next \w+)|no longer|since (?:this|last) \w+)\b",
    re.IGNORECASE,
)
_NO_AIM = re.compile(
    r"(?:it|this|that|them|these|those|on|off|up|ahead|back|things?|everything|people)\b", re.IGNORECASE
)
_WITHDRAWN = re.compile(
    r"^(?:please )?(?:scrap|forget|drop|ignore|disregard|cancel|strike|withdraw) (?:about )?(?:the|that|our|my)(?: "
    r"old)? (?:(?:rule|convention|policy|guideline|decision|requirement|idea|thing) (?:about|on|for|that|of|to) "
    r"(?P<what>[^,;.:]+)|(?P<what2>[^,;.:]+?) (?:rule|convention|policy|guideline|decision|requirement))$|^(?:the|that|"
    r"our) (?:rule|convention|policy|guideline|decision|requirement) (?:about|on|for|that|of|to) (?P<what3>[^,;.:]+?) "
    r"(?:is|was|has been)(?: now)? (?:gone|dropped|off|cancelled|scrapped|withdrawn|lifted|void)$",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"^(?:please )?(?:scrap|forget|drop|ignore|disregard|cancel) (?:about )?(?:the|that|our|my) "
    r"(?P<what>[^,;:.]+)[,;:.] ",
    re.I,
)
_FIGURE = re.compile(rf"(?:\d[\d.,:]*|one|{NUMBER_WORDS})(?: ?%)?", re.IGNORECASE)
_MANNERS = frozenset("write format express document implement build".split())
"""Relations that say in what something is made: another place leaves them as they are, a switch may end them."""
RESIDES = frozenset("store run live sit base locate go send come is move publish track happen use".split())
_SETTLED = RESIDES | {"use", "deploy", "host", "serve", "keep", "hold"}
"""Relations of which one takes the place of another: where something is, and what it is on."""
_HOLDS = frozenset("store live sit locate base".split())
_PLACE, _MEANS, _VALUE, _NAME, _NUMBER, _SWITCH, _DONE, _REMADE, _TIME, _ALTERED = (
    "place", "means", "value", "name", "number", "switch", "done", "again", "time", "altered",
)  # fmt: skip
_AT_TIME = re.compile(
    r"\b\d\d?(?:[:-]\d\d| ?[ap]m)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:midnight|noon)\b",
    re.IGNORECASE,
)
_HEADS = frozenset("cluster environment server servic system instanc host machin environ site setup".split())
"""Words that name no other thing than the word before them: `the staging cluster`, `staging`."""
_NO_MORE = re.compile(
    rf"^(?:(?:we|I|the team)|(?P<what>{_THING})) (?:(?:do|does|is|are)(?:n't| not| no longer)|no longer) "
    r"(?P<verb>[a-z]+)(?P<thing>(?: (?!(?:in|on|at|to|with|from|via|by|through|over|under|using)\b)[\w-]+){0,3}?) "
    r"(?:(?:in|on|at|to|with|from|via|by|through|over|under|using) )?(?:the |our |an? )?"
    r"(?P<old>[\w#@./+-]+(?: [\w#@./+-]+)?)(?P<end> any ?more| any longer)?$",
    re.IGNORECASE,
)
_LIFTED = re.compile(
    r"^(?P<what>[^,;:]+?) (?:is|are) (?:now |again |perfectly |totally )*(?:allowed|permitted|fine|ok(?:ay)?|"
    r"acceptable|welcome)(?: again| now| from now on| these days| since [\w ]+)*$|"
    r"^(?:the )?ban on (?P<what2>[^,;:]+?) (?:is|was|has been) (?:now )?(?:lifted|gone|over|dropped)$|"
    r"^(?:we|you) (?:can|may) (?:now |again )?(?P<what3>[^,;:]+?)(?: again| now)$",
    re.IGNORECASE,
)
_OF_RANK = frozenset({"main", "primary", "current", "new", "target"})
_BY_TOOL = re.compile(
    r"(?:(?:please|always|we|you should|we always) )*(?P<verb>(?!let's)[a-z-]+(?<!'s))(?: (?P<what>(?!(?:is|are|was|"
    r"were)\b)[^,.;:]+?))? (?:with|using|via|through|in|as) [^,.;:]+$",
    re.IGNORECASE,
)


class Match(IntEnum):
    """How surely a sentence takes back a statement."""

    NONE = 0
    MAYBE = 1
    SURE = 2


@dataclass(frozen=True, slots=True)
class Revision:
    """What a sentence takes back: words that name it, words of its topic; `last` means what was spoken of before it.

    `aim` are the words of what has another place, tool or value now, and `how` in which way; `number` is the figure
    that it had, `speaks` all words of the sentence then, and `last_word` its last one; `withdrawn` the words of a rule
    that is taken back without another in its place.
    """

    old: str = ""
    topic: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    last: bool = False
    aim: frozenset[str] = frozenset()
    how: str = ""
    number: str = ""
    speaks: frozenset[str] = frozenset()
    last_word: str = ""
    withdrawn: frozenset[str] = frozenset()
    whose: frozenset[str] = frozenset()
    """Words of what no longer has `old` as its place, tool or value; a statement of it has all of them."""
    lifts: frozenset[str] = frozenset()
    """Words of what is allowed again."""
    verb: str = ""
    counted: bool = False
    frame: tuple[str, ...] = ()
    """All words of a sentence that says that something is so since now, without those that say so."""
    ended: tuple[str, ...] = ()
    """All words of a sentence that says that something is no longer so."""


@lru_cache(maxsize=512)
def revision(sentence: str) -> Revision | None:
    """Return what a sentence takes back, where it says so.

    >>> revision("We moved from Jenkins to GitHub Actions.").old, revision("We use Jenkins.")
    ('Jenkins', None)
    """
    text = " ".join(sentence.split()).strip(" .!\"'")
    if sentence.rstrip().endswith("?"):
        return None
    if _CORRECTS.match(text):
        return Revision(last=True)
    if whole := _WITHDRAWN.match(text):
        return Revision(withdrawn=_stems(whole["what"] or whole["what2"] or whole["what3"]))
    found = _revised(text)
    since = opened(addressed(text)) != addressed(text) or _SINCE_NOW.search(text) or _OVER.search(text)
    frame = _frame(opened(text)) if since else ()
    words = tuple(re.sub(r"[.,;:]", "", opened(text)).casefold().split())
    ended = tuple(each for each in words if each not in {"the", "our", "a", "an", "all"}) if "longer" in words else ()
    if not (since or found):
        return None
    stated = declared(opened(text)) if found and found.aim else None
    verb = stated.relation.partition("-")[0] if stated else ""
    counted = bool(COUNTED.search(text))
    return replace(found or Revision(), frame=frame, ended=ended, verb=verb, counted=counted)


def _revised(text: str) -> Revision | None:
    """Return what a sentence takes back by its words."""
    text = addressed(text)
    gone, start = _FORGET.match(text), opened(text)
    marked, text = start != text, start
    clause = re.split(r"[,;:] ", text, maxsplit=1)[0]
    denies = clause if _DENIES.search(clause) else text if _DENIES.search(text) else ""
    denied = tuple(each for each in roots(denies) if each not in _FILL)
    aim, how = _changed_aim(text, marked=marked)
    if found := _MOVED.search(text):
        old = next(each for name, each in found.groupdict().items() if each and name.startswith("old"))
        if re.search(r"\brenam|\bcalled\b", found[0], re.IGNORECASE):
            aim, how = _stems(old), _NAME
        of = re.match(
            rf"(?P<what>{_THING}) (?:(?:has|have|was|were|is|are|been|being) )*$", text[: found.start()] + " ", re.I
        )
        aimed = re.search(r" for (?:the |our )?(?P<what>[\w -]+)$", found[0], re.IGNORECASE)
        topic = found["topic"] or (of["what"].strip() if of else "") or (aimed["what"] if aimed else "")
        return Revision(_plain(old), roots(topic), denied, aim=aim, how=how)
    more = _NO_MORE.match(re.split(r"[,;:] | but ", text, maxsplit=1)[0])
    if more and not gone and (more["end"] or "no longer" in more[0].casefold()):
        whose = _stems(more["what"] or f"{more['verb']} {more['thing']}")
        return Revision(_plain(more["old"]), denied=denied, whose=whose)
    if lifted := _LIFTED.match(text):
        return Revision(lifts=_stems(next(each for each in lifted.groups() if each)))
    if dropped := _DROPPED.search(text):
        return Revision(_plain(next(each for each in dropped.groups() if each)), (), denied)
    if over := _OVER.search(text):
        old = _plain(over["old"])
        number = old if _FIGURE.fullmatch(old) else ""
        return Revision(old, (), denied, number=number, speaks=_stems(text), aim=aim, how=how)
    if aim or gone:
        return Revision(
            denied=denied,
            aim=aim,
            how=how,
            last_word=(roots(text) or ("",))[-1],
            withdrawn=_stems(gone["what"]) if gone else frozenset(),
        )
    return Revision("", (), denied) if denied else None


def _changed_aim(text: str, *, marked: bool = False) -> tuple[frozenset[str], str]:
    """Return the words of what a sentence says to have another place, tool or value now, and in which way."""
    found = _TURNED.match(text)
    if found and (found["what6"] or not found["what9"]):
        what = next(each for name, each in found.groupdict().items() if each and name.startswith("what"))
        how = _NUMBER if found["raised"] or found["raised2"] or found["went"] else _SWITCH
        change = found["change"] or found["change2"] or ""
        if re.search(r"\b(?:mov|relocat|transfer)\w+", change, re.IGNORECASE):
            how = _TIME if _AT_TIME.search(text.partition(" to ")[2]) else _PLACE
        elif change.casefold().startswith("chang"):
            how = _ALTERED
        elif found["redone"] or found["redone2"]:
            how = _REMADE
        return (frozenset(), "") if _NO_AIM.match(what) else (_stems(what), how)
    if not marked and not _SINCE_NOW.search(text):
        return frozenset(), ""
    if way := _BY_TOOL.match(_SINCE_NOW.sub("", text).strip(" ,")):
        return _stems(f"{way['verb']} {way['what'] or ''}"), _DONE
    doing = re.match(r"(?:we're|we are) (?:now )?(?P<verb>[a-z]+ing) (?P<rest>.+)", text, re.IGNORECASE)
    readings = [f"We {root(doing['verb'])}{end} {doing['rest']}" for end in ("", "e")] if doing else [text]
    if statement := next(filter(None, map(declared, readings)), None):
        return _stems(statement.subject.replace("_", " ")), _way_of(statement.relation)
    return (_stems(found["what9"]), _PLACE) if found and not _NO_AIM.match(found["what9"]) else (frozenset(), "")


def _way_of(relation: str) -> str:
    """Return the kind of a relation: where something is, by what it is done, what it is, its name; else its verb."""
    verb, _, how = relation.partition("-")
    if not verb:
        return _VALUE
    if verb in {"call", "name"}:
        return _NAME
    if verb in RESIDES and how in {"in", "on", "at", "to", "from", ""} | ({"under"} if verb in _HOLDS else set()):
        return _PLACE
    return _MEANS if how in {"with", "by", "via", "over", "through"} else verb


@lru_cache(maxsize=4096)
def _stems(words: str) -> frozenset[str]:
    """Return the meaningful words of a text for comparison, each without what its ending can leave over."""
    spread = re.sub(r"(?<=\w)[-_](?=\w)", " ", words)
    return frozenset(each.rstrip("e") or each for each in roots(spread) if each not in _FILL)


def _plain(words: str) -> str:
    text = _TAIL.sub("", words.strip(" .,;:'\"`"))
    return re.sub(r"^(?:using |the |our |an? |all |any |support (?:for|of) )+", "", text, flags=re.IGNORECASE).strip(
        " '\"`"
    )


_MARKS = re.compile(
    r",? ?\b(?:now(?:adays)?|these days|any ?more|any longer|from (?:now|today) on(?:wards)?|going forward|already|"
    r"only|instead|(?:as of|since|starting|from|effective) (?:now|today|tomorrow|immediately|(?:this|last|next) \w+)"
    r"(?: on(?:wards)?)?)(?= |[,;.]|$)|^please |^always ",
    re.IGNORECASE,
)
_OTHER = re.compile(
    rf"{AFTER_NO_VERB},? (?:and |but )?(?:not|no longer|instead of|rather than)(?! only\b) [^,;]+?(?=[,;]|$)", re.I
)
_LINKS = frozenset(
    "in on at with by to from via through under over into onto for as of per after before every until within than and "
    "or but if when unless while that which not no never behind between against".split()
)
_RELATES = frozenset([*VERBS, *PLURAL_VERBS, "is", "are", "must", "should", "times", "time", "out"])
_TAKES = frozenset(
    "use uses prefer adopt need needs require requires has have run runs write pick choose allow".split()
)
_ADDS = frozenset(
    "support supports include includes contain contains own owns cover covers handle handles manage manages expose "
    "exposes accept accepts has have know".split()
)
_FLOWS = frozenset("read write send publish consume pull push fetch subscribe connect listen sync".split())
"""Of these, what is so since now is taken to be in the place of what was."""
_CHARGED = frozenset("owns maintains leads manages reviews approves signs triages handles merges".split())
_MOST_OF_VALUE = 4


@lru_cache(maxsize=4096)
def _frame(text: str) -> tuple[str, ...]:
    """Return the words of a sentence in order, without articles and without those that say that it is so since now."""
    plain = _MARKS.sub("", _OTHER.sub("", re.split(r"; | but |, (?=\w+ (?:is|are)\b)", text, maxsplit=1)[0]))
    words = (each.casefold().strip(".,;:'\"`") for each in plain.split())
    return tuple(each for each in words if each and each not in {"the", "our", "a", "an", "all", "-"})


def difference(new: Sequence[str], held: Sequence[str]) -> tuple[int, int]:
    """Return how many words two sentences share at their start, and how many at their end."""
    first = next((place for place, pair in enumerate(zip(new, held, strict=False)) if pair[0] != pair[1]), None)
    first = min(len(new), len(held)) if first is None else first
    left = min(len(new), len(held)) - first
    return first, next((n for n in range(left) if new[-1 - n] != held[-1 - n]), left)


def _of_same_frame(new: Sequence[str], held: Sequence[str]) -> bool:
    """Say whether two sentences are the same but for one value, which the newer one gives another: a tool, a figure."""
    first, last = difference(new, held)
    values = new[first : len(new) - last], held[first : len(held) - last]
    if not all(0 < len(each) <= _MOST_OF_VALUE for each in values) or any(_LINKS & set(each) for each in values):
        return False
    before, after = new[:first], new[len(new) - last :]
    if not before:
        person = after[1:] if after[:1] == ("team",) else after
        return bool(person[:1]) and person[0] in _CHARGED and len(person) > 1
    verb = next((place for place, each in enumerate(before) if each in _RELATES and place), -1)
    verb = 0 if verb < 0 and before[0] in _TAKES | {"write", "keep", "store", "deploy", "log"} else verb
    if any(each in _RELATES for value in values for each in value):
        return False
    counts = all(_FIGURE.search(" ".join(each)) for each in values)
    links = [each for each in before[max(verb, 0) :] if each in _LINKS]
    if (verb < 0 and not (links and len(before) > 2)) or (links and links[-1] in {"for", "of", "as"} and not counts):
        return bool(links) and links[-1] == "as" and before[verb] in {"is", "are"} and verb > 0
    if counts:
        return True
    if not links and before[verb] in _ADDS:
        return False
    return not _LINKS & set(after) or (not links and before[verb] in _TAKES)


COUNTED = re.compile(
    rf"\b(?:every|each|daily|weekly|monthly|hourly|nightly|(?:{NUMBER_WORDS}|one)(?:-\w+)?)\b|"
    rf"(?<![\w.])\d[\d.,:]*(?![\w.]*\w)",
    re.I,
)


def takes_back(found: Revision, held: str) -> Match:
    """Say whether a sentence takes back a held one, which says yes to what it denies or names its object.

    >>> [takes_back(Revision("Redis"), each) for each in ("We use Redis for caching.", "Redis keys have a TTL.")]
    [<Match.SURE: 2>, <Match.NONE: 0>]
    """
    text = opened(" ".join(held.split()).strip(" .!\"'"))
    if len(found.withdrawn) > 1 and found.withdrawn <= _stems(text):
        return Match.MAYBE
    if _DENIES.search(text):
        return Match.SURE if found.lifts and _stems(_DENIES.sub("", text)) == found.lifts else Match.NONE
    words = {each for each in roots(text) if each not in _FILL}
    if found.denied and len(words) > 1 and _stems(text) == _stems(" ".join(found.denied)):
        return Match.SURE
    frame = _frame(text) if found.frame or found.ended else ()
    if found.frame and _of_same_frame(found.frame, frame):
        return Match.SURE
    left = tuple(each for each in found.ended if each not in {"no", "longer"})
    if len(left) > 2 and len(frame) > len(left) and frame[: len(left)] == left and frame[len(left)] in _LINKS:
        return Match.SURE
    by_old = _names_old(found, text, words)
    if by_old is not Match.NONE or not found.aim:
        return by_old
    first, last = difference(found.frame, frame)
    values = (" ".join(each[first : len(each) - last]) for each in (found.frame, frame))
    counts = {bool(COUNTED.search(each)) for each in values if each} if first > 1 else set()
    return Match.NONE if len(counts) > 1 else _of_same_aim(found, text)


def _light(words: frozenset[str]) -> frozenset[str]:
    """Return words without verbs that say no more than that something is done."""
    return words - {"do", "don", "done", "handl", "perform", "run", "happen"}


def _names_old(found: Revision, text: str, words: set[str]) -> Match:
    """Say whether a held statement has as its object what a sentence takes back."""
    if not found.old or (len(found.old) < 2 and not found.number):
        return Match.NONE
    if found.whose and (found.whose <= _stems(text) or _light(found.whose) <= _light(_stems(text))):
        links = "|".join(_LINKS)
        named = rf"\s(?:{links}|\w+) (?:the |our |an? )?{re.escape(found.old)}(?: (?!{links})[a-z]+)?$"
        return Match.SURE if re.search(named, text, re.IGNORECASE) else Match.NONE
    old = r"\s+".join(map(re.escape, re.sub(r"(?<=[a-rt-z])s$", "", found.old).split())) + "(?:s|es)?"
    if not re.search(
        rf"\b{_BEFORE_OBJECT} (?:the |our |an? )?['\"`]?{old}['\"`]?{_AFTER_OBJECT}", text, re.IGNORECASE
    ) and not (
        re.match(
            rf"(?:the |our )?{old} (?:is|are) (?:the|our|supported|allowed|permitted|required|used)\b",
            text,
            re.IGNORECASE,
        )
    ):
        of = declared(text)
        figure = (
            (of is None or _stems(of.subject.replace("_", " ")) & found.speaks)
            and found.number
            and re.search(rf"(?<![\w.]){re.escape(found.number)}(?![\w.]*\w)", text)
        )
        if figure and len(found.speaks & _stems(text)) > 1:
            return Match.MAYBE
        kind = found.old[:1].isupper() and re.search(
            rf"\b{_BEFORE_OBJECT} (?:the |our |an? )?{old} (?-i:[a-z]+)$", text
        )
        return Match.MAYBE if kind else Match.NONE
    if found.whose or re.search(rf"\b(?:from {old} (?:in)?to|prefer\b.* over {old})\b", text, re.IGNORECASE):
        return Match.NONE
    if found.number:
        whose = _stems(before.subject.replace("_", " ")) if (before := declared(text)) else words
        return Match.SURE if whose <= found.speaks or not before else Match.NONE
    if re.search(rf"\bfor (?:the |our )?{old}['\"`]?$", text, re.IGNORECASE):
        return Match.MAYBE
    if found.topic and not set(found.topic) & words:
        return Match.MAYBE
    return Match.SURE


def _of_same_aim(found: Revision, text: str) -> Match:
    """Say whether a held statement says where, by what or how much that is which a sentence says to have changed."""
    if not found.aim:
        return Match.NONE
    aim = found.aim - _OF_RANK
    before = declared(text)
    if before is None:
        way = _BY_TOOL.match(text)
        same = way and _stems(f"{way['verb']} {way['what'] or ''}") == aim
        if same and found.how is _DONE:
            return Match.SURE if roots(text)[-1] == found.last_word else Match.MAYBE
        return Match.SURE if same and found.how in {_SWITCH, _ALTERED, _MEANS, _PLACE, _REMADE} else Match.NONE
    subject, way_held = _stems(before.subject.replace("_", " ")) - _OF_RANK, _way_of(before.relation)
    counts = bool(re.search(_FIGURE.pattern, before.value.replace("-", " "), re.IGNORECASE))
    if found.how is _NUMBER:
        whole = subject | _stems(before.relation.partition("-")[0])
        same = subject == aim and way_held in {_VALUE, _PLACE}
        return Match.SURE if same and counts else Match.MAYBE if counts and _alike(aim, whole) else Match.NONE
    if subject != aim:
        part = subject & aim and subject ^ aim <= _HEADS and found.how == way_held
        return Match.MAYBE if part else Match.NONE
    verb = before.relation.partition("-")[0]
    apart = found.verb and verb and found.verb != verb and not {found.verb, verb} <= _SETTLED
    if apart or (found.how is not _TIME and found.counted != bool(COUNTED.search(text))):
        return Match.NONE
    if not found.verb and verb and verb not in _SETTLED and way_held is _MEANS and found.how is not _REMADE:
        return Match.MAYBE if found.how in {_SWITCH, _ALTERED} else Match.NONE
    if way_held is _VALUE and found.verb and found.verb not in _SETTLED:
        return Match.NONE
    adds = way_held in (ADDITIVE | {"has", "have", "need"}) - _FLOWS and not re.search(
        r"(?<![\w/.])\d+(?![\w./])", before.value.replace("-", " ")
    )
    match = Match.NONE if adds and found.how == way_held else _of_way(found.how, way_held, before.value, counts=counts)
    unlike = match is Match.SURE and found.verb and found.how not in {way_held, _TIME}
    return Match.MAYBE if unlike and found.verb == "run" else match


def _of_way(how: str, way_held: str, value: str, *, counts: bool) -> Match:
    """Say whether what changed in one way takes the place of what was so in another, of one subject."""
    if how is _TIME:
        return Match.SURE if _AT_TIME.search(value) else Match.NONE
    if how is _REMADE:
        return Match.SURE if way_held in {_MEANS, *_MANNERS} else Match.MAYBE if way_held is _VALUE else Match.NONE
    if how is _ALTERED and way_held in {_VALUE, _NAME}:
        return Match.SURE
    if how is _NAME and way_held is _VALUE:
        return Match.NONE if counts else Match.MAYBE
    switches = how in {_SWITCH, _ALTERED}
    if how == way_held or (switches and way_held in {_PLACE, _MEANS}):
        return Match.SURE
    if switches:
        return Match.MAYBE if way_held in {_VALUE, *_MANNERS} else Match.NONE
    if how is _NAME:
        return Match.NONE
    if way_held is _VALUE:
        return Match.NONE if counts else Match.SURE
    return Match.SURE if {how, way_held} <= {_PLACE, _MEANS} else Match.NONE


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two sets of words are the same but for endings: `expiry of tokens`, `tokens expire`."""
    pairs = zip(sorted(one), sorted(other), strict=False)
    return len(one) == len(other) > 1 and all(a == b or (len(a) > 4 and a[:5] == b[:5]) for a, b in pairs)


def newest(held: Sequence[str], sentence: str) -> int | None:
    """Return the place of the last held statement of which a bare correction (`it is five`) can be."""
    wanted = _shape(sentence)
    places = [place for place, each in enumerate(held) if _shape(each) == wanted]
    return places[-1] if places else None


def _shape(text: str) -> str:
    number = r"\b(?:\d[\d.,:]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty)\b"
    return "number" if re.search(number, text, re.IGNORECASE) else "words"
