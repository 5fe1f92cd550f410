"""Decisions of people about orders: each is accepted or refused by the order's state."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from landbridge.ledger.model import HouseRole, Posting, Transfer, created_record
from landbridge.payments.bridges.model import TRANSITIONS, BridgeStatus
from landbridge.payments.engine.order_channels import ChannelStatus, OrderChannel, OrderState
from landbridge.payments.engine.outgoing_orders import OrderRefund, OutgoingOrder
from landbridge.payments.engine.resolution_actions import (
    ApprovedResolution,
    OrderResolver,
    ResolutionAction,
    ResolutionInstruction,
    TerminalResolution,
)
from landbridge.payments.engine.retry_until_settled import RetryExhausted
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, Unavailable, Unclear
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx
from tests.payments.reached_states import ACTOR, AT
from tests.payments.record_factories import PAYER, USDC, bridge_creation

ONE = Money(1, USDC)
DONE_JOURNAL = [Posting(HouseRole.OUTSIDE, -ONE), Posting(HouseRole.IN_TRANSIT, ONE)]
FAILED_JOURNAL = [Posting(HouseRole.OUTSIDE, -ONE), Posting(PAYER, ONE)]
OUTSIDE_JOURNAL = [Posting(HouseRole.IN_TRANSIT, -ONE), Posting(HouseRole.OUTSIDE, ONE)]
CHOSEN = {"return_address": "0xc"}


@dataclass(frozen=True)
class _Channel:
    """Provider that answers each look-up alike; `finds` may be an error."""

    finds: OrderState | Exception | None

    async def send(self) -> ChannelStatus:
        raise AssertionError("a decision sends nothing")

    async def find(self, at: datetime) -> ChannelStatus | None:
        del at
        if isinstance(self.finds, Exception):
            raise self.finds
        if self.finds is None:
            return None
        return ChannelStatus(state=self.finds, expected_at=None, reason=None)


# Results of a look-up, with the state that each one means.
FINDINGS: list[tuple[OrderState | Exception | None, OrderState | None]] = [
    (None, None),
    (OrderState.PENDING, OrderState.PENDING),
    (OrderState.DONE, OrderState.DONE),
    (OrderState.FAILED, OrderState.FAILED),
    (RetryExhausted("return", "no reason"), OrderState.FAILED),
    (Unavailable("no answer"), None),
    (Unclear("no answer"), None),
]


def _order(finds: OrderState | Exception | None, *, is_refund: bool) -> OutgoingOrder:
    channel = _Channel(finds)
    order = OutgoingOrder(
        channel=OrderChannel(channel.send, channel.find, hash_fact="transaction_hash"),
        transitions=TRANSITIONS,
        initiated=BridgeStatus.SOURCE_PENDING,
        done=BridgeStatus.SOURCE_PROCESSED,
        failed=BridgeStatus.SOURCE_FAILED,
        done_journal=DONE_JOURNAL,
        failed_journal=FAILED_JOURNAL,
    )
    if not is_refund:
        return order
    refund = OrderRefund(
        name="return",
        status=BridgeStatus.DESTINATION_FAILED,
        journal=FAILED_JOURNAL,
        outside_journal=OUTSIDE_JOURNAL,
    )
    return replace(
        order,
        initiated=BridgeStatus.DESTINATION_PENDING,
        done=BridgeStatus.DESTINATION_FAILED,
        failed=None,
        refund=refund,
    )


def _record(*, is_refund: bool) -> Transfer:
    status = BridgeStatus.DESTINATION_PENDING if is_refund else BridgeStatus.SOURCE_PENDING
    return replace(created_record(bridge_creation()), status=status)


def _resolver(order: OutgoingOrder | None, **fields: Any) -> OrderResolver:
    async def find_order(record: Transfer, clock_offset: timedelta) -> OutgoingOrder | None:
        del record, clock_offset
        return order

    return OrderResolver(TRANSITIONS, find_order, **fields)


def _decision(action: ResolutionAction, transaction_hash: str | None = None) -> ApprovedResolution:
    return ApprovedResolution(
        instruction=ResolutionInstruction(action=action, transaction_hash=transaction_hash),
        destination=CHOSEN,
        actor=ACTOR,
        clock_offset=timedelta(),
    )


def _accepts(action: ResolutionAction, found: OrderState | None, *, is_refund: bool) -> bool:
    match action:
        case _ if found is OrderState.DONE:
            return False
        case ResolutionAction.CONFIRM:
            return found is not OrderState.FAILED
        case ResolutionAction.FAIL:
            return not is_refund
        case ResolutionAction.REDIRECT | ResolutionAction.SETTLE_OUTSIDE:
            return is_refund and found is not OrderState.PENDING
        case _:
            return False


@pytest.mark.parametrize("finding", FINDINGS)
async def test_decision_fits_the_state_of_the_order(
    finding: tuple[OrderState | Exception | None, OrderState | None],
) -> None:
    for action, is_refund in product(ResolutionAction, [False, True]):
        await _check_decision(*finding, action, is_refund=is_refund)


async def _check_decision(
    finds: OrderState | Exception | None,
    found: OrderState | None,
    action: ResolutionAction,
    *,
    is_refund: bool,
) -> None:
    record = _record(is_refund=is_refund)
    resolver = _resolver(_order(finds, is_refund=is_refund))
    if not _accepts(action, found, is_refund=is_refund):
        with pytest.raises(ResourceConflict):
            await resolver.decide(record, _decision(action), AT)
        return
    move = await resolver.decide(record, _decision(action), AT)
    assert move is not None
    move.check(TRANSITIONS)
    journals = {
        ResolutionAction.CONFIRM: FAILED_JOURNAL if is_refund else DONE_JOURNAL,
        ResolutionAction.FAIL: FAILED_JOURNAL,
        ResolutionAction.SETTLE_OUTSIDE: OUTSIDE_JOURNAL,
        ResolutionAction.REDIRECT: [],
    }
    assert [each for journal in move.journals.values() for each in journal] == journals[action]
    assert (move.actor, move.transfer) == (ACTOR, record)
    if action is ResolutionAction.REDIRECT:
        # The refund starts a new round of keys, to its new destination.
        assert move.path == (record.status,)
        assert {"return_address": "0xc", "return_round": 1}.items() <= move.facts.items()
    assert (move.facts.get("is_settled_outside") is True) == (
        action is ResolutionAction.SETTLE_OUTSIDE
    )


@pytest.mark.parametrize("is_refund", [False, True])
async def test_offered_actions_are_those_that_an_unknown_order_accepts(*, is_refund: bool) -> None:
    record = _record(is_refund=is_refund)
    choices = await _resolver(_order(None, is_refund=is_refund)).choices(record, timedelta())
    assert choices is not None
    accepted = {each for each in ResolutionAction if _accepts(each, None, is_refund=is_refund)}
    assert set(choices.actions) == accepted


async def test_payment_without_an_order_takes_only_its_final_actions() -> None:
    async def carry_out(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
        raise AssertionError(f"nothing is executed here: {tx, record, actor, at}")

    record = _record(is_refund=False)
    assert await _resolver(None).choices(record, timedelta()) is None
    end = TerminalResolution(statuses=frozenset({record.status}), carry_out=carry_out)
    resolver = _resolver(None, ends={ResolutionAction.WRITE_OFF: end})
    choices = await resolver.choices(record, timedelta())
    assert choices is not None
    assert choices.actions == (ResolutionAction.WRITE_OFF,)
    assert await resolver.decide(record, _decision(ResolutionAction.WRITE_OFF), AT) is None
    for action in set(ResolutionAction) - {ResolutionAction.WRITE_OFF}:
        with pytest.raises(ResourceConflict, match="does not wait for an order"):
            await resolver.decide(record, _decision(action), AT)
    elsewhere = replace(record, status=BridgeStatus.COMPLETED)
    assert await resolver.choices(elsewhere, timedelta()) is None


@pytest.mark.parametrize("is_refund", [False, True])
async def test_transaction_hash_is_kept_and_refused_for_a_bank(*, is_refund: bool) -> None:
    record, order = _record(is_refund=is_refund), _order(None, is_refund=is_refund)
    move = await _resolver(order).decide(record, _decision(ResolutionAction.CONFIRM, "0x1"), AT)
    assert move is not None
    assert move.facts["transaction_hash"] == "0x1"
    at_bank = replace(order, channel=replace(order.channel, hash_fact=None))
    with pytest.raises(ResourceConflict, match="no transaction hash"):
        await _resolver(at_bank).decide(record, _decision(ResolutionAction.CONFIRM, "0x1"), AT)


@pytest.mark.parametrize("action", ResolutionAction)
@pytest.mark.parametrize("has_destinations", [False, True])
@pytest.mark.parametrize("name", ["address", "accountId", None])
async def test_destination_is_named_only_for_a_redirected_refund(
    action: ResolutionAction, name: str | None, *, has_destinations: bool
) -> None:
    async def find_destination(
        record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        del record, instruction, clock_offset
        return CHOSEN

    resolver = _resolver(None, find_destination=find_destination if has_destinations else None)
    instruction = ResolutionInstruction(
        action=action,
        address="0xc" if name == "address" else None,
        account_id=UUID(int=1) if name == "accountId" else None,
    )
    record = _record(is_refund=True)
    if name is None:
        assert await resolver.destination(record, instruction, timedelta()) == {}
    elif action is ResolutionAction.REDIRECT and has_destinations:
        assert await resolver.destination(record, instruction, timedelta()) == CHOSEN
    else:
        with pytest.raises(FieldInvalid) as refused:
            await resolver.destination(record, instruction, timedelta())
        assert refused.value.field == name
