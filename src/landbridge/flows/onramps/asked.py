"""An onramp as it is asked for: what is checked before anything is looked up.

Source: contract, lifecycles 7; interface/onramp (all variants of the request).
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid
from landbridge.core.money import Asset, Money
from landbridge.kyc.model import Rail as KycRail
from landbridge.payments.amounts import parse_amount
from landbridge.payments.fees import Fee
from landbridge.quotes.errors import RouteInvalid
from landbridge.rails.currencies import FIAT

_GENERAL = KycRail.AFRICA_GENERAL
# On which rail a user is verified to pay in a currency; no other currency is taken. The contract
# lists zar too, but knows no account that somebody could pay it from.
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
# As the contract leaves currency and chain of the destination out.
COIN_DEFAULT = "usdc"
CHAIN_DEFAULT = Chain.POLYGON


class TransferType(StrEnum):
    """How dollars are going to be sent."""

    ACH = "ach"
    WIRE = "wire"


class Purpose(StrEnum):
    """What the payment is for."""

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
class Wanted:
    """An onramp that is asked for: one of the two amounts, at most one kind of destination."""

    user_id: UUID
    currency: str
    source_amount: Decimal | None
    bank_account_id: UUID | None
    destination_currency: str
    chain: Chain | None
    destination_user_id: UUID | None
    external_wallet_id: UUID | None
    destination_amount: Decimal | None
    purpose: Purpose | None
    fee: Fee | None

    @property
    def kyc_rail(self) -> KycRail:
        """On which the paying user must be verified; raises `RouteInvalid`."""
        if self.currency not in KYC_RAILS:
            raise RouteInvalid(
                f"source.currency: nothing is taken in {self.currency[:50]}",
                field="source.currency",
            )
        return KYC_RAILS[self.currency]

    @property
    def is_african(self) -> bool:
        """Whether the payer must be known to the payment system beforehand."""
        return self.kyc_rail in _AFRICAN

    @property
    def fiat(self) -> Asset:
        """What is sent; raises `RouteInvalid`."""
        _ = self.kyc_rail
        return FIAT[self.currency]


def check_form(wanted: Wanted) -> None:
    """Raise what is wrong with the request by itself.

    Raises `FieldInvalid`, and `RouteInvalid` for currencies that are not served.
    """
    if wanted.destination_currency not in COINS:
        raise RouteInvalid(
            f"destination.currency: {wanted.destination_currency[:50]} is not delivered; "
            "usdc, usdt and usdHifi are",
            field="destination.currency",
        )
    if wanted.is_african and wanted.bank_account_id is None:
        raise FieldInvalid(
            f"source.accountId is required for {wanted.currency}: the account of the user that "
            "the money will come from",
            field="source.accountId",
        )
    if wanted.is_african and wanted.purpose is None:
        raise FieldInvalid(
            f"purposeOfPayment is required for {wanted.currency}", field="purposeOfPayment"
        )
    if wanted.destination_user_id is not None and wanted.external_wallet_id is not None:
        raise FieldInvalid(
            "destination.userId and destination.externalWalletId exclude each other",
            field="destination.externalWalletId",
        )


def amounts(wanted: Wanted, into: Asset) -> tuple[Money | None, Money | None]:
    """Exactly one of the two amounts, above zero; raises `FieldInvalid`."""
    if (wanted.source_amount is None) == (wanted.destination_amount is None):
        raise FieldInvalid(
            "give either source.amount or destination.amount, not both and not neither",
            field="source.amount",
        )
    if wanted.source_amount is not None:
        return parse_amount("source.amount", wanted.source_amount, wanted.fiat), None
    told = wanted.destination_amount or Decimal(0)
    return None, parse_amount("destination.amount", told, into)
