"""Resolution service: requests and reads resolutions, and lists possible actions.

Guarantees:

- A resolution is requested once per request id, with its approval, in one transaction.
- The requester never approves it, even if the organisation's policy would allow that.
- A payment has at most one open resolution. Two simultaneous requests are the exception: the second
  one to be executed finds nothing left to decide, and is void.
"""

import asyncio
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

import msgspec

from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import CommitOutcome, CreateTransfer, Transfer
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.payments.approvals.model import ON_CHAIN_LIFETIME, Approval
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.engine.resolution_actions import (
    PaymentResolver,
    ResolutionChoices,
    ResolutionInstruction,
)
from landbridge.payments.resolutions.model import (
    EVIDENCE_LENGTH_MAX,
    KIND,
    TRANSITIONS,
    PaymentResolution,
    ResolutionDetails,
    ResolutionStatus,
    as_resolution,
    request_of,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.pagination import LIMIT_MAX, PageWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.formats.texts import check_prose
from landbridge.platform.http.caller import Caller, check_payer, check_reviewer
from landbridge.platform.http.replays import note_replay
from landbridge.platform.http.reviewer_access import check_reviewer_access

_ADD = """
insert into resolutions (org_id, id, transfer_id, user_id, sealed_evidence, created_at)
values ($1, $2, $3, $4, $5, $6)
"""

_GET = """
select id, user_id, sealed_evidence
from resolutions
where org_id = $1 and id = any($2::uuid[])
"""

_OF_TRANSFER = """
select id
from resolutions
where org_id = $1 and transfer_id = $2
order by created_at desc, id desc
limit $3
"""

# Reads the index of records by kind backwards.
_PAGE = """
select id
from transfers
where org_id = $1 and kind = 'RESOLUTION' and status = any($2::text[])
    and created_at >= $3 and created_at < $4
order by created_at desc, id desc
limit $5
"""

_ERASE = "update resolutions set sealed_evidence = null where org_id = $1 and user_id = $2"

_LIFETIME = ON_CHAIN_LIFETIME


@dataclass(frozen=True, slots=True)
class ResolutionView:
    """Resolution with its approval and evidence; the evidence is None once it was erased."""

    resolution: PaymentResolution
    approval: Approval | None
    evidence: str | None


@dataclass(frozen=True, slots=True)
class ResolvablePayment:
    """Payment with its possible actions, and its resolutions so far, newest first."""

    record: Transfer
    choices: ResolutionChoices | None
    resolutions: Sequence[ResolutionView]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolutions:
    """Manages resolutions of all organisations; `resolvers` are the flows by kind of record."""

    database: Database
    ledger: Ledger
    approvals: Approvals
    vault: Vault
    clock: Clock
    assets: "dict[str, Asset]"
    resolvers: "dict[str, PaymentResolver]"

    async def options(self, caller: Caller, transfer_id: UUID) -> ResolvablePayment:
        """Return the possible actions on a payment; raises `RoleNotAllowed`.

        Raises `TransactionNotFound` for a record of a flow without resolutions.
        """
        check_reviewer_access(caller)
        record = await self._payment(caller.org_id, transfer_id)
        resolver = self.resolvers[record.kind]
        choices = await resolver.choices(record, caller.clock_offset)
        rows = await self.database.single(
            lambda tx: tx.fetch(_OF_TRANSFER, caller.org_id, transfer_id, LIMIT_MAX)
        )
        ids = [row["id"] for row in rows]
        return ResolvablePayment(record, choices, await self._views(caller.org_id, ids))

    async def request(
        self,
        caller: Caller,
        request_id: UUID,
        transfer_id: UUID,
        instruction: ResolutionInstruction,
        *,
        evidence: str,
    ) -> ResolutionView:
        """Request a resolution, once per request id; it waits for a second person.

        Raises `RoleNotAllowed`, `ProfileFrozen`, `TransactionNotFound`, `FieldInvalid`,
        `ResourceConflict` for an action that the payment's status does not allow or while another
        resolution of it is open, and `RequestIdTaken`.
        """
        check_reviewer(caller)
        check_payer(caller)
        checked = check_prose("evidence", evidence, length_max=EVIDENCE_LENGTH_MAX)
        record = await self._payment(caller.org_id, transfer_id)
        request = request_of(
            transfer_id, instruction, await self._evidence_digest(record, request_id, checked)
        )
        replayed = await self._replay(caller.org_id, request_id, request)
        if replayed is not None:
            return replayed
        try:
            creation = await self._build_creation(caller, request_id, record, instruction, request)
        except ResourceConflict:
            # The conflicting resolution may belong to the same request, sent at the same time.
            replayed = await self._replay(caller.org_id, request_id, request)
            if replayed is None:
                raise
            return replayed

        async def work(tx: Tx) -> CreatedTransfer | CommitOutcome:
            opened = await self.ledger.create_in(tx, creation, TRANSITIONS)
            if isinstance(opened, CreatedTransfer) and not opened.is_replay:
                await self.approvals.request(
                    tx, caller, creation, lifetime=_LIFETIME, needs_second=True
                )
                owner_id, owner_key = await self._evidence_key(tx, record)
                sealed = owner_key.seal(checked, context=_context(creation.id))
                ids = (caller.org_id, creation.id, transfer_id, owner_id)
                await tx.execute(_ADD, *ids, sealed, creation.at)
            return opened

        opened = await self.database.transact(work)
        if isinstance(opened, CommitOutcome):
            raise ResourceConflict("the resolution could not be opened")
        if opened.transfer.id != creation.id:
            note_replay()
        return await self._view(opened.transfer)

    async def get(self, caller: Caller, resolution_id: UUID) -> ResolutionView:
        """Return a resolution; raises `RoleNotAllowed` and `TransactionNotFound`."""
        check_reviewer_access(caller)
        return await self._view(await self.ledger.get(caller.org_id, KIND, resolution_id))

    async def page(
        self, caller: Caller, statuses: Collection[ResolutionStatus], window: PageWindow
    ) -> Sequence[ResolutionView]:
        """Return a page of resolutions of these statuses, newest first; raises `RoleNotAllowed`."""
        check_reviewer_access(caller)
        rows = await self.database.single(
            lambda tx: tx.fetch(
                _PAGE,
                caller.org_id,
                list(statuses),
                window.since,
                window.position.created_at,
                window.limit,
            )
        )
        return await self._views(caller.org_id, [row["id"] for row in rows])

    async def _replay(
        self, org_id: UUID, request_id: UUID, request: dict[str, str | None]
    ) -> ResolutionView | None:
        replayed = await self.ledger.find_replay(org_id, request_id, KIND, request)
        if replayed is None:
            return None
        note_replay()
        return await self._view(replayed)

    async def _build_creation(
        self,
        caller: Caller,
        request_id: UUID,
        record: Transfer,
        instruction: ResolutionInstruction,
        request: dict[str, str | None],
    ) -> CreateTransfer:
        found = await self.options(caller, record.id)
        action = instruction.action
        if found.choices is None or action not in found.choices.actions:
            allowed = ", ".join(found.choices.actions) if found.choices else "nothing"
            raise ResourceConflict(
                f"a {record.kind} that is {record.status} can't be resolved by {action}; "
                f"it allows {allowed}"
            )
        for each in found.resolutions:
            if not TRANSITIONS.is_terminal(each.resolution.status):
                raise ResourceConflict(
                    f"resolution {each.resolution.record.id} of this payment is "
                    f"{each.resolution.status}: wait until it is closed"
                )
        destination = await self.resolvers[record.kind].destination(
            record, instruction, caller.clock_offset
        )
        at = self.clock.stamp(caller.clock_offset)
        details = ResolutionDetails(
            transfer_id=record.id,
            transfer_kind=record.kind,
            order=found.choices.order,
            instruction=instruction,
            destination=dict(destination),
            requested_by=caller.actor,
        )
        return CreateTransfer(
            org_id=caller.org_id,
            id=new_id(),
            kind=KIND,
            user_id=record.user_id,
            request_id=request_id,
            request=request,
            path=(ResolutionStatus.PENDING_APPROVAL,),
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

    async def _evidence_key(self, tx: Tx, record: Transfer) -> tuple[UUID, DataKey]:
        """Return the owner of the evidence on a payment, and the owner's key.

        That is the payment's user, or the organisation once the user was erased: a bank may take a
        deposit back months later.
        """
        key = await self.vault.find(tx, record.org_id, record.user_id)
        if key is not None:
            return record.user_id, key
        return record.org_id, await self.vault.make(tx, record.org_id, record.org_id)

    async def _evidence_digest(self, record: Transfer, request_id: UUID, evidence: str) -> str:
        """Return the digest of a request's evidence, to compare with a replay.

        If the user was erased since the first request, so was the key of its digest: that counts.
        """
        owner_id, key = await self.database.transact(lambda tx: self._evidence_key(tx, record))
        if owner_id != record.user_id:
            first = await self.ledger.find_request(record.org_id, request_id)
            if first is not None and first.kind == KIND:
                rows = await self.database.single(
                    lambda tx: tx.fetch(_GET, first.org_id, [first.id])
                )
                if any(row["user_id"] == record.user_id for row in rows):
                    return str(first.request["evidence"])
        return _digest(key, evidence)

    async def _view(self, record: Transfer) -> ResolutionView:
        (view,) = await self._views(record.org_id, [record.id])
        return view

    async def _views(self, org_id: UUID, ids: Sequence[UUID]) -> list[ResolutionView]:
        if not ids:
            return []

        async def read(tx: Tx) -> dict[UUID, str]:
            rows = await tx.fetch(_GET, org_id, ids)
            keys = await self.vault.find_many(tx, org_id, {row["user_id"] for row in rows})
            return {
                row["id"]: keys[row["user_id"]].open(
                    row["sealed_evidence"], context=_context(row["id"]), type=str
                )
                for row in rows
                if row["sealed_evidence"] is not None and row["user_id"] in keys
            }

        evidence = await self.database.read(read)
        approvals = await self.approvals.of(org_id, ids)
        # Concurrently, so that the ledger groups the reads.
        records = await asyncio.gather(*(self.ledger.get(org_id, KIND, each) for each in ids))
        return [
            ResolutionView(as_resolution(each), approvals.get(each.id), evidence.get(each.id))
            for each in records
        ]


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: object) -> None:
    """Blank the evidence of a user's payments; part of erasing the user."""
    del at
    await tx.execute(_ERASE, org_id, user_id)


def _context(resolution_id: UUID) -> str:
    return f"resolutions.evidence:{resolution_id}"


def _digest(key: DataKey, evidence: str) -> str:
    """Return a digest that reveals nothing without the user's key."""
    return hmac.digest(key.derive("resolutions.evidence"), evidence.encode(), "sha256").hex()
