"""Errors of JSON-RPC and of the protocol, by their codes."""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    Json = Any


PARSE, REQUEST, METHOD, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NOT_FOUND, VERSION = -32002, -32022


class RpcError(Exception):
    """A request that gets an error of the protocol for an answer."""

    def __init__(self, code: int, message: str, data: "Json" = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data
