"""Words by which a sentence is of work, of the user, of this project, or of one task."""

import re

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
    r"python|rust|go(?=lang\b)|java\w*|typescript|commits?|merge\w*|rebas\w*|linux|mac\w*|windows)\b",
    re.IGNORECASE,
)
ONE_TASK = re.compile(
    r"\b(?:to|in|of|for|from|on) this (?:function|method|class|file|variable|module|test|line|loop|block|code|"
    r"branch|PR)\b|"
    r"^(?:(?:please|now|then|also),? )*(?:tell|remind|ping|warn|notify) me (?:when|once|tomorrow|later|on|in|at)\b"
    r"(?! you (?:are (?:not sure|unsure)|change|delete|need|want)\b)(?!.*\b(?:always|whenever|every|each)\b)|"
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
ABOUT_THE_USER = frozenset(
    {"preference", "work_pattern", "communication_style", "business_fact", "relationship", "goal", "constraint"}
)
"""Types of what people state about themselves."""
USER_NAMES = frozenset({"", "user", "human", "me", "you", "person", "developer", "client"})
