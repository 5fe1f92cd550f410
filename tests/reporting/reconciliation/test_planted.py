"""Differences planted one by one in the chain's record: each is named within one run."""

from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.chains.records import ChainRecords, MovementPage, RecordedBlock
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation.connected_chains import ConnectedChain
from landbridge.reporting.reconciliation.model import Difference, DifferenceKind, DifferenceStatus
from landbridge.reporting.reconciliation.service import (
    LedgerReconciliation,
    ReconStatus,
)
from tests.reporting.reconciliation.compared import (
    OUTSIDE,
    address_of,
    compared,
    opened_user,
    plant,
    position,
    send_out,
)
from tests.tenants import Tenant, fund, make_user

USDC = "usdc:POLYGON"
_UNITS = 10**6

_REMOVE = "delete from sandbox_movements where org_id = $1 and transaction_hash = $2"
_CHANGE = """
update sandbox_movements set units = units + $3 where org_id = $1 and transaction_hash = $2
"""
_SET_BALANCE = """
update sandbox_balances set units = units + $3
where org_id = $1 and chain = 'POLYGON' and address = $2 and asset = 'usdc:POLYGON'
"""


async def test_an_order_that_was_confirmed_but_not_moved(org: Tenant) -> None:
    sent, chain_hash = await send_out(org, await opened_user(org))
    await _execute(org, _REMOVE, chain_hash)
    found = _only(await compared(org))
    assert _named(found) == (DifferenceKind.MISSING_OUTSIDE, 10 * _UNITS, sent, chain_hash)
    # Finality may explain it for a minute.
    assert found.status is DifferenceStatus.TIMING
    assert (await compared(org)).open_count == 0
    await _pass(org, 61)
    assert _only(await compared(org)).status is DifferenceStatus.OPEN


async def test_a_movement_that_the_ledger_does_not_have(org: Tenant) -> None:
    user = await opened_user(org)
    chain_hash = await plant(org, 3, source=await address_of(org, user), destination=OUTSIDE)
    found = _only(await compared(org))
    assert _named(found) == (DifferenceKind.UNKNOWN_OUTSIDE, -3, None, chain_hash)
    await _pass(org, 61)
    assert _only(await compared(org)).status is DifferenceStatus.OPEN


async def test_coins_that_arrived_and_were_not_credited(org: Tenant) -> None:
    user = await opened_user(org)
    chain_hash = await plant(org, 7, source=OUTSIDE, destination=await address_of(org, user))
    found = _only(await compared(org))
    assert _named(found) == (DifferenceKind.UNKNOWN_OUTSIDE, 7, None, chain_hash)


@pytest.mark.parametrize("units", [1, -1])
async def test_an_amount_that_is_off_by_one_unit(org: Tenant, units: int) -> None:
    sent, chain_hash = await send_out(org, await opened_user(org))
    await _execute(org, _CHANGE, chain_hash, units)
    found = _only(await compared(org))
    assert _named(found) == (DifferenceKind.AMOUNT, -units, sent, chain_hash)
    assert found.status is DifferenceStatus.OPEN


async def test_a_movement_that_happened_twice(org: Tenant) -> None:
    user = await opened_user(org)
    sent, chain_hash = await send_out(org, user)
    source = await address_of(org, user)
    await plant(
        *(org, 10 * _UNITS),
        source=source,
        destination=OUTSIDE,
        transaction_hash=chain_hash,
        log_index=1,
    )
    found = _only(await compared(org))
    assert _named(found) == (DifferenceKind.DUPLICATE, -10 * _UNITS, sent, chain_hash)
    assert found.status is DifferenceStatus.OPEN


async def test_a_matched_movement_that_happens_again_later(org: Tenant) -> None:
    user = await opened_user(org)
    sent, chain_hash = await send_out(org, user)
    assert not (await compared(org)).differences
    source = await address_of(org, user)
    await plant(
        *(org, 10 * _UNITS),
        source=source,
        destination=OUTSIDE,
        transaction_hash=chain_hash,
        log_index=1,
    )
    found = _only(await compared(org))
    assert _named(found) == (DifferenceKind.DUPLICATE, -10 * _UNITS, sent, chain_hash)


