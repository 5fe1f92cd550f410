"""The books as they are shown."""

from dataclasses import dataclass

from landbridge.books.balances import Balances
from landbridge.books.details import TransactionDetails
from landbridge.books.search import Search
from landbridge.books.transactions import Transactions
from landbridge.ledger.listing import Listing
from landbridge.wiring.people import People


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """What reads records of all kinds, and balances."""

    transactions: Transactions
    transaction_details: TransactionDetails
    balances: Balances
    search: Search


def keep_books(on: People) -> Books:
    """Wire them."""
    listing = Listing(on.database)
    return Books(
        transactions=Transactions(listing, on.users),
        transaction_details=TransactionDetails(on.database, on.ledger, listing, on.users),
        balances=Balances(on.database, listing),
        search=Search(on.users, on.wallets, listing),
    )
