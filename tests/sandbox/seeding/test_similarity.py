"""Seeded records look like those of their flow: compared with payments made over HTTP."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

import httpx2
import msgspec
import pytest

from landbridge.app.container import Container
from landbridge.sandbox.scenarios import payments
from landbridge.sandbox.seeding.service import SeedProgress, SeedRequest, seed
from tests.sandbox.scenarios.in_process_client import client_of
from tests.tenants import Tenant

# Scenarios whose records end at a status that seeded ones have too.
SCENARIOS = (
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

# The outcome plan of a scenario is part of the request.
FORCED = {"Landbridge-Sandbox"}

_RECORDS = """
select id, kind, status, request, details, facts
from transfers
where org_id = $1 and kind <> 'WALLET.DEPOSIT'
"""
_CHANGES = """
select c.object_id, c.change_type, c.status_after, c.is_settled, c.facts
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
    """Return the structure of a value without its content: the member names."""
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value)
        return tuple(
            sorted((name, form(each)) for name, each in value.items() if name not in FORCED)
        )
    if isinstance(value, list):
        return tuple(map(form, cast("list[Any]", value)[:1]))
    return ()


async def forms(container: Container, org_id: UUID) -> dict[tuple[str, str], set[tuple[Any, ...]]]:
    """Return the structures of an organisation's records by kind and status.

    Changes contribute all statuses, and the facts of the last settled one. A sandbox's chain may
    finish before it is polled: then a record skips a status that seeded ones have.
    """
    changes: defaultdict[UUID, list[Any]] = defaultdict(list)
    last: dict[UUID, Any] = {}
    entries: defaultdict[UUID, list[Any]] = defaultdict(list)
    for row in await container.database.rows(_CHANGES, org_id):
        changes[row["object_id"]].append(row["status_after"])
        last[row["object_id"]] = (
            row["change_type"],
            row["is_settled"],
            form(_decoded(row["facts"])),
        )
    for row in await container.database.rows(_ENTRIES, org_id):
        entries[row["transfer_id"]].append((row["seq"], row["role"]))
    found: defaultdict[tuple[str, str], set[tuple[Any, ...]]] = defaultdict(set)
    for row in await container.database.rows(_RECORDS, org_id):
        shapes_ = tuple(form(_decoded(row[each])) for each in ("request", "details", "facts"))
        written = (tuple(changes[row["id"]]), last[row["id"]], tuple(entries[row["id"]]))
        found[row["kind"], row["status"]].add((*shapes_, *written))
    return found


def _decoded(stored: str | None) -> Any:
    return None if stored is None else msgspec.json.decode(stored)


@pytest.fixture(scope="module")
async def made_up(container: Container, client: httpx2.AsyncClient) -> Mapping[Any, Any]:
    """Structures of a seeded organisation's records."""
    del client
    request = SeedRequest(
        name="Made up", payments=6000, people=10, days=200, random_seed=5, has_reports=False
    )
    progress = SeedProgress(people=_ignore, payments=_ignore, reach=_ignore, folded=_ignore)
    seeded = await seed(container, request, progress)
    return await forms(container, seeded.org_id)


@pytest.mark.long
@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_made_up_record_is_like_a_real_one(
    org: Tenant, made_up: Mapping[Any, Any], scenario: str
) -> None:
    await payments.SCENARIOS[scenario](client_of(org))
    ((key, real),) = (await forms(org.container, org.org_id)).items()
    assert real <= made_up[key], _nearest(real, made_up[key])


def _nearest(real: set[Any], ours: set[Any]) -> list[Any]:
    """Return the parts in which the most similar seeded record differs."""
    (one,) = real
    differing = (
        [(mine, its) for mine, its in zip(each, one, strict=True) if mine != its] for each in ours
    )
    return min(differing, key=len, default=["there is none of this kind and status"])


def _ignore(count: int) -> None:
    del count
