"""Demands and statements that a sentence makes in plain grammar, whatever its topic.

A demand is a rule if it is general: of every such thing, of things in the plural, or by a verb of habit. It is a task,
and nothing to remember, if it is of one thing here and now: `rename this variable`, `add a test`, `fix the build`.
"""

import re
from functools import lru_cache

from verifflowcc.base.records import dataclass, replace
from verifflowcc.memory.rules.corrections import revision
from verifflowcc.memory.rules.fact_statements import declared, is_news_of
from verifflowcc.memory.rules.qualifiers import FROM_DAY, RETRACTED, root
from verifflowcc.memory.rules.sentence_doubt import trigger_of
from verifflowcc.memory.rules.sentences import is_soft
from verifflowcc.memory.rules.subject_words import JUDGED, TECH
from verifflowcc.memory.rules.tool_kinds import kind_of

# Words by which a demand is a rule, a task, or talk around it.

OPENING = re.compile(
    r"^(?:(?:please|also|and|so|but|then|(?:team|everyone|all|remember|note|rule|convention|policy|guideline|reminder|"
    r"important|fyi|btw|hint)(?=[,:])|ok(?:ay)?|"
    rf"{FROM_DAY}|{RETRACTED}|"
    r"from (?:now|here|today) on(?:wards?)?|going forward|moving forward|in (?:the )?future|henceforth|as a rule|by "
    r"default|in general|generally|effective immediately|as of (?:now|today)|in (?:this|our) (?:project|repo|"
    r"repository|codebase|team|code)|first(?:ly)?|second(?:ly)?|finally|additionally|instead|actually|correction|new "
    r"rule|(?:one|another) (?:more )?(?:thing|rule)|by the way|(?-i:[A-Z][a-z]+)(?=,))[,:;.]? (?:-+ )?)+",
    re.IGNORECASE,
)
LIMIT_FIRST = re.compile(
    r"^(?:if|when|whenever|unless|once|until|in case|for|in|on|during|outside|inside|provided|as long as|while|except "
    r"for|before|after|even if|even when|by default|to) [^,]{2,70}, (?:then )?(?!and\b|or\b)",
    re.IGNORECASE,
)
"""A limit that goes before its demand; whether it makes the demand uncertain is not judged here."""
LIMIT_LAST = re.compile(
    r",? (?:without (?:asking|telling|consulting|checking with|my)|unless|if|when(?:ever)?|because|since|"
    r"until|while|once|so that|except|even|as long as|provided) .*$",
    re.IGNORECASE,
)
LASTS = re.compile(
    rf"\b(?:{FROM_DAY}|from (?:now|here|today) on|going forward|moving forward|in (?:the )?future|henceforth|"
    rf"as a rule|by default|"
    r"always|never|at all times|every time|no longer|any ?more|everywhere|without exception|in general|consistently|"
    r"policy|convention|new rule|it(?:'s| is) (?:mandatory|required|forbidden|prohibited))\b",
    re.IGNORECASE,
)
ASKS = re.compile(
    r"^(?:(?:always|never|don't|do not|let's(?: (?:always|never|not))?|let us(?: not)?|avoid|refrain from|make sure(?: "
    r"to| that)?|be sure to|ensure(?: that)?|remember to|don't forget to|do not forget to|try to|aim to|(?:we|you) "
    r"(?:must|have to|need to|should|shall|are to|ought to)(?: always| never| not)?|we(?:'ve| have)? (?:always|never|"
    r"agreed to|decided to|no longer|don't|do not)|I(?:'d like| want| need| expect) (?:you|us|everyone) to(?: always| "
    r"never)?|it(?:'s| is) (?:mandatory|required|essential|important|crucial|vital|imperative|critical|forbidden|"
    r"prohibited|our (?:policy|convention|rule)) (?:to|that)|(?:our|the) (?:policy|convention|rule|standard)(?: here)? "
    r"is (?:to|that)|everyone (?:must|should|has to)|(?:developers|engineers|reviewers|authors|contributors|agents) "
    r"(?:must|should|have to)(?: always| never| not)?)\s+)+",
    re.IGNORECASE,
)
HABITS = frozenset(
    "use keep follow prefer stick treat respect log store write name format quote wrap validate handle order sort "
    "prefix suffix document pin tag sign encrypt hash read return raise throw catch mark limit cap round escape "
    "sanitize sanitise retry cache test mock review squash rebase version translate type annotate group place put "
    "favour favor separate avoid match respond answer label end start begin express render close free release rotate "
    "record report link assume pass import export inject declare define initialise initialize represent capitalise "
    "capitalize spell model expose cover discuss serialize serialise parse compress monitor measure archive expire "
    "isolate batch paginate deploy ship build lint run commit push merge work develop design structure organise "
    "organize speak call refer abbreviate indent align split extract derive bind check verify guard authenticate "
    "authorise authorize target support choose rely depend require enforce adopt employ apply type-check typecheck "
    "minify "
    "transpile".split()
)
"""Verbs of what is done again and again."""
ONE_OFF = frozenset(
    "fix rename rerun re-run revert refactor bump show open delete remove move add create update implement look "
    "investigate debug install try change replace rewrite ping ask send make do give get go take let find see tell "
    "explain list print generate clean set start stop restart kill skip ignore undo redo copy paste draft finish "
    "continue wait help convert migrate upgrade downgrade disable enable configure double-check inspect search grep "
    "summarize summarise describe publish cherry-pick resolve assign schedule book order share post edit drop cut "
    "insert correct improve optimise optimize simplify adjust tweak include have provide write run deploy merge commit "
    "push "
    "test check verify review build close call release".split()
)
"""Verbs of tasks; where they are also of habit, what they are done to decides."""
OF_THE_MIND = frozenset(
    "remember know think feel be hope believe note understand realise realize wonder forget imagine love like enjoy "
    "try want appreciate care worry dream stay a an the my your in on at for with by so as to from of not good great "
    "nice have agree disagree argue laugh win lose eat drink go".split()
)
BARE_ADVERBS = re.compile(r"^(?:\w+ly|also|just|only|both|all|either) ", re.IGNORECASE)
UNIVERSAL = re.compile(
    r"\b(?:every|each|all|any|always|never|everywhere|anywhere|whenever|everything|anything|nothing|throughout|per|"
    r"no|at all|consistently|across)\b",
    re.IGNORECASE,
)
HERE = re.compile(
    r"\b(?:this|these|those|it|its|them|here|there|(?:above|below)(?=[,.]|$)|line \d+|number \d+|#\d+|PR \d+|me|my|him|"
    r"her|(?:first|second|third|last|latter|next|previous|other|following|attached|current|new|old|remaining|failing|"
    r"broken|same) (?:one|ones|two|commit|branch|test|file|line|option|step|version|approach|variable|function|method|"
    r"change|error|result|section|paragraph|argument|parameter|column|row|field|element|item)|that (?:file|one|line|"
    r"function|test|branch|commit|code|change|part|method|class|variable)|version \d|v?\d+\.\d+\.\d+)\b",
    re.IGNORECASE,
)
THIS_PROJECT = re.compile(
    r"^it(?:'s| is| would be| was| has been|'d be)\b|\bthis (?:project|repo(?:sitory)?|codebase|team|company|"
    r"service|package|app|library|product)\b|\bits own\b",
    re.I,
)
DEFINITE = re.compile(
    r"^(?:(?:up|down|out|off|on|at|into|to|back|over|for|with) )?(?:the|that|our|your) ", re.IGNORECASE
)
SINGLE = re.compile(r"^(?:(?:up|down|out|at|for) )?(?:an?|one|another|some|two|three|more|\d+) ", re.IGNORECASE)
GENERAL_PLACE = re.compile(
    r"\b(?:for|in|on|before|after|with|at|per|to|as|over|from|against|into|between|around|through|via|by)"
    r" (?!the\b|this\b|that\b|these\b|those\b|a\b|an\b|your\b|my\b|it\b|me\b|main\b|him\b|her\b|them\b|\d)[\w`'\"/.]",
    re.IGNORECASE,
)
OBLIGED = re.compile(
    r"^(?P<what>(?:[\w'/.-]+ ){0,8}?[\w'/.-]+) (?P<verb>must|shall|should|(?:has|have|is|are|needs?) to|ought to|may "
    r"not|may(?= \w+ (?:at most|no more than)\b)|(?:is|are) not to(?= be )|cannot|can't|can not|mustn't|"
    r"shouldn't)(?P<no> not| never| no longer)?(?: only| always)? (?P<rest>[a-z].*)$",
    re.IGNORECASE,
)
NEEDED = re.compile(
    r"^(?P<what>(?:[\w'/.-]+ ){0,6}?[\w'/.-]+) (?:needs?|requires?|gets?|carr(?:y|ies)|belongs?|goes|go|comes?|starts? "
    r"with|begins? with|ends? with|follows?|includes?|contains?|has|have|uses?|lives?|sits?|owns?|takes?|is|are|"
    r"returns?|link(?:s)? to|names?|describes?|states?) (?P<rest>.+)$",
    re.IGNORECASE,
)
_DONE_BY = re.compile(
    r"^(?:[a-z][\w-]* ){1,2}s?\w+s (?:must|should|have to) be \w+ed (?:by|with) (?:the|an?) [\w -]+$", re.I
)
"""Who does something to things of a kind: a rule for all of them."""
PRONOUN = re.compile(
    r"^(?:I|you|we|he|she|they|it|this|that|these|those|there|what|who|which|one|someone|somebody|everyone|let)\b", re.I
)
SPECIFIC = re.compile(r"^(?:the|this|that|your|my|our|his|her|their|these|those) ", re.IGNORECASE)
TASK_REST = re.compile(
    r"\b(?:be|get) (?:fixed|updated|merged|restarted|deployed|changed|renamed|rewritten|refactored|removed|deleted|"
    r"moved|reverted|cleaned|investigated|redone|replaced|migrated|rebuilt|upgraded|finished|done|closed|resolved|"
    r"fast(?:er)?|better|bigger|smaller)\b|\b(?:an? (?:\w+ )?(?:fix|review|restart|refactor\w*|update|rewrite|rebase|"
    r"look|test|break|bit|lot|new \w+|cleanup|bump)|some|work|more|another|help|attention|fixing|updating|work|love)\b",
    re.IGNORECASE,
)
PEOPLE = re.compile(
    r"\b(?:pizzas?|beers?|drinks|dinner|breakfast|snacks|hackathon|(?<!-)party|fun|positive|smile|happy|relax|breath\w*|"
    r"water|coffee|tea|lunch|food|sun(?!days?\b)\w*|weather|music|love|hugs?|birthday|weekend|pride|holidays?|vacation|"
    r"gym|walk|hik\w*|stairs|kids?|family|mom|dad|wife|husband|dreams?|life|yourself|proud|grateful|curious|learning|"
    r"growth|mindset|attitude|faith|hope|heart|kind(?:ness)?|patient|patience|dog|cat)\b",
    re.IGNORECASE,
)
TALK = re.compile(
    r"^never \w+, you\b|\bbest \w+ ever\b|\b(?:important|dear) to me\b|^no prob\b|^(?:\w+, )?(?:we|I) (?:have|need|"
    r"ought) to (?:speak|talk) (?:about|of)\b|\b(?:keep (?:up|going|doing|at it|me|you|in mind|an eye|it up|your)|"
    r"don't (?:hesitate|shy|worry|be|let|get|feel)|do not (?:hesitate|worry|be)|make sure you(?:'re| do\b| are)?|start "
    r"(?:by|off)|feel free|reach out|(?:a |an |the |some |any |few |two |three |new |following |specific |certain |"
    r"particular |our |your |important |key |naming |coding |good |best |same |another )(?:[\w-]+ "
    r"){0,2}?(?:conventions?|practices?|guidelines?|changes?|habits?|approach|mindset|adjustments?)(?=$| (?:for|to|in|"
    r"from|when|going|moving|with|of|regarding|that|on|now)\b)(?! (?:is|are) )|(?:is|are|remains?|plays?|be) (?:an?|"
    r"the|one of the) (?:[\w-]+ )*?(?:skill|aspect|part|differentiator|cornerstone|priority|principle|choices?|"
    r"challenge|opportunity|role|way|key|tool for|form of|process|example|advantage|benefit)\b|a (?:combination|"
    r"variety|range|mix|lot|number|couple|few|bit) of|various|several|pros and cons|(?:we|I) (?:also |really |just |"
    r"always )?(?:want|like|need|hope|aim|strive|try) to (?:ensure|make sure|keep|create|emphasi[sz]e|foster|encourage|"
    r"improve|standardi[sz]e|stress|see|learn|know)|let's (?:dive|start|talk|discuss|see|go|move)|there(?:'s| is| are)|"
    r"you must be (?-i:[A-Z])|user-friendly|mindful|as you know|studies|research|to be honest|can't afford|pay "
    r"attention|take (?:care|pride|time|breaks?|advantage|notes?|part|ownership|initiative|a (?:look|break|moment))|"
    r"focus on (?!\w+ tests))\b|\b(?:an? )?(?:specific|particular|certain) [\w-]+(?: [\w-]+)?$",
    re.IGNORECASE,
)
"""Talk around a rule: announcements without it, encouragement, what is good in general."""


