"""How an error is shown: the fault, then `hint:` with a command; at a terminal, a closed gate is a panel."""

import sys

from verifflowcc.cli.terminal import wants_color
from verifflowcc.errors import GateClosed, VfccError


def error_text(error: VfccError) -> str:
    """Return an error as it is written to stderr."""
    head, *rest = error.message.split("\n")
    if isinstance(error, GateClosed) and rest and wants_color(sys.stderr):
        from verifflowcc.cli.gate_panels import refusal_panel

        text = refusal_panel(head, [line.removeprefix("- ") for line in rest], sys.stderr)
    else:
        text = "\n".join(f"  {line}" if line.startswith("- ") else f"error: {line}" for line in (head, *rest))
    return f"{text}\nhint: {error.hint}" if error.hint else text
