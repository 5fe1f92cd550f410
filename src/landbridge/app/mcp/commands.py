"""`landbridge mcp`."""

import asyncio
import os
import sys

import click
import msgspec

# Redaction knows the fields of the structs that are loaded.
import landbridge.app.routes  # noqa: F401  # pyright: ignore[reportUnusedImport]
from landbridge.app.mcp.operations import ApiOperations
from landbridge.app.mcp.protocol import LINE_LENGTH_MAX, McpServer
from landbridge.app.mcp.tools import ApiTools
from landbridge.sandbox.scenarios.client import connected

_KEY = "LANDBRIDGE_API_KEY"
_INSTRUCTIONS = (
    "Landbridge moves stablecoins and bank money. Find an operation with search_api, see it with "
    "describe, then read. Values marked [redacted] are withheld on purpose. Money is moved only by "
    "people: a dry run creates nothing, and a proposal waits for their approval."
)


@click.command()
@click.option(
    "--api-url",
    default="http://127.0.0.1:8080",
    envvar="LANDBRIDGE_URL",
    show_default=True,
    help="Where the API is served.",
)
@click.option(
    "--propose",
    "may_propose",
    is_flag=True,
    help="Let it create payments that wait for a person's approval; needs a key of scope pay.",
)
def mcp(*, api_url: str, may_propose: bool) -> None:
    """Serve the API to an assistant over stdin and stdout (MCP), read-only by default.

    Uses the key in LANDBRIDGE_API_KEY; create one by `landbridge keys create --scope read`.
    """
    key = os.environ.get(_KEY)
    if not key:
        raise click.UsageError(f"Set {_KEY} to a key of the organisation.")
    asyncio.run(_serve(api_url, key, may_propose=may_propose))


async def _serve(api_url: str, key: str, *, may_propose: bool) -> None:
    async with connected(api_url, key) as client:
        operations = ApiOperations(msgspec.json.decode(await client.raw("/openapi.json")))
        tools = ApiTools(client.send, operations)
        await client.get("/v2/ping")
        if may_propose:
            await tools.check_key()
        server = McpServer(tools.tools(may_propose=may_propose), _INSTRUCTIONS)
        while line := await asyncio.to_thread(sys.stdin.buffer.readline, LINE_LENGTH_MAX):
            reply = await server.answer(line)
            if reply is not None:
                sys.stdout.buffer.write(reply + b"\n")
                sys.stdout.buffer.flush()
