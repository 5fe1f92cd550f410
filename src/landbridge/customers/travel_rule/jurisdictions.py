"""Data that each jurisdiction requires for transfers of coins to and from outside, by amount.

docs/reference/travel-rule.md has the same table. A change of the law is a change of these rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import partial
from types import MappingProxyType


class Jurisdiction(StrEnum):
    """Jurisdiction with the law that an organisation applies."""

    EU = "EU"  # European Union
    GB = "GB"  # United Kingdom
    US = "US"  # United States
    SG = "SG"  # Singapore
    CH = "CH"  # Switzerland


class WalletKind(StrEnum):
    """Kind of a counterparty wallet, by the holder of its keys."""

    SELF_HOSTED = "SELF_HOSTED"  # the owner holds the keys
    HOSTED = "HOSTED"  # a provider holds them (virtual asset service provider, VASP)


class RequiredItem(StrEnum):
    """Item that a transfer requires, as shown to clients in `missing`."""

    KIND = "kind"
    VASP_NAME = "vaspName"
    ORIGINATOR_NAME = "originator.name"
    ORIGINATOR_ADDRESS = "originator.address"
    # Address and document number, or else date and place of birth.
    ORIGINATOR_IDENTITY = "originator.identity"
    # One of: address, document number, date and place of birth.
    ORIGINATOR_IDENTIFIER = "originator.identifier"
    BENEFICIARY_NAME = "beneficiary.name"
    OWNERSHIP_PROOF = "ownershipProof"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTier:
    """Items that a transfer requires from an amount on.

    `bound` is in whole units of `currency`. The tier applies to amounts above it or, with
    `includes_bound`, also to the bound itself. `since` is the day on which the source came into
    force.
    """

    kind: WalletKind
    currency: str
    bound: int
    includes_bound: bool
    requires: frozenset[RequiredItem]
    source: str
    since: date

    def applies_to(self, usd: Decimal | None, usd_per_unit: Decimal | None) -> bool:
        """Return whether this tier applies to an amount in dollars.

        It also applies if the amount, or the value of one unit of `currency` in dollars, is None.
        """
        if usd is None or usd_per_unit is None:
            return True
        bound = self.bound * usd_per_unit
        return usd >= bound if self.includes_bound else usd > bound


_NAMES = frozenset({RequiredItem.ORIGINATOR_NAME, RequiredItem.BENEFICIARY_NAME})
# Common members of all tiers of one law.
_EU = partial(
    RuleTier,
    currency="eur",
    source="Regulation (EU) 2023/1113, Articles 14 and 16",
    since=date(2024, 12, 30),
)
_GB = partial(
    RuleTier,
    currency="eur",
    includes_bound=True,
    source="Money Laundering Regulations 2017, Part 7A",
    since=date(2023, 9, 1),
)
_SG = partial(
    RuleTier,
    currency="sgd",
    source="MAS Notice PSN02, paragraph 13",
    since=date(2020, 1, 28),
)
_CH = partial(RuleTier, currency="chf", bound=0, includes_bound=True, since=date(2019, 8, 26))

TIERS: Mapping[Jurisdiction, Sequence[RuleTier]] = MappingProxyType(
    {
        Jurisdiction.EU: (
            _EU(
                kind=WalletKind.HOSTED,
                bound=0,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.ORIGINATOR_IDENTITY, RequiredItem.VASP_NAME},
            ),
            _EU(
                kind=WalletKind.SELF_HOSTED,
                bound=0,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.ORIGINATOR_IDENTITY},
            ),
            _EU(
                kind=WalletKind.SELF_HOSTED,
                bound=1000,
                includes_bound=False,
                requires=frozenset({RequiredItem.OWNERSHIP_PROOF}),
            ),
        ),
        Jurisdiction.GB: (
            _GB(kind=WalletKind.HOSTED, bound=0, requires=_NAMES | {RequiredItem.VASP_NAME}),
            _GB(
                kind=WalletKind.HOSTED,
                bound=1000,
                requires=frozenset({RequiredItem.ORIGINATOR_IDENTIFIER}),
            ),
            _GB(kind=WalletKind.SELF_HOSTED, bound=1000, requires=_NAMES),
        ),
        Jurisdiction.US: (
            RuleTier(
                kind=WalletKind.HOSTED,
                currency="usd",
                bound=3000,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.ORIGINATOR_ADDRESS, RequiredItem.VASP_NAME},
                source="31 CFR 1010.410(f), by FinCEN guidance FIN-2019-G001",
                since=date(2019, 5, 9),
            ),
        ),
        Jurisdiction.SG: (
            _SG(
                kind=WalletKind.HOSTED,
                bound=0,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.VASP_NAME},
            ),
            _SG(
                kind=WalletKind.HOSTED,
                bound=1500,
                includes_bound=False,
                requires=frozenset({RequiredItem.ORIGINATOR_IDENTIFIER}),
            ),
            _SG(kind=WalletKind.SELF_HOSTED, bound=0, includes_bound=True, requires=_NAMES),
        ),
        Jurisdiction.CH: (
            _CH(
                kind=WalletKind.HOSTED,
                requires=_NAMES | {RequiredItem.ORIGINATOR_IDENTIFIER, RequiredItem.VASP_NAME},
                source="AMLO-FINMA, Article 10, by FINMA Guidance 02/2019",
            ),
            _CH(
                kind=WalletKind.SELF_HOSTED,
                requires=_NAMES | {RequiredItem.OWNERSHIP_PROOF},
                source="FINMA Guidance 02/2019",
            ),
        ),
    }
)
