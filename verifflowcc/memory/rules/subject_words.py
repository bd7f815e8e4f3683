"""Words by which a sentence is of work, of the user, of this project, or of one task."""

import re
from collections.abc import Mapping
from functools import lru_cache

# Which language a turn is in, as far as that says whether the rules can read it: they read English.

_WORDS: Mapping[str, frozenset[str]] = {
    "German": frozenset(
        "der die das den dem des ein eine einen einem und oder nicht kein keine ist sind wird werden wurde wir "
        "ihr sie ich du er "
        "mit auf für von zu im zum zur bei nach aus über unter vor immer niemals nie bitte benutze verwende "
        "verwenden nutzen "
        "nutze unsere unser unseren mein meine auch aber wenn dass als läuft statt alle jede jeder jedes sollte "
        "muss müssen "
        "darf dürfen kann können haben hat beträgt liegt nur noch schon sehr diese dieser dieses direkt vom am "
        "ans".split()
    ),
    "French": frozenset(
        "le la les un une des du de et ou ne pas jamais toujours est sont être nous vous ils elles je tu il "
        "elle avec sur pour "
        "dans par au aux notre nos votre vos mon ma mes ce cette ces que qui utilise utiliser utilisons "
        "utilisez doit doivent "
        "faut chaque tous toutes sans sous chez plus très aussi mais si comme c'est n'utilise l'api où dépasser".split()
    ),
    "Spanish": frozenset(
        "el la los las un una unos unas del de y o no nunca siempre es son está están nosotros usted ellos yo "
        "tú con en para "
        "por nuestro nuestra nuestros mi mis este esta que quien usa usar usamos use debe deben cada todos "
        "todas sin sobre muy "
        "también pero si como se al lo hay hagas haga en lugar guardan guarda".split()
    ),
    "Italian": frozenset(
        "il lo la i gli le un uno una del della dei delle di e o non mai sempre è sono noi voi loro io tu con "
        "su per nel nella "
        "nostro nostra nostri mio mia questo questa che chi usa usare usiamo deve devono ogni tutti tutte senza "
        "sotto molto "
        "anche ma se come si al alla fare in da dal".split()
    ),
    "Portuguese": frozenset(
        "o a os as um uma uns umas do da dos das de e ou não nunca sempre é são está estão nós eles eu você com "
        "em para por no na "
        "nosso nossa nossos meu minha este esta que quem usa usar usamos use deve devem cada todos todas sem "
        "sobre muito também "
        "mas se como ao há".split()
    ),
    "Dutch": frozenset(
        "de het een en of niet geen nooit altijd is zijn wordt worden wij we jullie zij ik jij hij met op voor "
        "van naar in bij "
        "onze ons mijn dit deze dat die gebruik gebruiken moet moeten mag elke alle zonder onder zeer ook maar "
        "als".split()
    ),
    "Swedish": frozenset(
        "den det en ett och eller inte aldrig alltid är vi ni de jag du han hon med på för av till vår vårt "
        "våra min mitt detta "
        "dessa som använd använder måste får varje alla utan under mycket också men om ska".split()
    ),
    "Polish": frozenset(
        "i lub nie nigdy zawsze jest są my wy oni ja ty on ona z na dla od do w nasz nasza nasze mój ten ta to "
        "który używaj "
        "używamy musi muszą każdy wszystkie bez pod bardzo także ale jeśli się po przy".split()
    ),
}  # fmt: skip
_ENGLISH = frozenset(
    "the a an and or not no never always is are was were be we you they i he she it with on for of to in at by "
    "from our your my "
    "this that these those which who use uses used using must should every all each without but if as do does "
    "don't have has "
    "please keep will can so then than when there what how now only into instead any let make sure need".split()
)
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", re.DOTALL)
OTHER_SCRIPT = "another script"


