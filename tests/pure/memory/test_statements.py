"""Plain statements: what becomes an item, what waits, what is left out, and that no item means another thing."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.statements import OWN_LIST, scored, statements
from verifflowcc.base.model.item_values import TRIGGER
from verifflowcc.memory.rules.candidates import StatementCandidate
from verifflowcc.memory.rules.corrections import Match, Revision, revision, takes_back
from verifflowcc.memory.rules.subject_words import unread_language
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn

NEGATIONS = re.compile(r"\b(?:not|no|never|cannot|without|\w+n't)\b", re.IGNORECASE)
LIMITS = re.compile(
    r"\b(?:if|unless|except|when|whenever|only|until|may|can|have to|need not|claims|probably|maybe)\b", re.IGNORECASE
)
OPENINGS = (
    "",
    "Please ",
    "From now on, ",
    "We ",
    "You must ",
    "Developers should ",
    "Maybe ",
    "The blog claims that we ",
)
DENIALS = (
    "",
    "never ",
    "don't ",
    "always ",
    "need not ",
    "don't have to ",
    "not only ",
    "can ",
    "avoid ",
    "no longer ",
)
VERBS = ("use", "drop", "squash", "frobnicate", "log", "delete", "import", "cache", "ship", "mutate", "trust", "rename")
THINGS = (
    "tables", "the cache", "Redis", "feature flags and toggles", "`os.path`", "every endpoint", "a mutex",
    "print for logs",
    "snake_case for columns", "this variable", "no globals", "requests to main",
)  # fmt: skip
TAILS = (
    "", " in production", ", except in scripts/", " unless the build is red", " if you can", ", not spaces",
    " only in tests",
    " when you write migrations", " instead of tabs", " until Friday", " without a review", ", even if it is slow",
)  # fmt: skip
DECLARED = (
    "Our CI runs on GitHub Actions.",
    "Sessions are kept in Redis.",
    "The maximum upload size is 20 MB.",
    "Log in JSON.",
    "Passwords are hashed with bcrypt.",
    "Every endpoint needs an OpenAPI description.",
    "The staging server lives in Frankfurt.",
    "Pull requests need two approvals.",
    "We never amend a commit that has been pushed.",
    "We don't interpolate user input into SQL.",
    "Feature branches must not live longer than three days.",
    "Write commit messages in the imperative mood.",
    "Always pass a context as the first argument.",
    "Wrap errors with context before returning them.",
    "As of today, sessions are kept in Postgres.",
    "Starting today, use Poetry for packaging.",
    "Scratch that, the line length is 100.",
    "The default branch is trunk.",
    "We raised the minimum Python version to 3.11.",
    "Our mobile app targets iOS 16 and later.",
)


def learnt(text: str, name: str = "") -> tuple[StatementCandidate, ...]:
    return extract(Turn("t1", Speaker.PERSON, text, "s1", name=name)).candidates


def active(found: StatementCandidate) -> bool:
    return found.confidence >= 500 and found.certainty >= 600 and not found.rewritten


@given(*(st.sampled_from(each) for each in (OPENINGS, DENIALS, VERBS, THINGS, TAILS)))
@settings(max_examples=500, deadline=None)
def test_polarity_and_qualifiers_of_an_item_are_those_of_its_sentence(
    opening: str, denial: str, verb: str, thing: str, tail: str
) -> None:
    written = f"{opening}{denial}{verb} {thing}{tail}"
    text = f"{written[:1].upper()}{written[1:]}."

    for found in learnt(text):
        assert found.content in text
        assert NEGATIONS.findall(found.content) == NEGATIONS.findall(text)
        assert LIMITS.findall(found.content) == LIMITS.findall(text)
        if active(found):
            assert not LIMITS.search(text)


@pytest.mark.parametrize("text", DECLARED)
def test_plain_declaratives_and_demands_are_active_as_they_were_written(text: str) -> None:
    (found,) = learnt(text)

    assert found.content == text
    assert active(found)


@pytest.mark.parametrize(
    "text",
    [
        "You don't need to ask before deleting branches.",
        "Tests are optional for prototypes.",
        "Never retry payments unless the gateway confirms the failure.",
        "Don't write to the cache during migrations.",
        "Not every module needs a class.",
        "Not only unit tests but also integration tests must pass.",
        "Even if you don't use the logger, import it.",
        "I don't mind long function names.",
        "We don't couple the domain to the framework.",
    ],
)
def test_a_permission_a_condition_or_a_concession_is_never_active(text: str) -> None:
    assert not any(active(each) for each in learnt(text))


@pytest.mark.parametrize(
    "text",
    [
        "The blog claims that tabs are faster.",
        "The error says the port must be a number.",
        "Obviously we should store passwords in plain text, haha.",
        "Suppose the database is MongoDB.",
        "I always take the stairs.",
        "I always drink my coffee black.",
        "I always take the train to work.",
        "I always forget how regexes work.",
        "We always go to the same Thai place.",
        "We switched from coffee to tea.",
        "We moved from Berlin to Hamburg last summer.",
        "The server has 3 errors.",
        "The second argument must be a string.",
        "I can't believe it is already November.",
        "I fixed the bug in the parser.",
        "npm ERR! You must use Node 20",
        '    raise ValueError("port must be an integer")',
        "Rename this variable to count.",
        "The memory usage is high.",
        "React uses a virtual DOM.",
    ],
)
def test_what_is_reported_meant_otherwise_pasted_or_passing_is_left_out(text: str) -> None:
    assert learnt(text) == ()


@pytest.mark.parametrize(
    ("now", "before"),
    [
        ("We moved from Jenkins to GitHub Actions.", "We use Jenkins for CI."),
        ("We dropped Redis.", "We use Redis for caching."),
        ("We no longer deploy with Ansible.", "We deploy with Ansible."),
        ("Use date-fns instead of moment.js.", "Use moment.js for dates."),
        ("We replaced Vue with React.", "We use Vue for the frontend."),
        ("Never use semicolons in TypeScript.", "Always use semicolons in TypeScript."),
        ("Production has moved to eu-north-1.", "Production lives in eu-west-1."),
    ],
)
def test_a_sentence_takes_back_the_statement_that_it_ends(now: str, before: str) -> None:
    found = revision(now)

    assert found
    assert takes_back(found, before) is Match.SURE
    assert takes_back(found, "The client's logo is a lighthouse.") is Match.NONE


@pytest.mark.parametrize(
    "text",
    [
        "I'd rather you used a profiler for performance work.",
        "Additionally, from now on, we'll be using GitHub as our main version control system.",
        "We now recommend using VSCode as your preferred IDE.",
        "I want you to develop a habit of never using a debugger.",
        "I want you to take at least half of your vacation days each year.",
        "You're not to use virtual environments.",
        "Could you please use Signal for team chat from now on?",
        "Let's make Linear our issue tracker.",
        "I'd like you to discontinue the use of linters in your projects from now on.",
        "And while we're at it, I want you to also add the '@validate' decorator to all your methods.",
    ],
)
def test_a_wish_of_a_named_speaker_is_active_whatever_its_words(text: str) -> None:
    (found,) = learnt(text, "Anna")

    assert active(found)
    assert found.content == text


@pytest.mark.parametrize(
    "text",
    [
        "Now, moving forward, I want you to adopt a specific coding style.",
        "I want you to get familiar with our IT room.",
        "We primarily use Python for our scripting needs, as you can imagine, and a bit of everything else beside it.",
    ],
)
def test_what_a_named_speaker_announces_is_not_active(text: str) -> None:
    assert not any(active(each) for each in learnt(text, "Anna"))


def test_not_in_a_verb_takes_nothing_back() -> None:
    found = revision("Feature branches must not live longer than three days.")

    assert found is None or not found.old


def test_what_names_a_thing_only_beside_another_is_not_taken_back() -> None:
    dropped = Revision("Redis")

    assert takes_back(dropped, "Redis keys must have a TTL.") is Match.NONE
    assert takes_back(Revision("Ruby", topic=("importer",)), "The site is written in Ruby.") is Match.MAYBE


def test_an_instruction_with_a_trigger_says_what_it_is_for() -> None:
    (found,) = learnt("Whenever I ask about deployments, answer with a checklist.")

    assert dict(found.details)[TRIGGER] == "deployments"
    assert active(found)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wir verwenden Postgres als Datenbank.", "German"),
        ("Nous utilisons Postgres comme base de données.", "French"),
        ("Nunca hagas commit directamente en main.", "Spanish"),
        ("Usa sempre gli spazi.", "Italian"),
        ("データベースはPostgresを使います。", "another script"),
        ("We use Postgres as the database.", ""),
        ("Deploy via Argo CD.", ""),
    ],
)
def test_a_language_that_is_not_read_is_named(text: str, language: str) -> None:
    assert unread_language(text) == language
    assert extract(Turn("t1", Speaker.PERSON, text, "s1")).language == language


def test_the_reported_half_of_the_list_meets_what_is_promised() -> None:
    chosen = [each for each in statements(OWN_LIST) if each.half == "report"]
    score = scored(chosen)["en"]
    shares = score.shares()

    assert len(statements(OWN_LIST)) >= 400
    assert {each.language for each in chosen} >= {"de", "fr", "es", "it", "ja"}
    assert score.active_right >= 0.97 * score.active
    assert (score.inversions, score.lost_qualifiers, score.near_misses_replaced) == (0, 0, 0)
    assert score.wanted_active >= 0.6 * score.wanted
    assert score.wanted_any >= 0.8 * score.wanted
    assert score.nothing_pending <= 0.1 * score.nothing
    assert score.updates_made + score.updates_asked >= 0.8 * score.updates, shares


def test_a_list_can_be_json_with_labels_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(
        '[{"text": "Log in JSON.", "expected": {"status": "active", "type": "guideline", "scope": "project"}}]'
    )

    score = scored(statements(file))["en"]

    assert (score.active, score.active_right) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "CI runs on Jenkins.",
        "Our staging database gets wiped every Sunday night.",
        "Test files sit next to the code they test.",
        "We're on Django 5.1 with Postgres 16.",
        "Deploys are on Wednesdays.",
        "The design system is published as @acme/ui.",
        "The worker's log level is info.",
        "Orders are soft-deleted.",
        "Translations live in locales/*.json.",
        "Session data moved from Memcached to Redis.",
        "The max payload is 5 MB.",
        "Don't use print for logging, use structlog.",
        "I want you to write commit messages in the imperative.",
        "I prefer early returns over nested ifs.",
        "Nobody pushes directly to main.",
        "Use flake8.",
    ],
)
def test_what_engineers_say_of_their_project_in_passing_is_learnt(text: str) -> None:
    (found,) = learnt(text)

    assert found.content == text
    assert active(found)


@pytest.mark.parametrize(
    "text",
    [
        "Nobody reads the docs anyway.",
        "The request gets blocked.",
        "The meeting moved from Tuesday to Thursday.",
        "Anna moved from Paris to Berlin.",
        "The demo is on Friday.",
        "The error level is high.",
        "- use tabs",
    ],
)
def test_news_of_the_day_that_has_the_same_form_is_not(text: str) -> None:
    assert not any(active(each) for each in learnt(text))


@pytest.mark.parametrize(
    "text",
    [
        "Never call Thread.Sleep in tests.",
        "Always use asyncio.Lock in handlers.",
        "We use System.Text.Json for serialization.",
        "Pass `context.Context` as the first argument.",
    ],
)
def test_a_name_with_a_dot_and_a_capital_does_not_end_its_sentence(text: str) -> None:
    (found,) = learnt(text)

    assert (found.content, active(found)) == (text, True)


def test_a_sentence_that_follows_without_a_space_is_one_of_its_own() -> None:
    assert [each.content for each in learnt("We use Postgres.Never log passwords.")] == [
        "We use Postgres.",
        "Never log passwords.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The gateway times out after 30 seconds.",
        "The scheduler picks up new jobs every 30 seconds.",
        "Flaky tests get quarantined within a day.",
        "The on-call rotation starts on Tuesday.",
        "Dana owns the payments service.",
        "Android builds use JDK 17.",
        "Protobuf files live in the api repo.",
        "All services log to stdout.",
        "Errors are returned, not thrown, in the parser package.",
        "The public API allows 60 requests per minute per key.",
        "Under no circumstances may a pipeline write to the golden dataset.",
        "Interns are not to be given write access to the cluster.",
        "We expect a rollback plan in every change ticket.",
        "It is important that queries are parameterised.",
        "Sanitize HTML before rendering it.",
        "Schema changes go through the data council.",
        "I want every query parameterized.",
        "Lesson from the outage: health checks must not depend on the database.",
        "@dev-team please always link the ticket in the description",
        "Heads-up for everyone: the VPN certificate is rotated every 90 days.",
    ],
)
def test_what_is_so_in_a_project_is_learnt_whatever_it_is_of(text: str) -> None:
    assert [(each.content, active(each)) for each in learnt(text)] == [(text, True)]


@pytest.mark.parametrize(
    "text",
    [
        "We never got an answer from the vendor.",
        "We always end up discussing naming.",
        "We keep seeing timeouts on the login endpoint.",
        "We always go for ramen after a release.",
        "Each retry makes it worse.",
        "Every engineer I know hates that tool.",
        "Every time I open the editor it wants an update.",
        "Love how we always test in production.",
        "Because obviously every bug must be fixed on Friday evening.",
        "Don't look at the old code, you'll cry.",
        "For example, use a mock.",
        "Don't merge before I've had a look.",
        "All hands is at 5.",
        "The patch replaces the mutex with an atomic.",
        "We moved the meeting to 4 pm.",
        "The app needs a restart.",
        "The endpoint should return 404 here.",
        "The request times out after 30 seconds.",
        "The sprint ends on Friday.",
        "The database is 400 GB already.",
        "All requests from that IP are rejected by the firewall since noon.",
        "The linter complains that imports must be sorted.",
        "The interviewer asked whether we always write tests.",
        "Postgres uses MVCC.",
        "Merge pull request #212 from org/fix-login",
        "Merge branch 'main' into feature/login",
        "RUN apt-get update && apt-get install -y curl",
        "$ kubectl get pods\nNAME   READY  STATUS\napi-0  0/1    CrashLoopBackOff",
    ],
)
def test_complaints_stories_and_what_tools_print_are_no_rules(text: str) -> None:
    assert learnt(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "The BFF caches responses for 60 seconds.",
        "The simulator runs at 200 Hz.",
        "The CAN frames are decoded with a DBC file.",
        "Never leave a test focused with `.only`.",
        "No hard-coded URLs in the mobile code.",
        "The log level in production is warn.",
        "Staging uses fake payment data.",
        "Public methods come before private ones.",
        "Cover every bug fix with a regression test.",
        "pls don't commit .env files",
        "nit: we name boolean props isX or hasX",
        "Our convention here is that hooks start with use and live in src/hooks.",
        "Secrets never end up in logs.",
        "Support tickets are triaged twice a day by the on-call engineer.",
        "We timebox spikes to two days.",
        "Rollouts start at 1 % and double every hour.",
        "Incident commanders are appointed by the duty manager.",
        "Use the shared logger, not console.log.",
        "Firmware builds are reproducible.",
        "All our services speak HTTP/2.",
        "The architecture board decided to standardize on AsyncAPI.",
        "Event names are in the past tense.",
    ],
)
def test_names_that_look_like_qualifiers_and_plain_words_of_a_project_are_active(text: str) -> None:
    assert [(each.content, active(each)) for each in learnt(text)] == [(text, True)]


@pytest.mark.parametrize(
    "text",
    [
        "I moved the tests to another file.",
        "The parser must have a bug.",
        "The cache should be warm by now.",
        "The server has been up for 90 days.",
        "Every time the cron runs the disk fills up.",
        "The team is split on whether to use Kotlin.",
        "The client wants everything in blue, of course.",
        "The regex never matches.",
        "Meetings never start on time.",
        "Everything needs to be rewritten.",
        "All servers are down!",
        "The request is sent twice.",
        "Deprecated: each() is deprecated since 7.2",
    ],
)
def test_a_guess_and_what_one_did_oneself_are_no_requirements(text: str) -> None:
    assert [each for each in learnt(text) if not each.corrects] == []
