"""Deposit references: short texts without similar characters, each assigned to one record."""

from uuid import UUID

from landbridge.ledger.model import Transfer
from landbridge.payments.engine.order_keys import order_key
from landbridge.platform.db.pool import Tx

# Returns no row if the record has this reference already, or another record has it.
_ADD = """
insert into onramp_references (org_id, reference, transfer_id) values ($1, $2, $3)
on conflict do nothing
returning true
"""

_FIND = "select transfer_id from onramp_references where org_id = $1 and reference = $2"

# Letters and digits without 0, O, 1, I, L, U and V: 29 characters make 4.2e14 references.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTWXYZ"
_PREFIX = "LB"
_LENGTH = 10
# A longer text can't be one of our references, not even with spaces in it.
_INPUT_LENGTH_MAX = 140


def new_reference(record: Transfer, attempt: int) -> str:
    """Derive a reference from the record's id and the number of the attempt to assign one."""
    number = order_key(record, f"reference/{attempt}").int
    characters: list[str] = []
    for _ in range(_LENGTH):
        number, digit = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[digit])
    return _PREFIX + "".join(characters)


def normalise_reference(text: str) -> str | None:
    """Return a payer's reference as references are stored: without spaces, in upper case.

    Return None for a text that can't be a reference.
    """
    if len(text) > _INPUT_LENGTH_MAX:
        return None
    reference = "".join(text.split()).upper()
    return reference if len(reference) == len(_PREFIX) + _LENGTH else None


async def add(tx: Tx, org_id: UUID, reference: str, transfer_id: UUID) -> bool:
    """Assign a reference to a record; False if another record has it."""
    if await tx.fetchval(_ADD, org_id, reference, transfer_id):
        return True
    return await find(tx, org_id, reference) == transfer_id


async def find(tx: Tx, org_id: UUID, reference: str) -> UUID | None:
    """Return the id of the record with this reference; None if there is none."""
    return await tx.fetchval(_FIND, org_id, reference)
