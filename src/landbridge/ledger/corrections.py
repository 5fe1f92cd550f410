"""Corrections: a journal is never changed, it is reversed by a new one.

A correction is a record of its own. It posts the opposite of every line of the journals that it
corrects, and names them. Guarantees:

- Only records at an end are corrected. Anything else may still move, by a worker or a verb, and
  would move what the correction has given back.
- The record is locked while its correction is posted, so of any number of corrections and moves
  at the same moment each sees the others' results.
- A journal is corrected once. A repeated request returns the correction that exists; one for other
  changes or another reason is refused.
- A correction may be corrected itself; the original then stands again. Whoever wants to reverse
  the original once more corrects the latest correction: so each journal has one reversal, and a
  request that is repeated late can never reverse twice.
- A record and its corrections together hold nothing and have nothing in transit, as before. What
  belongs together is corrected together: a hold with what released it.
- No wallet goes below zero: what has been spent since can't be taken back.

The id of a correction is derived from what it corrects. Its request id is not: callers choose
those, and could take one that they can work out.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.core.errors import Broken, ResourceConflict, ResourceNotFound
from landbridge.core.ids import derived_id, new_id
from landbridge.core.money import Asset, Money
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Row, Tx
from landbridge.formats.texts import check_text
from landbridge.ledger import correction_store, record_store, store
from landbridge.ledger.correction_store import Correction
from landbridge.ledger.errors import InsufficientBalance, RequestIdTaken, TransactionNotFound
from landbridge.ledger.model import Opening, Outcome, Posting, Role, Transfer
from landbridge.ledger.service import Ledger, Opened

KIND = "LEDGER.CORRECTION"
REASON_LENGTH_MAX = 500


class Status(StrEnum):
    """Where a correction stands."""

    COMPLETED = "COMPLETED"  # posted; there is nothing more to do


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.COMPLETED}), table={Status.COMPLETED: frozenset()}
)


async def correct(
    database: Database,
    ledger: Ledger,
    assets: Mapping[str, Asset],
    moves_by_kind: Mapping[str, Moves[Any]],
    *,
    org_id: UUID,
    transfer_id: UUID,
    seqs: Collection[int],
    reason: str,
    actor: str,
    at: datetime,
) -> Opened:
    """Reverse the journals of these changes of a record; return the correction's record.

    Raises `TransactionNotFound`; `ResourceNotFound` for a change that posted nothing;
    `ResourceConflict` if the record is not at an end, if a change was corrected before and that
    correction was corrected since, or if the record would hold money or have some in transit
    afterwards; `InsufficientBalance` if a wallet has spent what would be taken from it; and
    `RequestIdTaken` if the changes were corrected before for another reason.
    """
    reason = check_text("reason", reason, length_max=REASON_LENGTH_MAX)
    wanted = Correction(_correction_id(transfer_id, seqs), tuple(sorted(set(seqs))), reason)

    async def work(tx: Tx) -> Opened:
        chain = await correction_store.chain(tx, org_id, transfer_id)
        if not chain:
            raise TransactionNotFound(f"there is no transaction {transfer_id}")
        root_id = chain[-1]
        # All that moves or corrects any of them takes this lock, and before those of accounts.
        await store.lock(tx, transfers=[(org_id, transfer_id), (org_id, root_id)], accounts=())
        if known := await _find_known(tx, org_id, transfer_id, wanted):
            return Opened(known, is_replay=True)
        found = await _get_ended(tx, moves_by_kind, org_id, transfer_id)
        await _get_ended(tx, moves_by_kind, org_id, root_id)
        rows = await correction_store.journals(tx, org_id, transfer_id, wanted.seqs)
        _check_posted(transfer_id, wanted.seqs, {row["seq"] for row in rows})
        postings = reversal(rows, assets)
        await _check_settles(tx, found, root_id, wanted.seqs, postings)
        corrected = await ledger.open_in(
            tx, _opening(found, wanted, postings, actor=actor, at=at), MOVES
        )
        match corrected:
            case Opened():
                return corrected
            case Outcome.SHORT:
                raise InsufficientBalance("a wallet has spent what this would take from it")
            case _:
                raise Broken(f"a correction came out as {corrected}")

    return await database.transact(work)


async def find_standing(tx: Tx, org_id: UUID, transfer_id: UUID) -> UUID | None:
    """Return a correction of a record that was not corrected itself; None if there is none.

    For what would move a record on from its end: it must lock the record first, and refuse if there
    is one, or it would move what the correction has given back.
    """
    for correction in await correction_store.corrections(tx, org_id, transfer_id):
        if await find_standing(tx, org_id, correction.id) is None:
            return correction.id
    return None


def reversal(rows: Sequence[Row], assets: Mapping[str, Asset]) -> list[Posting]:
    """Return the opposite of every line of some journals."""
    return [_opposite(row, assets) for row in rows]


def _correction_id(transfer_id: UUID, seqs: Collection[int]) -> UUID:
    numbers = "+".join(str(seq) for seq in sorted(set(seqs)))
    return derived_id(transfer_id, f"correction/{numbers}")


async def _find_known(
    tx: Tx, org_id: UUID, transfer_id: UUID, wanted: Correction
) -> Transfer | None:
    """Return the correction that was made by the same request before, if there is one.

    Raises `ResourceConflict` or `RequestIdTaken` if one of the changes was corrected otherwise.
    """
    for known in await correction_store.corrections(tx, org_id, transfer_id):
        shared = sorted(set(known.seqs) & set(wanted.seqs))
        if not shared:
            continue
        was = f"{_changes(shared)} of {transfer_id} was corrected by {known.id}"
        if latest := await _find_latest(tx, org_id, known):
            raise ResourceConflict(
                f"{was}, and the latest correction of that is {latest.id}: to change what stands, "
                f"correct change 1 of {latest.id}"
            )
        if known.seqs != wanted.seqs:
            raise ResourceConflict(f"{was}, which corrects {_changes(known.seqs)}")
        if known.reason != wanted.reason:
            raise RequestIdTaken(f"{was}, for another reason", field="reason")
        (record,) = await record_store.get_batch(tx, [(org_id, known.id)])
        return record
    return None


async def _find_latest(tx: Tx, org_id: UUID, correction: Correction) -> Correction | None:
    """Return the latest correction of a correction, None if it was never corrected."""
    latest: Correction | None = None
    following = await correction_store.corrections(tx, org_id, correction.id)
    while following:
        latest = following[-1]
        following = await correction_store.corrections(tx, org_id, latest.id)
    return latest


async def _get_ended(
    tx: Tx, moves_by_kind: Mapping[str, Moves[Any]], org_id: UUID, transfer_id: UUID
) -> Transfer:
    """Return a record; raises `ResourceConflict` unless it is at an end."""
    (found,) = await record_store.get_batch(tx, [(org_id, transfer_id)])
    if found is None:
        raise TransactionNotFound(f"there is no transaction {transfer_id}")
    if not moves_by_kind[found.kind].is_terminal(found.status):
        raise ResourceConflict(
            f"the {found.kind} {transfer_id} is {found.status}; it can be corrected once it is at "
            "an end"
        )
    return found


def _check_posted(transfer_id: UUID, seqs: Sequence[int], posted: Collection[int]) -> None:
    """Raise `ResourceNotFound` if one of the changes has no journal."""
    missing = [seq for seq in seqs if seq not in posted]
    if missing or not seqs:
        raise ResourceNotFound(f"{_changes(missing)} of {transfer_id} has no journal")


async def _check_settles(
    tx: Tx, found: Transfer, root_id: UUID, seqs: Sequence[int], postings: Sequence[Posting]
) -> None:
    """Raise `ResourceConflict` if the record would hold money, or have some in transit."""
    org_id = found.org_id
    waiting = Counter(await correction_store.waiting(tx, org_id, root_id))
    for posting in postings:
        asset = posting.available.asset.code
        if posting.account is Role.IN_TRANSIT:
            waiting[None, asset] += posting.available.units
        elif not isinstance(posting.account, Role):
            waiting[posting.account, asset] += posting.held_units
    for (account_id, asset), units in waiting.items():
        if units:
            left = "in transit" if account_id is None else f"held on account {account_id}"
            related = await correction_store.waiting_changes(tx, org_id, found.id)
            raise ResourceConflict(
                f"this would leave {units} units of {asset} {left}; what belongs together is "
                f"corrected in one command: such money was moved by {_changes(related)}, and "
                f"{_changes(seqs)} was named"
            )


def _opening(
    found: Transfer,
    wanted: Correction,
    postings: Sequence[Posting],
    *,
    actor: str,
    at: datetime,
) -> Opening:
    # What the record is about: the largest sum that one of its lines moves.
    moved = max((_size(posting) for posting in postings), key=lambda each: each.units)
    return Opening(
        org_id=found.org_id,
        id=wanted.id,
        kind=KIND,
        user_id=found.user_id,
        request_id=new_id(),
        request={
            "transfer": str(found.id),
            "seqs": list(wanted.seqs),
            "reason": wanted.reason,
        },
        path=(Status.COMPLETED,),
        source=moved,
        destination=moved,
        # The record as it was corrected; it must not move on from there (find_standing).
        details={"version": found.version},
        due_at=None,
        at=at,
        actor=actor,
        journals={0: postings},
    )


def _changes(seqs: Sequence[int]) -> str:
    """Return the numbers as words, as in `changes 3 and 4`."""
    if len(seqs) == 1:
        return f"change {seqs[0]}"
    *first, last = [str(seq) for seq in seqs] or ["none"]
    return f"changes {', '.join(first)} and {last}" if first else f"change {last}"


def _size(posting: Posting) -> Money:
    units = max(abs(posting.available.units), abs(posting.held_units))
    return Money(units, posting.available.asset)


def _opposite(row: Row, assets: Mapping[str, Asset]) -> Posting:
    asset = assets[row["asset"]]
    account: UUID | Role = row["account_id"] or Role(row["role"])
    return Posting(account, Money(-int(row["available"]), asset), -int(row["held"]))
