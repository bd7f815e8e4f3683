"""Plain statements of what is so: `X is Y`, `X runs on Y`, `X is kept in Y`, `we use Y for X`.

A statement has a subject, a relation and a value. Two statements of one subject and one relation cannot both hold, so
subject and relation make the key. All words of the subject count: the client is not the client's logo.
"""

import re
from functools import lru_cache

from verifflowcc.base.records import dataclass
from verifflowcc.memory.rules.code_names import NormalForm, key_of, named
from verifflowcc.memory.rules.qualifiers import FROM_DAY, RETRACTED, opened, root, roots
from verifflowcc.memory.rules.subject_words import ADDITIVE, DATED, JUDGED, KEPT_SOMEWHERE, STATUS, WRONG
from verifflowcc.memory.rules.tool_kinds import kind_of

# Words by which a statement is a fact that lasts, or news of the day.

PARTICIPLES = (
    "kept stored saved held hosted deployed written built hashed encrypted signed served sent handled managed "
    "generated read squashed merged rebased reported raised thrown printed flashed injected parsed trained labelled "
    "labeled mirrored sharded sampled aggregated buffered triaged promoted audited traced escalated transferred "
    "uploaded downloaded answered declared rendered cached backed named called licensed published shipped rotated "
    "rebuilt scanned versioned isolated authenticated authorized authorised logged sorted indexed replicated "
    "partitioned processed validated measured monitored maintained owned based located configured defined documented "
    "compressed formatted expressed shown displayed represented run cut reset released taken powered driven "
    "implemented compiled packaged bundled provisioned tracked billed charged paid retained archived purged mounted "
    "exposed shared limited restricted capped reviewed approved routed proxied queued collected stamped identified "
    "numbered grouped split prefixed suffixed localized localised translated seeded enforced checked linted "
    "orchestrated governed quoted rounded delivered emitted streamed synced synchronized imported exported fetched "
    "loaded installed set organised organized structured computed calculated derived recorded registered resolved "
    "required supported allowed forbidden prohibited mandatory deprecated done performed returned deleted removed "
    "distributed tagged pinned gated mocked stubbed quarantined appointed chosen elected notified informed paged"
).split()
VERBS = (
    "uses runs lives listens talks starts has expires owns works supports consists depends belongs comes goes follows "
    "contains includes requires exposes serves reads writes sends accepts sits stores keeps speaks targets handles "
    "points connects relies ends covers changes rotates ships builds hosts logs publishes consumes emits calls wraps "
    "lasts costs holds provides carries syncs takes scales renews refreshes resets terminates communicates proxies "
    "expects needs happens happen maintains manages reviews approves stays applies allows permits defaults deploys "
    "signs encrypts validates compiles retries archives polls fetches subscribes renders leads pulls pushes discovers "
    "registers resolves produces streams mounts routes forwards lands caches retains leaves"
).split()
PLURAL_VERBS = (
    "live use run talk start work support consist depend belong come go follow contain include require sit rely "
    "listen point end own serve read write send accept store take expect need expire have happen carry return stay "
    "apply expose emit last cost log retry deploy publish ship render validate poll inherit extend subscribe fetch "
    "load authenticate default target page sync pull push spin discover register resolve consume produce stream mount "
    "route forward terminate land cache retain speak"
).split()
SINGLE_PERSON = re.compile(
    r"^(?:the|an?|our|my|that|this|another|one) (?:(?!of\b)[\w-]+ ){0,2}?(?:candidate|hire|intern|speaker|presenter|"
    r"colleague|co-?worker|teammate|friend|neighbou?r|recruiter|contractor|consultant|student|professor|teacher|guy|"
    r"woman|man|person|applicant|guest|interviewee|newcomer|freelancer|stranger)\b"
    r"(?=$| (?:we|I|you|who|that|at|from|in|of|on|with|next|behind)\b)",
    re.IGNORECASE,
)
"""One person of whom something is told: what they use or do is no fact of the project."""
NUMBER_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred"
)
PASSING_HEADS = re.compile(
    r"\b(?:problem|issue|bug|error|reason|cause|question|(?<!entry )(?<!end )point|idea|thing|result|output|solution|"
    r"difference|answer|trick|next step|mistake|culprit|symptom|stack ?trace|exception|crash|failure|typo|fix|weather|"
    r"train|(?<!event )(?<!message )(?<!service )bus|dog|cat|kid|kids|coffee|lunch|dinner|pizza|car|movie|film|game|"
    r"band|holiday|vacation|party|restaurant|place|joke|story|plan|goal|thing|one|option|approach|way|today|change|"
    r"diff|patch|commit|function|line|variable|method|parameter|argument|field|log|message above|traceback|status|"
    r"progress|rest|best|worst|first|second|last|latter|former|other)$",
    re.IGNORECASE,
)
VALUE = re.compile(
    rf"\d|^\S+@\S+$|^(?:one|{NUMBER_WORDS}|none|zero|half)\b|"
    r"^(?:plural|singular|lowercase|uppercase|unique|nullable)$|^(?:lower|upper|camel|snake|kebab|pascal|title)[- "
    r"]?case\b|^(?:an? )?(?-i:[A-Z][\w.+#-]+)|^[`'\"]|^(?:the |our )(?-i:[A-Z])|(?-i:[a-z][A-Z])|"
    r"^(?-i:[a-z]{2,3}-[A-Z]{2})\b|^/?[\w.-]+/[\w./-]+$|^/[\w.-]+|^(?:https?://|(?:[\w-]+\.)+(?:dev|app|local|"
    r"internal)\b)|^(?:[\w-]+\.)+(?:js|io|ai|py|net|org|com)\b|^(?:an? |the |our )?(?:\w+[- ])?(?:minimum|maximum|"
    r"default|source of truth|owner|client|customer|maintainer|monorepo|monolith|library|service|CLI|daemon|package|"
    r"plugin|fork|wrapper|requirement|standard|limit|constraint|deadline|mandatory|required|forbidden|prohibited|off[- "
    r"]limits|immutable|append-only|read-only|idempotent|stateless|(?!use|point|hope|end|worth)[a-z]+less|reproducible|"
    r"deterministic|repeatable|reversible|backwards?[- ]compatible|thread-safe|multi-tenant|case[- ](?:in)?sensitive|"
    r"public|private|internal|open source|proprietary|weekly|daily|monthly|nightly|hourly|quarterly)\b|^(?:an?|the) "
    r"(?:[\w-]+ ){1,4}(?:of|for|that|which|with|in|written|based)\b",
    re.IGNORECASE,
)
_EACH_TIME = re.compile(
    r"\b(?:nightly|daily|weekly|hourly|monthly) [\w -]+? (?:starts?|ends?|begins?|runs?) at\b|"
    r"\b(?:rotation|sprints|shifts?|windows?)\b[\w ]*? (?:start|end|begin|close|open)s? (?:on|at)\b(?! the)",
    re.IGNORECASE,
)
"""What starts at an hour again and again: no news of one day."""
COUNTED_THING = re.compile(
    r"\b(?:suite|library|repo|repository|project|codebase|table|list|site|app|car|hotel)$", re.IGNORECASE
)
ONE_PART = re.compile(
    r"^(?:the|that|this|your) (?:[\w-]+ ){0,2}?(?:PR|pull request|branch|ticket|issue|file|test|request|response|page|"
    r"commit|patch|function|method|class|variable|script|output|loop|query|row|screen|button|build|deploy|deployment|"
    r"migration|job|run|parameter|argument|regex|import|form|dialog|modal|header|body|payload|snippet|code|example|"
    r"array|list|dict|object|string|error|message|email|comment|diff|container|process|thread|log)$",
    re.IGNORECASE,
)
"""One part of the code, of which people tell what it has at present, in the middle of their work."""


