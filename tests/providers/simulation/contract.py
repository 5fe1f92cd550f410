"""The sandbox's chains for the suite of all chains, and the contract of the port to banks."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import msgspec
import pytest

from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import (
    ChainAction,
    ChainOrder,
    ChainOrderStatus,
    Chains,
    OrderLeg,
)
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import (
    RailPayment,
    RailPaymentState,
    RailPaymentStatus,
    Rails,
)
from landbridge.providers.simulation.model import OrderResult
from landbridge.providers.simulation.outcome_plans import read_plan
from tests.make import make_org
from tests.providers.chains_contract import ChainsContract, ChainsUnderTest
from tests.providers.simulation.builders import make_scripted_outcomes

_CHAIN_ORDER = """
select request, outcome from sandbox_orders where org_id = $1 and system = 'chain' and key = $2
"""

# A Wednesday morning in New York.
AT = datetime(2026, 3, 4, 14, 0, tzinfo=UTC)
# Longer than any latency.
MUCH_LATER = timedelta(days=14)


def order(
    org_id: UUID,
    *,
    key: UUID | None = None,
    action: ChainAction = ChainAction.TRANSFER,
    chain: str = "POLYGON",
    units: int = 1_000_000,
    at: datetime = AT,
) -> ChainOrder:
    """Build an order for one address."""
    asset = TOKENS[Chain.POLYGON, "usdc"].asset
    return ChainOrder(
        org_id=org_id,
        key=key or uuid4(),
        record_id=uuid4(),
        action=action,
        chain=chain,
        source="0x" + "1" * 40,
        wallet_id=None,
        legs=(OrderLeg("0x" + "2" * 40, Money(units, asset)),),
        at=at,
    )


def payment(
    org_id: UUID,
    *,
    key: UUID | None = None,
    rail: str = "ach",
    currency: str = "usd",
    units: int = 10_000,
    is_same_day: bool = False,
    at: datetime = AT,
    returns: UUID | None = None,
) -> RailPayment:
    """Build a payment of a hundred dollars."""
    return RailPayment(
        org_id=org_id,
        key=key or uuid4(),
        record_id=uuid4(),
        money=Money(units, FIAT[currency]),
        rail=rail,
        is_same_day=is_same_day,
        payee={
            "accountHolder": {"name": "Ada Example"},
            "routingNumber": "091000019",
            "accountNumber": "000123456789",
        },
        texts={},
        at=at,
        returns=returns,
    )


@dataclass
class SandboxSystem:
    """The sandbox's chains, for the suite that all chains share."""

    chains: Chains
    org_id: UUID
    other_org_id: UUID
    database: Database

    def later(self) -> datetime:
        """Return a time after any latency."""
        return AT + MUCH_LATER

    async def order(self, *units: int) -> ChainOrder:
        """Return an order for as many addresses."""
        made = order(self.org_id)
        asset = made.legs[0].money.asset
        legs = tuple(OrderLeg(f"0x{n:040x}", Money(each, asset)) for n, each in enumerate(units, 1))
        return replace(made, legs=legs)

    async def impossible_order(self, *units: int) -> ChainOrder:
        """Return an order whose scripted outcome is a failure."""
        made = await self.order(*units)
        plan = read_plan("confirmation=reject")
        await self.database.transact(
            lambda tx: make_scripted_outcomes(self.database).store_plan(
                tx, made.org_id, made.record_id, plan
            )
        )
        return made

    async def follow(self, order: ChainOrder) -> list[ChainOrderStatus]:
        """Return the statuses, or only the last one if the order has ended."""
        statuses: list[ChainOrderStatus] = []
        for at in (AT, AT + timedelta(seconds=10), self.later()):
            found = await self.chains.find_status(order.org_id, order.key, at)
            assert found is not None
            statuses.append(found)
            if found.expected_at is None:
                break
        return statuses

    async def paid_units(self, order: ChainOrder) -> list[int]:
        """Return the units of each leg of the stored orders that were carried out."""
        paid: Counter[str] = Counter()
        for row in await self.database.rows(_CHAIN_ORDER, order.org_id, order.key):
            if row["outcome"] == OrderResult.DONE:
                legs = msgspec.json.decode(row["request"])["legs"]
                paid.update({leg["address"]: int(leg["units"]) for leg in legs})
        return [paid[leg.address] for leg in order.legs]


class SandboxChainsContract(ChainsContract):
    """What the sandbox's chains fulfil beyond the port; subclass with `chains` and `org_id`."""

    @pytest.fixture
    async def system(self, chains: Chains, org_id: UUID, database: Database) -> ChainsUnderTest:
        return SandboxSystem(chains, org_id, await make_org(database), database)

    @pytest.mark.parametrize("chain", ["POLYGON", "ETHEREUM", "BASE", "OPTIMISM", "ARBITRUM"])
    async def test_evm_hashes_have_the_evm_format(
        self, chains: Chains, org_id: UUID, chain: str
    ) -> None:
        sent = await self._ended(chains, order(org_id, chain=chain))
        for each in (sent.transaction_hash, sent.user_op_hash):
            assert re.fullmatch(r"0x[0-9a-f]{64}", each or "")
        assert sent.transaction_hash != sent.user_op_hash

    async def test_solana_hashes_have_the_solana_format(self, chains: Chains, org_id: UUID) -> None:
        sent = await self._ended(chains, order(org_id, chain="SOLANA"))
        assert re.fullmatch(r"[1-9A-HJ-NP-Za-km-z]{80,90}", sent.transaction_hash or "")
        assert sent.user_op_hash is None

    async def _ended(self, chains: Chains, sent: ChainOrder) -> ChainOrderStatus:
        await chains.send(sent)
        ended = await chains.find_status(sent.org_id, sent.key, AT + MUCH_LATER)
        assert ended is not None
        return ended


