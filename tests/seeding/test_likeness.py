"""What is made up is written as its flow writes it: held against what was paid over HTTP."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

import httpx2
import msgspec
import pytest

from landbridge.seeding.service import Told, Wanted, seed
from landbridge.stories import payments
from landbridge.wiring import House
from tests.stories.playing import client_of
from tests.tenants import Tenant

# Stories whose records come to an end that made-up ones have too.
STORIES = (
    "WALLET.SWAP.STATUS.COMPLETED",
    "WALLET.SWAP.STATUS.QUOTE_FAILED",
    "WALLET.TRANSFER.UPDATE",
    "WALLET.BRIDGE.UPDATE",
    "ONRAMP.STATUS.QUOTE_FAILED",
    "ONRAMP.STATUS.COMPLETED",
    "OFFRAMP.STATUS.QUOTE_FAILED",
    "OFFRAMP.STATUS.REJECTED",
    "OFFRAMP.STATUS.EXPIRED",
    "OFFRAMP.STATUS.COMPLETED",
)

# What a story asks the sandbox to force is in the request.
FORCED = {"Landbridge-Sandbox"}

_RECORDS = """
select id, kind, status, request, details, facts
from transfers
where org_id = $1 and kind <> 'WALLET.DEPOSIT'
"""
_CHANGES = """
select c.object_id, c.what, c.status_after, c.rests, c.facts
from changes c
join transfers t on t.org_id = c.org_id and t.id = c.object_id
where c.org_id = $1
order by c.object_id, c.seq
"""
_ENTRIES = """
select transfer_id, seq, role
from entries
where org_id = $1 and role is distinct from 'fees'
order by transfer_id, seq, line
"""


def form(value: Any) -> Any:
    """What there is, without what it says: the names of members."""
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value)
        return tuple(
            sorted((name, form(each)) for name, each in value.items() if name not in FORCED)
        )
    if isinstance(value, list):
        return tuple(map(form, cast("list[Any]", value)[:1]))
    return ()


async def forms(house: House, org_id: UUID) -> dict[tuple[str, str], set[tuple[Any, ...]]]:
    """The forms of an organisation's records by kind and status.

    Of changes: all statuses, and what was told where it rested last. A sandbox's chain may be done
    before it is waited for: then a record passes by where ours rest.
    """
    changes: defaultdict[UUID, list[Any]] = defaultdict(list)
    last: dict[UUID, Any] = {}
    entries: defaultdict[UUID, list[Any]] = defaultdict(list)
    for row in await house.database.rows(_CHANGES, org_id):
        changes[row["object_id"]].append(row["status_after"])
        last[row["object_id"]] = (row["what"], row["rests"], form(_decoded(row["facts"])))
    for row in await house.database.rows(_ENTRIES, org_id):
        entries[row["transfer_id"]].append((row["seq"], row["role"]))
    found: defaultdict[tuple[str, str], set[tuple[Any, ...]]] = defaultdict(set)
    for row in await house.database.rows(_RECORDS, org_id):
        told = tuple(form(_decoded(row[each])) for each in ("request", "details", "facts"))
        written = (tuple(changes[row["id"]]), last[row["id"]], tuple(entries[row["id"]]))
        found[row["kind"], row["status"]].add((*told, *written))
    return found


def _decoded(stored: str | None) -> Any:
    return None if stored is None else msgspec.json.decode(stored)


@pytest.fixture(scope="module")
async def made_up(house: House, client: httpx2.AsyncClient) -> Mapping[Any, Any]:
    """The forms of a made-up organisation's records."""
    del client
    wanted = Wanted(
        name="Made up", payments=6000, people=10, days=200, random_seed=5, has_reports=False
    )
    nobody = Told(people=_ignore, payments=_ignore, reach=_ignore, folded=_ignore)
    seeded = await seed(house, wanted, nobody)
    return await forms(house, seeded.org_id)


@pytest.mark.parametrize("story", STORIES)
async def test_a_made_up_record_is_like_a_real_one(
    org: Tenant, made_up: Mapping[Any, Any], story: str
) -> None:
    await payments.STORIES[story](client_of(org))
    ((key, real),) = (await forms(org.house, org.org_id)).items()
    assert real <= made_up[key], _nearest(real, made_up[key])


def _nearest(real: set[Any], ours: set[Any]) -> list[Any]:
    """In which parts the most alike of ours differs."""
    (one,) = real
    differing = (
        [(mine, its) for mine, its in zip(each, one, strict=True) if mine != its] for each in ours
    )
    return min(differing, key=len, default=["there is none of this kind and status"])


def _ignore(count: int) -> None:
    del count