_DECIDED = re.compile(
    r"^(?:(?:so|ok(?:ay)?|after [^,]+),? )?(?:after [^,]{3,40} )?(?:(?:we|I|the (?:\w+ )?(?:team|architects?|board|"
    r"group|maintainers|developers|engineers))(?:'ve| have| all| finally| now| just)* (?:decided|agreed|chose|chosen|"
    r"settled|opted|picked|voted|went with|standardi[sz]ed|adopted|committed to)\b(?! to (?:meet|talk|wait|postpone|go|"
    r"have|take|see|call|look|grab)\b)|(?:(?:the|our) )?decision(?: is(?: to| that)|:)|it (?:was|has been|is) "
    r"(?:decided|agreed) (?:that|to)\b)",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"^(?:(?:so|ok(?:ay)?|actually|correction|update|fyi|note)[,:]? )*(?:(?:we|the team|our team)(?:'ve| have| all| "
    r"finally| now| just| recently| fully)* (?:(?:moved|migrated|switched|upgraded|transitioned|changed|ported)(?= "
    r".*\bto\b)|went(?= from \S.*\bto\b)|(?:replaced|swapped|traded|exchanged)(?= .*\b(?:with|by|for)\b)|dropped|"
    r"retired|ditched|abandoned|deprecated|discontinued|phased out|got rid of|stopped (?=\w+ing\b)|no longer|sunset|"
    r"decommissioned|quit|outgrew|are done with)|.{3,60} (?:replaces|replaced|has replaced|supersedes|was replaced by|"
    r"is replaced by|has been replaced by|is deprecated|is retired|is gone(?! (?:from|to|again)\b)|was dropped|was "
    r"retired|has been (?:dropped|retired|removed)))\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^no (?!prob|worries|need|doubt|matter|rush|one|way|thanks|idea|wonder|question|more\b|clue|luck|offence|tests? |"
    r"error|issue|change|conflict|warning|failure|result|update|comment|objection|reply|response|hurry)(?P<what>.+)$",
    re.IGNORECASE,
)
_IS_A_STATEMENT = re.compile(
    r"^[\w-]+ (?:[\w-]+ ){0,2}?(?:is|are|was|were|has|must|should|shall|needs?|(?<=s )(?:start|starts|include|live|go|"
    r"have|contain|end|use|follow|carry|expire|belong|come|sit|run|own|begin|point|require|get|cost|last|take)) ",
    re.IGNORECASE,
)
"""A noun that is also a verb: `commit messages start with …`, `search is powered by …`."""
_NO_PLACE = re.compile(
    r"\b(?:in|from|outside of|on|inside|into|between|for) (?!the\b|this\b|my\b|that\b)\w", re.IGNORECASE
)
_NO_SUCH = re.compile(
    r"(?:[\w-]+ ){1,2}(?!(?:tests|errors|issues|changes|conflicts|warnings|failures|results|updates|comments|"
    r"objections|replies|questions|problems|bugs|regressions|complaints|news|plans|meetings|worries|hits|matches|"
    r"differences)\b)[a-z-]+s(?:, ever)?$|(?:[\w-]+ ){0,2}?[\w-]+ (?:in|on) (?:the|our) (?:[\w-]+ )?(?:app|modules?|"
    r"layer|tests|packages?|service|repo(?:sitory)?|codebase|code|project|docs)(?:, ever)?$",
    re.IGNORECASE,
)
"""Things of a kind that are banned: `no wildcard imports`; what is merely not there (`no new errors`) is news."""
_NO_WITHIN = re.compile(
    r"(?!.*\b(?:tests|errors?|issues|changes|conflicts|warnings?|failures?|results?|updates?|comments|objections|"
    r"replies|questions|problems?|bugs?|regressions|complaints|news|plans|meetings|worries|hits|matches|differences|"
    r"sign|trace|luck|progress)\b)(?:[\w-]+ ){0,2}[\w-]+ (?:in|inside) (?:the|our) (?:[\w-]+ )?[a-z]+s$",
    re.IGNORECASE,
)
_LEAVES = re.compile(r"(?:avoid|refrain from|stop(?= \w+ing\b)|steer clear of|stay away from)\b", re.IGNORECASE)
_IN_MANNER = re.compile(
    r" in (?:an? |the )?(?:[\w-]+ )?(?:mood|style|form|format|tense|language|voice|order|case|notation|person|"
    r"English|imperative|infinitive|present|past|passive|singular|plural)(?=$|,? and )",
    re.I,
)
"""How something is written whenever it is."""
_PROPOSES = re.compile(r"let's|let us")
_SETTLES = frozenset({"standardize", "standardise", "adopt", "settle", "stick", "agree"})
_NO_OBJECT = re.compile(
    r"(?:me|us|him|her|out|in (?:with|to|as)|into|off|sure|on with|back|down|if|whether|how|why|what|that)\b",
    re.IGNORECASE,
)
_NO_ONE = re.compile(
    r"(?:no ?body|no one|no-one) (?:ever |directly )?(?P<verb>[a-z]+s) (?!(?:why|how|what|that|if)\b)\w", re.I
)
_WITH_HANDS = frozenset(
    "push commit merge deploy edit release publish store log import rebase squash bypass touch modify approve tag "
    "rename delete "
    "create restart disable".split()
)
"""What people do to a project; a sentence that no one reads or likes something is talk."""
_EACH_DOES = re.compile(
    r"(?:every|each) (?:[\w-]+ ){1,4}?(?!is\b|was\b|has\b|time\b|day\b|this\b)[a-z]+s (?!are\b|is\b)[\w`]+",
    re.IGNORECASE,
)
_NEVER_DOES = re.compile(
    r"(?!(?:the|this|that|these|those|my|your|his|her|their|our|an?|some|most|many|it|they|he|she|we|I|you|users?|"
    r"people|customers|meetings|vendors|developers|engineers|managers|everyone|who|what|there)\b)(?:[\w-]+ "
    r"){0,2}(?:[\w-]+s|data|code|state|PII) never (?!(?:work|finish|end(?! up)|match|answer|fail|happen|stop|get|know|"
    r"lie|die|come|change|seem|look|help|matter|hurt|learn|sleep|read|agree|forget|had|was|were|did|saw|made|go(?= as| "
    r"to plan| well| smooth))(?:e?s)?\b|\w+ed\b)[a-z]+ \w",
    re.IGNORECASE,
)
"""What things of a kind never do: `secrets never end up in logs`."""
_HAS_BEEN = re.compile(
    r"\b(?:has|have|is|are) (?:been |now )?\w+(?:ed|ing)\b(?! (?:by|in|with|as|via|to|every|after|from)\b)"
)
_HOLD = re.compile(
    r"(?:[\w-]+ ){0,3}[\w-]+s (?:(?:start|begin|end) with|(?:include|contain|carry|name|follow|return|link to) )",
    re.IGNORECASE,
)
_BELONGS = re.compile(
    r"[\w' -]+? (?:(?:belongs?|go(?:es)?) (?:in|into|on|to|under|behind|through|via)|(?:comes?|runs?) (?:before|"
    r"after)) .+$",
    re.IGNORECASE,
)
_ONE_NAME = re.compile(r"`[^`]+`|[\w.]+\(\)|[\w/-]+\.\w{1,4}\b|[a-z]+_\w+|[a-z]+[A-Z]\w*")
"""One thing of the code, by its name: what is done to it once is a task."""
_MOST_WORDS, _MOST_SURE = 30, 22
_RULE, _FACT, _DECISION = "guideline", "fact", "decision"


