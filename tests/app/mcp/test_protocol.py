"""MCP protocol: handshake, list of tools, faulty messages."""

from typing import Any

import msgspec
import pytest

from landbridge.app.mcp.protocol import VERSIONS, McpServer, Tool, ToolRefused


async def _echo(arguments: dict[str, Any]) -> str:
    if not arguments:
        raise ToolRefused("no arguments")
    return str(arguments["text"])


# Deeper than the decoder goes.
DEEP = b'{"jsonrpc":"2.0","id":1,"params":{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}}"
SERVER = McpServer([Tool("echo", "Echo.", {"type": "object"}, _echo)], "How to use it.")


async def reply(method: str, **params: Any) -> dict[str, Any]:
    """Return the reply to a request."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = await SERVER.answer(msgspec.json.encode(message))
    assert answer is not None
    assert b"\n" not in answer
    return msgspec.json.decode(answer)


@pytest.mark.parametrize("version", VERSIONS)
async def test_handshake_takes_the_version_of_the_client(version: str) -> None:
    result = (await reply("initialize", protocolVersion=version))["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "landbridge"
    assert result["instructions"] == "How to use it."


async def test_unknown_version_is_answered_with_the_newest() -> None:
    result = (await reply("initialize", protocolVersion="2999-01-01"))["result"]
    assert result["protocolVersion"] == VERSIONS[0]


async def test_tools_are_listed_and_called() -> None:
    (tool,) = (await reply("tools/list"))["result"]["tools"]
    assert (tool["name"], tool["annotations"]["readOnlyHint"]) == ("echo", True)
    result = (await reply("tools/call", name="echo", arguments={"text": "a\nb"}))["result"]
    assert result == {"content": [{"type": "text", "text": "a\nb"}], "isError": False}
    assert (await reply("tools/call", name="echo"))["result"]["isError"]
    assert (await reply("ping"))["result"] == {}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("resources/list", {}, -32601),
        ("tools/call", {"name": "none"}, -32602),
        ("tools/call", {"name": "echo", "arguments": [1]}, -32602),
    ],
)
async def test_faulty_requests(method: str, params: dict[str, Any], code: int) -> None:
    assert (await reply(method, **params))["error"]["code"] == code


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"[1]", -32600),
        (b"{}", -32600),
        (DEEP, -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', -32700),
    ],
)
async def test_faulty_lines(line: bytes, code: int) -> None:
    answer = await SERVER.answer(line)
    assert answer is not None
    assert msgspec.json.decode(answer)["error"]["code"] == code


async def test_notifications_are_not_answered() -> None:
    line = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    assert await SERVER.answer(line) is None
