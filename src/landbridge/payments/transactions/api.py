"""Routes of transfers of all kinds, balances and search."""

from decimal import Decimal
from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, JSONBody

from landbridge.ledger.path_params import known_transfer
from landbridge.payments.transactions.balance_schemas import (
    BalancesReply,
    SearchReply,
    balances_reply,
    search_reply,
)
from landbridge.payments.transactions.balances import BalanceSheets
from landbridge.payments.transactions.detail_schemas import TransactionDetailsReply, details_reply
from landbridge.payments.transactions.details import TransactionDetails
from landbridge.payments.transactions.listing import Transactions
from landbridge.payments.transactions.metadata import TransactionMetadata
from landbridge.payments.transactions.model import (
    CURRENCIES,
    IDS_MAX,
    KINDS,
    STATUSES,
    TransactionFilters,
    TransactionSort,
)
from landbridge.payments.transactions.schemas import (
    TransactionPageReply,
    TransactionSummaryReply,
    page_reply,
    summary_reply,
    transaction_of,
)
from landbridge.payments.transactions.search import LENGTH_MAX, SearchResultKind, TransactionSearch
from landbridge.payments.transactions.summary import TransactionSummaries
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.core.money import AmountError, parse_units, units_as_decimal
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import IDENTIFIER, coins, one_of, query, some_of, text
from landbridge.platform.http.list_query import (
    UserFilter,
    optional_id,
    parse_choice,
    parse_choices,
    provide_bounds,
    window_before,
)
from landbridge.platform.metadata.model import (
    MetadataFilter,
    MetadataReply,
    MetadataUpdate,
    parse_pairs,
)

_PARTIES = "parties"
_CURSOR = {"type": "string", "minLength": 1, "maxLength": 50}
_OF_CURSOR = "The nextCursor of the page before, which had the same sort."
_IDENTIFIERS = {"type": "array", "items": IDENTIFIER, "maxItems": IDS_MAX}
# Most decimals of any asset.
_DECIMALS_MAX = 18


class TransactionRoutes(Controller):
    """Look up transfers of all kinds."""

    path = "/v2/transactions"
    tags = ("Transactions",)
    dependencies = {"bounds": Provide(provide_bounds, sync_to_thread=False)}  # noqa: RUF012  Litestar's declaration

    @get(summary="List transactions", operation_id="transactions.list")
    async def page(
        self,
        request: ApiRequest,
        transactions: NamedDependency[Transactions],
        bounds: NamedDependency[PageWindow],
        *,
        cursor: Annotated[str | None, query("cursor", _CURSOR, description=_OF_CURSOR)] = None,
        sort: Annotated[str | None, query("sort", one_of(TransactionSort))] = None,
        ids: Annotated[list[str] | None, query("id", _IDENTIFIERS)] = None,
        expand: Annotated[str | None, query("expand", one_of([_PARTIES]))] = None,
        type_: Annotated[list[str] | None, query("type", some_of(KINDS))] = None,
        status: Annotated[list[str] | None, query("status", some_of(STATUSES))] = None,
        user_id: UserFilter = None,
        currency: Annotated[str | None, query("currency", one_of(CURRENCIES))] = None,
        minimum: Annotated[str | None, query("minAmount", coins(_DECIMALS_MAX))] = None,
        maximum: Annotated[str | None, query("maxAmount", coins(_DECIMALS_MAX))] = None,
        metadata: MetadataFilter = None,
    ) -> TransactionPageReply:
        """List transfers of all kinds, newest first unless `sort` says otherwise.

        A search through very many may end its page early; continue while there is a `nextCursor`.
        `amountUsd` sorts by what the source is worth in dollars today: all transfers that have
        ended, and the 2,000 under way that are due last. `sort` takes no `metadata`.
        With `id`, repeated or separated by commas up to 100 times, the list is one page of these
        transfers, and of the other filters only `type` counts.
        """
        if expand is not None:
            parse_choice("expand", expand, {_PARTIES})
        filters = TransactionFilters(
            ids=_ids(ids),
            kinds=parse_choices("type", type_, KINDS),
            statuses=parse_choices("status", status, STATUSES),
            user_id=optional_id("userId", user_id),
            currency=None if currency is None else parse_choice("currency", currency, CURRENCIES),
            minimum=_amount("minAmount", minimum),
            maximum=_amount("maxAmount", maximum),
            metadata=parse_pairs(metadata),
        )
        order, with_parties = _sort(sort), expand is not None
        if order is TransactionSort.NEWEST:
            window = window_before(cursor, bounds)
            found = await transactions.page(
                request.user.org_id, filters, window, with_parties=with_parties
            )
        else:
            found = await transactions.sorted_page(
                request.user, filters, bounds, sort=order, cursor=cursor, with_parties=with_parties
            )
        return page_reply(found, order)

    @get("/summary", summary="Summarise transactions", operation_id="transactions.summarise")
    async def summarise(
        self,
        request: ApiRequest,
        transaction_summaries: NamedDependency[TransactionSummaries],
        window: NamedDependency[PageWindow],
        *,
        type_: Annotated[list[str] | None, query("type", some_of(KINDS))] = None,
        user_id: UserFilter = None,
        currency: Annotated[str | None, query("currency", one_of(CURRENCIES))] = None,
        minimum: Annotated[str | None, query("minAmount", coins(_DECIMALS_MAX))] = None,
        maximum: Annotated[str | None, query("maxAmount", coins(_DECIMALS_MAX))] = None,
    ) -> TransactionSummaryReply:
        """Count transfers by status, and sum what they send.

        Counts among the newest 1,000 transfers, and all that have not ended, up to 2,000.
        """
        filters = TransactionFilters(
            kinds=parse_choices("type", type_, KINDS),
            user_id=optional_id("userId", user_id),
            currency=None if currency is None else parse_choice("currency", currency, CURRENCIES),
            minimum=_amount("minAmount", minimum),
            maximum=_amount("maxAmount", maximum),
        )
        found = await transaction_summaries.of(request.user.org_id, filters, window)
        return summary_reply(found)

    @get(
        "/{transactionId:str}",
        summary="Retrieve a transaction",
        operation_id="transactions.retrieve",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        transactionId: FromPath[str],
        transaction_details: NamedDependency[TransactionDetails],
    ) -> TransactionDetailsReply:
        """Get a transfer of any kind, with its change history and its journals."""
        transaction_id = known_transfer(transactionId)
        return details_reply(await transaction_details.get(request.user.org_id, transaction_id))

    @post(
        "/{transactionId:str}/metadata",
        status_code=200,
        summary="Change the metadata of a transaction",
        operation_id="transactions.changeMetadata",
    )
    async def change_metadata(
        self,
        request: ApiRequest,
        transactionId: FromPath[str],
        data: JSONBody[MetadataUpdate],
        transaction_metadata: NamedDependency[TransactionMetadata],
    ) -> MetadataReply:
        """Set keys of a transfer of any kind, in any status; null removes one, the others stay.

        Nothing else of the transfer changes, and no event is sent.
        """
        transaction_id = known_transfer(transactionId)
        found = await transaction_metadata.change(
            request.user.org_id, transaction_id, data.metadata
        )
        return MetadataReply(metadata=dict(found))


