"""Services of the combined transaction list."""

from dataclasses import dataclass

from landbridge.app.container.customer_services import CustomerServices
from landbridge.customers.bank_accounts.account_lists import AccountSummaries
from landbridge.ledger.listing import TransferListing
from landbridge.ledger.search import TransferSearch
from landbridge.payments.transactions.balances import BalanceSheets
from landbridge.payments.transactions.details import TransactionDetails
from landbridge.payments.transactions.listing import Transactions
from landbridge.payments.transactions.metadata import TransactionMetadata
from landbridge.payments.transactions.notes import TransactionNotes
from landbridge.payments.transactions.parties import PartyDirectory
from landbridge.payments.transactions.payment_search import PaymentSearch
from landbridge.payments.transactions.saved_views import SavedViews
from landbridge.payments.transactions.search import RESULTS_MAX, TransactionSearch
from landbridge.payments.transactions.summary import TransactionSummaries


@dataclass(frozen=True, kw_only=True)
class TransactionServices:
    """Services that read records of all kinds, and balances."""

    transactions: Transactions
    transaction_summaries: TransactionSummaries
    transaction_details: TransactionDetails
    transaction_metadata: TransactionMetadata
    transaction_notes: TransactionNotes
    saved_views: SavedViews
    balance_sheets: BalanceSheets
    search: TransactionSearch


def build_transaction_services(on: CustomerServices) -> TransactionServices:
    """Wire these services."""
    listing = TransferListing(on.database)
    summaries = AccountSummaries(on.database, on.vault)
    directory = PartyDirectory(on.ledger, on.users, summaries)
    return TransactionServices(
        transactions=Transactions(
            on.database, listing, on.users, directory, on.valuation, on.clock
        ),
        transaction_summaries=TransactionSummaries(listing),
        transaction_details=TransactionDetails(on.database, on.ledger, listing, on.users),
        saved_views=SavedViews(on.database),
        balance_sheets=BalanceSheets(on.database, listing),
        transaction_metadata=TransactionMetadata(on.database, on.ledger),
        transaction_notes=TransactionNotes(on.database, on.ledger, on.vault, on.clock),
        search=TransactionSearch(
            on.database,
            on.users,
            on.wallets,
            summaries,
            listing,
            PaymentSearch(on.database, listing, TransferSearch(on.database, RESULTS_MAX)),
        ),
    )
