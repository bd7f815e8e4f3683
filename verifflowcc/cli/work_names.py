"""What a command does while it works, in words; a command that is not listed here shows no progress."""

from collections.abc import Sequence

WORK_NAMES = {
    "init": "setting up the project",
    "next": "reading the sprint",
    "sprint": "reading the sprint",
    "report": "writing the report",
    "sprint report": "writing the report",
    "stage": "reading the sprint",
    "stage advance": "checking the gates",
    "context": "compiling the prompt",
    "context diff": "compiling both prompts",
    "context tune": "trying shares",
    "evidence": "comparing evidence with the files",
    "evidence run": "preparing the commands",
    "approve": "reading the sprint",
    "waive": "reading the sprint",
    "baseline": "preparing the base of the sprint",
    "feedback": "reading the sprint",
    "task": "reading tasks",
    "window": "reading windows",
    "memory": "reading the memory",
    "memory ingest": "reading conversations",
    "memory eval": "searching the memory",
    "memory maintain": "looking through the memory",
    "memory import": "importing items",
    "memory export": "exporting items",
    "memory copy": "copying items",
    "memory move": "moving items",
    "check": "checking",
    "check gate": "checking the gate",
    "check trace": "checking the trace",
    "check memory": "checking the memory",
    "prove": "reading the changes",
    "code": "reading the code",
    "history": "reading the history",
    "history import": "looking for sessions",
    "trace": "reading the trace",
    "integrate": "setting up clients",
    "mcp": "serving a client",
    "metrics": "reading the history",
    "workflow": "reading the workflow",
    "config": "reading the configuration",
    "doctor": "looking at the project",
    "migrate": "upgrading the memory",
}
"""By command, else by its group."""


def work_name(arguments: Sequence[str]) -> str:
    """Return what a command line does; "" where it shows no progress.

    >>> work_name(["memory", "eval", "-k", "3"]), work_name(["-C", "shop", "check"]), work_name(["hook"])
    ('searching the memory', 'checking', '')
    """
    words = [word for word in arguments if not word.startswith("-")]
    for at, word in enumerate(words):
        if word in WORK_NAMES:
            return WORK_NAMES.get(" ".join(words[at : at + 2]), WORK_NAMES[word])
    return ""
