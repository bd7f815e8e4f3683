"""The entry point. `--version` and a fresh `status` are answered here, before anything slow is imported.

This package imports nothing of ours but `errors` (and `cli`, once it is clear that it must), and no standard module
that Python has not loaded already, or that costs more than a millisecond.
"""

import sys


def main() -> None:
    """Run `vfcc` with the arguments of this process and exit with its code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from verifflowcc import __version__

        sys.stdout.write(f"vfcc {__version__}\n")
        return
    if arguments and arguments[0] == "status":
        from verifflowcc.fast.status import answer

        if answer(arguments[1:]):
            return
    from verifflowcc.cli.run import run

    sys.exit(run(arguments))
