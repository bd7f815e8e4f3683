"""Words by which a demand is a rule, a task, or talk around it."""

import re

OPENING = re.compile(
    r"^(?:(?:please|also|and|so|but|then|(?:team|everyone|all|remember|note|rule|convention|policy|guideline|reminder|"
    r"important|fyi|btw|hint)(?=[,:])|ok(?:ay)?|"
    r"from (?:now|here|today) on(?:wards?)?|going forward|moving forward|in (?:the )?future|henceforth|as a rule|"
    r"by default|in general|generally|effective immediately|as of (?:now|today)|in (?:this|our) (?:project|repo|"
    r"repository|"
    r"codebase|team|code)|first(?:ly)?|second(?:ly)?|finally|additionally|instead|actually|correction|new rule|"
    r"(?:one|another) (?:more )?(?:thing|rule)|by the way|(?-i:[A-Z][a-z]+)(?=,))[,:]? )+",
    re.IGNORECASE,
)
LIMIT_FIRST = re.compile(
    r"^(?:if|when|whenever|unless|once|until|in case|for|in|on|during|outside|inside|provided|as long as|while|"
    r"except for|before|"
    r"after|even if|even when|by default|to) [^,]{2,70}, (?:then )?(?!and\b|or\b)",
    re.IGNORECASE,
)
"""A limit that goes before its demand; whether it makes the demand uncertain is not judged here."""
LIMIT_LAST = re.compile(
    r",? (?:unless|if|when(?:ever)?|because|since|until|while|once|so that|except|even|as long as|provided) "
    r".*$",
    re.IGNORECASE,
)
LASTS = re.compile(
    r"\b(?:from (?:now|here|today) on|going forward|moving forward|in (?:the )?future|henceforth|as a rule|by default|"
    r"always|never|at all times|every time|no longer|any ?more|everywhere|without exception|in general|consistently|"
    r"policy|convention|new rule|it(?:'s| is) (?:mandatory|required|forbidden|prohibited))\b",
    re.IGNORECASE,
)
ASKS = re.compile(
    r"^(?:(?:always|never|don't|do not|let's(?: (?:always|never|not))?|let us(?: not)?|avoid|refrain from|make "
    r"sure(?: to| that)?|"
    r"be sure to|ensure(?: that)?|remember to|don't forget to|do not forget to|try to|aim to|(?:we|you) (?:must|"
    r"have to|"
    r"need to|should|shall|are to|ought to)(?: always| never| not)?|we(?:'ve| have)? (?:always|never|agreed to|"
    r"decided to|no longer|don't|do not)|I(?:'d like| want| need| expect) (?:you|us|everyone) to(?: always| never)?|"
    r"it(?:'s| is) (?:mandatory|required|essential|forbidden|prohibited|our (?:policy|convention|rule)) (?:to|that)|"
    r"(?:our|the) (?:policy|convention|rule|standard) is (?:to|that)|everyone (?:must|should|has to)|"
    r"(?:developers|engineers|reviewers|authors|contributors|agents) (?:must|should|have to)(?: always| never| "
    r"not)?)\s+)+",
    re.IGNORECASE,
)
HABITS = frozenset(
    "use keep follow prefer stick treat respect log store write name format quote wrap validate handle order "
    "sort prefix "
    "suffix document pin tag sign encrypt hash read return raise throw catch mark limit cap round escape "
    "sanitize sanitise "
    "retry cache test mock review squash rebase version translate type annotate group place put favour favor "
    "separate avoid "
    "match respond answer label end start begin express render close free release rotate record report link assume "
    "pass import export inject declare define initialise initialize represent capitalise capitalize spell model expose "
    "serialize serialise parse compress monitor measure archive expire isolate "
    "batch paginate deploy ship build lint run commit push merge work develop design structure organise organize "
    "speak call refer abbreviate indent align split extract derive bind check verify guard authenticate authorise "
    "authorize target support choose rely depend require enforce adopt employ apply".split()
)
"""Verbs of what is done again and again."""
ONE_OFF = frozenset(
    "fix rename rerun re-run revert refactor bump show open delete remove move add create update implement look "
    "investigate debug install try change replace rewrite ping ask send make do give get go take let find see tell "
    "explain list print generate clean set start stop restart kill skip ignore undo redo copy paste draft "
    "finish continue "
    "wait help convert migrate upgrade downgrade disable enable configure double-check inspect search grep "
    "summarize summarise describe publish cherry-pick resolve assign schedule book order share post edit drop cut "
    "insert correct improve optimise optimize simplify adjust tweak include have provide write run deploy merge "
    "commit push "
    "test check verify review build close call release".split()
)
"""Verbs of tasks; where they are also of habit, what they are done to decides."""
OF_THE_MIND = frozenset(
    "remember know think feel be hope believe note understand realise realize wonder forget imagine love like "
    "enjoy try want "
    "appreciate care worry dream stay a an the my your in on at for with by so as to from of not good great "
    "nice have agree disagree argue laugh win lose eat drink go".split()
)
BARE_ADVERBS = re.compile(r"^(?:\w+ly|also|just|only|both|all|either) ", re.IGNORECASE)
UNIVERSAL = re.compile(
    r"\b(?:every|each|all|any|always|never|everywhere|anywhere|whenever|everything|anything|nothing|throughout|per|"
    r"no|at all|consistently|across)\b",
    re.IGNORECASE,
)
HERE = re.compile(
    r"\b(?:this|these|those|it|its|them|here|there|(?:above|below)(?=[,.]|$)|line \d+|number \d+|#\d+|PR \d+|me|"
    r"my|him|her|"
    r"(?:first|second|third|last|latter|next|previous|other|following|attached|current|new|old|remaining|failing|"
    r"broken|same) (?:one|ones|two|commit|branch|test|file|line|option|step|version|approach|variable|function|method|"
    r"change|error|result|section|paragraph|argument|parameter|column|row|field|element|item)|that (?:file|one|"
    r"line|function|test|branch|commit|code|change|part|"
    r"method|class|variable)|version \d|v?\d+\.\d+\.\d+)\b",
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
    r"^(?P<what>(?:[\w'/.-]+ ){0,8}?[\w'/.-]+) (?P<verb>must|shall|should|(?:has|have|is|are|needs?) to|ought "
    r"to|may not|"
    r"cannot|can't|can not|mustn't|shouldn't)(?P<no> not| never| no longer)?(?: only| always)? (?P<rest>[a-z].*)$",
    re.IGNORECASE,
)
NEEDED = re.compile(
    r"^(?P<what>(?:[\w'/.-]+ ){0,6}?[\w'/.-]+) (?:needs?|requires?|gets?|carr(?:y|ies)|belongs?|goes|go|comes?|"
    r"starts? with|"
    r"begins? with|ends? with|follows?|includes?|contains?|has|have|uses?|lives?|sits?|owns?|takes?|is|are|"
    r"returns?|link(?:s)? to|"
    r"names?|describes?|states?) (?P<rest>.+)$",
    re.IGNORECASE,
)
PRONOUN = re.compile(
    r"^(?:I|you|we|he|she|they|it|this|that|these|those|there|what|who|which|one|someone|somebody|everyone|let)\b", re.I
)
SPECIFIC = re.compile(r"^(?:the|this|that|your|my|our|his|her|their|these|those) ", re.IGNORECASE)
TASK_REST = re.compile(
    r"\b(?:be|get) (?:fixed|updated|merged|restarted|deployed|changed|renamed|rewritten|refactored|removed|"
    r"deleted|moved|"
    r"reverted|cleaned|investigated|redone|replaced|migrated|rebuilt|upgraded|finished|done|closed|resolved|"
    r"fast(?:er)?|"
    r"better|bigger|smaller)\b|\b(?:an? (?:\w+ )?(?:fix|review|restart|refactor\w*|update|rewrite|rebase|look|"
    r"test|break|"
    r"bit|lot|new \w+|cleanup|bump)|some|work|more|another|help|attention|fixing|updating|work|love)\b",
    re.IGNORECASE,
)
PEOPLE = re.compile(
    r"\b(?:fun|positive|smile|happy|relax|breath\w*|water|coffee|tea|lunch|food|sun\w*|weather|music|love|hugs?|"
    r"birthday|weekend|pride|holidays?|vacation|gym|walk|hik\w*|stairs|kids?|family|mom|dad|wife|husband|"
    r"dreams?|life|yourself|"
    r"proud|grateful|curious|learning|growth|mindset|attitude|faith|hope|heart|kind(?:ness)?|patient|patience|"
    r"dog|cat)\b",
    re.IGNORECASE,
)
TALK = re.compile(
    r"\b(?:keep (?:up|going|doing|at it|me|in mind|an eye|it up|your)|don't (?:hesitate|shy|worry|be|let|get|feel)|"
    r"do not (?:hesitate|worry|be)|make sure you(?:'re| do\b| are)?|start (?:by|off)|feel free|reach out|"
    r"(?:a |an |the |some |any |few |two |three |new |following |specific |certain |particular |our |your |"
    r"important |key |naming |coding |good |best |same |another )(?:[\w-]+ ){0,2}?(?:conventions?|practices?|"
    r"guidelines?|changes?|habits?|"
    r"approach|mindset|adjustments?)(?=$| (?:for|to|in|from|when|going|moving|with|of|regarding|that|on|"
    r"now)\b)(?! (?:is|are) )|"
    r"(?:is|are|remains?|plays?|be) (?:an?|the|one of the) (?:[\w-]+ )*?(?:skill|aspect|part|differentiator|"
    r"cornerstone|priority|"
    r"principle|choices?|challenge|opportunity|role|way|key|tool for|form of|process|example|advantage|benefit)\b|"
    r"a (?:combination|variety|range|mix|lot|number|couple|few|bit) of|various|several|pros and cons|"
    r"(?:we|I) (?:also |really |just |always )?(?:want|like|need|hope|aim|strive|try) to (?:ensure|make sure|"
    r"keep|create|"
    r"emphasi[sz]e|foster|encourage|improve|standardi[sz]e|stress|see|learn|know)|let's (?:dive|start|talk|"
    r"discuss|see|go|move)|"
    r"there(?:'s| is| are)|you must be (?-i:[A-Z])|user-friendly|mindful|as you know|studies|research|to be "
    r"honest|can't afford|pay attention|take (?:care|pride|time|breaks?|"
    r"advantage|notes?|part|ownership|initiative|a (?:look|break|moment))|focus on (?!\w+ tests))\b",
    re.IGNORECASE,
)
"""Talk around a rule: announcements without it, encouragement, what is good in general."""
