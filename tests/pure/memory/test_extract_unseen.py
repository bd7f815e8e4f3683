"""Rules on topics that no list of the rules names: found, read and replaced by the grammar of the sentence alone."""

import pytest

from verifflowcc.base.model.item_values import Item
from verifflowcc.memory.rules.candidates import KeptStatement, MatchKind, StatementCandidate
from verifflowcc.memory.rules.settle import settle
from verifflowcc.memory.rules.turn_statements import SURE, UNSURE, extract, statement_of
from verifflowcc.memory.rules.turns import Speaker, Turn

STATED = [
    ("From now on, use Postgres for the orders database.", "Postgres", False),
    ("Always write migrations in plain SQL.", "migrations", False),
    ("Never deploy to production on a Friday.", "deploy to production", True),
    ("I'd like you to include a ticket number in every commit message.", "ticket number", False),
    ("Please never force-push to a shared branch.", "force-push", True),
    ("Going forward, avoid global state in React components.", "global state", True),
    ("Make sure that every button has an accessible label.", "accessible label", False),
    ("I want you to write shell scripts with strict mode on.", "strict mode", False),
    ("From now on, let's use functional components rather than class components in React.", "functional", False),
    ("You must always wrap errors with context in Go.", "wrap errors", False),
    ("Never call unwrap outside of tests in Rust.", "unwrap", True),
    ("We no longer use stored procedures.", "stored procedures", True),
    ("Please document every public endpoint in the OpenAPI file.", "public endpoint", False),
    ("Going forward, name feature branches after the ticket.", "feature branches", False),
    ("I want you to keep SQL queries out of the view layer.", "SQL queries", False),
    ("From now on, I'd like you to use a changelog fragment for every pull request.", "changelog fragment", False),
    ("Don't use inline styles in our pages.", "inline styles", True),
    ("Always set a timeout on HTTP requests.", "timeout", False),
    ("I need you to stop using feature toggles for experiments.", "feature toggles", True),
    ("Please use Terraform for the infrastructure from now on.", "Terraform", False),
    ("It's important that you always close database cursors.", "database cursors", False),
    ("We must never log customer addresses.", "customer addresses", True),
    ("From now on, I want you to prefix branch names with the initials of the author.", "initials", False),
    ("Every commit message must begin with a verb.", "verb", False),
    ("I'd like you to add an index for every foreign key.", "foreign key", False),
    ("Steer clear of wildcard selectors in stylesheets from now on.", "wildcard selectors", True),
    ("From now on, no nested ternaries in JavaScript.", "nested ternaries", True),
    ("Please always run the accessibility checks before a release.", "accessibility checks", False),
    ("Going forward, I want you to keep functions under 40 lines.", "40 lines", False),
    ("I don't want you to use sleep in integration tests.", "sleep", True),
    ("You should always review query plans with a colleague.", "query plans", False),
    ("From now on, I'd like you to use a feature matrix for planning releases.", "feature matrix", False),
    ("From now on, all our status reports will be sent via Mattermost.", "status reports", False),
    ("Terraform should be used for all infrastructure.", "Terraform", False),
    ("Global variables must not be used in new modules.", "Global variables", True),
    ("Raw SQL is to be avoided in the handlers.", "Raw SQL", True),
    ("Our policy is to encrypt backups with age.", "backups", False),
    ("The team has decided to drop Python 3.8.", "Python 3.8", True),
    ("Code review is non-negotiable before each release.", "Code review", False),
    ("No more force pushes to shared branches.", "force pushes", True),
    ("Kindly write all error messages in lower case.", "error messages", False),
    ("You'll want to run the linter before every commit.", "linter", False),
    ("It's our convention to put tests next to the code.", "tests", False),
    ("We're banning wildcard imports.", "wildcard imports", True),
    ("Feature branches are to be deleted after each merge.", "Feature branches", False),
    ("Podman is the way to go for local containers.", "Podman", False),
    ("Docs have to be updated with every API change.", "Docs", False),
    ("One of the practices we follow is avoiding deep inheritance.", "deep inheritance", True),
    ("It would be best if you used the staging database for demos.", "staging database", False),
]
UPDATED = [
    ("Always use Postgres for the orders database.", "From now on, use CockroachDB for the orders database."),
    ("Deploy to Heroku from now on.", "Going forward, please deploy to Render instead."),
    ("Always use stored procedures.", "We no longer use stored procedures."),
    ("Always use inline styles.", "Please never use inline styles again."),
    ("I want you to use Terraform as the infrastructure tool.", "From now on, use Pulumi as our infrastructure tool."),
    (
        "From now on, use Redux for state management.",
        "Going forward, use Zustand instead of Redux for state management.",
    ),
    ("Keep functions under 40 lines from now on.", "From now on, keep functions under 60 lines."),
    ("Always run the smoke tests every 10 minutes.", "From now on, run the smoke tests every 30 minutes."),
    ("Never use a message broker.", "From now on, I'd like you to use a message broker."),
    (
        "From now on, use bash as the shell for scripts.",
        "Going forward, I'd like you to use fish as the shell for scripts.",
    ),
    ("Start commit messages with 'feat:'.", "From now on, start commit messages with 'change:'."),
    ("Always store uploads in MinIO.", "From now on, store uploads in Ceph."),
]
NOT_RULES = [
    "I want you to feel at home here.",
    "Always a pleasure to talk to you!",
    "I'd like you to meet our new designer.",
    "Please let me know if the migration fails.",
    "Make sure to take your time with it.",
    "I'll use Postgres for the orders database from now on.",
    "Should we use Postgres for the orders database?",
    "Going forward, I'm sure that you will do great things.",
    "Always remember that we are here to help.",
    "Don't hesitate to use the whiteboard in my room.",
    "You told me that we use Postgres.",
    "I want you to know how much we value your work.",
    "No prob, Jon!",
    "We went to the lake on Sunday.",
    "Never change, you're the best.",
    "Should commit messages be in English?",
    "Helping those in need is important to me too.",
]
IN_TALK = [
    "I've been thinking about our setup, and I'd like everyone on the team to use Helix as their IDE.",
    "After some discussion, Lapce will be our preferred IDE moving forward.",
    "As your coding assistant, you'll be using Quill.",
    "For video calls, we rely on Jitsi.",
    "I expect your release notes to be short and clear.",
    "Direct commits to the release branch are not allowed.",
    "You'll be working with two monitors when coding from now on.",
    "Yes, Jitsi is my preferred platform for video calls, especially for our mentoring sessions.",
    "I appreciate your intention, but actually, I want to advise you against writing long release notes.",
    "All requests have to go through the support desk.",
    "I want you to avoid using threads and opt for workers instead.",
]
"""Rules as they are asked for in the midst of talk: each named a tool or habit that was missed, or waited."""
ADVICE = [
    "It's always better to ask the people who know.",
    "We need to ensure that each team has a clear purpose.",
    "It's also crucial to set clear expectations for how meetings are run.",
]
ONE_SUBJECT = [
    ("From now on, take a break every 80 minutes.", "From now on, take a short break every 50 minutes."),
    (
        "From now on, take a break every 80 minutes.",
        "From now on, I need you to set a timer and take a break every 50 minutes.",
    ),
    (
        "I want you to take at least seven days off per year.",
        "I want you to take at least half of your vacation days each year.",
    ),
    (
        "I want you to use a Linux desktop as your main machine.",
        "I'd like you to use a MacBook as your primary work computer.",
    ),
    ("I'd like you to use an assistant called Quill.", "I'd like you to use Scribe as your assistant."),
    ("We don't use the traditional request form.", "Always use the request form."),
    ("Going forward, all video calls will be held on Jitsi.", "From now on, we use Zoom for video calls."),
]


