"""Decisions of people on halts: lift, accept, reject.

Guarantees:
- Two people lift a halt: one gives a reason, another one accepts it. A key and the member who
  created it count as one person.
- Both decide on the same missing units; a run that finds more missing units voids the reason.
- The units that were missing when a halt was lifted do not cause another halt.
- Each decision is in the change log, with its reason, which must not contain personal data.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.formats.texts import check_text
from landbridge.providers.chains.tokens import ASSETS
from landbridge.reporting.reconciliation import halt_store, store
from landbridge.reporting.reconciliation.decisions import REASON_LENGTH_MAX, parse_amount_seen
from landbridge.reporting.reconciliation.four_eyes import check_second
from landbridge.reporting.reconciliation.halt_model import IN_FORCE, Halt, HaltStatus
from landbridge.reporting.reconciliation.halting import record_halt
from landbridge.reporting.reconciliation.model import ReconPerson

# Returns the locked halt after a decision at this time, or raises `Refused`.
_DecideHalt = Callable[[Tx, Halt, datetime], Awaitable[Halt]]


@dataclass(frozen=True, slots=True)
class HaltDecisions:
    """Decides on halts of all organisations.

    Every method raises `ResourceNotFound` for an unknown halt, and `ResourceConflict` if its status
    does not allow the decision. `amount` is the missing amount that the person has seen, in coins:
    the decision is refused if it has changed.
    """

    database: Database
    clock: Clock

    async def lift(
        self, person: ReconPerson, halt_id: UUID, reason: str, *, amount: str | None = None
    ) -> Halt:
        """Propose to lift a halt; payments wait for a second person. Raises `FieldInvalid`."""
        reason = check_text("reason", reason, length_max=REASON_LENGTH_MAX)

        async def decide(_tx: Tx, found: Halt, at: datetime) -> Halt:
            if found.status is HaltStatus.PROPOSED:
                raise ResourceConflict(
                    "it is proposed to be lifted already: a second person accepts"
                )
            check_missing(found, amount)
            return replace(
                found,
                status=HaltStatus.PROPOSED,
                reason=reason,
                proposed_by=person.id,
                proposed_at=at,
            )

        return await self._decide(person, halt_id, "propose", decide, facts={"reason": reason})

    async def accept(
        self, person: ReconPerson, halt_id: UUID, *, amount: str | None = None
    ) -> Halt:
        """Lift a halt that another person wants to lift; its payments continue within minutes.

        Raises `FieldInvalid`, and `RoleNotAllowed` for the person who has proposed it.
        """

        async def decide(tx: Tx, found: Halt, at: datetime) -> Halt:
            proposed_by = check_lift_proposed(found)
            check_missing(found, amount)
            await check_second(tx, self.clock, person, proposed_by, "proposed it")
            if found.asset:
                await halt_store.lift_differences(tx, person.org_id, found)
            return replace(found, status=HaltStatus.LIFTED, lifted_by=person.id, ended_at=at)

        return await self._decide(person, halt_id, "lift", decide, facts={})

    async def reject(self, person: ReconPerson, halt_id: UUID, reason: str) -> Halt:
        """Refuse to lift a halt, or withdraw one's own proposal. Raises `FieldInvalid`."""
        reason = check_text("reason", reason, length_max=REASON_LENGTH_MAX)

        async def decide(_tx: Tx, found: Halt, _at: datetime) -> Halt:
            check_lift_proposed(found)
            return replace(
                found, status=HaltStatus.HALTED, reason=None, proposed_by=None, proposed_at=None
            )

        return await self._decide(person, halt_id, "reject", decide, facts={"reason": reason})

    async def _decide(
        self,
        person: ReconPerson,
        halt_id: UUID,
        change_type: str,
        decide: _DecideHalt,
        *,
        facts: Mapping[str, str],
    ) -> Halt:
        at, org_id = self.clock.stamp(person.offset), person.org_id

        async def work(tx: Tx) -> Halt:
            decided = await decide(tx, await _lock(tx, org_id, halt_id), at)
            await halt_store.write(tx, org_id, decided)
            await record_halt(
                *(tx, org_id, decided, change_type, at),
                actor=person.actor,
                facts={**facts, "personId": str(person.id)},
            )
            return decided

        return await self.database.transact(work)


def check_lift_proposed(halt: Halt) -> UUID:
    """Return who wants to lift a halt; raises `ResourceConflict` if nobody does."""
    if halt.status is not HaltStatus.PROPOSED or halt.proposed_by is None:
        raise ResourceConflict("nobody has proposed to lift this halt yet")
    return halt.proposed_by


def check_missing(halt: Halt, amount: str | None) -> None:
    """Raise `ResourceConflict` if another amount is missing than a person has seen.

    Raises `FieldInvalid` if `amount` is not a valid amount of the asset.
    """
    if amount is None:
        return
    if not halt.asset:
        raise FieldInvalid("amount is of halts with a currency", field="amount")
    asset = ASSETS[halt.asset]
    if parse_amount_seen(amount, asset) != halt.units:
        raise ResourceConflict(f"{Money(halt.units, asset)} {asset.currency} are missing by now")


async def _lock(tx: Tx, org_id: UUID, halt_id: UUID) -> Halt:
    """Lock a halt in force after its source, in the same order as a run, to prevent deadlocks."""
    known = await halt_store.get(tx, org_id, halt_id)
    if known is None:
        raise ResourceNotFound(f"there is no halt {halt_id}")
    await store.lock_source(tx, org_id, known.source)
    found = await halt_store.get(tx, org_id, halt_id)
    if found is None or found.status not in IN_FORCE:
        raise ResourceConflict("this halt is over already")
    return found