@lru_cache(maxsize=256)
def unread_language(text: str) -> str:
    """Return the language of a text that the rules do not read; "" for English, and where that is not clear.

    >>> [unread_language(each) for each in ("Wir verwenden es als Cache.", "We use Postgres.", "使う")]
    ['German', '', 'another script']
    """
    words = [each.casefold() for each in _TOKEN.findall(_CODE.sub(" ", text.replace("’", "'"))[:4_000])]
    letters = "".join(words)
    if letters and 3 * sum(ord(each) > 0x24F for each in letters) >= len(letters):
        return OTHER_SCRIPT
    english = sum(each in _ENGLISH for each in words)
    counts = {name: len({each for each in words if each in known}) for name, known in _WORDS.items()}
    best = max(counts, key=lambda name: (counts[name], name))
    own = len({each for each in words if each in _WORDS[best] and each not in _ENGLISH})
    return best if own >= 2 and own > english else ""


TO_ME = re.compile(
    r"\b(?:(?:answer|reply|respond|talk|speak|explain\w*|show|tell|ask|give|call|"
    r"address)(?: \w+)? (?:to )?me(?! before)|for me|my (?:editor|answers?|preference|preferred|own|"
    r"terminal|shell|screen))\b",
    re.IGNORECASE,
)
OURS = re.compile(r"\b(?:we|our|us|the (?:project|team|repo|codebase|service|app))\b", re.IGNORECASE)
TECH = re.compile(
    r"`[^`]+`|'[^'\s]{2,30}'|\b\w+\.(?:py|js|ts|go|rs|md|ya?ml|toml|json|sql|sh)\b|\b\w+_\w+\b|"
    r"\b(?-i:[A-Z]{2,6})\b|\b(?:code|tests?|branch\w*|databases?|APIs?|endpoints?|migrations?|queries|"
    r"schema|package|dependenc\w+|version|deploy\w*|production|staging|logs?|config\w*|build|release|"
    r"repo\w*|modules?|functions?|class(?:es)?|types?|errors?|exceptions?|tabs|spaces|indentation|lines?|"
    r"imports?|commits?|library|server|docker|containers?|cache|queue|file|folder)\b",
    re.IGNORECASE,
)
HERE = re.compile(
    r"\b(?:(?:in|for|of|on|throughout) (?:this|our|the) (?:project|repo(?:sitory)?|codebase|code|package|"
    r"service|app|docs|team|module|library|branch)|around here|in here|that we\b|generated files)",
    re.IGNORECASE,
)
EVERYWHERE = re.compile(
    r"\b(?:(?:in|for|across) (?:all|any|every|each)(?: of)?(?: my)? (?:projects?|repos?|repositor(?:y|"
    r"ies))|whatever the project|every project|across projects|everywhere|in general,? I|personally)\b",
    re.IGNORECASE,
)
COMMANDS = re.compile(
    r"^(?:(?:please|and|also|but|so|ok(?:ay)?|then|(?-i:[A-Z])\w+(?=,)),? )*(?:always|never|avoid|stop|"
    r"prefer|no|from now on|going forward|moving forward|in (?:the )?future|henceforth|as of today|"
    r"by default)\b|"
    r"\b(?:you|we|I|everyone|nobody|developers|all \w+|every \w+) (?:should|must|shall|always|never|"
    r"have to|need to|are to|no longer|may not|cannot|can't)\b|"
    r"\b(?:must|should|shall) (?:always|never|not)\b|\bwant you to\b|\bwe(?:'ve| have)? (?:decided|agreed|"
    r"switched|moved|adopted)\b",
    re.IGNORECASE,
)
FORBIDS = re.compile(
    r"^(?:(?:please|and|also|but|so),? )*(?:don't|do not|never|avoid|stop|(?:I|we) (?:don't|"
    r"do not) want (?:you|anyone|anybody|us))\b",
    re.IGNORECASE,
)
ONCE = re.compile(r"\b(?:yet|for now|this time|right now|today|just this|at the moment|first)\b", re.IGNORECASE)
STANDARD = re.compile(
    r"^(?:please )?(?:use|follow|stick to|keep to|respect|apply) [^.]*\b(?:guides?|guidelines?|standards?|"
    r"conventions?|style|template|voice|branding|policy|rules|format|terminology)\b",
    re.IGNORECASE,
)
ABOUT_ANSWERS = re.compile(
    r"\b(?:(?:answer|reply|respond|explain\w*|talk|speak|address|call)\b|me\b|answers?|replies|responses?|"
    r"explanations?|"
    r"emojis?|jargon|tone|examples?|bullet points?|small talk|summar(?:y|ies))\b",
    re.IGNORECASE,
)
WORK = re.compile(
    r"\b(?:work\w*|meetings?|stand-?ups?|review\w*|pull requests?|PRs?|tickets?|issues?|editor|IDE|terminal|shell|"
    r"keyboard|screen|theme|mode|pair\w*|program\w*|develop\w*|debug\w*|document\w*|emails?|slack|calls?|focus|"
    r"deadlines?|sprints?|projects?|clients?|customers?|users?|team\w*|manager|lead|engineer\w*|design\w*|"
    r"architect\w*|themes?|style|variables?|names?|naming|comments?|syntax|tables?|librar\w+|diffs?|patch\w*|"
    r"notes|plans?|estimates?|languages?|frameworks?|tools?|vim|emacs|git|"
    r"returns?|if-?s?|loops?|comprehensions?|generics?|closures?|composition|inheritance|mocks?|stubs?|callbacks?|"
    r"threads?|enums?|structs?|traits?|lambdas?|recursion|iterators?|components?|hooks|async\w*|SQL|ORMs?|"
    r"python|rust|go(?=lang\b)|java\w*|typescript|commits?|merge\w*|rebas\w*|linux|mac\w*|windows)\b",
    re.IGNORECASE,
)
ONE_TASK = re.compile(
    r"\b(?:to|in|of|for|from|on) this (?:function|method|class|file|variable|module|test|line|loop|block|code|"
    r"branch|PR)\b|"
    r"^(?:(?:please|now|then|also),? )*(?:tell|remind|ping|warn|notify) me (?:when|once|tomorrow|later|on|in|at)\b"
    r"(?! you (?:are (?:not sure|unsure)|change|delete|need|want)\b)(?!.*\b(?:always|whenever|every|each)\b)|"
    r"^(?:(?:please|now|then|also),? )*(?:write|draft|give)(?: me)? an? (?:\w+ )?(?:summary|overview|draft|note|list|"
    r"description|explanation)\b(?!.*\b(?:always|every|each)\b)|"
    r"^(?:(?:please|now|then|also),? )*(?:show|give|tell|print|list|explain|send)(?: to)? me (?:the|a|an|how|"
    r"what|why|your|all|three|two)\b"
    r"(?!.*\b(?:always|first|every|each|from now on|(?:before|after) the)\b)",
    re.IGNORECASE,
)
OF_IT = re.compile(r"^(?:it|this|that|there|he|she|they)\b", re.IGNORECASE)
IS_DUE = re.compile(
    r"\b(?:deadline|due|must|needs?|has to|have to|ships?|deliver\w*|launch\w*|submit\w*|by|before|until)\b",
    re.IGNORECASE,
)
HOW = re.compile(r"\b(?:by|with|because|due to|caused|was|were|needed|instead|after|to)\b", re.IGNORECASE)
ROLE = re.compile(r"^I(?:'m| am) an? (?:[\w-]+ ){0,4}[\w-]+\.?$")
EXCLAIMED = re.compile(
    r"\bcan(?:no|')t (?:believe|wait|see why|find|remember|tell|say|stand|imagine|think|help)\b", re.I
)
POLITE = re.compile(
    r"\b(?:hesitate|reach out|feel free|don't worry|do not worry|no worries|be afraid|let me know|(?:have|"
    r"any) (?:any )?(?:questions|concerns)|thank(?:s| you)|appreciate|pleasure|look(?:ing)? forward|happy to|"
    r"glad|excited|door is|here (?:to|for)|keep up|good luck|welcome)\b",
    re.IGNORECASE,
)
ADDITIVE = frozenset(
    "support include contain own cover handle expose accept maintain manage review approve provide call emit carry "
    "read write send publish consume pull push fetch subscribe connect depend listen sync produce register discover "
    "require".split()
)
"""What may be so of several things at once: another one leaves the first as it is."""
KEPT_SOMEWHERE = re.compile(
    r"(?:config\w*|settings?|schemas?|documentation|source|templates?|specs?|specification|definitions?|entry point|"
    r"changelog|guide|list|endpoint|API|url|registry|repo\w*|secrets?|certificates?|fixtures?|tests?|migrations?|"
    r"scripts?|style guide)$",
    re.IGNORECASE,
)
DATED = re.compile(
    r"\b(?:ago|yesterday|tomorrow|today|tonight)\b|\bthis (?:week|month|morning|year|quarter|summer|winter)\b|"
    r"\b(?:starts?|ends?|begins?|closes?|opens?|leaves?|arrives?) (?:on|at|next|in) (?!\d\d:\d\d|\d+ ?%)(?:mon|tues|"
    r"wednes|thurs|fri|satur|sun|one|two|three|four|five|six|seven|eight|nine|ten|eleven|noon|\d)",
    re.IGNORECASE,
)
JUDGED = re.compile(
    r"^(?:not |very |so |too |really |quite |pretty |a (?:bit|little|lot) |always |never )*(?:great|good|bad|nice|"
    r"awful|fine|ok(?:ay)?|slow|fast|down|up|broken|red|green|empty|full|ready|done|stuck|off|on(?! (?-i:[A-Z`])| "
    r"[a-z]+ \d)|weird|strange|wrong|"
    r"right|better|worse|best|worst|hard|easy|important|crucial|missing|late|early|busy|tired|happy|sorry|glad|sure|"
    r"clear|unclear|gone|back|over|due|long|short|big|small|huge|tiny|ugly|cool|fun|funny|true|false|failing|passing|"
    r"working|running|coming|going|getting|making|doing|a (?:mess|pain|joke|problem|disaster|shame|pity|mistake|bug|"
    r"great|good|bad|nice|fun|terrible|wonderful)|an? (?:\w+ )?(?:idea|problem|issue|question))\b",
    re.IGNORECASE,
)
STATUS = re.compile(
    r"^(?:\d[\d.]* ?% of\b|an? (?:error|exception|failure|warning|bug|typo|problem|issue|crash|hour|while|moment|lot|"
    r"few|new|look)|errors?(?! (?:with|via|through|using|as|in|to)\b)|place$|too|nothing|none of|wrong|null|nan|out of "
    r"(?:memory|space|disk)|undefined|problems?|bugs?|trouble|fine|well|great|again|smoothly|slowly|as expected|"
    r"ok(?:ay)?|no (?:sense|effect|idea|changes?|problem\w*|error\w*|clue|time))\b",
    re.IGNORECASE,
)
WRONG = re.compile(
    r"\b(?:whether|upstream|half (?:done|full)|almost|wrong|incorrect|invalid|unexpected|missing|broken|weird|stale|"
    r"too (?:many|much|few|little))\b",
    re.IGNORECASE,
)
ABOUT_THE_USER = frozenset(
    {"preference", "work_pattern", "communication_style", "business_fact", "relationship", "goal", "constraint"}
)
"""Types of what people state about themselves."""
NOT_USED = re.compile(
    r"(?:please )?(?:(?:avoid|never|don't|do not|stop) (?:use|using)\b|(?:avoid|no) (?!\w+ing\b))", re.IGNORECASE
)
"""A ban of a thing itself; what must not be removed or renamed is another rule than its form says."""
TO_WORK = re.compile(r"\b(?:to|from|at|after|before|off) work\b", re.IGNORECASE)
BINDS = re.compile(
    r"^(?:and |so |also )?(?:all|every|each|any|no)\b.*\b(?:must|should|ha(?:s|ve) to|needs?|requires?|shall)\b|"
    r"^(?:[\w-]+ ){1,5}(?:must|should) (?:always|never|only)\b|\bnot (?:allowed|permitted|to be)\b|"
    r"^(?:log|track|record|file|report|document) (?:every|each|all)\b",
    re.IGNORECASE,
)
"""What binds everybody, wherever in a talk it is."""
IS_QUESTION = re.compile(r"(?:should|shall|must|do|does|is|are|will|would) \S.*\?$", re.IGNORECASE)