@dataclass(frozen=True, slots=True)
class Plain:
    """A statement in plain grammar: its type, and whether it surely is one; `demand` says that it asks for "
    "something."""

    type: str
    sure: bool
    demand: bool = True
    corrects: bool = False
    """Whether it says no more than that something else was so before."""


@lru_cache(maxsize=512)
def plainly(sentence: str) -> Plain | None:
    """Return what a sentence states or asks for in plain grammar, for good; None for a task, news or talk.

    >>> plainly("Wrap external calls in a timeout."), plainly("Rename this variable.")
    (Plain(type='guideline', sure=True, demand=True, corrects=False), None)
    """
    text = sentence.strip(" .\"'")
    if trigger_of(text) and not TALK.search(text):
        return Plain("communication_style", sure=len(text.split()) <= _MOST_SURE)
    if TALK.search(text):
        return None
    words = text.split()
    back = revision(text)
    if back and back.last:
        return Plain(_FACT, sure=False, demand=False)
    if not 3 <= len(words) <= _MOST_WORDS or sentence.endswith(("?", ":", "...", "…")) or PEOPLE.search(text):
        return None if len(words) != 2 else _of_two(text)
    found = _of_sentence(sentence, text)
    long = len(words) > _MOST_SURE
    return replace(found, sure=False) if found and (long or is_soft(sentence)) else found


