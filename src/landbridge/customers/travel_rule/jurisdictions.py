"""What each jurisdiction requires of transfers of coins to and from outside, from which amount.

docs/reference/travel-rule.md has the same table. A change of the law is a change of these rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType


class Jurisdiction(StrEnum):
    """Law that an organisation applies."""

    EU = "EU"  # European Union
    GB = "GB"  # United Kingdom
    US = "US"  # United States
    SG = "SG"  # Singapore
    CH = "CH"  # Switzerland


class WalletKind(StrEnum):
    """Who holds the keys of the other wallet."""

    SELF_HOSTED = "SELF_HOSTED"  # its owner
    HOSTED = "HOSTED"  # a provider (virtual asset service provider, VASP)


class RequiredItem(StrEnum):
    """What a transfer has to have, as clients read it in `missing`."""

    KIND = "kind"
    VASP_NAME = "vaspName"
    ORIGINATOR_NAME = "originator.name"
    ORIGINATOR_ADDRESS = "originator.address"
    # Address and document number, or date and place of birth.
    ORIGINATOR_IDENTITY = "originator.identity"
    # Address, document number, or date and place of birth.
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

        It does while the amount or the dollars per unit of `currency` are not known.
        """
        if usd is None or usd_per_unit is None:
            return True
        bound = self.bound * usd_per_unit
        return usd >= bound if self.includes_bound else usd > bound


_NAMES = frozenset({RequiredItem.ORIGINATOR_NAME, RequiredItem.BENEFICIARY_NAME})
_TFR = "Regulation (EU) 2023/1113, Articles 14 and 16"
_TFR_SINCE = date(2024, 12, 30)
_MLR = "Money Laundering Regulations 2017, Part 7A"
_MLR_SINCE = date(2023, 9, 1)
_MAS = "MAS Notice PSN02, paragraph 13"
_MAS_SINCE = date(2020, 1, 28)
_FINMA_SINCE = date(2019, 8, 26)

TIERS: Mapping[Jurisdiction, Sequence[RuleTier]] = MappingProxyType(
    {
        Jurisdiction.EU: (
            RuleTier(
                kind=WalletKind.HOSTED,
                currency="eur",
                bound=0,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.ORIGINATOR_IDENTITY, RequiredItem.VASP_NAME},
                source=_TFR,
                since=_TFR_SINCE,
            ),
            RuleTier(
                kind=WalletKind.SELF_HOSTED,
                currency="eur",
                bound=0,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.ORIGINATOR_IDENTITY},
                source=_TFR,
                since=_TFR_SINCE,
            ),
            RuleTier(
                kind=WalletKind.SELF_HOSTED,
                currency="eur",
                bound=1000,
                includes_bound=False,
                requires=frozenset({RequiredItem.OWNERSHIP_PROOF}),
                source=_TFR,
                since=_TFR_SINCE,
            ),
        ),
        Jurisdiction.GB: (
            RuleTier(
                kind=WalletKind.HOSTED,
                currency="eur",
                bound=0,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.VASP_NAME},
                source=_MLR,
                since=_MLR_SINCE,
            ),
            RuleTier(
                kind=WalletKind.HOSTED,
                currency="eur",
                bound=1000,
                includes_bound=True,
                requires=frozenset({RequiredItem.ORIGINATOR_IDENTIFIER}),
                source=_MLR,
                since=_MLR_SINCE,
            ),
            RuleTier(
                kind=WalletKind.SELF_HOSTED,
                currency="eur",
                bound=1000,
                includes_bound=True,
                requires=_NAMES,
                source=_MLR,
                since=_MLR_SINCE,
            ),
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
            RuleTier(
                kind=WalletKind.HOSTED,
                currency="sgd",
                bound=0,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.VASP_NAME},
                source=_MAS,
                since=_MAS_SINCE,
            ),
            RuleTier(
                kind=WalletKind.HOSTED,
                currency="sgd",
                bound=1500,
                includes_bound=False,
                requires=frozenset({RequiredItem.ORIGINATOR_IDENTIFIER}),
                source=_MAS,
                since=_MAS_SINCE,
            ),
            RuleTier(
                kind=WalletKind.SELF_HOSTED,
                currency="sgd",
                bound=0,
                includes_bound=True,
                requires=_NAMES,
                source=_MAS,
                since=_MAS_SINCE,
            ),
        ),
        Jurisdiction.CH: (
            RuleTier(
                kind=WalletKind.HOSTED,
                currency="chf",
                bound=0,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.ORIGINATOR_IDENTIFIER, RequiredItem.VASP_NAME},
                source="AMLO-FINMA, Article 10, by FINMA Guidance 02/2019",
                since=_FINMA_SINCE,
            ),
            RuleTier(
                kind=WalletKind.SELF_HOSTED,
                currency="chf",
                bound=0,
                includes_bound=True,
                requires=_NAMES | {RequiredItem.OWNERSHIP_PROOF},
                source="FINMA Guidance 02/2019",
                since=_FINMA_SINCE,
            ),
        ),
    }
)
