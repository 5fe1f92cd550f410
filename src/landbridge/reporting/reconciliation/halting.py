"""Halts payments after a run: new sends of an asset wait while coins of it are missing.

Guarantees:
- A halt affects only new payments of one asset on one chain of one organisation. Orders that were
  sent are followed, and money that arrives is credited.
- Causes: two consecutive runs find more coins missing than the threshold; coins have left that the
  ledger has not sent; the chain does not answer for longer than its patience. Surpluses, and
  differences that timing explains, cause no halt.
- Two people lift a halt. Coins that were missing then cause no other halt, further ones do.
- A halt for silence also ends when the chain was compared again.
- A run that finds more missing coins than a proposed lift has stated voids the proposal.
- Halts stay in force when the setting is switched off.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from uuid import UUID

import structlog

from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation import halt_store
from landbridge.reporting.reconciliation.halt_model import (
    Halt,
    HaltCause,
    HaltStatus,
    MissingCoins,
    find_halts,
    short_assets,
)

# Kind of halts in the change log.
KIND = "RECONCILIATION.HALT"
_WORKER = "worker"

_log = structlog.stdlib.get_logger()


@dataclass(frozen=True, slots=True)
class Halting:
    """Imposes halts in the transaction of a run, which has locked the source.

    `above` is the threshold in coins; None imposes no halts.
    """

    above: Decimal | None

    async def after_comparison(self, tx: Tx, org_id: UUID, source: Chain, now: datetime) -> None:
        """Impose halts for missing coins, and update those in force."""
        halts = await halt_store.in_force(tx, org_id, source)
        missing = await halt_store.missing_coins(tx, org_id, source)
        await _update(tx, org_id, halts, missing, now)
        if self.above is None:
            return
        short = short_assets(missing, self.above)
        runs = await halt_store.count_runs(tx, org_id, source, short)
        halted = {each.asset for each in halts}
        for coins, cause in find_halts(missing, runs, halted):
            await _impose(
                tx,
                org_id,
                Halt(
                    id=new_id(),
                    source=source,
                    asset=coins.asset,
                    cause=cause,
                    status=HaltStatus.HALTED,
                    units=coins.units,
                    difference_id=coins.debit_id,
                    halted_at=now,
                ),
            )

    async def after_silence(self, tx: Tx, org_id: UUID, source: Chain, now: datetime) -> None:
        """Halt all assets of a source that is silent for longer than its patience."""
        if self.above is None:
            return
        silence = await halt_store.find_silence(tx, org_id, source)
        if silence is not None:
            await _impose(
                tx,
                org_id,
                Halt(
                    id=new_id(),
                    source=source,
                    asset="",
                    cause=HaltCause.SOURCE_SILENT,
                    status=HaltStatus.HALTED,
                    units=0,
                    difference_id=silence,
                    halted_at=now,
                ),
            )


def halt_facts(halt: Halt) -> dict[str, str]:
    """Return the facts for a change of a halt."""
    return {
        "source": halt.source,
        "asset": halt.asset,
        "cause": halt.cause,
        "units": str(halt.units),
    }


async def record_halt(
    tx: Tx,
    org_id: UUID,
    halt: Halt,
    change_type: str,
    at: datetime,
    *,
    actor: str = _WORKER,
    facts: Mapping[str, str] | None = None,
) -> None:
    """Record a change of a halt."""
    await append_next_change(
        tx,
        org_id=org_id,
        object_id=halt.id,
        kind=KIND,
        change_type=change_type,
        actor=actor,
        at=at,
        facts=halt_facts(halt) | dict(facts or {}),
    )


async def _impose(tx: Tx, org_id: UUID, halt: Halt) -> None:
    if await halt_store.add(tx, org_id, halt):
        await record_halt(tx, org_id, halt, "halt", halt.halted_at)
        _log.warning(
            "reconciliation.halted",
            org_id=str(org_id),
            chain=halt.source,
            currency=halt.asset or None,
            reason=halt.cause,
        )


async def _update(
    tx: Tx, org_id: UUID, halts: Sequence[Halt], missing: Sequence[MissingCoins], now: datetime
) -> None:
    """Update halts in force with the missing units of this run, in which the source answered."""
    units = {each.asset: each.units for each in missing}
    for halt in halts:
        if halt.cause is HaltCause.SOURCE_SILENT:
            cleared = replace(halt, status=HaltStatus.CLEARED, ended_at=now)
            await halt_store.write(tx, org_id, cleared)
            await record_halt(tx, org_id, cleared, "clear", now)
            continue
        found = replace(halt, units=units.get(halt.asset, 0))
        if found.units > halt.units and halt.status is HaltStatus.PROPOSED:
            found = replace(
                found, status=HaltStatus.HALTED, reason=None, proposed_by=None, proposed_at=None
            )
            await record_halt(tx, org_id, found, "reopen", now)
        if found != halt:
            await halt_store.write(tx, org_id, found)
