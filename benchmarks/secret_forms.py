"""Secrets that nobody has: drawn from the forms that their issuers describe in public, never real ones.

Each draw takes a random generator with a seed, so that all runs see the same. No secret stands in this file.
"""

import base64
import json
import random
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_MIXED = string.ascii_letters + string.digits
_URL = f"{_MIXED}-_"
_B64 = f"{_MIXED}+/"
_HEX = "0123456789abcdef"
_B32 = f"{string.ascii_uppercase}234567"
_SIGNS = "!#%^&*+?~@"

Draw = Callable[[random.Random], str]


@dataclass(frozen=True)
class Form:
    """How one kind is drawn, and the name that people give it. `whole` says that it brings its own surroundings."""

    draw: Draw
    name: str = ""
    whole: bool = False


def some(rng: random.Random, letters: str, count: int) -> str:
    """Return so many letters, drawn."""
    return "".join(rng.choice(letters) for _ in range(count))


def _shaped(before: str, letters: str, count: int, after: str = "") -> Draw:
    return lambda rng: f"{before}{some(rng, letters, count)}{after}"


def _password(rng: random.Random) -> str:
    """A password as a generator draws it: letters of both sizes, digits, and mostly a sign."""
    count = rng.randint(12, 24)
    signs = _SIGNS if rng.random() < 0.7 else ""
    made = [rng.choice(each) for each in (string.ascii_lowercase, string.ascii_uppercase, string.digits)]
    made += [rng.choice(_MIXED + signs) for _ in range(count - len(made))]
    rng.shuffle(made)
    return "".join(made).strip(_SIGNS) + rng.choice(string.digits)


def _block(kind: str, lines: tuple[int, int], width: int = 64) -> Draw:
    def draw(rng: random.Random) -> str:
        body = "\n".join(some(rng, _B64, width) for _ in range(rng.randint(*lines)))
        return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"

    return draw


def _jwt(rng: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part({'sub': some(rng, _MIXED, 12)})}.{some(rng, _URL, 43)}"


def _url(schemes: str) -> Draw:
    def draw(rng: random.Random) -> str:
        user, host = rng.choice(("app", "svc-billing", "reader")), f"db{rng.randint(1, 9)}.internal.corp"
        scheme, word = rng.choice(schemes.split()), some(rng, _MIXED, rng.randint(10, 24))
        return f"{scheme}://{user}:{word}@{host}:{rng.randint(1024, 9999)}/main"

    return draw


def _netrc(rng: random.Random) -> str:
    return f"machine git.corp.net login deploy password {some(rng, _MIXED, 20)}"


