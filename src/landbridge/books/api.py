"""Routes of payments of all kinds, of balances and of the search."""

from decimal import Decimal
from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from landbridge.books.balances import Balances
from landbridge.books.detail_shapes import TransactionDetailsReply, details_reply
from landbridge.books.details import TransactionDetails
from landbridge.books.model import CURRENCIES, KINDS, STATUSES, Filters
from landbridge.books.search import Search
from landbridge.books.shapes import TransactionPageReply, transaction_reply
from landbridge.books.sheet_shapes import BalancesReply, SearchReply, balances_reply, search_reply
from landbridge.books.transactions import Transactions
from landbridge.core.errors import FieldInvalid
from landbridge.core.money import AmountError, parse_units, units_as_decimal
from landbridge.core.pages import Window
from landbridge.ledger.errors import TransactionNotFound
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id, word, words
from landbridge.web.paths import known_id
from landbridge.web.reply import moment

# More decimals no asset has.
_DECIMALS_MAX = 18


class TransactionRoutes(Controller):
    """Look up payments of all kinds."""

    path = "/v2/transactions"
    tags = ("Transactions",)

    @get(summary="List transactions")
    async def page(
        self,
        request: ApiRequest,
        transactions: NamedDependency[Transactions],
        window: NamedDependency[Window],
        *,
        type_: Annotated[list[str] | None, QueryParameter(name="type")] = None,
        status: Annotated[list[str] | None, QueryParameter(name="status")] = None,
        user_id: Annotated[str | None, QueryParameter(name="userId")] = None,
        currency: Annotated[str | None, QueryParameter(name="currency")] = None,
        least: Annotated[str | None, QueryParameter(name="minAmount")] = None,
        most: Annotated[str | None, QueryParameter(name="maxAmount")] = None,
    ) -> TransactionPageReply:
        """Payments of all kinds, newest first.

        A search through very many ends its page early; go on while there is a `nextCursor`.
        """
        filters = Filters(
            kinds=words("type", type_, KINDS),
            statuses=words("status", status, STATUSES),
            user_id=optional_id("userId", user_id),
            currency=None if currency is None else word("currency", currency, CURRENCIES),
            least=_amount("minAmount", least),
            most=_amount("maxAmount", most),
        )
        found = await transactions.page(request.user.org_id, filters, window)
        return TransactionPageReply(
            count=len(found.lines),
            data=[transaction_reply(each, found.users) for each in found.lines],
            next_cursor=None if found.next_cursor is None else moment(found.next_cursor),
        )

    @get("/{transactionId:str}", summary="Retrieve a transaction")
    async def retrieve(
        self,
        request: ApiRequest,
        transactionId: FromPath[str],
        transaction_details: NamedDependency[TransactionDetails],
    ) -> TransactionDetailsReply:
        """A payment of any kind, with all that happened to it and its journals in the books."""
        wanted = known_id(transactionId, "transaction", TransactionNotFound)
        return details_reply(await transaction_details.get(request.user.org_id, wanted))


class BalanceRoutes(Controller):
    """What the organisation's books hold now."""

    path = "/v2/balances"
    tags = ("Transactions",)

    @get(summary="Retrieve balances")
    async def show(self, request: ApiRequest, balances: NamedDependency[Balances]) -> BalancesReply:
        """What users hold in sum, the house accounts, and what is between two legs."""
        return balances_reply(await balances.of(request.user.org_id))


class SearchRoutes(Controller):
    """Find users, wallets and payments."""

    path = "/v2/search"
    tags = ("Transactions",)

    @get(summary="Search")
    async def find(
        self,
        request: ApiRequest,
        search: NamedDependency[Search],
        text: Annotated[
            str | None,
            QueryParameter(
                name="q",
                description="An id, a request id, an e-mail, a part of a name, an address, or the "
                "hash of a transaction on a chain.",
            ),
        ] = None,
    ) -> SearchReply:
        """Users, wallets and payments that this leads to, 20 at most."""
        return search_reply(await search.find(request.user.org_id, text or ""))


def _amount(name: str, text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        return units_as_decimal(parse_units(text, _DECIMALS_MAX), _DECIMALS_MAX)
    except AmountError as error:
        raise FieldInvalid(f"{name} {error}", field=name) from error
