"""References: what a payer writes on a deposit, short and without letters that look alike."""

from uuid import UUID

from landbridge.core.ids import derived_id

# Neither 0 and O, nor 1, I and L, nor U and V: 29 characters, so there are 4.2e14 references.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTWXYZ"
_PREFIX = "LB"
_LENGTH = 10
# What a bank's field holds is bounded; what is longer is no reference of ours with blanks in it.
_TOLD_LENGTH_MAX = 140


def new_reference(transfer_id: UUID, attempt: int) -> str:
    """The reference of a record, the same each time; another for another attempt."""
    number = derived_id(transfer_id, f"reference/{attempt}").int
    characters: list[str] = []
    for _ in range(_LENGTH):
        number, place = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[place])
    return _PREFIX + "".join(characters)


def told_reference(text: str) -> str | None:
    """What a payer wrote, as references are stored: without blanks, upper case."""
    if len(text) > _TOLD_LENGTH_MAX:
        return None
    told = "".join(text.split()).upper()
    return told if len(told) == len(_PREFIX) + _LENGTH else None
