"""`vfcc mcp`: the tools for an agent's client. `fast` starts the server without this module."""


def mcp() -> None:
    """Serve an agent's client over stdin and stdout (Model Context Protocol).

    A client starts it; vfcc integrate writes the entry for it. Every caller is an agent: it can propose, store, check
    and advance, and it cannot approve, waive or promote.
    """
    import sys

    from verifflowcc.base.terminal import output as out

    if sys.stdin.isatty():
        out.note("vfcc mcp is for an agent's client, which speaks JSON on stdin: vfcc integrate sets it up")
        return
    from verifflowcc.mcp.use.mcp_front import serve

    serve()
