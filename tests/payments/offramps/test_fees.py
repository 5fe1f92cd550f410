"""Fees of the organisation's own: on top, rounded up, paid with the debit."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.customers.kyc.model import Rail
from landbridge.ledger.model import HouseRole
from landbridge.payments.engine.postings import spend_held
from landbridge.payments.offramps.fees import FeeLine, OfframpFeeType, compute_fees, total
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import (
    OFFRAMPS,
    OUTSIDE,
    accept,
    check_books,
    make_account,
    make_payee,
    offramp_body,
    shown,
    way,
)
from tests.tenants import Tenant, held, make_user, refusal, sentence

FIELD = "400 FIELD_VALIDATION_ERROR"
USDC = TOKENS[Chain.POLYGON, "usdc"].asset
ELSEWHERE = "0x52908400098527886E0F7030069857D2E4169EE7"


def _fees(*fees: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "fees": [
            {"type": kind, "value": value, "walletAddress": address}
            for kind, value, address in fees
        ]
    }


async def test_fees_come_on_top(scenario: OfframpScenario) -> None:
    fees = _fees(("PERCENTAGE", "0.0125", OUTSIDE), ("FLAT", "0.5", ELSEWHERE))
    created = await scenario.quoted("100.01", developerFee=fees)
    quote = created["quoteInformation"]
    assert quote["sendGross"]["amount"] == "101.760125"
    assert quote["sendNet"]["amount"] == "100.01"
    assert quote["receiveNet"]["amount"] == "100.01"
    assert created["amount_in_usd"] == 100.01
    fee_id = created["developerFee"].pop("id")
    assert str(UUID(fee_id)) == fee_id
    lines = [
        {
            "type": "PERCENTAGE",
            "value": "0.0125",
            "amount": "1.250125",
            "walletAddress": OUTSIDE,
        },
        {"type": "FLAT", "value": "0.5", "amount": "0.500000", "walletAddress": ELSEWHERE},
    ]
    assert created["developerFee"] == {"transactionHash": None, "fees": lines}
    await accept(scenario.org, created)
    await scenario.run()
    done = await shown(scenario.org, created)
    assert done["developerFee"]["transactionHash"] == done["receipt"]["transactionHash"]
    assert done["developerFee"]["id"] == fee_id
    (order,) = scenario.chains.orders
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [
        (await scenario.treasury(), "100.01"),
        (OUTSIDE, "1.250125"),
        (ELSEWHERE, "0.5"),
    ]
    assert await held(scenario.org, scenario.ada) == "898.239875"
    await check_books(scenario.org)


async def test_fee_of_a_platform_user_arrives_in_the_wallet(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    wallets = (await scenario.org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]
    fees = _fees(("FLAT", "2", wallets["POLYGON"]["address"]))
    await scenario.accepted(100, developerFee=fees)
    await scenario.run()
    assert await held(scenario.org, bob) == "2"
    (deposit,) = (
        await scenario.org.get(
            f"/v2/users/{bob}/wallets/deposits", chain="POLYGON", currency="usdc"
        )
    )["records"]
    assert deposit["transaction"]["amount"] == "2"
    await check_books(scenario.org)


async def test_fee_of_the_paying_user_needs_one_posting_less(scenario: OfframpScenario) -> None:
    wallets = (await scenario.org.get(f"/v2/users/{scenario.ada}"))["wallets"]["INDIVIDUAL"]
    fees = _fees(("FLAT", "2", wallets["POLYGON"]["address"]))
    await scenario.accepted(100, developerFee=fees)
    await scenario.run()
    assert await held(scenario.org, scenario.ada) == "900"
    await check_books(scenario.org)


async def test_fees_stay_paid_when_the_payout_fails(scenario: OfframpScenario) -> None:
    created = await scenario.quoted(100, developerFee=_fees(("FLAT", "2", OUTSIDE)))
    await accept(scenario.org, created)
    scenario.rails.fail_next = "the account is closed"
    await scenario.run()
    done = await shown(scenario.org, created)
    assert (done["status"], done["failedReason"]) == ("CRYPTO_RETURNED", "the account is closed")
    assert await held(scenario.org, scenario.ada) == "998"
    assert await scenario.container(HouseRole.LIQUIDITY) == {}
    assert await scenario.container(HouseRole.OUTSIDE) == {"usdc:POLYGON": -998_000_000}
    await check_books(scenario.org)


async def test_fees_count_for_the_balance(scenario: OfframpScenario) -> None:
    body = offramp_body(
        scenario.ada, scenario.account, 999, developerFee=_fees(("FLAT", "1.000001", OUTSIDE))
    )
    assert await scenario.org.refused("POST", OFFRAMPS, body) == "400 INSUFFICIENT_BALANCE"
    await scenario.accepted(999, developerFee=_fees(("FLAT", "1", OUTSIDE)))
    assert (
        await scenario.of((await scenario.org.get(OFFRAMPS))["records"][0]["transferDetails"])
    ).held


async def test_an_array_of_one_is_the_object(scenario: OfframpScenario) -> None:
    fees = _fees(("FLAT", "2", OUTSIDE))
    created = await scenario.quoted(100, developerFee=[fees])
    assert created["developerFee"]["fees"][0]["amount"] == "2.000000"
    assert (await scenario.quoted(100, developerFee=[]))["developerFee"] is None


BAD: list[tuple[Any, str]] = [
    (_fees(), "developerFee"),
    ([_fees(("FLAT", "1", OUTSIDE)), _fees(("FLAT", "1", OUTSIDE))], "developerFee"),
    (_fees(("PERCENTAGE", "0", OUTSIDE)), "developerFee.fees[0].value"),
    (_fees(("PERCENTAGE", "1.0001", OUTSIDE)), "developerFee.fees[0].value"),
    (_fees(("PERCENTAGE", "0.00001", OUTSIDE)), "developerFee.fees[0].value"),
    (_fees(("PERCENTAGE", "-0.1", OUTSIDE)), "developerFee.fees[0].value"),
    (_fees(("FLAT", "0", OUTSIDE)), "developerFee.fees[0].value"),
    (_fees(("FLAT", "0.0000001", OUTSIDE)), "developerFee.fees[0].value"),
    (_fees(("FLAT", "one", OUTSIDE)), "developerFee"),
    (_fees(("FLAT", "9" * 30, OUTSIDE)), "developerFee.fees"),
    (_fees(("FIX", "1", OUTSIDE)), "developerFee"),
    (_fees(("FLAT", "1", "0x1")), "developerFee.fees[0].walletAddress"),
    (_fees(*[("FLAT", "1", OUTSIDE)] * 11), "developerFee.fees"),
]


async def test_a_wrong_fee_is_refused(scenario: OfframpScenario, subtests: pytest.Subtests) -> None:
    for fees, field in BAD:
        with subtests.test(fees=fees):
            body = offramp_body(scenario.ada, scenario.account, developerFee=fees)
            answer = await scenario.org.send("POST", OFFRAMPS, body)
            assert refusal(answer) == FIELD
            assert sentence(answer).startswith(field)


async def test_legacy_fee_field_is_refused_by_name(scenario: OfframpScenario) -> None:
    body = offramp_body(scenario.ada, scenario.account) | {"fee": {"type": "PERCENT", "value": 1}}
    answer = await scenario.org.send("POST", OFFRAMPS, body)
    assert refusal(answer) == FIELD
    assert sentence(answer) == "fee is no longer supported: use developerFee"
    assert (await scenario.org.post(OFFRAMPS, body | {"fee": None}))["transferDetails"]["id"]


async def test_ten_beneficiaries_are_allowed(scenario: OfframpScenario) -> None:
    created = await scenario.quoted(100, developerFee=_fees(*[("PERCENTAGE", "1", OUTSIDE)] * 9))
    assert created["quoteInformation"]["sendGross"]["amount"] == "1000"


async def test_fees_go_with_dollars_only(org: Tenant) -> None:
    user = await make_payee(org, Rail.SOUTH_AMERICA_STANDARD)
    account = await make_account(org, user, way("brazil"))
    body = offramp_body(
        user,
        account,
        destination={"currency": "brl"},
        developerFee=_fees(("FLAT", "1", OUTSIDE)),
    )
    answer = await org.send("POST", OFFRAMPS, body)
    assert refusal(answer) == FIELD
    assert sentence(answer).startswith("developerFee ")


LINES = st.lists(
    st.one_of(
        st.tuples(st.just(OfframpFeeType.PERCENTAGE), st.integers(1, 10_000)),
        st.tuples(st.just(OfframpFeeType.FLAT), st.integers(1, 10**12)),
    ),
    max_size=10,
)


@given(units=st.integers(1, 10**30), lines=LINES)
def test_parts_sum_to_the_whole(units: int, lines: list[tuple[OfframpFeeType, int]]) -> None:
    amount = Money(units, USDC)
    fees = compute_fees(
        [
            FeeLine(
                type=kind,
                value=Decimal(value).scaleb(-4 if kind is OfframpFeeType.PERCENTAGE else -6),
                wallet_address=OUTSIDE,
                account_id=None,
            )
            for kind, value in lines
        ],
        amount,
    )
    gross = amount + total(fees, USDC)
    for fee, (kind, value) in zip(fees, lines, strict=True):
        if kind is OfframpFeeType.FLAT:
            assert fee.money.units == value
        else:
            assert fee.money.units == -(-units * value // 10_000)
    postings = spend_held(
        UUID(int=1),
        [(HouseRole.LIQUIDITY, amount), *((HouseRole.OUTSIDE, fee.money) for fee in fees)],
    )
    assert -postings[0].held_units == gross.units
    assert sum(each.available.units for each in postings) == gross.units
