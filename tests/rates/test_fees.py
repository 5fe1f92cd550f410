"""An organisation's own fee counts before the fee of any price, pair by pair and way by way."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest

from landbridge.changes.service import history
from landbridge.core.errors import FieldInvalid, RoleNotAllowed
from landbridge.core.ids import derived_id
from landbridge.core.money import Rate
from landbridge.rates.fees import PERCENT_MAX, Way
from landbridge.rates.port import Price
from landbridge.rates.sandbox import PAR
from landbridge.web.caller import Member, Role
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
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.tenants import SWAPS, Tenant, held, make_swap, make_user, swap_body
from tests.virtual_accounts.made import make_account as make_virtual_account

SWAP = Way("usdc", "usdt")


async def keep(org: Tenant, way: Way, percent: str) -> bool:
    return await org.house.fees.set_for(org.caller, way, percent, at=org.house.clock.stamp())


async def price_of(org: Tenant, way: Way) -> Price:
    found = await org.house.prices.price(
        org.org_id, source_currency=way.source, destination_currency=way.destination
    )
    assert found is not None
    return found


async def test_a_fee_counts_in_its_direction_and_its_organisation(
    org: Tenant, other_org: Tenant
) -> None:
    assert await keep(org, SWAP, "0.25")
    assert await price_of(org, SWAP) == replace(PAR, fee_fraction=Decimal("0.0025"))
    assert await price_of(org, Way("usdt", "usdc")) == PAR
    assert await price_of(other_org, SWAP) == PAR
    assert await org.house.fees.remove_for(org.caller, SWAP, at=org.house.clock.stamp())
    assert await price_of(org, SWAP) == PAR


async def test_a_fee_counts_before_that_of_a_price_that_was_set(org: Tenant) -> None:
    way, at = Way("usdc", "brl"), org.house.clock.stamp()
    price = Price(Rate(Decimal("5.4")), Decimal("0.01"), None)
    await keep(org, way, "0")
    await org.house.prices.set_price(
        org.org_id,
        source_currency=way.source,
        destination_currency=way.destination,
        price=price,
        at=at,
    )
    assert await price_of(org, way) == replace(price, fee_fraction=Decimal(0), as_of=at)
    # Whichever of the two is set again, the other stays.
    await keep(org, way, str(PERCENT_MAX))
    assert await price_of(org, way) == replace(price, fee_fraction=Decimal("0.1"), as_of=at)
    await org.house.fees.remove_for(org.caller, way, at=at)
    assert await price_of(org, way) == replace(price, as_of=at)


async def test_a_swap_keeps_the_fee_and_the_books_balance(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    before = await make_swap(org, user, amount="10")
    await keep(org, SWAP, "2.5")
    swap = await make_swap(org, user, amount="10")
    assert swap["quoteInformation"]["sendNet"]["amount"] == "9.75"
    assert swap["quoteInformation"]["receiveNet"]["amount"] == "9.75"
    # A quote that was open keeps its own.
    for each, received in ((before, "9.99"), (swap, "9.75")):
        done = (await org.post(f"{SWAPS}/{each['id']}/accept"))["transferDetails"]
        assert done["status"] == "COMPLETED"
        assert done["quoteInformation"]["receiveNet"]["amount"] == received
    assert Decimal(await held(org, user)) == 80


async def test_onramps_and_offramps_keep_it_too(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    await keep(org, Way("usdc", "usd"), "1")
    await keep(org, Way("usd", "usdc"), "2")
    out = await org.post(OFFRAMPS, offramp_body(user, account, 10))
    into = await org.post(ONRAMPS, onramp_body(user, 10, destination={"userId": user}))
    for made, sent in ((out, "9.9"), (into, "9.8")):
        quote = made["transferDetails"]["quoteInformation"]
        assert Decimal(quote["receiveNet"]["amount"]) == Decimal(sent), quote


async def test_it_comes_besides_what_a_request_names(org: Tenant) -> None:
    user = await make_payer(org)
    await keep(org, Way("usd", "usdc"), "2")
    fee = {"type": "PERCENT", "value": 0.01}
    onramp = await make_onramp(org, user, 100, is_accepted=False, fee=fee)
    assert onramp["quoteInformation"]["sendNet"]["amount"] == "97"
    await keep(org, Way("usd", "usdc"), "10")
    refreshed = await org.post(f"{ONRAMPS}/{onramp['id']}/quote/refresh")
    assert refreshed["transferDetails"]["quoteInformation"]["sendNet"]["amount"] == "89"


async def test_deposits_on_virtual_accounts_keep_it(org: Tenant) -> None:
    account = await make_virtual_account(org, await make_payer(org))
    await keep(org, Way("usd", "usdc"), "10")
    number = account["depositInstructions"]["wire"]["accountNumber"]
    receipt = await receive(org, account_number=number, amount="100")
    await settle(org)
    made = await retrieve(org, {"id": str(derived_id(receipt.id, "onramp"))})
    assert (made["status"], made["destination"]["amount"]) == ("COMPLETED", 90)
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
async def test_a_fee_that_can_not_be_is_refused(org: Tenant, percent: str, words: str) -> None:
    with pytest.raises(FieldInvalid, match="fee") as refused:
        await keep(org, SWAP, percent)
    assert words in str(refused.value)
    assert refused.value.field == "fee"
    assert not await org.house.fees.all(org.org_id)


@pytest.mark.parametrize(
    "way",
    [Way("usd", "eur"), Way("usdc", "usdc"), Way("usd-hka", "usdc"), Way("x" * 99, "usdc")],
)
async def test_what_is_no_pair_has_no_fee(org: Tenant, way: Way) -> None:
    with pytest.raises(FieldInvalid, match="is no pair") as refused:
        await keep(org, way, "1")
    assert refused.value.field == "destination"
    with pytest.raises(FieldInvalid):
        await org.house.fees.remove_for(org.caller, way, at=org.house.clock.stamp())


@pytest.mark.parametrize("role", [Role.MEMBER, Role.ANALYST])
async def test_only_admins_set_fees(org: Tenant, role: Role) -> None:
    caller = replace(org.caller, member=Member(org.org_id, role))
    at = org.house.clock.stamp()
    with pytest.raises(RoleNotAllowed):
        await org.house.fees.set_for(caller, SWAP, "1", at=at)
    with pytest.raises(RoleNotAllowed):
        await org.house.fees.remove_for(caller, SWAP, at=at)


async def test_what_changes_is_told_once(org: Tenant) -> None:
    assert await keep(org, SWAP, "0.25")
    assert not await keep(org, SWAP, "0.250")
    set_at_once = await asyncio.gather(*(keep(org, SWAP, "1") for _ in range(8)))
    assert sum(set_at_once) == 1
    at = org.house.clock.stamp()
    gone = await asyncio.gather(
        *(org.house.fees.remove_for(org.caller, SWAP, at=at) for _ in range(8))
    )
    assert sum(gone) == 1
    object_id = derived_id(org.org_id, "fee/usdc/usdt")
    told = await org.house.database.single(lambda tx: history(tx, org.org_id, [object_id]))
    facts = [(each.what, (each.facts or {}).get("fee")) for each in told[object_id]]
    assert facts == [("set", "0.0025"), ("set", "0.01"), ("remove", None)]
    assert {each.actor for each in told[object_id]} == {org.caller.actor}
    page = await org.get("/v2/audit-log", kind="FEE", actorType="key")
    assert [each["what"] for each in page["entries"]] == ["remove", "set", "set"]
    assert page["entries"][1]["facts"]["fee"] == "0.01"


async def test_fees_looked_up_together_are_each_ones_own(org: Tenant, other_org: Tenant) -> None:
    await keep(org, SWAP, "3")
    await keep(other_org, Way("usdt", "usdc"), "4")
    asked = [
        (each, way)
        for each in (org, other_org) * 4
        for way in (SWAP, Way("usdt", "usdc"), Way("usdc", "usdg"))
    ]
    found = await asyncio.gather(*(price_of(each, way) for each, way in asked))
    for (each, way), price in zip(asked, found, strict=True):
        if each is org:
            wanted = "0.03" if way == SWAP else "0.001"
        else:
            wanted = "0.04" if way == Way("usdt", "usdc") else "0.001"
        assert price.fee_fraction == Decimal(wanted)


async def test_a_dry_run_shows_the_fee(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    await keep(org, SWAP, "5")
    tried = await org.post(f"{SWAPS}?dryRun=true", swap_body(user, "10"))
    assert tried["transferDetails"]["quoteInformation"]["sendNet"]["amount"] == "9.5"
    lines = [line for each in tried["dryRun"]["journals"] for line in each["postings"]]
    assert [line["available"] for line in lines if line["account"] == "FEES"] == ["0.5"]
