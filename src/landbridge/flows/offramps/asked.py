"""An offramp as it is asked for, and what of it can be refused without the books.

Source: contract, lifecycles 8; interface/offramp (all variants of the request).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from landbridge.accounts.model import Account
from landbridge.accounts.tables import Ramp
from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid
from landbridge.core.money import Asset, Money
from landbridge.flows.offramps.fees import BENEFICIARIES_MAX, FeeType
from landbridge.flows.offramps.references import (
    DOCUMENT_TYPES,
    check_purpose,
    check_same_day,
    checked_references,
    minimum_usd,
)
from landbridge.flows.offramps.texts import Texts
from landbridge.formats.texts import check_prose, check_text, check_url
from landbridge.payments.amounts import parse_amount
from landbridge.payments.errors import AccountUnfit
from landbridge.quotes.errors import RouteInvalid
from landbridge.rails.currencies import FIAT

DESCRIPTION_LENGTH_MAX = 1000
DOCUMENTS_MAX = 20
# Payouts on which an organisation may charge a fee. Source: contract, lifecycles 1.6.
FEE_CURRENCY = "usd"


@dataclass(frozen=True, slots=True)
class FeeWanted:
    """A fee of the organisation's own as it is asked for."""

    type: FeeType
    value: Decimal
    wallet_address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """An offramp that is asked for; texts as they were told."""

    source_user_id: UUID | None
    external_wallet_id: UUID | None
    return_address: str | None
    chain: Chain
    currency: str
    source_amount: Decimal | None
    destination_user_id: UUID | None
    account_id: UUID
    destination_currency: str
    destination_amount: Decimal | None
    is_same_day: bool
    references: Mapping[str, str]
    purpose: str | None
    description: str | None
    document_type: str | None
    document_url: str | None
    supporting: Mapping[str, Any] | None
    fees: tuple[FeeWanted, ...]
    requires_approval: bool

    def check_ends(self) -> None:
        """Raise `FieldInvalid` unless there is one source, which `returnAddress` fits."""
        if (self.source_user_id is None) == (self.external_wallet_id is None):
            raise FieldInvalid(
                "give either source.userId or source.externalWalletId", field="source.userId"
            )
        if self.return_address is not None and self.source_user_id is not None:
            raise FieldInvalid(
                "source.returnAddress goes with source.externalWalletId: coins of a user of ours "
                "go back to their wallet",
                field="source.returnAddress",
            )

    def check_fees(self) -> None:
        """Raise `FieldInvalid` for fees where there may be none, or too many of them."""
        if self.fees and self.destination_currency != FEE_CURRENCY:
            raise FieldInvalid(
                f"developerFee goes with payouts in {FEE_CURRENCY} only", field="developerFee"
            )
        if len(self.fees) > BENEFICIARIES_MAX:
            raise FieldInvalid(
                f"developerFee.fees must have at most {BENEFICIARIES_MAX} fees",
                field="developerFee.fees",
            )

    def fiat(self) -> Asset:
        """The currency that is paid out; raises `RouteInvalid` for one that we don't pay."""
        found = FIAT.get(self.destination_currency)
        if found is None:
            raise RouteInvalid(
                f"destination.currency: nothing is paid out in {self.destination_currency[:50]}",
                field="destination.currency",
            )
        return found

    def amount(self, source: Asset, destination: Asset) -> Money:
        """What is converted, or what is to arrive, whichever was told; raises `FieldInvalid`."""
        if (self.source_amount is None) == (self.destination_amount is None):
            raise FieldInvalid(
                "give either source.amount or destination.amount, not both and not neither",
                field="source.amount",
            )
        if self.source_amount is not None:
            return parse_amount("source.amount", self.source_amount, source)
        return parse_amount("destination.amount", self.destination_amount or 0, destination)

    @property
    def amount_field(self) -> str:
        """The member that says how much."""
        return "destination.amount" if self.source_amount is None else "source.amount"

    def texts(self, account: Account) -> Texts:
        """Every text, checked against the account; raises `FieldInvalid`."""
        if self.is_same_day:
            check_same_day(account)
        check_purpose(self.purpose, account)
        self._check_document()
        return Texts(
            references=checked_references(self.references, account),
            description=_prose("description", self.description),
            document_type=self.document_type,
            document_url=self.document_url,
            supporting=None if self.supporting is None else _supporting(self.supporting),
        )

    def _check_document(self) -> None:
        told = {
            "supportingDocumentType": self.document_type,
            "supportingDocumentUrl": self.document_url,
        }
        missing = [name for name, value in told.items() if value is None]
        if len(missing) == 1:
            raise FieldInvalid(
                f"{missing[0]} is required: supportingDocumentType and supportingDocumentUrl "
                "belong together",
                field=missing[0],
            )
        if self.document_type is not None and self.document_type not in DOCUMENT_TYPES:
            raise FieldInvalid(
                f"supportingDocumentType must be one of {', '.join(DOCUMENT_TYPES)}",
                field="supportingDocumentType",
            )
        if self.document_url is not None:
            check_url("supportingDocumentUrl", self.document_url)


def check_account(account: Account, currency: str) -> None:
    """Raise `AccountUnfit` unless the account is paid to, and in this currency."""
    field = "destination.accountId"
    if account.ramp is not Ramp.OFFRAMP:
        raise AccountUnfit(
            f"{field}: bank account {account.id} is for onramps; add one for offramps",
            field=field,
        )
    if account.currency != currency:
        raise AccountUnfit(
            f"{field}: bank account {account.id} is in {account.currency}, not in {currency}",
            field=field,
        )


def check_minimum(amount: Money, payment_rail: str, *, field: str) -> None:
    """Raise `FieldInvalid` unless what is converted is worth the least that is paid out."""
    least = minimum_usd(amount.asset.currency, payment_rail)
    if amount.decimal < least:
        raise FieldInvalid(
            f"{field} is too small: {amount} {amount.asset.currency} are converted, and at least "
            f"{least} USD are paid out of {amount.asset.currency} by {payment_rail}",
            field=field,
        )


def _prose(field: str, text: str | None) -> str | None:
    return None if text is None else check_prose(field, text, length_max=DESCRIPTION_LENGTH_MAX)


def _supporting(told: Mapping[str, Any]) -> dict[str, Any]:
    """What was told about beneficiary and documents, each text in its form."""
    under = "supportingInformation"
    found: dict[str, Any] = {}
    if (purpose := told.get("detailedPurposeOfPayment")) is not None:
        field = f"{under}.detailedPurposeOfPayment"
        found["detailedPurposeOfPayment"] = _prose(field, purpose)
    if (beneficiary := told.get("beneficiaryDetails")) is not None:
        found["beneficiaryDetails"] = {
            name: check_url(f"{under}.beneficiaryDetails.{name}", value)
            if name == "website"
            else check_text(f"{under}.beneficiaryDetails.{name}", value)
            for name, value in cast("Mapping[str, str]", beneficiary).items()
        }
    documents = cast("list[Mapping[str, str]]", told.get("documents", []))
    if len(documents) > DOCUMENTS_MAX:
        raise FieldInvalid(
            f"{under}.documents must have at most {DOCUMENTS_MAX} documents",
            field=f"{under}.documents",
        )
    if documents:
        found["documents"] = [
            {
                name: check_text(f"{under}.documents[{place}].{name}", value)
                for name, value in each.items()
            }
            for place, each in enumerate(documents)
        ]
    return found
