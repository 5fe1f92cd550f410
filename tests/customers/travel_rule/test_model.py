"""The decision: each jurisdiction at its amounts exactly, and properties of all of them."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as with_members

from landbridge.customers.travel_rule.jurisdictions import (
    TIERS,
    Jurisdiction,
    RequiredItem,
    RuleTier,
    WalletKind,
)
from landbridge.customers.travel_rule.model import (
    OutsideWallet,
    TransferParties,
    TransferPerson,
    TravelRuleOutcome,
    WalletData,
    WalletOwner,
    decide,
    parties_of,
)
from landbridge.customers.users.model import UserType
from landbridge.platform.core.ids import new_id
from landbridge.platform.formats.addresses import Address
from landbridge.providers.kyt.port import ScreeningDirection

ADDRESS = Address(
    address_line1="1 Main St",
    city="Paris",
    state_province_region="IDF",
    postal_code="75001",
    country="FRA",
)
ADA = TransferPerson(
    type=UserType.INDIVIDUAL,
    first_name="Ada",
    last_name="Lovelace",
    address=ADDRESS,
    date_of_birth=date(1990, 1, 2),
    place_of_birth="Paris",
    gov_id_number="X123",
)
NOBODY = TransferPerson(type=UserType.INDIVIDUAL)
NAMES = {"originator.name", "beneficiary.name"}
SELF, HOSTED = WalletKind.SELF_HOSTED, WalletKind.HOSTED
# Jurisdiction, kind, amount in the currency of its bound, and what is required then.
MATRIX: list[tuple[str, WalletKind, str, set[str]]] = [
    ("EU", HOSTED, "0.01", {*NAMES, "originator.identity", "vaspName"}),
    ("EU", SELF, "0.01", {*NAMES, "originator.identity"}),
    ("EU", SELF, "1000", {*NAMES, "originator.identity"}),
    ("EU", SELF, "1000.000001", {*NAMES, "originator.identity", "ownershipProof"}),
    ("GB", HOSTED, "999.999999", {*NAMES, "vaspName"}),
    ("GB", HOSTED, "1000", {*NAMES, "vaspName", "originator.identifier"}),
    ("GB", SELF, "999.999999", set()),
    ("GB", SELF, "1000", NAMES),
    ("US", HOSTED, "2999.999999", set()),
    ("US", HOSTED, "3000", {*NAMES, "vaspName", "originator.address"}),
    ("US", SELF, "1000000", set()),
    ("SG", HOSTED, "1500", {*NAMES, "vaspName"}),
    ("SG", HOSTED, "1500.000001", {*NAMES, "vaspName", "originator.identifier"}),
    ("SG", SELF, "0.01", NAMES),
    ("CH", HOSTED, "0.01", {*NAMES, "vaspName", "originator.identifier"}),
    ("CH", SELF, "0.01", {*NAMES, "ownershipProof"}),
]
people = st.builds(
    TransferPerson,
    type=st.sampled_from(UserType),
    first_name=st.none() | st.just("Ada"),
    last_name=st.none() | st.just("Lovelace"),
    business_name=st.none() | st.just("Acme"),
    address=st.none() | st.just(ADDRESS),
    date_of_birth=st.none() | st.just(date(1990, 1, 2)),
    place_of_birth=st.none() | st.just("Paris"),
    gov_id_number=st.none() | st.just("X123"),
)
parties = st.builds(
    TransferParties,
    originator=people,
    beneficiary=people,
    wallet=st.builds(
        WalletData,
        kind=st.sampled_from(WalletKind),
        owner=st.sampled_from(WalletOwner),
        vasp_name=st.none() | st.just("Exchange"),
    ),
    is_proven=st.booleans(),
)
amounts = st.decimals(min_value=0, max_value=10**7, places=6)


def tiers_at(
    jurisdiction: str, amount: Decimal | None, unit: Decimal | None = Decimal(1)
) -> list[RuleTier]:
    return [each for each in TIERS[Jurisdiction(jurisdiction)] if each.applies_to(amount, unit)]


def empty(kind: WalletKind) -> TransferParties:
    wallet = WalletData(kind=kind, owner=WalletOwner.USER)
    return TransferParties(originator=NOBODY, beneficiary=NOBODY, wallet=wallet, is_proven=False)


def full(kind: WalletKind) -> TransferParties:
    wallet = WalletData(kind=kind, owner=WalletOwner.USER, vasp_name="Exchange")
    return TransferParties(originator=ADA, beneficiary=ADA, wallet=wallet, is_proven=True)


@pytest.mark.parametrize(("jurisdiction", "kind", "amount", "required"), MATRIX)
def test_what_a_jurisdiction_requires_at_an_amount(
    jurisdiction: str, kind: WalletKind, amount: str, required: set[str]
) -> None:
    tiers = tiers_at(jurisdiction, Decimal(amount))
    found = decide(tiers, empty(kind))
    assert {each.value for each in found.missing} == required
    expected = TravelRuleOutcome.COMPLETE if required else TravelRuleOutcome.NOT_APPLICABLE
    assert decide(tiers, full(kind)).outcome is expected


def test_the_matrix_has_every_tier() -> None:
    named = {(jurisdiction, kind) for jurisdiction, kind, _, _ in MATRIX}
    assert named >= {(of.value, each.kind) for of in TIERS for each in TIERS[of]}
    assert set(TIERS) == set(Jurisdiction)


@given(st.sampled_from(Jurisdiction), parties, amounts)
def test_more_money_never_requires_less(
    jurisdiction: Jurisdiction, found: TransferParties, amount: Decimal
) -> None:
    below = decide(tiers_at(jurisdiction, amount), found)
    above = decide(tiers_at(jurisdiction, amount * 2 + 1), found)
    assert set(below.missing) <= set(above.missing)


@given(st.sampled_from(Jurisdiction), parties, amounts)
def test_an_unknown_value_requires_what_any_amount_requires(
    jurisdiction: Jurisdiction, found: TransferParties, amount: Decimal
) -> None:
    known = decide(tiers_at(jurisdiction, amount), found)
    for unknown in (tiers_at(jurisdiction, None), tiers_at(jurisdiction, amount, None)):
        assert set(known.missing) <= set(decide(unknown, found).missing)


@given(st.sampled_from(Jurisdiction), parties, amounts)
def test_a_transfer_is_incomplete_exactly_if_something_is_missing(
    jurisdiction: Jurisdiction, found: TransferParties, amount: Decimal
) -> None:
    decision = decide(tiers_at(jurisdiction, amount), found)
    assert (decision.outcome is TravelRuleOutcome.INCOMPLETE) == bool(decision.missing)
    # What is named is enough: with all of it the transfer is complete.
    repaired = replace(
        found,
        originator=ADA,
        beneficiary=ADA,
        wallet=with_members(found.wallet, vasp_name="Exchange"),
        is_proven=True,
    )
    assert decide(tiers_at(jurisdiction, amount), repaired).missing == ()


@pytest.mark.parametrize("jurisdiction", ["EU", "GB", "SG", "CH"])
def test_without_data_only_the_kind_is_missing(jurisdiction: str) -> None:
    decision = decide(tiers_at(jurisdiction, Decimal(1)), None)
    assert decision.missing == (RequiredItem.KIND,)


def test_a_deposit_has_the_other_person_as_originator() -> None:
    bob = replace_name("Bob")
    wallet = OutsideWallet(
        org_id=new_id(),
        user_id=new_id(),
        address="0x1",
        data=WalletData(kind=HOSTED, owner=WalletOwner.THIRD_PARTY, person=bob),
        proven_at=None,
        version=1,
        updated_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    deposit = parties_of(ADA, wallet, ScreeningDirection.DEPOSIT)
    payment = parties_of(ADA, wallet, ScreeningDirection.PAYMENT)
    assert deposit is not None
    assert payment is not None
    assert (deposit.originator, deposit.beneficiary) == (bob, ADA)
    assert (payment.originator, payment.beneficiary) == (ADA, bob)
    assert parties_of(ADA, replace(wallet, data=None), ScreeningDirection.PAYMENT) is None


def replace_name(name: str) -> TransferPerson:
    return with_members(ADA, first_name=name)
