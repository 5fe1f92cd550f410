"""Reply schemas of balances and search."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from msgspec import UNSET, UnsetType

from landbridge.ledger.model import HouseRole
from landbridge.payments.transactions.balances import BalanceSheet
from landbridge.payments.transactions.schemas import TransactionReply
from landbridge.payments.transactions.search import SearchResult, SearchResultKind
from landbridge.platform.core.money import Money
from landbridge.platform.http.responses import DecimalText, WireStruct, reply_of
from landbridge.providers.rails.currencies import AT_BANK


class HoldingReply(WireStruct, frozen=True):
    """Total of all users; `held` cannot be spent, and is not part of `available`."""

    currency: str
    chain: str | None
    available: str
    held: str


class HouseReply(WireStruct, frozen=True):
    """Balance of a house account; negative if more was debited than credited."""

    role: HouseRole
    currency: str
    chain: str | None
    balance: DecimalText


class InTransitReply(WireStruct, frozen=True):
    """Amounts between two legs of transfers in progress."""

    currency: str
    chain: str | None
    amount: DecimalText


class BalancesReply(WireStruct, frozen=True):
    """Balances as decimal strings; zero balances are omitted."""

    users: list[HoldingReply]
    house: list[HouseReply]
    in_transit: list[InTransitReply]


class SearchResultReply(WireStruct, frozen=True):
    """A search result; `userId` is its user, `transaction` its summary if it is a transfer."""

    type: SearchResultKind
    id: UUID
    label: str
    detail: str
    user_id: UUID
    transaction: TransactionReply | UnsetType = UNSET


class SearchReply(WireStruct, frozen=True):
    """Search results."""

    count: int
    results: list[SearchResultReply]


def balances_reply(sheet: BalanceSheet) -> BalancesReply:
    """Build the reply of all balances of an organisation."""
    transit = [each for each in sheet.house if each.role is HouseRole.IN_TRANSIT]
    return BalancesReply(
        users=[
            HoldingReply(
                currency=each.available.asset.currency,
                chain=_chain(each.available),
                available=str(each.available),
                held=str(each.held),
            )
            for each in sheet.users
        ],
        house=[
            HouseReply(
                role=each.role,
                currency=each.balance.asset.currency,
                chain=_chain(each.balance),
                balance=str(each.balance),
            )
            for each in sheet.house
            if each.role is not HouseRole.IN_TRANSIT
        ],
        in_transit=[
            InTransitReply(
                currency=each.balance.asset.currency,
                chain=_chain(each.balance),
                amount=str(each.balance),
            )
            for each in transit
        ],
    )


def search_reply(
    results: Sequence[SearchResult], transactions: Mapping[UUID, TransactionReply]
) -> SearchReply:
    """Build the reply of a search; `transactions` are the summaries of its transfers by id."""
    return SearchReply(
        count=len(results),
        results=[
            reply_of(
                each,
                SearchResultReply,
                type=each.kind,
                transaction=transactions.get(each.id, UNSET),
            )
            for each in results
        ],
    )


def _chain(money: Money) -> str | None:
    return None if money.asset.chain == AT_BANK else str(money.asset.chain)
