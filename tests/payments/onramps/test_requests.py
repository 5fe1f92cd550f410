"""Invalid requests for an onramp, and users who may not create one."""

from itertools import product
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.payments.onramps.request import NewOnramp
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rails.none import NoRails
from tests.onramps import ONRAMPS, make_african_account, make_onramp, make_payer, onramp_body
from tests.tenants import SETTINGS, Tenant, make_user, refusal, sentence

INVALID: list[tuple[dict[str, Any], str]] = [
    ({"source": {"amount": None}}, "source.amount"),
    ({"destination": {"amount": 5}}, "source.amount"),
    ({"source": {"amount": 0}}, "source.amount"),
    ({"source": {"amount": -1}}, "source.amount"),
    ({"source": {"amount": "1.001"}}, "source.amount"),
    ({"source": {"amount": "1e40"}}, "source.amount"),
    ({"source": {"amount": True}}, "source.amount"),
    ({"source": {"amount": None}, "destination": {"amount": "0.0000001"}}, "destination"),
    ({"source": {"transferType": "rtp"}}, "source.transferType"),
    ({"source": {"currency": None}}, "source.currency"),
    ({"source": {"userId": "me"}}, "source.userId"),
    ({"destination": {"chain": "TRON"}}, "destination.chain"),
    ({"purposeOfPayment": "fun"}, "purposeOfPayment"),
    ({"isInstant": "yes"}, "isInstant"),
    ({"requestId": None}, "requestId"),
    ({"fee": {"type": "FIX", "value": 100}}, "source.amount"),
    ({"fee": {"type": "FIX", "value": -1}}, "fee.value"),
    ({"fee": {"type": "FIX", "value": "0.001"}}, "fee.value"),
    ({"fee": {"type": "PERCENT", "value": 1}}, "fee.value"),
    ({"fee": {"type": "PERCENT", "value": -0.1}}, "fee.value"),
    ({"fee": {"type": "PERCENT", "value": "0.0000001"}}, "fee.value"),
    ({"fee": {"type": "SHARE", "value": 1}}, "fee.type"),
    ({"fee": {"type": "FIX"}}, "fee.value"),
]


async def test_invalid_input_is_refused_by_name(org: Tenant, subtests: pytest.Subtests) -> None:
    user = await make_payer(org)
    for changes, field in INVALID:
        with subtests.test(changes=changes):
            parties = {name: changes[name] for name in ("source", "destination") if name in changes}
            body = onramp_body(user, **parties)
            body |= {name: each for name, each in changes.items() if name not in parties}
            sent = {name: each for name, each in body.items() if each is not None}
            answer = await org.send("POST", ONRAMPS, sent)
            assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
            assert field in sentence(answer)


async def test_african_currency_needs_an_account_and_a_purpose(org: Tenant) -> None:
    user = await make_payer(org, Rail.AFRICA_NIGERIA, Rail.AFRICA_GENERAL, Rail.USD)
    account = await make_african_account(org, user, "ngn", "NGA")
    other = await make_african_account(org, user, "ugx", "UGA")
    source = {"currency": "ngn", "accountId": account}
    good = onramp_body(user, 5000, source=source, purposeOfPayment="gift")
    for body, expected in [
        (onramp_body(user, source=source), "400 FIELD_VALIDATION_ERROR"),
        (
            onramp_body(user, source={"currency": "ngn"}, purposeOfPayment="gift"),
            "400 FIELD_VALIDATION_ERROR",
        ),
        (
            onramp_body(user, source={**source, "accountId": other}, purposeOfPayment="gift"),
            "400 INVALID_ACCOUNT_FOR_TRANSACTION",
        ),
        (
            onramp_body(
                user, source={**source, "accountId": str(uuid4())}, purposeOfPayment="gift"
            ),
            "404 ACCOUNT_NOT_FOUND",
        ),
    ]:
        assert await org.refused("POST", ONRAMPS, body) == expected
    await org.post(ONRAMPS, good)
    assert (await org.send("DELETE", f"/v2/users/{user}/accounts/{account}")).status_code == 200
    again = onramp_body(user, 5000, source=source, purposeOfPayment="gift")
    assert await org.refused("POST", ONRAMPS, again) == "409 INACTIVE_ACCOUNT"
    # A record created earlier is returned unchanged.
    assert (await org.post(ONRAMPS, good))["transferDetails"]["status"] == "OPEN_QUOTE"


async def test_the_payer_must_be_verified_on_the_rail_of_the_currency(org: Tenant) -> None:
    outsider, payer = await make_user(org), await make_payer(org)
    assert (
        await org.refused("POST", ONRAMPS, onramp_body(outsider))
        == "403 USER_COMPLIANCE_VERIFICATION_FAILED"
    )
    body = onramp_body(payer, source={"currency": "brl", "transferType": None})
    assert await org.refused("POST", ONRAMPS, body) == "403 USER_COMPLIANCE_VERIFICATION_FAILED"


async def test_users_and_wallets_must_be_there(org: Tenant, other_org: Tenant) -> None:
    user, theirs = await make_payer(org), await make_payer(other_org)
    missing = str(uuid4())
    for body, expected in [
        (onramp_body(missing), "404 USER_NOT_FOUND"),
        (onramp_body(theirs), "404 USER_NOT_FOUND"),
        (onramp_body(user, destination={"userId": theirs}), "404 USER_NOT_FOUND"),
        (onramp_body(user, destination={"chain": "SOLANA"}), "404 WALLET_NOT_FOUND"),
        (onramp_body(user, destination={"externalWalletId": missing}), "404 WALLET_NOT_FOUND"),
        (
            onramp_body(user, destination={"userId": user, "externalWalletId": missing}),
            "400 FIELD_VALIDATION_ERROR",
        ),
    ]:
        assert await org.refused("POST", ONRAMPS, body) == expected
    await org.post(f"/v2/users/{user}/freeze", {})
    assert await org.refused("POST", ONRAMPS, onramp_body(user)) == "403 USER_FROZEN"


async def test_unknown_onramp_is_not_found(org: Tenant, other_org: Tenant) -> None:
    onramp = await make_onramp(other_org, await make_payer(other_org), is_accepted=False)
    verbs = [
        ("GET", ""),
        ("POST", "/quote/accept"),
        ("POST", "/quote/refresh"),
        ("POST", "/cancel"),
    ]
    for (method, verb), onramp_id in product(verbs, [onramp["id"], str(uuid4()), "7"]):
        path = f"{ONRAMPS}/{onramp_id}{verb}"
        assert await org.refused(method, path) == "404 TRANSACTION_NOT_FOUND"


async def test_without_a_bank_no_money_can_come_in(org: Tenant, database: Database) -> None:
    container = wire(SETTINGS, database, Clock(await take_node(database)), rails=NoRails())
    user = await make_payer(org)
    body = msgspec.convert(onramp_body(user), NewOnramp)
    with pytest.raises(RouteInvalid, match="no connected bank serves usd"):
        await container.onramps.create(org.caller, body)
