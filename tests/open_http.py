"""Serve `vfcc mcp --http` to a tool that sends no token: each request gets the right one on its way in.

python -m tests.open_http PORT
"""

import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn

from verifflowcc.mcp.store.mcp_http import LOOPBACK, http_app
from verifflowcc.mcp.use.mcp_resources import lists
from verifflowcc.mcp.use.mcp_worker import result_of

TOKEN = "only-for-one-test-run"
Scope = MutableMapping[str, Any]


def opened(app: Any) -> Callable[[Scope, Any, Any], Awaitable[None]]:
    """Return an application that adds the token to each request."""

    async def with_token(scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope["headers"] = [*scope["headers"], (b"authorization", f"Bearer {TOKEN}".encode())]
        await app(scope, receive, send)

    return with_token


if __name__ == "__main__":
    port = int(sys.argv[1])
    uvicorn.run(opened(http_app(lists(), result_of, TOKEN, port)), host=LOOPBACK, port=port, log_level="warning")
