"""Random records of an organisation around a change of the clocks, without money in the ledger.

Rows of transactions and of the log, as reports read nothing else of a payment but its fees.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import httpx2

from landbridge.app.container import Container
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.responses import encode
from landbridge.reporting.metrics.builtin.kinds import OUTCOME_OF
from tests.reporting.metrics.builtin.history import History
from tests.reporting.metrics.record_history import fold
from tests.tenants import Tenant, make_tenant, make_user

START = datetime(2025, 10, 1, tzinfo=UTC)
DAYS = 50
_RECORDS = 150
_USERS = 8
_ASSETS: Mapping[str, Sequence[tuple[str, str]]] = {
    "WALLET.SWAP": (("usdc:POLYGON", "usdt:POLYGON"), ("usdt:ETHEREUM", "usdc:ETHEREUM")),
    "WALLET.TRANSFER": (("usdc:POLYGON", "usdc:POLYGON"), ("usdt:ETHEREUM", "usdt:ETHEREUM")),
    "WALLET.TRANSFER.BATCH": (("usdc:POLYGON", "usdc:POLYGON"),),
    "WALLET.BRIDGE": (("usdc:POLYGON", "usdc:ETHEREUM"),),
    "ONRAMP": (("usd:BANK", "usdc:POLYGON"), ("mxn:BANK", "usdc:POLYGON")),
    "OFFRAMP": (
        *(("usdc:POLYGON", "mxn:BANK"), ("usdc:POLYGON", "usd:BANK")),
        ("usdt:ETHEREUM", "eur:BANK"),
    ),
}
_STATUSES = {
    kind: [status for each, status in OUTCOME_OF if each == kind] + ["COMPLETED"] * 4
    for kind in _ASSETS
}
_ACTORS = (f"key:{new_id()}", f"member:{new_id()}", "worker")
_PUT = """
insert into transfers (
    org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, created_at, updated_at
)
values ($1, $2, $3, $4, $2, $5::text::jsonb, $6, $7, $8, $9, $10, $9, $11::text::jsonb, $12, $12)
"""
_CHANGE = """
with batch as (
    insert into change_batches (org_id, number)
    values ($1, nextval('change_batch_numbers'))
    returning number
)
insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor, facts,
    occurred_at, is_settled, batch
)
select $1, $2, $3, $4, 'advance', $5, $6, $7, '{}', $8, true, number
from batch
"""
_SET_STATUS = "update transfers set status = $3, version = $4 where org_id = $1 and id = $2"
_SET_TYPE = "update users set type = 'business' where org_id = $1 and id = $2"
_SET_CREATED = "update users set created_at = $3 where org_id = $1 and id = $2"
_SET_OCCURRED = "update changes set occurred_at = $3 where org_id = $1 and object_id = $2"


@dataclass(frozen=True, slots=True)
class RandomHistory:
    """History in a time zone; `params` cover all of it in that zone."""

    history: History
    zone: str
    users: Sequence[str]

    @property
    def params(self) -> dict[str, Any]:
        """Return parameters of days in the zone; the first and last days are left out."""
        return {
            "createdAfter": str((START + timedelta(days=1)).date()),
            "createdBefore": str((START + timedelta(days=DAYS - 1)).date()),
            "timeZone": self.zone,
            "limit": 10_000,
        }


@dataclass(frozen=True, slots=True)
class _Record:
    """Record with its statuses, in order."""

    id: UUID
    kind: str
    created_at: datetime
    statuses: list[str]


async def make_random_history(
    container: Container, client: httpx2.AsyncClient, *, zone: str
) -> RandomHistory:
    """Put records and late changes, of which about half are folded into days of the zone."""
    random = Random(zone)  # noqa: S311  records, no secrets
    org = await make_tenant(container, client, name="Random")
    users = [await make_user(org) for _ in range(_USERS)]
    await container.database.transact(lambda tx: _spread(tx, org, random, users))
    early = [await _put(org, random, users) for _ in range(_RECORDS)]
    await fold(org)
    if zone != "UTC":
        await container.rollup_updater.begin(org.org_id, zone, timedelta(), is_new=False)
    await fold(org)
    for _ in range(_RECORDS):
        await _put(org, random, users)
    for each in random.sample(early, _RECORDS // 3):
        await _change(org, random, each)
    last = START + timedelta(days=DAYS)
    return RandomHistory(History(org, START.date(), _day_after(last)), zone, users)


def _day_after(at: datetime) -> date:
    return at.date() + timedelta(days=1)


async def _spread(tx: Tx, org: Tenant, random: Random, users: Sequence[str]) -> None:
    """Create the users at random times; every third is a business."""
    for number, user in enumerate(users):
        at = _moment(random)
        if number % 3 == 0:
            await tx.execute(_SET_TYPE, org.org_id, UUID(user))
        await tx.execute(_SET_CREATED, org.org_id, UUID(user), at)
        await tx.execute(_SET_OCCURRED, org.org_id, UUID(user), at)


async def _put(org: Tenant, random: Random, users: Sequence[str]) -> _Record:
    kind = random.choice(list(_ASSETS))
    source, destination = random.choice(_ASSETS[kind])
    units = random.randrange(1, 10**9)
    created_at, id_ = _moment(random), new_id()
    statuses = random.sample(_STATUSES[kind], random.choice([1, 2, 2, 3]))
    statuses = [each for at, each in enumerate(statuses) if at == 0 or each != statuses[at - 1]]
    actor = random.choice(_ACTORS)
    times = sorted(random.randrange(40 * 3_600_000) for _ in statuses[1:])
    request = {"source": {"transferType": "wire"}} if random.random() < 1 / 3 else {}

    async def work(tx: Tx) -> None:
        await tx.execute(
            _PUT,
            *(org.org_id, id_, kind, UUID(random.choice(users)), encode(request).decode()),
            *(statuses[-1], len(statuses), source, units, destination),
            *(encode(_details(random, kind, units)).decode(), created_at),
        )
        for at, status in enumerate(statuses):
            await tx.execute(
                _CHANGE,
                *(org.org_id, id_, at + 1, kind, statuses[at - 1] if at else None, status),
                *(actor, created_at + timedelta(milliseconds=times[at - 1] if at else 0)),
            )

    await org.container.database.transact(work)
    return _Record(id_, kind, created_at, statuses)


async def _change(org: Tenant, random: Random, record: _Record) -> None:
    """Change a record's status late: what was folded is corrected."""
    before = record.statuses[-1]
    after = random.choice([each for each in _STATUSES[record.kind] if each != before])
    seq = len(record.statuses) + 1
    at = record.created_at + timedelta(hours=40, milliseconds=random.randrange(10**8))

    async def work(tx: Tx) -> None:
        await tx.execute(
            _CHANGE, org.org_id, record.id, seq, record.kind, before, after, "worker", at
        )
        await tx.execute(_SET_STATUS, org.org_id, record.id, after, seq)

    await org.container.database.transact(work)


def _details(random: Random, kind: str, units: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if kind == "OFFRAMP":
        found["amount_units"] = units
        if random.random() < 1 / 4:
            found["corridor"] = "usd-hka"
    if kind == "ONRAMP" and random.random() < 1 / 2:
        found["worth_usd"] = f"{units % 10**6}.{units % 1000:03}"
    if random.random() < 1 / 2:
        found["payment_rail"] = random.choice(["wire", "ach", "spei"])
    if kind in {"OFFRAMP", "WALLET.TRANSFER"}:
        found |= random.choice([{}, {"fees": []}, {"fees": [{"type": "FIXED"}]}, {"fee": {}}])
    elif random.random() < 1 / 3:
        found["fee_units"] = random.choice([0, 5])
    return found


def _moment(random: Random) -> datetime:
    return START + timedelta(milliseconds=random.randrange(DAYS * 86_400_000))
