"""Name the sprint in a command that acts on the current one."""

import re

_TAKES_OPTION = re.compile(
    r"vfcc (?:next|evidence (?:run|add|stale)|approve|waive|feedback (?:add|list|triage)"
    r"|stage (?:show|list|advance|reopen|skip|put|draft)|check gate)\b"
)
_AT_END = re.compile(r"vfcc (?:next|stage advance|sprint close)$")
"""Commands that also end a comment or a sentence."""


def in_sprint(step: str, sprint: str) -> str:
    """Return `step` so that it means `sprint`, whatever other sprints are open; words stay words.

    >>> in_sprint("vfcc evidence run tests", "login")
    'vfcc evidence run tests --sprint login'
    >>> in_sprint("write plan.md, then: vfcc stage advance", "login")
    'write plan.md, then: vfcc stage advance --sprint login'
    """
    if last := _AT_END.search(step):
        step = f"{step} {sprint}" if last[0].endswith("close") else f"{step} --sprint {sprint}"
    command, mark, comment = step.partition("  #")
    if _TAKES_OPTION.match(command) and " --sprint" not in command:
        return f"{command} --sprint {sprint}{mark}{comment}"
    return step