FORMS: Mapping[str, Form] = {
    "AWS access key": Form(lambda rng: rng.choice(("AKIA", "ASIA")) + some(rng, _B32, 16), "AWS_ACCESS_KEY_ID"),
    "AWS secret key": Form(lambda rng: f"aws_secret_access_key = {some(rng, _B64, 40)}", whole=True),
    "Google API key": Form(_shaped("AIza", _URL, 35), "GOOGLE_API_KEY"),
    "Azure storage connection": Form(
        lambda rng: (
            "DefaultEndpointsProtocol=https;AccountName=store;"
            f"AccountKey={some(rng, _B64, 86)}==;EndpointSuffix=core.windows.net"
        ),
        whole=True,
    ),
    "DigitalOcean token": Form(_shaped("dop_v1_", _HEX, 64), "DIGITALOCEAN_TOKEN"),
    "GitHub token": Form(lambda rng: f"gh{rng.choice('pousr')}_{some(rng, _MIXED, 36)}", "GITHUB_TOKEN"),
    "GitHub fine-grained token": Form(
        lambda rng: f"github_pat_{some(rng, _MIXED, 22)}_{some(rng, _MIXED, 59)}", "GH_PAT"
    ),
    "GitLab token": Form(_shaped("glpat-", _URL, 20), "GITLAB_TOKEN"),
    "Stripe key": Form(lambda rng: f"sk_live_{some(rng, _MIXED, rng.choice((24, 99)))}", "STRIPE_KEY"),
    "Slack token": Form(
        lambda rng: f"xoxb-{some(rng, string.digits, 12)}-{some(rng, string.digits, 13)}-{some(rng, _MIXED, 24)}",
        "SLACK_BOT_TOKEN",
    ),
    "Slack webhook": Form(
        lambda rng: (
            f"https://hooks.slack.com/services/T{some(rng, _B32, 8)}/B{some(rng, _B32, 10)}/{some(rng, _MIXED, 24)}"
        ),
        "SLACK_WEBHOOK",
    ),
    "Telegram bot token": Form(
        lambda rng: f"{rng.randint(10**8, 10**10 - 1)}:AA{some(rng, _URL, 33)}", "TELEGRAM_TOKEN"
    ),
    "Twilio key": Form(_shaped("SK", _HEX, 32), "TWILIO_API_KEY"),
    "SendGrid key": Form(lambda rng: f"SG.{some(rng, _URL, 22)}.{some(rng, _URL, 43)}", "SENDGRID_API_KEY"),
    "npm token": Form(_shaped("npm_", _MIXED, 36), "NPM_TOKEN"),
    ".npmrc": Form(lambda rng: f"//registry.corp.net/:_authToken={some(rng, _MIXED, 32)}", whole=True),
    "PyPI token": Form(_shaped("pypi-AgEIcHlwaS5vcmc", _URL, 120), "TWINE_PASSWORD"),
    ".netrc": Form(_netrc, whole=True),
    "Docker Hub token": Form(_shaped("dckr_pat_", _URL, 27), "DOCKER_TOKEN"),
    "OpenAI key": Form(lambda rng: f"sk-proj-{some(rng, _URL, 74)}T3BlbkFJ{some(rng, _URL, 74)}", "OPENAI_API_KEY"),
    "Anthropic key": Form(_shaped("sk-ant-api03-", _URL, 93, "AA"), "ANTHROPIC_API_KEY"),
    "Hugging Face token": Form(_shaped("hf_", string.ascii_letters, 34), "HF_TOKEN"),
    "RSA private key": Form(_block("RSA PRIVATE KEY", (13, 26)), whole=True),
    "OpenSSH private key": Form(_block("OPENSSH PRIVATE KEY", (5, 38), 70), whole=True),
    "PGP private key": Form(_block("PGP PRIVATE KEY BLOCK", (20, 60)), whole=True),
    "age key": Form(_shaped("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), "SOPS_AGE_KEY"),
    "JSON web token": Form(_jwt, "SESSION_TOKEN"),
    "database URL": Form(_url("postgres postgresql mysql mongodb+srv redis amqp"), whole=True),
    "basic auth in a URL": Form(_url("https http ftp"), whole=True),
    "password": Form(_password, "DB_PASSWORD"),
}
"""Thirty kinds; a name is what stands beside a value in the contexts that name one."""

KNOWN_CONTEXTS = (
    "{NAME}={value}",
    '{{"region": "eu-1", "{lower}": "{value}", "retries": 3}}',
    'client = connect({lower}="{value}", timeout=30)',
    "2026-03-02T10:15:07Z INFO worker-3 starting with {lower}={value} pool=8",
    "For the staging cluster the {words} is {value}, ask before you rotate it.",
)
"""Where a value stands, as the patterns were written for it."""
HELD_OUT_CONTEXTS = (
    '$env:{NAME} = "{value}"',
    "- **{words}:** `{value}`",
    "{lower}: !unsafe '{value}'",
    "user=app&{lower}={value}&remember=1",
    '<add key="{NAME}" value="{value}" />',
)
"""Forms that the patterns were not written for, nor changed after."""
KNOWN_SURROUNDINGS = (
    "{value}",
    "Put this into the settings of the runner:\n\n{value}\n\nThen start it again.",
    "```\n{value}\n```",
    "# from the old machine\n{value}",
    "log: reconnecting\n{value}\nlog: connected",
)
HELD_OUT_SURROUNDINGS = (
    "> {value}",
    "1. Copy it as it is: {value}",
    "cat <<'END' > settings\n{value}\nEND",
    "    {value}",
    "Before:\t{value}",
)
