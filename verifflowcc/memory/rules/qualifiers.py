"""What limits or turns round a sentence: negations, conditions, exceptions, permissions; and whether a form keeps it.

The rules put a sentence into a normal form to compare it. Where the sentence has a qualifier that the form has not, or
has in another place, the form may say the opposite: then a person looks at it.
"""

import re
from functools import lru_cache

from verifflowcc.memory.rules.code_names import VERBS

# Words of a sentence for comparison: without endings, and without those that carry no meaning.

_EMPTY = frozenset(
    "a an the our your my their its his her this that these those of in on at to by with and or for from as be is are "
    "was were am been being it we you i they he she us them do does did has have had will shall should must can "
    "may now "
    "always please also so just actually correction currently already still then than there here from-now-on".split()
)
_IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "kept:keep held:hold written:write built:build sent:send run:run ran:run taken:take made:make shown:show "
        "stored:store using:use uses:use used:use databases:database caches:cache caching:cache running:run "
        "driven:drive "
        "hosting:host stopped:stop dropped:drop lives:live living:live cut:cut cuts:cut setting:set lay:lie met:meet"
    ).split()
)


@lru_cache(maxsize=20_000)
def root(word: str) -> str:
    """Return a word without the endings of number and time; a possessive stays one.

    >>> root("tokens"), root("stored"), root("client's"), root("branches"), root("PRs")
    ('token', 'store', "client's", 'branch', 'pr')
    """
    plain = word.casefold()
    if len(word) > 2 and word[-1] == "s" and word[:-1].isupper():
        return plain[:-1]
    if plain in _IRREGULAR:
        return _IRREGULAR[plain]
    if not plain.isalpha() or len(plain) < 4:
        return plain
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if plain.endswith(ending) and len(plain) > 5:
            return plain.removesuffix(ending) + rest
    if plain.endswith("s") and not plain.endswith(("ss", "us", "is")):
        return plain[:-1]
    for ending in ("ing", "ed"):
        if plain.endswith(ending) and len(plain) > len(ending) + 3:
            base = plain.removesuffix(ending)
            if base[-1] == base[-2] and base[-1] not in "lsz":
                return base[:-1]
            return base + "e" if base[-1] in "cvgzu" or base.endswith(("or", "as", "ir", "at", "is")) else base
    return plain


def roots(text: str) -> tuple[str, ...]:
    """Return the meaningful words of a text in order, each without its ending.

    >>> roots("The session's tokens are stored in Redis.")
    ("session's", 'token', 'store', 'redis')
    """
    found = re.findall(r"[\w@][\w@.+#/*'-]*[\w+#*']|\w", text)
    return tuple(root(each.strip("'.-")) for each in found if each.casefold().strip("'.-") not in _EMPTY)


RETRACTED = (
    r"(?:scratch that|strike that|never mind|my (?:mistake|bad|apologies)|apologies|I was (?:wrong|mistaken)|"
    r"I stand corrected|oops|I misspoke|(?:I|we) (?:got|had|have|said) (?:that|it|this) wrong|hold on|hang on|"
    r"on (?:second thoughts?|reflection)|let me correct (?:that|myself)|"
    r"(?:forget|scrap|ignore|disregard) (?:about )?(?:the|our|my|that) (?:[\w-]+ ){0,2}?(?:rule|"
    r"convention|"
    r"policy|guideline|decision|limit|[\w-]+)(?: (?:about|on|for|of|that we use) [^,;.:]{2,40}?)?(?=[,;:.] | -))"
)
"""Words before a statement that take back another one."""
_OPENED = re.compile(
    rf"^(?:(?:{RETRACTED}|actually|correction|sorry|wait|(?:no|nope),? wait|no|nope|update|"
    r"(?:it|that|this)(?:'s| is) not [^,;.:]{1,40}(?=[,;:]))(?:[,:;.]| -+| –| —)+ )+"
    r"(?!(?:it|that|this|they|those|make|not)\b)(?=\S+ \S+ \S)",
    re.IGNORECASE,
)


