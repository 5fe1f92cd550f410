"""Routes of exchanges with other providers, and the check of their setting. Ours."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Controller, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.travel_exchanges.model import (
    AmountUnit,
    Counterparty,
    Exchange,
    ExchangeDirection,
    ExchangeSetting,
    ExchangeStatus,
    InquiryPolicy,
    PendingMessage,
    TokenIdentifier,
)
from landbridge.customers.travel_exchanges.service import TravelExchanges
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.people import check_name
from landbridge.platform.formats.schemas import LineText, NameText
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import ApiRequest, check_sees_documents
from landbridge.platform.http.constraints import IDENTIFIER, query, some_of
from landbridge.platform.http.list_query import optional_id, parse_choices
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import Moment, WireStruct, reply_of
from landbridge.providers.chains.tokens import ASSETS, Network

COUNTERPARTIES_MAX: Final = 200
_ASSETS_MAX: Final = 100
_VERSION_MAX: Final = 2**31 - 1
# Host in the egress guard's notation: a name, and a port unless it is 443.
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?")
_IDENTIFIER: Final = re.compile(r"[0-9A-Z]{9}")


class CounterpartyData(WireStruct, frozen=True):
    """Provider that data are exchanged with.

    `host` is that of its travel addresses and callbacks, with the port unless that is 443.
    `amountUnit` is the unit of amounts that was agreed with it. `policy` is who answers its
    inquiries: `REVIEW` for people, `APPROVE` for this setting, if a certificate proves who asks.
    """

    host: LineText
    name: NameText
    amount_unit: AmountUnit
    policy: InquiryPolicy = InquiryPolicy.REVIEW


class TokenIdentifierData(WireStruct, frozen=True):
    """Digital token identifier (DTI, ISO 24165) of a coin on a chain: nine characters."""

    chain: Network
    currency: LineText
    identifier: LineText


class ExchangeSettingRequest(WireStruct, frozen=True):
    """Exchange of travel rule data with other providers, as a whole.

    With `requiresTravelAddress` a payment to a hosted wallet waits while its travel address is not
    stated. `version` is the one that this replaces, if given.
    """

    is_on: bool
    assets: list[TokenIdentifierData]
    counterparties: list[CounterpartyData]
    requires_travel_address: bool = False
    version: Annotated[int, msgspec.Meta(ge=0, le=_VERSION_MAX)] | None = None


class ExchangeSettingReply(WireStruct, frozen=True):
    """Exchange of travel rule data; `version` is 0 if it was never set.

    `travelAddress` is what others need to ask before they send coins to a wallet here.
    """

    is_on: bool
    requires_travel_address: bool
    assets: list[TokenIdentifierData]
    counterparties: list[CounterpartyData]
    travel_address: str
    version: int


def checked_setting(data: ExchangeSettingRequest) -> ExchangeSetting:
    """Return the setting in a request. Raises `FieldInvalid` naming the invalid member."""
    _check_count("assets", data.assets, _ASSETS_MAX)
    _check_count("counterparties", data.counterparties, COUNTERPARTIES_MAX)
    for at, asset in enumerate(data.assets):
        _check_asset(f"assets[{at}]", asset)
    counterparties = [
        _checked_counterparty(f"counterparties[{at}]", each)
        for at, each in enumerate(data.counterparties)
    ]
    _check_distinct("counterparties", [each.host for each in counterparties])
    _check_distinct("assets", [(each.chain, each.currency) for each in data.assets])
    _check_distinct("assets", [each.identifier for each in data.assets])
    return ExchangeSetting(
        is_on=data.is_on,
        requires_address=data.requires_travel_address,
        assets=[
            TokenIdentifier(each.chain, each.currency, each.identifier) for each in data.assets
        ],
        counterparties=counterparties,
    )


def setting_reply(setting: ExchangeSetting, travel_address: str) -> ExchangeSettingReply:
    """Return a setting as a response."""
    return ExchangeSettingReply(
        is_on=setting.is_on,
        requires_travel_address=setting.requires_address,
        assets=msgspec.convert(setting.assets, list[TokenIdentifierData], from_attributes=True),
        counterparties=msgspec.convert(
            setting.counterparties, list[CounterpartyData], from_attributes=True
        ),
        travel_address=travel_address,
        version=setting.version,
    )


def _checked_counterparty(field: str, data: CounterpartyData) -> Counterparty:
    host = check_text(f"{field}.host", data.host)
    if not _HOST.fullmatch(host):
        raise FieldInvalid(
            f"{field}.host must be a host in lower case, as in vasp.example.com",
            field=f"{field}.host",
        )
    name = check_name(f"{field}.name", data.name)
    return Counterparty(host, name, data.amount_unit, data.policy)


def _check_asset(field: str, asset: TokenIdentifierData) -> None:
    if f"{asset.currency}:{asset.chain}" not in ASSETS:
        raise FieldInvalid(
            f"{field}: there is no {asset.currency[:50]} on {asset.chain}", field=field
        )
    if not _IDENTIFIER.fullmatch(asset.identifier):
        raise FieldInvalid(
            f"{field}.identifier must have nine digits and capital letters",
            field=f"{field}.identifier",
        )


def _check_count(field: str, items: Sequence[object], most: int) -> None:
    if len(items) > most:
        raise FieldInvalid(f"{field} must have at most {most} items", field=field)


def _check_distinct(field: str, keys: Sequence[object]) -> None:
    if len(set(keys)) != len(keys):
        raise FieldInvalid(f"{field} must be distinct", field=field)


_NOUN = "exchange"


class ExchangeReply(WireStruct, frozen=True):
    """Exchange of travel rule data about one transfer, without the data. Times are real.

    `direction` is `OUTGOING` for an inquiry of ours, and `INCOMING` for one of another provider.
    `host` is the other provider's; `isAuthenticated` whether a certificate proved that.
    `pendingMessage` is what the other provider does not have yet, and `problem` why.
    `transferId` is the payment, `screeningId` its screening or that of the deposit matched with it.
    """

    id: UUID
    direction: ExchangeDirection
    status: ExchangeStatus
    host: str
    request_identifier: str
    is_authenticated: bool
    user_id: UUID | None
    transfer_id: UUID | None
    screening_id: UUID | None
    wallet_address: str | None
    token_identifier: str | None
    amount: str
    pending_message: PendingMessage | None
    problem: str | None
    transaction_hash: str | None
    created_at: Moment
    updated_at: Moment


class ExchangeList(WireStruct, frozen=True):
    """A hundred exchanges, the newest first; open ones with counterparties before all others."""

    count: int
    exchanges: list[ExchangeReply]


class ExchangeMessageReply(WireStruct, frozen=True):
    """Originator and beneficiary of the transfer, as IVMS101 has them."""

    ivms101: dict[str, Any]


class InquiryApproval(WireStruct, frozen=True):
    """Approval; `walletAddress` is where to pay, if the inquiry does not name a user's wallet."""

    wallet_address: LineText | None = None


