"""Path parameters of records."""

from uuid import UUID

from landbridge.ledger.errors import TransactionNotFound
from landbridge.platform.http.path_params import known_id


def known_transfer(text: str) -> UUID:
    """Parse the id of a record in a path; an invalid one raises `TransactionNotFound`."""
    return known_id(text, "transaction", TransactionNotFound)
