"""How much goes to stderr beside errors and warnings, and whether there is colour: one setting for the process.

`fast` sets it from the options before the command, each command from those behind it.
"""

import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection


class _Setting:
    quiet = False
    verbose = False


def apply(flags: "Collection[str]") -> None:
    """Apply the flags that are given, by any of their names; NO_COLOR is set for the programs that it starts, too."""
    from verifflowcc.base.model.command_words import NO_COLOR, QUIET, VERBOSE

    _Setting.quiet = _Setting.quiet or not set(QUIET).isdisjoint(flags)
    _Setting.verbose = _Setting.verbose or not set(VERBOSE).isdisjoint(flags)
    if NO_COLOR in flags:
        os.environ["NO_COLOR"] = "1"


def is_quiet() -> bool:
    """Whether notes and progress are left out."""
    return _Setting.quiet


def is_verbose() -> bool:
    """Whether notes say what a command works on."""
    return _Setting.verbose
