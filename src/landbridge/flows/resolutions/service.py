"""Verbs on resolutions: request one, read them, list what can be decided.

Guarantees:
- a resolution is requested once per request id, with its approval, in one transaction;
- whoever requests it never approves it, whatever the organisation's policy says;
- a payment has at most one resolution that is not at an end, but for two requests at the same
  moment: then the second one that is carried out finds nothing left to decide, and is void.
"""

import asyncio
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

import msgspec

from landbridge.approvals.model import ON_CHAIN_LIFETIME, Approval
from landbridge.approvals.service import Approvals
from landbridge.core.clock import Clock
from landbridge.core.errors import ResourceConflict
from landbridge.core.ids import new_id
from landbridge.core.money import Asset, Money
from landbridge.core.pages import LIMIT_MAX, Window
from landbridge.db.pool import Database, Tx
from landbridge.flows.resolutions import store
from landbridge.flows.resolutions.model import (
    EVIDENCE_LENGTH_MAX,
    KIND,
    MOVES,
    Details,
    PaymentResolution,
    Status,
    as_resolution,
    request_of,
)
from landbridge.formats.texts import check_prose
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import Opening, Outcome, Transfer
from landbridge.ledger.service import Ledger, Opened
from landbridge.payments.resolving import Choices, Instruction, Resolver
from landbridge.privacy.keys import key_of
from landbridge.privacy.service import DataKey, Vault
from landbridge.web.caller import Caller, check_payer, check_reviewer
from landbridge.web.lookers import check_looker
from landbridge.web.replays import note_replay

_LIFETIME = ON_CHAIN_LIFETIME


@dataclass(frozen=True, slots=True)
class ResolutionView:
    """A resolution with its approval and evidence; the evidence is None once it was erased."""

    resolution: PaymentResolution
    approval: Approval | None
    evidence: str | None


