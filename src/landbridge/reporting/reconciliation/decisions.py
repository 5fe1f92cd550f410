"""Decisions of people on differences: assign, resolve, accept, reject.

Guarantees:
- Two people resolve a difference: one explains it, and another one accepts the explanation. A key
  and the member who created it count as one person.
- Both decide on the same units. If a run finds other units, the explanation is void.
- Later runs do not report accepted units as a difference, unless they change.
- A decision posts nothing, unless both people decided to adjust the ledger: then the acceptance
  posts one journal in its transaction (adjustments.py), and later runs find no difference.
- Each decision is in the change log, with its reason, which must not contain personal data.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.customers.team.service import Team
from landbridge.ledger.service import Ledger
from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.money import AmountError, Asset, Money, parse_units
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.formats.texts import check_text
from landbridge.reporting.reconciliation import adjustments, difference_store, store
from landbridge.reporting.reconciliation.adjustments import build_adjustment
from landbridge.reporting.reconciliation.four_eyes import check_second
from landbridge.reporting.reconciliation.model import (
    Difference,
    DifferenceKind,
    DifferenceResolution,
    DifferenceStatus,
    ReconPerson,
)
from landbridge.reporting.reconciliation.sources import COMPARED_ASSETS
from landbridge.reporting.reconciliation.unread import has_moved

# Kind of differences in the change log.
KIND = "RECONCILIATION.DIFFERENCE"
REASON_LENGTH_MAX = 500

# Actor in the change log when a run reopens a difference.
_WORKER = "worker"

# Returns the locked difference after a decision at this time, or raises `Refused`.
_Decide = Callable[[Tx, Difference, datetime], Awaitable[Difference]]


@dataclass(frozen=True, slots=True)
class DifferenceDecisions:
    """Decides on differences of all organisations.

    Every method raises `ResourceNotFound` for an unknown difference, and `ResourceConflict` if its
    status does not allow the decision. `amount` is the difference that the person has seen, in
    coins: the decision is refused if it has changed.
    """

    database: Database
    ledger: Ledger
    team: Team
    clock: Clock

    async def assign(
        self, person: ReconPerson, difference_id: UUID, member_id: UUID | None
    ) -> Difference:
        """Assign an unresolved difference to a member; None assigns it to nobody.

        Raises `ResourceNotFound` for an unknown member, and `FieldInvalid` for a removed one.
        """
        if member_id is not None:
            member = await self.team.get(person.org_id, member_id)
            if member.removed_at is not None:
                raise FieldInvalid("memberId is a removed member", field="memberId")

        async def decide(_tx: Tx, found: Difference, _at: datetime) -> Difference:
            check_unresolved(found)
            return replace(found, assignee_id=member_id)

        facts = {"memberId": None if member_id is None else str(member_id)}
        return await self._decide(person, difference_id, "assign", decide, facts=facts)

    async def resolve(
        self,
        person: ReconPerson,
        difference_id: UUID,
        reason: str,
        *,
        amount: str | None = None,
        adjusts_ledger: bool = False,
    ) -> Difference:
        """Explain an open difference; it waits for a second person. Raises `FieldInvalid`.

        With `adjusts_ledger` the acceptance books the difference: a surplus to suspense, a
        shortfall as a loss of the organisation.
        """
        reason = check_text("reason", reason, length_max=REASON_LENGTH_MAX)

        async def decide(_tx: Tx, found: Difference, at: datetime) -> Difference:
            check_open(found)
            check_amount(found, amount)
            if adjusts_ledger and not (found.asset and found.units):
                raise FieldInvalid("adjustLedger is of an amount", field="adjustLedger")
            return replace(
                found,
                adjusts_ledger=adjusts_ledger,
                status=DifferenceStatus.PROPOSED,
                reason=reason,
                proposed_by=person.id,
                proposed_at=at,
            )

        facts = {"reason": reason, "adjustsLedger": adjusts_ledger}
        return await self._decide(person, difference_id, "resolve", decide, facts=facts)

    async def accept(
        self, person: ReconPerson, difference_id: UUID, *, amount: str | None = None
    ) -> Difference:
        """Accept another person's explanation; the difference is resolved.

        Raises `FieldInvalid`, and `RoleNotAllowed` for the person who has explained it.
        """

        async def decide(tx: Tx, found: Difference, at: datetime) -> Difference:
            explained_by = check_proposed(found)
            check_amount(found, amount)
            await check_second(tx, self.clock, person, explained_by, "explained it")
            if not await _take_units(tx, person.org_id, found):
                raise ResourceConflict(
                    "its units have changed since the last run, or its payment is in transit: run "
                    "again, or settle the payment with the bank"
                )
            if found.adjusts_ledger:
                adjustment = build_adjustment(person.org_id, found, actor=person.actor, at=at)
                await self.ledger.create_in(tx, adjustment, adjustments.TRANSITIONS)
            return replace(
                found,
                status=DifferenceStatus.RESOLVED,
                accepted_by=person.id,
                resolution=DifferenceResolution.ADJUSTED
                if found.adjusts_ledger
                else DifferenceResolution.ACCEPTED,
                resolved_at=at,
            )

        return await self._decide(person, difference_id, "accept", decide, facts={})

    async def reject(self, person: ReconPerson, difference_id: UUID, reason: str) -> Difference:
        """Reject an explanation, or withdraw one's own; the difference is then open again.

        Raises `FieldInvalid`.
        """
        reason = check_text("reason", reason, length_max=REASON_LENGTH_MAX)

        async def decide(_tx: Tx, found: Difference, _at: datetime) -> Difference:
            check_proposed(found)
            return replace(
                found,
                status=DifferenceStatus.OPEN,
                adjusts_ledger=False,
                reason=None,
                proposed_by=None,
                proposed_at=None,
            )

        facts = {"reason": reason}
        return await self._decide(person, difference_id, "reject", decide, facts=facts)

    async def _decide(
        self,
        person: ReconPerson,
        difference_id: UUID,
        change_type: str,
        decide: _Decide,
        *,
        facts: Mapping[str, Any],
    ) -> Difference:
        at, org_id = self.clock.stamp(person.offset), person.org_id

        async def work(tx: Tx) -> Difference:
            decided = await decide(tx, await _lock(tx, org_id, difference_id), at)
            await difference_store.write(tx, org_id, decided)
            await append_next_change(
                tx,
                org_id=org_id,
                object_id=difference_id,
                kind=KIND,
                change_type=change_type,
                actor=person.actor,
                at=at,
                facts={**_facts(decided), **facts, "personId": str(person.id)},
            )
            return decided

        return await self.database.transact(work)


async def record_reopened(
    tx: Tx, org_id: UUID, difference_ids: Sequence[UUID], at: datetime
) -> None:
    """Record that a run has voided the explanations of these locked differences."""
    for each in difference_ids:
        await append_next_change(
            tx,
            org_id=org_id,
            object_id=each,
            kind=KIND,
            change_type="reopen",
            actor=_WORKER,
            at=at,
        )


def check_unresolved(difference: Difference) -> None:
    """Raise `ResourceConflict` for a resolved difference."""
    if difference.status is DifferenceStatus.RESOLVED:
        raise ResourceConflict(f"this difference is resolved already: {difference.resolution}")


def check_open(difference: Difference) -> None:
    """Raise `ResourceConflict` unless a difference waits for an explanation."""
    check_unresolved(difference)
    match difference.status:
        case DifferenceStatus.TIMING:
            raise ResourceConflict(
                f"the other side may follow until {difference.due_at:%Y-%m-%d %H:%M} UTC"
            )
        case DifferenceStatus.PROPOSED:
            raise ResourceConflict("it is explained already, and waits for a second person")
        case _ if difference.kind is DifferenceKind.SOURCE_SILENT:
            raise ResourceConflict("it ends when the chain answers again")
        case _:
            pass


def check_proposed(difference: Difference) -> UUID:
    """Return who has explained a difference; raises `ResourceConflict` if it is not explained."""
    check_unresolved(difference)
    if difference.status is not DifferenceStatus.PROPOSED or difference.proposed_by is None:
        raise ResourceConflict("nobody has explained this difference yet")
    return difference.proposed_by


def check_amount(difference: Difference, amount: str | None) -> None:
    """Raise `ResourceConflict` if a difference has another amount than a person has seen.

    Raises `FieldInvalid` if `amount` is not a valid amount of the asset.
    """
    if amount is None:
        return
    if not difference.asset:
        raise FieldInvalid("amount is of differences with an asset", field="amount")
    asset = COMPARED_ASSETS[difference.asset]
    if parse_amount_seen(amount, asset) != difference.units:
        raise ResourceConflict(
            f"the difference is {Money(difference.units, asset)} {asset.currency} by now"
        )


def parse_amount_seen(amount: str, asset: Asset) -> int:
    """Return the units of an amount that a person has seen; raises `FieldInvalid`."""
    try:
        return parse_units(amount, asset.decimals)
    except AmountError as error:
        raise FieldInvalid(f"amount {error}", field="amount") from error


async def _take_units(tx: Tx, org_id: UUID, found: Difference) -> bool:
    """Accept the units for later runs, unless the ledger is adjusted; False if they changed."""
    if found.adjusts_ledger:
        has_units = await difference_store.has_units(tx, org_id, found)
        return has_units and not await has_moved(tx, org_id, found)
    return not found.asset or await difference_store.accept_units(tx, org_id, found)


async def _lock(tx: Tx, org_id: UUID, difference_id: UUID) -> Difference:
    """Lock a difference after its source, in the same order as a run, to prevent deadlocks."""
    known = await difference_store.get(tx, org_id, difference_id)
    if known is not None:
        await store.lock_source(tx, org_id, known.source)
    found = await difference_store.lock(tx, org_id, difference_id)
    if found is None:
        raise ResourceNotFound(f"there is no difference {difference_id}")
    return found


def _facts(difference: Difference) -> dict[str, str]:
    return {
        "kind": difference.kind,
        "source": difference.source,
        "asset": difference.asset,
        "reference": difference.reference,
        "units": str(difference.units),
    }
