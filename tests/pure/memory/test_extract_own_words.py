"""What is remembered was said: an item repeats the words of its turn, and puts no known practice in their place.

A remembered "do not commit to the dev branch" for a said "never commit directly to main" is a false memory, and worse
than none.
"""

import re

import pytest

from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn

_FRAME = frozenset("always never not use used using start end with names include have has must should".split())
"""Words by which a rule may be put into its plain form; whatever else it says has to be in the turn."""


def _strange(content: str, said: str) -> set[str]:
    known = {each[:5] for each in re.findall(r"[a-z]{3,}", said.casefold())}
    return {
        each for each in re.findall(r"[a-z]{3,}", content.casefold()) if each not in _FRAME and each[:5] not in known
    }


SAID = (
    "Never commit directly to main.",
    "From now on commit messages start with the ticket number.",
    "Actually, use MySQL 8 instead of PostgreSQL.",
    "We deploy to staging on every merge.",
    "Please keep pull requests under 400 lines.",
    "Always run the linter before you push.",
    "Stop using the debugger on production machines.",
    "Let's write integration tests for each endpoint.",
    "We decided to use ruff instead of flake8, because it is faster.",
    "I'd like you to answer in German from now on.",
    "Take a screenshot of each failed end-to-end test.",
    "Do not merge without a review by the security team.",
    "Use squash commits on feature branches only.",
    "Document each public endpoint in openapi.yaml.",
    "Branch names begin with the name of the team.",
    "Don't mock the database in integration tests.",
    "Use feature flags for anything that is not finished.",
    "All SQL keywords must be upper case.",
    "Never log personal data.",
    "Pin the versions of all docker images.",
)


@pytest.mark.parametrize("said", SAID)
def test_an_item_says_what_its_turn_says(said: str) -> None:
    extracted = extract(Turn("t1", Speaker.PERSON, said, "s1", name="You"))
    assert extracted.candidates, "nothing was learned"
    for each in extracted.candidates:
        assert not _strange(f"{each.title} {each.content}", said), each.content