_WENT_WRONG = re.compile(
    r"\b(?:\w*(?:Error|Exception)|crash(?:es|ed|ing)?|fail(?:s|ed|ing)?|broke|broken|stack ?trace|hangs?|hung)\b"
)
"""News of a fault: what stopped, and did not end for good."""


def corrects(sentence: str) -> Plain | None:
    """Return what a sentence states that says no more than that something else was so before; None for any other.

    >>> corrects("Secrets are in Vault now.").corrects, corrects("The weather is better now.")
    (True, None)
    """
    text = sentence.strip(" .\"'")
    if not 3 <= len(text.split()) <= _MOST_SURE or TALK.search(text) or PEOPLE.search(text) or is_soft(sentence):
        return None
    back = revision(text)
    if re.search(r"\b(?:I|you|me|my|your|it|them)\b", text, re.IGNORECASE) and not (back and back.lifts):
        return None
    moved = re.match(r"(?P<what>.+?) (?:(?:has|have|was|were|is|are|been|being) )*(?:mov|switch|migrat|went)", text)
    proposes = bool(re.match(r"(?:let's|let us)\b", text, re.IGNORECASE))
    if moved and not proposes and is_news_of(moved["what"]):
        return None
    if back is None or _WENT_WRONG.search(text):
        return None
    return Plain(_DECISION, sure=not proposes, demand=False, corrects=True)


