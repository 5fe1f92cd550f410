"""What every adapter of the chains' and the banks' ports must do; each hands its own in."""

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from landbridge.chains.port import Action, Chains, Leg, Order, Sent, SentState
from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.errors import Rejected
from landbridge.core.money import Money
from landbridge.rails.currencies import FIAT
from landbridge.rails.port import Paid, PaidState, Payment, Rails

# A Wednesday morning in New York.
AT = datetime(2026, 3, 4, 14, 0, tzinfo=UTC)
# Further than anything takes.
MUCH_LATER = timedelta(days=14)


def order(
    org_id: UUID,
    *,
    key: UUID | None = None,
    action: Action = Action.TRANSFER,
    chain: str = "POLYGON",
    units: int = 1_000_000,
    at: datetime = AT,
) -> Order:
    """Coins for one address."""
    asset = TOKENS[Chain.POLYGON, "usdc"].asset
    return Order(
        org_id=org_id,
        key=key or uuid4(),
        record_id=uuid4(),
        action=action,
        chain=chain,
        source="0x" + "1" * 40,
        wallet_id=None,
        legs=(Leg("0x" + "2" * 40, Money(units, asset)),),
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
) -> Payment:
    """A hundred dollars for somebody."""
    return Payment(
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


class ChainsContract:
    """Subclass with fixtures `chains` and `org_id`."""

    async def test_an_order_is_carried_once_and_answered_alike(
        self, chains: Chains, org_id: UUID
    ) -> None:
        asked = order(org_id)
        first = await chains.send(asked)
        again = await chains.send(asked)
        later = await chains.send(order(org_id, key=asked.key, at=AT + timedelta(seconds=1)))
        assert {each.transaction_hash for each in (again, later)} == {first.transaction_hash}

    async def test_an_order_ends_and_stays_so(self, chains: Chains, org_id: UUID) -> None:
        asked = order(org_id)
        sent = await chains.send(asked)
        ended = await chains.look(org_id, asked.key, AT + MUCH_LATER)
        assert ended is not None
        assert (ended.state, ended.expected_at) == (SentState.CONFIRMED, None)
        assert sent.transaction_hash in (None, ended.transaction_hash)
        assert await chains.send(order(org_id, key=asked.key, at=AT + MUCH_LATER)) == ended

    async def test_what_is_pending_says_when_to_ask(self, chains: Chains, org_id: UUID) -> None:
        sent = await chains.send(order(org_id))
        assert (sent.state is SentState.PENDING) == (sent.expected_at is not None)
        assert sent.expected_at is None or sent.expected_at > AT

    async def test_an_order_that_never_came_is_not_known(
        self, chains: Chains, org_id: UUID
    ) -> None:
        assert await chains.look(org_id, uuid4(), AT) is None

    async def test_a_key_is_its_organisations_own(self, chains: Chains, org_id: UUID) -> None:
        asked = order(org_id)
        await chains.send(asked)
        assert await chains.look(uuid4(), asked.key, AT + MUCH_LATER) is None

    async def test_nothing_is_not_carried(self, chains: Chains, org_id: UUID) -> None:
        asked = order(org_id, units=0)
        with pytest.raises(Rejected):
            await chains.send(asked)
        assert await chains.look(org_id, asked.key, AT + MUCH_LATER) is None

    @pytest.mark.parametrize("chain", ["POLYGON", "ETHEREUM", "BASE", "OPTIMISM", "ARBITRUM"])
    async def test_hashes_are_spelled_as_evm_chains_do(
        self, chains: Chains, org_id: UUID, chain: str
    ) -> None:
        sent = await self._ended(chains, order(org_id, chain=chain))
        for each in (sent.transaction_hash, sent.user_op_hash):
            assert re.fullmatch(r"0x[0-9a-f]{64}", each or "")
        assert sent.transaction_hash != sent.user_op_hash

    async def test_hashes_are_spelled_as_solana_does(self, chains: Chains, org_id: UUID) -> None:
        sent = await self._ended(chains, order(org_id, chain="SOLANA"))
        assert re.fullmatch(r"[1-9A-HJ-NP-Za-km-z]{80,90}", sent.transaction_hash or "")
        assert sent.user_op_hash is None

    async def _ended(self, chains: Chains, asked: Order) -> Sent:
        await chains.send(asked)
        ended = await chains.look(asked.org_id, asked.key, AT + MUCH_LATER)
        assert ended is not None
        return ended


RAILS = ["ach", "wire", "rtp", "swift", "sepa", "sepaInstant", "pix", "spei", "fps", "chats", "x"]


class RailsContract:
    """Subclass with fixtures `rails` and `org_id`."""

    async def test_a_payment_is_made_once_and_answered_alike(
        self, rails: Rails, org_id: UUID
    ) -> None:
        asked = payment(org_id)
        first = await rails.pay(asked)
        again = await rails.pay(asked)
        later = await rails.pay(payment(org_id, key=asked.key, at=AT + timedelta(seconds=1)))
        assert again == first
        assert later.tracking == first.tracking

    @pytest.mark.parametrize("rail", RAILS)
    async def test_a_payment_ends_and_stays_so(self, rails: Rails, org_id: UUID, rail: str) -> None:
        asked = payment(org_id, rail=rail)
        paid = await rails.pay(asked)
        assert paid.tracking.payment_rail == rail
        ended = await rails.look(org_id, asked.key, AT + MUCH_LATER)
        assert ended is not None
        assert (ended.state, ended.expected_at) == (PaidState.SETTLED, None)
        assert ended.tracking == paid.tracking
        replayed = await rails.pay(payment(org_id, key=asked.key, rail=rail, at=AT + MUCH_LATER))
        assert replayed == ended

    async def test_what_is_pending_says_when_to_ask(self, rails: Rails, org_id: UUID) -> None:
        paid = await rails.pay(payment(org_id))
        assert (paid.state is PaidState.PENDING) == (paid.expected_at is not None)
        assert paid.expected_at is None or paid.expected_at > AT

    async def test_a_payment_that_never_came_is_not_known(self, rails: Rails, org_id: UUID) -> None:
        assert await rails.look(org_id, uuid4(), AT) is None

    async def test_a_key_is_its_organisations_own(self, rails: Rails, org_id: UUID) -> None:
        asked = payment(org_id)
        await rails.pay(asked)
        assert await rails.look(uuid4(), asked.key, AT + MUCH_LATER) is None

    async def test_nothing_is_not_paid(self, rails: Rails, org_id: UUID) -> None:
        asked = payment(org_id, units=0)
        with pytest.raises(Rejected):
            await rails.pay(asked)
        assert await rails.look(org_id, asked.key, AT + MUCH_LATER) is None

    async def test_tracking_is_as_banks_spell_it(self, rails: Rails, org_id: UUID) -> None:
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

    async def test_a_currency_that_nobody_takes_has_no_coordinates(
        self, rails: Rails, org_id: UUID
    ) -> None:
        assert await rails.coordinates(org_id, "xau", "1") is None

    async def _paid(self, rails: Rails, asked: Payment) -> Paid:
        await rails.pay(asked)
        ended = await rails.look(asked.org_id, asked.key, AT + MUCH_LATER)
        assert ended is not None
        return ended
