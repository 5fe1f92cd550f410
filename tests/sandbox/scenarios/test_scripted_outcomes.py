"""Every scripted outcome of every kind that supports it, from the create to the end."""

from uuid import UUID

import pytest

from landbridge.providers.simulation.model import SimulatedSystem
from tests.matrices import each_value_once
from tests.onramps import check_books, statuses
from tests.providers.simulation.external_state import carried, orders, paid_out
from tests.scripted import FUNDS, PATHS, Cast, make_cast, pairs
from tests.tenants import Tenant, held, refusal, sentence

REFUSED = "403 LIMIT_EXCEEDED"
NO_QUOTE = "409 QUOTE_NOT_READY"
EXPIRED = "400 INVALID_QUOTE"
DONE = ("COMPLETED",)

# Result: the refusal of the create, or of the accept after OPEN_QUOTE; otherwise the status after
# all due steps, and the status after time has passed if that differs.
TALE: dict[tuple[str, str], tuple[str, ...]] = {
    ("WALLET.SWAP", "screening=reject"): ("OPEN_QUOTE", REFUSED),
    ("WALLET.SWAP", "quote=expire"): ("OPEN_QUOTE", EXPIRED),
    ("WALLET.SWAP", "quote=unavailable"): (NO_QUOTE,),
    ("WALLET.SWAP", "quote=depeg"): (NO_QUOTE,),
    ("WALLET.SWAP", "chain_send=reject"): ("FAILED",),
    ("WALLET.SWAP", "chain_send=timeout"): DONE,
    ("WALLET.SWAP", "chain_send=lost"): DONE,
    ("WALLET.SWAP", "chain_send=twice"): DONE,
    ("WALLET.SWAP", "chain_send=late"): ("PENDING", "COMPLETED"),
    ("WALLET.SWAP", "confirmation=reject"): ("FAILED",),
    ("WALLET.SWAP", "confirmation=timeout"): ("PENDING", "COMPLETED"),
    ("WALLET.SWAP", "confirmation=late"): ("PENDING", "COMPLETED"),
    ("WALLET.BRIDGE", "screening=reject"): ("OPEN_QUOTE", REFUSED),
    ("WALLET.BRIDGE", "screening=review"): DONE,
    ("WALLET.BRIDGE", "quote=expire"): ("OPEN_QUOTE", EXPIRED),
    ("WALLET.BRIDGE", "chain_send=reject"): ("SOURCE_FAILED",),
    ("WALLET.BRIDGE", "chain_send=timeout"): DONE,
    ("WALLET.BRIDGE", "chain_send=lost"): DONE,
    ("WALLET.BRIDGE", "chain_send=twice"): DONE,
    ("WALLET.BRIDGE", "chain_send=late"): ("SOURCE_INITIATED", "COMPLETED"),
    ("WALLET.BRIDGE", "confirmation=reject"): ("SOURCE_FAILED",),
    ("WALLET.BRIDGE", "confirmation=timeout"): ("SOURCE_INITIATED", "COMPLETED"),
    ("WALLET.BRIDGE", "confirmation=late"): ("SOURCE_INITIATED", "COMPLETED"),
    ("WALLET.BRIDGE", "mint=reject"): ("DESTINATION_FAILED",),
    ("WALLET.BRIDGE", "mint=timeout"): DONE,
    ("WALLET.BRIDGE", "mint=lost"): DONE,
    ("WALLET.BRIDGE", "mint=late"): ("DESTINATION_PENDING", "COMPLETED"),
    ("WALLET.BRIDGE", "refund=reject"): DONE,
    ("ONRAMP", "screening=reject"): ("OPEN_QUOTE", REFUSED),
    ("ONRAMP", "screening=review"): DONE,
    ("ONRAMP", "quote=expire"): ("OPEN_QUOTE", EXPIRED),
    ("ONRAMP", "quote=unavailable"): (NO_QUOTE,),
    ("ONRAMP", "quote=depeg"): (NO_QUOTE,),
    ("ONRAMP", "deposit=reject"): ("FIAT_RETURNED",),
    ("ONRAMP", "deposit=late"): ("FIAT_PENDING", "COMPLETED"),
    ("ONRAMP", "deposit=twice"): DONE,
    ("ONRAMP", "deposit=return"): ("FIAT_PENDING", "FIAT_RETURNED"),
    ("ONRAMP", "chain_send=reject"): ("FIAT_RETURNED",),
    ("ONRAMP", "chain_send=timeout"): DONE,
    ("ONRAMP", "chain_send=lost"): DONE,
    ("ONRAMP", "chain_send=twice"): DONE,
    ("ONRAMP", "chain_send=late"): ("CRYPTO_INITIATED", "COMPLETED"),
    ("ONRAMP", "confirmation=reject"): ("FIAT_RETURNED",),
    ("ONRAMP", "confirmation=timeout"): ("CRYPTO_PENDING", "COMPLETED"),
    ("ONRAMP", "confirmation=late"): ("CRYPTO_PENDING", "COMPLETED"),
    ("OFFRAMP", "screening=reject"): ("OPEN_QUOTE", REFUSED),
    ("OFFRAMP", "screening=review"): DONE,
    ("OFFRAMP", "quote=expire"): ("OPEN_QUOTE", EXPIRED),
    ("OFFRAMP", "quote=unavailable"): (NO_QUOTE,),
    ("OFFRAMP", "quote=depeg"): (NO_QUOTE,),
    ("OFFRAMP", "chain_send=reject"): ("CRYPTO_FAILED",),
    ("OFFRAMP", "chain_send=timeout"): DONE,
    ("OFFRAMP", "chain_send=lost"): DONE,
    ("OFFRAMP", "chain_send=twice"): DONE,
    ("OFFRAMP", "chain_send=late"): ("CRYPTO_PENDING", "COMPLETED"),
    ("OFFRAMP", "confirmation=reject"): ("CRYPTO_FAILED",),
    ("OFFRAMP", "confirmation=timeout"): ("CRYPTO_PENDING", "COMPLETED"),
    ("OFFRAMP", "confirmation=late"): ("CRYPTO_PENDING", "COMPLETED"),
    ("OFFRAMP", "payout=reject"): ("CRYPTO_RETURNED",),
    ("OFFRAMP", "payout=timeout"): DONE,
    ("OFFRAMP", "payout=lost"): DONE,
    ("OFFRAMP", "payout=twice"): DONE,
    ("OFFRAMP", "payout=late"): ("FIAT_PENDING", "COMPLETED"),
    ("OFFRAMP", "payout=return"): ("FIAT_PENDING", "CRYPTO_RETURNED"),
    ("OFFRAMP", "refund=reject"): DONE,
    **{
        (kind, deliveries): tale
        for kind in ("WALLET.TRANSFER", "WALLET.TRANSFER.BATCH")
        for deliveries, tale in {
            "screening=reject": (REFUSED,),
            "screening=review": DONE,
            "chain_send=reject": ("FAILED",),
            "chain_send=timeout": DONE,
            "chain_send=lost": DONE,
            "chain_send=twice": DONE,
            "chain_send=late": ("INITIATED", "COMPLETED"),
            "confirmation=reject": ("FAILED",),
            "confirmation=timeout": ("PENDING", "COMPLETED"),
            "confirmation=late": ("PENDING", "COMPLETED"),
        }.items()
    },
    # Deliveries of its events are no concern of a payment.
    **{
        (kind, f"webhook={outcome}"): DONE
        for kind in PATHS
        for outcome in ("fail", "late", "twice")
    },
}
# Intermediate statuses.
PASSES = {
    ("WALLET.TRANSFER", "screening=review"): "PENDING_APPROVAL",
    ("WALLET.TRANSFER.BATCH", "screening=review"): "PENDING_APPROVAL",
    ("WALLET.BRIDGE", "screening=review"): "PENDING_APPROVAL",
    ("ONRAMP", "screening=review"): "IN_REVIEW",
    ("OFFRAMP", "screening=review"): "IN_REVIEW",
    ("WALLET.TRANSFER", "confirmation=timeout"): "UNKNOWN",
    ("WALLET.TRANSFER.BATCH", "confirmation=timeout"): "UNKNOWN",
    ("WALLET.BRIDGE", "confirmation=timeout"): "UNKNOWN",
    ("ONRAMP", "confirmation=timeout"): "UNKNOWN",
}
HOURS_UNTIL_UNKNOWN = 25