def _of_sentence(sentence: str, text: str) -> Plain | None:
    if _DECIDED.match(text) and not re.search(r"\b(?:to|on|that|:) ?(?:[a-z]\w*|\w+days?|\d\w*)$", text):
        clause = re.sub(r"\b(?:decided|agreed) that\b", "", text, flags=re.IGNORECASE)
        return Plain(_DECISION, sure=not re.search(r"\b(?:it(?! was| is| has)|this|that|them)\b(?! the)", clause))
    if _CHANGED.match(text):
        moved = re.match(
            r"(?:we|the team)(?: \w+)? (?:moved|switched|changed) (?:the |our )?(?P<what>[\w -]+?) to\b", text, re.I
        )
        if moved and is_news_of(moved["what"]):
            return None
        return Plain(_DECISION, sure=not HERE.search(text.replace("these days", "now")), demand=False)
    start = OPENING.sub("", text)
    bare = OPENING.sub("", LIMIT_FIRST.sub("", start))
    if bare != start and re.match(r"(?:in|for|on) (?!case\b|theory\b|general\b)", start, re.IGNORECASE):
        bare = _with_place(bare, start)
    lasting = bool(LASTS.search(text))
    asks = ASKS.match(bare)
    rest = bare[asks.end() :] if asks else bare
    return _of_order(bare, rest, asks[0] if asks else "", lasting=lasting) or _of_duty(bare) or _of_fact(sentence, bare)


