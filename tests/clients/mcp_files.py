"""A server of tools for clients, on stdin and stdout: `write_file` writes a text into whatever file it is given."""

import json
import sys
from pathlib import Path
from typing import Any

TOOL = {
    "name": "write_file",
    "description": "Write a text into a file.",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    },
}


def result(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what a request is answered."""
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "files", "version": "1"},
        }
    if asked["method"] == "tools/list":
        return {"tools": [TOOL]}
    if asked["method"] == "tools/call":
        given = asked["params"]["arguments"]
        Path(given["path"]).write_text(given["content"], encoding="utf-8")
        return {"content": [{"type": "text", "text": "written"}]}
    return {}


def main() -> None:
    """Answer requests until stdin ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            answer = {"jsonrpc": "2.0", "id": asked["id"], "result": result(asked)}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
