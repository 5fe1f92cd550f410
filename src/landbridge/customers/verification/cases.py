"""Storage of verification cases: decryption, status transitions and their change records.

Guarantees:
- the row and its change event are written in one transaction;
- a case moves only by the permitted transitions, from the version and the claim at which it was
  read: of two concurrent decisions one succeeds, and the other is rejected;
- a case becomes ACTIVE only if its names were compared with the sanctions list that is active at
  that time;
- a user whose case requires information receives an e-mail, queued in the same transaction;
- submitted data and findings are stored encrypted, and in no other location.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.customers.verification import store
from landbridge.customers.verification.model import (
    KIND,
    TRANSITIONS,
    CaseFindings,
    CaseRecord,
    KycStatus,
    QueuedCase,
    SubmissionSnapshot,
    VerificationCase,
    queued,
)
from landbridge.customers.verification.schemas import status_payload
from landbridge.customers.verification.store import SealedCase
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.fields import field_values
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.snapshots import seal_snapshot
from landbridge.platform.encryption.user_keys import key_of
from landbridge.platform.mail.outbox import Outbox, SealedEmailContent
from landbridge.providers.screening.service import Screening
from landbridge.providers.sidecar.identity import forget_applications

_SUBJECT = "Information requested for your verification"
_TEXT = """Hello,

to complete your verification, we need more information from you:

{comment}

Send it through the company you are in contact with. Do not reply to this e-mail.
"""


@dataclass(frozen=True, slots=True)
class VerificationEmails:
    """Puts e-mails about verification into the outbox."""

    outbox: Outbox

    async def ask(self, tx: Tx, case: VerificationCase, key: DataKey) -> None:
        """Queue a request for information, to the e-mail address in the KYC data or of the user."""
        comment, snapshot = case.findings.asked_for, case.snapshot
        if comment is None or snapshot is None:
            return
        recipient: Any = snapshot.data.get("email")
        to = recipient if isinstance(recipient, str) else snapshot.email
        email = SealedEmailContent(to=to, subject=_SUBJECT, text=_TEXT.format(comment=comment))
        await self.outbox.put(tx, org_id=case.org_id, owner_id=case.user_id, key=key, email=email)


_NOTHING = CaseFindings()


@dataclass(frozen=True, slots=True)
class VerificationCases:
    """Cases of all organisations."""

    database: Database
    vault: Vault
    letters: VerificationEmails

    async def get(self, org_id: UUID, case_id: UUID) -> VerificationCase | None:
        """Return a decrypted case; None if there is none."""
        return (await self.find(org_id, [case_id])).get(case_id)

    async def find(self, org_id: UUID, case_ids: Collection[UUID]) -> dict[UUID, VerificationCase]:
        """Return the existing cases among these ids, decrypted."""

        async def work(tx: Tx) -> dict[UUID, VerificationCase]:
            sealed = await store.get(tx, org_id, case_ids)
            return {each.id: each for each in await self._open(tx, list(sealed.values()))}

        return await self.database.transact(work)

    async def due(
        self, clocks: Mapping[UUID, datetime], *, limit: int
    ) -> Sequence[VerificationCase]:
        """Return the cases of these organisations that are due at these times, decrypted."""

        async def work(tx: Tx) -> Sequence[VerificationCase]:
            return await self._open(tx, await store.due(tx, clocks, limit=limit))

        return await self.database.transact(work)

    async def queue(
        self,
        org_id: UUID,
        statuses: Collection[KycStatus],
        window: QueueWindow,
    ) -> Sequence[QueuedCase]:
        """Return cases in these statuses, oldest first; decrypt one by one, to save memory."""

        async def work(tx: Tx) -> Sequence[QueuedCase]:
            found = await store.queue(tx, org_id, statuses, window)
            keys = await self.vault.find_many(tx, org_id, {each.user_id for each in found})
            return [queued(_opened(each, keys.get(each.user_id))) for each in found]

        return await self.database.transact(work)

    async def forget(self, tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        """Delete a user's submitted data and findings, in the transaction that erases the user."""
        case_ids = await store.forget(tx, org_id, user_id, at)
        await forget_applications(tx, org_id, case_ids)

    async def claim(self, case: VerificationCase, now: datetime) -> VerificationCase | None:
        """Claim a due case; None if another worker has claimed it."""
        until = now + case.pause
        sealed = _bare(case)
        if not await self.database.single(lambda tx: store.claim(tx, sealed, until)):
            return None
        return replace(case, claims=case.claims + 1, failures=case.failures + 1, due_at=until)

    async def unschedule(self, case: VerificationCase) -> None:
        """Remove the claimed case of an erased user from the schedule."""
        sealed = _bare(case)
        await self.database.single(lambda tx: store.unschedule(tx, sealed))

    async def open(self, tx: Tx, case: VerificationCase, actor: str) -> VerificationCase | None:
        """Store a new case as CREATED; None if one exists. Raises `UserFrozen` after erasure."""
        key = await key_of(self.vault, tx, case.org_id, case.user_id)
        if not await store.add(tx, _seal(case, key)):
            return None
        # The foreign key to the user serialises this with an erasure: it has either committed
        # before, or waits for this transaction.
        await key_of(self.vault, tx, case.org_id, case.user_id)
        await _record_change(tx, case, [KycStatus.CREATED], actor, key=key)
        return case

    async def move(
        self,
        before: VerificationCase,
        after: VerificationCase,
        *path: KycStatus,
        actor: str,
        at: datetime,
    ) -> VerificationCase | None:
        """Store a changed case in a transaction of its own; see `move_in`."""
        return await self.database.transact(
            lambda tx: self.move_in(tx, before, after, *path, actor=actor, at=at)
        )

    async def approve(
        self,
        before: VerificationCase,
        after: VerificationCase,
        screening: Screening,
        *,
        actor: str,
        at: datetime,
    ) -> VerificationCase | None:
        """Set a case to ACTIVE in a transaction of its own; see `move_in`.

        Raises `ListReplaced` if the findings of `after` are not based on the active list. A list
        that is loaded later waits for this transaction, so the case is included in its rescreening.
        """

        async def work(tx: Tx) -> VerificationCase | None:
            await screening.hold(tx, after.findings.list_version)
            return await self.move_in(tx, before, after, KycStatus.ACTIVE, actor=actor, at=at)

        return await self.database.transact(work)

    async def move_in(
        self,
        tx: Tx,
        before: VerificationCase,
        after: VerificationCase,
        *path: KycStatus,
        actor: str,
        at: datetime,
    ) -> VerificationCase | None:
        """Move a case along `path` (may be empty) and store the values of `after`.

        Return None if the case has changed since it was read, or the user has been erased.
        """
        if path and not TRANSITIONS.is_path(before.status, path):
            raise InvariantBroken(f"no way from {before.status} over {path}")
        key = await self.vault.find(tx, before.org_id, before.user_id)
        moved = replace(
            after,
            status=path[-1] if path else before.status,
            version=before.version + len(path),
            updated_at=at if path else before.updated_at,
        )
        if key is None or not await store.update(tx, _bare(before), _seal(moved, key)):
            return None
        await _record_change(tx, moved, path, actor, key=key)
        if KycStatus.RFI_PENDING in path:
            await self.letters.ask(tx, moved, key)
        return moved

    async def _open(self, tx: Tx, sealed: Sequence[SealedCase]) -> list[VerificationCase]:
        owners: dict[UUID, set[UUID]] = {}
        for each in sealed:
            owners.setdefault(each.org_id, set()).add(each.user_id)
        keys = {
            (org_id, user_id): key
            for org_id, user_ids in owners.items()
            for user_id, key in (await self.vault.find_many(tx, org_id, user_ids)).items()
        }
        return [_opened(each, keys.get((each.org_id, each.user_id))) for each in sealed]