def said(text: str, name: str) -> list[StatementCandidate]:
    return list(extract(Turn("t1", Speaker.PERSON, text, "s1", name=name)).candidates)


@pytest.mark.parametrize("name", ["", "Alice"])
@pytest.mark.parametrize(("text", "words", "negated"), STATED)
def test_a_rule_on_a_topic_that_nobody_listed_is_found(text: str, words: str, negated: bool, name: str) -> None:
    (found,) = said(text, name)

    assert words.casefold() in found.content.casefold()
    assert found.negated is negated
    assert found.layer == "project"


@pytest.mark.parametrize("name", ["", "Alice"])
@pytest.mark.parametrize(("before", "now"), UPDATED)
def test_another_word_on_such_a_topic_takes_the_place_of_the_first(before: str, now: str, name: str) -> None:
    (first,), (second,) = said(before, name), said(now, name)
    item = Item("old", first.type, first.content, "old.md", "project", 500, 500, key=first.key)
    held = KeptStatement(item, *statement_of(first.content, first.type), "mark")

    assert settle(second, [held]).outcome is MatchKind.SUPERSEDES


@pytest.mark.parametrize("name", ["", "Alice"])
@pytest.mark.parametrize("text", NOT_RULES)
def test_what_only_sounds_like_a_rule_is_none(text: str, name: str) -> None:
    assert said(text, name) == []


@pytest.mark.parametrize("text", IN_TALK)
def test_what_is_asked_for_in_the_midst_of_talk_is_a_rule_at_once(text: str) -> None:
    around = "I hope that you had a good week, and that the first days here were all right for you. {} Let me know."

    (found,) = said(around.format(text), "Alice")

    assert found.content == text
    assert found.confidence >= UNSURE
    assert found.certainty >= SURE


@pytest.mark.parametrize("text", ADVICE)
def test_advice_that_is_good_anywhere_waits_where_people_talk(text: str) -> None:
    found = said(text, "Alice")

    assert [each for each in found if each.confidence >= UNSURE] == []


@pytest.mark.parametrize(("before", "now"), ONE_SUBJECT)
def test_other_words_for_one_subject_have_one_key(before: str, now: str) -> None:
    (first,), (second,) = said(before, "Alice"), said(now, "Alice")

    assert first.key == second.key
    assert (first.value, first.negated) != (second.value, second.negated)
