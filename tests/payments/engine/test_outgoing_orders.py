"""Outgoing orders: each answer at each status, and retries."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from uuid import UUID

import pytest

from landbridge.ledger.model import AdvanceTransfer, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.order_channels import (
    ChannelStatus,
    OrderChannel,
    OrderState,
    until_settled,
)
from landbridge.payments.engine.outgoing_orders import (
    OrderSender,
    OutgoingOrder,
    apply_status,
    build_move,
    run_until_waiting,
)
from landbridge.payments.engine.retry_until_settled import RetryExhausted, retry_key
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import InvariantBroken, Unavailable
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database
from tests import make


class Status(StrEnum):
    CLAIMED = "CLAIMED"
    UNDER_WAY = "UNDER_WAY"
    UNKNOWN = "UNKNOWN"
    ARRIVED = "ARRIVED"
    LOST = "LOST"
    CLOSED = "CLOSED"


TRANSITIONS: Transitions[Status] = Transitions(
    start=frozenset({Status.CLAIMED}),
    table={
        Status.CLAIMED: frozenset({Status.UNDER_WAY, Status.LOST, Status.UNKNOWN, Status.ARRIVED}),
        Status.UNDER_WAY: frozenset({Status.ARRIVED, Status.LOST, Status.UNKNOWN}),
        Status.UNKNOWN: frozenset({Status.ARRIVED, Status.LOST}),
        Status.ARRIVED: frozenset({Status.CLOSED}),
        Status.LOST: frozenset(),
        Status.CLOSED: frozenset(),
    },
)
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)


async def _never() -> ChannelStatus:
    raise AssertionError("nothing is sent here")


async def _not_found(at: datetime) -> ChannelStatus | None:
    raise AssertionError(f"nothing is asked here at {at}")


def _sender(ledger: Ledger, clock: FrozenClock) -> OrderSender:
    return OrderSender(ledger, clock, screens_payments=False)


def _order(channel: OrderChannel | None = None, *, is_bare: bool = False) -> OutgoingOrder:
    return OutgoingOrder(
        channel=channel or OrderChannel(_never, _not_found),
        transitions=TRANSITIONS,
        initiated=Status.CLAIMED,
        done=Status.ARRIVED,
        pending=None if is_bare else Status.UNDER_WAY,
        failed=None if is_bare else Status.LOST,
        unknown=None if is_bare else Status.UNKNOWN,
    )


def _record(status: Status, *, due_at: datetime | None = NOW) -> Transfer:
    return Transfer(
        org_id=UUID(int=1),
        id=UUID(int=2),
        kind="TEST",
        user_id=UUID(int=3),
        request_id=UUID(int=4),
        request={},
        status=status,
        version=1,
        source_asset="usdc:POLYGON",
        source_units=1,
        destination_asset="usdc:POLYGON",
        destination_units=1,
        details={},
        facts={},
        due_at=due_at,
        created_at=NOW,
        updated_at=NOW,
    )


def _answer(state: OrderState, **facts: str | None) -> ChannelStatus:
    expected_at = LATER if state is OrderState.PENDING else None
    reason = "reverted" if state is OrderState.FAILED else None
    return ChannelStatus(state=state, expected_at=expected_at, reason=reason, facts=facts)


@pytest.mark.parametrize(
    ("status", "state", "path"),
    [
        (Status.CLAIMED, OrderState.PENDING, (Status.UNDER_WAY,)),
        (Status.CLAIMED, OrderState.DONE, (Status.UNDER_WAY, Status.ARRIVED)),
        (Status.CLAIMED, OrderState.FAILED, (Status.LOST,)),
        (Status.UNDER_WAY, OrderState.DONE, (Status.ARRIVED,)),
        (Status.UNDER_WAY, OrderState.FAILED, (Status.LOST,)),
        (Status.UNKNOWN, OrderState.DONE, (Status.ARRIVED,)),
        (Status.UNKNOWN, OrderState.FAILED, (Status.LOST,)),
    ],
)
def test_each_answer_at_each_status_is_a_transition(
    status: Status, state: OrderState, path: tuple[Status, ...]
) -> None:
    move = apply_status(_record(status), _order(), _answer(state, a="1", b=None), NOW)
    move.check(TRANSITIONS)
    assert move.path == path
    assert move.change_type == path[-1].lower()
    # Facts that the answer omits are kept.
    assert move.facts == {"a": "1"} | (
        {"failed_reason": "reverted"} if state is OrderState.FAILED else {}
    )
    # Polled when the result is expected; continued at once; or terminal.
    assert move.due_at == {OrderState.PENDING: LATER, OrderState.DONE: NOW}.get(state)


def test_without_pending_status_done_follows_the_claim() -> None:
    move = apply_status(
        _record(Status.CLAIMED), _order(is_bare=True), _answer(OrderState.DONE), NOW
    )
    assert move.path == (Status.ARRIVED,)


@pytest.mark.parametrize("state", [OrderState.PENDING, OrderState.FAILED])
def test_answer_without_a_status_raises(state: OrderState) -> None:
    with pytest.raises(InvariantBroken):
        apply_status(_record(Status.CLAIMED), _order(is_bare=True), _answer(state), NOW)


@pytest.mark.parametrize("hours", [23, 25, 1000])
async def test_order_that_must_arrive_is_looked_up_without_end(ledger: Ledger, hours: int) -> None:
    async def on_its_way() -> ChannelStatus:
        return ChannelStatus(state=OrderState.PENDING, expected_at=None, reason=None)

    clock = FrozenClock(NOW + timedelta(hours=hours))
    order_sender = _sender(ledger, clock)
    order = _order(OrderChannel(on_its_way, _not_found), is_bare=True)
    with pytest.raises(Unavailable):
        await order_sender.run(_record(Status.CLAIMED), order, timedelta())


async def _store(database: Database, record: Transfer) -> Transfer:
    found = await Ledger(database).find(record.org_id, record.id)
    assert found is not None
    return found


async def _opened(database: Database, ledger: Ledger) -> Transfer:
    """Create a stored record at its claim, due now."""
    org_id = await make.make_org(database)
    request = replace(make.opening(org_id, at=NOW), path=(Status.CLAIMED,), due_at=NOW)
    return make.opened(await ledger.create(request, TRANSITIONS))


@pytest.mark.parametrize("is_bare", [True, False])
async def test_pending_order_waits_until_its_result_is_expected(
    database: Database, ledger: Ledger, *, is_bare: bool
) -> None:
    expected_at = NOW + timedelta(days=3)

    async def send() -> ChannelStatus:
        return ChannelStatus(state=OrderState.PENDING, expected_at=expected_at, reason=None)

    async def find(at: datetime) -> ChannelStatus | None:
        return replace(await send(), expected_at=at + timedelta(hours=1))

    order_sender = _sender(ledger, FrozenClock(NOW))
    created = await _opened(database, ledger)
    moved = await order_sender.run(
        created, _order(OrderChannel(send, find), is_bare=is_bare), timedelta()
    )
    stored = await _store(database, created)
    assert stored.due_at == expected_at
    assert (stored.status, stored.version) == (
        (Status.CLAIMED, 1) if is_bare else (Status.UNDER_WAY, 2)
    )
    if moved is None:
        return
    # The answer changes then, and the order is still not given up.
    order_sender = _sender(ledger, FrozenClock(NOW + timedelta(days=9)))
    assert await order_sender.run(stored, _order(OrderChannel(_never, find)), timedelta()) is None
    assert (await _store(database, created)).due_at == NOW + timedelta(days=9, hours=1)


async def test_unknown_order_is_looked_up_every_hour(database: Database, ledger: Ledger) -> None:
    async def silent() -> ChannelStatus:
        raise Unavailable("silent")

    async def find(at: datetime) -> ChannelStatus | None:
        raise Unavailable(f"silent at {at}")

    order = _order(OrderChannel(silent, find))
    created = await _opened(database, ledger)
    at = NOW + timedelta(days=1)
    unknown = await _sender(ledger, FrozenClock(at)).run(created, order, timedelta())
    assert unknown is not None
    for hour in range(1, 4):
        stored = await _store(database, created)
        assert (stored.status, stored.due_at) == (Status.UNKNOWN, at + timedelta(hours=hour))
        with pytest.raises(Unavailable):
            await OrderSender(
                ledger, FrozenClock(at + timedelta(hours=hour)), screens_payments=False
            ).run(stored, order, timedelta())


@pytest.mark.parametrize("reason", [None, "somebody is frozen"])
async def test_order_that_never_arrived_is_sent_again_unless_frozen(
    ledger: Ledger, reason: str | None
) -> None:
    sent: list[int] = []

    async def send() -> ChannelStatus:
        sent.append(1)
        return _answer(OrderState.DONE)

    async def find(at: datetime) -> ChannelStatus | None:
        del at

    async def find_block_reason() -> str | None:
        return reason

    order = replace(_order(OrderChannel(send, find)), find_block_reason=find_block_reason)
    order_sender = _sender(ledger, FrozenClock(NOW + timedelta(days=2)))
    if reason is None:
        await order_sender.run(_record(Status.UNKNOWN), order, timedelta())
    else:
        with pytest.raises(Unavailable, match=reason):
            await order_sender.run(_record(Status.UNKNOWN), order, timedelta())
    assert len(sent) == (reason is None)


@pytest.mark.parametrize("found", [None, OrderState.DONE])
@pytest.mark.parametrize("is_claimed_now", [True, False])
async def test_claimed_order_is_only_looked_up_while_frozen(
    database: Database, ledger: Ledger, found: OrderState | None, *, is_claimed_now: bool
) -> None:
    calls: list[str] = []

    async def send() -> ChannelStatus:
        calls.append("send")
        return _answer(OrderState.DONE)

    async def find(at: datetime) -> ChannelStatus | None:
        calls.append(f"look {at}")
        return None if found is None else _answer(found)

    async def find_block_reason() -> str | None:
        return "somebody is frozen"

    order = replace(_order(OrderChannel(send, find)), find_block_reason=find_block_reason)
    order_sender, created = (
        _sender(ledger, FrozenClock(NOW)),
        await _opened(database, ledger),
    )
    if not is_claimed_now and found is None:
        with pytest.raises(Unavailable, match="somebody is frozen"):
            await order_sender.run(created, order, timedelta())
        assert (await _store(database, created)).status == Status.CLAIMED
    else:
        await order_sender.run(created, order, timedelta(), is_claimed_now=is_claimed_now)
        assert (await _store(database, created)).status == Status.ARRIVED
    assert calls == (["send"] if is_claimed_now else [f"look {NOW}"])


async def test_order_that_must_arrive_gets_a_new_key_after_each_refusal(
    database: Database, ledger: Ledger
) -> None:
    async def refuse() -> ChannelStatus:
        return replace(_answer(OrderState.FAILED), reason="closed\x00\nfor good" + "!" * 300)

    order = _order(until_settled(OrderChannel(refuse, _not_found), "back"), is_bare=True)
    record = await _opened(database, ledger)
    keys = [retry_key(record, "back")]
    at = NOW
    for minutes in (1, 2, 4):
        with pytest.raises(RetryExhausted) as refused:
            await _sender(ledger, FrozenClock(at)).run(record, order, timedelta())
        # A worker with a stale read changes nothing.
        with pytest.raises(RetryExhausted):
            await _sender(ledger, FrozenClock(at)).run(record, order, timedelta())
        assert refused.value.pause == timedelta(minutes=minutes)
        assert str(refused.value).startswith("back: closed for good!")
        assert len(str(refused.value)) < 210
        at += timedelta(minutes=minutes)
        record = await _store(database, record)
        assert (record.due_at, record.version) == (at, 1)
        keys.append(retry_key(record, "back"))
    assert keys[0] == derived_id(record.id, "back")
    assert len(set(keys)) == 4
    assert record.facts["back_attempts"] == 3
    assert record.facts["back_refusal"].startswith("closed for good!")


def test_a_reason_is_one_short_printable_line() -> None:
    answer = replace(_answer(OrderState.FAILED), reason="a\u2028b\x1b[31m\ud800" + "é" * 500)
    move = apply_status(_record(Status.CLAIMED), _order(), answer, NOW)
    assert move.facts["failed_reason"] == ("a b [31m " + "é" * 500)[:200]


async def test_record_without_an_order_raises(ledger: Ledger) -> None:
    order_sender = _sender(ledger, FrozenClock(NOW))
    with pytest.raises(InvariantBroken):
        await order_sender.run(_record(Status.ARRIVED), _order(), timedelta())


async def test_record_runs_on_while_it_is_due_at_once() -> None:
    statuses: list[str] = []

    async def step(record: Transfer) -> Transfer | None:
        statuses.append(record.status)
        match Status(record.status):
            case Status.CLAIMED:
                return _record(Status.UNDER_WAY)
            case Status.UNDER_WAY:
                return _record(Status.UNKNOWN, due_at=LATER)
            case _:
                raise AssertionError("it waits")

    await run_until_waiting(_record(Status.CLAIMED), step)
    assert statuses == [Status.CLAIMED, Status.UNDER_WAY]


def test_terminal_status_has_no_due_time() -> None:
    move: AdvanceTransfer = build_move(
        _record(Status.ARRIVED), TRANSITIONS, Status.CLOSED, at=LATER
    )
    assert (move.change_type, move.due_at, move.journals) == ("closed", None, {})
