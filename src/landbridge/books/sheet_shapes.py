"""What balances and the search answer."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.books.balances import Sheet
from landbridge.books.search import Kind, Result
from landbridge.books.shapes import chain_of
from landbridge.core.money import Money
from landbridge.ledger.model import Role
from landbridge.web.reply import WireStruct


class HoldingReply(WireStruct, frozen=True):
    """What all users hold together; `held` is not to be spent, and not among `available`."""

    currency: str
    chain: str | None
    available: str
    held: str


class HouseReply(WireStruct, frozen=True):
    """What a house account holds; below zero if more went out of it than came in."""

    role: Role
    currency: str
    chain: str | None
    balance: str


class InTransitReply(WireStruct, frozen=True):
    """What is between two legs of payments that are under way."""

    currency: str
    chain: str | None
    amount: str


class BalancesReply(WireStruct, frozen=True):
    """Balances as decimal strings; what is zero is left out."""

    users: list[HoldingReply]
    house: list[HouseReply]
    in_transit: list[InTransitReply]


class ResultReply(WireStruct, frozen=True):
    """Something that was found; `userId` is whose it is."""

    type: Kind
    id: UUID
    label: str
    detail: str
    user_id: UUID


class SearchReply(WireStruct, frozen=True):
    """What was found."""

    count: int
    results: list[ResultReply]


def balances_reply(sheet: Sheet) -> BalancesReply:
    """All balances of an organisation."""
    transit = [each for each in sheet.house if each.role is Role.IN_TRANSIT]
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
            if each.role is not Role.IN_TRANSIT
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


def search_reply(results: Sequence[Result]) -> SearchReply:
    """What was found."""
    return SearchReply(
        count=len(results),
        results=[
            ResultReply(
                type=each.kind,
                id=each.id,
                label=each.label,
                detail=each.detail,
                user_id=each.user_id,
            )
            for each in results
        ],
    )


def _chain(money: Money) -> str | None:
    return chain_of(money.asset.code)
