"""How a new statement stands to what is held: new, the same, in its place, or against it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import Item, Link, Relation
from verifflowcc.memory.rules.candidates import KeptStatement, MatchKind, StatementCandidate
from verifflowcc.memory.rules.settle import settle
from verifflowcc.memory.rules.superseded import superseded
from verifflowcc.memory.rules.turn_statements import extract, statement_of
from verifflowcc.memory.rules.turns import Speaker, Turn


def one(text: str) -> StatementCandidate:
    (found,) = extract(Turn("t1", Speaker.PERSON, text, "s1")).candidates
    return found


def held(text: str, name: str = "old", kind: str = "convention", **fields: str) -> KeptStatement:
    scope = fields.pop("scope", "user" if kind == "preference" else "project")
    item = Item(name, kind, text, f".memory/project/{name}.md", scope, 500, 500, **fields)  # type: ignore[arg-type]
    return KeptStatement(item, *statement_of(text, kind), f"mark of {text}")


def stated(text: str) -> KeptStatement:
    """Return what is held after a sentence was learnt."""
    found = one(text)
    item = Item("old", found.type, found.title, ".memory/project/old.md", "project", 500, 500, key=found.key)
    return KeptStatement(item, *statement_of(text, found.type, found.key), f"mark of {text}", text)


def test_what_nobody_said_before_is_new() -> None:
    assert settle(one("Start function names with 'a_'."), []).outcome is MatchKind.NEW
    assert (
        settle(one("Start function names with 'a_'."), [held("End method names with '_b'.")]).outcome is MatchKind.NEW
    )


def test_what_is_said_again_in_other_words_is_the_same() -> None:
    settled = settle(
        one("From now on, please prefix all function names with 'a_'."), [held("Start function names with 'a_'.")]
    )

    assert (settled.outcome, settled.others) == (MatchKind.SAME, ("old",))


def test_one_fingerprint_is_the_same_whatever_the_key() -> None:
    settled = settle(
        one("Always use a linter."), [held("Something of a person's own.")], "mark of Something of a person's own."
    )

    assert settled.outcome is MatchKind.SAME


@pytest.mark.vfcc("REQ-WRITE-CONTRADICTION")
@pytest.mark.parametrize(
    ("before", "kind", "now"),
    [
        ("Start function names with 'a_'.", "convention", "Start function names with 'b_' from now on."),
        ("Use Vim as the preferred IDE.", "guideline", "We're switching from Vim to Emacs."),
        ("Always use a linter.", "guideline", "Never use a linter."),
        ("We decided to use npm.", "decision", "Please use pnpm instead of npm."),
        ("The API runs on port 8080.", "fact", "The API runs on port 9090."),
        ("I prefer tabs to spaces.", "preference", "I prefer spaces to tabs."),
    ],
)
def test_another_value_or_the_opposite_takes_its_place(before: str, kind: str, now: str) -> None:
    settled = settle(one(now), [held(before, kind=kind)])

    assert (settled.outcome, settled.others) == (MatchKind.SUPERSEDES, ("old",))


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("Start function names with 'a_'.", "End function names with '_a'."),
        ("Start function names with 'a_'.", "Start method names with 'b_'."),
        ("Include a single digit in function names.", "Include the string 'chx' in function names."),
        ("Always import the 'gzip' module.", "Always import the 'bz2' module."),
        ("Add the '@retry' decorator to all functions.", "Add the '@timer' decorator to all functions."),
        ("Use annotations in functions.", "Use annotations in methods."),
    ],
)
def test_what_can_hold_beside_each_other_does(before: str, now: str) -> None:
    assert settle(one(now), [held(before)]).outcome is MatchKind.NEW


@pytest.mark.vfcc("REQ-WRITE-CONTRADICTION")
@pytest.mark.vfcc("REQ-WRITE-CONTRADICTION")
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The retention period is 30 days.", "Sorry, I got that wrong, the retention period is 90 days."),
        ("The product owner is Helen.", "It's not Helen, the product owner is Ruth."),
        ("We host the docs on Read the Docs.", "We moved the docs to GitHub Pages."),
        ("Secrets are kept in .env files.", "Secrets are in Vault now."),
        ("We track errors with Sentry.", "We're on Datadog for errors now."),
        ("We use yarn for installing packages.", "We're on pnpm now instead of yarn."),
        ("The frontend is hosted on Netlify.", "We're hosting the frontend on Vercel now."),
        ("The request timeout is 30 seconds.", "The request timeout went up to 60 seconds."),
        ("The billing service is called moneybags.", "moneybags has been renamed to ledger."),
        ("Passwords are hashed with bcrypt.", "bcrypt has been replaced by argon2id."),
        ("We use Prisma as the ORM.", "Drizzle took over from Prisma."),
        ("We run a nightly full backup.", "The nightly full backup was scrapped."),
        ("Log with log4j.", "Don't log with log4j any more, use slf4j."),
    ],
)
def test_what_was_so_before_gives_way_to_what_is_so_now(before: str, now: str) -> None:
    settled = settle(one(now), [stated(before)])

    assert (settled.outcome, settled.others, settled.asks) == (MatchKind.SUPERSEDES, ("old",), False)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("Keep functions below 50 lines.", "Functions may be 80 lines now, not 50."),
        ("Access tokens expire after one hour.", "We bumped the expiry of access tokens to two hours."),
        ("Use feature flags for every new endpoint.", "Scrap that rule about feature flags for every new endpoint."),
        ("We use the MIT license.", "We've gone with Apache 2.0 rather than MIT."),
        ("Store money as floats.", "Correction: store money as integers."),
    ],
)
def test_where_only_a_part_is_the_same_a_person_is_asked(before: str, now: str) -> None:
    settled = settle(one(now), [stated(before)])

    assert (settled.outcome, settled.others, settled.asks) == (MatchKind.SUPERSEDES, ("old",), True)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The session timeout is 30 minutes.", "The session timeout is 5 minutes for admins."),
        ("The docs are written in Markdown.", "We moved the docs to GitHub Pages."),
        ("The API is deployed to Heroku.", "The worker lives on Fly.io now."),
        ("The backend is written in Ruby.", "The backend's host is Hetzner now."),
        ("We use REST for internal calls.", "We use Sentry for errors now."),
        ("Every commit must be signed.", "Scrap the rule about squash merges."),
    ],
)
def test_what_is_so_of_something_else_leaves_it(before: str, now: str) -> None:
    found = extract(Turn("t1", Speaker.PERSON, now, "s1")).candidates

    assert all(settle(each, [stated(before)]).outcome is not MatchKind.SUPERSEDES for each in found)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The gateway times out after 30 seconds.", "The gateway now times out after 60 seconds."),
        ("Android builds use JDK 11.", "Android builds use JDK 17 as of this sprint."),
        ("Protobuf files live in the api repo.", "Protobuf files live in the schemas repo now."),
        ("Dana owns the payments service.", "Ravi owns the payments service now."),
        ("All services log to stdout.", "Services no longer log to stdout, they write to the journal."),
        (
            "Feature toggles are read from a YAML file.",
            "Feature toggles are no longer read from a YAML file but from etcd.",
        ),
        ("Our CI runs on Travis.", "We got off Travis and onto GitHub Actions."),
        ("Our message broker is RabbitMQ.", "RabbitMQ is out, NATS is our message broker."),
        ("Our API is written in Flask.", "Our API has been rewritten in FastAPI."),
        ("The nightly ETL starts at 02:30 UTC.", "The nightly ETL has been moved to 04:00 UTC."),
        ("Deploys are done with Ansible.", "We no longer deploy with Ansible."),
        ("The batch size is 500.", "It's not 500 any more: the batch size is 1000."),
        ("Default locale is en-US.", "Default locale changed to en-GB."),
        ("Emails are sent through Mailgun.", "Mailgun has been replaced, emails are sent through Postmark."),
        ("Never use any in TypeScript.", "Using any in TypeScript is fine again."),
        ("Use 4 spaces for indentation.", "We've settled on 2 spaces for indentation instead of 4."),
        ("Alerts go to the #ops channel.", "Alerts don't go to #ops any more."),
        ("Every PR needs one approval.", "Every PR needs two approvals."),
        ("CI runs on Jenkins.", "CI runs on Buildkite."),
        ("The default branch is master.", "The default branch is main."),
        ("Logs are kept in the database.", "Logs are kept in S3."),
        ("Passwords must have at least 8 characters.", "Passwords must have at least 12 characters."),
        ("Store dates as ISO strings.", "Store dates as epoch millis instead of ISO strings."),
        ("We write our docs in AsciiDoc.", "We're writing our docs in Markdown now."),
        ("Staging uses fake payment data.", "Staging doesn't use fake payment data any more."),
    ],
)
def test_a_sentence_that_says_that_it_is_otherwise_since_now_replaces_the_old_one(before: str, now: str) -> None:
    found = extract(Turn("t1", Speaker.PERSON, now, "s1")).candidates

    assert [(each.outcome, each.others) for each in (settle(one, [stated(before)]) for one in found)] == [
        (MatchKind.SUPERSEDES, ("old",))
    ]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The worker pool has 8 threads.", "The IO pool has 4 threads now."),
        ("The frontend talks to the backend over GraphQL.", "The frontend talks to the CMS over REST now."),
        ("Dana owns the payments service.", "Ravi owns the search service now."),
        ("We store images in S3.", "We store videos in S3 now."),
        ("Use snake_case for Python functions.", "Use snake_case for Python variables now."),
        ("The gateway supports HTTP/2.", "The gateway supports WebSockets now."),
        ("Android builds run on Bitrise.", "iOS builds no longer run on Bitrise."),
        ("The rate limit is 100 requests per minute.", "The rate limit for partners is 500 requests per minute now."),
        ("The default branch is main.", "The default branch of the legacy fork is master now."),
        ("Never use any in TypeScript.", "Using any in Flow is fine again."),
        ("The cache TTL is 5 minutes.", "The session TTL has been raised to 30 minutes."),
        ("We deploy to staging on Mondays.", "We deploy to prod on Mondays now."),
        ("Images are stored in S3.", "Audit logs are no longer kept in S3."),
        ("Every PR needs a description.", "Every PR needs a reviewer."),
        ("Every endpoint must have a test.", "Every endpoint must have a rate limit."),
        ("Every service must expose metrics.", "Every service must expose a health check."),
        ("Every microservice has its own schema.", "Every microservice has its own dashboard now."),
        ("Commits must be clear.", "Commits must be small."),
        ("The package includes a CLI for Linux.", "The package includes a daemon for Windows."),
        ("The data team owns the events table.", "The data team owns the orders table."),
        ("The SDK is published under the MIT licence.", "The SDK is published to Maven Central now."),
        ("CI runs on GitHub Actions.", "CI runs on every push."),
        ("Invoices are rendered with WeasyPrint.", "Invoices are sent through Postmark now."),
        ("The API is deployed to Heroku.", "The API is versioned by header, no longer by path."),
        ("The metrics port is 8080.", "Correction: the API listens on port 9090, not 8080."),
        ("Rate limiting happens at the edge.", "The rate limit has changed to 200 requests per minute."),
        ("For new services we use Go.", "All services speak HTTP/2 now."),
        ("The retro is every Friday.", "The retro moved to the big room."),
        ("I prefer pytest over unittest.", "unittest has been replaced by pytest."),
        ("Logs are kept for 30 days.", "Backups are kept for 60 days, not 30."),
        ("Our API uses OAuth.", "Our API uses cursor pagination."),
        ("The worker uses Redis.", "The worker uses structured logging."),
        ("The service runs on port 8080.", "The service runs on Kubernetes."),
        ("Passwords are hashed with argon2.", "Passwords are hashed with a per-user salt."),
        ("The team works in Berlin.", "The team works in two-week sprints."),
        ("The database is Postgres 15.", "The database is read-only on Sundays."),
        ("The default branch is main.", "The default branch is protected."),
        ("Write commit messages in English.", "Write commit messages in the imperative."),
    ],
)
def test_a_like_sentence_of_another_thing_leaves_it(before: str, now: str) -> None:
    held_before = [stated(before)] if extract(Turn("t0", Speaker.PERSON, before, "s0")).candidates else []
    found = extract(Turn("t1", Speaker.PERSON, now, "s1")).candidates

    assert all(settle(each, held_before).outcome is not MatchKind.SUPERSEDES for each in found)


def test_what_only_corrects_is_kept_only_where_something_is_held_that_it_corrects() -> None:
    found = one("Secrets are in Vault now.")

    assert found.corrects
    assert settle(found, []) == settle(found, [stated("We use Redis for caching.")])
    assert (settle(found, []).outcome, settle(found, []).others) == (MatchKind.SAME, ())


@pytest.mark.parametrize(
    "text",
    ["Are secrets in Vault now?", "It is in Vault now.", "The import stopped with a KeyError.", "My phone is gone."],
)
def test_a_question_a_pronoun_and_news_correct_nothing(text: str) -> None:
    assert not any(each.corrects for each in extract(Turn("t1", Speaker.PERSON, text, "s1")).candidates)


def test_the_opposite_under_a_key_of_a_persons_own_contradicts() -> None:
    settled = settle(one("Never use a linter."), [held("Always use a linter.", kind="guideline", key="our-own-key")])

    assert (settled.outcome, settled.others) == (MatchKind.CONTRADICTS, ("old",))


def test_a_person_and_a_project_do_not_take_each_others_place() -> None:
    theirs = held("Start function names with 'a_'.", scope="user")

    assert settle(one("Start function names with 'b_'."), [theirs]).outcome is MatchKind.NEW


def test_what_was_said_earlier_never_replaces_what_is_newer() -> None:
    newer = held("Start function names with 'a_'.", created="2026-11-20")
    now = one("Start function names with 'b_'.")

    assert settle(now, [newer], at="2026-11-19T23:00:00Z").outcome is MatchKind.SAME
    assert settle(now, [newer], at="2026-11-20T08:00:00Z").outcome is MatchKind.SUPERSEDES
    assert settle(now, [newer], at="2026-11-21").outcome is MatchKind.SUPERSEDES


def test_notes_and_failures_are_kept_beside_each_other() -> None:
    first = held("The KeyError was fixed by stripping the header.", kind="fix")
    second = one("The KeyError was fixed by reading the header once.")

    assert (second.type, second.key) == ("fix", "keyerror")
    assert settle(second, [first]).outcome is MatchKind.NEW


WAYS = st.sampled_from(
    [
        *(f"Start function names with '{letter}_'." for letter in "abc"),
        *(f"End method names with '_{letter}'." for letter in "ab"),
        "Use Vim as the IDE.", "Use Emacs as the IDE.", "Never use Vim as the IDE.", "Always use a linter.",
        "Never use a linter.", "Always import the 'gzip' module.", "Never import the 'gzip' module.",
        "I prefer tabs to spaces.", "I prefer spaces to tabs.", "The API runs on port 8080.",
        "The API runs on port 9090.",
    ]
)  # fmt: skip


def remembered(said: list[str]) -> list[Item]:
    """Return all items that a history makes, each new one linked to what it replaces or contradicts."""
    items: list[Item] = []
    for place, text in enumerate(said):
        for candidate in extract(Turn(f"t{place}", Speaker.PERSON, text, "s1")).candidates:
            gone = superseded(items).found
            stands = [_held(each) for each in items if each.path not in gone]
            found = settle(candidate, stands)
            relation = {MatchKind.SUPERSEDES: Relation.SUPERSEDES, MatchKind.CONTRADICTS: Relation.CONTRADICTS}
            if found.outcome is MatchKind.SAME:
                continue
            links = tuple(Link(each, relation[found.outcome]) for each in found.others)
            name = f"i{len(items):03}"
            scope = "user" if candidate.layer == "user" else "project"
            items.append(
                Item(
                    name,
                    candidate.type,
                    candidate.content,
                    f"{name}.md",
                    scope,
                    500,
                    500,
                    key=candidate.key,
                    links=links,
                )
            )
    return items


def _held(item: Item) -> KeptStatement:
    return KeptStatement(item, *statement_of(item.title, item.type), item.title)


@given(st.lists(WAYS, max_size=14))
@settings(max_examples=60, deadline=None)
def test_superseding_is_a_forest_and_one_item_stands_for_each_key(said: list[str]) -> None:
    items = remembered(said)
    found = superseded(items)
    stands = [each for each in items if each.path not in found.found]

    assert found.notices == ()
    assert len({(each.scope, each.key) for each in stands}) == len(stands)
    assert all(len(each.newer) == 1 for each in found.found.values())
    assert all(link.to < item.id for item in items for link in item.links)


@given(st.lists(WAYS, max_size=10), WAYS)
@settings(max_examples=60, deadline=None)
def test_what_is_said_twice_is_kept_once_and_the_last_word_stands(said: list[str], last: str) -> None:
    once, twice = remembered([*said, last]), remembered([*said, last, last])
    gone = superseded(once).found
    normal = one(last)

    assert once == twice
    assert any(
        statement_of(each.title, each.type) == (normal.subject, normal.value, normal.negated)
        for each in once
        if each.path not in gone
    )


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The wiki is in Confluence.", "The docs moved from Confluence to GitHub."),
        ("The monorepo is built with Bazel.", "We migrated our monorepo to GitLab."),
        ("We use Terraform for AWS.", "We moved from AWS to Azure."),
        ("We use Mocha for tests.", "Tests run on Buildkite as of today."),
    ],
)
def test_what_a_sentence_may_end_is_asked(before: str, now: str) -> None:
    found = extract(Turn("t1", Speaker.PERSON, now, "s1")).candidates

    assert [(each.outcome, each.asks) for each in (settle(one, [stated(before)]) for one in found)] == [
        (MatchKind.SUPERSEDES, True)
    ]
