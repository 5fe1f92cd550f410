"""Contract of the port to chains: one suite for the sandbox's chains and for real EVM chains."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID, uuid4

import pytest

from landbridge.platform.core.errors import InvariantBroken, Rejected
from landbridge.platform.core.money import Money
from landbridge.providers.chains.port import (
    ChainAction,
    ChainOrder,
    ChainOrderState,
    ChainOrderStatus,
    Chains,
)

COIN = 10**6


class ChainsUnderTest(Protocol):
    """Chains with what a test needs to use them, for one organisation."""

    @property
    def chains(self) -> Chains:
        """Return the adapter."""
        ...

    @property
    def other_org_id(self) -> UUID:
        """Return another organisation."""
        ...

    def later(self) -> datetime:
        """Return a time after which nothing of what was sent is pending."""
        ...

    async def order(self, *units: int) -> ChainOrder:
        """Return an order with coins for it, with a leg of these units for each new address."""
        ...

    async def impossible_order(self, *units: int) -> ChainOrder:
        """Return an order with coins for it, whose last leg the chain refuses."""
        ...

    async def follow(self, order: ChainOrder) -> list[ChainOrderStatus]:
        """Return the statuses of a sent order, until nothing can undo the last one."""
        ...

    async def paid_units(self, order: ChainOrder) -> list[int]:
        """Return the units that each leg's address has received."""
        ...


class ChainsContract:
    """Subclass with a fixture `system`."""

    # Form of a transaction's hash.
    hash_form = r"0x[0-9a-f]{64}"

    async def test_an_order_is_carried_out_once_with_one_result(
        self, system: ChainsUnderTest
    ) -> None:
        order = await system.order(COIN)
        first = await system.chains.send(order)
        again = await system.chains.send(order)
        later = await system.chains.send(replace(order, at=order.at + timedelta(seconds=1)))
        assert {each.transaction_hash for each in (again, later)} == {first.transaction_hash}
        *_, ended = await system.follow(order)
        assert await system.chains.send(replace(order, at=system.later())) == ended
        assert (await system.follow(order))[-1] == ended
        assert await system.paid_units(order) == [COIN]

    async def test_a_final_order_stays_final(self, system: ChainsUnderTest) -> None:
        order = await system.order(COIN)
        sent = await system.chains.send(order)
        *_, ended = await system.follow(order)
        assert ended.state is ChainOrderState.CONFIRMED
        assert (ended.expected_at, ended.reason) == (None, None)
        assert re.fullmatch(self.hash_form, ended.transaction_hash or "")
        assert sent.transaction_hash in (None, ended.transaction_hash)
        at = system.later()
        assert await system.chains.find_status(order.org_id, order.key, at) == ended

    async def test_a_confirmed_order_is_never_pending_again(self, system: ChainsUnderTest) -> None:
        order = await system.order(COIN)
        states = [(await system.chains.send(order)).state]
        states += [each.state for each in await system.follow(order)]
        pending = states.count(ChainOrderState.PENDING)
        assert set(states[:pending]) <= {ChainOrderState.PENDING}
        assert set(states[pending:]) == {ChainOrderState.CONFIRMED}

    async def test_a_pending_order_has_an_expected_time(self, system: ChainsUnderTest) -> None:
        order = await system.order(COIN)
        sent = await system.chains.send(order)
        assert (sent.state is ChainOrderState.PENDING) == (sent.expected_at is not None)
        assert sent.expected_at is None or sent.expected_at > order.at

    async def test_all_legs_of_an_order_are_paid(self, system: ChainsUnderTest) -> None:
        order = await system.order(COIN, 2 * COIN, 3 * COIN)
        await system.chains.send(order)
        assert (await system.follow(order))[-1].state is ChainOrderState.CONFIRMED
        assert await system.paid_units(order) == [COIN, 2 * COIN, 3 * COIN]

    async def test_no_leg_of_a_failed_order_is_paid(self, system: ChainsUnderTest) -> None:
        order = await system.impossible_order(COIN, 2 * COIN)
        await system.chains.send(order)
        *_, ended = await system.follow(order)
        assert (ended.state, ended.expected_at) == (ChainOrderState.FAILED, None)
        # It is stored in clear and shown, so it names neither addresses nor amounts.
        assert re.fullmatch(r"[a-zA-Z][^0-9]+", ended.reason or ""), ended.reason
        assert await system.paid_units(order) == [0, 0]
        assert await system.chains.send(replace(order, at=system.later())) == ended

    async def test_an_unknown_order_has_no_status(self, system: ChainsUnderTest) -> None:
        order = await system.order(COIN)
        assert await system.chains.find_status(order.org_id, order.key, order.at) is None

    async def test_a_key_is_its_organisations_own(self, system: ChainsUnderTest) -> None:
        order = await system.order(COIN)
        await system.chains.send(order)
        other, at = system.other_org_id, system.later()
        assert await system.chains.find_status(other, order.key, at) is None
        # The other organisation can use the same key for an order of its own.
        leg = order.legs[0]
        double = replace(leg, money=Money(2 * leg.money.units, leg.money.asset))
        await system.chains.send(replace(order, org_id=other, legs=(double,)))
        assert await system.chains.find_status(other, order.key, at) is not None

    async def test_a_key_never_carries_another_order(self, system: ChainsUnderTest) -> None:
        order, other = await system.order(COIN), await system.order(2 * COIN)
        await system.chains.send(order)
        with pytest.raises(InvariantBroken, match=r"another (order|content)"):
            await system.chains.send(replace(other, key=order.key))
        await system.follow(order)
        assert (await system.paid_units(order))[0] == COIN

    async def test_a_zero_amount_is_rejected_and_nothing_arrives(
        self, system: ChainsUnderTest
    ) -> None:
        order = await system.order(COIN, 2 * COIN)
        nothing = replace(order.legs[1], money=Money(0, order.legs[1].money.asset))
        with pytest.raises(Rejected):
            await system.chains.send(replace(order, legs=(order.legs[0], nothing)))
        at = system.later()
        assert await system.chains.find_status(order.org_id, order.key, at) is None

    @pytest.mark.parametrize("action", list(ChainAction))
    async def test_only_orders_that_are_carried_are_accepted(
        self, system: ChainsUnderTest, action: ChainAction
    ) -> None:
        order = replace(
            await system.order(COIN),
            action=action,
            key=uuid4(),
            into="BASE" if action in (ChainAction.APPROVE, ChainAction.BURN) else None,
            after=uuid4() if action is ChainAction.MINT else None,
        )
        if system.chains.carries(order.chain, action):
            await system.chains.send(order)
            found = await system.chains.find_status(order.org_id, order.key, system.later())
            assert found is not None
        else:
            with pytest.raises(Rejected):
                await system.chains.send(order)
            at = system.later()
            assert await system.chains.find_status(order.org_id, order.key, at) is None

    async def test_chains_with_coins_carry_transfers(self, system: ChainsUnderTest) -> None:
        for chain in ("POLYGON", "ETHEREUM", "BASE", "SOLANA"):
            is_carried = system.chains.carries(chain, ChainAction.TRANSFER)
            assert is_carried or not system.chains.holds_coins(chain)
