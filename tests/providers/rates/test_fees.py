"""An organisation's own fee replaces the fee of any price, by pair and direction."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest

from landbridge.platform.changes.service import history
from landbridge.platform.core.errors import FieldInvalid, RoleNotAllowed
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Rate
from landbridge.platform.http.caller import MemberRole, SignedInMember
from landbridge.providers.rates.fees import PERCENT_MAX, CurrencyPair
from landbridge.providers.rates.port import Price
from landbridge.providers.rates.sandbox import PAR
from tests.onramps import (
    ONRAMPS,
    check_books,
    make_onramp,
    make_payer,
    onramp_body,
    receive,
    retrieve,
    settle,
)
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.tenants import SWAPS, Tenant, held, make_swap, make_user, swap_body

SWAP = CurrencyPair("usdc", "usdt")


async def keep(org: Tenant, way: CurrencyPair, percent: str) -> bool:
    return await org.container.pair_fees.set_for(
        org.caller, way, percent, at=org.container.clock.stamp()
    )


async def price_of(org: Tenant, way: CurrencyPair) -> Price:
    found = await org.container.prices.price(
        org.org_id, source_currency=way.source, destination_currency=way.destination
    )
    assert found is not None
    return found


async def test_a_fee_counts_in_its_direction_and_its_organisation(
    org: Tenant, other_org: Tenant
) -> None:
    assert await keep(org, SWAP, "0.25")
    assert await price_of(org, SWAP) == replace(PAR, fee_fraction=Decimal("0.0025"))
    assert await price_of(org, CurrencyPair("usdt", "usdc")) == PAR
    assert await price_of(other_org, SWAP) == PAR
    assert await org.container.pair_fees.remove_for(
        org.caller, SWAP, at=org.container.clock.stamp()
    )
    assert await price_of(org, SWAP) == PAR


async def test_a_fee_counts_before_that_of_a_price_that_was_set(org: Tenant) -> None:
    way, at = CurrencyPair("usdc", "brl"), org.container.clock.stamp()
    price = Price(Rate(Decimal("5.4")), Decimal("0.01"), None)
    await keep(org, way, "0")
    await org.container.prices.set_price(
        org.org_id,
        source_currency=way.source,
        destination_currency=way.destination,
        price=price,
        at=at,
    )
    assert await price_of(org, way) == replace(price, fee_fraction=Decimal(0), as_of=at)
    # Changing one of the two leaves the other unchanged.
    await keep(org, way, str(PERCENT_MAX))
    assert await price_of(org, way) == replace(price, fee_fraction=Decimal("0.1"), as_of=at)
    await org.container.pair_fees.remove_for(org.caller, way, at=at)
    assert await price_of(org, way) == replace(price, as_of=at)


async def test_a_swap_keeps_the_fee_and_the_ledger_balances(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    before = await make_swap(org, user, amount="10")
    await keep(org, SWAP, "2.5")
    swap = await make_swap(org, user, amount="10")
    assert swap["quoteInformation"]["sendNet"]["amount"] == "9.75"
    assert swap["quoteInformation"]["receiveNet"]["amount"] == "9.75"
    # An open quote keeps its own fee.
    for each, received in ((before, "9.99"), (swap, "9.75")):
        done = (await org.post(f"{SWAPS}/{each['id']}/accept"))["transferDetails"]
        assert done["status"] == "COMPLETED"
        assert done["quoteInformation"]["receiveNet"]["amount"] == received
    assert Decimal(await held(org, user)) == 80


async def test_onramps_and_offramps_keep_it_too(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    await keep(org, CurrencyPair("usdc", "usd"), "1")
    await keep(org, CurrencyPair("usd", "usdc"), "2")
    out = await org.post(OFFRAMPS, offramp_body(user, account, 10))
    into = await org.post(ONRAMPS, onramp_body(user, 10, destination={"userId": user}))
    for created, sent in ((out, "9.9"), (into, "9.8")):
        quote = created["transferDetails"]["quoteInformation"]
        assert Decimal(quote["receiveNet"]["amount"]) == Decimal(sent), quote


async def test_the_fee_is_added_to_a_requests_own_fee(org: Tenant) -> None:
    user = await make_payer(org)
    await keep(org, CurrencyPair("usd", "usdc"), "2")
    fee = {"type": "PERCENT", "value": 0.01}
    onramp = await make_onramp(org, user, 100, is_accepted=False, fee=fee)
    assert onramp["quoteInformation"]["sendNet"]["amount"] == "97"
    await keep(org, CurrencyPair("usd", "usdc"), "10")
    refreshed = await org.post(f"{ONRAMPS}/{onramp['id']}/quote/refresh")
    assert refreshed["transferDetails"]["quoteInformation"]["sendNet"]["amount"] == "89"


async def test_deposits_on_virtual_accounts_keep_it(org: Tenant) -> None:
    account = await make_virtual_account(org, await make_payer(org))
    await keep(org, CurrencyPair("usd", "usdc"), "10")
    number = account["depositInstructions"]["wire"]["accountNumber"]
    receipt = await receive(org, account_number=number, amount="100")
    await settle(org)
    created = await retrieve(org, {"id": str(derived_id(receipt.id, "onramp"))})
    assert (created["status"], created["destination"]["amount"]) == ("COMPLETED", 90)
    await check_books(org)


@pytest.mark.parametrize(
    ("percent", "words"),
    [
        ("10.000001", "from 0 to 10 per cent"),
        ("-0.1", "fee"),
        ("0.1234567", "more than 6 decimals"),
        ("0,25", "not a plain decimal"),
        ("1e-3", "not a plain decimal"),
        ("NaN", "fee"),
        ("", "fee"),
        ("٣", "not a plain decimal"),
        ("9" * 300, "fee"),
    ],
)
async def test_an_invalid_fee_is_rejected(org: Tenant, percent: str, words: str) -> None:
    with pytest.raises(FieldInvalid, match="fee") as refused:
        await keep(org, SWAP, percent)
    assert words in str(refused.value)
    assert refused.value.field == "fee"
    assert not await org.container.pair_fees.all(org.org_id)


@pytest.mark.parametrize(
    "way",
    [
        CurrencyPair("usd", "eur"),
        CurrencyPair("usdc", "usdc"),
        CurrencyPair("usd-hka", "usdc"),
        CurrencyPair("x" * 99, "usdc"),
    ],
)
async def test_an_unknown_pair_has_no_fee(org: Tenant, way: CurrencyPair) -> None:
    with pytest.raises(FieldInvalid, match="is no pair") as refused:
        await keep(org, way, "1")
    assert refused.value.field == "destination"
    with pytest.raises(FieldInvalid):
        await org.container.pair_fees.remove_for(org.caller, way, at=org.container.clock.stamp())


@pytest.mark.parametrize("role", [MemberRole.MEMBER, MemberRole.ANALYST])
async def test_only_admins_set_fees(org: Tenant, role: MemberRole) -> None:
    caller = replace(org.caller, member=SignedInMember(org.org_id, role))
    at = org.container.clock.stamp()
    with pytest.raises(RoleNotAllowed):
        await org.container.pair_fees.set_for(caller, SWAP, "1", at=at)
    with pytest.raises(RoleNotAllowed):
        await org.container.pair_fees.remove_for(caller, SWAP, at=at)


async def test_each_change_is_recorded_once(org: Tenant) -> None:
    assert await keep(org, SWAP, "0.25")
    assert not await keep(org, SWAP, "0.250")
    set_at_once = await asyncio.gather(*(keep(org, SWAP, "1") for _ in range(8)))
    assert sum(set_at_once) == 1
    at = org.container.clock.stamp()
    deletions = await asyncio.gather(
        *(org.container.pair_fees.remove_for(org.caller, SWAP, at=at) for _ in range(8))
    )
    assert sum(deletions) == 1
    object_id = derived_id(org.org_id, "fee/usdc/usdt")
    changes = await org.container.database.single(lambda tx: history(tx, org.org_id, [object_id]))
    facts = [(each.change_type, (each.facts or {}).get("fee")) for each in changes[object_id]]
    assert facts == [("set", "0.0025"), ("set", "0.01"), ("remove", None)]
    assert {each.actor for each in changes[object_id]} == {org.caller.actor}
    page = await org.get("/v2/audit-log", kind="FEE", actorType="key")
    assert [each["what"] for each in page["entries"]] == ["remove", "set", "set"]
    assert page["entries"][1]["facts"]["fee"] == "0.01"


async def test_fees_read_together_are_separate(org: Tenant, other_org: Tenant) -> None:
    await keep(org, SWAP, "3")
    await keep(other_org, CurrencyPair("usdt", "usdc"), "4")
    queries = [
        (each, way)
        for each in (org, other_org) * 4
        for way in (SWAP, CurrencyPair("usdt", "usdc"), CurrencyPair("usdc", "usdg"))
    ]
    found = await asyncio.gather(*(price_of(each, way) for each, way in queries))
    for (each, way), price in zip(queries, found, strict=True):
        if each is org:
            expected = "0.03" if way == SWAP else "0.001"
        else:
            expected = "0.04" if way == CurrencyPair("usdt", "usdc") else "0.001"
        assert price.fee_fraction == Decimal(expected)


async def test_a_dry_run_shows_the_fee(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    await keep(org, SWAP, "5")
    tried = await org.post(f"{SWAPS}?dryRun=true", swap_body(user, "10"))
    assert tried["transferDetails"]["quoteInformation"]["sendNet"]["amount"] == "9.5"
    lines = [line for each in tried["dryRun"]["journals"] for line in each["postings"]]
    assert [line["available"] for line in lines if line["account"] == "FEES"] == ["0.5"]