_ADDRESSED = re.compile(
    r"^(?:@[\w/-]+,? |(?:nice|good|great|ok(?:ay)?|fine|true|right|sure|agreed|cool)(?: (?:catch|point|idea|work|"
    r"one))?,? but |(?!(?:error|warning|note|hint|exception|failure)\b)(?-i:[A-Z][a-z]{3,})(?: [a-z]+)?: (?=(?:every|"
    r"each|all|never|always|no) )|(?:fyi|btw|psa|pls|plz),? |(?:nit(?:pick)?|minor|blocking|blocker|style|suggestion|"
    r"major): |(?:(?:hey|hi)(?: (?:all|team|folks|everyone|everybody|there))?|(?:team|all|folks|everyone)|heads[- "
    r"]up(?: (?:to|for) [\w-]+)?|psa|fyi|btw|(?:just )?(?:an?(?:other)? )?(?:quick |friendly |gentle |small "
    r")?(?:reminder|note|update)(?: (?:to|for)(?: [\w-]+){1,4})?|(?:one|another) (?:more |last |final )?(?:thing|point|"
    r"note|rule)|for (?:context|the record)|as (?:discussed|agreed|decided)(?: (?:in|on|at|with|by|during|before|last|"
    r"already|yesterday)\b[^,:;]{0,40})?|(?:(?:the|our|a|new|team|house|general|hard|golden|ground|basic|key|main|big|"
    r"first|another) ){0,2}(?:lessons?(?: learne?[dt])?|takeaways?|learnings?|agreements?|rules?|conventions?|"
    r"polic(?:y|ies)|guidelines?|principles?|standards?|outcome|resolution|consequence|requirements?)(?: (?:of|from|"
    r"for|on|about|after|in)\b[^,:;.]{1,40}| (?:number )?\d)?(?=:))(?:[,:]| -+)+ |(?:just )?(?:an?(?:other)? "
    r")?(?:quick |friendly |gentle |small )?(?:reminder|heads[- ]up) that )+(?!(?:it|that|this|they|those|make|"
    r"not)\b)(?=\S+ \S+ \S)",
    re.IGNORECASE,
)
"""Whom a sentence is for, and what kind of sentence it calls itself: `@team, `, `Lesson from the outage: `."""


def addressed(sentence: str) -> str:
    """Return a statement without the words before it that say whom it is for, or what it is.

    >>> addressed("Lesson from the outage: pin the images."), addressed("@anna please pin the images.")
    ('pin the images.', 'please pin the images.')
    """
    return _ADDRESSED.sub("", sentence)


def opened(sentence: str) -> str:
    """Return a statement without the words before it that only address somebody, or say that another one was wrong.

    >>> opened("Sorry, I got that wrong, the limit is 90 days."), opened("No, it is five.")
    ('the limit is 90 days.', 'No, it is five.')
    """
    return _OPENED.sub("", addressed(sentence))


