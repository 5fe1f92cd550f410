"""Payouts with markers in every text."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body, way
from tests.tenants import Tenant, run_due


class Send(Protocol):
    def __call__(
        self, method: str, path: str, body: Any = None, **query: str
    ) -> Awaitable[Any]: ...


async def pay_out(org: Tenant, send: Send, mark: Callable[[], str]) -> None:
    """Complete a payout with all of its texts, and send requests that are refused."""
    user = await make_payee(org)
    account = await make_account(org, user, way("us", "wire"))

    def body(**changes: Any) -> dict[str, Any]:
        return {
            **offramp_body(user, account, 10, destination={"wireMessage": mark()[:35]}),
            "description": mark(),
            "supportingDocumentType": "other_document",
            "supportingDocumentUrl": f"https://example.com/{mark()}",
            "supportingInformation": {
                "detailedPurposeOfPayment": mark(),
                "beneficiaryDetails": {"legalEntityName": mark(), "natureOfBusiness": mark()},
            },
            mark(): mark(),
            **changes,
        }

    created = (await send("POST", OFFRAMPS, body())).json()["transferDetails"]
    accepted = await send("POST", f"{OFFRAMPS}/{created['id']}/quote/accept")
    assert accepted.status_code == 200
    await run_due(org)
    assert (await send("GET", f"{OFFRAMPS}/{created['id']}")).status_code == 200
    for member in ("requestId", "purposeOfPayment", "supportingDocumentType", "requireApproval"):
        await send("POST", OFFRAMPS, body(**{member: mark()}))
    for end in ("source", "destination"):
        for member in ("userId", "currency", "amount", "accountId", "achReference"):
            wrong = body()
            wrong[end] = {**wrong[end], member: mark()}
            await send("POST", OFFRAMPS, wrong)
    fee = {"type": "FLAT", "value": mark(), "walletAddress": mark()}
    await send("POST", OFFRAMPS, body(developerFee={"fees": [fee]}))
    await send("GET", f"{OFFRAMPS}/{mark()}")
    await send("GET", OFFRAMPS, userId=mark())
