"""Finds queued payments that must not be put into a file now.

Guarantee: a payment is in no file while its record is in review, and a payout also while its
organisation or one of its users is frozen, or its bank account is on the block list of the limits
or suspended: a sanctions list names its holder or bank, and no reviewer has approved it since. A
deposit goes back even then to its sender, but to no suspended account that people chose instead,
and not while the bank has booked an earlier return of it that had failed.
"""

from collections.abc import Sequence
from uuid import UUID

from landbridge.customers.bank_accounts.erasure import find_suspended
from landbridge.customers.users.erasure_check import frozen_users
from landbridge.ledger.locking import find_records
from landbridge.ledger.model import Transfer
from landbridge.payments.bank_files import payment_store
from landbridge.payments.bank_files.model import BankPayment
from landbridge.payments.incoming_payments.returns import IncomingPaymentReturns
from landbridge.payments.limits.service import Limits
from landbridge.payments.rfis.model import IN_REVIEW
from landbridge.platform.db.pool import Tx
from landbridge.platform.orgs.freeze_check import is_org_frozen


async def held_payments(
    tx: Tx, org_id: UUID, payments: Sequence[BankPayment], limits: Limits
) -> set[UUID]:
    """Return the keys of the payments that must not be put into a file now."""
    payouts = [each for each in payments if each.returns is None and not each.is_prenote]
    going_back = await _held_returns(tx, org_id, payments)
    if payouts and await is_org_frozen(tx, org_id):
        return going_back | {each.key for each in payouts}
    records = await find_records(tx, org_id, [each.record_id for each in payouts])
    users = {user for record in records.values() for user in _users(record)}
    frozen = await frozen_users(tx, org_id, users)
    blocked = await limits.find_blocked_in(tx, org_id, list(records.values()))
    suspended = await _on_suspended(tx, org_id, list(records.values()), "account_id")
    held = blocked | suspended
    held |= {
        record.id
        for record in records.values()
        if record.status == IN_REVIEW or not frozen.isdisjoint(_users(record))
    }
    return going_back | {each.key for each in payouts if each.record_id in held}


async def _held_returns(tx: Tx, org_id: UUID, payments: Sequence[BankPayment]) -> set[UUID]:
    """Return the keys of the payments that return deposits of held records."""
    going_back = {each.key: each.returns for each in payments if each.returns is not None}
    if not going_back:
        return set()
    booked = await payment_store.list_booked_failures(tx, org_id, going_back.values())
    paid = await IncomingPaymentReturns().records_of(tx, org_id, list(going_back.values()))
    records = await find_records(tx, org_id, list(paid.values()))
    held = {each.id for each in records.values() if each.status == IN_REVIEW}
    held |= await _on_suspended(tx, org_id, list(records.values()), "return_account_id")
    return {
        key
        for key, deposit_id in going_back.items()
        if deposit_id in booked or paid.get(deposit_id) in held
    }


async def _on_suspended(
    tx: Tx, org_id: UUID, records: Sequence[Transfer], member: str
) -> set[UUID]:
    """Return the ids of the records that pay a suspended bank account.

    `member` names the detail of a record that holds the id of its bank account.
    """
    paid = {
        record.id: UUID(account_id)
        for record in records
        if (account_id := record.details.get(member)) is not None
    }
    suspended = await find_suspended(tx, org_id, set(paid.values()))
    return {record_id for record_id, account_id in paid.items() if account_id in suspended}


def _users(record: Transfer) -> set[UUID]:
    """Return the ids of the paying user and, if it is a user, of the payee."""
    payee_id = record.details.get("destination_user_id")
    return {record.user_id} if payee_id is None else {record.user_id, UUID(payee_id)}
