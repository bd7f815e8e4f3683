"""An example or two for each command, which `--help` shows last and a test runs in a prepared project."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer._click.formatting import HelpFormatter


EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "": ("init", 'sprint start "Log in" --goal "Users sign in"', 'context show --agent coder --task "Add the form"'),
    "init": ("init", "init --yes --workflow standard", "init --example"),
    "status": ("status", "status --line"),
    "next": ("next", "next --sprint login"),
    "sprint": ('sprint start "Log in" --goal "Users sign in"', "sprint show"),
    "sprint start": ('sprint start "Log in" --goal "Users sign in"', 'sprint start "Fix it" --workflow light'),
    "sprint list": ("sprint list",),
    "sprint show": ("sprint show", "sprint show login"),
    "sprint resolve": ("sprint resolve login", 'sprint resolve --keep 7PXF --reason "It came first"'),
    "sprint report": ("sprint report login", "sprint report -o report.html"),
    "sprint close": ('sprint close --unfinished "Moved to the next release"',),
    "report": ("report", "report --html ../report", "report --summary"),
    "stage": ("stage show", "stage advance"),
    "stage show": ("stage show", "stage show testing"),
    "stage list": ("stage list",),
    "stage put": ("stage put changes.md --file notes.md",),
    "stage draft": ("stage draft", "stage draft changes.md --stdout"),
    "stage advance": ("stage advance", "stage advance --from coding"),
    "stage skip": ('stage skip --reason "Nothing to build"',),
    "stage reopen": ('stage reopen planning --reason "A requirement is missing"',),
    "context": ('context show --agent coder --task "Add the form"', "context tune"),
    "context show": (
        "context show",
        'context show --agent coder --task "Add the form"',
        "context show -a tester --budget 8000 --explain",
    ),
    "context diff": (
        "context diff --agent coder --agent tester",
        "context diff --agent coder --commit HEAD~1 --commit HEAD",
    ),
    "context tune": ("context tune", "context tune --agent coder --last 20"),
    "run": ("run --dry-run", "run --agent codex --until testing"),
    "run status": ("run status",),
    "run events": ("run events",),
    "run stop": ("run stop",),
    "run resume": ("run resume", "run resume --max-minutes 600"),
    "run retry": ("run retry coding",),
    "run worker": ("run worker --agent claude",),
    "run clean": ("run clean",),
    "evidence": ("evidence run", "evidence list"),
    "evidence run": ("evidence run", "evidence run tests --stage testing"),
    "evidence add": ("evidence add report.xml --criterion device-tests",),
    "evidence list": ("evidence list", "evidence list --stage testing --all"),
    "evidence show": ("evidence show 4K7M", "evidence show 4K7M --output"),
    "evidence stale": ("evidence stale --why",),
    "evidence redact": ('evidence redact 4K7M --reason "A token of the test server"',),
    "allow": ("allow --check", "allow"),
    "approve": ("approve coding", 'approve coding --reject --reason "No test"'),
    "waive": ('waive reviewed --reason "One line" --expires 2099-12-31',),
    "baseline": ('baseline tests --reason "See issue 12" --expires 2099-12-31', "baseline show"),
    "baseline tests": (
        'baseline tests --reason "See issue 12" --expires 2099-12-31',
        'baseline tests --runs 5 --reason "See issue 12" --expires 2099-12-31',
    ),
    "baseline lint": ('baseline lint --reason "Old code" --expires 2099-12-31',),
    "baseline trace": ('baseline trace --reason "Older than the rules" --expires 2099-12-31',),
    "baseline show": ("baseline show",),
    "feedback": ('feedback add "The form is slow" --stage coding', "feedback list"),
    "feedback add": ('feedback add "The form is slow" --stage coding',),
    "feedback list": ("feedback list", "feedback list --all"),
    "feedback triage": ("feedback triage T6BY --done", 'feedback triage T6BY --reject --reason "As designed"'),
    "task": ('task start "Add the form" --agent coder', 'task finish --outcome "The form works"'),
    "task start": ('task start "Add the form" --agent coder',),
    "task note": ('task note "The form posts twice"', 'task note --type tool_output --tool pytest "1 failed"'),
    "task finish": ('task finish --outcome "The form works"',),
    "task fail": ('task fail fix-the-session --outcome "It needs another library"', "task fail --forget"),
    "task list": ("task list",),
    "task show": ("task show", "task show fix-the-session"),
    "window": ("window show", "window prune --force"),
    "window show": ("window show", "window show --session s1"),
    "window add": ('window add "The form posts twice" --session s1',),
    "window prune": ("window prune --force",),
    "window snapshots": ("window snapshots",),
    "window restore": ("window restore 01M8",),
    "memory": (
        'memory add decision "Sessions end after 15 minutes" --key session-end',
        'memory search "when does a session end"',
    ),
    "memory add": (
        'memory add decision "Sessions end after 15 minutes" --key session-end',
        'memory add fact "The office has no network" --ref src/session.py',
    ),
    "memory list": ("memory list", "memory list --type decision --limit 10"),
    "memory show": ("memory show use-sessions",),
    "memory search": ('memory search "when does a session end"', "memory search session --type decision"),
    "memory eval": ("memory eval questions.yaml --k 1,3",),
    "memory edit": ('memory edit use-sessions --title "Use sessions" --tag web',),
    "memory link": ("memory link use-sessions depends_on tokens-are-short",),
    "memory forget": ("memory forget tokens-are-short", "memory forget --source talk.md --dry-run"),
    "memory move": ("memory move use-sessions --to user --type work_pattern",),
    "memory inbox": ("memory inbox",),
    "memory promote": ("memory promote tokens-are-short",),
    "memory reject": ('memory reject tokens-are-short --reason "No longer true"',),
    "memory stats": ("memory stats",),
    "memory export": ("memory export --type decision", "memory export -o items.jsonl"),
    "memory import": ("memory import items.jsonl --dry-run", "memory import items.jsonl"),
    "memory copy": ("memory copy --scope project --from files --to sqlite --dry-run",),
    "memory schema": ("memory schema",),
    "memory maintain": ("memory maintain --dry-run", "memory maintain"),
    "memory restore": ("memory restore old-tokens",),
    "memory ingest": ("memory ingest talk.md --dry-run", "memory ingest talk.md"),
    "check": ("check", "check --new"),
    "check config": ("check config",),
    "check gate": ("check gate", "check gate coding --quiet"),
    "check trace": ("check trace --new", "check trace --format sarif --output trace.sarif"),
    "check memory": ("check memory --all", "check memory --format junit"),
    "check workflow": ("check workflow",),
    "prove": ("prove", "prove HEAD~1..HEAD"),
    "code": ("code refs ended", 'code context "end a session" --budget 2000'),
    "code index": ("code index",),
    "code status": ("code status",),
    "code find": ("code find ended", "code find ended --kind function"),
    "code file": ("code file src/session.py",),
    "code refs": ("code refs ended",),
    "code map": ("code map --budget 2000",),
    "code context": ('code context "end a session" --budget 2000',),
    "code impact": ("code impact ended", "code impact src/session.py --format pytest", "code impact --diff main"),
    "history": ("history show --by file --days 30", 'history similar "end a session"'),
    "history import": ("history import --dry-run", "history import --client claude"),
    "history saved": ("history saved --budget 4000",),
    "history show": ("history show --by file --days 30", "history show src/session.py --by file"),
    "history similar": ('history similar "end a session"',),
    "history prune": ("history prune --older-than 90d",),
    "history sql": ("history sql 'SHOW TABLES'",),
    "history export": ("history export tables --format parquet",),
    "history learn": ("history learn",),
    "help": ("help context show", "help --all memory"),
    "hook": ("hook claude < event.json",),
    "trace": ('trace add requirement "A session ends" --parent NEED-login', "trace why REQ-timeout"),
    "trace add": ('trace add requirement "A session ends" --parent NEED-login',),
    "trace list": ("trace list --type requirement", "trace list --without test"),
    "trace show": ("trace show REQ-timeout",),
    "trace link": ("trace link UNIT-session REQ-lock --relation implements",),
    "trace unlink": ("trace unlink UNIT-session REQ-timeout",),
    "trace retire": ('trace retire REQ-audit --reason "Out of scope"',),
    "trace review": (
        "trace review REQ-timeout",
        "trace review --all",
        'trace review REQ-timeout --to NEED-login --reason "Wording only"',
    ),
    "trace verify": ('trace verify REQ-audit --saw "Each sign-in is in the log"',),
    "trace import": ("trace import needs.csv --type need --dry-run", "trace import needs.csv --type need"),
    "trace export": ("trace export --format csv", "trace export -o trace.json"),
    "trace matrix": ("trace matrix", "trace matrix --format html -o matrix.html"),
    "trace impact": ("trace impact NEED-login",),
    "trace coverage": ("trace coverage --junit report.xml",),
    "trace why": ("trace why REQ-timeout",),
    "trace baseline": ("trace baseline list", "trace baseline diff release-1"),
    "trace baseline create": ('trace baseline create release-2 --note "Second release"',),
    "trace baseline list": ("trace baseline list",),
    "trace baseline diff": ("trace baseline diff release-1",),
    "mcp": ("mcp",),
    "integrate": ("integrate claude --dry-run", "integrate claude codex"),
    "metrics": ("metrics", "metrics --sprint login"),
    "workflow": ("workflow list", "workflow show light"),
    "workflow list": ("workflow list",),
    "workflow show": ("workflow show light",),
    "workflow use": ("workflow use light",),
    "config": ("config show", "config schema > schema.json"),
    "config show": ("config show",),
    "config schema": ("config schema > schema.json",),
    "doctor": ("doctor", "doctor --repair"),
    "migrate": ("migrate --dry-run", "migrate"),
}
"""The arguments behind `vfcc`, by the name of the command; under the empty name those of `vfcc` itself."""


_WORD = r""" '[^']*' | "[^"]*" | \S+ """
_INDENT = 4


def write_examples(name: str, formatter: "HelpFormatter") -> None:
    """Write the examples of a command.

    A line that is too long is continued after a backslash, so that it can be pasted.
    """
    import re

    if name not in EXAMPLES:
        return
    with formatter.section("Examples"):
        for example in EXAMPLES[name]:
            line = "  vfcc"
            for word in re.findall(_WORD, example, re.VERBOSE):
                if len(line) + len(word) + len("  \\") > formatter.width:
                    formatter.write(f"{line} \\\n")
                    line = " " * (_INDENT - 1)
                line += f" {word}"
            formatter.write(f"{line}\n")