_LEAD = re.compile(
    rf"^(?:(?:{FROM_DAY}|{RETRACTED}|"
    r"actually|correction|note|fyi|remember|reminder|update|by the way|btw|heads[- ]up|for the record|and|but|also|so|"
    r"well|sorry|no|yes|ok(?:ay)?|as of (?:now|today|[A-Z]\w+)|from (?:now|today) on|going forward|decision|in this "
    r"(?:project|repo(?:sitory)?|codebase)|here|in our \w+)[,:;.]* (?:-+ )?|remember that |note that )+",
    re.IGNORECASE,
)
_DONE_WAY = re.compile(
    r"^(?P<what>(?:our |all )?(?:[\w-]+ )?[\w-]+s) (?:is|are) (?P<no>not |never )?"
    r"(?P<done>[a-z]+-(?:deleted|merged|signed|encrypted|tested|reviewed|generated|typed|versioned|linked|rendered|"
    r"compiled|hosted|managed|encoded|formatted))$",
    re.IGNORECASE,
)
"""How things of a kind are always done: `orders are soft-deleted`."""
_DONE_ALONE = frozenset(
    "forbidden prohibited mandatory required deprecated supported encrypted versioned isolated shown protected".split()
)
_AIM_FIRST = re.compile(
    r"^(?P<aim>(?:for|in|on) [^,]{3,40}?),? (?P<rest>we (?:use|run|host|store|keep|write|deploy) .+)$", re.IGNORECASE
)
_NOW = re.compile(
    r",? \b(?:now(?:adays)?|currently|always|already|still|any ?more|from now on|going forward|as of (?:now|today)|"
    r"instead|these days|by default)\b(?=[ ,.]|$)",
    re.IGNORECASE,
)
_NOT_OTHER = re.compile(
    r",? (?:and |but )?(?:not|instead of|rather than|in place of|no longer) [^,;]+?"
    r"(?:,(?= (?:in|on|at|for|by|with|to|from|under) )|(?=[,;]|$))",
    re.IGNORECASE,
)
_OF_MANY = f"(?:{'|'.join(PLURAL_VERBS)}|time out|sign in|log in|fall back|fail over)"
_GETS_OFTEN = re.compile(r"\bgets?(?= \w+(?:ed|t|n) (?:[\w ]{2,30}? )?(?:every|each|once an?|within)\b)", re.IGNORECASE)
"""What is done again and again, in talk: `the database gets wiped every night`."""
_BE = r"(?:is|are)"
_PASSIVE = re.compile(
    rf"^(?P<what>.+?) {_BE} (?P<no>not |never |no longer )?(?:\w+ly |all |both )?(?P<done>"
    rf"{'|'.join(PARTICIPLES)})\b(?: \w+ly)?"
    r"(?: (?P<how>in|with|by|on|at|from|to|through|via|under|as|over|against|for|using|inside|within|per|after|before|"
    r"up|every|each|once|twice(?= an? )|out|into|behind|across)\b)?(?P<rest>.*)$",
    re.IGNORECASE,
)
_DONE_OFTEN = re.compile(
    rf"^(?P<what>.+?) {_BE} (?P<no>not |never )?(?P<done>(?!(?:fix|block|merg|caus|fail|assign|schedul|finish|"
    rf"report|clos|open|"
    r"start|crash|updat(?!ed by [A-Z])|add|chang|mov|overload|interest|excit|tir|ask|need|expect|"
    r"suppos)\w*ed\b)[\w-]+ed)(?: up| out| off)? (?P<how>every|each|once|within|with|in|via|by|from|as|through|"
    r"against) (?P<rest>(?:.*[A-Z`/\d].*|(?<=every )\w+.*|(?<=each )\w+.*|(?<=once )an? \w+|(?<=within )(?:an?|one|two|"
    r"three) \w+))$"
)
_ACTIVE = re.compile(
    rf"^(?P<what>.+?) (?P<done>(?:{'|'.join(VERBS)}|times out|falls back|fails over)"
    rf"(?! (?:{_OF_MANY}|is|are|has|must) )|(?:(?<=(?<!s)s )|(?<=data )|(?<=people )){_OF_MANY}) "
    r"(?:(?:straight |directly )?(?P<how>in|with|by|on|at|from|to|through|via|under|as|over|against|for|of|after|"
    r"before|every|into|behind|per|next to|beside|alongside|place (?:in|on|at)) )?(?P<rest>.+)$",
    re.IGNORECASE,
)
_ACTIVE_FAR = re.compile(
    rf"^(?P<what>(?:[\w-]+ ){{0,2}}[\w-]+s (?:for|of|in|from|on) .+?) (?P<done>{_OF_MANY}) (?P<how>in|on|at|"
    rf"with|to|from|under) (?P<rest>.+)$",
    re.IGNORECASE,
)
_WE_CHANGED = re.compile(
    r"^(?:we|the team|I)(?:'ve| have)?(?: just| now| also)* (?:changed|raised|lowered|increased|reduced|decreased|"
    r"bumped|extended|shortened|set|renamed|cut|updated) (?P<what>(?:the|our) [^,;:]+?)(?: from .+?)? to (?P<rest>.+)$",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"^(?P<what>.+?) (?:was|were|has been|have been|has|have|is|are)(?: \w+ly)? (?:changed|raised|lowered|increased|"
    r"reduced|decreased|bumped|extended|shortened|moved|set|updated|postponed|pushed(?: back| out)?|brought forward|"
    r"renamed|cut|doubled|halved|switched)(?: \w+)??(?: from .+?)? to (?P<rest>.+)$",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"^(?P<what>(?!we\b|the team\b|our team\b).+?) (?:moved|migrated|switched|went) from .+? to (?P<rest>.+)$",
    re.IGNORECASE,
)
_ONE_EVENT = re.compile(r"\b(?:meeting|call|appointment|deadline|demo|interview)$", re.IGNORECASE)
"""What is moved once: news, where it is not of every week."""
_ON_DAYS = re.compile(
    r"(?P<how>on|every|each) (?P<rest>(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|"
    r"(?:(?<=every )|(?<=each ))(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b.*)$",
    re.IGNORECASE,
)
_A_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december)\b",
    re.IGNORECASE,
)
_IN_CHARGE = re.compile(r"\b(?:owner|maintainer|contact|lead|approver|reviewer)$", re.IGNORECASE)
_BOUND = re.compile(r"\b(?:max|maximum|min|minimum|default|largest|longest)\b", re.IGNORECASE)
_SET_TO = re.compile(
    r"\b(?:level|mode|policy|strategy|encoding|charset|time ?zone|locale|currency|scheme|dialect|protocol|isolation|"
    r"shell|prefix|suffix|separator|delimiter)(?: (?:in|on|for|of) (?:the )?[\w-]+(?: [\w-]+)?)?$",
    re.IGNORECASE,
)
"""What is set to one of a few words: `the log level is info`."""
_IS = re.compile(rf"^(?P<what>.+?) {_BE} (?P<no>not |no longer )?(?P<rest>.+)$", re.IGNORECASE)
_WE = re.compile(
    r"^(?:we|the (?:team|project|company)|our (?:team|company))(?:(?:'re| are)(?= using .+ (?:for|as) ))?(?: all| only|"
    r" mainly| primarily| exclusively)* (?P<done>uses?|using|runs?|hosts?|deploys?|ships?|stores?|supports?|targets?|"
    r"builds?|releases?|keeps?|writes?|works?|tests?|manages?|publish(?:es)?|follows?|tracks?|monitors?|develops?|"
    r"logs?|sends?|sells?|serves?|maintains?|timebox|limit|cap|restrict|triage|compile|link|bundle|package|train|"
    r"provision|scan|audit|trace|profile|mirror|replicate|shard|partition|promote|simulate|flash|squash(?:es)?|review|"
    r"rebase|pin|version|tag|cache|encrypt|hash|sign|document|format|lint|measure|plan|meet|archive|rotate|back up|"
    r"translate|generate|handle|license|cut|name|practi[cs]e|rely on|standardi[sz]e on|depends? on|owns?|bill|charge|"
    r"hold) (?P<rest>.+)$",
    re.IGNORECASE,
)
_FOR = re.compile(r"^(?P<value>.+?) (?:for|as|to (?=\w+ )) ?(?P<aim>.+)$", re.IGNORECASE)
_BY = re.compile(
    r"^(?P<aim>.+?) (?P<how>in|on|with|at|to|from|via|through|under|every|using) (?P<value>.+)$", re.IGNORECASE
)
_PERSONAL = re.compile(
    r"^(?:I|you|he|she|they|it|this|that|these|those|there|here|what|who|which|one|someone|somebody|no ?body|everyone|"
    r"my|your|his|her|their|another|some|many|most|few|several|both|all of|let|mine)\b|\b(?:I|you|me|my|your)\b",
    re.IGNORECASE,
)
_MY_WORK = re.compile(
    r"\bmy (?=(?:[\w-]+ )?(?:branch|app|application|database|server|container|service|project|repo|repository|"
    r"config|tests?)\b)",
    re.IGNORECASE,
)
_BESIDE = frozenset({"next to", "beside", "alongside"})
_OF_A_PART = frozenset(
    "has contains includes expects needs requires takes holds calls comes reads writes depends points ends carries "
    "uses wraps consists".split()
) | {"times out", "fails over", "falls back"}
_DETERMINED = re.compile(
    r"^(?:the|our|each|every|all|staging|production|prod|CI|this (?:project|repo|repository|codebase|service|"
    r"package)'s)\b",
    re.IGNORECASE,
)
_COUNT = r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|no|its own)\b"
_CONCRETE = re.compile(
    rf"\d|[A-Z]\w|[`'\"]|\w[/._]\w|\w/(?=\s|$|[*.\w])|\b(?:one|{NUMBER_WORDS})\b|[#@]\w|"
    r"^(?:the |our |an? )?[\w-]+ (?:repo|repository|folder|directory|bucket|cluster|namespace|registry|channel|"
    r"branch|team|database|schema|vault|monorepo|queue|topic|index|region|subnet|gateway|service)$"
)
_MOST_WORDS, _MOST_SUBJECT = 26, 9
_SAME_RELATION = {"keep": "store", "save": "store", "hold": "store", "live": "store", "cache": "store", "host": "run",
                  "deploy": "run"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Declared:
    """What is declared: of what, in which relation, which value; `known` says that the subject kind is a project's."""

    subject: str
    relation: str
    value: str
    negated: bool
    known: bool

    def stated(self, says: str) -> NormalForm:
        """Return it in its normal form."""
        value = f"{self.relation}:{self.value}" if self.relation else self.value
        return NormalForm(self.subject, value, self.negated, says, key_of(self.subject, value), known=False)


@lru_cache(maxsize=512)
def declared(sentence: str) -> Declared | None:
    """Return what a sentence declares; None where it declares nothing that lasts.

    >>> one = declared("Our sessions are kept in Redis.")
    >>> one.subject, one.relation, one.value
    ('session', 'store-in', 'redis')
    >>> declared("The client's logo is a lighthouse."), declared("The build is broken.")
    (None, None)
    """
    if sentence.rstrip().endswith(("?", "...", "…", ":")):
        return None
    text = plain_statement(sentence)
    if not 3 <= len(text.split()) <= _MOST_WORDS or DATED.search(_EACH_TIME.sub("", text)) or WRONG.search(text):
        return None
    for read in (_of_change, _of_platform, _of_us, _of_passive, _of_verb, _of_interval, _of_being):
        found = read(text)
        if found:
            return found if found.subject and found.value else None
    return None


def plain_statement(sentence: str) -> str:
    """Return a sentence without the words that only place it in its talk, and without what it denies beside it."""
    text = opened(sentence.strip(" .!\"'"))
    text = re.sub(rf",? {FROM_DAY}$", "", _LEAD.sub("", text), flags=re.IGNORECASE)
    if first := _AIM_FIRST.match(text):
        text = f"{first['rest']} {first['aim'][:1].lower()}{first['aim'][1:]}"
    text = _GETS_OFTEN.sub("is", text)
    text = _NOT_OTHER.sub("", text) if not re.search(r" (?:is|are)(?: now)? (?:not|no longer) ", text) else text
    return _NOW.sub("", text).strip(" ,.!")


def _subject(what: str) -> str:
    """Return a subject as a name of all its words; "" where it is none that a project can know."""
    bare = re.sub(
        r"^(?:(?:the |our |my )?(?:new|current|target|main|primary) |the |our |my |its |an? |all |every |each |any |"
        r"this (?:project|repo(?:sitory)?|codebase)'s )",
        "",
        what,
        flags=re.I,
    )
    if (
        _PERSONAL.search(_MY_WORK.sub("our ", what))
        or len(bare.split()) > _MOST_SUBJECT
        or re.search(r"[,;:()]|\b(?:that|which|who|because|these|those|effective|success|importance)\b", what, re.I)
    ):
        return ""
    if (
        PASSING_HEADS.search(bare)
        or SINGLE_PERSON.search(what)
        or re.search(r"\b(?:is|are|was|were|has|have|will|must|should|does?)\b", bare)
    ):
        return ""
    return named("-".join(roots(bare)))[:80].replace("-", "_")


_OWN_PARTS = frozenset({"CI", "CD", "QA", "UAT"})
"""Capitals that name a part of every project, and no product."""


def _is_a_name(what: str) -> bool:
    """Say whether a subject is one word that may be a name: what is so of Git or HTTP is no fact of a project."""
    if " " not in what and what[:1].isupper() and kind_of(what.casefold()):
        return True
    if " " in what or not what[:1].isupper() or what in _OWN_PARTS:
        return False
    return not re.search(r"(?:tion|ing|ment|ity|age|ance|ence|fic|[a-z]s)$", what)


def is_news_of(what: str) -> bool:
    """Say whether it is news of the day that something is elsewhere: a person who is named, or one meeting.

    >>> is_news_of("The meeting"), is_news_of("Anna"), is_news_of("The docs")
    (True, True, False)
    """
    return _is_a_name(what) or bool(_ONE_EVENT.search(what))


def _relation(verb: str, how: str | None) -> str:
    base = roots(verb)
    first = base[0] if base else verb.casefold()
    plain = _SAME_RELATION.get(first, first)
    return f"{plain}-{named(how)}" if how else plain


_SCOPED = re.compile(
    rf"(?P<value>(?:(?:at (?:least|most)|up to) )?(?:\d\S*|{NUMBER_WORDS}|one)(?: [\w%]+){{0,3}}?) (?P<scope>(?:in|"
    rf"for|on|during|"
    r"under|within) .+)$",
    re.IGNORECASE,
)
"""A figure that holds in one place only: `5 minutes for admins` is said of the limit for admins."""
_BOUNDED = re.compile(
    rf"^(?P<bound>at most|at least|up to|no more than|a maximum of|a minimum of) (?P<rest>\d+|{NUMBER_WORDS}|one) "
    r"(?P<what>[\w -]+?) (?:is|are) (?P<done>\w+ed|made|kept|sent|run)(?: (?P<aim>.+))?$",
    re.IGNORECASE,
)


def _made(what: str, relation: str, rest: str, *, negated: bool = False) -> Declared | None:
    if scoped := _SCOPED.match(rest):
        what, rest = f"{what} {scoped['scope']}", scoped["value"]
    subject = _subject(what)
    value = named("-".join(roots(rest)))[:80]
    return Declared(subject, relation, value, negated, bool(subject)) if subject and value else None


def _of_change(text: str) -> Declared | None:
    found = _CHANGED.match(text) or _WE_CHANGED.match(text) or _MOVED.match(text)
    if found and is_news_of(found["what"]):
        return None
    if not found or not (VALUE.search(found["rest"]) or re.search(r"[A-Z\d]", found["rest"])):
        return None
    return _made(found["what"], "", found["rest"])


def _of_platform(text: str) -> Declared | None:
    """Read `we're on Node 20`."""
    found = re.match(
        r"[Ww]e(?:'re| are) on (?P<what>[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*)?) (?P<version>v?\d[\w.]*"
        r"(?:,? (?:with|and|plus) [A-Z][\w.+#-]* v?\d[\w.]*)*)$",
        text,
    )
    return _made(f"our {found['what']}", "on", found["version"]) if found else None


def _of_us(text: str) -> Declared | None:
    """Read `we use Redis for caching`: the aim is the subject, where there is one."""
    found = _WE.match(text)
    if not found or re.match(
        r"(?:it|this|that|them|these|those|up|out|hard|late|on (?:it|this|that))\b", found["rest"], re.I
    ):
        return None
    verb, rest = found["done"], found["rest"]
    base = roots(verb)[0] if roots(verb) else verb
    if STATUS.match(rest):
        return None
    aim = _FOR.match(rest) if base == "use" else None
    if aim and (subject := _subject(aim["aim"])):
        return Declared(subject, "", named("-".join(roots(aim["value"])))[:80], False, True)
    by = _BY.match(rest) if base != "use" else None
    if by and roots(by["aim"]) and not _PERSONAL.search(rest):
        value = named("-".join(roots(by["value"])))[:80]
        subject = named("-".join(roots(by["aim"]))).replace("-", "_")
        return Declared(subject, _relation(verb, by["how"]), value, False, True) if value and subject else None
    where = re.match(r"(?P<how>in|on|with|at|to|from|via|through|under|every|using|by) (?P<value>.+)", rest, re.I)
    if where:
        value = named("-".join(roots(where["value"])))[:80]
        return Declared(f"our_{base}", named(where["how"]), value, False, True) if value else None
    if _PERSONAL.search(rest):
        return None
    subject = named("-".join(roots(rest)))[:80].replace("-", "_")
    return Declared(subject, "", base, False, True) if subject else None


def _of_passive(text: str) -> Declared | None:
    if bound := _BOUNDED.match(text):
        return _made(
            f"{bound['what']} {bound['aim'] or ''}".strip(), _relation(bound["done"], bound["bound"]), bound["rest"]
        )
    if way := _DONE_WAY.match(text):
        return _made(way["what"], "", way["done"], negated=bool(way["no"]))
    found = _PASSIVE.match(text) or _DONE_OFTEN.match(text)
    if not found:
        return None
    done, rest = found["done"].casefold(), found["rest"].strip()
    how = (found["how"] or "").casefold()
    if done in {"called", "named"} and not how:
        return _made(found["what"], done[:4], rest, negated=bool(found["no"]))
    if not how and done not in _DONE_ALONE:
        return None
    if rest.casefold() == "place":
        return None
    if how in {"by", "for"} and re.match(r"(?:me|us|you|him|her|them|the (?:outage|bug|failure|error))\b", rest, re.I):
        return None
    how = {"using": "with", "inside": "in", "through": "via"}.get(how, how)
    return _made(found["what"], _relation(done, how or None), rest or done, negated=bool(found["no"]))


_TIMED = re.compile(
    rf"^(?P<what>(?:(?:the|our|each|every|all) )?(?:[\w-]+ ){{0,3}}?[\w-]+) (?P<done>(?!(?:ha[sd]|have|w[ae][sr]e?|"
    rf"been|will|fail|crash|hang|restart|die|break|stop|freez|"
    r"flap|spike|leak|drop|block|stall|reboot|take|happen|appear|show|goe?|look|need|want|kill|lose|miss|throw|get|"
    r"i)s?\b)[a-z]+s?)(?: (?P<part>(?:up|off|out|down|over|back)))?(?: (?P<thing>[\w -]{2,30}?))? (?P<how>after|every|"
    rf"within|for|at) (?P<rest>(?:\d+|{NUMBER_WORDS}|an?) ?(?:µs|ms|s|min|h|[kM]?Hz|fps|(?:second|minute|hour|day|week|"
    rf"month)s?))$",
    re.IGNORECASE,
)
"""What something does at an interval or after a time: `the scheduler picks up jobs every 30 seconds`."""


def _of_interval(text: str) -> Declared | None:
    found = _TIMED.match(text)
    if not found or ONE_PART.search(found["what"]) or _is_a_name(found["what"]):
        return None
    many = re.search(r"[a-z]s$", found["what"]) and not found["done"].endswith("s")
    one = _DETERMINED.match(found["what"]) and found["done"].endswith("s")
    if not (many or one):
        return None
    verb = "-".join(roots(f"{found['done']} {found['part'] or ''} {found['thing'] or ''}"))
    return _made(found["what"], f"{verb}-{found['how']}", found["rest"])


def _is_of_something(found: re.Match[str]) -> bool:
    """Say whether a fact has a subject that is named, or names something: a tool, a place beside others, a number."""
    names = kind_of(found["rest"].casefold()) or (found["how"] or "").casefold() in _BESIDE
    return bool(names or _DETERMINED.match(found["what"]) or _CONCRETE.search(found["rest"]))


_TAKEN_FROM = re.compile(
    r"^(?P<what>.+?) (?:takes|reads|gets|loads|fetches) (?P<part>(?:the|its|our|all) [^,;:]+?) from (?P<rest>[^,;:]+)$",
    re.IGNORECASE,
)


def _of_verb(text: str) -> Declared | None:
    if (
        (taken := _TAKEN_FROM.match(text))
        and re.search(rf"{_CONCRETE.pattern}|^\.\w", taken["rest"])
        and not _is_a_name(taken["what"])
    ):
        return _made(f"{taken['what']} {taken['part'].partition(' ')[2]}", "take-from", taken["rest"])
    found = _ACTIVE.match(text) or _ACTIVE_FAR.match(text)
    if found and _is_a_name(found["what"]):
        owned = re.match(r"(?:the|our) (?P<what>[\w -]+)$", found["rest"])
        charge = owned and re.match(r"(?:owns|maintains|leads|manages|reviews|approves)$", found["done"])
        return _made(owned["what"], f"{root(found['done'])}-by", found["what"]) if owned and charge else None
    if (
        not found
        or not _is_of_something(found)
        or STATUS.match(found["rest"])
        or STATUS.match(f"{found['how'] or ''} {found['rest']}".strip())
    ):
        return None
    if found["done"].casefold() in {"takes", "take"} and not (found["how"] or "").startswith("place"):
        return None
    if re.match(r"needs?$", found["done"]) and re.match(r"an? ", found["rest"]) and not _CONCRETE.search(found["rest"]):
        return None
    if re.match(r"keeps?$", found["done"], re.I) and re.match(r"\w+ing\b", found["rest"]):
        return None
    if re.match(r"(?:been|had|got|to|a look|it|this|that|me|us)\b(?!/)", found["rest"], re.I):
        return None
    if found["done"].casefold() in {"has", "have"} and re.match(
        r"\w+ed\b|(?:a |an )?(?:\w+ )?(?:bug|typo|bugs)\b", found["rest"], re.I
    ):
        return None
    if re.match(
        r"\d{3}$|(?:\d+|two|three|several) (?:[\w-]+ )?(?:errors?|warnings?|failures?|issues?|bugs?|problems?|"
        r"conflicts?|commits?|changes?|comments?|TODOs?|tests?)\b",
        found["rest"],
        re.I,
    ):
        return None
    if (
        not (found["how"] or "").startswith("place")
        and found["done"].casefold() in _OF_A_PART
        and ONE_PART.search(found["what"])
    ):
        return None
    return _of_relation(found)


_BY_WAY = re.compile(r"(?P<to>.+?) (?:over|via|through|using) (?P<rest>.+)$", re.IGNORECASE)


def _of_relation(found: re.Match[str]) -> Declared | None:
    how = {"through": "via", "inside": "in", "within": "in"}.get((found["how"] or "").casefold(), found["how"])
    relation = _relation(found["done"], how)
    if relation == "has" and re.search(r"\d", found["rest"]) and COUNTED_THING.search(found["what"]):
        return None
    if relation in {"has", "allow", "permit"} and not re.search(_COUNT, found["rest"], re.IGNORECASE):
        return None
    if how == "to" and (over := _BY_WAY.match(found["rest"])):
        return _made(f"{found['what']} to {over['to']}", f"{relation}-over", over["rest"])
    if relation.partition("-")[0] in ADDITIVE and not re.match(
        rf"(?:\w+ )*?(?:\d|(?:one|{NUMBER_WORDS})\b)", found["rest"], re.I
    ):
        relation = f"{relation}-{named('-'.join(roots(found['rest'])))[:40]}"
    if relation in {"has", "have"} and (unit := re.match(r"\w+ (?P<unit>[a-z]+)", found["rest"])):
        relation = f"has-{'-'.join(roots(unit['unit'])) or 'it'}"
    return _made(found["what"], relation, found["rest"])


def _of_being(text: str) -> Declared | None:
    found = _IS.match(text)
    if found and (on := _ON_DAYS.match(found["rest"])) and not _ONE_EVENT.search(found["what"]):
        return _made(found["what"], "", on["rest"])
    if not found or JUDGED.match(found["rest"]) or STATUS.match(found["rest"]):
        return None
    if re.match(r"\d", found["rest"]) and ONE_PART.search(found["what"]) and not _BOUND.search(found["what"]):
        return None  # "the file is 3 GB" is news of one thing
    what, rest = found["what"], found["rest"]
    if re.match(r"in (?:the |an? )?(?:[\w-]+ )?(?:tense|mood|case|format|order|notation|English)$", rest, re.I):
        return _made(what, "", rest)
    if re.match(
        r"(?:[\w-]+ing(?!\.)|been|to|about|why|what|how|when|where|because|like|from|in|at|on|with)\b", rest, re.I
    ):
        hosted = re.search(
            r"\b(?:server|cluster|database|environment|wiki|site|website|portal|registry|archive|handbook|bucket|team|"
            r"data|backend|CI|host|machine|docs|code|office|rotation|schedule|roadmap|backlog|runbooks?|designs|"
            r"mock-?ups|tickets|dashboards?|specs?)$",
            what,
            re.I,
        )
        named_place = r"(?-i:[A-Z])[\w -]+|[a-z]+ \d[\w.]*$|" if hosted else ""
        if re.match(r"our \w+$", what, re.IGNORECASE) and not (is_news_of(what) or _A_DAY.search(rest)):
            hosted, named_place = re.match("", what), r"(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+){0,2}$|"
        if not (hosted or KEPT_SOMEWHERE.search(what)):
            return None
        found = re.match(
            rf"(?P<how>in|at|on) (?P<rest>{named_place}[`'\"]?[\w-]*[./][\w./-]+[`'\"]?)$", rest, re.IGNORECASE
        )
        return _made(what, "store-in", found["rest"]) if found else None
    turned = re.match(r"(?:the|our) (?P<role>[\w -]+)$", rest, re.I)
    if turned and re.match(r"[A-Z`]", what) and not re.match(r"(?:The|Our|All|Every|Each|A|An)\b", what):
        return _made(turned["role"], "", what, negated=bool(found["no"]))
    if _is_a_name(what):
        return None
    if re.match(r"an? ", rest, re.IGNORECASE) and not (_DETERMINED.match(what) or re.search(r"[A-Z]", rest)):
        return None
    if not (VALUE.search(rest) or kind_of(rest.casefold()) or _is_defined(what, rest)):
        return None
    return _made(what, "", rest, negated=bool(found["no"]))


def _is_defined(what: str, rest: str) -> bool:
    """Say whether a plain word says what something is: `the default branch is trunk`, `our users are nurses`."""
    if re.match(r"(?:the|our) default [\w -]+$", what, re.IGNORECASE):
        return " " not in rest
    if _IN_CHARGE.search(what) and re.match(r"the [\w -]+ team$", rest):
        return True
    if _SET_TO.search(what):
        return bool(re.match(r"(?!(?:high|low|off|on|unknown|different|the same|up|unset)\b)[\w-]+(?: [\w-]+)?$", rest))
    people = re.match(
        r"our (?:\w+ )?(?:customers|clients|users|audience|target group|competitors)$", what, re.IGNORECASE
    )
    return bool(people and re.match(r"(?:[\w-]+ ){0,2}[\w-]{3,}s\b", rest))
