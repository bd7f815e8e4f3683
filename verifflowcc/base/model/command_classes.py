"""What each command of vfcc does, and so who may run it: one table for the program, for hooks and for the reference.

It is read inside of hooks, so it imports no more than the spellings of commands.
"""

from verifflowcc.base.model.command_words import FLAGS, spelled_today, split_globals

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
        *("status", "next", "metrics", "doctor", "sprint list", "sprint show", "sprint resolve", "sprint report"),
        "report",
        *("stage show", "stage list", "context show", "context diff", "context tune", "evidence list", "evidence show"),
        *("evidence stale", "feedback list", "task list", "task show", "window show", "window snapshots"),
        *("memory list", "memory show", "memory search", "memory eval", "memory inbox", "memory stats"),
        *("memory export", "memory schema", "check", "check config", "check gate", "check trace", "check memory"),
        *("check workflow", "code index", "code status", "code find", "code file", "code refs", "code map"),
        *("code context", "code impact", "history saved", "history show", "history similar"),
        *("history sql", "trace list", "trace show", "trace export", "trace matrix"),
        *("trace impact", "trace coverage", "trace why", "trace baseline list", "trace baseline diff"),
        *("run status", "run events"),
        *("baseline show", "workflow list", "workflow show", "config show", "config schema", "help"),
    ),
    WORK: (
        *("init", "integrate", "hook", "stage put", "stage draft", "evidence run", "evidence add", "feedback add"),
        *("feedback triage", "task start", "task note", "task finish", "task fail", "window add"),
        *("window prune", "window restore", "memory add", "memory edit", "memory link", "memory forget"),
        *("memory move", "memory reject", "memory restore", "memory import", "memory maintain", "memory ingest"),
        *("history import", "history export", "history learn", "trace add", "trace link", "trace unlink"),
        *("trace retire", "trace import", "prove"),
    ),
    MOVE: (
        *("sprint start", "sprint close", "stage advance", "stage reopen", "mcp"),
        *("run", "run stop", "run resume", "run retry", "run clean", "run worker"),
    ),
    CI_TOO: ("allow", "migrate"),
    PERSON: (
        *("approve", "waive", "stage skip", "memory promote", "memory copy", "history prune"),
        *("trace review", "trace verify", "trace baseline create", "workflow use"),
        *("baseline tests", "baseline lint", "baseline trace", "evidence redact"),
    ),
}
DRY_RUN = "--dry-run"
"""Every command that has it writes nothing with it, whatever else is given."""
_WRITE_NOTHING = frozenset((DRY_RUN, "--help", "-h"))
_FILE = {"--output": WORK, "-o": WORK}
BY_OPTION = {
    "allow": {"--check": QUERY, "--withdraw": WORK},
    "approve": {"--request": WORK, "--signed": WORK},
    "check": {"--rerun": WORK},
    "check memory": _FILE,
    "check trace": _FILE,
    "context show": _FILE,
    "doctor": {"--repair": PERSON},
    "evidence run": {"--refactoring": PERSON},
    "integrate": {"--uninstall": PERSON, "--force": PERSON},
    "memory export": _FILE,
    "memory forget": {"--all": PERSON, "--source": PERSON},
    "memory maintain": {"--forget-project": PERSON},
    "prove": {"--yes": CI_TOO},
    "report": {"--html": WORK},
    "sprint close": {"--unfinished": PERSON},
    "sprint report": _FILE,
    "sprint resolve": {"--keep": PERSON},
    "trace export": _FILE,
    "trace matrix": _FILE,
}
"""Options that put a command into another class. A signed commit is a person's act, whoever hands it in."""
_FLAGS = frozenset(
    (
        *("--yes", "--json", "--commit", "--check", "--withdraw", "--request", "--rerun", "--force", "--uninstall"),
        *("--replace", "--move", "--all", *FLAGS),
    )
)
"""Options of many commands that take no value, so that the word behind them is an option of its own."""

COMMANDS = {name: sort for sort, names in _COMMANDS.items() for name in names}
"""The class of each command that does something by itself, without its options."""
_LONGEST = 3
_ORDER = tuple(CLASSES)