FROM_DAY = (
    r"(?:(?:as of|starting|effective|beginning|from) (?:today|now|tomorrow|immediately|this (?:week|month|sprint|"
    r"release)|"
    r"next (?:week|month|sprint|release))(?: on(?:wards)?)?)"
)
"""Since when a rule holds: no news of the day."""
_NAMED = (
    r"(?:(?:function|method)s?'? (?:arguments?|parameters?)|functions?|methods?|class(?:es)?|variables?|attributes?|"
    r"arguments?|parameters?|constants?|(?:\w+ )?code)(?: names?)?"
)
_HARMLESS = re.compile(
    r"\b(?:(?:don't|do not|never) (?:forget|hesitate)(?: to)?|without (?:fail|exception)|no exceptions?|no matter what|"
    r"(?:no|nope),? (?:wait|actually|sorry)|(?:no|not a) (?:problem|worries|rush)|"
    r"prefer (?:it )?if (?:you|we|everyone)|"
    r"it(?:'d| would| might| could) be [^,.;:]{1,40}? if (?:you|we|everyone)(?: all)?(?: could)?|"
    r"when(?:ever)? (?:you(?:'re| are)? |we(?:'re| are)? )?(?:nam|declar|defin|creat|writ)(?:ing|e) "
    rf"(?:(?:your|our|the|an?|any|all|new|names? (?:of|for)) )*{_NAMED}(?=[, ])|"
    r"when(?:ever)? (?:you(?:'re| are)? )?(?:coding|programming)(?=,)|when it comes to (?=[^,]{2,60},)|"
    r"while (?:(?:I|we|you|it|they|email|[\w-]+s?) ?(?:'ve|have|has|mentioned|is still|are still|"
    r"can be|may be)\b)[^,.;]{3,80},|"
    r"while (?:we're|we are|you're|you are|I'm|I am) (?:at it|on (?:the|this) (?:topic|subject))|"
    r"(?:it|this|that) (?:may|might|could|can) (?:seem|sound|look|appear|feel)(?: like)? [^,.;]{2,50}, but|"
    r"(?<=tool|stem|form|tant|itor|work|rary|vice|ware) (?:that|which) (?:can|could|may|might)(?! not\b)|"
    r"\bfor (?:our |your |all )?(?!(?:local|remote|active|the|our|your|all|any|each|every) )[\w+#-]+ development\b|"
    r"(?<=\w )(?:it|they) (?:may|might|can|could) (?:have|need|contain|return|raise|throw|take)\b)",
    re.IGNORECASE,
)
"""What sounds like a qualifier and is none: a polite request, the topic of a rule."""
_CONCEDED = re.compile(r",? ?\beven if (?:you|we|it|they)\b[^,.;:]*", re.IGNORECASE)
"""What is so whether or not: no condition, where the form says it as well."""
AFTER_NO_VERB = "".join(
    rf"(?<!{each})" if each == "'re" else rf"(?<!\b{each})"
    for each in "must may should shall will can do does did is are was 're to".split()
)
"""A `not` here is between two things (`tabs, not spaces`), and no part of a verb (`must not`)."""
_OTHER_NOT = re.compile(
    rf"{AFTER_NO_VERB},? (?:and |but )?not (?!(?:only|just|always)\b)(?:[\w'`-]+ ?){{1,4}}(?=[.,;!]|$)", re.IGNORECASE
)
_OTHER_FIRST = re.compile(
    r"^(?:please )?(?:don't|do not|never|avoid|stop) [a-z]+ [^,;:.]+[,;] (?=(?:use|prefer|go with|stick to)\b)|"
    r"\b(?:avoid|stop|ditch|drop) [^,;:.]+,? and (?=(?:use|opt for|switch to|go with|stick (?:to|with)|take|"
    r"rely on)\b)",
    re.IGNORECASE,
)
"""What is denied of one thing before another is asked for: `don't use print, use the logger`."""
_AT_WORK = re.compile(
    r",? ?\b(?:especially |particularly )?when(?:ever)? (?:you(?:'re| are) |we(?:'re| are) )?[a-z]+ing\b[^,.;:]*|"
    r",? ?\bwhen(?:ever)? (?:you|we) (?:code|program|work|develop|write|train|investigate|review|commit|push|"
    r"deploy|debug|"
    r"brainstorm|take|start|begin|build|test|design|create|meet)\b[^,.;:]*|"
    r"\bwhenever possible\b|\b(?:in|for) (?:your|our|the|all|any) (?:[\w-]+ ){0,3}(?:scripts?|tests?|modules?|"
    r"packages?|services?|"
    r"libraries|examples?|notebooks?|components?)\b",
    re.IGNORECASE,
)
_AIM = {
    word: re.compile(
        rf"^(?:use|prefer|(?:always|never|don't|do not) use|avoid(?: using)?) "
        rf"[^,]*? {word} (?P<aim>[^,.;]+?)(?= instead| from now| going| rather|[,.;]|$)",
        re.I,
    )
    for word in ("for", "in")
}
_PLACES = (
    r"tests?|test suites?|scripts?|migrations?|production|staging|"
    r"development(?! (?:process|work|workflow|journey|team))|"
    r"CI|examples?|docs|prototypes?|backend|frontend|services?|notebooks?|fixtures?|benchmarks?|spikes?|branch(?:es)?|"
    r"Windows|Linux|macOS|laptops?|[\w.-]*/[\w./-]*|\w+\.(?:py|js|ts|go|rs|md|ya?ml|toml|json|sql|sh)|"
    r"modules?|packages?|apps?|components?|layers?|folders?|director(?:y|ies)|adapters?|handlers?|plugins?|"
    r"librar(?:y|ies)|(?:generated|legacy|third-party) code"
)
_KINDS = {
    "negation": r"not|\w+n't|no|never|none|nothing|nobody|nowhere|neither|nor|cannot|without|hardly|barely|scarcely|"
    r"rarely|seldom|avoid\w*|stop(?:s|ped|ping)?|refrain\w*|quit|ceas(?:e|es|ed|ing)|discontinu\w*|forbid\w*|"
    r"prohibit\w*|ban(?:s|ned|ning)?|disallow\w*|ditch\w*|abandon\w*|eliminat\w*|disregard\w*|forgo\w*|"
    r"drop(?:s|ped|ping)?|steer(?:ing)? clear|stay(?:ing)? away|mov(?:e|ing) away|get(?:ting)? rid|"
    r"do(?:ing)? (?:without|away)|hold(?:ing)? off|deprecated|off[- ]limits|against|dont|doesnt|cant|wont|"
    r"shouldnt|mustnt",
    "condition": r"if|when|whenever|unless|until|till|once|while|as long as|provided|in case|wherever|depending|"
    r"otherwise|during|assuming|outside|(?:in|into|on|for|inside|within|under) "
    rf"(?!(?:this|our) (?:package|library|app)\b)(?:[\w-]+ ){{0,3}}?(?:{_PLACES})",
    "exception": r"(?<!try[-/ ])except(?:ing)?|exceptions? (?:is|are|for|to)|exception of|exclud(?:ing|ed)|apart from|"
    r"aside from|other than|besides|save for|but (?:for|not)|only|unless",
    "permission": r"(?:(?-i:[Cc]an|may|May(?! \d))|might|could)(?! (?:not|no longer|you|we)\b)|feel free|free to|"
    r"(?:okay|ok|fine|alright|welcome) (?:to|if)|(?<!not )(?<!n't )(?:allowed|permitted)|optional|acceptable|"
    r"(?:don't|do not|doesn't|does not|not|never|no longer) (?:have|need) to|need not|needn't|"
    r"no (?:need|obligation)|(?:don't|do not|wouldn't|not) mind|"
    r"not (?:required|necessary|mandatory|obliged|needed)|up to (?:you|us)",
    "doubt": r"doubt\w*|mistakes?|wrong|bad idea|claims?|claimed|says?|suppos\w+|allegedly|rumou?r\w*|imagine|"
    r"pretend|as if|what (?:if|could)|would have|nonsense|myth|not (?:only|just|always|necessarily|every\w*|all)|"
    r"(?:he|she|they|manager|boss|(?!(?:You|As|It|That|We)\b)(?-i:[A-Z][a-z]+)) (?:said|told|thinks?|insists?|wants?)|"
    r"yeah,? right|hardly|barely|scarcely|rarely|seldom|even (?:if|when|though)|(?:don't|do not) always|"
    r"(?:never|stop) (?:not|avoid\w*|without)",
}
_FIND = {kind: re.compile(rf"(?<![\w'])(?:{words})(?![\w'])", re.IGNORECASE) for kind, words in _KINDS.items()}
_NEVER = re.compile(
    r"\b(?:(?:avoid(?:ing)?|stop|refrain(?:ing)? from|quit|never) (?:the (?P<use>use) of|(?P<doing>[a-z-]+ing))|"
    r"(?:let's|let us|must|should|shall|can) not|(?:no longer|do not|don't|mustn't|shouldn't|cannot|can't|must never|"
    r"should never))\b"
)
"""Words by which people say no to what follows; a closed list, since others are misread."""
_NAMES = {
    "negation": "a negation",
    "condition": "a condition",
    "exception": "an exception",
    "permission": "a permission",
    "doubt": "a doubt or a report",
}
_DENIES = re.compile(
    r"\b(?:never|no longer|cannot|(?:do|must|should|shall|may|can|to|will) not|\w+n't|avoid(?:s|ing)?|"
    r"refrain\w*)\b",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"\b(?:drop|abandon|eliminat|discontinu|disregard)\w*\b(?! (?:the )?(?:use|usage) of\b| using\b)",
    re.IGNORECASE,
)
_TWISTED = ("permission", "doubt")


