"""The record of an order, at each station and for each answer."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from uuid import UUID

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Broken, Unavailable
from landbridge.core.ids import derived_id
from landbridge.core.states import Moves
from landbridge.db.pool import Database
from landbridge.ledger.model import Move, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.insistence import StillRefused, key_to_insist
from landbridge.payments.sending import Errand, Sending, answered, as_far_as_it_goes, going
from landbridge.payments.ways import Answer, Standing, Way, insisting
from tests import make


class Status(StrEnum):
    CLAIMED = "CLAIMED"
    UNDER_WAY = "UNDER_WAY"
    UNKNOWN = "UNKNOWN"
    ARRIVED = "ARRIVED"
    LOST = "LOST"
    CLOSED = "CLOSED"


MOVES: Moves[Status] = Moves(
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


async def _never() -> Answer:
    raise AssertionError("nothing is sent here")


async def _no_look(at: datetime) -> Answer | None:
    raise AssertionError(f"nothing is asked here at {at}")


def _errand(way: Way | None = None, *, is_bare: bool = False) -> Errand:
    return Errand(
        way=way or Way(_never, _no_look),
        moves=MOVES,
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


def _answer(standing: Standing, **facts: str | None) -> Answer:
    expected_at = LATER if standing is Standing.PENDING else None
    reason = "reverted" if standing is Standing.FAILED else None
    return Answer(standing=standing, expected_at=expected_at, reason=reason, facts=facts)


@pytest.mark.parametrize(
    ("status", "standing", "path"),
    [
        (Status.CLAIMED, Standing.PENDING, (Status.UNDER_WAY,)),
        (Status.CLAIMED, Standing.DONE, (Status.UNDER_WAY, Status.ARRIVED)),
        (Status.CLAIMED, Standing.FAILED, (Status.LOST,)),
        (Status.UNDER_WAY, Standing.DONE, (Status.ARRIVED,)),
        (Status.UNDER_WAY, Standing.FAILED, (Status.LOST,)),
        (Status.UNKNOWN, Standing.DONE, (Status.ARRIVED,)),
        (Status.UNKNOWN, Standing.FAILED, (Status.LOST,)),
    ],
)
def test_each_answer_at_each_station_is_a_move(
    status: Status, standing: Standing, path: tuple[Status, ...]
) -> None:
    move = answered(_record(status), _errand(), _answer(standing, a="1", b=None), NOW)
    move.check(MOVES)
    assert move.path == path
    assert move.what == path[-1].lower()
    # What the other side did not tell is not forgotten.
    assert move.facts == {"a": "1"} | (
        {"failed_reason": "reverted"} if standing is Standing.FAILED else {}
    )
    # Asked again when it is expected; gone on with at once; or an end.
    assert move.due_at == {Standing.PENDING: LATER, Standing.DONE: NOW}.get(standing)


def test_without_a_status_on_the_way_it_is_done_from_the_claim() -> None:
    move = answered(_record(Status.CLAIMED), _errand(is_bare=True), _answer(Standing.DONE), NOW)
    assert move.path == (Status.ARRIVED,)


@pytest.mark.parametrize("standing", [Standing.PENDING, Standing.FAILED])
def test_what_a_flow_has_no_status_for_is_a_fault(standing: Standing) -> None:
    with pytest.raises(Broken):
        answered(_record(Status.CLAIMED), _errand(is_bare=True), _answer(standing), NOW)


@pytest.mark.parametrize("hours", [23, 25, 1000])
async def test_what_must_arrive_is_asked_about_without_end(ledger: Ledger, hours: int) -> None:
    async def on_its_way() -> Answer:
        return Answer(standing=Standing.PENDING, expected_at=None, reason=None)

    clock = FrozenClock(NOW + timedelta(hours=hours))
    sending = Sending(ledger, clock)
    errand = _errand(Way(on_its_way, _no_look), is_bare=True)
    with pytest.raises(Unavailable):
        await sending.run(_record(Status.CLAIMED), errand, timedelta())


async def _kept(database: Database, record: Transfer) -> Transfer:
    found = await Ledger(database).find(record.org_id, record.id)
    assert found is not None
    return found


async def _opened(database: Database, ledger: Ledger) -> Transfer:
    """A record that is kept, at the claim, due now."""
    org_id = await make.make_org(database)
    asked = replace(make.opening(org_id, at=NOW), path=(Status.CLAIMED,), due_at=NOW)
    return make.opened(await ledger.open(asked, MOVES))


@pytest.mark.parametrize("is_bare", [True, False])
async def test_what_is_on_its_way_waits_until_it_is_expected(
    database: Database, ledger: Ledger, *, is_bare: bool
) -> None:
    expected_at = NOW + timedelta(days=3)

    async def send() -> Answer:
        return Answer(standing=Standing.PENDING, expected_at=expected_at, reason=None)

    async def look(at: datetime) -> Answer | None:
        return replace(await send(), expected_at=at + timedelta(hours=1))

    sending = Sending(ledger, FrozenClock(NOW))
    opened = await _opened(database, ledger)
    moved = await sending.run(opened, _errand(Way(send, look), is_bare=is_bare), timedelta())
    kept = await _kept(database, opened)
    assert kept.due_at == expected_at
    assert (kept.status, kept.version) == (
        (Status.CLAIMED, 1) if is_bare else (Status.UNDER_WAY, 2)
    )
    if moved is None:
        return
    # It says something else then, and is still not given up.
    sending = Sending(ledger, FrozenClock(NOW + timedelta(days=9)))
    assert await sending.run(kept, _errand(Way(_never, look)), timedelta()) is None
    assert (await _kept(database, opened)).due_at == NOW + timedelta(days=9, hours=1)


async def test_an_unknown_one_is_asked_about_every_hour(database: Database, ledger: Ledger) -> None:
    async def silent() -> Answer:
        raise Unavailable("silent")

    async def look(at: datetime) -> Answer | None:
        raise Unavailable(f"silent at {at}")

    errand = _errand(Way(silent, look))
    opened = await _opened(database, ledger)
    at = NOW + timedelta(days=1)
    unknown = await Sending(ledger, FrozenClock(at)).run(opened, errand, timedelta())
    assert unknown is not None
    for hour in range(1, 4):
        kept = await _kept(database, opened)
        assert (kept.status, kept.due_at) == (Status.UNKNOWN, at + timedelta(hours=hour))
        with pytest.raises(Unavailable):
            await Sending(ledger, FrozenClock(at + timedelta(hours=hour))).run(
                kept, errand, timedelta()
            )


@pytest.mark.parametrize("reason", [None, "somebody is frozen"])
async def test_what_never_arrived_is_given_again_unless_somebody_is_frozen(
    ledger: Ledger, reason: str | None
) -> None:
    sent: list[int] = []

    async def send() -> Answer:
        sent.append(1)
        return _answer(Standing.DONE)

    async def look(at: datetime) -> Answer | None:
        del at

    async def why_not() -> str | None:
        return reason

    errand = replace(_errand(Way(send, look)), why_not=why_not)
    sending = Sending(ledger, FrozenClock(NOW + timedelta(days=2)))
    if reason is None:
        await sending.run(_record(Status.UNKNOWN), errand, timedelta())
    else:
        with pytest.raises(Unavailable, match=reason):
            await sending.run(_record(Status.UNKNOWN), errand, timedelta())
    assert len(sent) == (reason is None)


@pytest.mark.parametrize("found", [None, Standing.DONE])
@pytest.mark.parametrize("is_claimed_now", [True, False])
async def test_what_was_claimed_before_is_only_looked_up_while_somebody_is_frozen(
    database: Database, ledger: Ledger, found: Standing | None, *, is_claimed_now: bool
) -> None:
    calls: list[str] = []

    async def send() -> Answer:
        calls.append("send")
        return _answer(Standing.DONE)

    async def look(at: datetime) -> Answer | None:
        calls.append(f"look {at}")
        return None if found is None else _answer(found)

    async def why_not() -> str | None:
        return "somebody is frozen"

    errand = replace(_errand(Way(send, look)), why_not=why_not)
    sending, opened = Sending(ledger, FrozenClock(NOW)), await _opened(database, ledger)
    if not is_claimed_now and found is None:
        with pytest.raises(Unavailable, match="somebody is frozen"):
            await sending.run(opened, errand, timedelta())
        assert (await _kept(database, opened)).status == Status.CLAIMED
    else:
        await sending.run(opened, errand, timedelta(), is_claimed_now=is_claimed_now)
        assert (await _kept(database, opened)).status == Status.ARRIVED
    assert calls == (["send"] if is_claimed_now else [f"look {NOW}"])


async def test_what_must_arrive_has_the_next_key_after_each_refusal(
    database: Database, ledger: Ledger
) -> None:
    async def refuse() -> Answer:
        return replace(_answer(Standing.FAILED), reason="closed\x00\nfor good" + "!" * 300)

    errand = _errand(insisting(Way(refuse, _no_look), "back"), is_bare=True)
    record = await _opened(database, ledger)
    keys = [key_to_insist(record, "back")]
    at = NOW
    for minutes in (1, 2, 4):
        with pytest.raises(StillRefused) as refused:
            await Sending(ledger, FrozenClock(at)).run(record, errand, timedelta())
        # Whoever read it before has been overtaken, and counts nothing.
        with pytest.raises(StillRefused):
            await Sending(ledger, FrozenClock(at)).run(record, errand, timedelta())
        assert refused.value.pause == timedelta(minutes=minutes)
        assert str(refused.value).startswith("back: closed for good!")
        assert len(str(refused.value)) < 210
        at += timedelta(minutes=minutes)
        record = await _kept(database, record)
        assert (record.due_at, record.version) == (at, 1)
        keys.append(key_to_insist(record, "back"))
    assert keys[0] == derived_id(record.id, "back")
    assert len(set(keys)) == 4
    assert record.facts["back_tries"] == 3
    assert record.facts["back_refusal"].startswith("closed for good!")


def test_a_reason_is_one_short_printable_line() -> None:
    answer = replace(_answer(Standing.FAILED), reason="a\u2028b\x1b[31m\ud800" + "é" * 500)
    move = answered(_record(Status.CLAIMED), _errand(), answer, NOW)
    assert move.facts["failed_reason"] == ("a b [31m " + "é" * 500)[:200]


async def test_a_record_that_waits_for_no_answer_is_a_fault(ledger: Ledger) -> None:
    sending = Sending(ledger, FrozenClock(NOW))
    with pytest.raises(Broken):
        await sending.run(_record(Status.ARRIVED), _errand(), timedelta())


async def test_a_record_is_taken_on_while_it_is_due_at_once() -> None:
    seen: list[str] = []

    async def step(record: Transfer) -> Transfer | None:
        seen.append(record.status)
        match Status(record.status):
            case Status.CLAIMED:
                return _record(Status.UNDER_WAY)
            case Status.UNDER_WAY:
                return _record(Status.UNKNOWN, due_at=LATER)
            case _:
                raise AssertionError("it waits")

    await as_far_as_it_goes(_record(Status.CLAIMED), step)
    assert seen == [Status.CLAIMED, Status.UNDER_WAY]


def test_going_to_an_end_is_due_never_again() -> None:
    move: Move = going(_record(Status.ARRIVED), MOVES, Status.CLOSED, at=LATER)
    assert (move.what, move.due_at, move.journals) == ("closed", None, {})
