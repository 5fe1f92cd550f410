"""Every operation and event has an example from a real run, which matches its schema."""

import json
import os
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from openapi_schema_validator import OAS31Validator

from landbridge.app.container import wire
from landbridge.app.openapi_document import FILE
from landbridge.app.settings import Settings
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.chain_rows import add_chain_rows, script_chain, write_chains_file
from tests.contract.examples.all_operations import (
    send_all,
    send_chain_requests,
    send_provider_verification,
    send_travel_rule_event,
)
from tests.contract.examples.recorder import Recorder, Stable, SteppingClock, shortened
from tests.contract.openapi_document import Document
from tests.customers.travel_rule.travel_world import APPLIED
from tests.platform.http.listeners import listening
from tests.providers.evm.node_server import fake_node
from tests.providers.sidecar.identity_sidecar import (
    ScriptedVerifier,
    VerifiedBySidecar,
    identity_file,
)
from tests.providers.sidecar.kit import answering
from tests.tenants import (
    SETTINGS,
    TRANSFERS,
    Tenant,
    make_tenant,
    make_user,
    served,
    transfer_body,
)

RENEW = "WRITE_EXAMPLES=1 .venv/bin/pytest -m long tests/contract/examples"
BEGIN = datetime(2026, 3, 2, 12, tzinfo=UTC)
# Of bytes or signed text, which no example can show.
BYTES = {
    *("files.download", "proofs.retrieveCheckpoint", "proofs.retrieveTransfer"),
    "proofs.retrieveReserves",
}


@pytest.mark.long
async def test_examples_are_those_of_a_run_today(tmp_path: Path, own_database: Database) -> None:
    recorder, clock = Recorder({}), SteppingClock(BEGIN, node=await take_node(own_database))
    async with recorded(own_database, clock, recorder, SETTINGS) as org:
        events = await send_all(org, clock, recorder)
    async with recorded(own_database, clock, Recorder({}), APPLIED) as org:
        events |= await send_travel_rule_event(org, clock)
    async with fake_node() as node:
        script_chain(node, at=clock.at)
        file = write_chains_file(tmp_path, node.url)
        settings = msgspec.structs.replace(
            SETTINGS, chains_file=str(file), signer_socket=str(tmp_path / "signer.sock")
        )
        async with recorded(own_database, clock, recorder, settings) as org:
            await send_chain_requests(org, await make_chain_payment(org, clock))
    sidecar = ScriptedVerifier()
    # The clock moves, and has another `at` at each answer.
    script = answering(sidecar.answer, now=lambda: clock.at.timestamp())  # noqa: PLW0108
    async with listening(script) as listener:
        file = identity_file(tmp_path, listener.port, "acme")
        settings = msgspec.structs.replace(SETTINGS, providers_file=str(file))
        async with recorded(own_database, clock, recorder, settings) as org:
            await send_provider_verification(VerifiedBySidecar(org, sidecar, "acme"))
    stable = Stable()
    operations = {
        name: {part: stable.of(shortened(each), name) for part, each in found.items()}
        for name, found in sorted(recorder.found.items())
    }
    webhooks = {name: stable.of(shortened(event), name) for name, event in sorted(events.items())}
    for name, refusal in sorted(recorder.refused.items()):
        operations.setdefault(name, {})["refusal"] = stable.of(refusal, f"{name} refused")
    operations = dict(sorted(operations.items()))
    now = json.dumps({"operations": operations, "webhooks": webhooks}, indent=1) + "\n"
    if os.environ.get("WRITE_EXAMPLES"):
        FILE.write_text(now, encoding="utf-8")
    assert now == FILE.read_text(encoding="utf-8"), f"renew the examples: {RENEW}"


@asynccontextmanager
async def recorded(
    database: Database, clock: SteppingClock, recorder: Recorder, settings: Settings
) -> AsyncGenerator[Tenant]:
    """Yield an organisation whose exchanges are recorded."""
    container = wire(settings, database, clock)
    async with served(container) as client:
        recorder.document = (await client.get("/openapi.json")).json()
        hooks, client.event_hooks = client.event_hooks, {"response": [recorder.hear]}
        yield await make_tenant(container, client)
        client.event_hooks = hooks
    for connected in (container.evm, container.providers):
        if connected is not None:
            await connected.close()


async def make_chain_payment(org: Tenant, clock: SteppingClock) -> str:
    """Create a payment with an order on the chain; return its id."""
    clock.next_minute()
    user = await make_user(org, funds="100")
    made = await org.post(TRANSFERS, transfer_body(user, await make_user(org)))
    payment = made["transferDetails"]["id"]
    await add_chain_rows(org.container.database, org.org_id, UUID(payment), clock.now())
    return payment


async def test_every_operation_and_event_has_examples(document: Document) -> None:
    for name, operation in document.operations():
        (reply,) = (each for status, each in operation["responses"].items() if status[0] == "2")
        for content in reply["content"].values():
            assert ("example" in content) == (operation["operationId"] not in BYTES), name
        for media, content in operation.get("requestBody", {}).get("content", {}).items():
            assert ("example" in content) == (media == "application/json"), name
        for each in operation.get("parameters", ()):
            assert "example" in each or not each.get("required"), (name, each["name"])
    for type_, item in document.whole["webhooks"].items():
        body = item["post"]["requestBody"]["content"]["application/json"]
        assert body["example"]["eventType"] == type_


async def test_every_operation_with_input_has_a_refusal(document: Document) -> None:
    for name, operation in document.operations():
        refusals = [
            content["example"]
            for status, each in operation["responses"].items()
            if status.startswith("4")
            for content in each["content"].values()
            if "example" in content
        ]
        takes_input = "requestBody" in operation or any(
            each["in"] != "header" for each in operation.get("parameters", ())
        )
        assert len(refusals) == takes_input, name


async def test_examples_match_their_schemas(document: Document) -> None:
    components = document.whole["components"]
    for place, described in _described(document):
        if "example" in described:
            validator = OAS31Validator({**described["schema"], "components": components})
            errors = [each.message for each in validator.iter_errors(described["example"])]
            assert errors == [], place


async def test_examples_name_only_what_there_is(document: Document) -> None:
    examples = json.loads(FILE.read_text(encoding="utf-8"))
    names = {operation["operationId"] for _, operation in document.operations()}
    assert set(examples["operations"]) == names
    assert set(examples["webhooks"]) == set(document.whole["webhooks"])


def _described(document: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each parameter and each content of an operation or webhook, with its place."""
    webhooks = document.whole["webhooks"].items()
    sent = [(name, item["post"]) for name, item in webhooks]
    for name, operation in [*document.operations(), *sent]:
        for each in operation.get("parameters", ()):
            yield f"{name} {each['name']}", each
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for body in bodies:
            for content in body.get("content", {}).values():
                yield name, content
