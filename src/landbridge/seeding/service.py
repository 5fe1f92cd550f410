"""Makes an organisation with a past that ends now."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Refused
from landbridge.core.ids import new_id
from landbridge.orgs.model import Mode
from landbridge.orgs.service import take_lane
from landbridge.seeding.calendar import micros
from landbridge.seeding.chance import Random
from landbridge.seeding.copying import write
from landbridge.seeding.past import TX, Batch, Past, Place
from landbridge.seeding.people import CHAINS, settle_in
from landbridge.web.caller import Caller
from landbridge.wiring import House, wire

PEOPLE_MIN = 5
# Written in one transaction: more are no quicker to write, and whoever pages through the log sorts
# what is in one transaction for each page (1 s with 5,000, 0.03 s with these).
_BATCH = 1_000
# The past ends so long ago, so that nothing of it is ahead of anybody's clock.
_QUIET = timedelta(minutes=1)
# The first people are verified before they pay.
_SETTLING = timedelta(hours=1)

Tell = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be made: so many payments of so many people in so many days up to now."""

    name: str
    payments: int
    people: int
    days: int
    random_seed: int
    # Whether reports are made ready, too.
    has_reports: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Who hears of what was done: how many people, payments, and transactions of the log folded.

    How many of those there are, `reach` hears first.
    """

    people: Tell
    payments: Tell
    reach: Tell
    folded: Tell


@dataclass(frozen=True, slots=True)
class Seeded:
    """The organisation that was made, its key, and how long its payments took to write."""

    org_id: UUID
    secret: str
    records: int
    seconds: Decimal


async def seed(house: House, wanted: Wanted, told: Told) -> Seeded:
    """Make an organisation with people and payments; its books balance whenever this breaks off.

    The same `random_seed` makes the same payments, but for ids, keys and the day, if the past
    begins in the same hour of the same weekday: days and weeks have their rhythm. Everything but
    the payments is made by the verbs that routes have; the organisation and its key are of today,
    so that it does not become the installation's first one. Payments are written with all that came
    of them in one transaction each thousand, in the order in which they were asked for: so the log
    has what took days (payouts) beside what was asked for at the same time.

    Raises `Refused` in production.
    """
    if house.settings.mode is Mode.PRODUCTION:
        raise Refused("made-up organisations have no place among real ones")
    rng = Random(wanted.random_seed)
    end = house.clock.now() - _QUIET
    begin = end - timedelta(days=wanted.days)
    clock = FrozenClock(begin - _QUIET, lane=await take_lane(house.database))
    past = wire(house.settings, house.database, clock)
    try:
        org = await house.orgs.create(wanted.name)
        key, secret = await house.orgs.create_key(org.id, "first key", expires_at=None)
        caller = Caller(org.id, key.id, timedelta())
        joined = _joined(rng, begin, end, wanted.people)
        crowd = await settle_in(past, clock, caller, joined=joined, rng=rng, told=told.people)
        place = Place(
            org_id=str(org.id),
            key_id=str(key.id),
            houses={chain: await past.wallets.treasury_address(org.id, chain) for chain in CHAINS},
            account_number=await past.onramps.account_number(org.id, "usd"),
            begin_us=micros(begin + _SETTLING),
            end_us=micros(end),
        )
    finally:
        await past.postman.close()
        await past.outbound.close()
    made = Past(place, crowd, rng, new_id()).batches(wanted.payments, _BATCH)
    started_s = time.monotonic()
    records = await _write(house, org.id, made, told.payments)
    seconds = Decimal(str(time.monotonic() - started_s))
    if wanted.has_reports:
        await _fold(house, org.id, told)
    return Seeded(org.id, secret, records, seconds)


async def _write(house: House, org_id: UUID, batches: Iterator[Batch], told: Tell) -> int:
    """Write batches, each while the next one is made up; how many records these were.

    If making one up fails, the one before it is written to its end, or not at all.
    """
    count = 0
    batch = await asyncio.to_thread(next, batches, None)
    while batch is not None:
        async with asyncio.TaskGroup() as both:
            both.create_task(write(house.database, org_id, batch.rows, batch.paid, mark=TX))
            making = both.create_task(asyncio.to_thread(next, batches, None))
        count += batch.count
        told(batch.count)
        batch = making.result()
    return count


async def _fold(house: House, org_id: UUID, told: Told) -> None:
    """Make the reports of it; not in vain, for whoever asks for one waits for nothing then."""
    begin, end = await house.folding.reach(org_id)
    told.reach(max(end - begin, 1))
    at, is_more = begin, True
    while is_more:
        is_more = await house.folding.run_once({org_id: timedelta()})
        builds = await house.rollups.builds(org_id)
        reached = max((each.folded_to for each in builds if each.is_current), default=at)
        told.folded(max(min(reached, end) - at, 0))
        at = max(at, min(reached, end))


def _joined(rng: Random, begin: datetime, end: datetime, people: int) -> list[datetime]:
    """When people joined: some at the beginning, the others until shortly before the end."""
    first = max(people // 20, PEOPLE_MIN)
    days = (end - begin).days * 9 // 10
    later = sorted(rng.randrange(max(days * 86_400, 1)) for _ in range(people - first))
    return [begin] * first + [begin + timedelta(seconds=each) for each in later]
