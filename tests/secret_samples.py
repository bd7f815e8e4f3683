"""Secrets that nobody has, put together when a test runs, so that none stands in a file of the repository."""

import random

from benchmarks.secret_forms import FORMS

_RANDOM = random.Random(11)
SAMPLES = {kind: form.draw(_RANDOM) for kind, form in FORMS.items()}
TOKEN = SAMPLES["GitHub token"]
PASSWORD = "".join(("Wq7", "-rT2", "xK9", "pZ4"))
PLACEHOLDERS = (
    "api_key: <your-key>",
    "API_KEY=xxxxxxxxxxxxxxxxxxxx",
    "token = ghp_" + "x" * 36,
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7" + "EXAMPLE",
    'password = "${DB_PASSWORD}"',
    "password: changeme",
    'password: "{{ vault_password }}"',
    "secret: $(pass show vault)",
    "client_secret = os.environ['CLIENT_SECRET']",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "postgres://user:password@localhost:5432/app",
    "https://user:****@host.invalid/",
    "The password is set in the vault of the team.",
    "The token expires after 30 minutes and is renewed.",
    "api_key = settings.api_key_of_staging_2",
    "tokens: 12345678",
    "Authorization: Bearer <token>",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "password_hash_rounds: 120000",
    "key: login/session-timeout",
    "the secret is out: we ship on Friday",
)
"""What documentation says where a secret would stand."""
