"""Corrections: a journal is never changed, it is reversed by a new one.

A correction is a record of its own. It posts the opposite of every line of the journals that it
corrects, and references them. Guarantees:

- Only records in a terminal status are corrected. Any other record may still advance and would
  move the money that the correction has returned.
- The record is locked while its correction is posted, so concurrent corrections and advances
  see each other's results.
- A journal is corrected at most once. A repeated request returns the existing correction; a
  request for other changes or with another reason is refused.
- A correction may be corrected itself; the original journal is then in effect again. To reverse
  the original once more, correct the latest correction. So each journal has one reversal, and a
  request that is repeated late can never reverse twice.
- A record and its corrections together hold no money and have none in transit, as before.
  Journals that belong together are corrected together: a hold with the journal that released it.
- A correction leads back towards the state before the record, never beyond it: a payout that was
  returned is not taken back once more.
- A payment is corrected after the records that belong to it: its receivable, fees, coins sent back,
  or lost by their chain. Their journals are put back in effect after those of the payment.
- No wallet goes below zero: money that was spent since can't be taken back.

The id of a correction is derived from what it corrects. Its request id is random: callers choose
request ids and could otherwise use one that they can derive.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.ledger import correction_store, record_store, store
from landbridge.ledger.correction_store import RecordCorrection
from landbridge.ledger.errors import InsufficientBalance, RequestIdTaken, TransactionNotFound
from landbridge.ledger.model import CommitOutcome, CreateTransfer, HouseRole, Posting, Transfer
from landbridge.ledger.reversed_journals import check_uncorrected, corrected_changes, reversal_id
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.platform.formats.texts import check_text

KIND = "LEDGER.CORRECTION"
REASON_LENGTH_MAX = 500


class CorrectionStatus(StrEnum):
    """Status of a correction."""

    COMPLETED = "COMPLETED"  # posted; the only status


TRANSITIONS: Transitions[CorrectionStatus] = Transitions(
    start=frozenset({CorrectionStatus.COMPLETED}), table={CorrectionStatus.COMPLETED: frozenset()}
)


async def correct(
    database: Database,
    ledger: Ledger,
    assets: Mapping[str, Asset],
    transitions_by_kind: Mapping[str, Transitions[Any]],
    *,
    org_id: UUID,
    transfer_id: UUID,
    seqs: Collection[int],
    reason: str,
    actor: str,
    at: datetime,
) -> CreatedTransfer:
    """Reverse the journals of these changes of a record; return the correction's record.

    Raises `TransactionNotFound`; `ResourceNotFound` for a change without a journal;
    `ResourceConflict` if the record is not terminal, if a change was corrected and that correction
    was corrected since, if the record would then hold money or have money in transit, or if another
    of its journals has moved the money back; `InsufficientBalance` if a wallet has spent the money
    to be taken; and `RequestIdTaken` if the changes were corrected before with another reason.
    """
    reason = check_text("reason", reason, length_max=REASON_LENGTH_MAX)
    correction = RecordCorrection(
        _correction_id(transfer_id, seqs), tuple(sorted(set(seqs))), reason
    )

    async def work(tx: Tx) -> CreatedTransfer:
        chain = await correction_store.chain(tx, org_id, transfer_id)
        if not chain:
            raise TransactionNotFound(f"there is no transaction {transfer_id}")
        root_id = chain[-1]
        payment_ids = await _lock_related(tx, org_id, transfer_id, root_id)
        if known := await _find_known(tx, org_id, transfer_id, correction):
            return CreatedTransfer(known, is_replay=True)
        found = await _get_ended(tx, transitions_by_kind, org_id, transfer_id)
        root = await _get_ended(tx, transitions_by_kind, org_id, root_id)
        # every second correction of a chain puts the journals back in effect
        is_restoring = len(chain) % 2 == 0
        if is_restoring:
            await _check_payments(tx, org_id, payment_ids)
        else:
            await _check_alone(tx, transitions_by_kind, root)
        rows = await correction_store.journals(tx, org_id, transfer_id, correction.seqs)
        _check_posted(transfer_id, correction.seqs, {row["seq"] for row in rows})
        postings = reversal(rows, assets)
        await _check_settles(tx, found, root_id, correction.seqs, postings)
        if not is_restoring:
            await _check_leads_back(tx, root, correction.seqs, postings)
        corrected = await ledger.create_in(
            tx, _build_creation(found, correction, postings, actor=actor, at=at), TRANSITIONS
        )
        return _get_created(corrected)

    return await database.transact(work)


def _get_created(corrected: CreatedTransfer | CommitOutcome) -> CreatedTransfer:
    """Return the created correction; raises `InsufficientBalance` if a wallet has too little."""
    match corrected:
        case CreatedTransfer():
            return corrected
        case CommitOutcome.INSUFFICIENT:
            raise InsufficientBalance("a wallet has already spent the money that this would debit")
        case _:
            raise InvariantBroken(f"a correction resulted in {corrected}")


def reversal(rows: Sequence[Row], assets: Mapping[str, Asset]) -> list[Posting]:
    """Return the opposite of every line of these journals."""
    return [_opposite(row, assets) for row in rows]


def _correction_id(transfer_id: UUID, seqs: Collection[int]) -> UUID:
    numbers = "+".join(str(seq) for seq in sorted(set(seqs)))
    return derived_id(transfer_id, f"correction/{numbers}")


async def _find_known(
    tx: Tx, org_id: UUID, transfer_id: UUID, correction: RecordCorrection
) -> Transfer | None:
    """Return the correction that the same request created before; None if there is none.

    Raises `ResourceConflict` or `RequestIdTaken` if another request corrected one of the changes.
    """
    for known in await correction_store.corrections(tx, org_id, transfer_id):
        shared = sorted(set(known.seqs) & set(correction.seqs))
        if not shared:
            continue
        was = f"{_changes(shared)} of {transfer_id} was corrected by {known.id}"
        if latest := await _find_latest(tx, org_id, known):
            raise ResourceConflict(
                f"{was}, and the latest correction of that is {latest.id}: to change the result, "
                f"correct change 1 of {latest.id}"
            )
        if known.seqs != correction.seqs:
            raise ResourceConflict(f"{was}, which corrects {_changes(known.seqs)}")
        if known.reason != correction.reason:
            raise RequestIdTaken(f"{was}, for another reason", field="reason")
        (record,) = await record_store.get_batch(tx, [(org_id, known.id)])
        return record
    return None


async def _find_latest(
    tx: Tx, org_id: UUID, correction: RecordCorrection
) -> RecordCorrection | None:
    """Return the latest correction of a correction; None if it was never corrected."""
    latest: RecordCorrection | None = None
    following = await correction_store.corrections(tx, org_id, correction.id)
    while following:
        latest = following[-1]
        following = await correction_store.corrections(tx, org_id, latest.id)
    return latest


async def _get_ended(
    tx: Tx, transitions_by_kind: Mapping[str, Transitions[Any]], org_id: UUID, transfer_id: UUID
) -> Transfer:
    """Return a record; raises `ResourceConflict` unless its status is terminal."""
    (found,) = await record_store.get_batch(tx, [(org_id, transfer_id)])
    if found is None:
        raise TransactionNotFound(f"there is no transaction {transfer_id}")
    if not transitions_by_kind[found.kind].is_terminal(found.status):
        raise ResourceConflict(
            f"the {found.kind} {transfer_id} is {found.status}; it can be corrected once its "
            "status is final"
        )
    return found


async def _check_alone(
    tx: Tx, transitions_by_kind: Mapping[str, Transitions[Any]], payment: Transfer
) -> None:
    """Raise `ResourceConflict` while a record that belongs to this payment is not reversed."""
    dependents = await correction_store.dependents(
        tx, payment.org_id, payment.id, reversal_id(payment.id)
    )
    for dependent_id, seqs in dependents:
        found = await _get_ended(tx, transitions_by_kind, payment.org_id, dependent_id)
        if in_effect := sorted(seqs - set(await corrected_changes(tx, found))):
            raise ResourceConflict(
                f"the {found.kind} {found.id} belongs to {payment.id}: correct its "
                f"{_changes(in_effect)} first, or the same money is moved twice"
            )


async def _lock_related(tx: Tx, org_id: UUID, transfer_id: UUID, root_id: UUID) -> Sequence[UUID]:
    """Lock a record, its root and the payment that the root belongs to; return the payment's id.

    Every advance and every correction takes this lock, and takes it before account locks.
    """
    (root,) = await record_store.get_batch(tx, [(org_id, root_id)])
    payment_id = None if root is None else root.details.get("payment_id")
    payment_ids = [] if payment_id is None else [UUID(payment_id)]
    locked_ids = {transfer_id, root_id, *payment_ids}
    await store.lock_records(tx, [(org_id, each) for each in locked_ids])
    return payment_ids


async def _check_payments(tx: Tx, org_id: UUID, payment_ids: Sequence[UUID]) -> None:
    """Raise `ResourceConflict` if a journal of one of these payments is reversed."""
    for payment in await record_store.get_batch(tx, [(org_id, each) for each in payment_ids]):
        if payment is not None:
            await check_uncorrected(tx, payment)


def _check_posted(transfer_id: UUID, seqs: Sequence[int], posted: Collection[int]) -> None:
    """Raise `ResourceNotFound` if one of the changes has no journal."""
    missing = [seq for seq in seqs if seq not in posted]
    if missing or not seqs:
        raise ResourceNotFound(f"{_changes(missing)} of {transfer_id} has no journal")


async def _check_settles(
    tx: Tx, found: Transfer, root_id: UUID, seqs: Sequence[int], postings: Sequence[Posting]
) -> None:
    """Raise `ResourceConflict` if the record would hold money or have money in transit."""
    org_id = found.org_id
    waiting = Counter(await correction_store.held_units(tx, org_id, root_id))
    for posting in postings:
        asset = posting.available.asset.code
        if posting.account is HouseRole.IN_TRANSIT:
            waiting[None, asset] += posting.available.units
        elif not isinstance(posting.account, HouseRole):
            waiting[posting.account, asset] += posting.held_units
    for (account_id, asset), units in waiting.items():
        if units:
            remainder = "in transit" if account_id is None else f"held on account {account_id}"
            related = await correction_store.waiting_changes(tx, org_id, found.id)
            raise ResourceConflict(
                f"this would leave {units} units of {asset} {remainder}; correct all related "
                f"changes in one command: {_changes(related)} moved this money, but only "
                f"{_changes(seqs)} was requested"
            )


async def _check_leads_back(
    tx: Tx, root: Transfer, seqs: Sequence[int], postings: Sequence[Posting]
) -> None:
    """Raise `ResourceConflict` if the record's other journals have already undone these."""
    moved = await correction_store.moved_units(tx, root.org_id, root.id)
    back = Counter[tuple[UUID | HouseRole, str]]()
    for posting in postings:
        units = posting.available.units + posting.held_units
        back[posting.account, posting.available.asset.code] += units
    for (account, asset), units in back.items():
        before = moved.get((account, asset), 0)
        if not min(before, 0) <= before + units <= max(before, 0):
            name = account if isinstance(account, HouseRole) else f"account {account}"
            raise ResourceConflict(
                f"another change of {root.id} has moved {asset} of {name} back already, at least "
                f"in part: correct it together with {_changes(seqs)}, or the money is moved twice"
            )


