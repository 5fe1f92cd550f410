"""Organisation with some weeks of history: every kind of payment, completed and failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, timedelta
from typing import Any
from uuid import UUID

import httpx2

from landbridge.app.container import ASSETS, TRANSITIONS, Container
from landbridge.ledger.corrections import correct
from landbridge.platform.db.pool import Row
from landbridge.reporting.metrics.model import MetricResult
from tests.onramps import settle
from tests.scripted import APPROVALS, PATHS, Cast, make_cast
from tests.tenants import Tenant, fund, make_tenant, swap_body, transfer_body

SWAP, TRANSFER, BATCH = "WALLET.SWAP", "WALLET.TRANSFER", "WALLET.TRANSFER.BATCH"
BRIDGE, ONRAMP, OFFRAMP = "WALLET.BRIDGE", "ONRAMP", "OFFRAMP"
# Number of the change that completes it.
_JOURNAL_OF_A_SWAP = 4
# Actions on a payment of a kind, each followed by this many hours.
_PLAYS: tuple[tuple[str, str, int], ...] = (
    (SWAP, "", 1),
    (TRANSFER, "", 5),
    (OFFRAMP, "", 0),
    (ONRAMP, "", 20),
    (SWAP, "chain_send=reject", 3),
    (OFFRAMP, "payout=reject", 40),
    (BRIDGE, "", 0),
    (BRIDGE, "mint=reject", 0),
    (BATCH, "", 30),
    (ONRAMP, "deposit=reject", 0),
    (ONRAMP, "confirmation=late", 50),
    (TRANSFER, "chain_send=reject", 1),
    (OFFRAMP, "payout=return", 100),
    (SWAP, "", 2),
)


@dataclass(frozen=True, slots=True)
class History:
    """`first` is its first day, `after` the day after the organisation's present."""

    org: Tenant
    first: date
    after: date

    def params(self, interval: str, **more: Any) -> dict[str, Any]:
        """Return parameters that cover the whole history."""
        return {
            "createdAfter": self.first.isoformat(),
            "createdBefore": f"{self.after}T00:00:00Z",
            "calculationInterval": interval,
            "limit": 10_000,
            **more,
        }

    async def calculate(self, template: str, interval: str, **more: Any) -> MetricResult:
        """Calculate a template as of now."""
        container, params = self.org.container, self.params(interval, **more)
        offset = await container.orgs.clock_offset(self.org.org_id)
        caller = replace(self.org.caller, clock_offset=offset)
        return await container.calculator.calculate(caller, template, params)

    async def rows(self, sql: str, *values: object) -> Sequence[Row]:
        """Return the rows of a statement whose $1 is the organisation."""
        return await self.org.container.database.rows(sql, self.org.org_id, *values)


async def make_history(container: Container, client: httpx2.AsyncClient) -> History:
    """Some weeks, at the end of which a swap and an approval still wait."""
    org = await make_tenant(container, client, name="History")
    first = (await org.container.orgs.now(org.org_id)).astimezone(UTC).date()
    cast = await make_cast(org)
    await fund(org, cast.payer, "500", currency="usdt")
    await fund(org, cast.payer, "50", currency="usdt", chain="ETHEREUM")
    for kind, plan, hours in _PLAYS:
        made = (
            await cast.make(kind, plan)
            if plan
            else (await org.post(PATHS[kind], cast.body(kind)))["transferDetails"]
        )
        await cast.go_on(kind, made)
        if hours:
            await cast.pass_hours(hours)
    await _swap_back(cast)
    await _transfer_with_fee(cast)
    await _take_back_a_swap(cast)
    await _decide(cast)
    await org.post(PATHS[SWAP], cast.body(SWAP))
    now = await org.container.orgs.now(org.org_id)
    return History(org, first, now.astimezone(UTC).date() + timedelta(days=1))


async def _swap_back(cast: Cast) -> None:
    for amount, chain in (("3.333333", "POLYGON"), ("0.019999", "POLYGON"), ("7", "ETHEREUM")):
        body = swap_body(
            *(cast.payer, amount),
            source={"currency": "usdt", "chain": chain},
            destination={"currency": "usdc", "chain": chain},
        )
        made = (await cast.org.post(PATHS[SWAP], body))["transferDetails"]
        await cast.go_on(SWAP, made)
    await cast.org.post(PATHS[SWAP], cast.body(SWAP))
    await cast.pass_hours(2)


async def _transfer_with_fee(cast: Cast) -> None:
    body = transfer_body(cast.payer, cast.payee, 7, fee={"type": "PERCENT", "value": "0.015"})
    made = (await cast.org.post(PATHS[TRANSFER], body))["transferDetails"]
    await cast.go_on(TRANSFER, made)


async def _take_back_a_swap(cast: Cast) -> None:
    org = cast.org
    made = (await org.post(PATHS[SWAP], cast.body(SWAP)))["transferDetails"]
    await cast.go_on(SWAP, made)
    await correct(
        org.container.database,
        org.container.ledger,
        ASSETS,
        TRANSITIONS,
        org_id=org.org_id,
        transfer_id=UUID(made["id"]),
        seqs=[_JOURNAL_OF_A_SWAP],
        reason="a test",
        actor="test",
        at=await org.container.orgs.now(org.org_id),
    )


async def _decide(cast: Cast) -> None:
    """One approval of each end, after hours, and one that still waits."""
    org = cast.org
    for verb, hours in (("approve", 3), ("reject", 30), (None, 24 * 8), ("approve", 0)):
        await _ask(cast)
        if hours:
            await cast.pass_hours(hours)
        if verb is not None:
            (approval,) = (await org.get(APPROVALS))["approvals"]
            await org.post(f"{APPROVALS}/{approval['id']}/{verb}", {"comment": "seen"})
        await settle(org)
    await _ask(cast)


async def _ask(cast: Cast) -> None:
    body = transfer_body(cast.payer, cast.payee, 1, requireApproval=True)
    await cast.org.post(PATHS[TRANSFER], body)


async def fold(org: Tenant) -> None:
    """Fold everything that is settled."""
    offsets = {org.org_id: timedelta()}
    while await org.container.rollup_updater.run_once(offsets):
        pass


Key = tuple[str, ...]
ExpectedValues = Mapping[Key, Mapping[str, Any]]


def values_by_key(result: MetricResult) -> dict[Key, dict[str, Any]]:
    """Return values by period and breakdowns; checks that no row is duplicated."""
    found = {(row.period.isoformat(), *row.dims.values()): dict(row.values) for row in result.rows}
    assert len(found) == len(result.rows)
    return found


def check(result: MetricResult, expected: ExpectedValues, empty: Mapping[str, Any]) -> None:
    """Check the expected rows, and `empty` values everywhere else."""
    found = values_by_key(result)
    assert expected.keys() <= found.keys()
    for key, values in found.items():
        assert values == {**empty, **expected.get(key, {})}, key


_E12 = ("10", "12", "15", "18", "22", "27", "33", "39", "47", "56", "68", "82")


def rounded_ms(ms: int) -> int:
    """Round up to the E12 series above ten; written independently of the tested code."""
    if ms <= 10:
        return ms
    steps = sorted(int(step) * 10**power for step in _E12 for power in range(12))
    return next(step for step in steps if step >= ms)
