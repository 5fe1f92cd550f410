"""What follows from the chain's blocks, for any sequence of them; without a chain."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.evm.configuration import SponsorMethod
from landbridge.providers.evm.fees import GasFees
from landbridge.providers.evm.outbox.model import (
    FINAL_STATES,
    AttemptKind,
    OutboxOrder,
    OutboxState,
    PaymentLeg,
    TransactionAttempt,
)
from landbridge.providers.evm.outbox.plans import execute_gas, with_margin
from landbridge.providers.evm.outbox.tracking import ChainView, follow

_AT = datetime(2026, 11, 25, tzinfo=UTC)
_ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
_ID = UUID(int=1)
_BLOCKS = 12


def _order() -> OutboxOrder:
    return OutboxOrder(
        org_id=_ID,
        key=_ID,
        record_id=_ID,
        chain="POLYGON",
        currency="usdc",
        source=_ADDRESS,
        wallet_id=None,
        legs=(PaymentLeg(_ADDRESS, 1),),
        method=SponsorMethod.EIP3009,
        step=0,
        state=OutboxState.SENT,
        reason=None,
        transaction_hash=None,
        confirmed_at=None,
        created_at=_AT,
        due_at=_AT,
    )


def _attempt(name: str, *, is_payment: bool) -> TransactionAttempt:
    return TransactionAttempt(
        hash=name,
        account=_ADDRESS,
        nonce=0,
        org_id=_ID,
        key=_ID,
        step=0,
        kind=AttemptKind.ORIGINAL,
        is_payment=is_payment,
        raw=b"",
        request=b"",
        fees=GasFees(max_fee_wei=1, tip_wei=1),
        created_at=_AT,
    )


# At one moment: head, finality behind it, which of two attempts a block has, and with what result.
_MOMENTS = st.tuples(
    st.integers(0, _BLOCKS),
    st.integers(0, 6),
    st.sampled_from([None, 0, 1]),
    st.integers(0, _BLOCKS),
    st.booleans(),
)


@given(
    moments=st.lists(_MOMENTS, max_size=12),
    confirmations=st.integers(1, 5),
    is_payment=st.booleans(),
)
def test_no_sequence_of_blocks_breaks_an_order(
    moments: list[tuple[int, int, int | None, int, bool]], confirmations: int, *, is_payment: bool
) -> None:
    order = _order()
    attempts = [_attempt(name, is_payment=is_payment) for name in ("0x01", "0x02")]
    for count, (head, lag, mined, depth, is_success) in enumerate(moments):
        at = _AT + timedelta(seconds=count)
        block = max(head - depth, 0)
        view = ChainView(head=head, final_block=head - lag, confirmations=confirmations)
        current = [
            replace(each, block_number=block, block_hash="0x0b", is_success=is_success)
            if place == mined
            else each
            for place, each in enumerate(attempts)
        ]
        new = follow(order, current, view, at)
        assert new.state is not OutboxState.REJECTED
        if order.confirmed_at is not None:
            assert new.confirmed_at == order.confirmed_at
        if new.state is OutboxState.CREATED:
            # Only what prepares a payment is followed by another transaction.
            assert not is_payment
            assert mined is not None
            assert head - block + 1 >= confirmations
            assert new.step == order.step + 1
            return
        assert new.step == order.step
        if new.state in FINAL_STATES:
            assert mined is not None
            assert is_payment
            assert block <= view.final_block
            assert (new.state is OutboxState.FINAL) == is_success
            return
        if new.state is OutboxState.CONFIRMED:
            assert mined is not None
            assert is_success
            assert head - block + 1 >= confirmations
            assert new.transaction_hash == attempts[mined].hash
        if mined is None and order.state in (OutboxState.MINED, OutboxState.CONFIRMED):
            assert new.state is OutboxState.SENT
        order = new


@given(st.lists(st.integers(0, 10**6), max_size=100), st.integers(0, 10**5), st.integers(0, 1))
def test_gas_of_calls_covers_each_of_them(
    estimates: list[int], data_bytes: int, delegations: int
) -> None:
    gas = execute_gas(estimates, data_bytes=data_bytes, delegations=delegations)
    assert gas >= sum(max(each - 21_000, 0) for each in estimates) + 21_000 + 40 * data_bytes
    assert gas <= execute_gas([*estimates, 30_000], data_bytes=data_bytes, delegations=delegations)


@given(st.integers(0, 10**9))
def test_a_margin_never_lowers_gas(gas: int) -> None:
    assert gas <= with_margin(gas) <= 2 * gas