def _build_creation(
    found: Transfer,
    correction: RecordCorrection,
    postings: Sequence[Posting],
    *,
    actor: str,
    at: datetime,
) -> CreateTransfer:
    # The amount of the correction is the largest amount that one of its lines moves.
    moved = max((_size(posting) for posting in postings), key=lambda each: each.units)
    return CreateTransfer(
        org_id=found.org_id,
        id=correction.id,
        kind=KIND,
        user_id=found.user_id,
        request_id=new_id(),
        request={
            "transfer": str(found.id),
            "seqs": list(correction.seqs),
            "reason": correction.reason,
        },
        path=(CorrectionStatus.COMPLETED,),
        source=moved,
        destination=moved,
        # Version at which the record is corrected; it must not advance after that
        # (reversed_journals.check_uncorrected).
        details={"version": found.version},
        due_at=None,
        at=at,
        actor=actor,
        journals={0: postings},
    )


def _changes(seqs: Sequence[int]) -> str:
    """Format change numbers for a sentence, such as `changes 3 and 4`."""
    if len(seqs) == 1:
        return f"change {seqs[0]}"
    *first, last = [str(seq) for seq in seqs] or ["none"]
    return f"changes {', '.join(first)} and {last}" if first else f"change {last}"


def _size(posting: Posting) -> Money:
    units = max(abs(posting.available.units), abs(posting.held_units))
    return Money(units, posting.available.asset)


def _opposite(row: Row, assets: Mapping[str, Asset]) -> Posting:
    asset = assets[row["asset"]]
    account: UUID | HouseRole = row["account_id"] or HouseRole(row["role"])
    return Posting(account, Money(-int(row["available"]), asset), -int(row["held"]))
