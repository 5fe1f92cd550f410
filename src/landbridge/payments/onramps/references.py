"""Deposit references: short, without characters that look alike; each is of one record."""

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

# Without 0 and O, 1, I and L, U and V: 29 characters, so 4.2e14 references.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTWXYZ"
_PREFIX = "LB"
_LENGTH = 10
# A bank's field is bounded; a longer text is not one of our references with spaces in it.
_INPUT_LENGTH_MAX = 140


def new_reference(record: Transfer, attempt: int) -> str:
    """Derive the reference of a record, deterministic per attempt."""
    number = order_key(record, f"reference/{attempt}").int
    characters: list[str] = []
    for _ in range(_LENGTH):
        number, digit = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[digit])
    return _PREFIX + "".join(characters)


def normalise_reference(text: str) -> str | None:
    """Normalise a payer's reference as stored: no spaces, upper case."""
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
    """Find the record of a reference."""
    return await tx.fetchval(_FIND, org_id, reference)