class BalanceRoutes(Controller):
    """Current balances of the organisation."""

    path = "/v2/balances"
    tags = ("Transactions",)

    @get(summary="Retrieve balances", operation_id="balances.retrieve")
    async def show(
        self, request: ApiRequest, balance_sheets: NamedDependency[BalanceSheets]
    ) -> BalancesReply:
        """Show total user balances, house accounts, and amounts in transit."""
        return balances_reply(await balance_sheets.of(request.user.org_id))


class SearchRoutes(Controller):
    """Search users, wallets and transfers."""

    path = "/v2/search"
    tags = ("Transactions",)

    @get(summary="Search", costly=True, operation_id="transactions.search")
    async def find(
        self,
        request: ApiRequest,
        search: NamedDependency[TransactionSearch],
        transactions: NamedDependency[Transactions],
        text: Annotated[
            str | None,
            query(
                "q",
                text(LENGTH_MAX, length_min=1),
                is_required=True,
                description="An id, the last 12 digits of a transfer's id, a request id, an "
                "e-mail, a part of a name, an address, the hash of a transaction on a chain or of "
                "a user operation, a deposit reference, a bank's reference, an amount, also as "
                "`10.50 usdc`, or a value of metadata, also as `key:value`.",
            ),
        ] = None,
    ) -> SearchReply:
        """Find users, wallets and transfers that match the text, 20 at most.

        An amount matches what a transfer sends or delivers: any that has ended, and the 2,000 under
        way that are due last.
        """
        results = await search.find(request.user.org_id, text or "")
        ids = [each.id for each in results if each.kind is SearchResultKind.TRANSACTION]
        found = await transactions.by_ids(request.user.org_id, ids)
        return search_reply(results, {each.id: transaction_of(each, found) for each in found.lines})


def _sort(text: str | None) -> TransactionSort:
    if text is None:
        return TransactionSort.NEWEST
    return parse_choice("sort", text, TransactionSort)


def _ids(texts: list[str] | None) -> frozenset[UUID] | None:
    if texts is None:
        return None
    ids = [as_uuid(part.strip()) for text in texts for part in text.split(",")]
    if len(ids) > IDS_MAX:
        raise FieldInvalid(f"id can be given at most {IDS_MAX} times", field="id")
    if None in ids:
        raise FieldInvalid("id must be a UUID", field="id")
    return frozenset(each for each in ids if each is not None)


def _amount(name: str, text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        return units_as_decimal(parse_units(text, _DECIMALS_MAX), _DECIMALS_MAX)
    except AmountError as error:
        raise FieldInvalid(f"{name} {error}", field=name) from error
