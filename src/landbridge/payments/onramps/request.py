"""Onramp request, with the checks that need no lookup in the database.

Source: contract, lifecycles 7; interface/onramp (all variants of the request).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import BankAccount
from landbridge.customers.kyc.model import Rail as KycRail
from landbridge.payments.engine.amounts import parse_amount
from landbridge.payments.engine.errors import AccountUnfit
from landbridge.payments.engine.fees import FeeType, OrganisationFee
from landbridge.payments.engine.request_options import MetadataRequest
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.http.responses import FeeNumber, PositiveNumber, WireStruct
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rails.currencies import FIAT

_GENERAL = KycRail.AFRICA_GENERAL
# Rail for which the paying user must be verified, by currency; other currencies are rejected. The
# contract lists zar too, but has no type of bank account from which zar could be paid.
KYC_RAILS = {
    "usd": KycRail.USD,
    "eur": KycRail.GLOBAL_NETWORK,
    "brl": KycRail.SOUTH_AMERICA_STANDARD,
    "mxn": KycRail.SOUTH_AMERICA_STANDARD,
    "cop": KycRail.SOUTH_AMERICA_STANDARD,
    "ars": KycRail.SOUTH_AMERICA_STANDARD,
    "ngn": KycRail.AFRICA_NIGERIA,
    "mwk": _GENERAL,
    "bwp": _GENERAL,
    "xaf": _GENERAL,
    "ghs": _GENERAL,
    "kes": _GENERAL,
    "rwf": _GENERAL,
    "tzs": _GENERAL,
    "ugx": _GENERAL,
    "xof": _GENERAL,
    "zmw": _GENERAL,
}
_AFRICAN = {KycRail.AFRICA_GENERAL, KycRail.AFRICA_NIGERIA}

COINS = frozenset({"usdc", "usdt", "usdHifi"})
# Defaults of the contract for the destination's currency and chain.
COIN_DEFAULT = "usdc"
CHAIN_DEFAULT = Chain.POLYGON


class TransferType(StrEnum):
    """Rail by which dollars will be sent."""

    ACH = "ach"
    WIRE = "wire"


class OnrampPurpose(StrEnum):
    """Purpose of the payment."""

    GIFT = "gift"
    BILLS = "bills"
    GROCERIES = "groceries"
    TRAVEL = "travel"
    HEALTH = "health"
    ENTERTAINMENT = "entertainment"
    HOUSING = "housing"
    SCHOOL_FEES = "school-fees"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnrampRequest:
    """Request for an onramp: one of the two amounts, at most one kind of destination."""

    user_id: UUID
    currency: str
    source_amount: Decimal | None
    bank_account_id: UUID | None
    destination_currency: str
    chain: Chain | None
    destination_user_id: UUID | None
    external_wallet_id: UUID | None
    destination_amount: Decimal | None
    purpose: OnrampPurpose | None
    fee: OrganisationFee | None

    @property
    def kyc_rail(self) -> KycRail:
        """The rail for which the paying user must be verified; raises `RouteInvalid`."""
        if self.currency not in KYC_RAILS:
            raise RouteInvalid(
                f"source.currency: deposits are not served in {self.currency[:50]}"
                f"{case_hint(self.currency, KYC_RAILS)}",
                field="source.currency",
            )
        return KYC_RAILS[self.currency]

    @property
    def is_african(self) -> bool:
        """Whether the payer must be registered with the payment system beforehand."""
        return self.kyc_rail in _AFRICAN

    @property
    def fiat(self) -> Asset:
        """The currency paid; raises `RouteInvalid`."""
        _ = self.kyc_rail
        return FIAT[self.currency]


class OnrampSource(WireStruct, frozen=True):
    """The fiat that is paid. Amounts may be numbers or decimal strings."""

    user_id: UUID
    currency: str
    amount: PositiveNumber | None = None
    transfer_type: TransferType | None = None
    account_id: UUID | None = None


class OnrampDestination(WireStruct, frozen=True):
    """Coins and recipient: at most one of `userId` and `externalWalletId`.

    Without either, the coins go to the wallet of the source's user.
    """

    currency: str | None = COIN_DEFAULT
    chain: Chain | None = None
    amount: PositiveNumber | None = None
    user_id: UUID | None = None
    external_wallet_id: UUID | None = None


class OnrampFee(WireStruct, frozen=True):
    """The organisation's own fee, deducted from the amount paid.

    `FIX` is an amount in the source's currency, `PERCENT` a fraction (0.01 is 1 %).
    """

    type: FeeType
    value: FeeNumber


class NewOnramp(MetadataRequest, frozen=True, kw_only=True):
    """Give `source.amount` (exact in) or `destination.amount` (exact out)."""

    request_id: UUID
    source: OnrampSource
    destination: OnrampDestination
    purpose_of_payment: OnrampPurpose | None = None
    is_instant: bool | None = False
    fee: OnrampFee | None = None

    def params(self) -> OnrampRequest:
        """Build the request of the service."""
        source, destination = self.source, self.destination
        return OnrampRequest(
            user_id=source.user_id,
            currency=source.currency,
            source_amount=source.amount,
            bank_account_id=source.account_id,
            destination_currency=(
                COIN_DEFAULT if destination.currency is None else destination.currency
            ),
            chain=destination.chain,
            destination_user_id=destination.user_id,
            external_wallet_id=destination.external_wallet_id,
            destination_amount=destination.amount,
            purpose=self.purpose_of_payment,
            fee=self.fee and OrganisationFee(self.fee.type, self.fee.value),
        )


def validate(params: OnrampRequest) -> None:
    """Validate the request without any lookup.

    Raises `FieldInvalid`, and `RouteInvalid` for currencies that are not served.
    """
    if params.destination_currency not in COINS:
        raise RouteInvalid(
            f"destination.currency: {params.destination_currency[:50]} is not delivered; "
            "usdc, usdt and usdHifi are",
            field="destination.currency",
        )
    if params.is_african and params.bank_account_id is None:
        raise FieldInvalid(
            f"source.accountId is required for {params.currency}: the user's account that "
            "will send the money",
            field="source.accountId",
        )
    if params.is_african and params.purpose is None:
        raise FieldInvalid(
            f"purposeOfPayment is required for {params.currency}", field="purposeOfPayment"
        )
    if params.destination_user_id is not None and params.external_wallet_id is not None:
        raise FieldInvalid(
            "destination.userId and destination.externalWalletId are mutually exclusive",
            field="destination.externalWalletId",
        )


def amounts(params: OnrampRequest, into: Asset) -> tuple[Money | None, Money | None]:
    """Return exactly one of the two amounts, above zero; raises `FieldInvalid`."""
    if (params.source_amount is None) == (params.destination_amount is None):
        raise FieldInvalid(
            "give exactly one of source.amount and destination.amount",
            field="source.amount",
        )
    if params.source_amount is not None:
        return parse_amount("source.amount", params.source_amount, params.fiat), None
    submitted = params.destination_amount or Decimal(0)
    return None, parse_amount("destination.amount", submitted, into)


def organisation_fee(request: Mapping[str, Any]) -> OrganisationFee | None:
    """Decode the organisation's own fee from the stored request."""
    submitted: Mapping[str, str] | None = request.get("fee")
    return (
        None
        if submitted is None
        else OrganisationFee(FeeType(submitted["type"]), Decimal(submitted["value"]))
    )


def check_account(params: OnrampRequest, account: BankAccount) -> None:
    """Raise `AccountUnfit` unless the account is an onramp account in this currency."""
    if account.ramp is not Ramp.ONRAMP or account.currency != params.currency:
        raise AccountUnfit(
            f"source.accountId: {account.id} is an {account.ramp} account of {account.currency}, "
            f"not an onramp account of {params.currency}",
            field="source.accountId",
        )
