"""What a client may read without a tool: the current sprint, an item, an artifact."""

from typing import Any

from verifflowcc.errors import UsageError
from verifflowcc.mcp.callers import Caller
from verifflowcc.services.workspace import Workspace, open_workspace

RESOURCES = {"vfcc://sprint/current": ("sprint", "The current sprint, its stage and what it owes")}
TEMPLATES = {
    "vfcc://item/{id}": ("item", "An item of memory or trace"),
    "vfcc://artifact/{sprint}/{stage}/{name}": ("artifact", "An artifact of a stage"),
}
_SCHEME = "vfcc://"


def read_resource(uri: str, *, modern: bool) -> dict[str, Any]:
    """Return a resource. Raises VfccError where there is none."""
    text = _text(open_workspace(), uri)
    content = {"uri": uri, "mimeType": "text/plain", "text": text}
    keeping = {"ttlMs": 0, "cacheScope": "private"} if modern else {}
    return {"contents": [content], **keeping}


def _text(workspace: Workspace, uri: str) -> str:
    from verifflowcc.text.invisible import printable
    from verifflowcc.text.secrets import withhold

    kind, *names = uri.removeprefix(_SCHEME).split("/") if uri.startswith(_SCHEME) else [""]
    if kind == "sprint" and names == ["current"]:
        from verifflowcc.mcp.tools import ToolContext, next

        return next(ToolContext(workspace, Caller(""))).text
    if kind == "item" and len(names) == 1:
        return printable(withhold(_item(workspace, names[0])))
    if kind == "artifact" and len(names) == 3:
        return printable(withhold(_artifact(workspace, *names)))
    raise UsageError(f"there is no resource {uri[:200]}", hint=", ".join((*RESOURCES, *TEMPLATES)))


def _item(workspace: Workspace, name: str) -> str:
    from verifflowcc.adapters.files.private import USER
    from verifflowcc.services.memory.finding import find_item
    from verifflowcc.services.memory.scopes import scopes_recalled

    scopes = [scope for scope in scopes_recalled(workspace) if scope != USER]
    return find_item(workspace, name, scopes).stored.text


def _artifact(workspace: Workspace, sprint: str, stage: str, name: str) -> str:
    from verifflowcc.services.finding import find_stage
    from verifflowcc.services.gates import artifacts_of
    from verifflowcc.services.sprint_reading import show_sprint

    find_stage(show_sprint(workspace, sprint), stage)
    found = {each.artifact.path: each for each in artifacts_of(workspace, sprint, stage)}
    if name not in found:
        raise UsageError(f"{sprint}/{stage} has no artifact {name[:80]!r}; it has {', '.join(found) or 'none'}")
    return found[name].text or ""
