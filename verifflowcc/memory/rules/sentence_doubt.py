"""How far a sentence can be taken at its word: not at all, only after a person looked, or as it reads.

Three things are no rule: what another person is reported to say, what is not meant (irony, a thought), and what is
pasted or passing (a log, code, news of the day). Three may be a rule and may mean something else: what is hedged, has a
condition, an exception or a permission, or says no in words outside a closed list. The rest reads as it is meant.
"""

import re
from enum import IntEnum
from functools import lru_cache

from verifflowcc.base.model.item_values import TRIGGER
from verifflowcc.memory.rules.qualifiers import FROM_DAY, harmless, opened


class SentenceTrust(IntEnum):
    """What may be made of a sentence: nothing, a proposal, an active item."""

    NOTHING = 0
    WAITS = 1
    CLEAR = 2


_SOURCES = (
    r"(?:blogs?|articles?|vendors?|forums?|books?|tutorials?|papers?|posts?|talks?|podcasts?|videos?|internet|web|"
    r"stack ?overflow|reddit|wiki(?:pedia)?|chatgpt|README|manual|documentation|docs|linter|compiler|tool|"
    r"website|error|message|log|exception|traceback|output|report|email|ticket|"
    r"consultants?|competitors?|guy|people|others|folks|colleagues?|somebody|someone|everybody|everyone|they|he|she|"
    r"(?:some|many|most|other) [a-z]+)"
)
_SAYS = (
    r"(?:says|said|writes|wrote|suggests|suggested|recommends|recommended|advises|advised|insists|insisted|"
    r"argues|argued|complains|"
    r"thinks|thought|believes|believed|swears|mentioned|told|warned|complained|demanded|proposed|claims|claimed)"
)
_REPORTED = re.compile(
    r"\b(?:claim(?:s|ed|ing)|according to|rumou?r\w*|supposedly|allegedly|apparently|reportedly|"
    r"(?:studies|research|statistics|experts) (?:have |has )?(?:shown?|shows|suggests?|says?|found)|in (?:his|"
    r"her|their) "
    rf"(?:opinion|view)|(?:he|she|they|somebody|someone) (?:once )?{_SAYS}|"
    r"I(?:'ve| have)?(?: once| also| just)? (?:read|heard|learnt|saw) (?:that|somewhere|about|a|an|the|on|in)|(?:my|"
    r"our) (?:old|former|previous|last|ex-?) ?(?:team|job|company|employer|boss|project|workplace|manager)|(?:in|at) "
    r"(?:my|our) (?:old|former|previous|last)|where I used to work|(?:asked|wonders?|wondered|debated|argued) "
    r"(?:whether|if|why|how|me|us)|used to (?:say|be|have|use|work|do)|people (?:often |always )?(?:say|think|believe|"
    r"claim)|(?:our|the) competitors?)\b|"
    rf"\b{_SOURCES}\b(?: (?!we\b|you\b|I\b)[\w'-]+){{0,5}}? (?:(?:always|often|once|also|usually|just) )?"
    rf"(?:{_SAYS}|say|write(?! (?:to|in|into|with)\b)|suggest|recommend(?:ing)?|insist|think|believe|wants? us|"
    r"wants? me)\b|"
    r"\b(?!(?:We|You|It|I|This|That|As)\b)(?-i:[A-Z][a-z]+) (?:(?:always|often|once|also|usually|just) )?"
    rf"(?:{_SAYS}|wants us|wants me)\b|"
    r"\b(?:the|my|our|a|an|one|his|her|their) (?!(?:team|company)\b)(?:[\w-]+ ){1,3}(?:insists?|"
    rf"(?!writes (?!that\b)){_SAYS})\b|\b{_SAYS} (?:me|us)\b|"
    rf"[\"'],? (?:\w+ )?(?:{_SAYS}|asked)\b",
    re.IGNORECASE,
)
_OWN_VOICE = re.compile(r"^(?:we|I) (?:always |strongly )?(?:recommend|suggest|insist|believe|think|say)\b", re.I)
_NOT_MEANT = re.compile(
    r"\b(?:haha\w*|lol|rofl|yeah,? (?:right|sure)|just kidding|joking|(?:possibly )?go wrong|what could|good luck with|"
    r"as if (?:we|I|you|anyone|anybody|it)|because (?:everyone|everybody|we all|who|obviously|of course|clearly),? |"
    r"who needs|who doesn't|just what (?:we|I) need|how (?:nice|lovely|wonderful)|thanks a lot|nothing beats|nothing "
    r"says|my favou?rite (?:pastime|part)|apparently)\b|, of course[.!]?$|[;:]-?[)Pp](?!\w)|\s/s\b|"
    r"[\U0001f600-\U0001f64f\U0001f923]|^(?:(?:gotta |got to |don't you |I )?love (?:how|it when|that)\b|never say "
    r"never|everything must go|(?:always|never) an? (?!single\b)\w+|keep (?:an eye|calm|in touch|it up)|(?:don't|do "
    r"not) (?:ask me|quote me|look\b|tell me|make me|even|panic|blame me|get me wrong)|oh,? (?:great|sure|yes|yeah|"
    r"wonderful|joy|no)|sure,|yeah,|right, because|great idea|brilliant|genius|wow|obviously|clearly|of course,? (?:we|"
    r"let's|everyone)|fantastic,|wonderful,|lovely,|awesome,|perfect,|great,)",
    re.IGNORECASE,
)
_PAST = (
    r"(?!(?:need|feed|embed|seed|shed|speed|exceed|proceed|succeed|bleed|breed)\b)[a-z]{2,}ed|got|had|knew|thought|"
    r"found|went|came|made|saw|did|was|were|took|gave|ran|wrote|kept|left|lost|meant|met|paid|sent|told|understood|"
    r"felt|began|broke|chose"
)
"""Verbs of what was: news, and no rule."""
_THOUGHT = re.compile(
    r"^(?:every|each) time (?!I (?:ask|mention)|(?:we|you) (?:ask|mention))[^,]+$|"
    r"\b(?:what if|imagin\w+|suppos(?:e|ing)\b(?! to)|pretend\w*|if only|I wish|we wish|hypothetically|theoretically|"
    r"in theory|let's say|say we|(?:in an|in a) (?:ideal|perfect) world|(?:would|could|should|might) have\b|"
    r"(?:would|could|should|might)'ve|if (?:we|I|you|it|they|the [\w-]+) (?:had|were|used|could|would|ever)|"
    r"were we to|one day we|someday|some day|would (?:rather )?(?:love|be (?:cool|fun|funny))|daydream\w*|"
    r"in another life|if I were)\b|"
    r"^(?:for (?:example|instance)|e\.g\.|something like)|^the following\b|"
    rf"^(?:we|I) (?:always|never) (?:{_PAST}|end up|remember|know|understand|think|feel|mix up|confuse|notice|seem to|"
    rf"struggle|forget|lose|run into|suffer|complain|fight|argue|wonder|"
    r"get (?:stuck|lost|an?|this|the same|that)|have (?:this|that|the same|these))\b|^we keep \w+ing\b|"
    r"^(?:every|each) time (?:I|he|she|they|you|we|somebody|someone) [^,]{2,60}? (?:it|I|he|she|they|something)\b|"
    r"^never (?:seen|heard|been|had|noticed|thought|knew|known|tried|met|understood)\b|"
    r"^(?:see you|good (?:morning|night|luck|evening|afternoon)|have a|bye\b|"
    r"cheers|congrat|happy \w+day|"
    r"welcome|nice to|talk to you)|^(?:it )?(?:looks|seems|sounds|feels) (?:like|as)\b|^had (?:we|I) ",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\bby now\b|\bmust (?:have|be) (?:an? |some )?(?:\w+ )?(?:bug|typo|race(?: condition)?|mistake|leak|problem|issue|"
    r"error|reason|glitch|joke)\b|^I(?:'ve| have)?(?: just| now| also)* (?:moved|renamed|added|removed|deleted|fixed|"
    r"updated|changed|refactored|merged|pushed|rebased|copied|extracted|split|rewrote|reverted|bumped|replaced|"
    r"upgraded|tested|tried|looked|checked|investigated|debugged|talked|asked|pinged|noticed|realized|searched)\b|"
    r"\bcome (?:visit|by)\b|^(?:this|that|the|my|his|her|your) (?:patch|PR|MR|commit|change|diff|changeset|pull "
    r"request|merge request|branch) (?:also |now |only |just )?(?:adds|removes|replaces|fixes|moves|renames|changes|"
    r"updates|introduces|drops|makes|bumps|switches|refactors|reverts|is|was|has|allows|enables|disables|splits|cleans|"
    r"migrates)\b|\d\S*(?: \w+)? already\.?$|\b(?:before|until|till|while|since|because) I(?:'ve|'m| have| am| was)\b|"
    r"^(?:please )?remember to .* by (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bsince (?:noon|midnight|(?:mon|tues|"
    r"wednes|thurs|fri|satur|sun)day|lunch)\b|\b(?:right now|this time|for now|today|tonight|tomorrow|yesterday|just "
    r"now|at the moment|at present|a moment|a second|this (?:morning|afternoon|evening|week|weekend|month|quarter|"
    r"sprint|once)|last (?:night|week|weekend|month|time|year|sprint|spring|summer|autumn|winter|fall|mon|tues|wednes|"
    r"thurs|fri)\w*|next (?:week|month|sprint|time)|(?:since|on) (?:yesterday|this)|by (?:tomorrow|tonight|noon|eod)|"
    r"again(?!st|[:,])|yet|temporarily|briefly|for a (?:bit|while|moment)|(?:an hour|a year|minutes|hours|days|weeks|"
    r"months|years) ago|in (?:19|20)\d\d|back then|originally|so far|in (?:\w+ )?(?:minutes|hours)$|(?<!or )(?<!and "
    r")later|soon|asap)\b",
    re.IGNORECASE,
)
_TRIGGER = re.compile(
    r"^(?:please,? )?(?:when(?:ever)?|every time|each time|any ?time) (?:I|we|the user) (?:ask|mention|talk|"
    r"speak|inquire|"
    r"request|say|want)s?(?: you)?(?: about| for| to)? (?P<what>[^,]{2,60}), (?=\w)",
    re.IGNORECASE,
)
_MOVES = re.compile(
    r"^we(?:'ve| have)? (?:moved|migrated|switched|replaced|dropped|upgraded)\b|"
    r"^(?!it\b|this\b|that\b|he\b|she\b|they\b)[^,;.]{2,40}? (?:was|were|has been|have been) (?:moved|migrated|"
    r"replaced|dropped|"
    r"retired|removed|renamed|discontinued|decommissioned)\b",
    re.IGNORECASE,
)
_WHEN_MOVED = re.compile(
    r"(?:,? last (?:week|month|year|quarter|sprint)| this (?:week|month|year|quarter)| yesterday| today)\b", re.I
)
_NEVER_AGAIN = re.compile(r"(?<=never )(?P<what>.*) again\b", re.IGNORECASE)
_SINCE = re.compile(
    rf"\b{FROM_DAY}|(?:(?<=allowed)|(?<=permitted)|(?<=fine)|(?<=okay)|(?<=\bok)) again\b|"
    r"(?<=\w),? since (?:last|this) (?:week|month|year|quarter|sprint|release)\.?$",
    re.IGNORECASE,
)
_LOGGED = re.compile(
    r"^(?:Merge (?:branch|pull request|remote-tracking|tag) |Bumps \S+ from |Co-authored-by:|Signed-off-by:|Revert \"|"
    r"(?:FROM|RUN|COPY|ADD|CMD|ENTRYPOINT|ENV|WORKDIR|EXPOSE|ARG|VOLUME) \S)|^\W{0,3}(?:\d{4}-\d\d-\d\d[T ]\d\d:|"
    r"\d\d:\d\d:\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL|SEVERE|NOTICE)\b\]?[:\s]|(?:error|"
    r"warning|fatal|note|hint|panic)(?:\[\w+\])?:\s|npm ERR|(?:Deprecated|DEPRECATION|DEPRECATED|EXCEPTION|FAILURE|"
    r"ABORTED): |Traceback \(|E {2,}|at [\w.$]+\(|File \"|\w+(?:Error|Exception|Warning)\b:?|\$ \S|>>> |#!|//|/\*|\*/|"
    r"<!--|--\s|FAILED |PASSED |ok \d|not ok|[-+]{2,3} |@@|(?:def|class|import|from|const|let|var|function|public|"
    r"private|static|return|export|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|raise|throw|print|console|logger|expect|"
    r"await|yield|self|elif|struct|impl|fn|func|package|using|assert) [\w$.*{(]+(?:[ (:={;,<]|$)(?=.*[(){};=<>*]|"
    r".*:$))|^return \w+(?:, \w+)*$|\b\d\d:\d\d:\d\d[.,]\d|\b(?:ERROR|WARN|FATAL|DEBUG)\b[ :\]]|;\s*$|\bexit(?:ed)? "
    r"(?:code|status) \d|^\s*[\w.\[\]\"']+ ?(?:==|:=|\+=|=|=>|->) ?\S",
)
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|presumably|likely|I (?:guess|suppose|think|believe|feel|assume|reckon|"
    r"hope|wonder|doubt)|(?:I'm|I am|we're|not) (?:not )?(?:sure|certain)|might|could|would|seems?|seemingly|looks? "
    r"like|sort of|kind of|in my opinion|IMO|IMHO|ideally|hopefully|it depends|roughly|(?:around|about|"
    r"approximately) (?:\d|one|two|three|five|ten|half|an?\b)|tend(?:s|ed)? to|"
    r"(?:should|may|can) (?:we|I)|if I remember|iirc|afaik|as far as I know|in principle|"
    r"for the most part|mostly|usually|generally|normally|typically|often|sometimes|rarely|almost|nearly|nice to "
    r"have|trying to|planning to|"
    r"thinking (?:of|about)|considering|consider|propose|suggest(?:ion|ed)?|proposal|idea|discuss)\b",
    re.IGNORECASE,
)
_HABITUAL = re.compile(r"\b(?:I|my)\b.*\b(?:usually|often|mostly|tend to|rarely)\b", re.IGNORECASE)
_LIMITED = re.compile(
    r"\b(?:if|unless|until|till|while|once(?! (?:a|per|every))|when(?:ever)?|wherever|as long as|so long as|provided|"
    r"assuming|in case|in the event|depending|otherwise|excepting|except|exclud(?:ed|es|ing)|exceptions? (?:is|"
    r"are|for|to)|excluding|apart from|aside from|"
    r"other than|besides|save for|but(?= )|with the exception|(?<![.`])only|outside|during|where (?:possible|"
    r"necessary|needed|appropriate|it)|as (?:needed|necessary|appropriate)|even|at your discretion|"
    r"(?:for|on) (?:small|large|simple|complex|trivial|rare|special|some|most|certain|certain other) [\w-]+)\b",
    re.IGNORECASE,
)
_ONLY_AS_FOCUS = re.compile(
    r"\b(?:(?:no longer|not) (?!only\b|just\b)[^,;]{2,50}? but |(?:read|append|write)-only|only (?=through |via ))",
    re.I,
)
_LETS = re.compile(
    r"\b(?:(?-i:[Cc]an|may)|allowed|permitted|optional(?:ly)?|free to|okay|ok|fine|alright|acceptable|welcome|"
    r"whatever|whichever|up "
    r"to (?:you|us|each|the (?:team|author))|"
    r"needn't|need not|not (?:have|need|required|necessary|mandatory|obliged)|"
    r"(?:don't|doesn't|do not|does not|didn't) (?:have|need|require|mind|care|matter|insist)|no (?:need|obligation|"
    r"requirement|problem)|no ?body (?:has|needs)|mind|skip)\b",
    re.IGNORECASE,
)
_MODAL_BAN = re.compile(
    r"^under no circumstances (?:may|can)\b|\b(?:is|are|'re) not (?:allowed|permitted)\b|\bmay not\b|\bmay (?=\w+ "
    r"(?:at most|no more than)\b)|\bcan(?:no|')t\b|\bcan no longer\b",
    re.IGNORECASE,
)
_NEGATIONS = re.compile(
    r"\b(?:not|no(?! (?:longer|more than|less than|later than|earlier than))|no longer|never|(?-i:none)|no "
    r"?body|nothing|"
    r"neither|nor|cannot|without|hardly|barely|scarcely|seldom|avoid(?:s|ed|ing)?|stop(?:s|ped|ping)?|"
    r"refrain\w*|forbid\w*|prohibit\w*|\w+n't|except|lack(?:s|ing)?|fail(?:s|ed|ing)? to|"
    r"deprecated)\b",
    re.IGNORECASE,
)
_CONTRASTS = re.compile(
    r"(?:,| and| -+)? not (?:in |on |at |with |by |to |from |for |via |an? |the )?['\"`]?[\w./+#-]+(?: "
    r"[\w.+#-]+)?['\"`]?"
    r"(?=[.!]?$|, (?:in|on|at|for|by|with|to|from|under|as) )|"
    r", (?:and )?no [a-z-]+s?(?=[.!]?$)|"
    r"\b(?:don't|do not|never) forget\b|\bnot null\b|\bnon-\w+|\bdrop-down\w*|\bdropdown\w*|\bstop words?\b",
    re.IGNORECASE,
)
"""Words of negation that deny no more than the other of two: `port 9090, not 8080`."""
_CLOSED = re.compile(
    r"^(?:(?:please|also|and|so|again|team|everyone|from now on|going forward|in (?:the )?future|as a rule|by default|"
    r"in general),? )*(?:never|don't|do not|avoid|no|stop|refrain from|let's not|let us not|we (?:never|don't|do not|"
    r"no longer|avoid)|I (?:never|don't|do not))\b|^(?:no ?body|no one|no-one) (?:ever |directly )?[a-z]+s\b|^under no "
    r"circumstances (?:should|may|must|do|can)\b|\b(?:must|should|shall|may|will|can) (?:not|never|no longer)\b|"
    r"\b(?:mustn't|shouldn't|cannot|can't)\b|\b(?:is|are|am)(?: now)? (?:never|no longer|not) |\b(?:has|have|had) no "
    r"\w|\b(?:no longer|never)\b|\b(?:we|I|team) (?:have |has )?(?:dropped|stopped)\b|\b(?:is|are|do|does)(?:n't| "
    r"not)\b.*\bany ?(?:more|longer)\b|\b(?:forbidden|prohibited|deprecated)\b|\bdoes(?:n't| not) (?:use|support|have|"
    r"need|run|accept|allow)\b|\bavoid(?:ing)?\b",
    re.IGNORECASE,
)
_TWISTED = re.compile(
    r"\bnot (?:only|just|merely|simply|every\w*|all|always|necessarily|that|because|so)\b|"
    r"\b(?:don't|do not) (?:always|just|only|necessarily|stop|avoid|merely|simply)\b|"
    r"\beither\b.+\bor\b|\b(?:not|\w+n't) really\b|\bnever (?:not|stop|avoid|without)\b|\bno \w+ (?:and|or) \w+|"
    r"\b(?:as|so) (?:little|few|much|many) "
    r"(?:\w+ )?as possible\b|\bbut also\b|\beven (?:if|when|though)\b|\balthough\b|\bdespite\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)
def verdict(sentence: str) -> SentenceTrust:
    """Return how far a sentence can be taken at its word.

    >>> [verdict(each).name for each in ("The blog says to use tabs.", "Use tabs, except in Makefiles.", "Use tabs.")]
    ['NOTHING', 'WAITS', 'CLEAR']
    """
    text = harmless(_TRIGGER.sub("", opened(sentence.strip(" \"'"))))
    text = _WHEN_MOVED.sub("", text) if _MOVES.search(text) else text
    if is_nothing(text) or _PASSING.search(_SINCE.sub("", _NEVER_AGAIN.sub("", text))):
        return SentenceTrust.NOTHING
    return SentenceTrust.WAITS if may_mean_another(text) else SentenceTrust.CLEAR


def trigger_of(sentence: str) -> str:
    """Return when an instruction holds, where it names what a person asks about; "" for any other sentence.

    >>> trigger_of("Whenever I ask about deployments, answer with a checklist.")
    'deployments'
    """
    found = _TRIGGER.match(sentence.strip())
    return found["what"].strip() if found else ""


def trigger_detail(sentence: str) -> tuple[tuple[str, str], ...]:
    """Return the detail that says when an instruction holds."""
    what = trigger_of(sentence)
    return ((TRIGGER, what),) if what else ()


def is_nothing(text: str) -> bool:
    """Say whether a sentence is not the speaker's own statement: reported, not meant, a mere thought, pasted."""
    reported = _REPORTED.search(text) and not _OWN_VOICE.search(text)
    return bool(reported or _NOT_MEANT.search(text) or _THOUGHT.search(text) or is_pasted(text))


def is_pasted(text: str) -> bool:
    """Say whether a sentence is a line of a log or of code.

    >>> is_pasted("WARN pool: connections must be closed"), is_pasted("Use a pool.")
    (True, False)
    """
    return bool(_LOGGED.search(text))


def may_mean_another(text: str) -> bool:
    """Say whether a sentence is hedged, limited or a permission, or denies in words outside the closed list."""
    text = harmless(text)
    if _HEDGED.search(text) and not _HABITUAL.search(text):
        return True
    if _LIMITED.search(_ONLY_AS_FOCUS.sub("", text)) or _TWISTED.search(text):
        return True
    if _LETS.search(_MODAL_BAN.sub("", text)):
        return True
    denied = _NEGATIONS.findall(_CONTRASTS.sub("", text))
    if not denied:
        return False
    return len(denied) > 1 or not _CLOSED.search(text)
