"""Corrections: a journal is never changed, it is taken back by a new one.

A correction is a record of its own that posts the opposite of every line of the journal that it
corrects, and names it. Its id is derived from that journal, so a journal is taken back once,
however often and by however many that is asked. Its request id is not: callers choose those, and
could take one that they can work out. What a wallet has spent can't be taken back.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.core.errors import Broken, ResourceNotFound
from landbridge.core.ids import derived_id, new_id
from landbridge.core.money import Asset, Money
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Row, Tx
from landbridge.formats.texts import check_text
from landbridge.ledger import record_store
from landbridge.ledger.errors import InsufficientBalance, TransactionNotFound
from landbridge.ledger.model import Opening, Outcome, Posting, Role, Transfer
from landbridge.ledger.service import Ledger, Opened, check_replay

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
    *,
    org_id: UUID,
    transfer_id: UUID,
    seq: int,
    reason: str,
    actor: str,
    at: datetime,
) -> Opened:
    """Take back the journal of change `seq` of a record; answers the correction's record.

    Raises `TransactionNotFound`, `ResourceNotFound` if that change posted nothing,
    `InsufficientBalance` if a wallet has spent what would be taken from it, and `RequestIdTaken`
    if the journal was taken back before for another reason.
    """
    reason = check_text("reason", reason, length_max=REASON_LENGTH_MAX)
    correction_id = derived_id(transfer_id, f"correction/{seq}")
    request = {"transfer": str(transfer_id), "seq": seq, "reason": reason}
    wanted = [(org_id, transfer_id), (org_id, correction_id)]
    (found, before), rows = await database.transact(lambda tx: _read(tx, wanted, seq))
    if replayed := check_replay(before, KIND, request):
        return Opened(replayed, is_replay=True)
    if found is None:
        raise TransactionNotFound(f"there is no transaction {transfer_id}")
    if not rows:
        raise ResourceNotFound(f"change {seq} of {transfer_id} has no journal")
    postings = [_opposite(row, assets) for row in rows]
    # What the record is about: the largest sum that one of its lines moves.
    moved = max((_size(posting) for posting in postings), key=lambda each: each.units)
    corrected = await ledger.open(
        Opening(
            org_id=org_id,
            id=correction_id,
            kind=KIND,
            user_id=found.user_id,
            request_id=new_id(),
            request=request,
            path=(Status.COMPLETED,),
            source=moved,
            destination=moved,
            details={},
            due_at=None,
            at=at,
            actor=actor,
            journals={0: postings},
        ),
        MOVES,
    )
    match corrected:
        case Opened():
            return corrected
        case Outcome.SHORT:
            raise InsufficientBalance("a wallet has spent what this would take from it")
        case _:
            raise Broken(f"a correction came out as {corrected}")


async def _read(
    tx: Tx, wanted: Sequence[tuple[UUID, UUID]], seq: int
) -> tuple[list[Transfer | None], Sequence[Row]]:
    """These records, and the journal of change `seq` of the first one."""
    org_id, transfer_id = wanted[0]
    found = await record_store.get_batch(tx, wanted)
    return found, await record_store.journal(tx, org_id, transfer_id, seq)


def _size(posting: Posting) -> Money:
    units = max(abs(posting.available.units), abs(posting.held_units))
    return Money(units, posting.available.asset)


def _opposite(row: Row, assets: Mapping[str, Asset]) -> Posting:
    asset = assets[row["asset"]]
    account: UUID | Role = row["account_id"] or Role(row["role"])
    return Posting(account, Money(-int(row["available"]), asset), -int(row["held"]))
