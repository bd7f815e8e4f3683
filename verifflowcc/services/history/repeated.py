"""Failures that need not have been: the same error had a `failure` or a `fix` in the project's memory already."""

from verifflowcc.services.history.reading import open_history
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.statistics import Repeated
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.error_signature import signature_of

_TYPES = ("failure", "fix")


def repeated_failures(workspace: Workspace) -> Repeated:
    """Return how many failures memory had known of: an item has the error's signature, and is no younger than it.

    An item has the signatures of all its lines, and the one that it was learnt with. Raises as the store does.
    """
    with open_history(workspace) as history:
        ((executions,),) = history.rows("SELECT COUNT(*) FROM tool_executions")
        failed = history.rows("SELECT signature, timestamp FROM tool_executions WHERE success = 0")
    if not failed:
        return Repeated(executions, 0, 0)
    known = _signatures(workspace)
    return Repeated(
        executions, len(failed), sum(known.get(signature or "", "9999") <= time[:10] for signature, time in failed)
    )


def _signatures(workspace: Workspace) -> dict[str, str]:
    """Return each signature that an item has, with the day since which one has it."""
    found: dict[str, str] = {}
    with open_store(workspace, "project") as store:
        for stored in store.query({"type": list(_TYPES)}, limit=10_000):
            created = (stored.item.created or "0000")[:10]
            lines = [stored.item.title, *stored.body.split("\n"), *stored.body.replace("“", "”").split("”")]
            signatures = {signature_of(line) for line in lines}
            signatures |= {value for name, value in stored.item.details if name == "signature"}
            for signature in signatures - {""}:
                found[signature] = min(found.get(signature, created), created)
    return found
