"""The entry point. `--version`, a fresh `status`, completion and hooks are answered before anything slow is imported.

This package imports `errors`, the few modules of ours that hooks are made of and that import next to nothing
themselves, `cli` once it is clear that it must, and no standard module that Python has not loaded already, or that
costs more than a millisecond.
"""

import os
import sys


def main() -> None:
    """Run `vfcc` with the arguments of this process and exit with its code."""
    _fill_streams()
    _begin_as_utf8()
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def _run(typed: list[str]) -> int:
    arguments = typed
    if typed and typed[0][:1] == "-" and typed[0] != "--version":
        arguments = without_globals(typed)
    try:
        if _answered(arguments):
            return 0
    except OSError:
        pass  # a full disk, a reader that has gone, a deleted folder: the full command meets it again, and tells
    from verifflowcc.base.process.short_process import collect_rarely, end_turn, leave_the_rest, take_turn

    collect_rarely()
    take_turn(arguments)
    from verifflowcc.cli.cli.run import run

    try:
        return run(arguments, typed)
    finally:
        end_turn()
        leave_the_rest()


def without_globals(arguments: "list[str]") -> "list[str]":
    """Apply the options before the command, and return the words from the command on.

    They are the folder that it runs in, and how much it writes.

    Where a folder cannot be entered nothing is applied and all words are returned: the full command reports it.
    """
    from verifflowcc.base.model.command_words import split_globals

    folders, flags, rest = split_globals(arguments)
    if not _entered(folders):
        return arguments
    if flags:
        from verifflowcc.base.terminal.terminal import apply_flags

        apply_flags(flags)
    return rest


def _entered(folders: "list[str]") -> bool:
    """Enter one folder after the other, as git does; return False, in the folder of the start, where one fails."""
    if not folders:
        return True
    try:
        start = os.getcwd()
    except OSError:
        start = ""
    try:
        for folder in folders:
            os.chdir(folder)
    except (OSError, ValueError):
        if start:
            os.chdir(start)
        return False
    return True


def _answered(arguments: list[str]) -> bool:
    instruction = os.environ.get("_VFCC_COMPLETE")
    if instruction:
        from verifflowcc.fast.completion import answer as complete

        return complete(instruction)
    if arguments == ["--version"]:
        from verifflowcc import __version__

        sys.stdout.write(f"vfcc {__version__}\n")
        sys.stdout.flush()
        return True
    if arguments and arguments[0] == "status":
        from verifflowcc.fast.status import answer

        return answer(arguments[1:])
    if arguments and arguments[0] == "hook":
        from verifflowcc.fast.hook import answer as answer_hook

        return answer_hook(arguments[1:])
    if arguments == ["mcp"] and not sys.stdin.isatty():
        from verifflowcc.mcp.use.mcp_front import serve

        serve()
        return True
    return False


def _begin_as_utf8() -> None:
    """Start again in Python's UTF-8 mode where the locale would read words in another way, and so move a prompt.

    An option does it, and no variable, so that the project's commands run as they would.
    """
    if sys.getfilesystemencoding() != "utf-8" and not "".join(sys.argv).isascii():
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _fill_streams() -> None:
    """Open the null device for closed streams, so that no file gets their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open("/dev/null", mode, encoding="utf-8"))  # noqa: SIM115 - it stays open
