"""What a capability answers for one below it, which may not import it: a table of names and where each is found.

A check of the trace wants the results that gates know of tests, and a task that ends wants to be in the history. Both
import this module, and name what they want; it is imported when it is first asked for.
"""

from collections.abc import Callable
from typing import Any

from verifflowcc.domain.lazy import load

PROVIDERS = {
    "test results": "verifflowcc.services.trace_results:read_results",
    "process facts": "verifflowcc.services.trace_process:process_facts",
    "task history": "verifflowcc.services.history.tasks:note_task",
    "trace item": "verifflowcc.adapters.files.trace_items:parse_trace_item",
    "repeated failures": "verifflowcc.services.history.repeated:repeated_failures",
}
"""What is wanted → module and function."""


def provider(name: str) -> Callable[..., Any]:
    """Return the function that provides `name`, a key of `PROVIDERS`."""
    provided: Callable[..., Any] = load(PROVIDERS[name])
    return provided
