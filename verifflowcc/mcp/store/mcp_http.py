"""`vfcc mcp` over HTTP, for clients that cannot start a process: by the official SDK, which the extra `http` brings.

It listens on loopback alone, and each request needs the token. Calls run one after the other in the main thread, since
limits on time are signals.
"""

import hmac
from collections.abc import Callable, Mapping
from typing import Any

from verifflowcc import __version__
from verifflowcc.base.errors import UsageError

TOKEN_VARIABLE = "VFCC_MCP_TOKEN"
LOOPBACK = "127.0.0.1"
_SHORTEST_TOKEN = 16
_SCOPE = "vfcc"


Answer = Callable[[str, str, dict[str, Any]], dict[str, Any]]
"""The result for a client's name, a method and its parameters. Raises VfccError."""


def http_app(lists: Mapping[str, Any], answer: Answer, token: str, port: int) -> Any:
    """Return the application. Raises UsageError where the SDK is not installed, or the token is too short to keep."""
    if len(token) < _SHORTEST_TOKEN:
        raise UsageError(
            f"{TOKEN_VARIABLE} has no token of {_SHORTEST_TOKEN} characters and more",
            hint=f'export {TOKEN_VARIABLE}="$(openssl rand -hex 24)"',
        )
    try:
        from mcp.server.auth.provider import AccessToken
        from mcp.server.auth.settings import AuthSettings
        from pydantic import AnyHttpUrl
    except ImportError as error:
        raise UsageError(
            f"the official SDK is not installed: {error.name}", hint="pip install 'verifflowcc[http]'"
        ) from error

    own = f"http://{LOOPBACK}:{port}/mcp"

    class OneToken:
        """Knows the one token that the server was started with."""

        async def verify_token(self, token_sent: str) -> AccessToken | None:
            """Return who sent it; None for any other token."""
            if not hmac.compare_digest(token_sent.encode(), token.encode()):
                return None
            return AccessToken(token=token_sent, client_id="vfcc", scopes=[_SCOPE], resource=own)

    settings = AuthSettings(
        issuer_url=AnyHttpUrl(f"http://{LOOPBACK}:{port}"),
        resource_server_url=AnyHttpUrl(own),
        required_scopes=[_SCOPE],
        validate_token_resource=True,
    )
    return _server(lists, answer).streamable_http_app(host=LOOPBACK, auth=settings, token_verifier=OneToken())


def serve_http(lists: Mapping[str, Any], answer: Answer, token: str, port: int) -> None:
    """Serve on a port of loopback until it is interrupted. Raises UsageError as `http_app`."""
    app = http_app(lists, answer, token, port)
    import uvicorn

    uvicorn.run(app, host=LOOPBACK, port=port, log_level="warning")


def _server(lists: Mapping[str, Any], answer: Answer) -> Any:
    import mcp_types as types
    from mcp.server.lowlevel import Server

    async def list_tools(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult.model_validate({"tools": lists["tools"]})

    async def list_resources(_context: Any, _params: Any) -> Any:
        return types.ListResourcesResult.model_validate({"resources": lists["resources"]})

    async def list_templates(_context: Any, _params: Any) -> Any:
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": lists["resourceTemplates"]})

    async def list_prompts(_context: Any, _params: Any) -> Any:
        return types.ListPromptsResult.model_validate({"prompts": lists["prompts"]})

    async def call_tool(context: Any, params: Any) -> Any:
        return types.CallToolResult.model_validate(answer(_client(context), "tools/call", _given(params)))

    async def read_resource(context: Any, params: Any) -> Any:
        return types.ReadResourceResult.model_validate(answer(_client(context), "resources/read", _given(params)))

    async def get_prompt(context: Any, params: Any) -> Any:
        return types.GetPromptResult.model_validate(answer(_client(context), "prompts/get", _given(params)))

    return Server(
        "vfcc",
        version=__version__,
        instructions=lists["instructions"],
        on_list_tools=list_tools,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_list_prompts=list_prompts,
        on_call_tool=call_tool,
        on_read_resource=read_resource,
        on_get_prompt=get_prompt,
    )


def _given(params: Any) -> dict[str, Any]:
    found: dict[str, Any] = params.model_dump(by_alias=True, mode="json", exclude_none=True)
    return found


def _client(context: Any) -> str:
    """Return what the client calls itself; it grants nothing."""
    about = getattr(getattr(context, "session", None), "client_params", None)
    return str(getattr(getattr(about, "client_info", None), "name", ""))