_OF_PEOPLE = frozenset("go eat drink celebrate laugh grab meet sit walk bring sing play dance cook order".split())
_WHEN = re.compile(r"\b(?:after|before|during|at|on|for|when|while|until) .*$", re.IGNORECASE)


def is_private(sentence: str) -> bool:
    """Say whether a sentence is of people's lives and names nothing of the project: `we always go to the same café`."""
    verb = re.match(r"(?:I|we)(?: always| never| usually| often)* (?P<verb>[a-z]+)", sentence, re.IGNORECASE)
    if verb and verb["verb"].casefold() in _OF_PEOPLE and not TECH.search(_WHEN.sub("", sentence)):
        return True
    if TECH.search(sentence):
        return False
    return bool(PEOPLE.search(sentence) or (verb and verb["verb"].casefold() in OF_THE_MIND - {"agree", "try", "want"}))


def is_task(sentence: str) -> bool:
    """Say whether a sentence speaks of one thing here and now (`this variable`, `line 42`) or orders a single act."""
    bare = OPENING.sub("", sentence.strip())
    single = not LASTS.search(sentence) and bare.split(" ", 1)[0].casefold() in ONE_OFF - {
        "write",
        "update",
        "include",
    }
    passing = re.match(r"(?:make sure|ensure|check) (?:that )?(?:the|it|this|if|whether)\b", bare, re.IGNORECASE)
    return bool(_here(sentence) or single or passing)


def is_wanted_once(sentence: str) -> bool:
    """Say whether what a sentence requires is wanted now, of one thing: `the app needs a restart`, `404 here`."""
    needed = re.search(r"\bneeds? an? .+", sentence, re.IGNORECASE)
    return bool((needed and TASK_REST.search(needed[0])) or sentence.rstrip(" .!").endswith(" here"))


def _here(text: str) -> re.Match[str] | None:
    """Return the words by which a text points at one single thing, outside of a limit at its end."""
    plain = LIMIT_LAST.sub("", THIS_PROJECT.sub("", text))
    return HERE.search(_OF_ITSELF.sub(lambda found: found["what"] or found["what2"] or found["what3"], plain))


_OF_ITSELF = re.compile(
    r"(?P<what>^(?:\w+ ){1,3}?(?:[a-z-]+ )?[a-z-]{3,}s\b.*?)\b(?:them|they|their)\b|(?P<what2>\b(?:every|each|any|an?) "
    r"[\w-]+ .*?)\bit(?:s)?\b|(?P<what3>^[a-z]{3,} (?!(?:it|them|the|this|that|these|those|our|your|my|all)\b)[a-z-]+ "
    r".*?\b(?:and|before|after) [a-z]+ )it\b",
    re.IGNORECASE,
)
"""A pronoun for things of the same sentence: `wrap errors before returning them`."""
_ONE_PLACE = re.compile(
    r"\b(?:first|second|third|last|next) (?:argument|parameter|line|column|element|item|field|row|step)\b", re.I
)
"""A place in things of a kind, where it is not that of one thing that is spoken of."""


def _with_place(bare: str, opened: str) -> str:
    """Return a demand with the place that stood before it at its end: `In tests, use X` as `use X in tests`."""
    place = opened[: len(opened) - len(bare)].strip(" ,")
    return f"{bare} {place[:1].lower()}{place[1:]}" if bare.split(" ", 1)[0].casefold() in HABITS else bare


def _of_two(text: str) -> Plain | None:
    """Read an order of two words (`Pin dependencies`), of which one can only be sure by its `never` or `always`."""
    first, second = text.split()
    plural = second.endswith("s") and not second.endswith("ss")
    if first == "Use" and kind_of(second.casefold()):
        return Plain(_RULE, sure=True)
    return Plain(_RULE, sure=False) if first.casefold() in HABITS and plural and not PEOPLE.search(text) else None