async def test_another_asset_was_moved(org: Tenant) -> None:
    user = await opened_user(org)
    sent, chain_hash = await send_out(org, user)
    await org.container.database.rows(
        "update sandbox_movements set asset = 'usdt:POLYGON'"
        " where org_id = $1 and transaction_hash = $2",
        *(org.org_id, chain_hash),
    )
    found = {each.asset: each for each in (await compared(org)).differences}
    assert _named(found[USDC]) == (
        *(DifferenceKind.MISSING_OUTSIDE, 10 * _UNITS, sent, chain_hash),
    )
    assert _named(found["usdt:POLYGON"])[:2] == (DifferenceKind.UNKNOWN_OUTSIDE, -10 * _UNITS)


async def test_two_opposite_errors_that_cancel_out(org: Tenant) -> None:
    user = await opened_user(org)
    hashes = [(await send_out(org, user))[1] for _ in range(2)]
    await _execute(org, _CHANGE, hashes[0], 5)
    await _execute(org, _CHANGE, hashes[1], -5)
    status = await compared(org)
    assert {(each.reference, each.units) for each in status.differences} == {
        (hashes[0], -5),
        (hashes[1], 5),
    }
    # The totals do not show them.
    total = position(status, USDC)
    assert total.outside_units == total.ledger_units


@pytest.mark.parametrize("units", [1, -1])
async def test_a_balance_that_no_movement_explains(org: Tenant, units: int) -> None:
    user = await opened_user(org)
    assert not (await compared(org)).differences
    await _execute(org, _SET_BALANCE, await address_of(org, user), units)
    found = _only(await compared(org))
    assert (found.kind, found.units, found.asset) == (DifferenceKind.POSITION, units, USDC)
    assert found.status is DifferenceStatus.OPEN
    # It stays the same difference while nothing changes, and ends with its cause.
    assert _only(await compared(org)).id == found.id
    await _execute(org, _SET_BALANCE, await address_of(org, user), -units)
    assert not (await compared(org)).differences
    (ended,) = await org.container.reconciliation.differences(org.org_id, is_resolved_included=True)
    assert (ended.id, ended.resolution) == (found.id, "CLEARED")


async def test_a_position_that_echoes_the_ledger_finds_nothing(org: Tenant) -> None:
    """The control of the test above: it can only pass because positions come from the chain."""
    user = await opened_user(org)
    assert not (await compared(org)).differences
    await _execute(org, _SET_BALANCE, await address_of(org, user), 1)
    echo = _with_records(org, _EchoingRecords(_records(org), org))
    assert not (await compared(org, echo)).differences
    assert _only(await compared(org)).kind is DifferenceKind.POSITION


async def test_a_final_block_that_the_chain_has_lost(org: Tenant) -> None:
    user = await opened_user(org)
    await compared(org)
    (lost,) = await org.container.database.rows(
        "update sandbox_blocks set hash = '0xother' where org_id = $1 and chain = 'POLYGON'"
        " returning number",
        org.org_id,
    )
    assert lost["number"] == 1
    found = _only(await compared(org))
    assert found.kind is DifferenceKind.REORGED
    # It goes on from the chain's new blocks.
    await fund(org, user, "1")
    assert (await compared(org)).differences == [found]


async def test_a_silent_source_keeps_its_good_run_and_is_named_after_its_patience(
    org: Tenant,
) -> None:
    user = await opened_user(org)
    before = await compared(org)
    silent = _with_records(org, _SilentRecords(_records(org)))
    await fund(org, user, "1")
    status = await compared(org, silent)
    assert not status.differences
    source, good = (_polygon(each) for each in (status, before))
    assert source.failure == "no answer"
    assert source.last_good_at == good.last_good_at
    await _pass(org, 16 * 60)
    found = _only(await compared(org, silent))
    assert (found.kind, found.source) == (DifferenceKind.SOURCE_SILENT, Chain.POLYGON)
    assert not (await compared(org)).differences
    assert _polygon(await compared(org)).failure is None