async def _record_change(
    tx: Tx, moved: VerificationCase, path: Sequence[KycStatus], actor: str, *, key: DataKey
) -> None:
    for seq, status in enumerate(path, moved.version - len(path) + 1):
        await append_change(
            tx,
            org_id=moved.org_id,
            object_id=moved.id,
            seq=seq,
            kind=KIND,
            change_type="create" if seq == 1 else "update",
            actor=actor,
            at=moved.updated_at,
            facts={"userId": str(moved.user_id), "rail": moved.rail, "status": status},
            snapshot=seal_snapshot(
                key,
                moved.user_id,
                object_id=moved.id,
                seq=seq,
                payload=status_payload(moved.user_id, moved.rail, replace(moved, status=status)),
            ),
        )


def _seal(case: VerificationCase, key: DataKey) -> SealedCase:
    return replace(
        _bare(case),
        sealed_snapshot=key.seal(case.snapshot, context=f"kyc_cases.snapshot:{case.id}"),
        sealed_findings=key.seal(case.findings, context=f"kyc_cases.findings:{case.id}"),
    )


def _bare(case: VerificationCase) -> SealedCase:
    """Return a case without the encrypted parts."""
    return SealedCase(**field_values(case, CaseRecord))


def _opened(sealed: SealedCase, key: DataKey | None) -> VerificationCase:
    snapshot, findings = None, _NOTHING
    if key is not None and sealed.sealed_snapshot is not None:
        context = f"kyc_cases.snapshot:{sealed.id}"
        snapshot = key.open(sealed.sealed_snapshot, context=context, type=SubmissionSnapshot)
    if key is not None and sealed.sealed_findings is not None:
        context = f"kyc_cases.findings:{sealed.id}"
        findings = key.open(sealed.sealed_findings, context=context, type=CaseFindings)
    return VerificationCase(
        **field_values(sealed, CaseRecord), snapshot=snapshot, findings=findings
    )