def _of_order(bare: str, rest: str, asks: str, *, lasting: bool) -> Plain | None:
    """Read an order, with or without words that ask for it."""
    if no := _NO.match(bare):
        states = re.search(r"\b(?:is|are|was|were)\b", bare)
        return (
            None
            if states
            else Plain(
                _RULE,
                sure=any((_NO_PLACE.search(no["what"]), _NO_SUCH.match(no["what"]), _NO_WITHIN.match(no["what"]))),
            )
        )
    if not asks and (_IS_A_STATEMENT.match(bare) or re.match(r"just ", bare, re.IGNORECASE)):
        return None
    asked = asks.casefold()
    gerund = bool(_LEAVES.match(bare[len(bare) - len(rest) - len(asks) :])) or "avoid" in asked or "refrain" in asked
    if stop := re.match(r"stop (?P<doing>\w+ing)\b (?P<what>.+)", rest, re.IGNORECASE):
        one = DEFINITE.match(stop["what"]) and not (stop["doing"] == "using" and GENERAL_PLACE.search(stop["what"]))
        return None if HERE.search(stop["what"]) or one else Plain(_RULE, sure=True)
    while found := BARE_ADVERBS.match(rest):
        rest = rest[found.end() :]
    here = _here(_ONE_PLACE.sub("", rest) if lasting or re.search(r" as (?:the|its) \w+ \w+$", rest) else rest)
    if here and not (lasting and here[0].casefold() == "here"):
        return None
    if gerund:
        return Plain(_RULE, sure=not DEFINITE.match(rest) or bool(re.match(r"\w+ing ", rest))) if rest else None
    return _of_verb(rest, asked, lasting=lasting)


def _of_verb(rest: str, asked: str, *, lasting: bool) -> Plain | None:
    """Read an order from its verb on; `asked` has the words that ask for it."""
    verb, _, what = rest.partition(" ")
    plain = verb.casefold().strip(",")
    if _PROPOSES.match(asked) and plain in _SETTLES:
        return Plain(_RULE, sure=True)
    if (_PROPOSES.match(asked) or re.match(r"(?:we|you) should\b|try to|aim to", asked)) and not lasting:
        return None
    if asked.startswith(("it is", "it's")) and PRONOUN.match(rest):
        return None
    if asked.startswith(("make sure", "ensure", "be sure", "it is", "it's")) and not re.search(r"\bto $", asked):
        general = UNIVERSAL.search(rest) or not SPECIFIC.match(rest)
        return Plain(_RULE, sure=True) if what and general else None
    forbids = bool(re.search(r"\b(?:don't|do not|not|never)\b", asked))
    if plain not in HABITS and plain not in ONE_OFF:
        if what.startswith("to ") or not (asked and what and plain.replace("-", "").isalpha()) or plain in OF_THE_MIND:
            return None
        banned = bool(re.search(r"\b(?:don't|do not)\b", asked))
        one = bool(DEFINITE.match(what) or SINGLE.match(what))
        if banned and one and not lasting:
            return Plain(_RULE, sure=False) if re.match(r"we\b", asked) else None
        return Plain(_RULE, sure=True) if lasting or banned else None
    if not what or _NO_OBJECT.match(what) or (plain in OF_THE_MIND and re.match(r"we\b|i\b", asked)):
        return None
    if lasting or re.search(r"\bmust\b", asked):
        return Plain(_RULE, sure=True)
    return _of_object(plain, what, forbids=forbids)


def _of_object(verb: str, what: str, *, forbids: bool) -> Plain | None:
    """Say by its object whether an order is a rule or a task."""
    if verb == "use" and re.search(r" to \w+ (?:the|out|why|what|where|how|this)\b", what):
        return None
    place = bool(GENERAL_PLACE.search(what))
    if UNIVERSAL.search(what):
        return Plain(_RULE, sure=verb in HABITS or verb in {"add", "give", "write", "include"})
    if DEFINITE.match(what):
        if verb == "use" and re.search(r",? (?:and )?not [\w.()`/-]+$", what):
            return Plain(_RULE, sure=True)
        if verb in {"use", "keep", "follow", "prefer", "stick", "treat", "respect", "rely"}:
            return (
                Plain(_RULE, sure=place or verb in {"keep", "follow", "stick", "respect"})
                if place or verb != "use"
                else None
            )
        return Plain(_RULE, sure=verb in HABITS and verb not in ONE_OFF) if place and verb in HABITS else None
    if SINGLE.match(what):
        if verb in HABITS and verb not in ONE_OFF and place:
            return Plain(_RULE, sure=True)
        return None
    if verb not in HABITS:
        one = not forbids and _ONE_NAME.match(what)
        return Plain(_RULE, sure=forbids) if forbids or (place and not one) else None
    if _IN_MANNER.search(what) and verb in HABITS:
        return Plain(_RULE, sure=True)
    if re.search(r" \w+ly$", what) and verb in HABITS:
        return Plain(_RULE, sure=True)
    if re.match(r"(?:\w+ly )?(?:[\w-]+/)*[\w-]+\.\w+$|\w+$", what) and verb in ONE_OFF and not forbids:
        return None
    return Plain(_RULE, sure=forbids or place or verb not in ONE_OFF)


