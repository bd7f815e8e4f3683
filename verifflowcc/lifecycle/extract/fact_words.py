"""Words by which a statement is a fact that lasts, or news of the day."""

import re

PARTICIPLES = (
    "kept stored saved held hosted deployed written built hashed encrypted signed served sent handled managed "
    "generated "
    "rendered cached backed named called licensed published shipped rotated rebuilt scanned versioned isolated "
    "authenticated authorized authorised logged sorted indexed replicated partitioned processed validated measured "
    "monitored maintained owned based located configured defined documented compressed formatted expressed shown "
    "displayed represented run cut reset released taken powered driven implemented compiled packaged bundled "
    "provisioned "
    "tracked billed charged paid retained archived purged mounted exposed shared limited restricted capped reviewed "
    "approved routed proxied queued collected stamped identified numbered grouped split kept prefixed suffixed "
    "localized localised translated seeded enforced checked linted orchestrated governed quoted rounded "
    "delivered emitted streamed synced synchronized imported exported fetched loaded installed set organised "
    "organized structured computed calculated derived recorded registered resolved required supported allowed "
    "forbidden prohibited mandatory deprecated done performed returned deleted removed distributed"
).split()
VERBS = (
    "uses runs lives listens talks starts has expires owns works supports consists depends belongs comes "
    "goes follows contains includes requires exposes serves reads writes sends accepts sits stores keeps speaks "
    "targets handles points connects relies ends covers changes rotates ships builds hosts logs publishes "
    "consumes emits calls wraps lasts costs holds provides carries syncs takes scales renews refreshes resets "
    "terminates communicates proxies expects needs accepts happens happen maintains manages reviews approves stays "
    "applies"
).split()
PLURAL_VERBS = (
    "live use run talk start work support consist depend belong come go follow contain include require sit rely "
    "listen point end own serve read write send accept store take expect need expire have happen carry return stay "
    "apply"
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
    r"\b(?:problem|issue|bug|error|reason|cause|question|(?<!entry )(?<!end )point|idea|thing|result|output|"
    r"solution|difference|"
    r"answer|trick|next step|mistake|culprit|symptom|stack ?trace|exception|crash|failure|typo|fix|weather|train|"
    r"(?<!event )(?<!message )(?<!service )bus|"
    r"dog|cat|kid|kids|coffee|lunch|dinner|pizza|car|movie|film|game|band|holiday|vacation|party|restaurant|place|"
    r"joke|story|plan|goal|thing|one|option|approach|way|today|change|diff|patch|commit|function|line|variable|"
    r"method|parameter|argument|field|"
    r"log|message above|traceback|status|progress|rest|best|worst|first|second|last|latter|former|other)$",
    re.IGNORECASE,
)
VALUE = re.compile(
    rf"\d|^(?:one|{NUMBER_WORDS}|none|zero|half)\b|"
    r"^(?:lower|upper|camel|snake|kebab|pascal|title)[- ]?case\b|"
    r"^(?:an? )?(?-i:[A-Z][\w.+#-]+)|^[`'\"]|^(?:the |our )(?-i:[A-Z])|(?-i:[a-z][A-Z])|"
    r"^(?-i:[a-z]{2,3}-[A-Z]{2})\b|^/?[\w.-]+/[\w./-]+$|^/[\w.-]+|^(?:https?://|(?:[\w-]+\.)+(?:dev|app|local|"
    r"internal)\b)|^(?:[\w-]+\.)+(?:js|io|ai|py|net|org|com)\b|"
    r"^(?:an? |the |our )?(?:\w+[- ])?(?:minimum|maximum|default|source of truth|owner|client|customer|maintainer|"
    r"monorepo|monolith|library|service|CLI|daemon|package|plugin|fork|wrapper|requirement|standard|limit|constraint|"
    r"deadline|mandatory|required|forbidden|prohibited|off[- ]limits|immutable|append-only|read-only|idempotent|"
    r"stateless|case[- ](?:in)?sensitive|public|private|internal|open source|proprietary|weekly|daily|monthly|nightly|"
    r"hourly|quarterly)\b|"
    r"^(?:an?|the) (?:[\w-]+ ){1,4}(?:of|for|that|which|with|in|written|based)\b",
    re.IGNORECASE,
)
JUDGED = re.compile(
    r"^(?:not |very |so |too |really |quite |pretty |a (?:bit|little|lot) |always |never )*(?:great|good|bad|nice|"
    r"awful|fine|ok(?:ay)?|slow|fast|down|up|broken|red|green|empty|full|ready|done|stuck|off|on|weird|strange|wrong|"
    r"right|better|worse|best|worst|hard|easy|important|crucial|missing|late|early|busy|tired|happy|sorry|glad|sure|"
    r"clear|unclear|gone|back|over|due|long|short|big|small|huge|tiny|ugly|cool|fun|funny|true|false|failing|passing|"
    r"working|running|coming|going|getting|making|doing|a (?:mess|pain|joke|problem|disaster|shame|pity|mistake|bug|"
    r"great|good|bad|nice|fun|terrible|wonderful)|an? (?:\w+ )?(?:idea|problem|issue|question))\b",
    re.IGNORECASE,
)
STATUS = re.compile(
    r"^(?:an? (?:error|exception|failure|warning|bug|typo|problem|issue|crash|hour|while|moment|lot|few|new|look)|"
    r"errors?|place$|too|nothing|none of|wrong|null|nan|out of (?:memory|space|disk)|undefined|problems?|bugs?|trouble|"
    r"fine|well|great|again|smoothly|slowly|as expected|ok(?:ay)?|no (?:sense|effect|idea|changes?|problem\w*|error\w*|"
    r"clue|time))\b",
    re.IGNORECASE,
)
WRONG = re.compile(
    r"\b(?:upstream|half (?:done|full)|almost|wrong|incorrect|invalid|unexpected|missing|broken|weird|stale|too "
    r"(?:many|much|few|little))\b",
    re.IGNORECASE,
)
KEPT_SOMEWHERE = re.compile(
    r"(?:config\w*|settings?|schemas?|documentation|source|templates?|specs?|specification|definitions?|entry "
    r"point|changelog|"
    r"guide|list|endpoint|API|url|registry|repo\w*|secrets?|certificates?|fixtures?|tests?|migrations?|scripts?|"
    r"style guide)$",
    re.IGNORECASE,
)
DATED = re.compile(
    r"\b(?:ago|yesterday|tomorrow|today|tonight)\b|\bthis (?:week|month|morning|year|quarter|summer|winter)\b|"
    r"\b(?:starts?|ends?|begins?|closes?|opens?|leaves?|arrives?) (?:on|at|next|in) (?!\d\d:\d\d)(?:mon|tues|"
    r"wednes|thurs|fri|satur|"
    r"sun|one|two|three|four|five|six|seven|eight|nine|ten|eleven|noon|\d)",
    re.IGNORECASE,
)
COUNTED_THING = re.compile(
    r"\b(?:suite|library|repo|repository|project|codebase|table|list|site|app|car|hotel)$", re.IGNORECASE
)
ONE_PART = re.compile(
    r"^(?:the|that|this|your) (?:[\w-]+ ){0,2}?(?:PR|pull request|branch|ticket|issue|file|test|request|"
    r"response|page|commit|patch|"
    r"function|method|class|variable|script|output|loop|query|row|screen|button|build|deploy|deployment|"
    r"migration|job|run|"
    r"parameter|argument|regex|import|form|dialog|modal|header|body|payload|snippet|code|example|array|list|"
    r"dict|object|"
    r"string|error|message|email|comment|diff|container|process|thread|log)$",
    re.IGNORECASE,
)
"""One part of the code, of which people tell what it has at present, in the middle of their work."""
