"""Reply schemas of transfers of all kinds."""

from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from landbridge.ledger.listing import TransferListRow
from landbridge.payments.transactions.listing import TransactionPage
from landbridge.payments.transactions.model import ALL_ASSETS, TransactionSort
from landbridge.payments.transactions.parties import PartyRecord, TransactionParties
from landbridge.payments.transactions.summary import TransactionSummary
from landbridge.platform.core.money import Money
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment, reply_of
from landbridge.providers.rails.currencies import AT_BANK


class EndReply(WireStruct, frozen=True):
    """Amount of one side. `chain` is null at a bank; `amount` is a decimal string."""

    currency: str
    chain: str | None
    amount: DecimalText


class RecipientReply(WireStruct, frozen=True):
    """Recipient of a transfer: an address or a bank account, and its user if it has one.

    `accountNumber` is masked. `count` is above 1 in a batch, which then has no single recipient.
    """

    user_id: UUID | None
    user_name: str | None
    address: str | None
    account_id: UUID | None
    bank_name: str | None
    account_number: str | None
    count: int


class TransactionReply(WireStruct, frozen=True):
    """Summary of a transfer of any kind. `userName` is null once the user was erased.

    `recipient`, `fee` and `failedReason` are there with `expand=parties`; `fee` is all fees, part
    of the source, and null without one. `failedReason` is null unless the transfer failed.
    """

    id: UUID
    type: str
    status: str
    user_id: UUID
    user_name: str | None
    request_id: UUID
    source: EndReply
    destination: EndReply
    created_at: Moment
    updated_at: Moment
    metadata: dict[str, str] | UnsetType = UNSET
    recipient: RecipientReply | UnsetType = UNSET
    fee: EndReply | UnsetType | None = UNSET
    failed_reason: str | UnsetType | None = UNSET


class StatusTotalReply(WireStruct, frozen=True):
    """Number of transfers at a status that send a currency, and the sum of what they send."""

    status: str
    currency: str
    chain: str | None
    count: int
    amount: DecimalText


class TransactionSummaryReply(WireStruct, frozen=True):
    """Totals by status and currency; false where there are more than were counted.

    `isComplete` is about all transfers, `isOpenComplete` about those that have not ended.
    """

    totals: list[StatusTotalReply]
    is_complete: bool
    is_open_complete: bool


class TransactionPageReply(WireStruct, frozen=True):
    """A page; pass `nextCursor` back as `cursor`, with the same `sort`."""

    count: int
    data: list[TransactionReply]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


def page_reply(page: TransactionPage, sort: TransactionSort) -> TransactionPageReply:
    """Build the reply of a page; its cursor is a time, or an id in other orders than newest."""
    last = page.last
    if last is None:
        cursor = UNSET
    elif sort is TransactionSort.NEWEST:
        cursor = moment(last.created_at)
    else:
        cursor = str(last.id)
    return TransactionPageReply(
        count=len(page.lines),
        data=[transaction_of(each, page) for each in page.lines],
        next_cursor=cursor,
    )


def transaction_of(line: TransferListRow, page: TransactionPage) -> TransactionReply:
    """Build the summary of a transfer of a page, with its parties if they were looked up."""
    users, parties = page.users, page.parties
    party = None if parties is None else parties.records.get(line.id)
    return reply_of(
        line,
        TransactionReply,
        type=line.kind,
        user_name=users[line.user_id].name or None if line.user_id in users else None,
        source=end_reply(line.source_asset, line.source_units),
        destination=end_reply(line.destination_asset, line.destination_units),
        metadata=page.metadata.get(line.id, UNSET),
        recipient=UNSET if parties is None or party is None else _recipient(party, parties),
        fee=UNSET
        if party is None
        else party.fee and end_reply(party.fee.asset.code, party.fee.units),
        failed_reason=UNSET if party is None else party.failed_reason,
    )


def _recipient(party: PartyRecord, parties: TransactionParties) -> RecipientReply:
    card = None if party.user_id is None else parties.users.get(party.user_id)
    account = None if party.account_id is None else parties.accounts.get(party.account_id)
    return reply_of(
        party,
        RecipientReply,
        user_name=None if card is None else card.name or None,
        bank_name=None if account is None else account.bank_name,
        account_number=None if account is None else account.number,
    )


def summary_reply(summary: TransactionSummary) -> TransactionSummaryReply:
    """Build the reply of the totals."""
    return TransactionSummaryReply(
        totals=[
            StatusTotalReply(
                status=each.status,
                currency=ALL_ASSETS[each.asset].currency,
                chain=chain_of(each.asset),
                count=each.count,
                amount=str(Money(each.units, ALL_ASSETS[each.asset])),
            )
            for each in summary.totals
        ],
        is_complete=summary.is_complete,
        is_open_complete=summary.is_open_complete,
    )


def end_reply(code: str, units: int) -> EndReply:
    """Build the reply of an amount."""
    asset = ALL_ASSETS[code]
    return EndReply(
        currency=asset.currency,
        chain=chain_of(code),
        amount=str(Money(units, asset)),
    )


def chain_of(code: str) -> str | None:
    """Return the chain of an asset; None at a bank."""
    chain = ALL_ASSETS[code].chain
    return None if chain == AT_BANK else str(chain)