def qualifiers(text: str) -> tuple[str, ...]:
    """Return the kinds of qualifier that a text has.

    >>> qualifiers("Never use print, except in scripts."), qualifiers("Use tabs.")
    (('negation', 'condition', 'exception'), ())
    """
    written = _HARMLESS.sub("", text.replace("’", "'"))
    return tuple(kind for kind, pattern in _FIND.items() if pattern.search(written))


_PLACE = re.compile(
    rf"\b(?:in|into|on|for|inside|within|under) (?:the |our |all |any )?(?P<place>(?:[\w-]+ )?(?:{_PLACES}))\b",
    re.IGNORECASE,
)


def same_aim(one: str, other: str) -> bool:
    """Say whether two rules can be for the same: not where both name what they are for, and not one word is common.

    >>> same_aim("Use Black for Python.", "Use Prettier for TypeScript."), same_aim("Use Vim.", "Use Emacs for Python.")
    (False, True)
    """
    for word in ("for", "in"):
        aims = [set(roots(found["aim"])) for text in (one, other) if (found := _AIM[word].search(text))]
        if len(aims) == 2 and all(aims) and aims[0].isdisjoint(aims[1]):
            return False
    return True


def harmless(text: str) -> str:
    """Return a text without the words that sound like a qualifier and are none.

    >>> harmless("Don't forget to use tabs.")
    ' use tabs.'
    """
    return _HARMLESS.sub("", text)


