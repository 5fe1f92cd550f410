"""MCP over stdin and stdout: one JSON-RPC message per line, answered in order.

Source: modelcontextprotocol.io, transport stdio, versions with a handshake.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from landbridge import __version__

# Newest first; a client that knows none of them is offered the first, and may leave.
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
LINE_LENGTH_MAX = 1_000_000
_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS = -32700, -32600, -32601, -32602


class ToolRefused(Exception):
    """A tool did not do what was asked; the assistant reads the sentence."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what it does, the JSON Schema of its arguments, and its function."""

    name: str
    description: str
    schema: Mapping[str, Any]
    call: Callable[[dict[str, Any]], Awaitable[str]]
    is_read_only: bool = True


class _Message(msgspec.Struct, frozen=True):
    """A request, or a notification, which has no id."""

    jsonrpc: str
    method: str | None = None
    id: str | int | None = None
    params: dict[str, Any] = {}


class McpServer:
    """Answers the messages of one client."""

    def __init__(self, tools: Sequence[Tool], instructions: str) -> None:
        self._tools = {each.name: each for each in tools}
        self._instructions = instructions

    async def answer(self, line: bytes) -> bytes | None:
        """Return the reply to a message, without the end of the line; None for notifications."""
        try:
            message = _decoder.decode(line)
        except msgspec.ValidationError:
            return _error(None, _INVALID_REQUEST, "not a JSON-RPC message")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return _error(None, _PARSE_ERROR, "not JSON")
        if message.id is None or message.method is None:
            return None
        if message.method == "tools/call":
            return await self._call(message.id, message.params)
        result = self._describe(message.method, message.params)
        if result is None:
            return _error(message.id, _NO_METHOD, f"no method {message.method[:100]}")
        return _result(message.id, result)

    def _describe(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        match method:
            case "initialize":
                return self._introduce(params)
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [_shown(each) for each in self._tools.values()]}
            case _:
                return None

    def _introduce(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = params.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "landbridge", "version": __version__},
            "instructions": self._instructions,
        }

    async def _call(self, message_id: str | int, params: Mapping[str, Any]) -> bytes:
        tool = self._tools.get(str(params.get("name")))
        arguments = params.get("arguments", {})
        if tool is None or not isinstance(arguments, dict):
            return _error(message_id, _INVALID_PARAMS, "no such tool, or arguments that are none")
        try:
            text, is_refused = await tool.call(cast("dict[str, Any]", arguments)), False
        except ToolRefused as refusal:
            text, is_refused = str(refusal), True
        content = [{"type": "text", "text": text}]
        return _result(message_id, {"content": content, "isError": is_refused})


def _shown(tool: Tool) -> Mapping[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.schema,
        "annotations": {"readOnlyHint": tool.is_read_only, "destructiveHint": False},
    }


def _result(message_id: str | int, result: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": message_id, "result": result})


def _error(message_id: str | int | None, code: int, text: str) -> bytes:
    error = {"code": code, "message": text}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": message_id, "error": error})


_decoder = msgspec.json.Decoder(_Message)
