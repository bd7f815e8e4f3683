"""An MCP server over stdio with one tool, which writes a file; a project names it in `.mcp.json`. Run as a script."""

import json
import sys
from pathlib import Path

TOOL = {
    "name": "write_file",
    "description": "Write a file.",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    },
}


def answer(method: str, given: dict[str, object]) -> dict[str, object]:
    """Return the result of a request."""
    if method == "initialize":
        server = {"name": "files", "version": "1"}
        return {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        asked = given["arguments"]
        assert isinstance(asked, dict)
        Path(asked["path"]).write_text(asked["content"], encoding="utf-8")
        return {"content": [{"type": "text", "text": "written"}]}
    return {}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = answer(request["method"], request.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
