"""Find what looks like a secret in a text, and replace it by a word.

A row for each kind: the prefix, the shape or the name beside it that its issuer gives it. `anchors` are words one of
which a text must hold (in any case) before the pattern is tried, so that a text without them costs next to nothing.
Each pattern takes time in proportion to the text: repetitions have bounds and do not overlap. Where a pattern has a
group, the group is the secret; the rest of the match only gives its kind.

A placeholder for a secret (`<your-key>`, `xxxx`, `${TOKEN}`, `changeme`) is none, so that documentation raises no
alarm. A result has the kind and the place of a secret, never the secret.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass

# Whether a value is a secret, or a word, a name, or what holds the place of one in a text that explains.

FEWEST = 8
"""A value beside a name that has fewer characters is a word as likely as a password."""
_LEAST_BITS = 2.6
"""Entropy per character, below which a value repeats itself."""
_PLACES = (
    "example sample placeholder changeme change_me change-me dummy fake redacted withheld insert replace todo fixme "
    "your_ your- yourtoken yourkey yourpass yoursecret my-secret mysecret mypass my_pass not-a-real notreal not_a_real "
    "notasecret ***** ..... <your xxxxx abcdefgh 12345678 01234567 87654321 qwertyui deadbeef lorem somesecret "
    "supersecret super-secret secretvalue hunter2 correcthorse correct-horse foobar s3cr3t secret123 password1 "
    "passw0rd p@ssw0rd letmein test-token test_token testtoken"
).split()
_REFERENCE = lazy_pattern(
    r"\$[A-Za-z_{(]|\{\{|<[A-Za-z]|%[A-Za-z_({]|\{[A-Za-z_]|#\{|@\{|…|\b(?:os\.environ|process\.env|getenv|secrets?\.)"
)
_ONE_LETTER = lazy_pattern(r"([^\W_]|[*.?#])\1{5,}")
_WORDS = lazy_pattern(r"[A-Za-z_]*\d{0,2}(?:[\s._/:+@=|,;-]+[A-Za-z_]*\d{0,4})*")
"""Words and small numbers: a path, a name with dots, a version, a sentence."""
_SIZES = lazy_pattern(r"[A-Z]+[a-z]+[A-Z]+")
_DIGEST = lazy_pattern(r"(?:sha\d{1,3}|md5)[:-]", re.IGNORECASE)
_PATH = lazy_pattern(r"[~.]{0,2}/[\w./-]*")
_NUMBER = lazy_pattern(r"[\d.,:%_+-]+")
_CALL = lazy_pattern(r"[A-Za-z_][\w.]*\(|\w+\[|[A-Za-z_]\w*\.[A-Za-z_]\w*\.")


def holds_a_place(value: str) -> bool:
    """Return whether a value is a placeholder for a secret, or a plain example.

    >>> holds_a_place("AKIAIOSFODNN7" + "EXAMPLE"), holds_a_place("ghp_" + "x" * 36), holds_a_place("${TOKEN}")
    (True, True, True)
    """
    lower = value.lower()
    if any(each in lower for each in _PLACES) or _ONE_LETTER.search(value):
        return True
    return len(set(value)) <= 3 or bool(_REFERENCE.search(value))


def looks_drawn(value: str, *, in_prose: bool = False, surely: bool = False) -> bool:
    """Say whether a value beside a name such as `password` looks as if it had been drawn or thought out as a secret.

    In prose, where any word may follow, it must have letters and digits. `surely` says that nothing but a password can
    stand there; then a word of two kinds of letters is one.
    """
    if len(value) < FEWEST or holds_a_place(value):
        return False
    if surely and value.isalnum():
        return len(_kinds(value)) >= 2
    if (
        _is_words(value)
        or _NUMBER.fullmatch(value)
        or _DIGEST.match(value)
        or _CALL.match(value)
        or _PATH.fullmatch(value)
    ):
        return False
    kinds = _kinds(value)
    if in_prose and ("digit" not in kinds or " " in value):
        return False
    if " " in value and value.count(" ") > 4:
        return False
    return len(kinds) >= 2 and bits_per_character(value) >= _LEAST_BITS


def _is_words(value: str) -> bool:
    """Say whether a value is words with small numbers; letters that change their size over and over are no word."""
    if not _WORDS.fullmatch(value):
        return False
    return len(_SIZES.findall(value)) < 3 or not any(letter.isdigit() for letter in value)


def bits_per_character(value: str) -> float:
    """Return Shannon's entropy of a value's characters, in bits.

    >>> bits_per_character("aaaa"), bits_per_character("abab")
    (0.0, 1.0)
    """
    from math import log2  # a library of its own, which a text without anything like a secret does not need

    size = len(value)
    shares = [value.count(letter) / size for letter in set(value)]
    return sum(-share * log2(share) for share in shares) + 0.0


def _kinds(value: str) -> set[str]:
    found = set()
    for letter in value:
        if letter.isdigit():
            found.add("digit")
        elif letter.isalpha():
            found.add("upper" if letter.isupper() else "lower")
        elif not letter.isspace():
            found.add("sign")
    return found


@dataclass(frozen=True, slots=True)
class SecretKind:
    """One kind of secret, as people call it."""

    name: str
    anchors: tuple[str, ...]
    source: str


_WORD, _LATER = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
"""No letter or digit before, none behind: part of a longer word is no token."""


def _token(name: str, anchors: str, shape: str) -> SecretKind:
    """A token that its own shape gives away; `anchors` with spaces between them."""
    return SecretKind(name, tuple(anchors.lower().split()), f"{_WORD}(?:{shape}){_LATER}")


_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:(?!-----)[\s\S]){40,40000}-----END [A-Z0-9 ]{1,60}-----|[\sA-Za-z0-9+/=\\]{40,40000})"
)
_PUTTY = (
    r"PuTTY-User-Key-File-[23]: [^\n]{1,80}\n(?:[^\n]{0,200}\n){3,60}?"
    r"Private-Lines: \d{1,3}\n(?:[A-Za-z0-9+/=]{20,80}\n?){1,60}"
)
WIDE: tuple[SecretKind, ...] = (
    SecretKind("private key", ("private key",), _PRIVATE_KEY),
    SecretKind("PuTTY private key", ("putty-user-key-file",), _PUTTY),
    SecretKind(
        "AWS secret key",
        ("aws",),
        r"(?i:aws)[\w \t.:-]{0,30}(?i:secret|key)[\w]{0,20}[\"'`]?\s{0,3}(?:=>|:=|=|:)\s{0,3}[\"'`]?"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
)
"""The kinds whose anchor is apart from the secret."""

TOKENS: tuple[SecretKind, ...] = (
    _token("age key", "age-secret-key-", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40,80}"),
    _token("AWS access key", "akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _token("Google API key", "aiza", r"AIza[A-Za-z0-9_-]{35}"),
    _token("Google client secret", "gocspx-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    _token("Google access token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,400}"),
    SecretKind(
        "Azure storage key",
        ("accountkey", "sharedaccesskey"),
        r"(?i:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{42,88}={1,2})",
    ),
    _token("Azure client secret", "q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    SecretKind("Azure shared access signature", ("sig=",), r"[?&;]sig=([A-Za-z0-9%+/]{40,120}(?:%3[Dd]|=))"),
    _token("DigitalOcean token", "doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _token("Alibaba access key", "ltai", r"LTAI[A-Za-z0-9]{20}"),
    _token("Tencent secret id", "akid", r"AKID[A-Za-z0-9]{32}"),
    _token("Heroku key", "hrku-", r"HRKU-[A-Za-z0-9_-]{36,64}"),
    _token("Cloudflare key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    _token("Fly token", "fm1_ fm2_ fo1_", r"(?:fm[12]|fo1)_[A-Za-z0-9+/=_-]{40,900}"),
    _token("Tailscale key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{20,40}"),
    _token("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _token("GitHub fine-grained token", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,255}"),
    _token(
        "GitLab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- gloas-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,300}",
    ),
    _token("Bitbucket app password", "atbb", r"ATBB[A-Za-z0-9]{32,44}"),
    _token("Atlassian token", "atatt3 atctt3", r"AT[AC]TT3[A-Za-z0-9_=-]{60,300}"),
    _token("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{20,250}"),
    _token("webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    _token("Square token", "sq0atp- sq0csp- eaaa", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60}"),
    SecretKind(
        "Braintree token", ("access_token$",), r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"
    ),
    _token("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _token(
        "Slack token",
        "xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xapp- xoxe.",
        r"xox[abeprs][-.][A-Za-z0-9.-]{10,250}|xapp-\d-[A-Z0-9]{6,20}-\d{6,20}-[a-z0-9]{20,80}",
    ),
    SecretKind(
        "Slack webhook",
        ("hooks.slack.com",),
        r"(?:https://)?hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,120}",
    ),
    SecretKind(
        "Discord webhook",
        ("/api/webhooks/",),
        r"(?:https://)?discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{60,80}",
    ),
    _token(
        "Discord bot token",
        ".",
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
    ),
    _token("Telegram bot token", ":aa", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    SecretKind(
        "Microsoft Teams webhook",
        ("webhook.office.com",),
        r"webhook\.office\.com/webhookb2/[a-f0-9@-]{70,80}/IncomingWebhook/[a-f0-9]{32}/[a-f0-9-]{36}",
    ),
    _token("Twilio key", "sk", r"SK[0-9a-f]{32}"),
    _token("SendGrid key", "sg.", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    _token("Mailgun key", "key-", r"key-[0-9a-f]{32}"),
    _token("Mailchimp key", "-us", r"[0-9a-f]{32}-us\d{1,2}"),
    _token("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("PyPI token", "pypi-age", r"pypi-AgE[A-Za-z0-9_-]{50,300}"),
    _token("RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _token("crates.io token", "cio", r"cio[A-Za-z0-9]{32}"),
    _token("NuGet key", "oy2", r"oy2[a-z0-9]{43}"),
    _token("Docker Hub token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[A-Za-z0-9_-]{27,60}"),
    _token("Artifactory key", "akcp", r"AKCp[A-Za-z0-9]{60,80}"),
    _token("Clojars token", "clojars_", r"CLOJARS_[a-z0-9]{60}"),
    _token("Anthropic key", "sk-ant-", r"sk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{40,200}"),
    _token("OpenRouter key", "sk-or-", r"sk-or-v\d-[a-f0-9]{64}"),
    _token("OpenAI key", "sk-", r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,250}|[A-Za-z0-9]{32,64})"),
    _token("Hugging Face token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{34,40}"),
    _token("Replicate token", "r8_", r"r8_[A-Za-z0-9]{37,40}"),
    _token("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{48,60}"),
    _token("Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{40,60}"),
    _token("xAI key", "xai-", r"xai-[A-Za-z0-9]{70,90}"),
    _token("Databricks token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),
    _token("New Relic key", "nrak- nrii-", r"NR(?:AK|II)-[A-Za-z0-9_-]{27,40}"),
    _token("Grafana token", "glsa_ glc_", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2}"),
    _token("Sentry token", "sntrys_ sntryu_", r"sntrys_[A-Za-z0-9+/=_]{40,400}|sntryu_[a-f0-9]{64}"),
    _token("Dynatrace token", "dt0c01. dt0s01.", r"dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _token("Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,300}"),
    _token("Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}"),
    _token("Pulumi token", "pul-", r"pul-[a-f0-9]{40}"),
    _token("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    _token("1Password token", "ops_eyj", r"ops_eyJ[A-Za-z0-9_=-]{100,2000}"),
    _token("Linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    _token("Notion token", "ntn_ secret_", r"ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43}"),
    _token("Figma token", "figd_", r"figd_[A-Za-z0-9_-]{36,50}"),
    _token("Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _token("Postman key", "pmak-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _token("Supabase token", "sbp_", r"sbp_[a-f0-9]{40}"),
    _token("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,64}"),
    _token("JSON web token", "eyj", r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{16,1000}"),
)
"""The kinds that their own shape gives away: one long word, in which the anchor is."""

AROUND: tuple[SecretKind, ...] = (
    SecretKind(
        "password in a URL",
        ("://",),
        r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'`<>]{0,100}:([^\s/@\"'`<>]{3,200})@[A-Za-z0-9\[$_.-]",
    ),
    SecretKind(
        "credential of a request",
        ("authorization", "bearer ", "basic "),
        r"(?i:authorization[\"'`]?\s{0,3}[:=,]\s{0,3}[\"'`]?(?:basic|bearer|token|apikey)|\bbearer)\s{1,3}([A-Za-z0-9._~+/=-]{16,2000})",
    ),
    SecretKind(
        "credential of a command",
        ("-u ", "-u=", "--user", "sshpass"),
        r"(?:\s(?:-u|--user)[ =][\"'`]?[A-Za-z0-9_.@+-]{1,60}:|\bsshpass -p ?[\"'`]?)([^\s\"'`]{6,200})",
    ),
    SecretKind(
        "password of .netrc",
        ("machine", "login"),
        r"(?i)\blogin\s{1,5}\S{1,100}\s{1,5}password\s{1,5}(\S{4,200})",
    ),
    SecretKind("WireGuard private key", ("privatekey",), r"(?i:PrivateKey)\s{0,3}=\s{0,3}([A-Za-z0-9+/]{43}=)"),
)
"""The kinds that what is around a value gives away; the value must look as if somebody had drawn it."""


@cache
def pattern(source: str) -> re.Pattern[str]:
    """Return a pattern, compiled when it is first needed: most texts need few of them."""
    return re.compile(source, re.ASCII)


# Values beside a name such as `password` or `api_key`: assigned, in an element, of a command, in a sentence.
#
# One pass looks for the roots of such names; what is to the left and right of each root then decides. All of it
# reads a bounded stretch around a root, so that it takes time in proportion to the text. What decides is compiled when
# a text first has a root: a hook withholds secrets from every event that it records.

_ROOT = lazy_pattern(
    r"pass(?:w(?:or)?d|phrase|wort|code)|pass(?![a-z])|pwd|secret|credential|token|bearer|key(?![a-rt-z])|auth(?!o)|_pw"
)
_NEEDS_MORE = frozenset({"pass", "key", "auth", "_pw"})
"""Roots that are words of everyday: something in front of them says that they name a secret."""
_IN_FRONT = (
    r"(?:api|app|access|account|auth|client|deploy|encryption|license|master|private|service|shared|signing|storage|"
    r"webhook|session|admin|db|database|user|root|smtp|ftp|ssh|redis|mysql|postgres|pg|mail|npm|x)[ _.-]?|[_.-]"
)
_KEYS_OF_DATA = (
    r"(?:public|publishable|foreign|primary|partition|sort|cache|idempotency|next[ _-]?page|page|sub|unsub|sync|"
    r"continuation|csrf|xsrf|next)[ _-]?$"
)
_QUOTED = r"""(?:"([^"\n]{6,300})"|'([^'\n]{6,300})'|`([^`\n]{6,300})`|\\"([^"\\\n]{6,300})\\"""
_VALUE = _QUOTED + r"""|([^\s"'`<>(){}\[\]\\]{6,300}))"""
_ASSIGNED = (
    r"""[A-Za-z0-9_]{0,24}(?:\\?["'`])?\]?(?:\*\*)?(?:[ \t]{0,3}:[ \t]{0,3}[A-Za-z]{2,20}\??)?"""
    r"""[ \t]{0,3}(?::=|=>|==|=|:|\||->|→)(?:\*\*)?[ \t]{0,3}""" + _VALUE
)
_PASSED = r"""[A-Za-z0-9_]{0,24}(?:["'`]\s{0,3},|\s{1,3}(?:by)?)\s{0,3}""" + _QUOTED + ")"
"""An argument behind the name of a variable, or a value in quotes right behind the word, as in SQL."""
_ELEMENT = r"[A-Za-z0-9_.-]{0,20}>\s{0,3}([^<>\s]{6,300})\s{0,3}</"
_BEHIND_SPACE = r"[A-Za-z0-9_]{0,20}\s{1,3}" + _VALUE
_COMMAND_IN_FRONT = r"(?u:(?:^|\s)--?[a-z0-9_.-]{0,30}|(?:^|\s)(?:env|arg|setx|set)\s{1,3}[a-z0-9_]{0,40})$"
_SENTENCE_VALUE = (
    r"s?(?:\s{1,2}(?:for|of|on|in|at|von)(?:\s{1,2}[^\s,;]{1,60}){1,3}?)?\s{1,2}"
    r"(?:is|are|was|to|ist|=|as)(?:\s{1,2}(?:now|still|always|set to))?:?\s{1,2}" + _VALUE
)
_LEFT = 60
ASSIGNED, SPOKEN = "password or key beside its name", "password or key in a sentence"


def beside_names(text: str, lower: str) -> Iterator[tuple[str, int, int]]:
    """Yield (kind, start, end) of each value next to the name of a secret.

    The value itself is not judged. `lower` is the text in small letters, of the same length.
    """
    for root in _ROOT.finditer(lower):
        left = lower[max(0, root.start() - _LEFT) : root.start()]
        if not _names_a_secret(root[0], left):
            continue
        where = root.end()
        assigned = _first(text, where, _ASSIGNED, _ELEMENT, _PASSED)
        if assigned is None and pattern(_COMMAND_IN_FRONT).search(left):
            assigned = pattern(_BEHIND_SPACE).match(text, where)
        found, kind = (assigned, ASSIGNED) if assigned else (pattern(_SENTENCE_VALUE).match(text, where), SPOKEN)
        if found is not None and found.lastindex:
            yield kind, *found.span(found.lastindex)


def _first(text: str, where: int, *sources: str) -> re.Match[str] | None:
    return next((found for source in sources if (found := pattern(source).match(text, where))), None)


def _names_a_secret(root: str, left: str) -> bool:
    if pattern(_KEYS_OF_DATA).search(left):
        return False
    if root not in _NEEDS_MORE:
        return True
    return any(match.end() == len(left) for match in pattern(_IN_FRONT).finditer(left, max(0, len(left) - 12)))


SHORTEST = 8
"""A text of fewer characters holds no secret that could be told from a word."""
SHORTEST_TOKEN = 20


def _anchors(kinds: Iterable[SecretKind]) -> tuple[tuple[str, SecretKind], ...]:
    return tuple((anchor, kind) for kind in kinds for anchor in kind.anchors)


_WIDE, _TOKENS, _AROUND = _anchors(WIDE), _anchors(TOKENS), _anchors(AROUND)
_SMALL = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_END = lazy_pattern(r"""[.,;:!?"'`\\*|]+$|[&;,].*""", re.DOTALL)
"""What ends the sentence, the parameter or the member that a value is in."""


@dataclass(frozen=True, slots=True)
class SecretMatch:
    """A secret's kind, and where it begins and ends in the text."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> tuple[SecretMatch, ...]:
    """Return what looks like a secret, in order; of overlapping ones the whole stretch, by its most telling kind.

    Takes time in proportion to the text.
    """
    if len(text) < SHORTEST:
        return ()
    lower = text.lower()
    if len(lower) != len(text):
        lower = text.translate(_SMALL)
    found = [*_by_shape(text, lower), *_by_surroundings(text, lower)]
    return tuple(_joined(found)) if found else ()


def withhold(text: str) -> str:
    """Return a text with a word for each secret in it, which says the kind.

    >>> withhold("password = 'Tr0ub4dor" + "&3x'")
    "password = '[secret withheld: password or key beside its name]'"
    """
    found = find_secrets(text)
    if not found:
        return text
    parts: list[str] = []
    end = 0
    for each in found:
        parts += (text[end : each.start], f"[secret withheld: {each.kind}]")
        end = each.end
    return "".join((*parts, text[end:]))


def kinds_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of secrets that texts hold, each once, sorted."""
    return tuple(sorted({each.kind for text in texts for each in find_secrets(text)}))


def place_of(text: str, start: int) -> str:
    """Return a place in a text as `line:column`, both from 1.

    >>> place_of("one\\ntwo", 5)
    '2:2'
    """
    return f"{text.count(chr(10), 0, start) + 1}:{start - text.rfind(chr(10), 0, start)}"


def _by_shape(text: str, lower: str) -> Iterator[SecretMatch]:
    kinds = _held(_WIDE, lower)
    long_words = [word for word in lower.split() if len(word) >= SHORTEST_TOKEN]
    if long_words:
        kinds += _held(_TOKENS, "\n".join(long_words))
    if not kinds:
        return

    for kind in kinds:
        for match in pattern(kind.source).finditer(text):
            group = match.lastindex or 0
            if not holds_a_place(match[group]):
                yield SecretMatch(kind.name, *match.span(group))


def _by_surroundings(text: str, lower: str) -> Iterator[SecretMatch]:
    for kind in _held(_AROUND, lower):
        for match in pattern(kind.source).finditer(text):
            yield from _drawn(kind.name, text, *match.span(match.lastindex or 0), surely=True)
    for name, start, end in beside_names(text, lower):
        yield from _drawn(name, text, start, end, in_prose=name == SPOKEN)


def _held(anchors: Sequence[tuple[str, SecretKind]], place: str) -> list[SecretKind]:
    """Return the kinds one of whose anchors is there, each once."""
    found = [kind for anchor, kind in anchors if anchor in place]
    return list(dict.fromkeys(found)) if len(found) > 1 else found


def _drawn(
    name: str, text: str, start: int, end: int, *, in_prose: bool = False, surely: bool = False
) -> Iterator[SecretMatch]:

    value = text[start:end]
    quoted = start > 0 and text[start - 1] in "\"'`"
    if not quoted:
        value = _END.sub("", value)
    if looks_drawn(value, in_prose=in_prose, surely=surely):
        yield SecretMatch(name, start, start + len(value))


def _joined(found: list[SecretMatch]) -> Iterator[SecretMatch]:
    """Yield each stretch once; of those that overlap, what was found first names the whole."""
    order = {id(each): number for number, each in enumerate(found)}
    stretch: list[SecretMatch] = []
    for each in sorted(found, key=lambda each: each.start):
        if stretch and each.start >= max(one.end for one in stretch):
            yield _whole(stretch, order)
            stretch = []
        stretch.append(each)
    if stretch:
        yield _whole(stretch, order)


def _whole(stretch: list[SecretMatch], order: dict[int, int]) -> SecretMatch:
    first = min(stretch, key=lambda each: order[id(each)])
    return SecretMatch(first.kind, min(each.start for each in stretch), max(each.end for each in stretch))
