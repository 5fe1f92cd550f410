"""Setting of exchanges, as the API has it, and the check of what is set."""

import re
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec

from landbridge.customers.travel_exchanges.model import (
    AmountUnit,
    Counterparty,
    ExchangeSetting,
    InquiryPolicy,
    TokenIdentifier,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.people import check_name
from landbridge.platform.formats.schemas import LineText, NameText
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.responses import WireStruct
from landbridge.providers.chains.tokens import ASSETS, Network

COUNTERPARTIES_MAX: Final = 200
_ASSETS_MAX: Final = 100
_VERSION_MAX: Final = 2**31 - 1
# A host of the egress guard's notation: a name, and a port unless it is the usual one.
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
    """Return a valid setting. Raises `FieldInvalid` naming the member."""
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
    """Render a setting."""
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
