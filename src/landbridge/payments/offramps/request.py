"""Offramp request, with the checks that need no lookup in the database.

Source: contract, lifecycles 8; interface/offramp (all variants of the request).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import BankAccount
from landbridge.payments.engine.amounts import parse_amount
from landbridge.payments.engine.errors import AccountUnfit
from landbridge.payments.offramps.fees import BENEFICIARIES_MAX, OfframpFeeType
from landbridge.payments.offramps.references import (
    DOCUMENT_TYPES,
    check_purpose,
    check_same_day,
    checked_references,
    minimum_usd,
)
from landbridge.payments.offramps.texts import PayoutTexts
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.formats.texts import check_prose, check_text, check_url
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rails.currencies import FIAT

DESCRIPTION_LENGTH_MAX = 1000
DOCUMENTS_MAX = 20
# Payout currencies for which an organisation may charge a fee. Source: contract, lifecycles 1.6.
FEE_CURRENCY = "usd"


@dataclass(frozen=True, slots=True)
class OfframpFeeRequest:
    """Request for an organisation's own fee."""

    type: OfframpFeeType
    value: Decimal
    wallet_address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfframpRequest:
    """Request for an offramp, with its texts as submitted."""

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
    fees: tuple[OfframpFeeRequest, ...]
    requires_approval: bool

    def check_ends(self) -> None:
        """Raise `FieldInvalid` unless there is one source, and it may have a `returnAddress`."""
        if (self.source_user_id is None) == (self.external_wallet_id is None):
            raise FieldInvalid(
                "give either source.userId or source.externalWalletId", field="source.userId"
            )
        if self.return_address is not None and self.source_user_id is not None:
            raise FieldInvalid(
                "source.returnAddress requires source.externalWalletId: coins of a user are "
                "returned to their wallet",
                field="source.returnAddress",
            )

    def check_fees(self) -> None:
        """Raise `FieldInvalid` for fees that are not allowed, or for too many."""
        if self.fees and self.destination_currency != FEE_CURRENCY:
            raise FieldInvalid(
                f"developerFee applies to payouts in {FEE_CURRENCY} only", field="developerFee"
            )
        if len(self.fees) > BENEFICIARIES_MAX:
            raise FieldInvalid(
                f"developerFee.fees must have at most {BENEFICIARIES_MAX} fees",
                field="developerFee.fees",
            )

    def fiat(self) -> Asset:
        """The payout currency; raises `RouteInvalid` for one that is not served."""
        found = FIAT.get(self.destination_currency)
        if found is None:
            raise RouteInvalid(
                f"destination.currency: payouts are not served in {self.destination_currency[:50]}"
                f"{case_hint(self.destination_currency, FIAT)}",
                field="destination.currency",
            )
        return found

    def amount(self, source: Asset, destination: Asset) -> Money:
        """Return the requested amount, in the converted or the received asset.

        Raises `FieldInvalid`.
        """
        if (self.source_amount is None) == (self.destination_amount is None):
            raise FieldInvalid(
                "give exactly one of source.amount and destination.amount",
                field="source.amount",
            )
        if self.source_amount is not None:
            return parse_amount("source.amount", self.source_amount, source)
        return parse_amount("destination.amount", self.destination_amount or 0, destination)

    @property
    def amount_field(self) -> str:
        """Name of the request field that has the amount."""
        return "destination.amount" if self.source_amount is None else "source.amount"

    def texts(self, account: BankAccount) -> PayoutTexts:
        """Return every text, checked against the account; raises `FieldInvalid`."""
        if self.is_same_day:
            check_same_day(account)
        check_purpose(self.purpose, account)
        self._check_document()
        return PayoutTexts(
            references=checked_references(self.references, account),
            description=_prose("description", self.description),
            document_type=self.document_type,
            document_url=self.document_url,
            supporting=None if self.supporting is None else _supporting(self.supporting),
        )

    def _check_document(self) -> None:
        submitted = {
            "supportingDocumentType": self.document_type,
            "supportingDocumentUrl": self.document_url,
        }
        missing = [name for name, value in submitted.items() if value is None]
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


def check_account(account: BankAccount, currency: str) -> None:
    """Raise `AccountUnfit` unless the account is an offramp account in this currency."""
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
    """Raise `FieldInvalid` if the converted amount is below the minimum."""
    minimum = minimum_usd(amount.asset.currency, payment_rail)
    if amount.decimal < minimum:
        raise FieldInvalid(
            f"{field} is too small: {amount} {amount.asset.currency} are converted, but the "
            f"minimum is {minimum} USD for {amount.asset.currency} by {payment_rail}",
            field=field,
        )


def _prose(field: str, text: str | None) -> str | None:
    return None if text is None else check_prose(field, text, length_max=DESCRIPTION_LENGTH_MAX)


def _supporting(submitted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the validated texts about beneficiary and documents."""
    under = "supportingInformation"
    found: dict[str, Any] = {}
    if (purpose := submitted.get("detailedPurposeOfPayment")) is not None:
        field = f"{under}.detailedPurposeOfPayment"
        found["detailedPurposeOfPayment"] = _prose(field, purpose)
    if (beneficiary := submitted.get("beneficiaryDetails")) is not None:
        found["beneficiaryDetails"] = {
            name: check_url(f"{under}.beneficiaryDetails.{name}", value)
            if name == "website"
            else check_text(f"{under}.beneficiaryDetails.{name}", value)
            for name, value in cast("Mapping[str, str]", beneficiary).items()
        }
    documents = cast("list[Mapping[str, str]]", submitted.get("documents", []))
    if len(documents) > DOCUMENTS_MAX:
        raise FieldInvalid(
            f"{under}.documents must have at most {DOCUMENTS_MAX} documents",
            field=f"{under}.documents",
        )
    if documents:
        found["documents"] = [
            {
                name: check_text(f"{under}.documents[{index}].{name}", value)
                for name, value in each.items()
            }
            for index, each in enumerate(documents)
        ]
    return found