def test_every_outcome_of_every_kind_has_its_tale() -> None:
    assert {(kind, f"{each.step}={each.name}") for kind, each in pairs()} == TALE.keys()
    assert {kind for kind, _ in TALE} == PATHS.keys()


@pytest.mark.parametrize(("kind", "plan"), each_value_once(TALE))
async def test_scripted_outcome_occurs(org: Tenant, kind: str, plan: str) -> None:
    cast = await make_cast(org)
    answer = await cast.send(kind, plan)
    first, *rest = TALE[kind, plan]
    if answer.status_code != 200:
        assert refusal(answer) == first
        assert sentence(answer).endswith("as scripted in the sandbox")
        await _check_rest(cast, None)
        return
    created = answer.json()["transferDetails"]
    if first == "OPEN_QUOTE":
        await _check_accept(cast, kind, created["id"], rest[0])
        return
    assert (await cast.go_on(kind, created))["status"] == first
    if rest:
        await cast.pass_hours(HOURS_UNTIL_UNKNOWN)
        await cast.pass_hours(96)
    ended = await cast.shown(kind, created)
    assert ended["status"] == (rest or [first])[0]
    passed = await statuses(org, created)
    assert PASSES.get((kind, plan), first) in passed
    reason = ended.get("failedReason")
    if ended.get("errorDetails"):  # as for swaps
        reason = ended["errorDetails"]["message"]
    assert (reason is None) == (ended["status"] == "COMPLETED")
    assert reason is None or reason.endswith("as scripted in the sandbox")
    await _check_rest(cast, ended["status"])


