"""One payment of any kind: all that happened to it, and every entry that it made in the books."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.books.model import KINDS
from landbridge.changes.model import Change
from landbridge.changes.service import history
from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.flows.batches import model as batches
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.listing import Entry, Line, Listing
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.users.model import UserCard
from landbridge.users.service import Users
from landbridge.wallets.model import Wallet
from landbridge.wallets.service import wallets_of

# What changes tell that the kind's own route answers too. The others are accounts and units.
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
        "receipt_id",
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
class Payee:
    """One whom a batch pays."""

    user_id: UUID | None
    address: str
    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """A payment, its changes, its entries, and whose the wallets are that they move."""

    record: Transfer
    changes: Sequence[Change]
    entries: Sequence[Entry]
    # By account.
    wallets: Mapping[UUID, Wallet]
    users: Mapping[UUID, UserCard]
    # None unless it is a batch.
    payees: Sequence[Payee] | None
    # What the house pays beside it: fees, and coins that it did not wait for.
    disbursements: Sequence[Line]


@dataclass(frozen=True, slots=True)
class TransactionDetails:
    """Payments of all kinds, one at a time."""

    database: Database
    ledger: Ledger
    listing: Listing
    users: Users

    async def get(self, org_id: UUID, transaction_id: UUID) -> Details:
        """All of a payment; raises `TransactionNotFound`, also for another organisation's."""
        record = await self.ledger.find(org_id, transaction_id)
        if record is None or record.kind not in KINDS:
            raise TransactionNotFound(f"there is no transaction {transaction_id}")
        entries = await self.listing.entries(org_id, transaction_id)
        accounts = {each.account_id for each in entries if each.account_id is not None}

        async def read(tx: Tx) -> tuple[Sequence[Change], Mapping[UUID, Wallet]]:
            told = await history(tx, org_id, [transaction_id])
            return told.get(transaction_id, ()), await wallets_of(tx, org_id, accounts)

        changes, wallets = await self.database.transact(read)
        payees = _payees(record)
        wanted = {record.user_id, *(each.user_id for each in wallets.values())}
        wanted |= {each.user_id for each in payees or () if each.user_id is not None}
        return Details(
            record=record,
            changes=changes,
            entries=entries,
            wallets=wallets,
            users=await self.users.cards(org_id, list(wanted)),
            payees=payees,
            disbursements=await self.listing.of_payment(org_id, transaction_id),
        )


def public_facts(change: Change) -> Mapping[str, Any]:
    """What a change told, as the interface spells it."""
    return {
        _camel(name): value
        for name, value in (change.facts or {}).items()
        if name in PUBLIC_FACTS and value is not None
    }


def _payees(record: Transfer) -> Sequence[Payee] | None:
    if record.kind != batches.KIND:
        return None
    batch = batches.as_batch(record)
    return [Payee(each.user_id, each.address, batch.amount(each)) for each in batch.details.items]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(each.capitalize() for each in rest)
