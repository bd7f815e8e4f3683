"""`vfcc mcp`: the tools for an agent's client. `fast` starts the server without this module."""

from typing import Annotated

import typer


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= 65_535:
        raise typer.BadParameter(f"{text!r} is not a port (expected, for example, 8931)")
    return int(text)


def mcp(
    http: Annotated[
        int | None,
        typer.Option("--http", metavar="PORT", parser=_port, help="Serve on this port of 127.0.0.1, with a token."),
    ] = None,
) -> None:
    """Serve an agent's client over stdin and stdout (Model Context Protocol).

    A client starts it; vfcc integrate writes the entry for it. Every caller is an agent: it can propose, store, check
    and advance, and it cannot approve, waive or promote. --http needs the extra "http", and a token in VFCC_MCP_TOKEN.
    """
    import sys

    from verifflowcc.base.terminal import output as out

    if http is not None:
        import os

        from verifflowcc.mcp.store.mcp_http import TOKEN_VARIABLE, serve_http
        from verifflowcc.mcp.use.mcp_resources import lists
        from verifflowcc.mcp.use.mcp_worker import result_of

        serve_http(lists(), result_of, os.environ.get(TOKEN_VARIABLE, ""), http)
        return
    if sys.stdin.isatty():
        out.note("vfcc mcp is for an agent's client, which speaks JSON on stdin: vfcc integrate sets it up")
        return
    from verifflowcc.mcp.use.mcp_front import serve

    serve()
