"""Sends a request of every operation in an organisation of the sandbox, to record examples.

What needs a state of its own comes first; then the scenarios of all events; then each operation
that is left, with resources of every kind; deletions last.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.developers.events.names import CATALOGUE
from landbridge.sandbox.scenarios import travel_rule
from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.event_log import EVENTS
from landbridge.sandbox.scenarios.personas import us_account
from landbridge.sandbox.scenarios.trigger import trigger
from tests import people
from tests.contract.examples.bodies import BODIES, OWNER, match_body, swap_request
from tests.contract.examples.recorder import Recorder, SteppingClock
from tests.contract.resources import (
    EXTERNAL,
    KINDS,
    QUERIES,
    Things,
    bodies,
    kind_of,
    make_approval,
    make_disbursement,
    make_things,
)
from tests.contract.travel_rule_resources import send_travel_rule_requests
from tests.onramps import make_onramp
from tests.payments.incoming_payments.incoming_payment_setup import make_held
from tests.payouts import OFFRAMPS, make_offramp, offramp_body
from tests.providers.sidecar.identity_sidecar import VerifiedBySidecar
from tests.reporting.proofs import proof_books as books
from tests.reporting.reconciliation.compared import DIFFERENCES, HALTS, make_member
from tests.resolution_team import make_person, make_resolution
from tests.sandbox.scenarios.in_process_client import client_of
from tests.tenants import Tenant, business, good, make_agreement, make_user, run_due

(TRAVEL_RULE_EVENT,) = travel_rule.SCENARIOS
_REVIEWS = "/v2/reviews/deposits"
_REPORTING = "/v2/reporting"
_WEBHOOKS = "/v2/webhooks"


async def send_all(org: Tenant, clock: SteppingClock, recorder: Recorder) -> dict[str, Any]:
    """Record an exchange of each operation that the sandbox can do; return an event of each type.

    Operations on chains need connected ones: `send_chain_requests`. So do those of providers.
    """
    recorder.is_on = False
    things = await make_things(org)
    recorder.is_on = True
    for part in (_users, _payments, _reviews, _reconciliation, _reports, _webhooks):
        clock.next_minute()
        await part(org, things)
    client = client_of(org)
    events: dict[str, Any] = {}
    for each in CATALOGUE:
        if each.type != TRAVEL_RULE_EVENT:
            clock.next_minute()
            events[each.type] = await _event(client, each.type)
    await org.container.request_log.flush()
    for method in ("GET", "PUT", "PATCH", "POST", "DELETE"):
        clock.next_minute()
        await _rest(org, recorder, things, method)
    clock.next_minute()
    await send_refused(org, things, recorder)
    return events


async def send_travel_rule_event(org: Tenant, clock: SteppingClock) -> dict[str, Any]:
    """Return an event that only happens where the operator has switched the travel rule on."""
    clock.next_minute()
    return {TRAVEL_RULE_EVENT: await _event(client_of(org), TRAVEL_RULE_EVENT)}


async def _event(client: ScenarioClient, type_: str) -> dict[str, Any]:
    _, event = await trigger(client, type_)
    found: dict[str, Any] = await client.get(f"{EVENTS}/{event.event_id}")
    del found["deliveries"]
    return found


async def send_refused(org: Tenant, things: Things, recorder: Recorder) -> None:
    """Record a refusal of each operation that takes input: what a first attempt often has wrong."""
    recorder.is_on, recorder.is_for_refusals = False, True
    for path, item in recorder.document["paths"].items():
        for method, operation in item.items():
            for at, body, query in _wrong(path, operation, things):
                await org.send(method.upper(), at, body, **query)
                if operation["operationId"] in recorder.refused:
                    break
    recorder.is_on, recorder.is_for_refusals = True, False


def _wrong(
    path: str, operation: Mapping[str, Any], things: Things
) -> Iterator[tuple[str, Any, dict[str, str | int]]]:
    """Yield requests with one fault: in the body, in the path, in the query."""
    at, parameters = _address(path, things), operation.get("parameters", ())
    if "requestBody" in operation:
        # A member of the wrong type, without which none is required.
        yield at, {}, {}
        yield at, [], {}
    if "{" in path:
        yield re.sub(r"{(\w+)}", str(UUID(int=5)), path), None, {}
    for each in (each for each in parameters if each["in"] == "query"):
        value = "" if each.get("required") else 0 if each["name"] == "limit" else "nonsense"
        yield at, None, {each["name"]: value}


def _address(path: str, things: Things) -> str:
    """Return the path with ids of resources that exist."""
    ids = {each: things.by_kind[kind_of(path, each)] for each in KINDS}
    return re.sub(r"{(\w+)}", lambda found: ids.get(found[1], "NEW_USERS"), path)


async def send_chain_requests(org: Tenant, payment: str) -> None:
    """Read the connected chains, and the orders of a payment on them."""
    await org.get("/v2/chains")
    await org.get("/v2/chains/POLYGON")
    await org.get(f"/v2/chains/orders/{payment}")


async def send_provider_verification(verified: VerifiedBySidecar) -> None:
    """Have a connected provider verify a user, who continues on its page."""
    user = f"/v2/users/{await people.make_person(verified.org)}/kyc"
    shared = {"rails": "USD", "shareToken": "eyJhbGciOiJub25lIn0"}
    await verified.org.post(f"{user}/shared-submissions", shared)
    verified.sidecar.state = "information"
    for _ in range(3):
        await verified.work(timedelta(hours=1))
    await verified.org.post(f"{user}/provider-links", {"rails": "USD"})


async def _users(org: Tenant, things: Things) -> None:
    company = (await org.post("/v2/users", business(await make_agreement(org))))["id"]
    owners = f"/v2/users/{company}/kyc/ubos"
    added = (await org.post(owners, OWNER))["id"]
    await org.get(owners)
    await org.get(f"{owners}/{added}")
    await org.post(f"{owners}/{added}", {"email": "grace@example.com"})
    reveal = {**BODIES["users.revealNumber"], "record": "OWNER", "recordId": added}
    await org.post(f"/v2/users/{company}/revealed-numbers", reveal)
    await send_travel_rule_requests(org, things.by_kind["user"], things.by_kind["address"])
    erased = f"/v2/users/{await make_user(org)}"
    await org.post(f"{erased}/freeze", BODIES["users.freeze"])
    await org.send("DELETE", f"{erased}/personal-data")


async def _payments(org: Tenant, things: Things) -> None:
    user = things.by_kind["user"]
    swap = await org.post("/v2/wallets/swaps", swap_request(user))
    path = f"/v2/wallets/swaps/{swap['transferDetails']['id']}"
    await org.post(f"{path}/accept")
    await org.get(path)
    await org.get("/v2/wallets/swaps", limit=1)
    await org.get("/v2/requests/" + swap["transferDetails"]["requestId"])
    await books.checkpoint(org)
    await org.send("GET", f"/v2/proofs/transfers/{swap['transferDetails']['id']}")
    await org.send("GET", "/v2/proofs/checkpoint")
    wallet = await org.post(f"/v2/users/{user}/wallets/external", {**EXTERNAL, "chain": "BASE"})
    await org.get(f"/v2/users/{user}/wallets/external/{wallet['id']}")
    # First, so that it is the example: one that a newcomer can send, as in First offramp.
    account = await org.post(f"/v2/users/{user}/accounts", us_account("wire"))
    await make_offramp(org, user, account["id"], 10)
    await make_disbursement(org, things.by_kind["account"], things.by_kind["external"])
    for verb in ("approve", "reject"):
        path = f"/v2/transfer-approvals/{await make_approval(org, user)}/{verb}"
        await org.post(path, BODIES[f"transferApprovals.{verb}"])
    onramp = await make_onramp(org, user, is_accepted=False)
    await org.post(f"/v2/onramps/{onramp['id']}/quote/refresh")
    reviewed = await make_onramp(org, user)
    path = f"/v2/reviews/transfers/{reviewed['id']}/rfi"
    await org.post(path, BODIES["transferReviews.openRfi"])
    await org.get("/v2/reviews/transfers", limit=1)
    await org.post(f"{path}/answer", BODIES["transferReviews.answerRfi"])
    await org.post(f"{path}/close", BODIES["transferReviews.closeRfi"])
    body = offramp_body(user, things.by_kind["account"], 1, destination={"currency": "brl"})
    headers = {**org.headers, "Landbridge-Sandbox": "quote=expire"}
    expired = good(await org.client.post(OFFRAMPS, json=body, headers=headers))["transferDetails"]
    await run_due(org)
    await org.post(f"{OFFRAMPS}/{expired['id']}/quote/renew")


async def _reviews(org: Tenant, things: Things) -> None:
    await org.get(_REVIEWS, limit=1)
    held = things.by_kind["held deposit"]
    await org.get(f"{_REVIEWS}/{held}")
    returned = str((await make_held(org)).id)
    await org.post(f"{_REVIEWS}/{returned}/return", BODIES["depositReviews.return"])
    await org.post(f"{_REVIEWS}/{returned}/settle", BODIES["depositReviews.settle"])
    await org.post(f"{_REVIEWS}/{held}/match", match_body(things))
    await make_resolution(org)


async def _reconciliation(org: Tenant, things: Things) -> None:
    path = f"{DIFFERENCES}/{things.by_kind['difference']}"
    await org.post(f"{path}/assign", {"memberId": str(await make_member(org))})
    second = await make_person(org, "second")
    for verb, key in (("resolve", org), ("reject", second), ("resolve", org), ("accept", second)):
        await key.post(f"{path}/{verb}", BODIES[f"reconciliation.{verb}Difference"])
    await org.get(path)
    path = f"/v2/reconciliation/closes/{things.by_kind['close']}"
    rejected = await second.post(f"{path}/reject", BODIES["reconciliation.rejectClose"])
    day = {"day": rejected["day"]} | BODIES["reconciliation.signClose"]
    signed = await org.post("/v2/reconciliation/closes", day)
    path = f"/v2/reconciliation/closes/{signed['close']['id']}"
    await second.post(f"{path}/confirm", {"digest": signed["close"]["digest"]})
    await org.get(path)
    await books.checkpoint(org)
    proof = f"/v2/proofs/reserves/{signed['close']['id']}"
    await org.send("GET", proof, userId=things.by_kind["user"])
    path = f"{HALTS}/{things.by_kind['halt']}"
    await org.post(f"{path}/lift", BODIES["reconciliation.liftHalt"])
    await second.post(f"{path}/reject", BODIES["reconciliation.rejectLift"])
    await org.post(f"{path}/lift", BODIES["reconciliation.liftHalt"])
    await second.post(f"{path}/accept", BODIES["reconciliation.acceptLift"])


async def _reports(org: Tenant, things: Things) -> None:
    templates = f"{_REPORTING}/templates"
    body = BODIES["reportTemplates.create"]
    own = f"{templates}/{body['name']}"
    await org.send("POST", templates, body)
    schedule = {**BODIES["reportSchedules.create"], "template": body["name"]}
    created = (await org.send("POST", f"{_REPORTING}/schedules", schedule)).json()["data"]
    await org.send("POST", own, {**BODIES["reportTemplates.update"]})
    path = f"{_REPORTING}/schedules/{created['id']}"
    await org.post(path, {"templateVersion": 1})
    await org.send("DELETE", path)
    await org.send("DELETE", own)
    await org.get(f"{_REPORTING}/params/transactionTypes/options")
    await org.get(
        f"{_REPORTING}/statements",
        userId=things.by_kind["user"],
        createdAfter="2026-02-01",
        createdBefore="2026-03-01",
    )


async def _webhooks(org: Tenant, things: Things) -> None:
    del things
    created = await org.post(_WEBHOOKS, BODIES["webhooks.create"])
    path = f"{_WEBHOOKS}/{created['id']}"
    await org.get(path)
    await org.get(_WEBHOOKS, limit=1)
    await org.send("PATCH", path, BODIES["webhooks.update"])
    await org.send("DELETE", path)


async def _rest(org: Tenant, recorder: Recorder, things: Things, method: str) -> None:
    """Send what was not recorded before, by this method."""
    paths: Mapping[str, Any] = recorder.document["paths"]
    for path, item in paths.items():
        operation = item.get(method.lower(), {})
        name = operation.get("operationId", "")
        if not name or name in recorder.found:
            continue
        route = f"{method} {path}"
        at = _address(path, things)
        query: dict[str, Any] = {k: v for k, v in QUERIES.get(route, {}).items() if v}
        if name == "requestLog.list":
            query["xRequestId"] = things.by_kind["x request"]
        if any(each["name"] == "limit" for each in operation.get("parameters", ())):
            query["limit"] = 1
        body = BODIES.get(name, bodies(things).get(route)) if "requestBody" in operation else None
        if name == "files.create":
            file = ("passport.pdf", b"%PDF-1.7\n%%EOF")
            await org.client.post(path, files={"file": file}, headers=org.headers)
        else:
            await org.send(method, at, body, **query)