@dataclass(frozen=True, slots=True)
class Resolvable:
    """A payment, what can be decided on it, and its resolutions so far, newest first."""

    record: Transfer
    choices: Choices | None
    resolutions: Sequence[ResolutionView]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolutions:
    """Resolutions of all organisations; `resolvers` are the flows by kind of record."""

    database: Database
    ledger: Ledger
    approvals: Approvals
    vault: Vault
    clock: Clock
    assets: "dict[str, Asset]"
    resolvers: "dict[str, Resolver]"

    async def options(self, caller: Caller, transfer_id: UUID) -> Resolvable:
        """Return what can be decided on a payment; raises `RoleNotAllowed`.

        Raises `TransactionNotFound` for one that is of no flow that can be resolved.
        """
        check_looker(caller)
        record = await self._payment(caller.org_id, transfer_id)
        resolver = self.resolvers[record.kind]
        choices = await resolver.choices(record, caller.clock_offset)
        ids = await self.database.single(
            lambda tx: store.of_transfer(tx, caller.org_id, transfer_id, limit=LIMIT_MAX)
        )
        return Resolvable(record, choices, await self._views(caller.org_id, ids))

    async def request(
        self,
        caller: Caller,
        request_id: UUID,
        transfer_id: UUID,
        instruction: Instruction,
        *,
        evidence: str,
    ) -> ResolutionView:
        """Request a resolution, once per request id; it waits for a second person.

        Raises `RoleNotAllowed`, `ProfileFrozen`, `TransactionNotFound`, `FieldInvalid`,
        `ResourceConflict` for an action that the payment's state does not allow or while another
        resolution of it is open, `UserFrozen` for a user who was erased, and `RequestIdTaken`.
        """
        check_reviewer(caller)
        check_payer(caller)
        checked = check_prose("evidence", evidence, length_max=EVIDENCE_LENGTH_MAX)
        record = await self._payment(caller.org_id, transfer_id)
        key = await self.database.transact(
            lambda tx: key_of(self.vault, tx, caller.org_id, record.user_id)
        )
        request = request_of(transfer_id, instruction, _digest(key, checked))
        replayed = await self._replay(caller.org_id, request_id, request)
        if replayed is not None:
            return replayed
        try:
            opening = await self._opening(caller, request_id, record, instruction, request)
        except ResourceConflict:
            # The one that is in the way may be of the same request, sent at the same time.
            replayed = await self._replay(caller.org_id, request_id, request)
            if replayed is None:
                raise
            return replayed

        async def work(tx: Tx) -> Opened | Outcome:
            opened = await self.ledger.open_in(tx, opening, MOVES)
            if isinstance(opened, Opened) and not opened.is_replay:
                await self.approvals.ask(tx, caller, opening, lifetime=_LIFETIME, needs_second=True)
                user_key = await key_of(self.vault, tx, caller.org_id, record.user_id)
                await store.add(
                    tx,
                    caller.org_id,
                    opening.id,
                    transfer_id=transfer_id,
                    user_id=record.user_id,
                    sealed_evidence=user_key.seal(checked, context=_context(opening.id)),
                    at=opening.at,
                )
            return opened

        opened = await self.database.transact(work)
        if isinstance(opened, Outcome):
            raise ResourceConflict("the resolution could not be opened")
        if opened.transfer.id != opening.id:
            note_replay()
        return await self._view(opened.transfer)

    async def get(self, caller: Caller, resolution_id: UUID) -> ResolutionView:
        """Return a resolution; raises `RoleNotAllowed` and `TransactionNotFound`."""
        check_looker(caller)
        return await self._view(await self.ledger.get(caller.org_id, KIND, resolution_id))

    async def page(
        self, caller: Caller, statuses: Collection[Status], window: Window
    ) -> Sequence[ResolutionView]:
        """Return a page of resolutions of these statuses, newest first; raises `RoleNotAllowed`."""
        check_looker(caller)
        ids = await self.database.single(lambda tx: store.page(tx, caller.org_id, statuses, window))
        return await self._views(caller.org_id, ids)

    async def _replay(
        self, org_id: UUID, request_id: UUID, request: dict[str, str | None]
    ) -> ResolutionView | None:
        replayed = await self.ledger.find_replay(org_id, request_id, KIND, request)
        if replayed is None:
            return None
        note_replay()
        return await self._view(replayed)

    async def _opening(
        self,
        caller: Caller,
        request_id: UUID,
        record: Transfer,
        instruction: Instruction,
        request: dict[str, str | None],
    ) -> Opening:
        found = await self.options(caller, record.id)
        action = instruction.action
        if found.choices is None or action not in found.choices.actions:
            allowed = ", ".join(found.choices.actions) if found.choices else "nothing"
            raise ResourceConflict(
                f"a {record.kind} that is {record.status} can't be resolved by {action}; "
                f"it allows {allowed}"
            )
        for each in found.resolutions:
            if not MOVES.is_terminal(each.resolution.status):
                raise ResourceConflict(
                    f"resolution {each.resolution.record.id} of this payment is "
                    f"{each.resolution.status}: wait until it is at an end"
                )
        destination = await self.resolvers[record.kind].destination(
            record, instruction, caller.clock_offset
        )
        at = self.clock.stamp(caller.clock_offset)
        details = Details(
            transfer_id=record.id,
            transfer_kind=record.kind,
            order=found.choices.order,
            instruction=instruction,
            destination=dict(destination),
            requested_by=caller.actor,
        )
        return Opening(
            org_id=caller.org_id,
            id=new_id(),
            kind=KIND,
            user_id=record.user_id,
            request_id=request_id,
            request=request,
            path=(Status.PENDING_APPROVAL,),
            source=Money(record.source_units, self.assets[record.source_asset]),
            destination=Money(record.destination_units, self.assets[record.destination_asset]),
            details=msgspec.to_builtins(details),
            due_at=at + _LIFETIME,
            at=at,
            actor=caller.actor,
        )

    async def _payment(self, org_id: UUID, transfer_id: UUID) -> Transfer:
        found = await self.ledger.find(org_id, transfer_id)
        if found is None or found.kind not in self.resolvers:
            raise TransactionNotFound(f"there is no payment {transfer_id} that can be resolved")
        return found

    async def _view(self, record: Transfer) -> ResolutionView:
        (view,) = await self._views(record.org_id, [record.id])
        return view

    async def _views(self, org_id: UUID, ids: Sequence[UUID]) -> list[ResolutionView]:
        if not ids:
            return []

        async def read(tx: Tx) -> dict[UUID, str]:
            found = await store.get(tx, org_id, ids)
            keys = await self.vault.find_many(tx, org_id, {user for _, user, _ in found.values()})
            return {
                each: keys[user].open(sealed, context=_context(each), type=str)
                for each, (_, user, sealed) in found.items()
                if sealed is not None and user in keys
            }

        evidence = await self.database.transact(read)
        approvals = await self.approvals.of(org_id, ids)
        # Read together: the ledger groups them into few statements.
        records = await asyncio.gather(*(self.ledger.get(org_id, KIND, each) for each in ids))
        return [
            ResolutionView(as_resolution(each), approvals.get(each.id), evidence.get(each.id))
            for each in records
        ]


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: object) -> None:
    """Blank the evidence of a user's payments; part of erasing the user."""
    del at
    await store.erase(tx, org_id, user_id)


def _context(resolution_id: UUID) -> str:
    return f"resolutions.evidence:{resolution_id}"


def _digest(key: DataKey, evidence: str) -> str:
    """The same for the same text, and nothing to anyone without the user's key."""
    return hmac.digest(key.derive("resolutions.evidence"), evidence.encode(), "sha256").hex()
