"""Details of one transfer of any kind: its change history and all its ledger entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.customers.users.model import UserCard
from landbridge.customers.users.service import Users
from landbridge.customers.wallets.model import Wallet
from landbridge.customers.wallets.service import wallets_of
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.listing import JournalEntry, TransferListing, TransferListRow
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.batches import model as batches
from landbridge.payments.transactions.model import KINDS
from landbridge.platform.changes.model import Change
from landbridge.platform.changes.service import history
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx

# Facts of changes that are shown, because the routes of each kind return them too. Other facts are
# accounts and units.
PUBLIC_FACTS = frozenset(
    {
        "accepted_at",
        "approve_transaction_hash",
        "approve_user_op_hash",
        "deposit_hash",
        "error",
        "error_code",
        "error_message",
        "failed_reason",
        "halted_reason",
        "is_cancelled",
        "mint_transaction_hash",
        "mint_user_op_hash",
        "quote_expires_at",
        "incoming_payment_id",
        "reference",
        "return_transaction_hash",
        "return_user_op_hash",
        "reviewed_from",
        "tracking",
        "transaction_hash",
        "unknown_from",
        "user_op_hash",
    }
)


@dataclass(frozen=True, slots=True)
class BatchPayee:
    """A payee of a batch."""

    user_id: UUID | None
    address: str
    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionDetail:
    """Transfer with its changes, its ledger entries, and the owners of the wallets in them."""

    record: Transfer
    changes: Sequence[Change]
    entries: Sequence[JournalEntry]
    # Wallets by ledger account.
    wallets: Mapping[UUID, Wallet]
    users: Mapping[UUID, UserCard]
    # Payees of a batch; None for all other kinds.
    payees: Sequence[BatchPayee] | None
    # Payments by the organisation beside the transfer: fees and returned surplus coins.
    disbursements: Sequence[TransferListRow]


@dataclass(frozen=True, slots=True)
class TransactionDetails:
    """Reads details of transfers of all kinds."""

    database: Database
    ledger: Ledger
    listing: TransferListing
    users: Users

    async def get(self, org_id: UUID, transaction_id: UUID) -> TransactionDetail:
        """Get a transfer of this organisation; raises `TransactionNotFound`."""
        record = await self.ledger.find(org_id, transaction_id)
        if record is None or record.kind not in KINDS:
            raise TransactionNotFound(f"there is no transaction {transaction_id}")
        entries = await self.listing.entries(org_id, transaction_id)
        accounts = {each.account_id for each in entries if each.account_id is not None}

        async def read(tx: Tx) -> tuple[Sequence[Change], Mapping[UUID, Wallet]]:
            recorded = await history(tx, org_id, [transaction_id])
            return recorded.get(transaction_id, ()), await wallets_of(tx, org_id, accounts)

        changes, wallets = await self.database.read(read)
        payees = _payees(record)
        user_ids = {record.user_id, *(each.user_id for each in wallets.values())}
        user_ids |= {each.user_id for each in payees or () if each.user_id is not None}
        return TransactionDetail(
            record=record,
            changes=changes,
            entries=entries,
            wallets=wallets,
            users=await self.users.cards(org_id, list(user_ids)),
            payees=payees,
            disbursements=await self.listing.of_payment(org_id, transaction_id),
        )


def public_facts(change: Change) -> Mapping[str, Any]:
    """Return the public facts of a change, under the field names of the API."""
    return {
        _camel(name): value
        for name, value in (change.facts or {}).items()
        if name in PUBLIC_FACTS and value is not None
    }


def _payees(record: Transfer) -> Sequence[BatchPayee] | None:
    if record.kind != batches.KIND:
        return None
    batch = batches.as_batch(record)
    return [
        BatchPayee(each.user_id, each.address, batch.amount(each)) for each in batch.details.items
    ]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(each.capitalize() for each in rest)
