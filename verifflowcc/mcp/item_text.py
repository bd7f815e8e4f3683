"""Show an item of memory to a model in few lines, its text quoted."""

from verifflowcc.domain.recall import Hit
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import plain_line

_LONGEST = 400


def hit_lines(workspace: Workspace, hit: Hit) -> list[str]:
    """Return an item that was found: what it is and says, and what is wrong with it."""
    item = hit.item
    flags = [f"trust {item.trust}", *(each for each in (hit.standing, hit.stale) if each)]
    if str(item.status) != "active":
        flags.append(str(item.status))
    head = f"- {item.type} {item.id} ({', '.join(flags)}): {plain_line(item.title, 200)}"
    body = _body(workspace, hit.scope, item.id)
    return [head, *([f"  > {plain_line(body, _LONGEST)}"] if body and body != item.title else [])]


def _body(workspace: Workspace, scope: str, name: str) -> str:
    with open_store(workspace, scope) as store:
        stored = store.get(name)
    return stored.body.strip() if stored else ""
