"""Payments as they were: quotes made anew, approvals, reviews, what came from outside, erasure."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from landbridge.approvals.model import Policy
from landbridge.core.ids import derived_id, new_id
from landbridge.core.money import Rate
from landbridge.core.tries import key_of_try
from landbridge.db.pool import Database
from landbridge.flows.wallet_transfers.model import KIND as TRANSFER
from landbridge.rates.port import Price
from tests.forced import PATHS, Cast, make_cast
from tests.onramps import make_onramp, now, receive, settle
from tests.payouts import OUTSIDE, make_account, make_offramp, make_payee, offramp_body
from tests.properties.tale import accept_verb
from tests.tenants import (
    Tenant,
    batch_body,
    fund,
    good,
    held,
    make_transfer,
    make_user,
    register,
)
from tests.virtual_accounts.made import at, percentage, rule_body
from tests.virtual_accounts.made import make_account as make_virtual_account

from .watching import Watch, Watching, watching

ASKING = ("WALLET.TRANSFER", "WALLET.TRANSFER.BATCH", "WALLET.BRIDGE", "OFFRAMP")
CREATED = {"OFFRAMP": "OFFRAMP.TRANSACTION.CREATE"}


@pytest.fixture
async def seen(org: Tenant, database: Database) -> AsyncIterator[Watching]:
    async with watching(org, database) as seen:
        yield seen


async def _price(seen: Watching, source: str, destination: str, rate: str) -> None:
    await seen.org.house.prices.set_price(
        seen.org.org_id,
        source_currency=source,
        destination_currency=destination,
        price=Price(Rate(Decimal(rate)), Decimal(0), None),
        at=await now(seen.org),
    )


async def _vote(watch: Watch, *, yes: bool, comment: str) -> None:
    """As another key each time."""
    house, org = watch.org.house, watch.org
    (approval,) = (await house.approvals.of(org.org_id, [watch.id])).values()
    voter = replace(org.caller, key_id=new_id(), can_approve=True)
    vote = house.voting.approve if yes else house.voting.reject
    await vote(voter, approval.id, comment)


async def _ask(seen: Watching, cast: Cast, kind: str) -> Watch:
    """One that waits for two admins."""
    policy = Policy(threshold=2)
    org = seen.org
    await org.house.approvals.set_policy(org.org_id, policy, actor="test", at=await now(org))
    body = {**cast.body(kind), "requireApproval": True}
    watch = seen.notes.watch(org, kind, (await org.post(PATHS[kind], body))["transferDetails"])
    await watch.note()
    return watch


def _approval(data: Any) -> Any:
    told = data["transferDetails"]
    return told["receipt"]["approval"] if "batch" in told["destination"] else told["approval"]


async def test_a_quote_that_is_made_anew_leaves_those_before_it_as_they_were(
    seen: Watching,
) -> None:
    cast = await make_cast(seen.org)
    await _price(seen, "usd", "usdc", "0.5")
    made = await make_onramp(seen.org, cast.payer, 10, is_accepted=False)
    watch = seen.notes.watch(seen.org, "ONRAMP", made)
    await watch.note()
    for rate in ("0.25", "2"):
        await _price(seen, "usd", "usdc", rate)
        await seen.org.post(f"{PATHS['ONRAMP']}/{watch.id}/quote/refresh")
        await watch.note()
    await seen.org.post(f"{PATHS['ONRAMP']}/{watch.id}/quote/accept")
    types = await watch.check()
    # A quote in another's place is no news: the same status as before.
    assert types == [
        "ONRAMP.TRANSACTION.CREATE",
        "ONRAMP.STATUS.OPEN_QUOTE",
        "ONRAMP.STATUS.AWAITING_FUNDS",
    ]
    shown = [each["transferDetails"] for each in await watch.shown(await watch.events())]
    assert [each["destination"]["amount"] for each in shown] == [5, 5, 20]
    assert [each["status"] for each in shown] == ["CREATED", "OPEN_QUOTE", "AWAITING_FUNDS"]
    assert [each["depositInfo"] is None for each in shown] == [True, True, False]


@pytest.mark.parametrize("kind", ASKING)
async def test_an_approval_is_shown_with_the_votes_that_it_had_then(
    seen: Watching, kind: str
) -> None:
    cast = await make_cast(seen.org)
    watch = await _ask(seen, cast, kind)
    await _vote(watch, yes=True, comment="fine with me")
    if kind == "OFFRAMP":
        # What it takes is told anew with the approval.
        await _price(seen, "usdc", "usd", "0.5")
    await _vote(watch, yes=True, comment="and with me")
    await watch.note()
    path = f"{PATHS[kind]}/{watch.id}"
    if kind in {"WALLET.BRIDGE", "OFFRAMP"}:
        await seen.org.post(path + accept_verb(path))
    await seen.work()
    types = await watch.check()
    assert types[0] == CREATED.get(kind, f"{kind}.CREATE")
    first, *_, last = [
        _approval(data)
        for event, data in await _all(watch)
        if event != "WALLET.TOKEN.BALANCE.UPDATE"
    ]
    assert (first["status"], first["votes"], first["updatedAt"]) == (
        *("PENDING", []),
        first["createdAt"],
    )
    assert (last["status"], last["votes"]) == ("APPROVED", None)


@pytest.mark.parametrize("kind", ASKING)
async def test_a_rejection_is_shown_with_what_was_said(seen: Watching, kind: str) -> None:
    cast = await make_cast(seen.org)
    watch = await _ask(seen, cast, kind)
    await _vote(watch, yes=True, comment="fine with me")
    await _vote(watch, yes=False, comment="not with me")
    await watch.check()
    shown = [_approval(data) for _, data in await _all(watch)]
    assert (shown[0]["status"], shown[0]["votes"]) == ("PENDING", [])
    assert shown[-1]["status"] == "REJECTED"
    assert [vote["comment"] for vote in shown[-1]["votes"]] == ["fine with me", "not with me"]


@pytest.mark.parametrize("kind", ["ONRAMP", "OFFRAMP"])
@pytest.mark.parametrize("ends", ["cancel", "time"])
async def test_a_review_is_told_with_the_payment_in_it_and_after_it(
    seen: Watching, kind: str, ends: str
) -> None:
    cast = await make_cast(seen.org)
    made = (await seen.org.post(PATHS[kind], cast.body(kind)))["transferDetails"]
    watch = seen.notes.watch(seen.org, kind, made)
    await watch.note()
    rfi = f"/v2/sandbox/transfers/{watch.id}/rfi"
    for action in ("open", "close", "open"):
        await seen.org.post(rfi, {"action": action})
        await watch.note()
    if ends == "cancel":
        await seen.org.post(f"{PATHS[kind]}/{watch.id}/cancel")
    else:
        await seen.work(after=timedelta(hours=25))
    await watch.check()
    events = await watch.rfi_events()
    assert [each.type for each in events] == [
        *(f"{kind}.RFI.OPEN", f"{kind}.RFI.CLOSED"),
        *(f"{kind}.RFI.OPEN", f"{kind}.RFI.CLOSED"),
    ]
    shown = [each["transferDetails"]["status"] for each in await watch.shown(events)]
    last = "NOT_INITIATED" if ends == "cancel" else "QUOTE_FAILED"
    assert shown == ["IN_REVIEW", "OPEN_QUOTE", "IN_REVIEW", last]


@pytest.mark.parametrize("amount", ["100", "99"])
async def test_a_payout_of_coins_from_outside(seen: Watching, amount: str) -> None:
    org = seen.org
    ada = await make_payee(org)
    source = {"externalWalletId": await register(org, ada, OUTSIDE)}
    made = await make_offramp(org, None, await make_account(org, ada), source=source)
    watch = seen.notes.watch(org, "OFFRAMP", made)
    await watch.note()
    path = f"{PATHS['OFFRAMP']}/{watch.id}"
    await org.post(f"{path}/quote/accept")
    await watch.note()
    await org.post(f"/v2/sandbox/offramps/{watch.id}/deposit", {"amount": amount})
    await seen.work()
    types = await watch.check()
    ends = "COMPLETED" if amount == "100" else "CRYPTO_RETURNED"
    assert types[-1] == f"OFFRAMP.STATUS.{ends}"


async def test_a_deposit_on_a_virtual_account_and_the_parts_of_its_rule(seen: Watching) -> None:
    org = seen.org
    ada, bob = await make_payee(org, funds=None), await make_user(org)
    wallet = (await org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]["POLYGON"]["address"]
    account = await make_virtual_account(org, ada)
    rule = await org.post(
        "/v2/virtual-accounts/settlement-rules", rule_body(percentage("0.1", wallet))
    )
    await org.post(at(ada, account["id"], f"settlement-rules/{rule['id']}"))
    number = account["depositInstructions"]["wire"]["accountNumber"]
    receipt = await receive(org, account_number=str(number), amount="50", reference="rent")
    watch = Watch(org, "ONRAMP", derived_id(receipt.id, "onramp"))
    await settle(org)
    types = await watch.check()
    assert types[:3] == [
        "ONRAMP.TRANSACTION.CREATE",
        "ONRAMP.STATUS.FIAT_INITIATED",
        "ONRAMP.STATUS.FIAT_PENDING",
    ]
    arrived = [data for type_, data in await _all(watch) if type_ == "WALLET.TOKEN.BALANCE.UPDATE"]
    told = {each["userId"]: each["transaction"]["amount"] for each in arrived}
    assert told == {ada: "45", bob: "5"}


async def test_what_came_of_a_mint_is_shown_once_the_coins_are_back(seen: Watching) -> None:
    cast = await make_cast(seen.org)
    kind = "WALLET.BRIDGE"
    made = (await seen.org.post(PATHS[kind], cast.body(kind)))["transferDetails"]
    watch = seen.notes.watch(seen.org, kind, made)
    back = derived_id(watch.id, "return")
    seen.chains.failing = {derived_id(watch.id, "mint"): "paused", key_of_try(back, 0): "stuck"}
    seen.chains.failed_hash = "0xreverted"
    await watch.note()
    path = f"{PATHS[kind]}/{watch.id}"
    await seen.org.post(path + accept_verb(path))
    await seen.work()
    await seen.work(after=timedelta(hours=1))
    assert (await watch.check())[-1] == "WALLET.BRIDGE.UPDATE"
    *_, before, (_, last) = await _all(watch)
    # What puts a payment off is told with its next change, and not in one that was before it.
    assert before[1]["transferDetails"]["receipt"]["operations"]["mint"] is None
    told = last["transferDetails"]
    assert told["status"] == "DESTINATION_FAILED"
    assert told["receipt"]["operations"]["mint"]["transactionHash"] == "0xreverted"


async def test_each_who_is_paid_hears_of_their_own_coins(seen: Watching) -> None:
    org = seen.org
    cast = await make_cast(org)
    carol = await make_user(org)
    items = [
        {"userId": cast.payee, "amount": "1"},
        {"userId": carol, "amount": "2"},
        {"userId": cast.payee, "amount": "4"},
    ]
    kind = "WALLET.TRANSFER.BATCH"
    made = (await org.post(PATHS[kind], batch_body(cast.payer, *items)))["transferDetails"]
    watch = seen.notes.watch(org, kind, made)
    await seen.work()
    assert (await watch.check())[-3:] == [
        "WALLET.TRANSFER.BATCH.UPDATE",
        *("WALLET.TOKEN.BALANCE.UPDATE", "WALLET.TOKEN.BALANCE.UPDATE"),
    ]
    (_, one), (_, other) = (await _all(watch))[-2:]
    told = {each["userId"]: each["transaction"]["amount"] for each in (one, other)}
    assert told == {cast.payee: "5", carol: "2"}


async def test_coins_from_outside_are_a_deposit_and_nothing_else(seen: Watching) -> None:
    user = await make_user(seen.org)
    await fund(seen.org, user, "7")
    (row,) = await seen.org.house.database.rows(
        "select object_id from changes where org_id = $1 and kind = 'WALLET.DEPOSIT'",
        seen.org.org_id,
    )
    watch = Watch(seen.org, "WALLET.DEPOSIT", row["object_id"])
    ((type_, data),) = await _all(watch)
    assert type_ == "WALLET.TOKEN.BALANCE.UPDATE"
    assert data == await seen.org.get(f"/v2/users/{user}/wallets/deposits/{watch.id}")
    assert data["transaction"]["amount"] == "7"


@pytest.mark.parametrize("kind", ["WALLET.TRANSFER", "ONRAMP", "OFFRAMP"])
async def test_who_was_erased_is_in_no_event(seen: Watching, kind: str) -> None:
    cast = await make_cast(seen.org)
    made = (await seen.org.post(PATHS[kind], cast.body(kind)))["transferDetails"]
    watch = seen.notes.watch(seen.org, kind, made)
    path = f"{PATHS[kind]}/{watch.id}"
    if kind != TRANSFER:
        await seen.org.post(path + accept_verb(path))
    if kind == "ONRAMP":
        await seen.org.post(f"/v2/sandbox/onramps/{watch.id}/deposit", {})
    await seen.work()
    before = (await _all(watch))[0][1]["transferDetails"]["source"]["user"]
    assert before["lastName"] is not None
    await _erase(seen.org, cast.payer, heir=cast.payee)
    after = (await seen.org.get(path))["transferDetails"]
    assert after["source"]["user"]["lastName"] is None
    shown = [
        data["transferDetails"]
        for type_, data in await _all(watch)
        if type_ != "WALLET.TOKEN.BALANCE.UPDATE"
    ]
    for told in shown:
        assert told["source"]["user"] == after["source"]["user"]
        assert told["destination"]["user"] == after["destination"]["user"]
    assert shown[-1] == after


async def _erase(org: Tenant, user: str, *, heir: str) -> None:
    """What they have goes to somebody else first."""
    await make_transfer(org, user, heir, await held(org, user))
    await settle(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    good(await org.send("DELETE", f"/v2/users/{user}/personal-data"))


async def test_a_page_of_events_asks_for_each_thing_once(seen: Watching) -> None:
    cast = await make_cast(seen.org)
    watches = [
        seen.notes.watch(seen.org, "ONRAMP", await make_onramp(seen.org, cast.payer, amount))
        for amount in (10, 20, 30)
    ]
    events = [event for each in watches for event in await each.events()]
    asked = seen.rails.coordinates_asked
    found = await watches[0].shown([*events, *reversed(events)])
    # All wait for money on the same account of the organisation.
    assert seen.rails.coordinates_asked == asked + 1
    assert found == [*found[: len(events)], *reversed(found[: len(events)])]
    assert [
        (each["transferDetails"]["id"], each["transferDetails"]["status"])
        for each in found[: len(events)]
    ] == [(str(each.change.object_id), each.change.status_after) for each in events]


async def test_an_exact_payout_is_shown_without_an_amount_until_it_is_quoted(
    seen: Watching,
) -> None:
    cast = await make_cast(seen.org)
    body = offramp_body(
        cast.payer, cast.account, None, destination={"amount": 100}, requireApproval=True
    )
    made = (await seen.org.post(PATHS["OFFRAMP"], body))["transferDetails"]
    watch = seen.notes.watch(seen.org, "OFFRAMP", made)
    await watch.note()
    await _price(seen, "usdc", "usd", "0.8")
    await _vote(watch, yes=True, comment="fine")
    await watch.check()
    told = [
        (each["transferDetails"]["source"]["amount"], each["transferDetails"]["amount_in_usd"])
        for _, each in await _all(watch)
    ]
    assert told == [(0, 100), (0, 100), (125, 125)]


async def _all(watch: Watch) -> list[tuple[str, Any]]:
    """Each event: its type, and what it shows."""
    events = await watch.events()
    return list(zip([each.type for each in events], await watch.shown(events), strict=True))
