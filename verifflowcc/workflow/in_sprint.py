"""Name the sprint in a command that acts on the current one."""

import re

_TAKES_OPTION = re.compile(
    r"vfcc (?:evidence (?:run|add|stale)|approve|waive|feedback (?:add|list|triage)"
    r"|stage (?:show|list|reopen|skip|put|draft)|check gate)\b"
)
_TAKES_ARGUMENT = ("vfcc stage advance", "vfcc next", "vfcc sprint close")


def in_sprint(step: str, sprint: str) -> str:
    """Return `step` so that it means `sprint`, whatever other sprints are open; words stay words.

    >>> in_sprint("vfcc evidence run tests", "login")
    'vfcc evidence run tests --sprint login'
    >>> in_sprint("write plan.md, then: vfcc stage advance", "login")
    'write plan.md, then: vfcc stage advance login'
    """
    named = f"{step} {sprint}" if step.endswith(_TAKES_ARGUMENT) else step
    command, mark, comment = named.partition("  #")
    if _TAKES_OPTION.match(command) and " --sprint" not in command:
        return f"{command} --sprint {sprint}{mark}{comment}"
    return named