class InquiryRejection(WireStruct, frozen=True):
    """Rejection; the other provider gets the comment. It has no personal data."""

    comment: LineText


class ExchangeRoutes(Controller):
    """Setting and exchanges of an organisation."""

    path = "/v2"
    tags = ("Travel rule",)

    @get(
        "/organization/travel-rule-exchange",
        summary="Retrieve the exchange of travel rule data",
        operation_id="travelRule.retrieveExchangeSetting",
    )
    async def retrieve_setting(
        self, request: ApiRequest, travel_exchanges: NamedDependency[TravelExchanges]
    ) -> ExchangeSettingReply:
        """Return the setting, and the organisation's own travel address."""
        org_id = request.user.org_id
        return setting_reply(
            await travel_exchanges.setting(org_id), travel_exchanges.travel_address(org_id)
        )

    @put(
        "/organization/travel-rule-exchange",
        summary="Set the exchange of travel rule data",
        operation_id="travelRule.replaceExchangeSetting",
    )
    async def set_setting(
        self,
        request: ApiRequest,
        data: JSONBody[ExchangeSettingRequest],
        travel_exchanges: NamedDependency[TravelExchanges],
    ) -> ExchangeSettingReply:
        """Replace the setting; payments that have no exchange yet follow it."""
        found = await travel_exchanges.set_setting(
            request.user, checked_setting(data), instead_of=data.version
        )
        return setting_reply(found, travel_exchanges.travel_address(request.user.org_id))

    @get(
        "/travel-rule/exchanges",
        summary="List exchanges of travel rule data",
        operation_id="travelRule.listExchanges",
    )
    async def page(
        self,
        request: ApiRequest,
        travel_exchanges: NamedDependency[TravelExchanges],
        direction: Annotated[
            list[str] | None,
            query(None, some_of(ExchangeDirection), description="Only OUTGOING, or only INCOMING."),
        ] = None,
        status: Annotated[
            list[str] | None,
            query(None, some_of(ExchangeStatus), description="Only those with this status."),
        ] = None,
        transfer_id: Annotated[
            str | None, query("transferId", IDENTIFIER, description="Only those of this payment.")
        ] = None,
    ) -> ExchangeList:
        """List the hundred newest exchanges; inquiries of others that wait for people are OPEN."""
        found = await travel_exchanges.newest(
            request.user.org_id,
            direction=_only("direction", direction, ExchangeDirection),
            status=_only("status", status, ExchangeStatus),
            transfer_id=optional_id("transferId", transfer_id),
        )
        return ExchangeList(count=len(found), exchanges=[_reply(each) for each in found])

    @get(
        "/travel-rule/exchanges/{exchangeId:str}",
        summary="Retrieve an exchange of travel rule data",
        operation_id="travelRule.retrieveExchange",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        exchangeId: FromPath[str],
        travel_exchanges: NamedDependency[TravelExchanges],
    ) -> ExchangeReply:
        """Return an exchange, without personal data."""
        exchange_id = known_id(exchangeId, _NOUN)
        return _reply(await travel_exchanges.get(request.user.org_id, exchange_id))

    @get(
        "/travel-rule/exchanges/{exchangeId:str}/message",
        summary="Retrieve the message of an exchange",
        operation_id="travelRule.retrieveExchangeMessage",
    )
    async def message(
        self,
        request: ApiRequest,
        exchangeId: FromPath[str],
        travel_exchanges: NamedDependency[TravelExchanges],
    ) -> ExchangeMessageReply:
        """Return originator and beneficiary.

        Analysts, and keys with no scope but `read`, are refused: the numbers are not masked.
        """
        check_sees_documents(request.user)
        exchange_id = known_id(exchangeId, _NOUN)
        found = await travel_exchanges.message(request.user.org_id, exchange_id)
        return ExchangeMessageReply(ivms101=dict(found))

    @post(
        "/travel-rule/exchanges/{exchangeId:str}/approve",
        status_code=200,
        summary="Approve an inquiry",
        operation_id="travelRule.approveInquiry",
    )
    async def approve(
        self,
        request: ApiRequest,
        exchangeId: FromPath[str],
        data: JSONBody[InquiryApproval],
        travel_exchanges: NamedDependency[TravelExchanges],
    ) -> ExchangeReply:
        """Approve the inquiry of another provider: it may send the coins."""
        exchange_id = known_id(exchangeId, _NOUN)
        address = data.wallet_address
        if address is not None:
            address = check_text("walletAddress", address)
        return _reply(await travel_exchanges.approve(request.user, exchange_id, address))

    @post(
        "/travel-rule/exchanges/{exchangeId:str}/reject",
        status_code=200,
        summary="Reject an inquiry",
        operation_id="travelRule.rejectInquiry",
    )
    async def reject(
        self,
        request: ApiRequest,
        exchangeId: FromPath[str],
        data: JSONBody[InquiryRejection],
        travel_exchanges: NamedDependency[TravelExchanges],
    ) -> ExchangeReply:
        """Reject the inquiry of another provider."""
        exchange_id = known_id(exchangeId, _NOUN)
        comment = check_text("comment", data.comment)
        return _reply(await travel_exchanges.reject(request.user, exchange_id, comment))


def _only(field: str, values: list[str] | None, type_: Any) -> Any:
    """Return the value of a filter that may be given once; None if it is absent."""
    found = parse_choices(field, values, type_)
    if not found:
        return None
    if len(found) > 1:
        raise FieldInvalid(f"{field} takes one value", field=field)
    return next(iter(found))


def _reply(exchange: Exchange) -> ExchangeReply:
    return reply_of(exchange, ExchangeReply, token_identifier=exchange.token)
