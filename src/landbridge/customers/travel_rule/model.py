"""Data about counterparty wallets and their owners, and the decision whether any is missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.customers.travel_rule.jurisdictions import (
    Jurisdiction,
    RequiredItem,
    RuleTier,
    WalletKind,
)
from landbridge.customers.users.model import UserType
from landbridge.platform.formats.addresses import Address
from landbridge.providers.kyt.port import ScreeningDirection

SETTING_KIND = "TRAVEL_RULE"
WALLET_CHANGE_KIND = "TRAVEL_RULE.WALLET"
# Kind and type of the change that records which data a transfer lacks.
MISSING_CHANGE_KIND, MISSING_CHANGE = "TRAVEL_RULE.DATA", "missing"


class WalletOwner(StrEnum):
    """Owner of a counterparty wallet."""

    USER = "USER"  # the user of the transfer
    THIRD_PARTY = "THIRD_PARTY"  # the person in the data


class TransferPerson(msgspec.Struct, frozen=True, kw_only=True):
    """Originator or beneficiary of a transfer. Personal data: it is stored sealed."""

    type: UserType
    first_name: str | None = None
    last_name: str | None = None
    business_name: str | None = None
    address: Address | None = None
    date_of_birth: date | None = None
    place_of_birth: str | None = None
    gov_id_number: str | None = None

    @property
    def has_name(self) -> bool:
        """Return whether the legal name is complete."""
        if self.type is UserType.BUSINESS:
            return bool(self.business_name)
        return bool(self.first_name and self.last_name)

    @property
    def has_birth(self) -> bool:
        """Return whether date and place of birth are known."""
        return self.date_of_birth is not None and bool(self.place_of_birth)

    @property
    def has_identity(self) -> bool:
        """Return whether address and document number are known, or date and place of birth.

        A business has no document number: its address is enough.
        """
        has_number = self.type is UserType.BUSINESS or bool(self.gov_id_number)
        return (self.address is not None and has_number) or self.has_birth

    @property
    def has_identifier(self) -> bool:
        """Return whether address, document number, or date and place of birth are known."""
        return self.address is not None or bool(self.gov_id_number) or self.has_birth


class WalletData(msgspec.Struct, frozen=True, kw_only=True):
    """Data that a user stated about a counterparty wallet; `person` is set for a third party.

    `travel_address` is the address at which the provider of a hosted wallet takes inquiries.
    """

    kind: WalletKind
    owner: WalletOwner
    vasp_name: str | None = None
    person: TransferPerson | None = None
    travel_address: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideWallet:
    """Counterparty wallet of a user, with the data about it.

    `proven_at` is when a message signed by the wallet's key proved who controls it. `data` is None
    after the user is erased.
    """

    org_id: UUID
    user_id: UUID
    address: str
    data: WalletData | None
    proven_at: datetime | None
    version: int
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TravelRuleSetting:
    """Jurisdiction of an organisation, None if it applies no travel rule.

    `version` is 0 if no jurisdiction was ever set.
    """

    jurisdiction: Jurisdiction | None = None
    version: int = 0


class TravelRuleOutcome(StrEnum):
    """Whether a transfer may continue."""

    NOT_APPLICABLE = "NOT_APPLICABLE"  # below every amount of the jurisdiction
    COMPLETE = "COMPLETE"  # no required data are missing
    INCOMPLETE = "INCOMPLETE"  # the transfer waits for missing data


@dataclass(frozen=True, slots=True, kw_only=True)
class TravelRuleDecision:
    """Decision about a transfer; `missing` is in the order of `RequiredItem`."""

    outcome: TravelRuleOutcome
    missing: tuple[RequiredItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferParties:
    """Originator and beneficiary of a transfer, and the counterparty wallet."""

    originator: TransferPerson
    beneficiary: TransferPerson
    wallet: WalletData
    is_proven: bool


def parties_of(
    user: TransferPerson, wallet: OutsideWallet, direction: ScreeningDirection
) -> TransferParties | None:
    """Return the parties of a transfer; None if the wallet has no data."""
    data = wallet.data
    if data is None:
        return None
    other = user if data.owner is WalletOwner.USER else data.person
    if other is None:
        return None
    is_payment = direction is ScreeningDirection.PAYMENT
    return TransferParties(
        originator=user if is_payment else other,
        beneficiary=other if is_payment else user,
        wallet=data,
        is_proven=wallet.proven_at is not None,
    )


def decide(tiers: Sequence[RuleTier], parties: TransferParties | None) -> TravelRuleDecision:
    """Decide about a transfer, by the tiers that apply to its amount.

    If `parties` is None, only the kind of the wallet is missing: other requirements depend on it.
    """
    if not tiers:
        return TravelRuleDecision(outcome=TravelRuleOutcome.NOT_APPLICABLE)
    if parties is None:
        return TravelRuleDecision(
            outcome=TravelRuleOutcome.INCOMPLETE, missing=(RequiredItem.KIND,)
        )
    own = [each for each in tiers if each.kind is parties.wallet.kind]
    if not own:
        return TravelRuleDecision(outcome=TravelRuleOutcome.NOT_APPLICABLE)
    required = frozenset[RequiredItem]().union(*(each.requires for each in own))
    absent = required - _available(parties)
    return TravelRuleDecision(
        outcome=TravelRuleOutcome.INCOMPLETE if absent else TravelRuleOutcome.COMPLETE,
        missing=tuple(each for each in RequiredItem if each in absent),
    )


def _available(parties: TransferParties) -> frozenset[RequiredItem]:
    originator = parties.originator
    items = {
        RequiredItem.KIND: True,
        RequiredItem.VASP_NAME: bool(parties.wallet.vasp_name),
        RequiredItem.ORIGINATOR_NAME: originator.has_name,
        RequiredItem.ORIGINATOR_ADDRESS: originator.address is not None,
        RequiredItem.ORIGINATOR_IDENTITY: originator.has_identity,
        RequiredItem.ORIGINATOR_IDENTIFIER: originator.has_identifier,
        RequiredItem.BENEFICIARY_NAME: parties.beneficiary.has_name,
        RequiredItem.OWNERSHIP_PROOF: parties.is_proven,
    }
    return frozenset(each for each, is_there in items.items() if is_there)
