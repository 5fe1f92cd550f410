"""Submissions and reviews with a marker in every text, good and refused; for the canaries."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx2

from tests.people import make_person
from tests.tenants import Tenant

Send = Callable[[str, str, Any], Awaitable[httpx2.Response]]
Mark = Callable[[], str]

QUEUE = "/v2/reviews/kyc"


async def review(org: Tenant, send: Send, mark: Mark) -> None:
    """Submit a person for review, and decide with valid and invalid bodies."""
    user = await make_person(org, last_name="Review", firstName=mark(), middleName=mark())
    path = f"/v2/users/{user}/kyc"
    for rails in (mark(), [mark()], {mark(): mark()}):
        await send("POST", f"{path}/submissions", {"rails": rails})
    for name in ("rails", "status", "userId", "userName", "userEmail", "createdAfter"):
        await send("GET", f"/v2/kyc/status?{name}={mark()}", None)
    await send("GET", f"{path}/status?rails={mark()}", None)
    await send("GET", f"{QUEUE}?status={mark()}", None)
    await send("GET", f"{QUEUE}/{mark()}", None)
    decisions: list[dict[str, Any]] = [
        {"decision": "retry", "rejectReasons": [mark()]},
        {"decision": "requestInformation"},
        {"decision": "approve"},
        {"decision": "revoke", "rejectReasons": [mark()]},
    ]
    for decision in decisions:
        await send("POST", f"{path}/submissions", {"rails": "USD"})
        queue = await org.get(
            QUEUE, status="MANUAL_REVIEW,INCOMPLETE,RFI_PENDING,ACTIVE", limit=100
        )
        (case,) = (each for each in queue["reviews"] if each["user"]["id"] == user)
        at = f"{QUEUE}/{case['id']}"
        await send("POST", at, {"decision": mark(), "fields": [mark()], mark(): mark()})
        await send("POST", at, {"decision": "retry", "fields": [mark()]})
        await send("POST", at, {"decision": "retry", "documents": [{"id": mark()}]})
        body = {**decision, "comment": mark(), "note": mark()}
        assert (await send("POST", at, body)).status_code == 200
        await send("GET", f"{path}/status", None)
        await send("GET", at, None)
