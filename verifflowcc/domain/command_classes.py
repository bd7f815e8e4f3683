"""What each command of vfcc does, and so who may run it: one table for the program, for hooks and for the reference.

It is read inside of hooks, so it imports nothing.
"""

QUERY, WORK, MOVE, CI_TOO, PERSON = "query", "work", "move", "ci", "person"
CLASSES = {
    QUERY: "reads, and writes caches at most",
    WORK: "adds what a stage or a task produces",
    MOVE: "moves a sprint to another stage, starts or closes it",
    CI_TOO: "grants a permission that a person or a CI job may grant",
    PERSON: "decides; only a person may",
}
"""The classes, each with what its commands do."""

_COMMANDS = {
    QUERY: (
        *("status", "next", "metrics", "doctor", "sprint list", "sprint show", "sprint report", "stage show"),
        *("stage list", "context", "context show", "context diff", "context tune", "evidence list", "evidence show"),
        *("evidence stale", "feedback list", "task list", "task show", "window show", "window snapshots"),
        *("memory list", "memory show", "memory search", "memory eval", "memory inbox", "memory stats"),
        *("memory export", "memory schema", "check", "check config", "check gate", "check trace", "check memory"),
        *("check workflow", "code index", "code status", "code find", "code file", "code refs", "code map"),
        *("code context", "code impact", "code watch", "history saved", "history show", "history similar"),
        *("history sql", "history export", "trace list", "trace show", "trace export", "trace matrix"),
        *("trace impact", "trace coverage", "trace why", "trace baseline list", "trace baseline diff"),
        *("workflow list", "workflow show", "config check", "config show", "config schema"),
    ),
    WORK: (
        *("init", "integrate", "hook", "stage put", "stage draft", "evidence run", "evidence add", "feedback add"),
        *("feedback triage", "task start", "task note", "task finish", "task fail", "task clear", "window add"),
        *("window prune", "window restore", "memory add", "memory edit", "memory link", "memory forget"),
        *("memory move", "memory reject", "memory import", "memory maintain", "memory ingest", "history import"),
        *("history learn", "trace add", "trace link", "trace unlink", "trace retire", "trace import"),
    ),
    MOVE: ("sprint start", "sprint close", "stage advance", "stage reopen"),
    CI_TOO: ("allow", "migrate"),
    PERSON: (
        *("approve", "waive", "stage skip", "sprint resolve", "memory promote", "memory copy", "memory purge"),
        *("memory restore", "history prune", "trace review", "trace clear", "trace verify"),
        *("trace baseline create", "workflow use"),
    ),
}
BY_OPTION = {
    "allow": {"--check": QUERY, "--withdraw": WORK},
    "approve": {"--request": WORK, "--signed": WORK},
    "doctor": {"--repair": PERSON},
    "history prune": {"--dry-run": QUERY},
    "integrate": {"--dry-run": QUERY, "--uninstall": PERSON, "--force": PERSON},
    "memory copy": {"--dry-run": QUERY},
    "memory forget": {"--all": PERSON},
    "memory maintain": {"--forget-project": PERSON},
    "memory purge": {"--dry-run": QUERY},
    "memory restore": {"--dry-run": QUERY},
    "migrate": {"--dry-run": QUERY},
    "sprint close": {"--unfinished": PERSON},
}
"""Options that put a command into another class. A signed commit is a person's act, whoever hands it in."""

COMMANDS = {name: sort for sort, names in _COMMANDS.items() for name in names}
"""The class of each command that does something by itself, without its options."""
_LONGEST = 3


def command_of(arguments: "list[str]") -> str:
    """Return the name of the command in the words behind `vfcc`; empty where they name none.

    >>> command_of(["trace", "baseline", "list", "--json"]), command_of(["--help"])
    ('trace baseline list', '')
    """
    names = (" ".join(arguments[:count]) for count in range(_LONGEST, 0, -1))
    return next((name for name in names if name in COMMANDS), "")


def class_of(arguments: "list[str]") -> "str | None":
    """Return the class of a command line; None for one that is not in the table.

    >>> class_of(["approve", "plan"]), class_of(["approve", "plan", "--request"]), class_of(["frobnicate"])
    ('person', 'work', None)
    """
    name = command_of(arguments)
    if not name:
        return None
    found = [sort for option, sort in BY_OPTION.get(name, {}).items() if _given(option, arguments)]
    return _strictest(found) if found else COMMANDS[name]


def _given(option: str, arguments: "list[str]") -> bool:
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return any(word == option or word.startswith(f"{option}=") for word in words)


def _strictest(found: "list[str]") -> str:
    order = list(CLASSES)
    return max(found, key=order.index)
