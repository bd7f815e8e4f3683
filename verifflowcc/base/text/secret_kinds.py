"""What secrets look like: a row for each kind, by the prefix, the shape or the name beside it that its issuer gives it.

`anchors` are words one of which a text must hold (in any case) before the pattern is tried at all, so that a text
without them costs next to nothing. Each pattern takes time in proportion to the text: repetitions have bounds and do
not overlap. Where a pattern has a group, the group is the secret; the rest of the match only says what it is.
"""

import re
from functools import cache
from math import log2

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
"""The kinds whose anchor stands apart from the secret."""

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
        "credentials of a request",
        ("authorization", "bearer ", "basic "),
        r"(?i:authorization[\"'`]?\s{0,3}[:=,]\s{0,3}[\"'`]?(?:basic|bearer|token|apikey)|\bbearer)\s{1,3}([A-Za-z0-9._~+/=-]{16,2000})",
    ),
    SecretKind(
        "credentials of a command",
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
"""The kinds that what stands around a value gives away; the value must look as if somebody had drawn it."""


@cache
def pattern(source: str) -> re.Pattern[str]:
    """Return a pattern, compiled when it is first needed: most texts need few of them."""
    return re.compile(source, re.ASCII)