async def _check_accept(cast: Cast, kind: str, transfer_id: str, refused: str) -> None:
    verb = "quote/accept" if "RAMP" in kind else "accept"
    path = f"{PATHS[kind]}/{transfer_id}/{verb}"
    for _ in range(2):
        assert await cast.org.refused("POST", path) == refused
    status = (await cast.shown(kind, {"id": transfer_id}))["status"]
    assert status == ("QUOTE_FAILED" if refused == EXPIRED else "OPEN_QUOTE")
    await _check_rest(cast, None)


async def _check_rest(cast: Cast, status: str | None) -> None:
    """Check the ledger, and that an incomplete payment leaves the payer's balance unchanged."""
    await check_books(cast.org)
    has = await held(cast.org, cast.payer)
    assert (has == FUNDS) == (status != "COMPLETED")


@pytest.mark.parametrize("outcome", ["timeout", "lost", "twice"])
async def test_a_repeated_order_is_executed_once(org: Tenant, outcome: str) -> None:
    cast = await make_cast(org)
    created = await cast.make("OFFRAMP", f"chain_send={outcome};payout={outcome}")
    assert (await cast.go_on("OFFRAMP", created))["status"] == "COMPLETED"
    database = org.container.database
    assert await paid_out(database, org.org_id) == {"usd:BANK": 1000}
    assert await carried(database, org.org_id, "transfer") == {"usdc:POLYGON": 10_000_000}


async def test_a_deposit_reported_twice_counts_once(org: Tenant) -> None:
    cast = await make_cast(org)
    created = await cast.make("ONRAMP", "deposit=twice")
    assert (await cast.go_on("ONRAMP", created))["status"] == "COMPLETED"
    assert not await paid_out(org.container.database, org.org_id)
    submitted = await org.container.database.rows(
        "select status from incoming_payments where org_id = $1", org.org_id
    )
    assert [row["status"] for row in submitted] == ["MATCHED"]


async def test_scripted_outcome_applies_to_one_order_and_not_to_its_refund(org: Tenant) -> None:
    cast = await make_cast(org)
    created = await cast.make("WALLET.BRIDGE", "chain_send=lost;confirmation=late:2h;mint=reject")
    assert (await cast.go_on("WALLET.BRIDGE", created))["status"] == "SOURCE_INITIATED"
    await cast.pass_hours(3)
    assert (await cast.shown("WALLET.BRIDGE", created))["status"] == "DESTINATION_FAILED"
    orders_ = await orders(org.container.database, org.org_id, SimulatedSystem.CHAIN)
    # Approved and burned, and minted on the source chain.
    assert sorted(str(each["action"]) for each in orders_.values()) == ["approve", "burn", "mint"]
    await _check_rest(cast, "DESTINATION_FAILED")


async def test_a_plan_is_kept_with_its_record_in_one_spelling(
    org: Tenant, other_org: Tenant
) -> None:
    cast = await make_cast(org)
    created = await cast.make("OFFRAMP", " payout = return : 48h ;screening=review")
    found = await org.container.scripted_outcomes.list_plans(org.org_id, [UUID(created["id"])])
    assert {key: each.text for key, each in found.items()} == {
        UUID(created["id"]): "screening=review;payout=return:2d"
    }
    assert not await other_org.container.scripted_outcomes.list_plans(
        other_org.org_id, [UUID(created["id"])]
    )


async def test_the_same_request_is_answered_alike_and_another_plan_is_another_request(
    org: Tenant,
) -> None:
    cast = await make_cast(org)
    body = cast.body("OFFRAMP")
    first = await cast.send("OFFRAMP", "payout=return", body)
    again = await cast.send("OFFRAMP", "payout=return:3d", body)
    assert again.json() == first.json()
    other = await cast.send("OFFRAMP", "payout=reject", body)
    assert refusal(other) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
    assert "was already used with another Landbridge-Sandbox" in sentence(other)