def command_of(arguments: "list[str]") -> str:
    """Return the name of the command in the words behind `vfcc`; empty where they name none.

    >>> command_of(["trace", "baseline", "list", "--json"]), command_of(["--help"])
    ('trace baseline list', '')
    >>> command_of(["--json", "memory", "--", "promote", "x"]), command_of(["-C", "status", "config", "check"])
    ('memory promote', 'check config')
    """
    return _command_and_rest(arguments)[0]


def class_of(arguments: "list[str]") -> "str | None":
    """Return the class of a command line; None for one that is not in the table.

    Where it cannot be known whether a word is an option or the value of the one before it, the stricter class counts.

    >>> class_of(["approve", "plan"]), class_of(["approve", "plan", "--request"]), class_of(["frobnicate"])
    ('person', 'work', None)
    >>> class_of(["approve", "--reason", "--request"]), class_of(["approve", "--help"])
    ('person', 'query')
    >>> resolve = ["sprint", "resolve"]
    >>> class_of([*resolve, "--reason", "--", "--keep", "x"]), class_of([*resolve, "--", "--keep"])
    ('person', 'query')
    """
    name, rest = _command_and_rest(arguments)
    if not name:
        return None
    ends = [place for place, word in enumerate(rest) if word == "--"]
    # `--` ends the options, unless it is itself the value of the option before it: `--reason -- --keep x`.
    end = next((place for place in ends if _is_option(rest, place)), len(rest))
    may_be = {option for option in BY_OPTION.get(name, {}) if _may_be_given(option, rest[:end])}
    certain = {word for place, word in enumerate(rest[: min(ends, default=end)]) if _is_option(rest, place)}
    surely = {option for option in may_be if not _loosens(name, option) or option in certain}
    if _WRITE_NOTHING & certain:
        return QUERY
    return max(class_with(name, surely), class_with(name, may_be), key=_ORDER.index)


def class_or_strictest(arguments: "list[str]") -> str:
    """Return the class of a command line; of one that names no command, but is no mere question, the strictest.

    >>> class_or_strictest([]), class_or_strictest(["memory", "--help"]), class_or_strictest(["memory", "$X", "a"])
    ('query', 'query', 'person')
    """
    names = " ".join(word for word in split_globals(arguments)[2] if not word.startswith("-"))
    group = any(f"{name} ".startswith(f"{names} ") for name in COMMANDS) or not names
    return class_of(arguments) or (QUERY if group else PERSON)


def _command_and_rest(typed: "list[str]") -> "tuple[str, list[str]]":
    """Return the name of the command, and the other words; options and `--` may come before and between its names."""
    arguments, _ = spelled_today(split_globals(typed)[2])
    places = [place for place, word in enumerate(arguments) if not word.startswith("-")]
    for count in range(_LONGEST, 0, -1):
        names = places[:count]
        name = " ".join(arguments[place] for place in names)
        if name in COMMANDS:
            before = [word for word in arguments[: names[-1]] if word.startswith("-") and word != "--"]
            return name, [*before, *arguments[names[-1] + 1 :]]
    return "", list(arguments)


def class_with(name: str, options: "set[str]") -> str:
    """Return the class of the command `name` with these options, each of which is given for certain.

    >>> class_with("integrate", {"--force"}), class_with("integrate", {"--force", "--dry-run"})
    ('person', 'query')
    """
    if DRY_RUN in options:
        return QUERY
    table = BY_OPTION.get(name, {})
    return max((table[option] for option in options if option in table), key=_ORDER.index, default=COMMANDS[name])


def _loosens(name: str, option: str) -> bool:
    return _ORDER.index(BY_OPTION[name][option]) < _ORDER.index(COMMANDS[name])


def _may_be_given(option: str, words: "list[str]") -> bool:
    if option.startswith("--"):
        return any(word == option or word.startswith(f"{option}=") for word in words)
    return any(word[:1] == "-" and word[:2] != "--" and option[1:] in word for word in words)


def _is_option(words: "list[str]", place: int) -> bool:
    """Whether the word is an option for certain: the one before it is none, or takes no value."""
    before = words[place - 1] if place else ""
    return not before.startswith("-") or "=" in before or before in _FLAGS
