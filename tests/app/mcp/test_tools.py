"""MCP tools: read, dry run, propose; no call without a person moves money."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast
from uuid import uuid4

import pytest

from landbridge.app.mcp.operations import ApiOperations
from landbridge.app.mcp.protocol import McpServer, Tool, ToolRefused
from landbridge.app.mcp.tools import ApiTools, KeyTooStrong
from landbridge.platform.http.caller import KeyScope
from tests.contract.resources import Things, bodies, kind_of, make_things
from tests.resolution_team import make_person
from tests.sandbox.scenarios.in_process_client import client_of
from tests.tenants import TRANSFERS, Tenant, make_user, run_due

WRITES = ("swaps.accept", "transferApprovals.approve", "sandbox.fundWallet", "users.create")
_MONEY = """
select concat_ws(' ', account_id, role, asset, sum(available + held)) as line
from entries
where org_id = $1
group by account_id, role, asset
having sum(available + held) <> 0
order by account_id, role, asset
"""
SWAP, TRANSFER = "swaps.create", "transfers.create"


class Recorder:
    """Sends requests of tools with a key, and records them."""

    def __init__(self, org: Tenant) -> None:
        self._send = client_of(org).send
        self.sent: list[tuple[str, str]] = []

    async def __call__(
        self, method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """Send a request."""
        self.sent.append((method, path))
        return await self._send(method, path, content=content, headers=headers)


@pytest.fixture
async def document(org: Tenant) -> dict[str, Any]:
    """The OpenAPI document of the server."""
    return (await org.client.get("/openapi.json")).json()


@pytest.mark.parametrize("may_propose", [False, True])
async def test_no_tool_call_without_a_person_moves_money(
    org: Tenant, document: dict[str, Any], *, may_propose: bool
) -> None:
    """Call every tool on every operation with valid bodies, and let the worker run."""
    things = await make_things(org)
    await run_due(org)
    before, good = await money_of(org), bodies(things)
    # Without --propose even the strongest key writes nothing.
    org = await make_person(org, "assistant", [KeyScope.PAY if may_propose else KeyScope.ADMIN])
    recorder = Recorder(org)
    tools = ApiTools(recorder, ApiOperations(document)).tools(may_propose=may_propose)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            body: Any = good.get(f"{method.upper()} {path}")
            members = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
            names = [each for each in operation.get("parameters", []) if each["in"] == "path"]
            arguments: dict[str, Any] = {
                "operation": operation["operationId"],
                "parameters": {each["name"]: _id(things, path, each["name"]) for each in names},
                "body": {**members, "requestId": str(uuid4()), "requireApproval": False},
                "reference": "anything",
                "words": operation["operationId"],
            }
            for tool in tools:
                await outcome(tool, arguments)
    await run_due(org)
    written = [(method, path) for method, path in recorder.sent if method != "GET"]
    assert written
    assert all("?dryRun=true" in path for _, path in written) is not may_propose
    assert await money_of(org) == before


async def test_only_reads_and_dry_runs_without_propose(
    org: Tenant, document: dict[str, Any]
) -> None:
    tools = _by_name(ApiTools(Recorder(org), ApiOperations(document)).tools(may_propose=False))
    assert set(tools) == {"search_api", "describe", "read", "dry_run"}
    for operation in WRITES:
        arguments: dict[str, Any] = {"operation": operation, "body": {}, "parameters": {}}
        for tool in ("read", "dry_run"):
            with pytest.raises(ToolRefused):
                await tools[tool].call(arguments)


async def test_proposal_waits_for_a_person_and_is_made_once(
    org: Tenant, document: dict[str, Any]
) -> None:
    user, payee = await make_user(org, funds="10"), await make_user(org)
    payer = await make_person(org, "assistant", [KeyScope.PAY])
    found = ApiTools(Recorder(payer), ApiOperations(document))
    await found.check_key()
    tools = _by_name(found.tools(may_propose=True))
    body = {
        "source": {"userId": user},
        "destination": {"userId": payee},
        "amount": 1,
        "currency": "usdc",
        "chain": "POLYGON",
        "requireApproval": False,
    }
    arguments = {"operation": TRANSFER, "body": body, "reference": "invoice 1"}
    first = await tools["propose"].call(arguments)
    assert "A person must approve" in first
    assert "PENDING_APPROVAL" in first
    assert await tools["propose"].call(arguments) == first
    await tools["propose"].call({**arguments, "reference": "invoice 2"})
    await run_due(org)
    listed = (await org.get(TRANSFERS))["records"]
    assert [each["transferDetails"]["status"] for each in listed] == ["PENDING_APPROVAL"] * 2
    with pytest.raises(ToolRefused, match="a person starts it"):
        await tools["propose"].call({**arguments, "operation": SWAP})


@pytest.mark.parametrize("scope", [KeyScope.APPROVE, KeyScope.ADMIN])
async def test_key_that_may_approve_is_refused(
    org: Tenant, document: dict[str, Any], scope: KeyScope
) -> None:
    strong = await make_person(org, "too strong", [KeyScope.PAY, scope])
    with pytest.raises(KeyTooStrong, match="--scope pay"):
        await ApiTools(Recorder(strong), ApiOperations(document)).check_key()
    invalid = ApiTools(Recorder(replace(org, key="x" * 30)), ApiOperations(document))
    with pytest.raises(KeyTooStrong, match="401"):
        await invalid.check_key()


async def test_replies_have_no_personal_data_and_no_texts_of_customers(
    org: Tenant, document: dict[str, Any]
) -> None:
    user = await make_user(org, firstName="Ignore", lastName="Instructions")
    tools = _by_name(ApiTools(Recorder(org), ApiOperations(document)).tools(may_propose=False))
    for operation in ("users.retrieve", "users.retrieveParticulars", "kyc.retrieve"):
        arguments = {"operation": operation, "parameters": {"userId": user}}
        text = await tools["read"].call(arguments)
        assert "Ignore" not in text
        assert "@" not in text
        assert "[redacted]" in text


async def test_search_and_describe(org: Tenant, document: dict[str, Any]) -> None:
    tools = _by_name(ApiTools(Recorder(org), ApiOperations(document)).tools(may_propose=False))
    assert "offramps.list" in await tools["search_api"].call({"words": "list offramps"})
    shown = await tools["describe"].call({"operation": TRANSFER})
    assert "requireApproval" in shown
    assert "$ref" not in shown
    for arguments in ({"operation": "no.such"}, {"operation": 1}, {}):
        with pytest.raises(ToolRefused):
            await tools["describe"].call(arguments)
    for parameters in ({}, {"userId": ".."}, {"userId": 1.5}, {"userId": "a", "no": 1}, [1]):
        with pytest.raises(ToolRefused):
            await tools["read"].call({"operation": "users.retrieve", "parameters": parameters})


async def test_id_with_a_slash_reaches_no_other_operation(
    org: Tenant, document: dict[str, Any]
) -> None:
    recorder = Recorder(org)
    tools = _by_name(ApiTools(recorder, ApiOperations(document)).tools(may_propose=False))
    call = {"operation": "users.retrieve", "parameters": {"userId": f"{uuid4()}/kyc"}}
    with pytest.raises(ToolRefused, match="slash"):
        await tools["read"].call(call)
    assert not recorder.sent


async def test_refusal_reaches_the_assistant_as_text(org: Tenant, document: dict[str, Any]) -> None:
    tools = ApiTools(Recorder(org), ApiOperations(document)).tools(may_propose=False)
    server = McpServer(tools, "")
    call = (
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":'
        b'{"operation":"users.retrieve","parameters":{"userId":"unknown"}}}}'
    )
    reply = await server.answer(call)
    assert reply is not None
    assert b'"isError":true' in reply
    assert b"USER_NOT_FOUND" in reply


async def money_of(org: Tenant) -> list[str]:
    """Return what each account and house account has, held or not."""
    rows = await org.container.database.single(lambda tx: tx.fetch(_MONEY, org.org_id))
    return [row["line"] for row in rows]


async def outcome(tool: Tool, arguments: dict[str, Any]) -> str:
    """Return what the assistant reads."""
    try:
        return await tool.call(arguments)
    except ToolRefused as refusal:
        return str(refusal)


def _by_name(tools: Any) -> dict[str, Tool]:
    return {each.name: each for each in tools}


def _id(things: Things, path: str, name: str) -> str:
    return "NEW_USERS" if name == "name" else things.by_kind[kind_of(path, name)]