async def test_what_arrives_late_is_matched_by_itself(org: Tenant) -> None:
    sent, chain_hash = await send_out(org, user := await opened_user(org))
    rows = await org.container.database.rows(
        "delete from sandbox_movements where org_id = $1 and transaction_hash = $2 returning units",
        *(org.org_id, chain_hash),
    )
    assert _only(await compared(org)).record_id == sent
    await plant(
        *(org, rows[0]["units"]),
        source=await address_of(org, user),
        destination=OUTSIDE,
        transaction_hash=chain_hash,
    )
    assert not (await compared(org)).differences
    (ended,) = await org.container.reconciliation.differences(org.org_id, is_resolved_included=True)
    assert (ended.status, ended.resolution) == (DifferenceStatus.RESOLVED, "MATCHED")


async def test_payments_from_before_the_first_run_are_compared_in_total(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    _, chain_hash = await send_out(org, user)
    await _execute(org, _CHANGE, chain_hash, 5)
    found = _only(await compared(org))
    assert (found.kind, found.units) == (DifferenceKind.POSITION, -5)
    # What follows is compared one by one.
    later = await plant(org, 2, source=OUTSIDE, destination=await address_of(org, user))
    assert {
        (each.kind, each.reference, each.units) for each in (await compared(org)).differences
    } == {
        (DifferenceKind.POSITION, "", -5),
        (DifferenceKind.UNKNOWN_OUTSIDE, later, 2),
    }


async def test_organisations_are_compared_apart(org: Tenant, other_org: Tenant) -> None:
    user, other = await opened_user(org), await opened_user(other_org)
    await plant(org, 3, source=await address_of(org, user), destination=OUTSIDE)
    await plant(org, 3, source=await address_of(other_org, other), destination=OUTSIDE)
    assert _only(await compared(org)).units == -3
    assert not (await compared(other_org)).differences


@dataclass(frozen=True, slots=True)
class WrappedRecords:
    """Records of a chain as they are."""

    records: ChainRecords

    async def final_block(self, org_id: UUID, chain: str, at: datetime) -> RecordedBlock:
        return await self.records.final_block(org_id, chain, at)

    async def has_block(self, org_id: UUID, chain: str, block: RecordedBlock) -> bool:
        return await self.records.has_block(org_id, chain, block)

    async def position(
        self, org_id: UUID, chain: str, addresses: Collection[str], block: RecordedBlock
    ) -> Mapping[str, int]:
        return await self.records.position(org_id, chain, addresses, block)

    def movements(
        self, org_id: UUID, chain: str, addresses: Collection[str], **bounds: Any
    ) -> AsyncIterator[MovementPage]:
        return self.records.movements(org_id, chain, addresses, **bounds)


class _SilentRecords(WrappedRecords):
    """A chain that does not answer."""

    async def final_block(self, org_id: UUID, chain: str, at: datetime) -> RecordedBlock:
        del org_id, chain, at
        raise Unavailable("no answer")


@dataclass(frozen=True, slots=True)
class _EchoingRecords(WrappedRecords):
    """Positions as the ledger expects them: the mistake that the control makes."""

    org: Tenant

    async def position(
        self, org_id: UUID, chain: str, addresses: Collection[str], block: RecordedBlock
    ) -> Mapping[str, int]:
        del chain, addresses, block
        status = await self.org.container.reconciliation.status(org_id)
        return {each.asset: each.ledger_units for _, each in status.positions}


def _records(org: Tenant) -> ChainRecords:
    return org.container.reconciliation.chains[Chain.POLYGON].records


def _with_records(org: Tenant, records: ChainRecords) -> LedgerReconciliation:
    connected = org.container.reconciliation
    patience = connected.chains[Chain.POLYGON].patience
    chains = {**connected.chains, Chain.POLYGON: ConnectedChain(records, patience)}
    return replace(connected, chains=chains)


def _only(status: ReconStatus) -> Difference:
    (found,) = status.differences
    return found


def _named(found: Difference) -> tuple[DifferenceKind, int, UUID | None, str]:
    return found.kind, found.units, found.record_id, found.reference


def _polygon(status: ReconStatus) -> Any:
    return next(each for each in status.sources if each.source == Chain.POLYGON)


async def _execute(org: Tenant, sql: str, *args: Any) -> None:
    await org.container.database.rows(sql, org.org_id, *args)


async def _pass(org: Tenant, seconds: int) -> None:
    await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})