def places_in(text: str) -> frozenset[str]:
    """Return the parts of a project that a text is limited to.

    >>> places_in("Use tabs in the frontend."), places_in("Use tabs.")
    (frozenset({'frontend'}), frozenset())
    """
    return frozenset(each["place"].casefold().rstrip("s") for each in _PLACE.finditer(text))


def doubt_about(text: str) -> str:
    """Return why a person should check a sentence before it counts.

    >>> doubt_about("Never use print, except in tests/.")
    'it has a negation, a condition, an exception: check that it is meant as it reads'
    """
    kinds = ", ".join(_NAMES[kind] for kind in qualifiers(text))
    return f"it has {kinds}: check that it is meant as it reads" if kinds else "it may need the talk around it"


def keeps(written: str, form: str) -> bool:
    """Return whether a form keeps the meaning: no qualifier is lost.

    `Never use X`, `do not use X`, `you must not use X` and `avoid using X` are one; what the form leaves out at either
    end has no qualifier.

    >>> keeps("From now on, don't use tabs.", "Never use tabs."), keeps("We never drop tables.", "Use tables.")
    (True, False)
    """
    if _CONCEDED.search(written) and _CONCEDED.search(form):
        written, form = _CONCEDED.sub("", written), _CONCEDED.sub("", form)
    if not (qualifiers(written) or qualifiers(form)):
        return True
    words, kept = _words(written), _words(form)
    if any(kind in _TWISTED for kind in qualifiers(written)):
        return False
    for start in range(len(words) - len(kept) + 1):
        if words[start : start + len(kept)] == kept:
            return not (qualifiers(" ".join(words[:start])) or qualifiers(" ".join(words[start + len(kept) :])))
    return False


def says_all(text: str, *, negated: bool) -> bool:
    """Say whether a text as it was written is certain, whatever its normal form leaves out.

    A concession and the work that a rule is of (`when working remotely`) limit nothing that could be turned round.

    >>> says_all("Never use it when working remotely.", negated=True), says_all("Use tabs, except here.", negated=False)
    (True, False)
    """
    plain = _AT_WORK.sub("", _CONCEDED.sub("", harmless(text.replace("’", "'"))))
    plain = _OTHER_NOT.sub("", plain)
    limited = {"condition", "exception", "permission", "doubt"} & set(qualifiers(plain))
    return not limited and agrees(plain, negated=negated) and len(re.findall(r"[.!?](?=\s)", text)) == 0


def agrees(text: str, *, negated: bool) -> bool:
    """Say whether a text can mean what it was read as: `negated`, that something is not to be.

    >>> agrees("In tests, never sleep.", negated=False), agrees("Use tabs, not spaces.", negated=False)
    (False, True)
    >>> agrees("Always skip the tests.", negated=True)
    False
    """
    written = _HARMLESS.sub("", _CONCEDED.sub("", text.replace("’", "'")))
    if not negated:
        written = _OTHER_FIRST.sub("", written)
    if negated:
        return "negation" in qualifiers(_LEAVES.sub("", written))
    return not _DENIES.search(written)


def same_words(written: str, form: str) -> bool:
    """Say whether two texts have the same words in the same order."""
    return _words(written) == _words(form)


def _words(text: str) -> list[str]:
    plain = _NEVER.sub(_never, _HARMLESS.sub("", text.casefold().replace("’", "'")))
    return [word for each in plain.split() if (word := each.strip("'`\".,;:!?()*"))]


def _never(found: re.Match[str]) -> str:
    doing = found["use"] or found["doing"]
    return f"never {VERBS.get(doing, 'use' if doing == 'using' else doing)}" if doing else "never"
