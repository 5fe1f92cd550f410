"""No user is erased while coins are on their way to them: they could never be moved again."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from landbridge.ledger.model import Transfer
from landbridge.payments.engine.outgoing_orders import build_move
from landbridge.payments.engine.outgoing_transfers import (
    TRANSITIONS,
    OutgoingTransferStatus,
    planned_steps,
)
from landbridge.payments.transfers.model import KIND, as_outgoing_transfer
from landbridge.platform.db.pool import Tx
from tests.onramps import deposit, make_onramp, make_payer, settle
from tests.payouts import make_account, make_offramp, make_payee
from tests.tenants import (
    Tenant,
    held,
    individual,
    make_agreement,
    make_batch,
    make_bridge,
    make_swap,
    make_transfer,
    make_user,
    run_due,
    sentence,
    swap_body,
)
from tests.waiting import holding, waiting

USERS = "/v2/users"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def _refused(org: Tenant, user: str) -> str | None:
    """Erase the frozen user; return the refusal, or None after success."""
    await org.post(f"{USERS}/{user}/freeze", {})
    answer = await org.send("DELETE", f"{USERS}/{user}/personal-data")
    return None if answer.status_code == 200 else sentence(answer)


async def _address(org: Tenant, user: str) -> str:
    wallets = (await org.get(f"{USERS}/{user}"))["wallets"]["INDIVIDUAL"]
    return str(wallets["POLYGON"]["address"])


async def _transfer(org: Tenant, payee: str) -> None:
    await make_transfer(org, await make_user(org, funds="10"), payee)


async def _transfer_that_waits_for_approval(org: Tenant, payee: str) -> None:
    await make_transfer(org, await make_user(org, funds="10"), payee, requireApproval=True)


async def _batch(org: Tenant, payee: str) -> None:
    others = [{"userId": await make_user(org), "amount": "1"} for _ in range(2)]
    payer = await make_user(org, funds="10")
    await make_batch(org, payer, *others, {"userId": payee, "amount": "1"})


async def _bridge(org: Tenant, payee: str) -> None:
    await make_bridge(org, await make_user(org, funds="10"), payee)


async def _swap(org: Tenant, payee: str) -> None:
    body = swap_body(await make_user(org, funds="10"), "1", destination={"userId": payee})
    await org.post("/v2/wallets/swaps", body)


async def _onramp(org: Tenant, payee: str) -> None:
    await make_onramp(org, await make_payer(org), destination={"userId": payee})


async def _onramp_in_review(org: Tenant, payee: str) -> None:
    onramp = await make_onramp(org, await make_payer(org), destination={"userId": payee})
    await org.post("/v2/sandbox/latency", {"chains": "real"})
    await deposit(org, onramp)
    await settle(org)
    created = {"action": "open"}
    await org.post(f"/v2/sandbox/transfers/{onramp['id']}/rfi", created)


async def _offramp_fee(org: Tenant, payee: str) -> None:
    user = await make_payee(org)
    fee = {"type": "FLAT", "value": 1, "walletAddress": await _address(org, payee)}
    account = await make_account(org, user)
    await make_offramp(org, user, account, developerFee={"fees": [fee]})


PAYING = {
    "WALLET.TRANSFER": [_transfer, _transfer_that_waits_for_approval],
    "WALLET.TRANSFER.BATCH": [_batch],
    "WALLET.BRIDGE": [_bridge],
    "WALLET.SWAP": [_swap],
    "ONRAMP": [_onramp, _onramp_in_review],
    "OFFRAMP": [_offramp_fee],
}
CASES = [
    pytest.param(kind, make, id=make.__name__) for kind, each in PAYING.items() for make in each
]


@pytest.mark.parametrize(("kind", "make"), CASES)
async def test_a_user_with_incoming_payments_is_not_erased(
    org: Tenant, kind: str, make: Callable[[Tenant, str], Awaitable[None]]
) -> None:
    payee = await make_user(org, chains=["POLYGON", "BASE"])
    outsider = await make_user(org)
    await make(org, payee)
    reason = f"the user is paid by somebody's {kind}; wait until it has ended"
    assert await _refused(org, payee) == reason
    assert await _refused(org, outsider) is None


async def test_erasure_waits_for_pending_coins(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    await org.post("/v2/sandbox/latency", {"chains": "real"})
    created = await make_transfer(org, ada, bob)
    await run_due(org)
    path = f"/v2/wallets/transfers/{created['id']}"
    assert (await org.get(path))["transferDetails"]["status"] == "PENDING"
    assert "is paid by" in str(await _refused(org, bob))
    await org.post("/v2/sandbox/clock/advance", {"seconds": 3600})
    assert (await org.get(path))["transferDetails"]["status"] == "COMPLETED"
    assert "still hold" in str(await _refused(org, bob))


async def test_ended_payments_do_not_prevent_erasure(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    created = await make_transfer(org, ada, bob, requireApproval=True)
    await make_swap(org, ada)
    assert await _refused(org, bob) is not None
    await org.post("/v2/sandbox/clock/advance", {"seconds": 8 * 24 * 3600})
    ended: dict[str, Any] = await org.get(f"/v2/wallets/transfers/{created['id']}")
    assert ended["transferDetails"]["status"] == "EXPIRED"
    assert await _refused(org, bob) is None


async def test_coins_that_arrive_during_an_erasure_prevent_it(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    await org.post("/v2/sandbox/latency", {"chains": "real"})
    created = await make_transfer(org, ada, bob)
    await run_due(org)
    await org.post(f"{USERS}/{bob}/freeze", {})
    record = await org.container.ledger.get(org.org_id, KIND, UUID(created["id"]))
    (arrival,) = planned_steps(as_outgoing_transfer(record))
    at = org.container.clock.stamp()
    move = build_move(
        record, TRANSITIONS, OutgoingTransferStatus.COMPLETED, at=at, journal=arrival.postings
    )
    is_held = asyncio.Event()

    async def arrive(tx: Tx) -> None:
        # The erasure cannot read a payment until the coins have arrived.
        await tx.execute("lock table transfers in access exclusive mode")
        is_held.set()
        await waiting(org.container.database, 1)
        assert isinstance(await org.container.ledger.advance_in(tx, move, TRANSITIONS), Transfer)

    arriving = asyncio.create_task(org.container.database.transact(arrive))
    await is_held.wait()
    answer = await org.send("DELETE", f"{USERS}/{bob}/personal-data")
    await arriving
    assert "still hold" in sentence(answer)
    assert await held(org, bob) == "1"


async def _has_link(org: Tenant, agreement: str) -> bool:
    """Return whether the redirect of an agreement is still stored."""
    (row,) = await org.container.database.rows(
        "select sealed_redirect_url is not null as known from agreements"
        " where org_id = $1 and id = $2",
        org.org_id,
        UUID(agreement),
    )
    return bool(row["known"])


async def test_concurrent_erasures_of_users_with_shared_terms_leave_nothing(org: Tenant) -> None:
    agreement = await make_agreement(org, redirectUrl="https://example.com/ada")
    users = [(await org.post(USERS, individual(agreement)))["id"] for _ in range(2)]
    for each in users:
        await org.post(f"{USERS}/{each}/freeze", {})
    keys = "select from data_keys where org_id = $1 and id = any($2::uuid[]) for update"
    database = org.container.database
    async with holding(database, keys, org.org_id, [UUID(each) for each in users]):
        erasing = [
            asyncio.create_task(org.send("DELETE", f"{USERS}/{each}/personal-data"))
            for each in users
        ]
        await waiting(database, 2)
    assert [(await each).status_code for each in erasing] == [200, 200]
    assert not await _has_link(org, agreement)


async def test_terms_accepted_by_a_new_user_meanwhile_are_kept(org: Tenant) -> None:
    agreement = await make_agreement(org, redirectUrl="https://example.com/ada")
    ada = (await org.post(USERS, individual(agreement)))["id"]
    await org.post(f"{USERS}/{ada}/freeze", {})
    # A user may still be created with it, but not changed.
    terms = "select from agreements where org_id = $1 and id = $2 for no key update"
    async with holding(org.container.database, terms, org.org_id, UUID(agreement)):
        erasing = asyncio.create_task(org.send("DELETE", f"{USERS}/{ada}/personal-data"))
        await waiting(org.container.database, 1)
        await org.post(USERS, individual(agreement))
    assert (await erasing).status_code == 200
    assert await _has_link(org, agreement)
