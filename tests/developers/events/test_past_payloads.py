"""Past payloads of payments: refreshed quotes, approvals, reviews, external deposits, erasure."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from landbridge.payments.approvals.model import ApprovalPolicy
from landbridge.payments.transfers.model import KIND as TRANSFER
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Rate
from landbridge.platform.core.retry_policy import key_of_attempt
from landbridge.platform.db.pool import Database
from landbridge.providers.rates.port import Price
from tests.developers.events.event_readers import Watch, Watching, watching
from tests.onramps import make_onramp, now, receive, settle
from tests.order_keys import key_of
from tests.payments.virtual_accounts.virtual_account_setup import at, percentage, rule_body
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payouts import OUTSIDE, make_account, make_offramp, make_payee, offramp_body
from tests.properties.wallet_effects import accept_verb
from tests.scripted import PATHS, Cast, make_cast
from tests.tenants import Tenant, batch_body, fund, good, held, make_transfer, make_user, register

APPROVABLE = ("WALLET.TRANSFER", "WALLET.TRANSFER.BATCH", "WALLET.BRIDGE", "OFFRAMP")
CREATED = {"OFFRAMP": "OFFRAMP.TRANSACTION.CREATE"}


@pytest.fixture
async def recorder(org: Tenant, database: Database) -> AsyncIterator[Watching]:
    async with watching(org, database) as recorder:
        yield recorder


async def _price(recorder: Watching, source: str, destination: str, rate: str) -> None:
    await recorder.org.container.prices.set_price(
        recorder.org.org_id,
        source_currency=source,
        destination_currency=destination,
        price=Price(Rate(Decimal(rate)), Decimal(0), None),
        at=await now(recorder.org),
    )


async def _vote(watch: Watch, *, yes: bool, comment: str) -> None:
    """Vote with another key each time."""
    container, org = watch.org.container, watch.org
    (approval,) = (await container.approvals.of(org.org_id, [watch.id])).values()
    voter = replace(org.caller, key_id=new_id(), can_approve=True)
    vote = container.voting.approve if yes else container.voting.reject
    await vote(voter, approval.id, comment)


async def _record_request(recorder: Watching, cast: Cast, kind: str) -> Watch:
    """One that waits for two admins."""
    policy = ApprovalPolicy(threshold=2)
    org = recorder.org
    await org.container.approvals.set_policy(org.org_id, policy, actor="test", at=await now(org))
    body = {**cast.body(kind), "requireApproval": True}
    watch = recorder.notes.watch(org, kind, (await org.post(PATHS[kind], body))["transferDetails"])
    await watch.note()
    return watch


def _approval(data: Any) -> Any:
    details = data["transferDetails"]
    return (
        details["receipt"]["approval"] if "batch" in details["destination"] else details["approval"]
    )


async def test_a_new_quote_leaves_earlier_events_unchanged(
    recorder: Watching,
) -> None:
    cast = await make_cast(recorder.org)
    await _price(recorder, "usd", "usdc", "0.5")
    created = await make_onramp(recorder.org, cast.payer, 10, is_accepted=False)
    watch = recorder.notes.watch(recorder.org, "ONRAMP", created)
    await watch.note()
    for rate in ("0.25", "2"):
        await _price(recorder, "usd", "usdc", rate)
        await recorder.org.post(f"{PATHS['ONRAMP']}/{watch.id}/quote/refresh")
        await watch.note()
    await recorder.org.post(f"{PATHS['ONRAMP']}/{watch.id}/quote/accept")
    types = await watch.check()
    # A replaced quote makes no event: the status stays the same.
    assert types == [
        "ONRAMP.TRANSACTION.CREATE",
        "ONRAMP.STATUS.OPEN_QUOTE",
        "ONRAMP.STATUS.AWAITING_FUNDS",
    ]
    shown = [each["transferDetails"] for each in await watch.shown(await watch.events())]
    assert [each["destination"]["amount"] for each in shown] == [5, 5, 20]
    assert [each["status"] for each in shown] == ["CREATED", "OPEN_QUOTE", "AWAITING_FUNDS"]
    assert [each["depositInfo"] is None for each in shown] == [True, True, False]


@pytest.mark.parametrize("kind", APPROVABLE)
async def test_an_approval_is_shown_with_the_votes_that_it_had_then(
    recorder: Watching, kind: str
) -> None:
    cast = await make_cast(recorder.org)
    watch = await _record_request(recorder, cast, kind)
    await _vote(watch, yes=True, comment="fine with me")
    if kind == "OFFRAMP":
        # Its amounts are shown again with the approval.
        await _price(recorder, "usdc", "usd", "0.5")
    await _vote(watch, yes=True, comment="and with me")
    await watch.note()
    path = f"{PATHS[kind]}/{watch.id}"
    if kind in {"WALLET.BRIDGE", "OFFRAMP"}:
        await recorder.org.post(path + accept_verb(path))
    await recorder.work()
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


@pytest.mark.parametrize("kind", APPROVABLE)
async def test_a_rejection_is_shown_with_its_reason(recorder: Watching, kind: str) -> None:
    cast = await make_cast(recorder.org)
    watch = await _record_request(recorder, cast, kind)
    await _vote(watch, yes=True, comment="fine with me")
    await _vote(watch, yes=False, comment="not with me")
    await watch.check()
    shown = [_approval(data) for _, data in await _all(watch)]
    assert (shown[0]["status"], shown[0]["votes"]) == ("PENDING", [])
    assert shown[-1]["status"] == "REJECTED"
    assert [vote["comment"] for vote in shown[-1]["votes"]] == ["fine with me", "not with me"]


@pytest.mark.parametrize("kind", ["ONRAMP", "OFFRAMP"])
@pytest.mark.parametrize("ends", ["cancel", "time"])
async def test_a_review_has_events_before_and_after_its_decision(
    recorder: Watching, kind: str, ends: str
) -> None:
    cast = await make_cast(recorder.org)
    created = (await recorder.org.post(PATHS[kind], cast.body(kind)))["transferDetails"]
    watch = recorder.notes.watch(recorder.org, kind, created)
    await watch.note()
    rfi = f"/v2/sandbox/transfers/{watch.id}/rfi"
    for action in ("open", "close", "open"):
        await recorder.org.post(rfi, {"action": action})
        await watch.note()
    if ends == "cancel":
        await recorder.org.post(f"{PATHS[kind]}/{watch.id}/cancel")
    else:
        await recorder.work(after=timedelta(hours=25))
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
async def test_a_payout_of_coins_from_outside(recorder: Watching, amount: str) -> None:
    org = recorder.org
    ada = await make_payee(org)
    source = {"externalWalletId": await register(org, ada, OUTSIDE)}
    created = await make_offramp(org, None, await make_account(org, ada), source=source)
    watch = recorder.notes.watch(org, "OFFRAMP", created)
    await watch.note()
    path = f"{PATHS['OFFRAMP']}/{watch.id}"
    await org.post(f"{path}/quote/accept")
    await watch.note()
    await org.post(f"/v2/sandbox/offramps/{watch.id}/deposit", {"amount": amount})
    await recorder.work()
    types = await watch.check()
    ends = "COMPLETED" if amount == "100" else "CRYPTO_RETURNED"
    assert types[-1] == f"OFFRAMP.STATUS.{ends}"


async def test_a_deposit_on_a_virtual_account_and_the_parts_of_its_rule(recorder: Watching) -> None:
    org = recorder.org
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
    amounts = {each["userId"]: each["transaction"]["amount"] for each in arrived}
    assert amounts == {ada: "45", bob: "5"}


async def test_the_result_of_a_mint_is_shown_once_the_coins_are_back(recorder: Watching) -> None:
    cast = await make_cast(recorder.org)
    kind = "WALLET.BRIDGE"
    created = (await recorder.org.post(PATHS[kind], cast.body(kind)))["transferDetails"]
    watch = recorder.notes.watch(recorder.org, kind, created)
    mint, back = [await key_of(recorder.org, str(watch.id), each) for each in ("mint", "return")]
    recorder.chains.failing = {
        mint: "paused",
        key_of_attempt(back, 0): "stuck",
    }
    recorder.chains.failed_hash = "0xreverted"
    await watch.note()
    path = f"{PATHS[kind]}/{watch.id}"
    await recorder.org.post(path + accept_verb(path))
    await recorder.work()
    await recorder.work(after=timedelta(hours=1))
    assert (await watch.check())[-1] == "WALLET.BRIDGE.UPDATE"
    *_, before, (_, last) = await _all(watch)
    # A postponement is shown by the next change, and not by an earlier one.
    assert before[1]["transferDetails"]["receipt"]["operations"]["mint"] is None
    details = last["transferDetails"]
    assert details["status"] == "DESTINATION_FAILED"
    assert details["receipt"]["operations"]["mint"]["transactionHash"] == "0xreverted"


async def test_each_recipient_has_an_event_for_their_own_deposit(recorder: Watching) -> None:
    org = recorder.org
    cast = await make_cast(org)
    carol = await make_user(org)
    items = [
        {"userId": cast.payee, "amount": "1"},
        {"userId": carol, "amount": "2"},
        {"userId": cast.payee, "amount": "4"},
    ]
    kind = "WALLET.TRANSFER.BATCH"
    created = (await org.post(PATHS[kind], batch_body(cast.payer, *items)))["transferDetails"]
    watch = recorder.notes.watch(org, kind, created)
    await recorder.work()
    assert (await watch.check())[-3:] == [
        "WALLET.TRANSFER.BATCH.UPDATE",
        *("WALLET.TOKEN.BALANCE.UPDATE", "WALLET.TOKEN.BALANCE.UPDATE"),
    ]
    (_, one), (_, other) = (await _all(watch))[-2:]
    amounts = {each["userId"]: each["transaction"]["amount"] for each in (one, other)}
    assert amounts == {cast.payee: "5", carol: "2"}


async def test_coins_from_outside_are_a_deposit_and_nothing_else(recorder: Watching) -> None:
    user = await make_user(recorder.org)
    await fund(recorder.org, user, "7")
    (row,) = await recorder.org.container.database.rows(
        "select object_id from changes where org_id = $1 and kind = 'WALLET.DEPOSIT'",
        recorder.org.org_id,
    )
    watch = Watch(recorder.org, "WALLET.DEPOSIT", row["object_id"])
    ((type_, data),) = await _all(watch)
    assert type_ == "WALLET.TOKEN.BALANCE.UPDATE"
    assert data == await recorder.org.get(f"/v2/users/{user}/wallets/deposits/{watch.id}")
    assert data["transaction"]["amount"] == "7"


@pytest.mark.parametrize("kind", ["WALLET.TRANSFER", "ONRAMP", "OFFRAMP"])
async def test_erased_users_appear_in_no_event(recorder: Watching, kind: str) -> None:
    cast = await make_cast(recorder.org)
    created = (await recorder.org.post(PATHS[kind], cast.body(kind)))["transferDetails"]
    watch = recorder.notes.watch(recorder.org, kind, created)
    path = f"{PATHS[kind]}/{watch.id}"
    if kind != TRANSFER:
        await recorder.org.post(path + accept_verb(path))
    if kind == "ONRAMP":
        await recorder.org.post(f"/v2/sandbox/onramps/{watch.id}/deposit", {})
    await recorder.work()
    before = (await _all(watch))[0][1]["transferDetails"]["source"]["user"]
    assert before["lastName"] is not None
    await _erase(recorder.org, cast.payer, heir=cast.payee)
    after = (await recorder.org.get(path))["transferDetails"]
    assert after["source"]["user"]["lastName"] is None
    shown = [
        data["transferDetails"]
        for type_, data in await _all(watch)
        if type_ != "WALLET.TOKEN.BALANCE.UPDATE"
    ]
    for payload in shown:
        assert payload["source"]["user"] == after["source"]["user"]
        assert payload["destination"]["user"] == after["destination"]["user"]
    assert shown[-1] == after


async def _erase(org: Tenant, user: str, *, heir: str) -> None:
    """Erase a user after moving their balance to another user."""
    await make_transfer(org, user, heir, await held(org, user))
    await settle(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    good(await org.send("DELETE", f"/v2/users/{user}/personal-data"))


async def test_a_page_of_events_reads_each_record_once(recorder: Watching) -> None:
    cast = await make_cast(recorder.org)
    watches = [
        recorder.notes.watch(
            recorder.org, "ONRAMP", await make_onramp(recorder.org, cast.payer, amount)
        )
        for amount in (10, 20, 30)
    ]
    events = [event for each in watches for event in await each.events()]
    lookups = recorder.rails.coordinate_lookups
    found = await watches[0].shown([*events, *reversed(events)])
    # All wait for money on the same account of the organisation.
    assert recorder.rails.coordinate_lookups == lookups + 1
    assert found == [*found[: len(events)], *reversed(found[: len(events)])]
    assert [
        (each["transferDetails"]["id"], each["transferDetails"]["status"])
        for each in found[: len(events)]
    ] == [(str(each.change.object_id), each.change.status_after) for each in events]


async def test_an_exact_payout_is_shown_without_an_amount_until_it_is_quoted(
    recorder: Watching,
) -> None:
    cast = await make_cast(recorder.org)
    body = offramp_body(
        cast.payer, cast.account, None, destination={"amount": 100}, requireApproval=True
    )
    created = (await recorder.org.post(PATHS["OFFRAMP"], body))["transferDetails"]
    watch = recorder.notes.watch(recorder.org, "OFFRAMP", created)
    await watch.note()
    await _price(recorder, "usdc", "usd", "0.8")
    await _vote(watch, yes=True, comment="fine")
    await watch.check()
    payloads = [
        (each["transferDetails"]["source"]["amount"], each["transferDetails"]["amount_in_usd"])
        for _, each in await _all(watch)
    ]
    assert payloads == [(0, 100), (0, 100), (125, 125)]


async def _all(watch: Watch) -> list[tuple[str, Any]]:
    """Return the type and data of each event."""
    events = await watch.events()
    return list(zip([each.type for each in events], await watch.shown(events), strict=True))
