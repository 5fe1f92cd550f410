"""Cases in the database: opened with the user's key, and moved on, each move told.

Guarantees:
- a change of status, the row and its line in `changes` are one transaction;
- a case moves only by `MOVES`, from the version and the claim at which it was read: of two who
  decide at once one wins, and the other is told;
- a case becomes ACTIVE only if its names were compared with the list that is active then;
- a user whom information is asked of is written to, by the same transaction;
- what was submitted and found is stored sealed, and is nowhere else.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from landbridge.changes.service import tell
from landbridge.core.errors import Broken
from landbridge.db.pool import Database, Tx
from landbridge.privacy.keys import key_of
from landbridge.privacy.pictures import take
from landbridge.privacy.service import DataKey, Vault
from landbridge.screening.service import Screening
from landbridge.verification import store
from landbridge.verification.letters import Letters
from landbridge.verification.model import (
    KIND,
    MOVES,
    Case,
    Findings,
    KycStatus,
    QueuedCase,
    Snapshot,
    queued,
)
from landbridge.verification.shapes import told_status
from landbridge.verification.store import SealedCase

_NOTHING = Findings()


class Cases:
    """Cases of all organisations."""

    def __init__(self, database: Database, vault: Vault, letters: Letters) -> None:
        self._database = database
        self._vault = vault
        self._letters = letters

    async def get(self, org_id: UUID, case_id: UUID) -> Case | None:
        """A case, opened."""
        return (await self.find(org_id, [case_id])).get(case_id)

    async def find(self, org_id: UUID, case_ids: Collection[UUID]) -> dict[UUID, Case]:
        """Those of these cases that there are, opened."""

        async def work(tx: Tx) -> dict[UUID, Case]:
            sealed = await store.get(tx, org_id, case_ids)
            return {each.id: each for each in await self._open(tx, list(sealed.values()))}

        return await self._database.transact(work)

    async def due(self, clocks: Mapping[UUID, datetime], *, limit: int) -> Sequence[Case]:
        """What is due at these times of these organisations, opened."""

        async def work(tx: Tx) -> Sequence[Case]:
            return await self._open(tx, await store.due(tx, clocks, limit=limit))

        return await self._database.transact(work)

    async def queue(
        self,
        org_id: UUID,
        statuses: Collection[KycStatus],
        *,
        since: datetime,
        before: datetime,
        limit: int,
    ) -> Sequence[QueuedCase]:
        """Cases of these statuses, oldest first; opened one at a time, for they may be large."""

        async def work(tx: Tx) -> Sequence[QueuedCase]:
            found = await store.queue(tx, org_id, statuses, since=since, before=before, limit=limit)
            keys = await self._vault.find_many(tx, org_id, {each.user_id for each in found})
            return [queued(_opened(each, keys.get(each.user_id))) for each in found]

        return await self._database.transact(work)

    async def forget(self, tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        """Drop what was submitted and found of a user who is being erased."""
        await store.forget(tx, org_id, user_id, at)

    async def claim(self, case: Case, now: datetime) -> Case | None:
        """Begin to work on a case that is due; None if somebody else has."""
        until = now + case.pause
        sealed = _bare(case)
        if not await self._database.single(lambda tx: store.claim(tx, sealed, until)):
            return None
        return replace(case, claims=case.claims + 1, failures=case.failures + 1, due_at=until)

    async def rest(self, case: Case) -> None:
        """Let nobody look at a claimed case any more whose user was erased."""
        sealed = _bare(case)
        await self._database.single(lambda tx: store.rest(tx, sealed))

    async def open(self, tx: Tx, case: Case, actor: str) -> bool:
        """Store a new case as CREATED; False if the user has one. Raises `UserFrozen` if erased."""
        key = await key_of(self._vault, tx, case.org_id, case.user_id)
        if not await store.add(tx, _seal(case, key)):
            return False
        # The new row holds its user: who is being erased was so before, or waits for us.
        await key_of(self._vault, tx, case.org_id, case.user_id)
        await _tell(tx, case, [KycStatus.CREATED], actor, key=key)
        return True

    async def move(
        self,
        before: Case,
        after: Case,
        *path: KycStatus,
        actor: str,
        at: datetime,
    ) -> Case | None:
        """Store what has become of a case, in a transaction of its own; see `move_in`."""
        return await self._database.transact(
            lambda tx: self.move_in(tx, before, after, *path, actor=actor, at=at)
        )

    async def approve(
        self, before: Case, after: Case, screening: Screening, *, actor: str, at: datetime
    ) -> Case | None:
        """Make a case ACTIVE, in a transaction of its own; see `move_in`.

        Raises `ListReplaced` if the findings of `after` are not those of the active list. A list
        that is loaded later waits for this, so that the case is among those compared again.
        """

        async def work(tx: Tx) -> Case | None:
            await screening.hold(tx, after.findings.list_version)
            return await self.move_in(tx, before, after, KycStatus.ACTIVE, actor=actor, at=at)

        return await self._database.transact(work)

    async def move_in(
        self,
        tx: Tx,
        before: Case,
        after: Case,
        *path: KycStatus,
        actor: str,
        at: datetime,
    ) -> Case | None:
        """Move a case along `path` (empty: its status stays) and store what else `after` says.

        None if somebody else has moved it since it was read, or the user has been erased.
        """
        if path and not MOVES.is_path(before.status, path):
            raise Broken(f"no way from {before.status} over {path}")
        key = await self._vault.find(tx, before.org_id, before.user_id)
        moved = replace(
            after,
            status=path[-1] if path else before.status,
            version=before.version + len(path),
            updated_at=at if path else before.updated_at,
        )
        if key is None or not await store.update(tx, _bare(before), _seal(moved, key)):
            return None
        await _tell(tx, moved, path, actor, key=key)
        if KycStatus.RFI_PENDING in path:
            await self._letters.ask(tx, moved, key)
        return moved

    async def _open(self, tx: Tx, sealed: Sequence[SealedCase]) -> list[Case]:
        owners: dict[UUID, set[UUID]] = {}
        for each in sealed:
            owners.setdefault(each.org_id, set()).add(each.user_id)
        keys = {
            (org_id, user_id): key
            for org_id, user_ids in owners.items()
            for user_id, key in (await self._vault.find_many(tx, org_id, user_ids)).items()
        }
        return [_opened(each, keys.get((each.org_id, each.user_id))) for each in sealed]


async def _tell(
    tx: Tx, moved: Case, path: Sequence[KycStatus], actor: str, *, key: DataKey
) -> None:
    for seq, status in enumerate(path, moved.version - len(path) + 1):
        await tell(
            tx,
            org_id=moved.org_id,
            object_id=moved.id,
            seq=seq,
            kind=KIND,
            what="create" if seq == 1 else "update",
            actor=actor,
            at=moved.updated_at,
            facts={"userId": str(moved.user_id), "rail": moved.rail, "status": status},
            picture=take(
                key,
                moved.user_id,
                object_id=moved.id,
                seq=seq,
                shown=told_status(moved.user_id, moved.rail, replace(moved, status=status)),
            ),
        )


def _seal(case: Case, key: DataKey) -> SealedCase:
    return replace(
        _bare(case),
        sealed_snapshot=key.seal(case.snapshot, context=f"kyc_cases.snapshot:{case.id}"),
        sealed_findings=key.seal(case.findings, context=f"kyc_cases.findings:{case.id}"),
    )


def _bare(case: Case) -> SealedCase:
    """A case without what has to be sealed."""
    return SealedCase(
        org_id=case.org_id,
        id=case.id,
        user_id=case.user_id,
        rail=case.rail,
        status=case.status,
        version=case.version,
        round=case.round,
        claims=case.claims,
        failures=case.failures,
        reference=case.reference,
        sealed_snapshot=None,
        sealed_findings=None,
        submitted_at=case.submitted_at,
        due_at=case.due_at,
        created_at=case.created_at,
        updated_at=case.updated_at,
    )


def _opened(sealed: SealedCase, key: DataKey | None) -> Case:
    snapshot, findings = None, _NOTHING
    if key is not None and sealed.sealed_snapshot is not None:
        context = f"kyc_cases.snapshot:{sealed.id}"
        snapshot = key.open(sealed.sealed_snapshot, context=context, type=Snapshot)
    if key is not None and sealed.sealed_findings is not None:
        context = f"kyc_cases.findings:{sealed.id}"
        findings = key.open(sealed.sealed_findings, context=context, type=Findings)
    return Case(
        org_id=sealed.org_id,
        id=sealed.id,
        user_id=sealed.user_id,
        rail=sealed.rail,
        status=sealed.status,
        version=sealed.version,
        round=sealed.round,
        claims=sealed.claims,
        failures=sealed.failures,
        reference=sealed.reference,
        snapshot=snapshot,
        findings=findings,
        submitted_at=sealed.submitted_at,
        due_at=sealed.due_at,
        created_at=sealed.created_at,
        updated_at=sealed.updated_at,
    )