def _of_duty(bare: str) -> Plain | None:
    """Read `every X must …`, `X needs …`: what things have to be."""
    if none := _NO_ONE.match(bare):
        return Plain(_RULE, sure=True) if root(none["verb"]) in _WITH_HANDS and not _here(bare) else None
    if re.match(r"under no circumstances (?:should|may|must|do|can) (?!I\b|it\b|this\b|that\b)", bare, re.IGNORECASE):
        return Plain(_RULE, sure=True)
    if found := OBLIGED.match(bare):
        return _of_obligation(found, bare)
    if found := _NEVER_DOES.match(bare):
        return None if _here(bare) or PEOPLE.search(bare) else Plain(_RULE, sure=True)
    if _EACH_DOES.match(bare):
        often = re.search(
            r"\b(?:takes|lasts|costs|times|fails|crashes|breaks|hurts|counts|matters|hates|loves|likes|thinks|knows|"
            r"wants|seems|looks|feels|makes (?:it|things|me|us)|(?:I|you|we) know)\b|\b(?:surprises?|problems?|issues?|"
            r"bugs?|regressions?|flaws?|downsides?|reasons?|price|quirks?)$",
            bare,
        )
        return None if often or _here(bare.replace("its", "")) else Plain(_RULE, sure=True)
    needed = NEEDED.match(bare)
    if needed and re.match(r"(?:at|on) (?:\d|noon|\w+day\b)", needed["rest"]):
        return None
    if needed and re.match(
        r"(?:every|each|all|any|new|no) |(?:any|every)thing (?!is|has)\w+", needed["what"], re.IGNORECASE
    ):
        if re.search(r" (?:is|are) $", bare[: len(bare) - len(needed["rest"])]) and JUDGED.match(needed["rest"]):
            return None
        past = _HAS_BEEN.search(bare) or HERE.search(bare.replace("its", ""))
        return None if past else Plain(_RULE, sure=True)
    if needed and re.search(r"\b(?:needs?|requires?)\b", bare) and not SPECIFIC.match(needed["what"]):
        one = PRONOUN.match(needed["what"]) or TASK_REST.search(needed["rest"])
        return None if one else Plain(_RULE, sure=True)
    if (needed and _HOLD.match(bare)) or _BELONGS.match(bare):
        return None if PRONOUN.match(bare) or SPECIFIC.match(bare) else Plain(_RULE, sure=True)
    return None


def _of_obligation(found: re.Match[str], bare: str) -> Plain | None:
    """Read `X must Y`; of one thing that is named, it is a requirement, and with `should` it waits."""
    what, rest, verb = found["what"], found["rest"], found["verb"].casefold()
    if PRONOUN.match(what) and not re.match(r"(?:we|you) (?:may not|cannot|can't)", bare, re.IGNORECASE):
        return None
    all_of_it = re.fullmatch(r"(?:every|any)thing|all of it", what, re.IGNORECASE)
    if TASK_REST.search(rest) and (all_of_it or not UNIVERSAL.search(what)) and not _DONE_BY.search(bare):
        return None
    if (verb in {"is to", "are to"} and not rest.startswith("be ")) or _here(bare):
        return None
    one = bool(SPECIFIC.match(what))
    return Plain("requirement" if one else _RULE, sure=not (one and verb in {"should", "ought to"}))


def _of_fact(sentence: str, bare: str) -> Plain | None:
    wants = r"we (?:require|enforce|expect|forbid|ban|mandate) (?!it\b|this\b|you\b|that you\b|the\b)(?P<one>an? )?\w"
    wanted = re.match(wants, bare, re.I)
    if wanted and (not wanted["one"] or UNIVERSAL.search(bare)):
        return Plain(_RULE, sure=True)
    if re.match(r"(?:we|I) want (?:every|each|all|no) (?!of\b|this\b|that\b|the\b)\w+ \w+", bare, re.I) and not _here(
        bare
    ):
        return Plain(_RULE, sure=True)
    if re.match(
        r"we (?:want|need) (?!it\b|this\b|you\b|that\b|a\b|an\b|the\b|to\b|some\b|more\b)\w+,? \w+", bare, re.I
    ):
        return Plain(_RULE, sure=False)
    ruled = re.match(
        r"(?:the|our) (?:convention|rule|standard|policy)(?: here| for [\w ]{2,30})? is (?P<what>\S+ .+)", bare, re.I
    )
    if ruled and not re.match(
        r"(?:to|that|under|in|on|being|still|not|very|too|so|about|the same)\b", ruled["what"], re.I
    ):
        return None if JUDGED.match(ruled["what"]) or _here(bare) else Plain(_RULE, sure=True)
    found = declared(sentence)
    return Plain(_FACT, sure=found.known, demand=False) if found else None