RAILS = ["ach", "wire", "rtp", "swift", "sepa", "sepaInstant", "pix", "spei", "fps", "chats", "x"]


class RailsContract:
    """Subclass with fixtures `rails` and `org_id`."""

    async def test_a_payment_is_made_once_with_one_result(self, rails: Rails, org_id: UUID) -> None:
        sent = payment(org_id)
        first = await rails.pay(sent)
        again = await rails.pay(sent)
        later = await rails.pay(payment(org_id, key=sent.key, at=AT + timedelta(seconds=1)))
        assert again == first
        assert later.tracking == first.tracking

    @pytest.mark.parametrize("rail", RAILS)
    async def test_a_final_payment_stays_final(self, rails: Rails, org_id: UUID, rail: str) -> None:
        sent = payment(org_id, rail=rail)
        paid = await rails.pay(sent)
        assert paid.tracking.payment_rail == rail
        ended = await rails.find_status(org_id, sent.key, AT + MUCH_LATER)
        assert ended is not None
        assert (ended.state, ended.expected_at) == (RailPaymentState.SETTLED, None)
        assert ended.tracking == paid.tracking
        replayed = await rails.pay(payment(org_id, key=sent.key, rail=rail, at=AT + MUCH_LATER))
        assert replayed == ended

    async def test_a_pending_order_has_an_expected_time(self, rails: Rails, org_id: UUID) -> None:
        paid = await rails.pay(payment(org_id))
        assert (paid.state is RailPaymentState.PENDING) == (paid.expected_at is not None)
        assert paid.expected_at is None or paid.expected_at > AT

    async def test_an_unknown_payment_has_no_status(self, rails: Rails, org_id: UUID) -> None:
        assert await rails.find_status(org_id, uuid4(), AT) is None

    async def test_a_key_is_its_organisations_own(self, rails: Rails, org_id: UUID) -> None:
        sent = payment(org_id)
        await rails.pay(sent)
        assert await rails.find_status(uuid4(), sent.key, AT + MUCH_LATER) is None

    async def test_a_zero_payment_is_rejected(self, rails: Rails, org_id: UUID) -> None:
        sent = payment(org_id, units=0)
        with pytest.raises(Rejected):
            await rails.pay(sent)
        assert await rails.find_status(org_id, sent.key, AT + MUCH_LATER) is None

    async def test_tracking_follows_the_banks_formats(self, rails: Rails, org_id: UUID) -> None:
        ach = await self._paid(rails, payment(org_id, rail="ach"))
        assert re.fullmatch(r"\d{15}", ach.tracking.trace_number or "")
        wire = await self._paid(rails, payment(org_id, rail="wire"))
        assert re.fullmatch(r"20260304\w{8}\d{6}", wire.tracking.imad or "")
        assert re.fullmatch(r"20260304\w{8}\d{6}\d{8}FT\d\d", wire.tracking.omad or "")
        swift = await self._paid(rails, payment(org_id, rail="swift"))
        assert UUID(swift.tracking.uetr or "").version == 4

    async def test_account_numbers_are_the_same_for_the_same_seed(
        self, rails: Rails, org_id: UUID
    ) -> None:
        seed = uuid4()
        number = await rails.new_account_number(org_id, "usd", seed)
        assert re.fullmatch(r"\d{4,17}", number)
        assert await rails.new_account_number(org_id, "usd", seed) == number
        assert await rails.new_account_number(org_id, "usd", uuid4()) != number

    async def test_dollars_can_be_sent_to_an_account(self, rails: Rails, org_id: UUID) -> None:
        number = await rails.new_account_number(org_id, "usd", uuid4())
        where = await rails.coordinates(org_id, "usd", number)
        assert where is not None
        assert set(where.rails) == {"ach", "wire", "rtp"}
        for routing, account in where.rails.values():
            weights = (3, 7, 1) * 3
            digits = [int(each) for each in routing]
            assert len(digits) == 9
            assert sum(a * b for a, b in zip(weights, digits, strict=True)) % 10 == 0
            assert account == number

    async def test_an_unsupported_currency_has_no_coordinates(
        self, rails: Rails, org_id: UUID
    ) -> None:
        assert await rails.coordinates(org_id, "xau", "1") is None

    async def _paid(self, rails: Rails, sent: RailPayment) -> RailPaymentStatus:
        await rails.pay(sent)
        ended = await rails.find_status(sent.org_id, sent.key, AT + MUCH_LATER)
        assert ended is not None
        return ended
